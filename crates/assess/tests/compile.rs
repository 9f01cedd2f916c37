//! Sections on logs of `torch.compile`: hand calculations on small logs, and the samples where they are.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

use eaves_assess::compile::{SECTIONS, compare, phases, sections};
use eaves_ingest::{Options, read_compile_log, read_compile_logs};
use eaves_model::Ns;
use eaves_model::compile::{CompileLog, CompileTimes};
use eaves_section::{Outcome, Section, Table, Value};
use eaves_testing::data;
use proptest::prelude::*;

fn sample(name: &str) -> Option<Vec<CompileLog>> {
    let path = data("torch/compile")?.join(name);
    Some(read_compile_logs(&[path], &Options::default()).unwrap())
}

fn section<'a>(outcomes: &'a [Outcome], id: &str) -> &'a Section {
    outcomes.iter().find(|outcome| outcome.id() == id).unwrap().section().unwrap()
}

fn number(section: &Section, id: &str) -> Value {
    section.numbers.iter().find(|number| number.id == id).unwrap().value.clone()
}

fn table<'a>(section: &'a Section, id: &str) -> &'a Table {
    section.tables.iter().find(|table| table.id == id).unwrap()
}

fn column(table: &Table, id: &str) -> Vec<Value> {
    let at = table.columns.iter().position(|column| column.id == id).unwrap();
    table.rows.iter().map(|row| row[at].clone()).collect()
}

fn texts(values: &[&str]) -> Vec<Value> {
    values.iter().map(|text| Value::from(*text)).collect()
}

fn integers(values: &[i64]) -> Vec<Value> {
    values.iter().map(|number| Value::from(*number)).collect()
}

#[test]
fn the_sample_has_three_breaks_three_recompilations_and_two_known_ratios() {
    let Some(logs) = sample("torch_trace_mixed_2.15.log.gz") else { return };
    let outcomes = sections(&logs);
    let breaks = section(&outcomes, "graph-breaks");
    assert_eq!(number(breaks, "graph_breaks"), 3_i64.into());
    assert_eq!(breaks.findings.len(), 3);
    let places = column(table(breaks, "breaks"), "place");
    assert!(texts(&["comp.py:12", "comp.py:14", "comp.py:16"]).iter().all(|place| places.contains(place)));
    // The rest behind line 12 is resumed once: its time is in PyTorch's own metrics, 2924820 µs.
    let at = places.iter().position(|place| *place == Value::from("comp.py:12")).unwrap();
    assert_eq!(column(table(breaks, "breaks"), "resumed_ns")[at], 2_924_820_000_i64.into());
    let recompiles = section(&outcomes, "recompiles");
    assert_eq!(number(recompiles, "recompiles"), 3_i64.into());
    // 5/1, 5/2 and 5/3: 2955497 + 2801926 + 3970387 µs.
    assert_eq!(number(recompiles, "recompile_time_ns"), 9_727_810_000_i64.into());
    let causes = column(table(recompiles, "causes"), "cause");
    assert_eq!(causes, texts(&["tensor size", "variable value", "object type"]));
    let time = section(&outcomes, "compile-time");
    // No two compilations of it overlap: the sum of the eleven durations of compilation_metrics.json.
    assert_eq!(number(time, "compile_time_ns"), 88_078_445_000_i64.into());
    let fusion = section(&outcomes, "fusion");
    let graphs = table(fusion, "graphs");
    assert_eq!(column(graphs, "operators")[..2], integers(&[19, 38]));
    assert_eq!(column(graphs, "launches")[..2], integers(&[4, 7]));
    assert_eq!(column(graphs, "fusion_ratio")[..2], [Value::Float(4.75), Value::Float(38.0 / 7.0)]);
}

#[test]
fn a_warm_cache_is_told_from_a_cold_one() {
    let (Some(warm), Some(cold)) =
        (sample("torch_trace_warm_cache_2.15.log.gz"), sample("torch_trace_provenance_2.15.log.gz"))
    else {
        return;
    };
    let counts = |logs: &[CompileLog]| {
        let outcomes = sections(logs);
        let caches = table(section(&outcomes, "compile-time"), "caches").clone();
        (column(&caches, "hits"), column(&caches, "misses"))
    };
    assert_eq!(counts(&warm), (integers(&[2, 1]), integers(&[0, 0])));
    assert_eq!(counts(&cold), (integers(&[0, 0]), integers(&[2, 1])));
    let changes = compare(&cold, &warm);
    let changed = section(&changes, "compile-diff");
    assert_eq!(number(changed, "new_graph_breaks"), 0_i64.into());
    assert_eq!(number(changed, "gone_graph_breaks"), 0_i64.into());
    // Durations of both logs: 4464312+171256+106073+118273 and 21027272+12810056+304843+270345+213634 µs.
    assert_eq!(number(changed, "compile_time_change_ns"), (-29_766_236_000_i64).into());
}

