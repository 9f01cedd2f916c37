//! The tables of the section.

use eaves_model::{Bytes, Ns};

use super::Rank;
use super::measure::{Call, Part, Row};
use crate::Job;
use crate::section::{Column, Table, Unit, Value};

const NO_GPU: &str = "no GPU activity recorded";
const NO_MEMORY: &str = "allocations not recorded";

/// What the recordings have besides operators.
#[derive(Clone, Copy)]
pub(super) struct Recorded {
    pub(super) gpu: bool,
    pub(super) memory: bool,
}

fn columns(leading: Vec<Column>) -> Vec<Column> {
    let own = [
        Column::new("operator", "Operator", Unit::None),
        Column::new("calls", "Calls", Unit::Count),
        Column::new("gpu_total_ns", "GPU, inclusive", Unit::Nanoseconds),
        Column::new("gpu_self_ns", "GPU, exclusive", Unit::Nanoseconds),
        Column::new("activities", "GPU activities, inclusive", Unit::Count),
        Column::new("cpu_total_ns", "Host, inclusive", Unit::Nanoseconds),
        Column::new("cpu_self_ns", "Host, exclusive", Unit::Nanoseconds),
        Column::new("device_allocated_bytes", "Device memory, inclusive", Unit::Bytes),
        Column::new("host_allocated_bytes", "Host memory, inclusive", Unit::Bytes),
    ];
    leading.into_iter().chain(own).collect()
}

fn cells(leading: &[Value], row: &Row, recorded: Recorded) -> Vec<Value> {
    let gpu = |value: Value| if recorded.gpu { value } else { Value::Missing(NO_GPU) };
    let memory = |bytes: Bytes| if recorded.memory { bytes.0.into() } else { Value::Missing(NO_MEMORY) };
    let own = [
        row.name.as_str().into(),
        row.calls.into(),
        gpu(row.gpu_total.into()),
        gpu(row.gpu_own.into()),
        gpu(row.activities.into()),
        row.cpu_total.into(),
        row.cpu_own.into(),
        memory(row.memory.device),
        memory(row.memory.host),
    ];
    leading.iter().cloned().chain(own).collect()
}

pub(super) fn by_operator(rows: &[Row], recorded: Recorded) -> Table {
    Table {
        id: "by_operator",
        title: "Operators by name: summed GPU activity duration and host time, inclusive and exclusive",
        columns: columns(Vec::new()),
        rows: rows.iter().map(|row| cells(&[], row, recorded)).collect(),
    }
}

pub(super) fn by_rank_and_operator(job: &Job, ranks: &[&Rank<'_, Part>], recorded: Recorded) -> Table {
    let rows = ranks.iter().flat_map(|rank| {
        let leading = job.rank_cells(rank);
        rank.part.rows.iter().map(move |row| cells(&leading, row, recorded))
    });
    Table {
        id: "by_rank_and_operator",
        title: "The same by rank",
        columns: columns(job.rank_columns()),
        rows: rows.collect(),
    }
}

pub(super) fn calls(job: &Job, ranks: &[&Rank<'_, Part>], recorded: Recorded) -> Table {
    let own = [
        Column::new("operator", "Operator", Unit::None),
        Column::new("start_ns", "Start", Unit::Nanoseconds),
        Column::new("depth", "Operators around it", Unit::Count),
        Column::new("cpu_total_ns", "Host, inclusive", Unit::Nanoseconds),
        Column::new("cpu_self_ns", "Host, exclusive", Unit::Nanoseconds),
        Column::new("gpu_total_ns", "GPU, inclusive", Unit::Nanoseconds),
        Column::new("gpu_self_ns", "GPU, exclusive", Unit::Nanoseconds),
        Column::new("activities", "GPU activities, inclusive", Unit::Count),
        Column::new("first_activity_start_ns", "First activity starts", Unit::Nanoseconds),
        Column::new("last_activity_end_ns", "Last activity ends", Unit::Nanoseconds),
        Column::new("activity_span_ns", "First to last", Unit::Nanoseconds),
    ];
    let rows = ranks.iter().flat_map(|rank| {
        let zero = rank.extent.map_or(Ns::ZERO, |extent| extent.start);
        let leading = job.rank_cells(rank);
        rank.part.calls.iter().map(move |call| {
            leading.iter().cloned().chain(call_cells(call, zero, recorded)).collect::<Vec<_>>()
        })
    });
    Table {
        id: "calls",
        title: "Every operator call, with the GPU activities it launched",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows: rows.collect(),
    }
}

fn call_cells(call: &Call, zero: Ns, recorded: Recorded) -> [Value; 11] {
    let gpu = |value: Value| if recorded.gpu { value } else { Value::Missing(NO_GPU) };
    let span = |value: Option<Ns>| value.map_or(Value::Missing("nothing was launched"), Value::from);
    let activities = call.total.span();
    [
        call.name.as_str().into(),
        (call.span.start - zero).into(),
        u64::from(call.depth).into(),
        call.span.length().into(),
        call.cpu_own.into(),
        gpu(call.total.time.into()),
        gpu(call.own.time.into()),
        gpu(call.total.activities.into()),
        span(activities.map(|span| span.start - zero)),
        span(activities.map(|span| span.end - zero)),
        span(activities.map(|span| span.length())),
    ]
}
