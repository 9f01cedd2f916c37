//! Datasets: a report of one is that of the traces, they are brought up to date by what changed, and whatever stops the
//! writer, the next one finishes its work.

use eaves_testing::contents;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::support::{TRACE, eaves, names, run};
use serde_json::Value;

/// Runs of the examples.
pub(crate) fn examples() -> Vec<PathBuf> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap();
    let names = ["communication-bound", "damaged", "healthy", "host-bound", "training"];
    names.iter().map(|name| examples.join(name)).collect()
}

/// Runs of other tools.
pub(crate) fn runs_of_others() -> Option<Vec<PathBuf>> {
    let names = [
        "hta/traces/hta_2rank",
        "hta/traces/hta_amd_mi250",
        "hta/traces/hta_cupti",
        "hta/traces/hta_memory_timeline",
        "hta/traces/hta_mtia_train",
        "hta/traces/hta_nccl",
        "hta/traces/hta_no_dist_info",
        "hta/traces/hta_old_schema",
        "hta/traces/hta_rank_unavailable",
        "hta/traces/hta_triton",
        "hta/traces/syn_4rank",
        "formats/amd/rocprofv3",
        "formats/nvidia/nsys",
    ];
    names.iter().map(|name| Some(eaves_testing::data(name)?.canonicalize().unwrap())).collect()
}

#[test]
fn a_report_of_a_dataset_is_that_of_the_traces() {
    assert_eq!(compare_reports(&examples()), 5);
}

#[test]
fn a_report_of_a_dataset_of_other_tools_is_that_of_the_traces() {
    let Some(samples) = runs_of_others() else { return };
    let compared = compare_reports(&samples);
    assert!(compared >= 8, "{compared}");
}

/// How many runs have the same report as a dataset, to the last byte.
fn compare_reports(samples: &[PathBuf]) -> usize {
    let directory = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for (number, sample) in samples.iter().enumerate() {
        let (sample, dataset) = (sample.to_str().unwrap(), format!("dataset-{number}"));
        let of_traces = run(directory.path(), &["report", "--json", sample]);
        if of_traces.code != Some(0) {
            continue;
        }
        let made = run(directory.path(), &["ingest", sample, "-o", &dataset, "--json"]);
        assert_eq!(made.code, Some(0), "{sample}: {}", made.stderr);
        let of_dataset = run(directory.path(), &["report", "--json", &dataset]);
        assert_eq!(of_dataset.code, Some(0), "{sample}: {}", of_dataset.stderr);
        // What lay next to the traces and is none, or says to be the same rank, is told when the dataset is made.
        let made: Value = serde_json::from_str(&made.stdout).unwrap();
        let refused = &made["sections"][0]["numbers"].as_array().unwrap()[3];
        assert_eq!(refused["id"], "refused");
        if refused["value"] == 0 {
            assert!(of_traces.stdout == of_dataset.stdout, "{sample}");
            compared += 1;
        }
    }
    compared
}

