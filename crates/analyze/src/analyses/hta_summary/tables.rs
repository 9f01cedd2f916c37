//! The tables of the summary.

use std::collections::BTreeMap;

use eaves_model::Ns;

use super::part::Part;
use crate::analyses::{Rank, kernels};
use crate::section::{Column, Table, Unit, Value};
use crate::{Breakdown, Job, KernelType, Statistics};

/// As many kernels as HTA's users are used to see; the section `kernels` has all.
const TOP_KERNELS: usize = 20;

/// Every table that has rows.
pub(super) fn all(job: &Job, ranks: &[&Rank<'_, Part>]) -> Vec<Table> {
    let tables = [by_rank(job, ranks), top_kernels(ranks), launches(job, ranks), collectives(ranks)];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn by_rank(job: &Job, ranks: &[&Rank<'_, Part>]) -> Table {
    let own = [
        Column::new("span_ns", "GPU span", Unit::Nanoseconds),
        Column::new("compute_pct", "Compute of span", Unit::Percent),
        Column::new("exposed_comm_pct", "Exposed communication, of span", Unit::Percent),
        Column::new("exposed_memory_pct", "Exposed memory, of span", Unit::Percent),
        Column::new("idle_pct", "Idle of span", Unit::Percent),
        Column::new("all_comm_pct", "Communication, of span", Unit::Percent),
        Column::new("all_memory_pct", "Memory, of span", Unit::Percent),
    ];
    let row = |rank: &&Rank<'_, Part>| {
        let span = rank.span.map_or(Ns::ZERO, |span| span.length());
        let breakdown = Breakdown::from_times(&rank.times, span);
        let shares = [
            breakdown.compute,
            breakdown.exposed_communication,
            breakdown.exposed_memory,
            breakdown.idle(),
            rank.times.total(KernelType::Communication),
            rank.times.total(KernelType::Memory),
        ]
        .map(|time| Value::percent(time.0, span.0));
        job.rank_cells(rank).into_iter().chain([span.into()]).chain(shares).collect()
    };
    Table {
        id: "by_rank",
        title: "GPU span by rank: compute, exposed communication, exposed memory and idle add up to 100%",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows: ranks.iter().map(row).collect(),
    }
}

fn top_kernels(ranks: &[&Rank<'_, Part>]) -> Table {
    let rows = kernels::over_ranks(ranks.iter().map(|rank| rank.part.kernels.as_slice()));
    let total = kernels::sum(&rows);
    Table {
        id: "top_kernels",
        title: "Top GPU activities, shares of their summed duration",
        columns: kernels::columns(Vec::new()),
        rows: rows.iter().take(TOP_KERNELS).map(|row| kernels::cells(&[], row, total)).collect(),
    }
}

fn launches(job: &Job, ranks: &[&Rank<'_, Part>]) -> Table {
    let own = [
        Column::new("kernels", "Kernels", Unit::Count),
        Column::new("launched", "With their launch", Unit::Count),
        Column::new("calls", "Launching calls", Unit::Count),
        Column::new("mean_kernel_ns", "Mean kernel", Unit::Nanoseconds),
        Column::new("mean_call_ns", "Mean call", Unit::Nanoseconds),
        Column::new("mean_delay_ns", "Mean launch delay", Unit::Nanoseconds),
        Column::new("short_kernels", "Shorter than call", Unit::Count),
    ];
    let row = |rank: &&Rank<'_, Part>| {
        const NO_CALL: &str = "launching call not recorded";
        let launches = &rank.part.launches;
        let mean =
            |statistics: &Statistics, reason| statistics.mean().map_or(Value::Missing(reason), Value::Float);
        let short = if launches.launched == 0 { Value::Missing(NO_CALL) } else { launches.short.into() };
        let cells = [
            launches.kernels.into(),
            launches.launched.into(),
            launches.calls.count().into(),
            mean(&launches.durations, "no kernel ran"),
            mean(&launches.calls, NO_CALL),
            mean(&launches.delays, NO_CALL),
            short,
        ];
        job.rank_cells(rank).into_iter().chain(cells).collect()
    };
    Table {
        id: "launches",
        title: "Kernels by launching call; the delay runs from the end of the call to the start of the kernel",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows: ranks.iter().map(row).collect(),
    }
}

fn collectives(ranks: &[&Rank<'_, Part>]) -> Table {
    let mut merged: BTreeMap<&str, Statistics> = BTreeMap::new();
    for (name, statistics) in ranks.iter().flat_map(|rank| &rank.part.collectives) {
        merged.entry(name).or_default().merge(statistics);
    }
    let mut rows: Vec<(&str, Statistics)> = merged.into_iter().collect();
    rows.sort_by_key(|(name, statistics)| (std::cmp::Reverse(statistics.total()), *name));
    let total: Ns = rows.iter().map(|(_, statistics)| statistics.total()).sum();
    let row = |(name, statistics): &(&str, Statistics)| {
        vec![
            (*name).into(),
            statistics.count().into(),
            statistics.total().into(),
            statistics.mean().map_or(Value::Missing("no calls"), Value::Float),
            Value::percent(statistics.total().0, total.0),
        ]
    };
    Table {
        id: "collectives",
        title: "Communication by collective, shares of summed communication kernel duration",
        columns: vec![
            Column::new("name", "Collective", Unit::None),
            Column::new("calls", "Calls", Unit::Count),
            Column::new("total_ns", "Total", Unit::Nanoseconds),
            Column::new("mean_ns", "Mean", Unit::Nanoseconds),
            Column::new("share_pct", "Of communication", Unit::Percent),
        ],
        rows: rows.iter().map(row).collect(),
    }
}
