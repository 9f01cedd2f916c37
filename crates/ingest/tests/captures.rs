//! Captures of graphs that lie beside the recordings that replay them.

use std::fs;
use std::path::{Path, PathBuf};

use eaves_ingest::Options;
use eaves_model::{Run, SliceKind, WarningKind};

/// A replay of one graph: two kernels below one launch.
fn replay(rank: i64) -> String {
    format!(
        r#"{{"schemaVersion": 1, "distributedInfo": {{"rank": {rank}, "world_size": 2}}, "traceEvents": [
        {{"ph": "X", "cat": "cuda_runtime", "name": "hipGraphLaunch", "pid": 1, "tid": 1, "ts": 10, "dur": 5, "args": {{"correlation": 7}}}},
        {{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 0, "ts": 20, "dur": 4, "args": {{"correlation": 7, "device": 0, "stream": 0}}}},
        {{"ph": "X", "cat": "kernel", "name": "relu", "pid": 0, "tid": 0, "ts": 24, "dur": 1, "args": {{"correlation": 7, "device": 0, "stream": 0}}}}
    ]}}"#
    )
}

fn launch(name: &str, start: u32, correlation: u32) -> String {
    format!(
        r#"{{"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 1, "tid": 1, "ts": {start}, "dur": 1,
        "args": {{"correlation": {correlation}, "kernel": "{name}", "grid": [4, 1, 1], "block": [64, 1, 1]}}}}"#
    )
}

fn call(category: &str, name: &str, start: u32, duration: u32, arguments: &str) -> String {
    format!(
        r#"{{"ph": "X", "cat": "{category}", "name": "{name}", "pid": 1, "tid": 1, "ts": {start}, "dur": {duration}, "args": {{{arguments}}}}}"#
    )
}

/// Two graphs; what was launched before, between and behind them is of none.
fn capture() -> String {
    let shapes = r#""Input Dims": [[8, 16], [16, 32]], "Input type": ["float", "float"]"#;
    let events = [
        call("user_annotation", "capture_8_FULL", 1, 90, ""),
        launch("warm_up", 2, 1),
        call("cuda_runtime", "hipStreamBeginCapture", 4, 1, ""),
        call("cpu_op", "aten::linear", 10, 20, ""),
        call("cpu_op", "aten::mm", 11, 10, shapes),
        launch("gemm", 12, 2),
        launch("relu", 40, 3),
        call("cuda_runtime", "hipStreamEndCapture", 44, 1, ""),
        launch("between", 46, 4),
        call("cuda_runtime", "hipStreamBeginCapture", 50, 1, ""),
        call("cuda_runtime", "hipMemcpyAsync", 52, 1, r#""correlation": 9"#),
        call("cuda_runtime", "hipStreamEndCapture", 54, 1, ""),
        launch("behind", 60, 5),
    ];
    format!(r#"{{"schemaVersion": 1, "traceEvents": [{}]}}"#, events.join(","))
}

fn read(path: &Path, captures: &[PathBuf]) -> Run {
    let options = Options { captures: captures.to_vec(), ..Options::default() };
    eaves_ingest::read(&[path.to_owned()], &options).unwrap()
}

#[test]
fn captures_beside_a_replay_are_its_own() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("capture_traces")).unwrap();
    fs::write(at("replay.json"), replay(0)).unwrap();
    fs::write(at("capture_traces/rank_0.json"), capture()).unwrap();
    fs::write(
        at("capture_traces/execution_details.json"),
        r#"[{"file": "rank_0.json", "batch_size": 4, "mode": "PIECEWISE"}]"#,
    )
    .unwrap();
    for path in [directory.path().to_owned(), at("replay.json")] {
        let run = read(&path, &[]);
        assert_eq!(run.recordings.len(), 1, "a capture is not a rank");
        let trace = &run.recordings[0].trace;
        let [first, second] = &trace.captured[..] else { panic!("{:?}", trace.captured) };
        assert_eq!((first.batch_size, first.mode.as_str(), first.number), (Some(4), "PIECEWISE", 0));
        let text = |id| trace.strings.get(id);
        let kernels: Vec<&str> = first.launches.iter().map(|launch| text(launch.kernel)).collect();
        assert_eq!(kernels, ["gemm", "relu"]);
        let operators: Vec<_> =
            first.operators.iter().map(|known| (text(known.name), known.parent)).collect();
        assert_eq!(operators, [("aten::linear", None), ("aten::mm", Some(0))]);
        assert!(text(first.operators[1].arguments[0]).contains("[16"));
        assert_eq!((first.launches[0].operator, first.launches[1].operator), (Some(1), None));
        assert_eq!(first.launches[0].grid.get(), Some([4, 1, 1]));
        assert_eq!((second.number, second.launches.len()), (1, 1));
        assert_eq!(second.launches[0].kind, SliceKind::Memcpy);
    }
    // The capture by itself is a recording like any other.
    assert!(read(&at("capture_traces/rank_0.json"), &[]).recordings[0].trace.captured.is_empty());
    assert_eq!(read(&at("capture_traces"), &[]).recordings.len(), 1);
}

