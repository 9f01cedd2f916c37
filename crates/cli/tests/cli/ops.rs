//! `eaves ops`: formulas are listed, scripts are checked and tried on commands.

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Answer, run};

const SCRIPT: &str = r#"// Operators of our own.
fn rounded(extent, tile) { (extent + tile - 1) / tile * tile }

op("ID_SOFTMAX", |cmd| {
    let n = product(cmd.input_shape);
    #{ macs: 0, flops: 5 * n, bytes: 2 * n * cmd.element_bytes, symbol: "triangle-up" }
});

op("ID_MM", |cmd| {
    let n = rounded(cmd.input_mat2[-1], 16);
    #{ macs: product(cmd.input_mat1) * n, bytes: 1 }
});
"#;

/// FP16 softmax of 8 * 128, a product of 4 * 8 and 8 * 5, and a type that the script does not define.
const COMMANDS: &str = r#"[
    {"type": "ID_SOFTMAX", "name": "soft", "data_type": "FP16", "input_shape": [8, 128], "time_ns": 1},
    {"type": "ID_MM", "name": "mm", "data_type": "INT8", "input_mat1": [4, 8], "input_mat2": [8, 5]},
    {"type": "ID_OTHER", "name": "other"}
]"#;

fn folder(script: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ops.rhai"), script).unwrap();
    std::fs::write(folder.path().join("commands.json"), COMMANDS).unwrap();
    folder
}

fn check(folder: &Path) -> Answer {
    run(folder, &["ops", "check", "ops.rhai", "--input", "commands.json"])
}

fn rows(answer: &Answer, table: &str) -> Vec<Value> {
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""));
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(document["schema"], "eaves.ops/1");
    let tables = document["sections"][0]["tables"].as_array().unwrap();
    let found = tables.iter().find(|candidate| candidate["id"] == table).unwrap();
    found["rows"].as_array().unwrap().clone()
}

