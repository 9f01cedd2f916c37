//! `eaves memory`: snapshots, conditions, pictures, two recordings side by side, and programs that are run.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::python::python;
use crate::support::{Answer, eaves, run};

/// What `cargo xtask gen` simulates: two layers and a request that fails, and one layer without.
fn seed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/pickle").join(name)
}

/// By hand: a parameter and two states of 8 MiB a layer, 5888 elements of 4 KiB a layer, most when the last 256 and 512 of
/// them are gone and the 2048 before are there twice.
const fn peak(layers: i64) -> i64 {
    layers * 3 * (8 << 20) + (layers * 5888 - 256 - 512 + 2048) * 4096
}

fn memory(directory: &Path, file: &str, arguments: &[&str]) -> Answer {
    let path = seed(file);
    run(directory, &[&["memory", path.to_str().unwrap()], arguments].concat())
}

fn json(answer: &Answer) -> Value {
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

fn number(document: &Value, id: &str) -> i64 {
    let numbers = document["sections"][0]["numbers"].as_array().unwrap();
    numbers.iter().find(|number| number["id"] == id).unwrap()["value"].as_i64().unwrap()
}

#[test]
fn a_snapshot_is_told_from_its_peak() {
    let directory = tempfile::tempdir().unwrap();
    let answer = memory(directory.path(), "failed.pickle", &["--json"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let document = json(&answer);
    assert_eq!(document["inputs"][0]["format"], "memory-snapshot");
    assert_eq!(number(&document, "peak_bytes"), peak(2));
    // The parameters were there before.
    assert_eq!(number(&document, "before_recording_bytes"), 2 * 3 * (8 << 20));
    assert_eq!(number(&document, "peak_reserved_bytes"), 2 * (32 << 20));
    let findings = document["sections"][0]["findings"].as_array().unwrap();
    let ids: Vec<&str> = findings.iter().map(|finding| finding["id"].as_str().unwrap()).collect();
    assert_eq!(ids[0], "out_of_memory");
    assert!(ids.contains(&"history_dropped"), "{ids:?}");
    let claim = findings[0]["claim"].as_str().unwrap();
    assert!(claim.contains("64.0 GiB") && claim.contains("the device was full"), "{claim}");
}

#[test]
fn lines_of_text_fit_a_terminal_and_leave_out_points_of_charts() {
    let directory = tempfile::tempdir().unwrap();
    let answer = memory(directory.path(), "failed.pickle", &[]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.stdout.contains("net/model.py:12 __init__"), "{}", answer.stdout);
    for title in ["maximum of each interval", "individually", "Other memory in use", "Stacks of the largest"]
    {
        assert!(!answer.stdout.contains(title), "{title}: {}", answer.stdout);
    }
}

#[test]
fn allocations_and_the_rest_are_what_was_in_use() {
    let directory = tempfile::tempdir().unwrap();
    let document = json(&memory(directory.path(), "failed.pickle", &["--json"]));
    let tables = document["sections"][0]["tables"].as_array().unwrap();
    let table = |id: &str| tables.iter().find(|table| table["id"] == id).unwrap();
    let column = |id: &str, name: &str| -> Vec<Value> {
        let columns = table(id)["columns"].as_array().unwrap();
        let at = columns.iter().position(|column| column["id"] == name).unwrap();
        table(id)["rows"].as_array().unwrap().iter().map(|row| row[at].clone()).collect()
    };
    let integers =
        |id: &str, name: &str| column(id, name).iter().map(Value::as_i64).collect::<Vec<Option<i64>>>();
    let (bytes, from, to) = (
        integers("allocations", "bytes"),
        integers("allocations", "from_state"),
        integers("allocations", "to_state"),
    );
    let rest = integers("allocations_rest", "bytes");
    let in_use: Vec<(Option<i64>, i64)> = (0..rest.len())
        .map(|state| {
            let is_at =
                |&at: &usize| from[at] <= Some(state as i64) && to[at].is_none_or(|to| (state as i64) < to);
            let told: i64 = (0..bytes.len()).filter(is_at).map(|at| bytes[at].unwrap()).sum();
            (integers("allocations_rest", "time_ns")[state], told + rest[state].unwrap())
        })
        .collect();
    let points = integers("timeline", "time_ns").into_iter().zip(integers("timeline", "bytes"));
    for (time, bytes) in points {
        assert!(in_use.contains(&(time, bytes.unwrap())), "{time:?} {bytes:?} of {in_use:?}");
    }
    assert_eq!(in_use.iter().map(|state| state.1).max(), Some(peak(2)));
    // Everything is told of so small a recording, with who asked for it.
    assert_eq!(column("allocations_shown", "peak_pct"), [100.0]);
    let stacks = column("allocation_stacks", "stack");
    assert!(column("allocations", "stack").iter().all(|stack| stacks.contains(stack)));
    assert!(column("allocations", "place").contains(&"net/layer.py:33 forward".into()));
    assert_eq!(column("allocations", "start_ns").iter().filter(|start| start.is_null()).count(), 6);
}

#[test]
fn a_condition_on_the_peak_decides_the_exit_code() {
    let directory = tempfile::tempdir().unwrap();
    let code =
        |condition: &str| memory(directory.path(), "one.pickle", &["--quiet", "--fail-on", condition]).code;
    assert_eq!(peak(1), 54_525_952);
    assert_eq!(code("peak>54.5MB"), Some(1));
    assert_eq!(code("peak>54.6MB"), Some(0));
    assert_eq!(code("peak>70GB"), Some(0));
    assert_eq!(code("peek>70GB"), Some(2));
}

#[test]
fn the_chart_is_drawn_in_pictures_and_pages() {
    let directory = tempfile::tempdir().unwrap();
    let names = ["memory.svg", "memory.html", "memory.png"];
    for name in names.into_iter().filter(|name| cfg!(feature = "png") || !name.ends_with(".png")) {
        let answer = memory(directory.path(), "one.pickle", &["-o", name]);
        assert_eq!(answer.code, Some(0), "{answer:?}");
        let content = std::fs::read(directory.path().join(name)).unwrap();
        if name.ends_with(".png") {
            assert!(content.starts_with(b"\x89PNG"));
        } else {
            let text = String::from_utf8(content).unwrap();
            assert!(text.contains("peak 52.0 MiB at "), "{name}");
        }
    }
}

#[test]
fn two_snapshots_are_compared_by_line() {
    let directory = tempfile::tempdir().unwrap();
    let (base, new) = (seed("one.pickle"), seed("failed.pickle"));
    let arguments = ["diff", base.to_str().unwrap(), new.to_str().unwrap(), "--json"];
    let document = json(&run(directory.path(), &arguments));
    let tables = document["sections"][0]["tables"].as_array().unwrap();
    let rows =
        |id: &str| tables.iter().find(|table| table["id"] == id).unwrap()["rows"].as_array().unwrap().clone();
    let of = |rows: &[Value], name: &str| rows.iter().find(|row| row[0] == name).unwrap().clone();
    let peaks = of(&rows("memory"), "device allocated");
    assert_eq!((peaks[1].as_i64(), peaks[2].as_i64()), (Some(peak(1)), Some(peak(2))));
    // One more layer has one more parameter and its states.
    let line = of(&rows("memory_at_peak"), "net/model.py:12 __init__");
    assert_eq!(line[3].as_i64(), Some(3 * (8 << 20)));
    let failed = run(directory.path(), &[&arguments[..3], &["--fail-on", "peak_memory>+1MB"]].concat());
    assert_eq!(failed.code, Some(1), "{failed:?}");
}

#[test]
fn a_pickle_that_would_execute_code_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(
        directory.path().join("evil.pickle"),
        b"\x80\x02cposix\nsystem\nq\x00X\x05\x00\x00\x00touch\x85R.",
    )
    .unwrap();
    let answer = run(directory.path(), &["memory", "evil.pickle"]);
    assert_eq!(answer.code, Some(2));
    assert!(
        answer.stderr.contains("would execute code (instruction GLOBAL), at byte 2"),
        "{}",
        answer.stderr
    );
}

/// A model without parameters whose call takes 64 MB, then 32 MB more, and gives all back.
const KNOWN: &str = "import torch
class Model(torch.nn.Module):
    def forward(self):
        first = torch.ones(16_000_000)
        second = torch.ones(8_000_000)
        return float(first[0] + second[0])
model = Model()
for call in range(8):
    model()
print('the end')
";

/// What `eaves memory` says of a script that it runs; nothing where there is no torch.
fn of_script(text: &str) -> Option<(Answer, Value)> {
    let python = python()?.to_str().unwrap();
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("script.py"), text).unwrap();
    let words = ["memory", "--json", "--output-dir", "out", "--", python, "script.py"];
    let mut command = eaves(directory.path(), words);
    command.env("OMP_NUM_THREADS", "1").env_remove("PYTHONPATH");
    let answer: Answer = command.output().unwrap().into();
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let document = json(&answer);
    Some((answer, document))
}

#[test]
fn a_program_is_run_and_its_peak_is_known() {
    let Some((answer, document)) = of_script(KNOWN) else { return };
    assert!(answer.stderr.contains("the end"), "{}", answer.stderr);
    let peak = number(&document, "peak_bytes") as f64;
    assert!((peak / 96e6 - 1.0).abs() < 0.01, "{peak}");
    let tables = document["sections"][0]["tables"].as_array().unwrap();
    let by_module = tables.iter().find(|table| table["id"] == "at_peak_by_module").unwrap();
    assert!(by_module["rows"].to_string().contains("Model"), "{by_module}");
}

/// A model of two matrices, trained with momentum. What each category has is known from the shapes.
const TRAINED: &str = "import torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(512, 512, bias=False), torch.nn.ReLU(), torch.nn.Linear(512, 256, bias=False))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
for step in range(8):
    loss = model(torch.ones(64, 512)).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
";

#[test]
fn memory_of_a_program_is_told_apart_by_what_it_is_for() {
    let Some((_, document)) = of_script(TRAINED) else { return };
    let tables = document["sections"][0]["tables"].as_array().unwrap();
    let by_category = tables.iter().find(|table| table["id"] == "by_category").expect("categories");
    let column = |id: &str| {
        let columns = by_category["columns"].as_array().unwrap();
        columns.iter().position(|column| column["id"] == id).unwrap()
    };
    let (category, own_peak, end) = (column("category"), column("peak_bytes"), column("end_bytes"));
    let of = |name: &str, column: usize| {
        let rows = by_category["rows"].as_array().unwrap();
        rows.iter().find(|row| row[category] == name).and_then(|row| row[column].as_i64())
    };
    // By hand: floats of 4 bytes in matrices of 512 by 512 and of 512 by 256.
    let weights = 4 * (512 * 512 + 512 * 256);
    assert_eq!(of("parameter", own_peak), Some(weights));
    assert_eq!(of("parameter", end), Some(weights));
    // A momentum for each weight, kept from step to step; a gradient for each, given back before the next.
    assert_eq!(of("optimizer_state", own_peak), Some(weights));
    assert_eq!(of("gradient", own_peak), Some(weights));
    // The batch of 64 by 512.
    assert_eq!(of("input", own_peak), Some(4 * 64 * 512));
    // What the first layer gives, and what is kept of it for the way back.
    assert!(of("activation", own_peak) >= Some(4 * 64 * 512), "{by_category}");
}
