//! Small traces on which a number once was wrong.

use eaves_analyze::section::{Section, Value};

use super::{column, number, sections};

fn event(category: &str, name: &str, thread: u32, (start, duration): (u32, u32), arguments: &str) -> String {
    format!(
        r#"{{"ph": "X", "cat": "{category}", "name": "{name}", "pid": 1, "tid": {thread}, "ts": {start}, "dur": {duration}, "args": {{{arguments}}}}}"#
    )
}

fn launch(correlation: u32, start: u32) -> String {
    event("cuda_runtime", "cudaLaunchKernel", 1, (start, 5), &format!(r#""correlation": {correlation}"#))
}

fn kernel(name: &str, correlation: u32, times: (u32, u32)) -> String {
    let arguments = format!(r#""device": 0, "stream": 7, "correlation": {correlation}"#);
    event("kernel", name, 7, times, &arguments)
}

fn analysed(events: &[String]) -> Vec<Section> {
    let text = format!("{{\"schemaVersion\": 1, \"traceEvents\": [\n{}\n]}}", events.join(",\n"));
    sections(eaves_ingest::read_bytes("made", text.as_bytes()).unwrap()).1
}

fn busy(sections: &[Section]) -> Option<i64> {
    number(sections, "temporal-breakdown", "busy_ns")
}

#[test]
fn nodes_of_one_graph_count_side_by_side() {
    let mut events: Vec<String> =
        (0..400).flat_map(|at| [launch(at + 1, 20 * at), kernel("k", at + 1, (20 * at + 10, 10))]).collect();
    events.push(event("cuda_runtime", "cudaGraphLaunch", 1, (8_100, 5), r#""correlation": 999"#));
    events.extend([(8_110, 17), (8_116, 3), (8_120, 4)].map(|times| kernel("node", 999, times)));
    let sections = analysed(&events);
    assert_eq!(busy(&sections), Some(4_017_000));
    assert_eq!(number(&sections, "quarantine", "quarantined_count"), Some(0));
}

#[test]
fn a_long_last_kernel_counts() {
    let mut events: Vec<String> = (0..120).map(|at| kernel("k", at, (10 * at, 5))).collect();
    events.push(kernel("long", 999, (1_200, 5_000)));
    let sections = analysed(&events);
    // 5,600 of 6,200 µs.
    assert_eq!(busy(&sections), Some(5_600_000));
    assert_eq!(number(&sections, "temporal-breakdown", "span_ns"), Some(6_200_000));
}

#[test]
fn totals_are_told_without_and_with_what_is_impossible() {
    let end = r#"{"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": 100}"#;
    let sections = analysed(&[
        kernel("k", 1, (0, 10)),
        kernel("broken", 2, (20, 9_000)),
        kernel("k", 3, (50, 10)),
        end.to_owned(),
    ]);
    assert_eq!(busy(&sections), Some(20_000));
    assert_eq!(number(&sections, "quarantine", "quarantined_count"), Some(1));
    // Idle, compute, busy, span, and the sum of kernels.
    assert_eq!(
        column(&sections, "quarantine", "totals", "without_ns"),
        [40_000, 20_000, 20_000, 60_000, 20_000]
    );
    assert_eq!(
        column(&sections, "quarantine", "totals", "with_ns"),
        [10_000, 9_010_000, 9_010_000, 9_020_000, 9_020_000]
    );
}

#[test]
fn steps_of_old_recorders_are_steps() {
    let sections = analysed(&[
        event("Operator", "ProfilerStep#5", 1, (1_000, 500), r#""External id": 4"#),
        event("Operator", "aten::mm", 1, (1_010, 50), r#""External id": 5"#),
        event("Runtime", "cudaLaunchKernel", 1, (1_020, 10), r#""correlation": 7, "external id": 5"#),
        event("Kernel", "gemm", 7, (1_040, 100), r#""device": 0, "stream": 7, "correlation": 7"#),
        event("Operator", "ProfilerStep#6", 1, (1_500, 500), r#""External id": 6"#),
    ]);
    assert_eq!(column(&sections, "steps", "by_step", "step"), [5, 6]);
    assert_eq!(column(&sections, "steps", "by_step", "gpu_busy_ns"), [100_000, 0]);
}

#[test]
fn an_unfinished_frame_hides_no_operator() {
    let sections = analysed(&[
        event("cpu_op", "aten::mm", 1, (100, 400), r#""External id": 1"#),
        event("python_function", "<built-in function next>", 1, (200, 700), r#""Python id": 1"#),
        launch(7, 300),
        kernel("gemm", 7, (320, 100)),
    ]);
    let table = sections
        .iter()
        .find(|section| section.id == "op-delays")
        .unwrap()
        .tables
        .iter()
        .find(|table| table.id == "by_op")
        .unwrap();
    assert!(table.rows.iter().any(|row| row.contains(&Value::from("aten::mm"))), "{table:?}");
}

#[test]
fn waiting_is_no_work() {
    let ccp = |name: &str, times| event("mtia_ccp_events", name, 7, times, r#""device": 0, "stream": 7"#);
    let sections = analysed(&[
        ccp("fc_kernel", (0, 10)),
        ccp("event_wait", (10, 500)),
        ccp("event_record", (510, 1)),
        ccp("fc_kernel", (520, 10)),
    ]);
    assert_eq!(busy(&sections), Some(20_000));
    assert_eq!(number(&sections, "kernels", "calls"), Some(2));
}

#[test]
fn a_gap_before_a_graph_has_one_verdict() {
    let sections = analysed(&[
        launch(1, 0),
        kernel("k", 1, (10, 10)),
        event("cuda_runtime", "cudaGraphLaunch", 1, (100, 5), r#""correlation": 2"#),
        kernel("node", 2, (300, 10)),
    ]);
    assert_eq!(number(&sections, "idle-time", "host_wait_ns"), Some(280_000));
    assert_eq!(number(&sections, "idle-causes", "host_wait_ns"), Some(280_000));
}

#[test]
fn work_from_before_the_recording_is_in_no_step() {
    let sections = analysed(&[
        event("user_annotation", "ProfilerStep#1", 1, (0, 500), ""),
        kernel("before", 99, (0, 100)),
        launch(1, 150),
        kernel("k", 1, (160, 50)),
    ]);
    assert_eq!(column(&sections, "steps", "by_step", "gpu_busy_ns"), [50_000]);
    assert_eq!(number(&sections, "steps", "outside_steps_ns"), Some(100_000));
}
