//! The tables of the section.

use eaves_model::Ns;

use super::Rank;
use super::measure::{self, KernelRow, Label, Part, Row};
use crate::section::{Column, Table, Unit, Value};
use crate::{Job, Statistics};

pub(super) fn tables(job: &Job, ranks: &[&Rank<'_, Part>]) -> Vec<Table> {
    let host: Vec<Row> = measure::over_ranks(ranks.iter().flat_map(|rank| &rank.part.host));
    let gpu: Vec<Row> = measure::over_ranks(ranks.iter().flat_map(|rank| &rank.part.gpu));
    let several = ranks.len() > 1;
    let mut tables = Vec::new();
    if !host.is_empty() {
        tables.push(Table {
            id: "host",
            title: "Host ranges by name, with the GPU time of activities launched inside",
            columns: host_columns(Vec::new()),
            rows: host.iter().map(|row| host_cells(job, &[], row)).collect(),
        });
        if several {
            tables.push(Table {
                id: "host_by_rank",
                title: "The same by rank",
                columns: host_columns(job.rank_columns()),
                rows: by_rank(job, ranks, |part| &part.host, |leading, row| host_cells(job, leading, row)),
            });
        }
    }
    if !gpu.is_empty() {
        tables.push(Table {
            id: "gpu",
            title: "Device ranges by name, from the first activity to the last",
            columns: statistics_columns(Vec::new()),
            rows: gpu.iter().map(|row| statistics_cells(&[], row)).collect(),
        });
        if several {
            tables.push(Table {
                id: "gpu_by_rank",
                title: "The same by rank",
                columns: statistics_columns(job.rank_columns()),
                rows: by_rank(job, ranks, |part| &part.gpu, statistics_cells),
            });
        }
    }
    if ranks.iter().any(|rank| !rank.part.kernels.is_empty()) {
        tables.push(kernels_by_annotation(ranks));
    }
    if job.options.details {
        tables.push(activities(job, ranks));
    }
    tables
}

fn by_rank(
    job: &Job,
    ranks: &[&Rank<'_, Part>],
    rows: impl Fn(&Part) -> &[Row],
    cells: impl Fn(&[Value], &Row) -> Vec<Value>,
) -> Vec<Vec<Value>> {
    let mut all = Vec::new();
    for rank in ranks {
        let leading = job.rank_cells(rank);
        all.extend(rows(rank.part).iter().map(|row| cells(&leading, row)));
    }
    all
}

fn statistics_columns(leading: Vec<Column>) -> Vec<Column> {
    let range = Column::new("annotation", "Range", Unit::None);
    leading.into_iter().chain([range]).chain(Statistics::COLUMNS).collect()
}

fn statistics_cells(leading: &[Value], row: &Row) -> Vec<Value> {
    let times = row.statistics.cells("none starts in the selection", "fewer than two");
    leading.iter().cloned().chain([row.name.as_str().into()]).chain(times).collect()
}

fn host_columns(leading: Vec<Column>) -> Vec<Column> {
    let mut columns = statistics_columns(leading);
    columns.push(Column::new("gpu_busy_ns", "GPU busy", Unit::Nanoseconds));
    columns.push(Column::new("activities", "GPU activities", Unit::Count));
    columns
}

fn host_cells(job: &Job, leading: &[Value], row: &Row) -> Vec<Value> {
    let gpu = |value: Value| {
        if job.recorded_gpu { value } else { Value::Missing("no GPU activity recorded") }
    };
    let mut cells = statistics_cells(leading, row);
    cells.push(gpu(row.gpu_busy.into()));
    cells.push(gpu(row.activities.into()));
    cells
}

fn label_cells(label: Option<&Label>) -> [Value; 2] {
    match label {
        Some((side, name)) => [name.as_str().into(), side.id().into()],
        None => [Value::Missing("in no range"), Value::Missing("in no range")],
    }
}

fn kernels_by_annotation(ranks: &[&Rank<'_, Part>]) -> Table {
    let rows = measure::kernels_over_ranks(ranks.iter().flat_map(|rank| &rank.part.kernels));
    let cells = |row: &KernelRow| {
        let [annotation, side] = label_cells(row.label.as_ref());
        vec![annotation, side, row.kernel.as_str().into(), row.calls.into(), row.total.into()]
    };
    Table {
        id: "kernels_by_annotation",
        title: "GPU activities by innermost range and name; top 1000 rows per rank",
        columns: vec![
            Column::new("annotation", "Range", Unit::None),
            Column::new("side", "Drawn on", Unit::None),
            Column::new("name", "Name", Unit::None),
            Column::new("calls", "Calls", Unit::Count),
            Column::new("total_ns", "Total", Unit::Nanoseconds),
        ],
        rows: rows.iter().map(cells).collect(),
    }
}

fn activities(job: &Job, ranks: &[&Rank<'_, Part>]) -> Table {
    let own = [
        Column::new("name", "Name", Unit::None),
        Column::new("stream", "Stream", Unit::None),
        Column::new("start_ns", "Start", Unit::Nanoseconds),
        Column::new("duration_ns", "Duration", Unit::Nanoseconds),
        Column::new("annotation", "Range", Unit::None),
        Column::new("side", "Drawn on", Unit::None),
    ];
    let mut rows = Vec::new();
    for rank in ranks {
        let zero = rank.extent.map_or(Ns::ZERO, |extent| extent.start);
        for activity in &rank.part.activities {
            let stream = activity.stream.get().map_or(Value::Missing("not recorded"), Value::from);
            let [annotation, side] = label_cells(activity.label.as_ref());
            let own = [
                activity.kernel.as_str().into(),
                stream,
                (activity.interval.start - zero).into(),
                activity.interval.length().into(),
                annotation,
                side,
            ];
            rows.push(job.rank_cells(rank).into_iter().chain(own).collect());
        }
    }
    Table {
        id: "activities",
        title: "Every GPU activity with its innermost range",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}
