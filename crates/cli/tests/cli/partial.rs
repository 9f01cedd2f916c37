//! Ranks measured one by one and combined: the same bytes as the report of all.

use std::path::{Path, PathBuf};

use crate::support::{Answer, TRACE, names, run};

/// A trace of a rank whose first kernel is longer by some microseconds.
fn rank(number: usize, longer: usize) -> String {
    let named = format!("\"rank\": {number}, \"world_size\": 4");
    TRACE
        .replace("\"rank\": 0, \"world_size\": 1", &named)
        .replace("\"dur\": 30", &format!("\"dur\": {}", 30 + longer))
}

fn ranks(folder: &Path, count: usize) -> Vec<String> {
    let write = |number: usize| {
        let name = format!("rank{number}.json");
        std::fs::write(folder.join(&name), rank(number, number % 7)).unwrap();
        name
    };
    (0..count).map(write).collect()
}

fn json(folder: &Path, inputs: &[&str]) -> String {
    let answer = run(folder, &[&["report"], inputs, &["--json", "--quiet"]].concat());
    assert_eq!(answer.code, Some(0), "{answer:?}");
    answer.stdout
}

/// Measures each of some inputs by itself.
fn measure(folder: &Path, inputs: &[String]) -> Vec<String> {
    let one = |(number, input): (usize, &String)| {
        let part = format!("{number}.eaves-partial");
        let answer = run(folder, &["report", input, "--partial", "-o", &part]);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(0), ""), "{answer:?}");
        part
    };
    inputs.iter().enumerate().map(one).collect()
}

#[test]
fn parts_together_are_the_report_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = ranks(folder.path(), 4);
    let named: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let whole = json(folder.path(), &named);
    let parts = measure(folder.path(), &inputs);
    let [a, b, c, d] = [&parts[0], &parts[1], &parts[2], &parts[3]].map(String::as_str);
    assert_eq!(json(folder.path(), &[d, b, a, c]), whole);
    // A folder, a pattern, some of them combined before, one of them twice, and traces among them.
    assert_eq!(json(folder.path(), &["*.eaves-partial"]), whole);
    let together = run(folder.path(), &["report", b, c, "--partial", "-o", "bc.eaves-partial"]);
    assert_eq!(together.code, Some(0), "{together:?}");
    assert_eq!(json(folder.path(), &["bc.eaves-partial", "rank3.json", a, b]), whole);
    for name in &inputs {
        std::fs::remove_file(folder.path().join(name)).unwrap();
    }
    assert_eq!(json(folder.path(), &["."]), whole);
    let page = run(folder.path(), &["report", ".", "-o", "report.html"]);
    assert_eq!(page.code, Some(0), "{page:?}");
    assert!(
        std::fs::read_to_string(folder.path().join("report.html")).unwrap().contains("temporal-breakdown")
    );
}

#[test]
fn ranks_of_examples_in_parts_are_the_report_of_all() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    check_parts(&["training", "communication-bound"].map(|name| examples.join(name)));
}

#[test]
fn ranks_of_real_jobs_in_parts_are_the_report_of_all() {
    let names = ["torch/gloo2", "hta/traces/hta_2rank", "hta/traces/syn_4rank"];
    let Some(jobs) = names.into_iter().map(eaves_testing::data).collect::<Option<Vec<_>>>() else { return };
    check_parts(&jobs);
}

fn check_parts(jobs: &[PathBuf]) {
    for job in jobs {
        let folder = tempfile::tempdir().unwrap();
        let entries = std::fs::read_dir(job).unwrap().map(|entry| entry.unwrap().path());
        let mut inputs: Vec<String> =
            entries.filter(|path| is_trace(path)).map(|path| path.display().to_string()).collect();
        inputs.sort();
        let named: Vec<&str> = inputs.iter().map(String::as_str).collect();
        let parts = measure(folder.path(), &inputs);
        let parts: Vec<&str> = parts.iter().map(String::as_str).rev().collect();
        assert!(json(folder.path(), &parts) == json(folder.path(), &named), "{}", job.display());
    }
}

fn is_trace(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".json.gz") || path.to_string_lossy().ends_with(".json")
}

#[test]
fn what_is_no_part_of_the_same_job_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let parts = measure(folder.path(), &ranks(folder.path(), 2));
    let refused = |arguments: &[&str], message: &str| {
        let answer = run(folder.path(), arguments);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{answer:?}");
        assert!(answer.stderr.contains(message) && answer.stderr.contains("\nhint: "), "{answer:?}");
    };
    refused(&["report", &parts[0], "--step", "3"], "measured with different options");
    refused(&["report", &parts[0], "--rank", "1"], "no recording of rank 1");
    let other: Answer =
        run(folder.path(), &["report", "rank1.json", "--step", "3", "--partial", "-o", "s.eaves-partial"]);
    assert_eq!(other.code, Some(0), "{other:?}");
    refused(&["report", &parts[0], "s.eaves-partial"], "s.eaves-partial");
    let bytes = std::fs::read(folder.path().join(&parts[0])).unwrap();
    std::fs::write(folder.path().join("cut.eaves-partial"), &bytes[..bytes.len() / 2]).unwrap();
    refused(&["report", "cut.eaves-partial"], "damaged");
    std::fs::write(folder.path().join("text.eaves-partial"), "no more than a text").unwrap();
    refused(&["report", "text.eaves-partial"], "not a file from `eaves report --partial`");
    refused(&["report", "rank0.json", "--partial"], "--partial needs an output file");
}

