//! Which kernels each operator launches, how long it takes to the first launch, and how long that one waits.

use std::cmp::Reverse;
use std::collections::HashMap;

use eaves_model::{Ns, SliceId, StringId, operator_above};
use serde::{Deserialize, Serialize};

use super::{Analyse, Rank, Shown, missing};
use crate::section::{Column, Number, Section, Skipped, Table, Unit, Value};
use crate::{Job, Outcome, RankSummary, RankView, Statistics};

pub(super) struct OpDelays;

/// What stays of a rank.
#[derive(Default, Deserialize, Serialize)]
pub(super) struct Part {
    /// Most calls first.
    rows: Vec<Row>,
    /// Launched activities.
    activities: u64,
    /// Those of them that no operator stands around.
    without_op: u64,
}

/// The calls of one operator that launch the same sequence of activities.
#[derive(Deserialize, Serialize)]
struct Row {
    op: String,
    sequence: String,
    activities: u64,
    /// From the beginning of the operator to that of its first launch.
    to_launch: Statistics,
    /// From there to the start of the first activity of this launch.
    to_start: Statistics,
}

impl Analyse for OpDelays {
    const ID: &'static str = "op-delays";
    const SHOWN: Shown = Shown::WhenAsked;
    type Part = Part;

    fn measure(rank: &RankView<'_>) -> Part {
        measured(rank)
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Part>]) -> Outcome {
        let ranks: Vec<(&RankSummary, &Part)> = ranks
            .iter()
            .filter(|rank| rank.part.activities > 0)
            .map(|rank| (rank.summary, rank.part))
            .collect();
        if ranks.is_empty() {
            return missing::launches(job, Self::ID);
        }
        if ranks.iter().all(|(_, part)| part.rows.is_empty()) {
            return Outcome::Skipped(Skipped {
                id: Self::ID,
                missing: "operators: none encloses a launch".to_owned(),
                how_to_record: job.recorder.advice(
                    "operators",
                    "record operators too: `ProfilerActivity.CPU` among the activities of \
                                `torch.profiler.profile`",
                ),
            });
        }
        Outcome::Section(Section {
            id: Self::ID,
            title: "Launch delays by operator",
            numbers: ranks.iter().flat_map(|(rank, part)| numbers(rank.rank, part)).collect(),
            tables: vec![by_op(job, &ranks)],
            charts: Vec::new(),
            findings: Vec::new(),
        })
    }
}

/// An activity, in the order in which an operator launched it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Launched {
    op: SliceId,
    /// When its call began.
    launch: Ns,
    call: SliceId,
    start: Ns,
    name: StringId,
}

/// The operator of a launch is the innermost one around the call, on the call's own thread.
fn measured(rank: &RankView<'_>) -> Part {
    let (trace, links) = (rank.trace, rank.links());
    let slices = &trace.slices;
    let mut part = Part::default();
    let mut launched: Vec<Launched> = Vec::new();
    // The activities of a graph share a call.
    let mut last: Option<(SliceId, Option<SliceId>)> = None;
    for activity in trace.gpu_activities() {
        let Some(call) = links.launch(activity) else { continue };
        let launch = slices.start[call.index()];
        if !rank.selects(launch) {
            continue;
        }
        part.activities += 1;
        let op = match last {
            Some((last, op)) if last == call => op,
            _ => operator_above(trace, rank.tree(), call),
        };
        last = Some((call, op));
        let Some(op) = op else {
            part.without_op += 1;
            continue;
        };
        let slice = trace.gpu.slice[activity.index()].index();
        launched.push(Launched { op, launch, call, start: slices.start[slice], name: slices.name[slice] });
    }
    launched.sort();
    part.rows = rows(rank, &launched);
    part
}

/// A row for each operator and sequence, from activities in order.
fn rows(rank: &RankView<'_>, launched: &[Launched]) -> Vec<Row> {
    let (strings, slices) = (&rank.trace.strings, &rank.trace.slices);
    let mut rows: Vec<Row> = Vec::new();
    // By the name of the operator and the names behind it.
    let mut by_names: HashMap<Vec<StringId>, usize> = HashMap::new();
    let mut names = Vec::new();
    for of_op in launched.chunk_by(|left, right| left.op == right.op) {
        let (op, first) = (of_op[0].op, of_op[0]);
        names.clear();
        names.push(slices.name[op.index()]);
        names.extend(of_op.iter().map(|launched| launched.name));
        let index = by_names.get(names.as_slice()).copied().unwrap_or_else(|| {
            by_names.insert(names.clone(), rows.len());
            rows.push(Row {
                op: strings.get(names[0]).to_owned(),
                sequence: sequence(names[1..].iter().map(|&name| strings.get(name))),
                activities: of_op.len() as u64,
                to_launch: Statistics::default(),
                to_start: Statistics::default(),
            });
            rows.len() - 1
        });
        let row = &mut rows[index];
        row.to_launch.add(first.launch - slices.start[op.index()]);
        // Clocks of host and device may disagree a little.
        row.to_start.add((first.start - first.launch).max(Ns::ZERO));
    }
    let key = |row: &Row| Reverse(row.to_launch.count());
    rows.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| (&a.op, &a.sequence).cmp(&(&b.op, &b.sequence))));
    rows
}