fn actions(directory: &Path, arguments: &[&str]) -> (Vec<String>, Value) {
    let answer = run(directory, &[&["ingest", "--json"], arguments].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    let section = &document["sections"][0];
    let rows = section["tables"][0]["rows"].as_array().unwrap();
    let rows = rows.iter().map(|row| format!("{} {}", row[0], row[1].as_str().unwrap())).collect();
    (rows, section["numbers"][3]["value"].clone())
}

#[test]
fn a_dataset_is_brought_up_to_date() {
    let directory = tempfile::tempdir().unwrap();
    let traces = directory.path().join("traces");
    fs::create_dir(&traces).unwrap();
    let rank = |rank: usize| TRACE.replace("\"rank\": 0", &format!("\"rank\": {rank}"));
    for number in 0..3 {
        fs::write(traces.join(format!("{number}.json")), rank(number)).unwrap();
    }
    let update = || actions(directory.path(), &["traces", "-o", "dataset"]);
    assert_eq!(update(), (["0 added", "1 added", "2 added"].map(str::to_owned).to_vec(), 0.into()));
    assert_eq!(names(&directory.path().join("dataset")), ["eaves-dataset.json", "run=traces"]);
    assert_eq!(update().0, ["0 skipped", "1 skipped", "2 skipped"]);
    fs::write(traces.join("1.json"), rank(1).replace("relu", "gelu!")).unwrap();
    fs::write(traces.join("3.json"), "<html>").unwrap();
    fs::write(traces.join("4.json"), rank(2)).unwrap();
    assert_eq!(update(), (["0 skipped", "1 replaced", "2 skipped"].map(str::to_owned).to_vec(), 2.into()));
    let report = run(directory.path(), &["kernels", "dataset", "--json"]);
    assert!(report.stdout.contains("gelu!"), "{}", report.stdout);
    // A rank that was damaged is made again.
    fs::write(directory.path().join("dataset/run=traces/rank=0/rank.json"), "{").unwrap();
    let damaged = run(directory.path(), &["report", "dataset"]);
    assert_eq!(damaged.code, Some(2));
    assert!(damaged.stderr.contains("rank.json") && damaged.stderr.contains("hint:"), "{}", damaged.stderr);
    assert_eq!(update().0, ["0 replaced", "1 skipped", "2 skipped"]);
    assert_eq!(run(directory.path(), &["report", "dataset"]).code, Some(0));
    // Another run, of which one must then be named.
    assert_eq!(actions(directory.path(), &["traces/0.json", "-o", "dataset"]).0, ["0 added"]);
    let several = run(directory.path(), &["report", "dataset"]);
    assert_eq!(several.code, Some(2));
    assert!(several.stderr.contains("run=0") && several.stderr.contains("0, traces"), "{}", several.stderr);
    assert_eq!(run(directory.path(), &["report", "dataset/run=traces"]).code, Some(0));
}

#[test]
fn ranks_that_nothing_tells_are_numbered_once() {
    let directory = tempfile::tempdir().unwrap();
    let traces = directory.path().join("traces");
    fs::create_dir(&traces).unwrap();
    let trace = TRACE.replace("\"rank\": 0, ", "");
    for name in ["a", "b", "c"] {
        fs::write(traces.join(format!("{name}.json")), &trace).unwrap();
    }
    let update = || actions(directory.path(), &["traces", "-o", "dataset"]).0;
    assert_eq!(update(), ["0 added", "1 added", "2 added"]);
    fs::write(traces.join("b.json"), trace.replace("relu", "gelu!")).unwrap();
    fs::write(traces.join("aa.json"), &trace).unwrap();
    assert_eq!(update(), ["0 skipped", "1 replaced", "2 skipped", "3 added"]);
    let of_traces = run(directory.path(), &["report", "traces", "--json"]);
    let of_dataset = run(directory.path(), &["report", "dataset", "--json"]);
    assert_eq!((of_traces.code, of_dataset.code), (Some(0), Some(0)));
}

#[test]
fn nothing_to_add_is_a_failure() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("page.json"), "<html>").unwrap();
    fs::write(directory.path().join("trace.json"), TRACE).unwrap();
    let run = |arguments: &[&str]| run(directory.path(), &[&["ingest"], arguments].concat());
    assert_eq!(run(&["page.json", "-o", "dataset"]).code, Some(2));
    assert_eq!(run(&["absent.json", "-o", "dataset"]).code, Some(2));
    // Who had nothing to add leaves nothing.
    assert!(!directory.path().join("dataset").exists());
    assert_eq!(run(&["trace.json", "-o", "dataset", "--run", "a/b"]).code, Some(2));
    // Something else is there.
    fs::create_dir(directory.path().join("other")).unwrap();
    fs::write(directory.path().join("other/page.json"), "<html>").unwrap();
    let occupied = run(&["trace.json", "-o", "other"]);
    assert_eq!(occupied.code, Some(2));
    assert!(occupied.stderr.contains("page.json"), "{}", occupied.stderr);
    assert_eq!(run(&["trace.json", "page.json", "-o", "dataset"]).code, Some(0));
}

/// The writer is killed again and again, at whatever it is doing; then one finishes. Nothing is missing, nothing is left.
#[test]
fn a_killed_writer_harms_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let traces = directory.path().join("traces");
    fs::create_dir(&traces).unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let example = fs::read(examples.join("host-bound/rank0.json.gz")).unwrap();
    for rank in 0..6 {
        fs::write(traces.join(format!("rank{rank}.json.gz")), &example).unwrap();
    }
    // The recording says that it is rank 0, so it must be told otherwise.
    let small = |rank: usize| TRACE.replace("\"rank\": 0", &format!("\"rank\": {rank}"));
    (1..40).for_each(|rank| fs::write(traces.join(format!("small{rank}.json")), small(rank)).unwrap());
    let ingest = |dataset: &str| eaves(directory.path(), ["ingest", "traces", "-q", "-o", dataset]);
    let start = Instant::now();
    assert!(ingest("whole").output().unwrap().status.success());
    let usual = start.elapsed();
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..12 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let mut writer = ingest("killed").stdout(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(usual.mul_f64((random % 1000) as f64 / 1000.0).max(Duration::from_millis(1)));
        writer.kill().unwrap();
        writer.wait().unwrap();
        // What can be seen is whole.
        let answer = run(directory.path(), &["info", "killed"]);
        let is_whole = answer.code == Some(0)
            || answer.stderr.contains("no run")
            || answer.stderr.contains("no trace")
            || answer.stderr.contains("no such file");
        assert!(is_whole, "{}", answer.stderr);
    }
    assert!(ingest("killed").output().unwrap().status.success());
    let (whole, mut killed) = (
        contents(&directory.path().join("whole")).unwrap(),
        contents(&directory.path().join("killed")).unwrap(),
    );
    // A writer that is killed between giving up its lock and renaming its folder leaves that folder, for an hour at most.
    // What still has a lock that nobody holds was removed.
    killed.retain(|file, _| {
        let is_left = file.components().any(|part| part.as_os_str().to_string_lossy().ends_with(".part"));
        assert!(!is_left || !directory.path().join("killed").join(file).with_file_name(".lock").exists());
        !is_left
    });
    assert_eq!(whole.keys().collect::<Vec<_>>(), killed.keys().collect::<Vec<_>>());
    for (file, content) in &whole {
        assert!(content == &killed[file], "{}", file.display());
    }
}