#[test]
fn a_part_is_there_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("empty.json"), "").unwrap();
    let answer = run(folder.path(), &["report", "empty.json", "--partial", "-o", "a.eaves-partial"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert_eq!(names(folder.path()), ["empty.json"]);
}

/// A job of many ranks on machines of eight. Rank 56 has 2 ms more to compute in every step, and all leave the all-reduce of
/// a step together; machines gather among themselves before.
fn many_ranks(folder: &Path, count: u64) {
    const LATE: u64 = 56;
    let computed = |rank: u64| 1_000 + rank % 5 + if rank == LATE { 2_000 } else { 0 };
    for rank in 0..count {
        let machine = rank / 8 * 8..(rank / 8 + 1) * 8;
        let gathered = machine.clone().map(computed).max().unwrap() + 50;
        let mut events = Vec::new();
        for step in 0..5 {
            let begin = 3_520 * step;
            let slice = |name: &str, category: &str, start: u64, end: u64, arguments: &str| {
                format!(
                    r#"{{"ph": "X", "cat": "{category}", "name": "{name}", "pid": 1, "tid": 1, "ts": {}, "dur": {}, "args": {{{arguments}}}}}"#,
                    begin + start,
                    end - start
                )
            };
            let group = |name: &str, size: u64, ranks: &str| {
                format!(
                    r#""device": 0, "stream": 20, "Collective name": "{name}", "In msg nelems": 4194304, "Out msg nelems": 4194304, "Group size": {size}, "dtype": "Float", "Process Group Name": "{size}", "Process Group Ranks": "{ranks}""#
                )
            };
            let linked = format!(r#""correlation": {step}, "device": 0, "stream": 7"#);
            let (gather, reduce) =
                ("ncclDevKernel_AllGather_RING_LL", "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
            events.extend([
                slice(&format!("ProfilerStep#{step}"), "user_annotation", 0, 3_515, ""),
                slice("cudaLaunchKernel", "cuda_runtime", 1, 3, &linked),
                slice("sgemm", "kernel", 10, 10 + computed(rank), &linked),
                slice(
                    gather,
                    "kernel",
                    10 + computed(rank),
                    10 + gathered,
                    &group("allgather", 8, &format!("{machine:?}")),
                ),
                slice(reduce, "kernel", 10 + gathered, 3_500, &group("allreduce", count, "all")),
            ]);
        }
        let header =
            format!(r#""schemaVersion": 1, "distributedInfo": {{"rank": {rank}, "world_size": {count}}}"#);
        let text = format!("{{{header}, \"traceEvents\": [\n{}\n]}}", events.join(",\n"));
        std::fs::write(folder.join(format!("rank{rank}.json")), text).unwrap();
    }
}

#[test]
fn of_many_ranks_the_straggler_comes_first_and_rows_are_a_distribution() {
    let folder = tempfile::tempdir().unwrap();
    many_ranks(folder.path(), 96);
    let document: serde_json::Value = serde_json::from_str(&json(folder.path(), &["."])).unwrap();
    let mut findings: Vec<&serde_json::Value> = document["sections"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|one| one["findings"].as_array().unwrap())
        .collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding["gain_ns"][1].as_i64()));
    assert_eq!(findings[0]["id"], "straggler", "{findings:?}");
    let claim = findings[0]["claim"].as_str().unwrap();
    // Four steps behind the first, in each the gathering of its machine and the all-reduce of all.
    assert!(claim.starts_with("the other ranks wait for rank 56 "), "{claim}");
    assert!(claim.ends_with("it comes last in 8 of 8 collectives"), "{claim}");
    let rows = |arguments: &[&str]| {
        let arguments = [&["."], arguments].concat();
        let document: serde_json::Value = serde_json::from_str(&json(folder.path(), &arguments)).unwrap();
        let sections = document["sections"].as_array().unwrap();
        let section = sections.iter().find(|one| one["id"] == "stragglers").unwrap();
        let tables = section["tables"].as_array().unwrap().iter();
        tables
            .map(|table| (table["id"].as_str().unwrap().to_owned(), table["rows"].as_array().unwrap().len()))
            .collect::<Vec<_>>()
    };
    let named = |name: &str, rows: usize| (name.to_owned(), rows);
    assert_eq!(rows(&[])[..2], [named("by_rank_distribution", 8), named("by_rank", 10)]);
    assert_eq!(rows(&["--details"])[0], named("by_rank", 96));
    assert_eq!(rows(&["--rank", "0-70"])[0], named("by_rank", 71));
    let text = run(folder.path(), &["report", ".", "--section", "stragglers"]).stdout;
    assert!(text.contains("median") && text.contains("rank 56"), "{text}");
}
