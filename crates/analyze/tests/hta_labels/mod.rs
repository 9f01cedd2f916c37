//! Comparison with HTA 0.6.1: what GPU work belongs to annotations, operators, kernels and counters.
//!
//! The traces are those HTA sees (last step dropped), the numbers are those of the report or of the functions under it,
//! to the nanosecond.
//!
//! Where we differ on purpose, and how the comparison sees to it:
//!
//! | HTA | here |
//! |---|---|
//! | synchronization records count as kernels in the call graph and in sequences | counted as such on both sides |
//! | operators that launch Triton kernels carry a stream, so they count as kernels and not as host events | sums with their time added; no host events on both sides |
//! | nothing on stream 0 is linked to its launch, so AMD has an empty call graph (D8) | skipped on both sides |
//! | `kernel_span` and `last_kernel_end` mix two clocks (D6) | the `*_fixed` columns |
//! | the backward thread hangs below steps and `## backward ##` | these and what is around them are not compared |
//! | where two slices cross, the wrong one is closed | their names are not compared |
//! | sequences of an operator at its smallest depth of call only | deeper calls are hidden from us |
//! | touching ranges and activities overlap or not as floats are rounded | at most 5 activities, each checked to touch |
//! | every `ProfilerStep#N` is a name | sums and extremes of all |

mod annotations;
mod call_graph;
mod counters;
mod sequences;

use crate::common;
use crate::common::golden;
use crate::common::hta as reference;
use crate::common::sections::integer;
use std::collections::HashMap;

use self::annotations::{check_annotations, check_attribution, check_kernels};
use self::call_graph::check_call_graph;

use self::counters::check_counters;
use self::sequences::check_sequences;
use crate::common::checks::{Checks, CsvRow, microseconds, read_csv};
use crate::common::hta::Case;
use eaves_analyze::section::{Section, Table, Value};
use eaves_analyze::{HostTree, Options, Outcome, RankView, report};
use eaves_model::{Ns, Run, Trace};

/// HTA adds up floats.
const FLOAT_ERROR: f64 = 1e-5;

struct Loaded<'a> {
    case: &'a Case,
    run: Run,
    outcomes: Vec<Outcome>,
}

impl Loaded<'_> {
    fn section(&self, id: &str) -> Option<&Section> {
        self.outcomes.iter().find(|outcome| outcome.id() == id)?.section()
    }

    /// A reference table, if HTA made it.
    fn reference(&self, file: &str) -> Option<Vec<CsvRow>> {
        read_csv(&self.case.output(file)?)
    }

    fn trace(&self, rank: i64) -> &Trace {
        &self.run.recordings.iter().find(|recording| recording.rank == rank).unwrap().trace
    }
}

fn number(row: &CsvRow, column: &str) -> f64 {
    row[column].parse().unwrap_or(f64::NAN)
}

/// The rows of a table as maps, with the rank of the only recording where the table has no ranks.
fn rows(loaded: &Loaded<'_>, table: &Table) -> Vec<HashMap<&'static str, Value>> {
    let only = loaded.run.recordings[0].rank;
    let map = |row: &Vec<Value>| {
        let mut map: HashMap<&'static str, Value> =
            table.columns.iter().map(|column| column.id).zip(row.iter().cloned()).collect();
        map.entry("rank").or_insert(Value::Integer(only));
        map
    };
    table.rows.iter().map(map).collect()
}

/// The rows of the table by rank if there is one, else of the table itself.
fn rows_by_rank(
    loaded: &Loaded<'_>,
    section: &str,
    table: &str,
    by_rank: &str,
) -> Vec<HashMap<&'static str, Value>> {
    let Some(section) = loaded.section(section) else { return Vec::new() };
    let find = |id: &str| section.tables.iter().find(|table| table.id == id);
    find(by_rank).or_else(|| find(table)).map_or_else(Vec::new, |table| rows(loaded, table))
}

fn text(value: &Value) -> &str {
    match value {
        Value::Text(text) => text,
        Value::Missing(_) => "",
        other => panic!("a text was expected, not {other:?}"),
    }
}

/// A time of ours in microseconds; HTA writes 0 where there is no deviation.
fn us(value: &Value) -> f64 {
    match value {
        Value::Integer(time) => microseconds(Ns(*time)),
        Value::Float(time) => time / 1000.0,
        Value::Missing(_) => 0.0,
        Value::Text(_) => f64::NAN,
    }
}

