//! The tables of the section.

use eaves_model::MaybeI64;

use super::super::Rank;
use super::alive::Share;
use super::stacked::tables as stacked_tables;
use super::{DeviceMemory, RankMemory, settings, snapshot_tables};
use crate::Job;
use crate::section::{Chart, Column, Table, Unit, Value};

pub(super) type Ranks<'a> = [Rank<'a, RankMemory>];

pub(super) const NOT_RECORDED: &str = "not recorded";
const ON_HOST: &str = "the host's allocator reserves nothing";

/// All tables that have rows.
pub(super) fn all(job: &Job, ranks: &Ranks<'_>) -> Vec<Table> {
    let stacked = stacked_tables::drawn(ranks);
    let tables = [
        by_device(job, ranks),
        snapshot_tables::at_peak_by_stack(job, ranks),
        at_peak(
            job,
            ranks,
            "at_peak",
            "In use at the peak, by innermost non-allocating operator; shares of the peak",
            Column::new("operator", "Operator", Unit::None),
            |device| &device.alive.by_operator,
        ),
        at_peak(
            job,
            ranks,
            "at_peak_by_line",
            "In use at the peak, by innermost non-library Python line; shares of the peak",
            Column::new("place", "Line", Unit::None),
            |device| &device.alive.by_line,
        ),
        at_peak(
            job,
            ranks,
            "at_peak_by_module",
            "In use at the peak, by innermost module; shares of the peak",
            Column::new("module", "Module", Unit::None),
            |device| &device.alive.by_module,
        ),
        at_peak(
            job,
            ranks,
            "at_peak_by_size",
            "In use at the peak, by allocation size; shares of the peak",
            Column::new("size", "Size", Unit::None),
            |device| &device.alive.by_size,
        ),
        snapshot_tables::at_peak_by_category(job, ranks),
        snapshot_tables::largest(job, ranks),
        snapshot_tables::out_of_memory(job, ranks),
        snapshot_tables::at_failure(job, ranks),
        snapshot_tables::growth(job, ranks),
        snapshot_tables::allocator(job, ranks),
        settings::table(job, ranks),
        by_step(job, ranks),
        driver_calls(job, ranks),
        by_category(job, ranks),
        timeline(job, ranks),
        stacked_tables::shown(job, &stacked),
        stacked_tables::allocations(job, &stacked),
        stacked_tables::rest(job, &stacked),
        stacked_tables::stacks(job, &stacked),
        series(job, ranks),
        category_series(job, ranks),
    ];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

/// The pictures that these tables can be drawn as.
pub(super) fn charts(tables: &[Table]) -> Vec<Chart> {
    let charts = [
        Chart::MemoryOverTime { levels: "timeline" },
        Chart::Allocations {
            allocations: "allocations",
            shown: "allocations_shown",
            rest: "allocations_rest",
            stacks: "allocation_stacks",
        },
    ];
    let is_there = |chart: &Chart| {
        let (_, first) = chart.tables()[0];
        tables.iter().any(|table| table.id == first)
    };
    charts.into_iter().filter(is_there).collect()
}

/// Rows of every device of every rank, which begin with rank and device.
pub(super) fn of_devices(
    job: &Job,
    ranks: &Ranks<'_>,
    own: impl IntoIterator<Item = Column>,
    rows: impl Fn(&DeviceMemory) -> Vec<Vec<Value>>,
) -> (Vec<Column>, Vec<Vec<Value>>) {
    let device = Column::new("device", "Device", Unit::None);
    let columns = job.rank_columns().into_iter().chain([device]).chain(own).collect();
    let mut all = Vec::new();
    for rank in ranks {
        for device in &rank.part.devices {
            let mut leading = job.rank_cells(rank);
            leading.push(device.device.name().into());
            all.extend(
                rows(device).into_iter().map(|row| leading.iter().cloned().chain(row).collect::<Vec<_>>()),
            );
        }
    }
    (columns, all)
}

/// Reserved and not in use at the peak.
pub(super) fn unused(device: &DeviceMemory) -> Option<i64> {
    let reserved = device.peak.reserved.get().filter(|_| !device.device.is_host())?;
    Some(reserved.saturating_sub(device.peak.bytes).max(0))
}

/// Share of the device's memory that was reserved at most.
pub(super) fn reserved_share(device: &DeviceMemory) -> Option<(i64, i64)> {
    device.peak_reserved.get().zip(device.capacity)
}

fn by_device(job: &Job, ranks: &Ranks<'_>) -> Table {
    let bytes = |id, title| Column::new(id, title, Unit::Bytes);
    let own = [
        Column::new("allocations", "Allocations", Unit::Count),
        Column::new("releases", "Releases", Unit::Count),
        bytes("start_bytes", "At the start"),
        bytes("peak_bytes", "Peak"),
        Column::new("peak_at_ns", "Peak at", Unit::Nanoseconds),
        Column::new("peak_step", "Peak in step", Unit::None),
        bytes("unused_bytes", "Reserved, unused at peak"),
        bytes("peak_reserved_bytes", "Peak reserved"),
        bytes("capacity_bytes", "Memory of device"),
        Column::new("reserved_pct", "Reserved of device", Unit::Percent),
        bytes("end_bytes", "At the end"),
        bytes("end_reserved_bytes", "Reserved at the end"),
        Column::new("counted", "Counted", Unit::None),
    ];
    let (columns, rows) = of_devices(job, ranks, own, |device| vec![device_cells(device)]);
    Table {
        id: "by_device",
        title: "Memory in use by device, peak at its first occurrence; reserved as a share of device memory",
        columns,
        rows,
    }
}

fn device_cells(device: &DeviceMemory) -> Vec<Value> {
    let reserved = |bytes: MaybeI64| match bytes.get() {
        _ if device.device.is_host() => Value::Missing(ON_HOST),
        Some(bytes) => Value::Integer(bytes),
        None => Value::Missing(NOT_RECORDED),
    };
    let no_capacity = if device.device.is_host() { ON_HOST } else { NOT_RECORDED };
    vec![
        device.allocations.into(),
        device.releases.into(),
        device.start.into(),
        device.peak.bytes.into(),
        match &device.allocator {
            Some(allocator) if !allocator.has_times => Value::Missing("times not recorded"),
            _ => device.peak.time.into(),
        },
        device.peak.step.map_or(Value::Missing("outside profiler steps"), Value::from),
        reserved(unused(device).into()),
        reserved(device.peak_reserved),
        device.capacity.map_or(Value::Missing(no_capacity), Value::Integer),
        reserved_share(device)
            .map_or(Value::Missing(no_capacity), |(part, whole)| Value::percent(part, whole)),
        device.end.into(),
        reserved(device.end_reserved),
        if device.is_absolute { "by the allocator" } else { "since the recording began" }.into(),
    ]
}

pub(super) fn at_peak(
    job: &Job,
    ranks: &Ranks<'_>,
    id: &'static str,
    title: &'static str,
    name: Column,
    shares: impl Fn(&DeviceMemory) -> &[Share],
) -> Table {
    let own = [
        name,
        Column::new("bytes", "In use", Unit::Bytes),
        Column::new("share_pct", "Of the peak", Unit::Percent),
        Column::new("allocations", "Allocations", Unit::Count),
    ];
    let (columns, rows) = of_devices(job, ranks, own, |device| {
        let peak = device.peak.bytes;
        let row = |share: &Share| {
            let name = share.name.as_deref().map_or(Value::Missing("no caller recorded"), Value::from);
            vec![name, share.bytes.into(), Value::percent(share.bytes, peak), share.allocations.into()]
        };
        let mut rows: Vec<Vec<Value>> = shares(device).iter().map(row).collect();
        // Without this row the shares would not add up, and models would seem to need no memory.
        // Sizes are known of all blocks of a snapshot, where they come from not of all.
        let told = shares(device).iter().fold(0i64, |sum, share| sum.saturating_add(share.bytes));
        if !rows.is_empty() && device.alive.before > 0 && told < peak {
            rows.insert(
                0,
                vec![
                    "(before the recording)".into(),
                    device.alive.before.into(),
                    Value::percent(device.alive.before, peak),
                    Value::Missing("not recorded individually"),
                ],
            );
        }
        rows
    });
    Table { id, title, columns, rows }
}

fn by_step(job: &Job, ranks: &Ranks<'_>) -> Table {
    let own = [
        Column::new("step", "Step", Unit::None),
        Column::new("start_bytes", "At its start", Unit::Bytes),
        Column::new("end_bytes", "At its end", Unit::Bytes),
        Column::new("peak_bytes", "Peak", Unit::Bytes),
        Column::new("growth_bytes", "Growth", Unit::Bytes),
    ];
    let (columns, rows) = of_devices(job, ranks, own, |device| {
        let row = |step: &super::StepMemory| {
            vec![
                step.number.into(),
                step.start.into(),
                step.end.into(),
                step.peak.into(),
                step.growth().into(),
            ]
        };
        device.steps.iter().map(row).collect()
    });
    Table { id: "by_step", title: "Memory in use by step", columns, rows }
}

fn driver_calls(job: &Job, ranks: &Ranks<'_>) -> Table {
    let own = [
        Column::new("function", "Function", Unit::None),
        Column::new("calls", "Calls", Unit::Count),
        Column::new("host_ns", "Host time", Unit::Nanoseconds),
        Column::new("steps_pct", "Of these steps", Unit::Percent),
    ];
    let mut rows = Vec::new();
    for rank in ranks {
        let driver = &rank.part.driver;
        for function in &driver.functions {
            let cells = [
                function.name.into(),
                function.calls.into(),
                function.time.into(),
                Value::percent(function.time.0, driver.steps_time.0),
            ];
            rows.push(job.rank_cells(rank).into_iter().chain(cells).collect());
        }
    }
    Table {
        id: "driver_calls",
        title: "Calls that allocate or free device memory, in all steps but the first; shares of these steps' \
            host time",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}

fn by_category(job: &Job, ranks: &Ranks<'_>) -> Table {
    let own = [
        Column::new("category", "Category", Unit::None),
        Column::new("at_peak_bytes", "At the overall peak", Unit::Bytes),
        Column::new("share_pct", "Of the peak", Unit::Percent),
        Column::new("peak_bytes", "Its own peak", Unit::Bytes),
        Column::new("end_bytes", "At the end", Unit::Bytes),
    ];
    let mut rows = Vec::new();
    for rank in ranks {
        let found = &rank.part.categories;
        for category in &found.categories {
            let cells = [
                category.name.as_str().into(),
                category.at_peak.into(),
                Value::percent(category.at_peak, found.peak),
                category.peak.into(),
                category.end.into(),
            ];
            rows.push(job.rank_cells(rank).into_iter().chain(cells).collect());
        }
    }
    Table {
        id: "by_category",
        title: "Memory by tensor category at the overall peak, shares of it; and each category's own peak",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}

fn timeline(job: &Job, ranks: &Ranks<'_>) -> Table {
    let own = [
        Column::new("time_ns", "Time", Unit::Nanoseconds),
        Column::new("bytes", "In use", Unit::Bytes),
        Column::new("reserved_bytes", "Reserved", Unit::Bytes),
    ];
    let (columns, rows) = of_devices(job, ranks, own, |device| {
        let row = |point: &super::Point| {
            let reserved = point.reserved.get().map_or(Value::Missing(NOT_RECORDED), Value::Integer);
            vec![point.time.into(), point.bytes.into(), reserved]
        };
        device.points.iter().map(row).collect()
    });
    Table { id: "timeline", title: "Memory in use over time, maximum of each interval", columns, rows }
}

fn series(job: &Job, ranks: &Ranks<'_>) -> Table {
    let own = [
        Column::new("time_ns", "Time", Unit::Nanoseconds),
        Column::new("bytes", "In use", Unit::Bytes),
        Column::new("reserved_bytes", "Reserved", Unit::Bytes),
    ];
    let (columns, rows) = of_devices(job, ranks, own, |device| {
        let row = |&(time, bytes, reserved): &(eaves_model::Ns, i64, MaybeI64)| {
            vec![
                time.into(),
                bytes.into(),
                reserved.get().map_or(Value::Missing(NOT_RECORDED), Value::Integer),
            ]
        };
        device.series.iter().map(row).collect()
    });
    Table { id: "series", title: "Memory in use after every event", columns, rows }
}

fn category_series(job: &Job, ranks: &Ranks<'_>) -> Table {
    let own = [
        Column::new("time_ns", "Time", Unit::Nanoseconds),
        Column::new("category", "Category", Unit::None),
        Column::new("bytes", "In use", Unit::Bytes),
    ];
    let mut rows = Vec::new();
    for rank in ranks {
        let found = &rank.part.categories;
        for &(time, category, bytes) in &found.series {
            let name = found.categories[category as usize].name.as_str();
            let cells = [time.into(), name.into(), bytes.into()];
            rows.push(job.rank_cells(rank).into_iter().chain(cells).collect());
        }
    }
    Table {
        id: "category_series",
        title: "Memory by category after every change",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}
