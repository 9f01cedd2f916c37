//! The tables that snapshots fill.

use super::DeviceMemory;
use super::snapshot::{Alive, Allocator, Block, Growth, OutOfMemory};
use super::tables::{NOT_RECORDED, Ranks, at_peak, of_devices};
use crate::Job;
use crate::section::{Column, Table, Unit, Value};

const NO_STACK: &str = "no Python line on the stack";
const BEFORE: &str = "(before the recording)";

fn allocator_of(device: &DeviceMemory) -> Option<&Allocator> {
    device.allocator.as_deref()
}

/// Columns of tables by line.
fn stack_columns() -> [Column; 5] {
    [
        Column::new("place", "Line", Unit::None),
        Column::new("bytes", "In use", Unit::Bytes),
        Column::new("share_pct", "Share", Unit::Percent),
        Column::new("allocations", "Blocks", Unit::Count),
        Column::new("stack", "Largest, stack", Unit::None),
    ]
}

fn stack_rows(alive: &Alive) -> Vec<Vec<Value>> {
    let row = |name: Value, bytes: i64, blocks: Value, stack: &str| {
        let stack = if stack.is_empty() { Value::Missing(NO_STACK) } else { stack.into() };
        vec![name, bytes.into(), Value::percent(bytes, alive.bytes), blocks, stack]
    };
    let mut rows = Vec::new();
    if alive.unknown > 0 {
        rows.push(row(BEFORE.into(), alive.unknown, Value::Missing("stacks not distinguished"), ""));
    }
    rows.extend(alive.by_stack.iter().map(|(share, stack)| {
        let name = Value::known_text(share.name.as_deref(), NO_STACK);
        row(name, share.bytes, share.allocations.into(), stack)
    }));
    rows
}

pub(super) fn at_peak_by_stack(job: &Job, ranks: &Ranks<'_>) -> Table {
    let (columns, rows) = of_devices(job, ranks, stack_columns(), |device| {
        allocator_of(device).map(|allocator| stack_rows(&allocator.alive)).unwrap_or_default()
    });
    Table {
        id: "at_peak_by_stack",
        title: "In use at the peak, by innermost non-library line; shares of the peak",
        columns,
        rows,
    }
}

pub(super) fn at_failure(job: &Job, ranks: &Ranks<'_>) -> Table {
    let (columns, rows) = of_devices(job, ranks, stack_columns(), |device| {
        let alive = allocator_of(device).and_then(|allocator| allocator.at_failure.as_ref());
        alive.map(stack_rows).unwrap_or_default()
    });
    Table {
        id: "at_failure_by_stack",
        title: "In use when the last request failed, by line; shares of memory in use",
        columns,
        rows,
    }
}

pub(super) fn at_peak_by_category(job: &Job, ranks: &Ranks<'_>) -> Table {
    at_peak(
        job,
        ranks,
        "at_peak_by_category",
        "In use at the peak, by tensor category if recorded, else by program phase from the stack; shares of the \
        peak",
        Column::new("category", "Category", Unit::None),
        |device| allocator_of(device).map_or(&[], |allocator| &allocator.alive.by_category),
    )
}

pub(super) fn largest(job: &Job, ranks: &Ranks<'_>) -> Table {
    let own = [
        Column::new("place", "Line", Unit::None),
        Column::new("bytes", "Size", Unit::Bytes),
        Column::new("operator", "Operator", Unit::None),
        Column::new("allocated", "Allocated", Unit::None),
    ];
    let (columns, rows) = of_devices(job, ranks, own, |device| {
        let row = |block: &Block| {
            vec![
                Value::known_text(block.place.as_deref(), NO_STACK),
                block.bytes.into(),
                Value::known_text(block.operator.as_deref(), "no operator on the stack"),
                if block.is_older { "before the recording" } else { "while recording" }.into(),
            ]
        };
        let blocks = allocator_of(device).map_or(&[][..], |allocator| &allocator.alive.largest);
        blocks.iter().map(row).collect()
    });
    Table { id: "largest_at_peak", title: "Largest blocks in use at the peak", columns, rows }
}

