//! The numbers and tables of the section.

use std::cmp::Reverse;

use eaves_model::{Interval, Ns};

use super::cause::Cause;
use super::part::{Part, Place};
use crate::analyses::Rank;
use crate::section::{Column, Number, Table, Unit, Value};
use crate::{Job, RankSummary};

/// The GPU span of a rank.
pub(super) fn span(rank: &RankSummary) -> Ns {
    rank.span.map_or(Ns::ZERO, Interval::length)
}

fn idle(rank: &RankSummary) -> Ns {
    span(rank) - rank.times.busy()
}

pub(super) fn numbers(rank: &Rank<'_, Part>) -> Vec<Number> {
    let number = |id, value, unit, explain| Number::formula(id, value, unit, explain).of_rank(rank.rank);
    let totals = Cause::ALL.iter().zip(&rank.part.totals);
    let waiting: Ns = totals.filter(|(cause, _)| cause.is_host()).map(|(_, total)| total.time).sum();
    vec![
        number(
            "idle_gaps",
            rank.part.gaps.into(),
            Unit::Count,
            "gaps inside the GPU span without any GPU activity",
        ),
        number(
            "host_wait_ns",
            waiting.into(),
            Unit::Nanoseconds,
            "idle time in gaps that began before the launch of the activity that ended them: the GPU waited for \
            the host",
        ),
        number(
            "host_wait_share_pct",
            Value::percent(waiting.0, span(rank).0),
            Unit::Percent,
            "this time, share of the GPU span",
        ),
    ]
}

pub(super) fn tables(job: &Job, ranks: &[&Rank<'_, Part>]) -> Vec<Table> {
    let mut tables = vec![by_cause(job, ranks), by_name(job, ranks)];
    tables.retain(|table| !table.rows.is_empty());
    if ranks.iter().any(|rank| !rank.part.places.is_empty()) {
        tables.push(synchronising_calls(job, ranks));
    }
    if job.options.details {
        tables.push(by_gap(job, ranks));
    }
    tables
}

/// Rows of all ranks, those with most time first.
fn table(
    job: &Job,
    id: &'static str,
    title: &'static str,
    own: &[Column],
    mut rows: Vec<(Reverse<Ns>, Vec<Value>)>,
) -> Table {
    rows.sort_by_key(|(time, _)| *time);
    Table {
        id,
        title,
        columns: job.rank_columns().into_iter().chain(own.iter().copied()).collect(),
        rows: rows.into_iter().map(|(_, cells)| cells).collect(),
    }
}

fn row(job: &Job, rank: &RankSummary, cells: impl IntoIterator<Item = Value>) -> Vec<Value> {
    job.rank_cells(rank).into_iter().chain(cells).collect()
}

const LEAD_IN: Column = Column::new("lead_in_ns", "Lead-in", Unit::Nanoseconds);

fn by_cause(job: &Job, ranks: &[&Rank<'_, Part>]) -> Table {
    let mut rows = Vec::new();
    for rank in ranks {
        let causes = Cause::ALL.iter().zip(&rank.part.totals).filter(|(_, total)| total.all() > Ns::ZERO);
        rows.extend(causes.map(|(cause, total)| {
            let cells = [
                cause.id().into(),
                total.time.into(),
                Value::percent(total.time.0, idle(rank).0),
                Value::percent(total.time.0, span(rank).0),
                total.gaps.into(),
                total.longest.into(),
                total.lead_in.into(),
            ];
            (Reverse(total.time), row(job, rank, cells))
        }));
    }
    let columns = [
        Column::new("cause", "Cause", Unit::None),
        Column::new("time_ns", "Idle", Unit::Nanoseconds),
        Column::new("idle_pct", "Of idle time", Unit::Percent),
        Column::new("span_pct", "Of GPU span", Unit::Percent),
        Column::new("gaps", "Gaps", Unit::Count),
        Column::new("longest_ns", "Max per gap", Unit::Nanoseconds),
        LEAD_IN,
    ];
    table(
        job,
        "by_cause",
        "Idle time by activity of the launching thread, every instant counted once",
        &columns,
        rows,
    )
}

fn by_name(job: &Job, ranks: &[&Rank<'_, Part>]) -> Table {
    let mut rows = Vec::new();
    for rank in ranks {
        rows.extend(rank.part.names.iter().map(|name| {
            let cells = [
                name.cause.id().into(),
                name.name.as_str().into(),
                name.time.into(),
                Value::percent(name.time.0, idle(rank).0),
                name.lead_in.into(),
            ];
            (Reverse(name.time), row(job, rank, cells))
        }));
    }
    let columns = [
        Column::new("cause", "Cause", Unit::None),
        Column::new("name", "Name", Unit::None),
        Column::new("time_ns", "Idle", Unit::Nanoseconds),
        Column::new("idle_pct", "Of idle time", Unit::Percent),
        LEAD_IN,
    ];
    table(job, "by_name", "Largest items of each cause, shares of idle time", &columns, rows)
}

fn synchronising_calls(job: &Job, ranks: &[&Rank<'_, Part>]) -> Table {
    let text = |text: &Option<String>, reason| text.as_deref().map_or(Value::Missing(reason), Value::from);
    let cells = |place: &Place| {
        [
            place.call.as_str().into(),
            text(&place.line, "no Python frames around it; `with_stack=True` records them"),
            text(&place.operator, "no operator around it"),
            place.gaps.into(),
            place.time.into(),
            place.after.into(),
        ]
    };
    let mut rows = Vec::new();
    for rank in ranks {
        let places = rank.part.places.iter();
        rows.extend(places.map(|place| (Reverse(place.time + place.after), row(job, rank, cells(place)))));
    }
    let columns = [
        Column::new("name", "Call", Unit::None),
        Column::new("python", "Python line", Unit::None),
        Column::new("operator", "Operator", Unit::None),
        Column::new("gaps", "Gaps begun", Unit::Count),
        Column::new("time_ns", "Idle inside", Unit::Nanoseconds),
        Column::new("after_ns", "Idle after", Unit::Nanoseconds),
    ];
    table(
        job,
        "synchronising_calls",
        "Synchronizing calls that drained the device, by caller",
        &columns,
        rows,
    )
}

fn by_gap(job: &Job, ranks: &[&Rank<'_, Part>]) -> Table {
    let text = |text: &Option<String>, reason| text.as_deref().map_or(Value::Missing(reason), Value::from);
    let mut rows = Vec::new();
    for rank in ranks {
        let zero = rank.extent.map_or(Ns::ZERO, |extent| extent.start);
        rows.extend(rank.part.details.iter().map(|gap| {
            let cells = [
                (gap.interval.start - zero).into(),
                gap.interval.length().into(),
                gap.cause.id().into(),
                text(&gap.what, "no such item"),
                text(&gap.ended_by, "nothing"),
            ];
            row(job, rank, cells)
        }));
    }
    let own = [
        Column::new("start_ns", "Start", Unit::Nanoseconds),
        Column::new("length_ns", "Length", Unit::Nanoseconds),
        Column::new("cause", "Main cause", Unit::None),
        Column::new("what", "Largest item", Unit::None),
        Column::new("ended_by", "Ended by", Unit::None),
    ];
    Table {
        id: "by_gap",
        title: "Every gap, in time order",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}