#[test]
fn labels_agree_with_hta() {
    let Some(cases) = reference::all_cases() else { return };
    let mut checks = Checks::default();
    let mut edges = 0;
    for case in &cases {
        let run = case.load();
        let outcomes = report(&run, &Options::default().with_details(true)).unwrap();
        let loaded = Loaded { case, run, outcomes };
        check_annotations(&mut checks, &loaded);
        edges += check_attribution(&mut checks, &loaded);
        if !case.rounded {
            // Rounded, some take less than no time; `hta.rs` compares that.
            check_kernels(&mut checks, &loaded);
        }
        check_counters(&mut checks, &loaded);
        check_sequences(&mut checks, &loaded);
        check_call_graph(&mut checks, &loaded);
    }
    checks.finish();
    golden::answer("hta_labels");
    println!("{edges} activities touch a range");
    assert!(edges <= 5);
    // What the data held when this was written; less means that something was not looked at.
    let least = [
        ("attribution", 25_000),
        ("by operator", 14_000),
        ("calls", 100_000),
        ("counters", 840),
        ("gpu annotations", 154),
        ("host annotations", 2_100),
        ("kernels", 7_600),
        ("sequences", 150),
    ];
    for (what, least) in least {
        assert!(checks.count(what) >= least, "{what}: {}", checks.count(what));
    }
}

/// MTIA has kinds of events of its own. Its trace is in the reference with times rounded to microseconds only, which
/// makes every duration shorter, by less than two.
#[test]
fn mtia_is_a_gpu_too() {
    let Some(root) = common::data("hta") else { return };
    let case = Case {
        name: "hta_mtia_train".to_owned(),
        traces: root.join("traces/hta_mtia_train"),
        outputs: root.join("hta_mtia_train"),
        rounded: false,
    };
    let run = case.load();
    let outcomes = report(&run, &Options::default()).unwrap();
    let loaded = Loaded { case: &case, run, outcomes };
    let trace = loaded.trace(0);
    let options = Options::default();
    let rank = RankView::new(trace, &options);

    let summary = loaded.reference("events_summary_rank0.csv").unwrap();
    let events = |category: &str, column: &str| -> usize {
        let rows = summary.iter().filter(|row| row["cat"] == category);
        rows.map(|row| row[column].parse::<usize>().unwrap()).sum()
    };
    assert_eq!(rank.gpu.len(), events("mtia_ccp_events", "count"));
    assert_eq!(trace.runtime.len(), events("mtia_runtime", "count"));
    assert_eq!(rank.operators().len(), events("cpu_op", "count"));
    assert_eq!(rank.gpu.len() - rank.links().unlinked(), events("mtia_ccp_events", "linked"));
    let steps = loaded.reference("profiler_steps.csv").unwrap();
    let steps: Vec<u64> = steps.iter().map(|row| row["step"].parse().unwrap()).collect();
    assert_eq!(trace.steps().into_iter().map(|(number, _)| number).collect::<Vec<_>>(), steps);

    let ours = rows_by_rank(&loaded, "annotations", "host", "host_by_rank");
    let theirs = loaded.reference("cpu_user_annotation_breakdown.csv").unwrap();
    for row in theirs.iter().filter(|row| !row["name"].starts_with("ProfilerStep#")) {
        let found = ours.iter().find(|own| text(&own["annotation"]) == row["name"]).unwrap();
        let lost = us(&found["total_ns"]) - number(row, "sum (us)");
        assert!((0.0..2.0 * integer(&found["calls"]) as f64).contains(&lost), "{}: {lost}", row["name"]);
    }
    assert_eq!(ours.len(), theirs.len());

    // Everything whose launch is known was launched in the step and by operators.
    let step = ours.iter().find(|row| text(&row["annotation"]) == "ProfilerStep#*").unwrap();
    assert_eq!(integer(&step["activities"]) as usize, events("mtia_ccp_events", "linked"));
    let operators = HostTree::gpu_work(rank.operators(), rank.links(), &rank.gpu);
    let launched: u64 = operators.iter().map(|work| work.activities).sum();
    assert_eq!(launched as usize, events("mtia_ccp_events", "linked"));
    assert!(!rows_by_rank(&loaded, "call-tree", "by_operator", "by_rank_and_operator").is_empty());
    assert!(!rows_by_rank(&loaded, "kernel-sequences", "by_sequence", "by_rank_and_sequence").is_empty());
}
