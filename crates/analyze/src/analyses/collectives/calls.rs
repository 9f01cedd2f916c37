//! Every call with how its time divides.

use std::sync::Arc;

use super::super::Rank;
use super::tables::{PARTS, SUBJECT, subject};
use crate::Job;
use crate::collectives::{Call, Calls, Divided, divided_calls};
use crate::section::{Column, Table, Unit, Value};

/// A row for each call that is selected whole.
pub(super) fn table(job: &Job, ranks: &[Rank<'_, Arc<Calls>>]) -> Table {
    let own = [
        Column::new("step", "Step", Unit::None),
        Column::new("sequence", "Sequence number", Unit::None),
        Column::new("start_ns", "Start", Unit::Nanoseconds),
        Column::new("duration_ns", "Duration", Unit::Nanoseconds),
        Column::new("last_rank", "Came last", Unit::None),
    ];
    let calls: Vec<&Calls> = ranks.iter().map(|rank| rank.part.as_ref()).collect();
    let cells = |divided: &Divided<'_>| {
        let rank = &ranks[divided.rank];
        let row = &rank.part.rows[divided.call.row as usize];
        let bytes = match (row.bytes, row.one_size()) {
            (Err(reason), _) => Value::Missing(reason),
            (Ok(_), Some(size)) => Value::Integer(size),
            (Ok(_), None) => Value::Missing("the sizes of the calls differ"),
        };
        job.rank_cells(rank)
            .into_iter()
            .chain(subject(rank.part.group_of(row), row, bytes))
            .chain(call_cells(ranks, divided))
            .collect()
    };
    Table {
        id: "calls",
        title: "Every collective of every rank, with its time breakdown",
        columns: job.rank_columns().into_iter().chain(SUBJECT).chain(own).chain(PARTS).collect(),
        rows: divided_calls(&calls).iter().map(cells).collect(),
    }
}

fn call_cells(ranks: &[Rank<'_, Arc<Calls>>], divided: &Divided<'_>) -> [Value; 10] {
    const NOT_MATCHED: &str = "no matching call on another rank";
    let (call, split) = (divided.call, divided.split);
    let matched = |value: Value| match divided.last {
        Some(_) => value,
        None => Value::Missing(NOT_MATCHED),
    };
    [
        match call.step {
            Call::NO_STEP => Value::Missing("outside profiler steps"),
            step => Value::Integer(i64::from(step)),
        },
        call.sequence.get().map_or(Value::Missing("not recorded"), Value::Integer),
        call.start.into(),
        call.duration.into(),
        divided.last.map_or(Value::Missing(NOT_MATCHED), |last| Value::Integer(ranks[last].rank)),
        matched(split.transfer.into()),
        matched(split.wait.into()),
        matched(split.launch_skew.into()),
        split.unknown.into(),
        divided.rule.text().into(),
    ]
}
