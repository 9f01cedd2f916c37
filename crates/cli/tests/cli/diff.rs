//! `eaves diff`: its inputs, what it says, and its exit codes.

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Answer, run};

/// Some steps of 1000 us; in each `aten::mm` launches a kernel and `aten::add` another of 30 us.
fn trace(kernel: &str, lengths: &[u32]) -> String {
    let mut events = Vec::new();
    for (index, length) in lengths.iter().enumerate() {
        let (start, number) = (1000 * index, index + 1);
        events.push(format!(
            r#"{{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{number}", "pid": 1, "tid": 1, "ts": {start}, "dur": 1000}}"#
        ));
        for (operator, kernel, at, length) in
            [("aten::mm", kernel, start + 100, *length), ("aten::add", "add", start + 700, 30)]
        {
            let correlation = 2 * index + usize::from(operator == "aten::add") + 1;
            let (call, begin) = (at + 2, at + 20);
            events.push(format!(
                r#"{{"ph": "X", "cat": "cpu_op", "name": "{operator}", "pid": 1, "tid": 1, "ts": {at}, "dur": 10}},
{{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": {call}, "dur": 4, "args": {{"correlation": {correlation}}}}},
{{"ph": "X", "cat": "kernel", "name": "{kernel}", "pid": 0, "tid": 7, "ts": {begin}, "dur": {length}, "args": {{"correlation": {correlation}, "device": 0, "stream": 7}}}}"#
            ));
        }
    }
    format!(r#"{{"schemaVersion": 1, "traceEvents": [{}]}}"#, events.join(",\n"))
}

fn inputs() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, content: String| std::fs::write(directory.path().join(name), content).unwrap();
    file("base.json", trace("gemm", &[200, 202, 198, 200]));
    file("slower.json", trace("gemm", &[240, 242, 238, 240, 240]));
    file("noisy.json", trace("gemm", &[200, 204, 199, 201]));
    file("other.json", trace("Cijk_gemm", &[150, 152, 148]));
    file("text.txt", "no trace".to_owned());
    directory
}

fn diff(directory: &TempDir, arguments: &[&str]) -> Answer {
    run(directory.path(), &[&["diff"], arguments].concat())
}

fn json(answer: &Answer) -> Value {
    serde_json::from_str(&answer.stdout).unwrap()
}

/// A cell of a table of the section, by the first cell of its row.
fn cell(document: &Value, table: &str, row: &str, column: &str) -> Value {
    let tables = document["sections"][0]["tables"].as_array().unwrap();
    let table = tables.iter().find(|known| known["id"] == table).unwrap();
    let index = table["columns"].as_array().unwrap().iter().position(|known| known["id"] == column).unwrap();
    let rows = table["rows"].as_array().unwrap();
    rows.iter().find(|cells| cells[0] == row).unwrap()[index].clone()
}

#[test]
fn two_traces_are_compared_by_step() {
    let directory = inputs();
    let answer = diff(&directory, &["base.json", "slower.json", "--json"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
    let document = json(&answer);
    assert_eq!(document["schema"], "eaves.diff/1");
    assert_eq!(
        (&document["inputs"][0]["role"], &document["inputs"][1]["role"]),
        (&"base".into(), &"new".into())
    );
    assert_eq!(cell(&document, "kernels", "gemm", "delta_ns"), 40_000);
    assert_eq!(cell(&document, "kernels", "gemm", "verdict"), "slower");
    assert_eq!(cell(&document, "kernels", "add", "verdict"), "unchanged");
    assert_eq!(cell(&document, "summary", "busy", "delta_ns"), 40_000);
    let other = json(&diff(&directory, &["base.json", "other.json", "--json"]));
    assert_eq!(cell(&other, "kernels", "gemm", "new_name"), "Cijk_gemm");
    assert_eq!(cell(&other, "kernels", "gemm", "matched_by"), "operator");
}

#[test]
fn the_terminal_colours_what_is_no_noise() {
    let directory = inputs();
    let answer = diff(&directory, &["base.json", "slower.json", "--color", "always"]);
    assert!(answer.stdout.contains("\u{1b}[31mslower\u{1b}[0m"), "{}", answer.stdout);
    let noisy = diff(&directory, &["base.json", "noisy.json", "--color", "always"]);
    assert!(noisy.stdout.contains("noise") && !noisy.stdout.contains("\u{1b}[31m"), "{}", noisy.stdout);
    let plain = diff(&directory, &["base.json", "other.json"]);
    assert!(plain.stdout.contains("→ Cijk_gemm (by operator)"), "{}", plain.stdout);
    for line in plain.stdout.lines().chain(answer.stdout.lines().filter(|line| !line.contains('\u{1b}'))) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn a_condition_that_holds_is_exit_code_1() {
    let directory = inputs();
    let check = |new: &str, conditions: &[&str]| {
        let options: Vec<&str> = conditions.iter().flat_map(|&condition| ["--fail-on", condition]).collect();
        diff(&directory, &[&["base.json", new, "--json"], &options[..]].concat())
    };
    let failed = check("slower.json", &["step>+3%", "kernel:gemm>+10%", "busy<-1%"]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert_eq!(failed.stderr.matches("failed: ").count(), 1, "{failed:?}");
    assert!(
        failed
            .stderr
            .starts_with("failed: `kernel:gemm>+10%` holds: 240.00 µs instead of 200.00 µs (+20.00%)")
    );
    assert_eq!(cell(&json(&failed), "conditions", "kernel:gemm>+10%", "verdict"), "fails");
    assert_eq!(cell(&json(&failed), "conditions", "step>+3%", "verdict"), "passes");
    let either = check("slower.json", &["busy>+30us", "busy>50us"]);
    assert_eq!(either.code, Some(1), "{either:?}");
    let passed = check("slower.json", &["busy>+50us", "kernels>+1"]);
    assert_eq!((passed.code, passed.stderr.as_str()), (Some(0), ""), "{passed:?}");
    let noisy = check("noisy.json", &["kernel:gemm>0.1%"]);
    assert_eq!(noisy.code, Some(0), "{noisy:?}");
    assert!(noisy.stderr.contains("within the noise"), "{noisy:?}");
}

#[test]
fn a_condition_that_makes_no_sense_is_an_error_with_a_hint() {
    let directory = inputs();
    for (condition, hint) in [
        ("step", "write a metric"),
        ("stepp>3%", "did you mean `step`?"),
        ("step>3 parsecs", "write a metric"),
        ("step>3MB", "give it in %, ns, us, ms or s"),
        ("peak_memory>3MB", "how to record the rest"),
        ("kernel:absent>3%", "part of a name is enough"),
        ("span>3%", "use `step`"),
    ] {
        let answer = diff(&directory, &["base.json", "slower.json", "--fail-on", condition]);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{condition}: {answer:?}");
        assert!(
            answer.stderr.contains("\nhint: ") && answer.stderr.contains(hint),
            "{condition}: {answer:?}"
        );
    }
    for inputs in [["base.json", "text.txt"], ["absent.json", "base.json"]] {
        assert_eq!(diff(&directory, &inputs).code, Some(2));
    }
}

#[test]
fn saved_reports_are_inputs() {
    let directory = inputs();
    for (input, output) in
        [("base.json", "base.html"), ("slower.json", "slower.report.json"), ("slower.json", "slower.html")]
    {
        let verb = if output == "slower.html" { "hta" } else { "report" };
        let answer = run(directory.path(), &[verb, input, "-o", output]);
        assert_eq!(answer.code, Some(0), "{answer:?}");
    }
    for (base, new) in [
        ("base.html", "slower.report.json"),
        ("base.html", "slower.html"),
        ("base.json", "slower.html"),
        ("base.html", "slower.json"),
    ] {
        let answer = diff(&directory, &[base, new, "--json", "--fail-on", "busy>1%"]);
        assert_eq!(answer.code, Some(1), "{base} {new}: {answer:?}");
        let document = json(&answer);
        assert_eq!(cell(&document, "kernels", "gemm", "delta_ns"), 40_000, "{base} {new}");
        assert_eq!(cell(&document, "summary", "busy", "delta_ns"), 40_000, "{base} {new}");
        assert_eq!(cell(&document, "summary", "busy", "verdict"), "slower", "{base} {new}");
        assert_eq!(document["skipped"][0]["id"], "diff-operators");
    }
    let same = diff(&directory, &["base.html", "base.json", "--json"]);
    assert_eq!(cell(&json(&same), "summary", "step", "verdict"), "unchanged");
}

#[test]
fn a_page_has_the_program_and_the_tables() {
    let directory = inputs();
    assert_eq!(diff(&directory, &["base.json", "slower.json", "-o", "diff.html"]).code, Some(0));
    let page = std::fs::read_to_string(directory.path().join("diff.html")).unwrap();
    assert!(page.contains("<div id=\"app\">") && page.contains("id=\"eaves-document\""));
    // Read where no program may run.
    assert!(page.contains("<div id=\"eaves-read\">") && page.contains("gemm"));
    // Pictures of both runs, and what they have in common with nothing else: a base.
    for part in ["timeline", "base-timeline", "flame"] {
        assert!(page.contains(&format!("id=\"eaves-{part}\"")), "{part}");
    }
    assert!(page.contains("timeline of the base"));
    // A report that was saved has nothing to draw.
    assert_eq!(run(directory.path(), &["report", "base.json", "-o", "base.html"]).code, Some(0));
    assert_eq!(diff(&directory, &["base.html", "slower.json", "-o", "diff.html"]).code, Some(0));
    let page = std::fs::read_to_string(directory.path().join("diff.html")).unwrap();
    assert!(!page.contains("id=\"eaves-timeline\"") && page.contains("no timeline, no flame graph"));
}

#[test]
fn a_report_that_cannot_be_compared_is_an_error() {
    let directory = inputs();
    assert_eq!(diff(&directory, &["base.json", "slower.json", "-o", "diff.html"]).code, Some(0));
    assert_eq!(run(directory.path(), &["report", "base.json", "-o", "base.html"]).code, Some(0));
    for (arguments, message) in [
        (&["diff.html", "base.html"][..], "has no tables to compare: diff.html"),
        (&["base.html", "slower.json", "--step", "1"], "saved reports do not support selection"),
        (&["base.json", "slower.json", "--step", "9"], "no steps 9 to 9"),
        (&["base.json", "slower.json", "-o", "./slower.json"], "would replace the input"),
    ] {
        let answer = diff(&directory, arguments);
        assert_eq!(answer.code, Some(2), "{answer:?}");
        assert!(answer.stderr.contains(message), "{message}: {answer:?}");
    }
}