pub(super) fn out_of_memory(job: &Job, ranks: &Ranks<'_>) -> Table {
    let bytes = |id, title| Column::new(id, title, Unit::Bytes);
    let own = [
        Column::new("time_ns", "At", Unit::Nanoseconds),
        bytes("asked_bytes", "Device request"),
        bytes("free_bytes", "Free on the device"),
        bytes("in_use_bytes", "In use"),
        bytes("reserved_bytes", "Reserved"),
        bytes("unused_bytes", "Reserved, unused"),
        Column::new("cause", "Cause", Unit::None),
    ];
    let (columns, rows) = of_devices(job, ranks, own, |device| {
        let known = |value: Option<i64>| value.map_or(Value::Missing(NOT_RECORDED), Value::Integer);
        let row = |failure: &OutOfMemory| {
            let cause = match failure.is_fragmented() {
                Some(true) => "fragmentation: enough in total, but not in one piece".into(),
                Some(false) => "in use: not enough in total".into(),
                None => Value::Missing(NOT_RECORDED),
            };
            vec![
                failure.time.into(),
                failure.asked.into(),
                failure.free.into(),
                failure.in_use.into(),
                known(failure.reserved.get()),
                known(failure.unused()),
                cause,
            ]
        };
        let failures = allocator_of(device).map_or(&[][..], |allocator| &allocator.failures);
        failures.iter().map(row).collect()
    });
    Table { id: "out_of_memory", title: "Failed requests, with memory at that moment", columns, rows }
}

pub(super) fn growth(job: &Job, ranks: &Ranks<'_>) -> Table {
    let own = [
        Column::new("place", "Line", Unit::None),
        Column::new("steps", "Consecutive steps", Unit::Count),
        Column::new("per_step_bytes", "Growth per step", Unit::Bytes),
        Column::new("end_bytes", "At the end", Unit::Bytes),
        Column::new("stack", "Stack", Unit::None),
    ];
    let (columns, rows) = of_devices(job, ranks, own, |device| {
        let row = |growth: &Growth| {
            vec![
                Value::known_text(growth.place.as_deref(), NO_STACK),
                growth.steps.into(),
                growth.per_step().into(),
                growth.last.into(),
                growth.stack.as_str().into(),
            ]
        };
        let growths = allocator_of(device).map_or(&[][..], |allocator| &allocator.growth);
        growths.iter().map(row).collect()
    });
    Table {
        id: "growth_by_stack",
        title: "Lines whose memory grew in every one of the last steps",
        columns,
        rows,
    }
}

pub(super) fn allocator(job: &Job, ranks: &Ranks<'_>) -> Table {
    let bytes = |id, title| Column::new(id, title, Unit::Bytes);
    let count = |id, title| Column::new(id, title, Unit::Count);
    let own = [
        count("segments", "Segments"),
        bytes("end_in_blocks_bytes", "Allocated blocks"),
        bytes("end_requested_bytes", "Requested"),
        bytes("end_rounding_bytes", "Lost to rounding"),
        bytes("end_unused_bytes", "Unused"),
        bytes("end_stuck_bytes", "Unused in segments"),
        bytes("end_largest_unused_bytes", "Largest unused block"),
        bytes("end_in_pools_bytes", "Private pools"),
        count("segments_taken", "Segments taken"),
        count("segments_given_back", "Given back"),
        count("retries", "Retries"),
        count("failures", "Requests that failed"),
        count("before_blocks", "Blocks from before the recording"),
        bytes("before_bytes", "Bytes of these"),
    ];
    let (columns, rows) =
        of_devices(job, ranks, own, |device| allocator_of(device).map(allocator_cells).into_iter().collect());
    Table {
        id: "allocator",
        title: "Allocator: memory held at the end, and taken from and returned to the device while recording",
        columns,
        rows,
    }
}

fn allocator_cells(allocator: &Allocator) -> Vec<Value> {
    let (end, churn, older) = (&allocator.end, &allocator.churn, &allocator.alive.older);
    vec![
        end.segments.into(),
        end.in_blocks.into(),
        end.requested.into(),
        end.rounding().into(),
        end.unused.into(),
        end.stuck.into(),
        end.largest_unused.into(),
        end.in_pools.into(),
        churn.taken.into(),
        churn.given_back.into(),
        churn.retries.into(),
        allocator.failures.len().into(),
        older.allocations.into(),
        older.bytes.into(),
    ]
}