/// Names of a sequence that are written out. A graph may have thousands, of which nobody reads more.
const SHOWN: usize = 16;

fn sequence<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let left_out = names.len().saturating_sub(SHOWN);
    let mut text = names.take(SHOWN).collect::<Vec<_>>().join(" -> ");
    if left_out > 0 {
        text.push_str(&format!(" -> and {left_out} more"));
    }
    text
}

fn numbers(rank: i64, part: &Part) -> Vec<Number> {
    let number =
        |id, value: u64, explain| Number::counter(id, value.into(), Unit::Count, explain).of_rank(rank);
    let calls = part.rows.iter().map(|row| row.to_launch.count()).sum();
    vec![
        number("op_calls", calls, "operator calls that launched GPU activities directly"),
        number("activities", part.activities, "GPU activities with a recorded launch in the selection"),
        number("without_op", part.without_op, "of these, launched outside any operator"),
    ]
}

fn by_op(job: &Job, ranks: &[(&RankSummary, &Part)]) -> Table {
    let own = [
        Column::new("name", "Operator", Unit::None),
        Column::new("calls", "Calls", Unit::Count),
        Column::new("to_launch_mean_ns", "To first launch", Unit::Nanoseconds),
        Column::new("to_start_mean_ns", "Launch to GPU", Unit::Nanoseconds),
        Column::new("activities", "Activities", Unit::Count),
        Column::new("sequence", "Sequence", Unit::None),
    ];
    let mean = |statistics: &Statistics| statistics.mean().map_or(Value::Missing("no calls"), Value::Float);
    let mut rows = Vec::new();
    for (rank, part) in ranks {
        for row in &part.rows {
            let own = [
                row.op.as_str().into(),
                row.to_launch.count().into(),
                mean(&row.to_launch),
                mean(&row.to_start),
                row.activities.into(),
                row.sequence.as_str().into(),
            ];
            rows.push(job.rank_cells(rank).into_iter().chain(own).collect());
        }
    }
    Table {
        id: "by_op",
        title: "Operators by launched activity sequence, with the mean time from the operator's start to its \
            first launch, and from there to the start on the GPU",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Selection;
    use crate::test_trace::{
        TestTrace, analyse, column, column_ids, integers, number, run_of, section_of, texts,
    };

    fn trace() -> TestTrace {
        let mut test = TestTrace::default();
        test.op("aten::linear", 0, 100)
            .op("aten::addmm", 10, 90)
            .launch(1, 30, 40)
            .launch(2, 50, 60)
            .kernel("second", 2, 300, 310)
            .kernel("first", 1, 200, 300)
            .op("aten::addmm", 1_000, 1_090)
            .launch(3, 1_010, 1_020)
            .launch(4, 1_030, 1_040)
            .kernel("first", 3, 1_050, 1_060)
            .kernel("second", 4, 1_060, 1_070)
            .op("aten::addmm", 2_000, 2_090)
            .runtime_call("hipExtModuleLaunchKernel", 5, 2_005, 2_010)
            // Clocks that disagree.
            .kernel("first", 5, 2_004, 2_020)
            .op_elsewhere("aten::elsewhere", 2_900, 3_900)
            .launch(6, 3_000, 3_010)
            .kernel("alone", 6, 3_020, 3_030)
            .kernel("unlinked", 7, 4_000, 4_010);
        test
    }

    #[test]
    fn the_innermost_operator_of_the_thread_launches() {
        let section = section_of(&run_of(vec![trace()]), "op-delays");
        let of = |id| column(&section, "by_op", id);
        assert_eq!(of("name"), texts(["aten::addmm", "aten::addmm"]));
        assert_eq!(of("sequence"), texts(["first -> second", "first"]));
        assert_eq!(of("calls"), integers([2, 1]));
        assert_eq!(of("activities"), integers([2, 1]));
        // 30 - 10 and 1010 - 1000; 200 - 30 and 1050 - 1010.
        assert_eq!(of("to_launch_mean_ns"), [15.0, 5.0].map(Value::Float));
        assert_eq!(of("to_start_mean_ns"), [105.0, 0.0].map(Value::Float));
        assert_eq!(column_ids(&section, "by_op").len(), 7);
        let numbers = ["op_calls", "activities", "without_op"].map(|id| number(&section, id, Some(0)));
        assert_eq!(numbers.to_vec(), integers([3, 6, 1]));
    }

    #[test]
    fn long_sequences_are_cut() {
        assert_eq!(sequence(["a"].into_iter()), "a");
        let many = sequence(std::iter::repeat_n("k", 20));
        assert!(many.ends_with("k -> and 4 more") && many.matches("->").count() == 16, "{many}");
    }

    #[test]
    fn what_is_missing_is_said() {
        let mut test = TestTrace::default();
        test.kernel("alone", 1, 0, 10);
        let outcome = analyse(&run_of(vec![test]), "op-delays", Selection::default());
        assert!(matches!(outcome, Outcome::Skipped(skipped) if skipped.missing.starts_with("launches")));
        let mut test = TestTrace::default();
        test.launch(1, 0, 5).kernel("alone", 1, 5, 10);
        let outcome = analyse(&run_of(vec![test]), "op-delays", Selection::default());
        assert!(matches!(outcome, Outcome::Skipped(skipped) if skipped.missing.starts_with("operators")));
    }
}