#[test]
fn captures_elsewhere_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("elsewhere")).unwrap();
    fs::write(at("replay.json"), replay(0)).unwrap();
    fs::write(at("elsewhere/a.json"), capture()).unwrap();
    assert!(read(&at("replay.json"), &[]).recordings[0].trace.captured.is_empty());
    for named in [at("elsewhere"), at("elsewhere/a.json")] {
        let run = read(&at("replay.json"), &[named]);
        let captured = &run.recordings[0].trace.captured;
        assert_eq!(captured.len(), 2);
        assert_eq!((captured[0].batch_size, captured[0].mode.as_str()), (Some(8), "FULL"));
    }
    let options = Options { captures: vec![at("absent")], ..Options::default() };
    let error = eaves_ingest::read(&[at("replay.json")], &options).unwrap_err();
    assert!(error.to_string().contains("absent"), "{error}");
}

#[test]
fn each_rank_has_its_own_capture_or_that_of_another() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("capture_traces")).unwrap();
    for rank in 0..2 {
        fs::write(at(&format!("rank{rank}.json")), replay(rank)).unwrap();
    }
    fs::write(at("capture_traces/capture_rank_0.json"), capture()).unwrap();
    let sources = |run: &Run| -> Vec<Vec<String>> {
        let of =
            |trace: &eaves_model::Trace| trace.captured.iter().map(|graph| graph.source.clone()).collect();
        run.recordings.iter().map(|recording| of(&recording.trace)).collect()
    };
    let found = sources(&read(directory.path(), &[]));
    assert!(found.len() == 2 && found.iter().flatten().all(|source| source.ends_with("capture_rank_0.json")));
    fs::write(at("capture_traces/capture_rank_1.json"), capture()).unwrap();
    let found = sources(&read(directory.path(), &[]));
    assert!(found[0].iter().all(|source| source.ends_with("capture_rank_0.json")), "{found:?}");
    assert!(found[1].iter().all(|source| source.ends_with("capture_rank_1.json")), "{found:?}");
}

#[test]
fn a_damaged_capture_is_said_and_the_replay_is_there() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("capture_traces")).unwrap();
    fs::write(at("replay.json"), replay(0)).unwrap();
    fs::write(at("capture_traces/a.json"), "not JSON at all").unwrap();
    fs::write(at("capture_traces/execution_details.json"), "[{").unwrap();
    let run = read(&at("replay.json"), &[]);
    let trace = &run.recordings[0].trace;
    assert!(trace.captured.is_empty() && trace.gpu.len() == 2);
    assert_eq!(trace.diagnostics.count(WarningKind::NotATrace), 1);
}