#[test]
fn ranks_that_compile_the_same_are_not_blamed() {
    let Some(logs) = sample("tlparse_inputs/multi_rank*.gz") else { return };
    let outcomes = sections(&logs);
    let ranks = section(&outcomes, "compile-ranks");
    assert_eq!(number(ranks, "ranks"), 2_i64.into());
    assert_eq!(number(ranks, "other_compiles"), 0_i64.into());
    assert_eq!(number(ranks, "other_caches"), 0_i64.into());
}

#[test]
fn a_failure_is_the_first_finding() {
    let Some(logs) = sample("tlparse_inputs/comp_failure.log.gz") else { return };
    let outcomes = sections(&logs);
    let time = section(&outcomes, "compile-time");
    assert_eq!(number(time, "failures"), 1_i64.into());
    assert!(time.findings[0].claim.contains("BackendCompilerFailed"), "{}", time.findings[0].claim);
    assert_eq!(
        column(table(section(&outcomes, "compile-stacks"), "stacks"), "status").last(),
        Some(&"failed".into())
    );
}

/// A log of one process, written by hand.
fn log(records: &[String]) -> CompileLog {
    let lines: String =
        records.iter().map(|record| format!("V1115 18:55:01.217000 1 torch/a.py:1] {record}\n")).collect();
    read_compile_log("hand", lines.as_bytes()).unwrap()
}

fn compiled(frame: u32, start: u64, total: u64) -> String {
    format!(
        "{{\"compilation_metrics\": {{\"co_name\": \"f{frame}\", \"start_time_us\": {start}, \"duration_us\": {total}}}, \
         \"frame_id\": {frame}, \"frame_compile_id\": 0}}"
    )
}

#[test]
fn overlapping_compilations_count_once() {
    // 10..40 and 20..50 are 40, 100..110 is 10.
    let logs = [log(&[compiled(0, 10, 30), compiled(1, 20, 30), compiled(2, 100, 10)])];
    let outcomes = sections(&logs);
    assert_eq!(number(section(&outcomes, "compile-time"), "compile_time_ns"), 50_000_i64.into());
}

#[test]
fn ranks_that_differ_are_named() {
    let mut other = log(&[compiled(0, 10, 30)]);
    other.rank = 1;
    let outcomes = sections(&[log(&[compiled(0, 10, 30), compiled(1, 50, 30)]), other]);
    assert_eq!(outcomes.iter().map(Outcome::id).collect::<Vec<_>>(), SECTIONS);
    let ranks = section(&outcomes, "compile-ranks");
    assert_eq!(number(ranks, "other_compiles"), 1_i64.into());
    assert!(
        ranks.findings[0].claim.contains("rank 1 did not compile `1/0 f1`"),
        "{}",
        ranks.findings[0].claim
    );
}

#[test]
fn what_a_log_lacks_is_said() {
    let logs = [log(&["{\"str\": [\"a.py\", 0]}".to_owned()])];
    let outcomes = sections(&logs);
    let skipped: Vec<_> =
        outcomes.iter().filter(|outcome| outcome.section().is_none()).map(Outcome::id).collect();
    assert_eq!(skipped, ["compile-time", "fusion", "compile-stacks"]);
    assert_eq!(number(section(&outcomes, "graph-breaks"), "graph_breaks"), 0_i64.into());
}

proptest! {
    /// Whatever PyTorch counted, phases are never negative and add up to the whole.
    #[test]
    fn phases_add_up(
        total in 0_i64..1000,
        parts in proptest::array::uniform4(proptest::option::of(0_i64..2000)),
        backward in any::<bool>(),
    ) {
        let [backend, inductor, code_gen, kernels] = parts.map(|part| part.map(Ns));
        let times = CompileTimes { total: Ns(total), backend, inductor, code_gen, kernels, ..CompileTimes::default() };
        let found = phases(&times, backward);
        let named = found.named();
        prop_assert!(named.iter().all(|(.., time)| time.0 >= 0));
        prop_assert_eq!(named.iter().map(|(.., time)| time.0).sum::<i64>(), total);
        if backward {
            prop_assert_eq!(found.tracing, Ns(0));
        }
    }
}