/// The symbols that scripts of the first tool of that format use are drawn, each as itself.
#[test]
fn crosses_and_xs_are_symbols() {
    let script = r#"op("ID_SOFTMAX", |cmd| { #{ macs: 64, bytes: 64, symbol: "cross" } });
op("ID_MM", |cmd| { #{ macs: 128, bytes: 64, symbol: "x" } });"#;
    let folder = folder(script);
    let answer = run(folder.path(), &["ops", "check", "ops.rhai", "--input", "commands.json", "--json"]);
    let symbols: Vec<Value> = rows(&answer, "commands").iter().map(|row| row[5].clone()).collect();
    assert_eq!(symbols, ["cross", "x"]);
    std::fs::write(folder.path().join("npu.json"), r#"{"peak_tops": 32, "mem_bw": 50}"#).unwrap();
    let arguments = ["roofline", "commands.json", "--ops", "ops.rhai", "--config", "npu.json", "-o", "x.svg"];
    let answer = run(folder.path(), &arguments);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let drawing = std::fs::read_to_string(folder.path().join("x.svg")).unwrap();
    // Twelve corners each, where a diamond has four.
    let corners = |path: &str| path.matches('L').count() + 1;
    let paths: Vec<&str> = drawing.split(" d=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(paths.iter().filter(|path| corners(path) == 12).count() >= 2, "{paths:?}");
    assert!(drawing.contains("custom (cross)") && drawing.contains("custom (x)"), "{drawing}");
}

#[test]
fn a_script_is_tried_on_the_commands_of_its_types() {
    let folder = folder(SCRIPT);
    let answer = run(folder.path(), &["ops", "check", "ops.rhai", "--input", "commands.json", "--json"]);
    let commands = rows(&answer, "commands");
    let expected = [
        r#"["soft","ID_SOFTMAX",0,5120,4096,"triangle-up"]"#,
        // 5 columns are rounded up to 16: 4 * 8 * 16.
        r#"["mm","ID_MM",512,1024,1,"diamond"]"#,
    ];
    assert_eq!(commands.iter().map(Value::to_string).collect::<Vec<_>>(), expected);
    let defined = rows(&answer, "defined");
    let expected = [r#"["ID_SOFTMAX","no",1]"#, r#"["ID_MM","yes",1]"#];
    assert_eq!(defined.iter().map(Value::to_string).collect::<Vec<_>>(), expected);
    let alone = run(folder.path(), &["ops", "check", "ops.rhai"]);
    assert_eq!((alone.code, alone.stderr.as_str()), (Some(0), ""));
    assert!(alone.stdout.contains("ID_SOFTMAX"), "{}", alone.stdout);
}

#[test]
fn what_a_script_does_wrong_is_told_with_its_line_and_operator() {
    for (body, parts) in [
        ("loop { }", ["ID_SOFTMAX", "steps"]),
        ("let text = \"x\"; loop { text += text; }", ["ID_SOFTMAX", "more than"]),
        ("let list = [1]; loop { list += list; }", ["ID_SOFTMAX", "more than"]),
        ("fn_that_is_not_there(1)", ["ops.rhai:2:", "fn_that_is_not_there"]),
        ("cmd.input_shap", ["ops.rhai:2:", "input_shap"]),
        ("1 + \"one\" * 2", ["ops.rhai:2:", "ID_SOFTMAX"]),
        ("#{ macs: -3, bytes: 1 }", ["ID_SOFTMAX", "`macs` is -3"]),
    ] {
        let folder = folder(&format!("op(\"ID_SOFTMAX\", |cmd| {{\n{body}\n}});"));
        let answer = check(folder.path());
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{body}");
        for part in parts {
            assert!(answer.stderr.contains(part), "{body}: {}", answer.stderr);
        }
        assert!(answer.stderr.contains("hint: "), "{}", answer.stderr);
    }
    let deep = folder("fn deeper(n) { deeper(n + 1) }\nop(\"ID_SOFTMAX\", |cmd| deeper(0));");
    let answer = check(deep.path());
    assert!(answer.code == Some(2) && answer.stderr.contains("deep"), "{answer:?}");
}

#[test]
fn what_is_not_a_script_is_told_with_its_line() {
    for (script, part) in [
        ("op(\"ID_X\", |cmd| {\n  let = 3;\n});", "ops.rhai:2:"),
        ("\n\nprint(1);", "ops.rhai:3:"),
        ("import \"/etc/passwd\" as file;", "ops.rhai:1:"),
        ("loop { }", "steps"),
    ] {
        let folder = folder(script);
        let answer = run(folder.path(), &["ops", "check", "ops.rhai"]);
        assert!(answer.code == Some(2) && answer.stderr.contains(part), "{script}: {answer:?}");
    }
    let empty = tempfile::tempdir().unwrap();
    let answer = run(empty.path(), &["ops", "check", "ops.rhai"]);
    assert!(answer.code == Some(2) && answer.stderr.contains("cannot be read"), "{answer:?}");
}

#[test]
fn formulas_are_listed_by_family() {
    let folder = tempfile::tempdir().unwrap();
    let all = rows(&run(folder.path(), &["ops", "list", "--json"]), "operators");
    let named = |name: &str| all.iter().filter(|row| row[1] == name).count();
    for name in
        ["aten::_softmax", "aten::cat", "aten::gelu", "aten::index_select", "aten::_fused_adamw_", "ID_CONV"]
    {
        assert_eq!(named(name), 1, "{name}");
    }
    let rope = rows(&run(folder.path(), &["ops", "list", "--family", "rope", "--json"]), "operators");
    assert!(!rope.is_empty() && rope.iter().all(|row| row[0] == "rope"));
    let wrong = run(folder.path(), &["ops", "list", "--family", "rop"]);
    assert!(wrong.code == Some(2) && wrong.stderr.contains("did you mean rope?"), "{wrong:?}");
}

/// A formula of the user is the work of a recorded operator too, and wins over ours.
#[test]
fn scripts_say_the_work_of_recorded_operators() {
    let directory = tempfile::tempdir().unwrap();
    let trace = r#"[
        {"ph": "X", "cat": "cpu_op", "name": "my::op", "pid": 1, "tid": 1, "ts": 0, "dur": 20,
         "args": {"External id": 1, "Input Dims": [[8, 4]], "Input type": ["float"], "Concrete Inputs": [""]}},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 5, "dur": 5,
         "args": {"correlation": 7, "External id": 1}},
        {"ph": "X", "cat": "kernel", "name": "mine", "pid": 0, "tid": 7, "ts": 30, "dur": 10,
         "args": {"correlation": 7, "External id": 1, "device": 0, "stream": 7}}]"#;
    std::fs::write(directory.path().join("trace.json"), trace).unwrap();
    let arguments = ["roofline", "trace.json", "--device", "h100-sxm", "--json"];
    let row = |expected: usize| {
        let answer = run(directory.path(), &arguments);
        assert_eq!(answer.code, Some(0), "{answer:?}");
        let found: Value = serde_json::from_str(&answer.stdout).unwrap();
        let points = &found["sections"][0]["tables"][0];
        let rows = points["rows"].as_array().unwrap().clone();
        assert_eq!(rows.len(), expected, "{rows:?}");
        let columns = points["columns"].as_array().unwrap().clone();
        move |id: &str| {
            let index = columns.iter().position(|column| column["id"] == id).unwrap();
            rows[0][index].clone()
        }
    };
    drop(row(0));
    // 8 x 4 elements: 64 multiply-adds by the script, 128 bytes read.
    let script = r#"op("my::op", |cmd| #{
        macs: 2 * product(cmd.inputs[0].shape),
        bytes: product(cmd.inputs[0].shape) * cmd.element_bytes,
    });"#;
    std::fs::write(directory.path().join("ops.rhai"), script).unwrap();
    let cell = row(1);
    assert_eq!((cell("flops"), cell("macs"), cell("bytes")), (128.0.into(), 64.0.into(), 128.0.into()));
    assert_eq!((cell("kind"), cell("time_ns")), ("script".into(), 10_000.into()));
}
