use std::time::Duration;

use serde_json::json;

use super::*;
use crate::ops::Call;

fn compile(text: &str) -> Script {
    Script::compile(text, "ops.rhai").unwrap_or_else(|error| panic!("{error}"))
}

/// The error of a function with this body.
fn failure(body: &str) -> ScriptError {
    let text = format!("// A comment.\nop(\"ID_X\", |cmd| {{\n{body}\n}});");
    // Steps are counted the same everywhere, time is not.
    let limits = Limits { time: Duration::from_secs(60), ..Limits::default() };
    let script = Script::compile_with(&text, "ops.rhai", limits).unwrap();
    script.work("ID_X", &json!({"shape": [2, 3]}), 2.0).expect_err(body)
}

#[test]
fn fields_of_a_command_become_work() {
    let script = compile(
        r#"
        fn padded(extent) { (extent + 15) / 16 * 16 }
        op("ID_PADDED", |cmd| {
            let n = product(cmd.shape.map(|extent| padded(extent)));
            #{ macs: n, bytes: n * cmd.element_bytes, symbol: "square" }
        });
        op("aten::mine", |cmd| #{ macs: 1, bytes: 1 });
        "#,
    );
    assert_eq!(script.types().collect::<Vec<_>>(), ["ID_PADDED", "aten::mine"]);
    assert!(script.defines("ID_PADDED") && !script.defines("ID_OTHER"));
    let work = script.work("ID_PADDED", &json!({"shape": [17, 3]}), 0.5).unwrap();
    assert_eq!(work, ScriptWork { macs: 512.0, bytes: 256.0, flops: 1024.0, symbol: "square" });
    assert_eq!(script.work("aten::mine", &json!({}), 1.0).unwrap().symbol, "diamond");
}

#[test]
fn constants_outside_of_functions_are_seen_inside() {
    let script = compile("let tile = 8;\nop(\"ID_X\", |cmd| #{ macs: tile, bytes: tile, flops: 3 });");
    let work = script.work("ID_X", &json!({}), 1.0).unwrap();
    assert_eq!((work.macs, work.bytes, work.flops), (8.0, 8.0, 3.0));
}

#[test]
fn numbers_of_all_kinds_and_types_of_the_catalogue() {
    let script = compile(
        r#"op("ID_X", |cmd| {
            let size = element_bytes(cmd.weight_type);
            let large = product([4000000000, 4000000000, 4000000000]);
            #{ macs: large, bytes: size * cmd.count + (if cmd.bias { 1 } else { 0 }) + cmd.nested.list[1] }
        });"#,
    );
    let record =
        json!({"weight_type": "int4", "count": 10, "bias": true, "nested": {"list": [0, 2.5]}, "note": null});
    let work = script.work("ID_X", &record, 1.0).unwrap();
    assert_eq!((work.macs, work.bytes), (6.4e28, 8.5));
}

#[test]
fn commands_have_their_type_and_may_replace_a_formula() {
    let script = compile("op(\"ID_MUL\", |cmd| #{ macs: 3, bytes: 8 * cmd.element_bytes });");
    let work = script.command("ID_MUL", r#"{"data_type": "INT4"}"#).unwrap().unwrap();
    assert_eq!((work.macs, work.flops, work.bytes, work.precision.name), (3.0, 6.0, 4.0, "int4"));
    assert!(script.command("ID_MM", "{}").is_none());
    assert!(script.command("ID_MUL", r#"{"data_type": "INT9"}"#).unwrap().unwrap_err().contains("INT9"));
    assert!(script.command("ID_MUL", "{").unwrap().is_err());
}

#[test]
fn recorded_operators() {
    let script = compile(
        r#"op("my::gelu", |cmd| {
            let x = cmd.inputs[0];
            let n = product(x.shape);
            #{ macs: n, flops: 8 * n, bytes: n * (x.element_bytes + cmd.element_bytes) }
        });"#,
    );
    let call = Call::parse("my::gelu", "[[4,5],[]]", r#"["c10::Half","Scalar"]"#, "", r#"["","1"]"#).unwrap();
    let work = script.recorded(&call).unwrap();
    assert_eq!((work.flops, work.bytes), (160.0, 80.0));
}

#[test]
fn errors_name_the_script_the_line_and_the_operator() {
    // What is written in the function, the line (the body begins in the third) and what the error must say.
    for (body, line, part) in [
        ("cmd.shap", Some(3), "shap"),
        ("let n = 1;\n  n + \"a\" * 2", Some(4), "*"),
        ("product(cmd)", Some(3), "product"),
        ("product([1, \"two\"])", Some(3), "string"),
        ("element_bytes(\"fp17\")", Some(3), "fp16"),
        ("throw \"not mine\"", Some(3), "not mine"),
        ("1 / 0", Some(3), "zero"),
        ("op(\"ID_Y\", |cmd| 1)", Some(3), "outside"),
        ("exit(3)", Some(3), "exit"),
        ("3", None, "not i64"),
        ("#{ macs: 1 }", None, "`bytes` is missing"),
        ("#{ bytes: 1 }", None, "`macs` is missing"),
        ("#{ macs: 1, byts: 1 }", None, "`byts`"),
        ("#{ macs: -1, bytes: 1 }", None, "`macs` is -1"),
        ("#{ macs: 1, bytes: 1.0 / 0.0 }", None, "`bytes` is inf"),
        ("#{ macs: 1, bytes: (0.0 / 0.0) }", None, "`bytes` is NaN"),
        ("#{ macs: \"1\", bytes: 1 }", None, "`macs` is string"),
        ("#{ macs: 1, bytes: 1, symbol: \"heart\" }", None, "`heart`"),
        ("#{ macs: 1, bytes: 1, symbol: 3 }", None, "`symbol`"),
    ] {
        let error = failure(body);
        assert_eq!(error.place.map(|(line, _)| line), line, "{body}: {error}");
        assert_eq!((error.script.as_str(), error.operator.as_deref()), ("ops.rhai", Some("ID_X")), "{body}");
        assert!(error.reason.contains(part), "{body}: {error}");
        assert!(error.to_string().starts_with("ops.rhai:"), "{error}");
    }
    assert_eq!(failure("\n   cmd.missing").place.map(|(line, _)| line), Some(4));
    assert!(failure("cmd.shap").to_string().starts_with("ops.rhai:3:"));
}

#[test]
fn what_is_not_a_script_is_said_with_its_line() {
    for (text, line, part) in [
        ("op(\"ID_X\", |cmd| {\n  let = 3;\n});", Some(2), "variable"),
        ("op(\"ID_X\", |cmd| #{ macs: 1, bytes: unknown });", Some(1), "unknown"),
        ("\nop(\"ID_X\");", Some(2), "op"),
        ("op(\"ID_X\", |cmd| 1);\nop(\"ID_X\", |cmd| 1);", Some(2), "twice"),
        ("eval(\"1\");", Some(1), "eval"),
        ("print(1);", Some(1), "print"),
        ("import \"file\" as f;", Some(1), "import"),
        ("open_file(\"/etc/passwd\");", Some(1), "open_file"),
        ("sleep(1);", Some(1), "sleep"),
        ("timestamp();", Some(1), "timestamp"),
        ("exit();", Some(1), "exit"),
        ("parse_json(\"1\");", Some(1), "parse_json"),
    ] {
        let Err(error) = Script::compile(text, "ops.rhai") else { panic!("{text}") };
        assert_eq!(error.place.map(|(line, _)| line), line, "{text}: {error}");
        assert!(error.to_string().contains(part), "{text}: {error}");
    }
}

#[test]
fn loops_that_do_not_end_memory_that_does_and_recursion_are_stopped() {
    for (body, part) in [
        ("loop { }", "steps"),
        ("let n = 0; while true { n += 1; }", "steps"),
        ("let s = \"x\"; loop { s += s; }", "text of more than"),
        ("let a = []; loop { a.push(1); }", "list of more than"),
        ("let a = [1]; loop { a += a; }", "list of more than"),
        ("let m = #{}; let i = 0; loop { m[i.to_string()] = i; i += 1; }", "more than"),
        (
            "let a = [0]; a.pad(1000, 0); let m = #{}; let i = 0; loop { m[i.to_string()] = a; i += 1; }",
            "more than",
        ),
        ("let a = [\"0123456789\"]; loop { a += a; }", "more than"),
        ("let s = \"x\"; s.pad(1000000000, \"y\"); s", "text of more than"),
        ("let a = [1]; a.pad(1000000000, 0); a", "list of more than"),
    ] {
        let error = failure(body);
        assert!(error.reason.contains(part), "{body}: {error}");
    }
    let text = "fn deeper(n) { deeper(n + 1) }\nop(\"ID_X\", |cmd| deeper(0));";
    let error = compile(text).work("ID_X", &json!({}), 1.0).unwrap_err();
    assert!(error.reason.contains("deep"), "{error}");
    // Outside of functions too.
    assert!(Script::compile("loop { }", "ops.rhai").is_err());
}

#[test]
fn time_is_limited_by_itself() {
    let limits = Limits { steps: u64::MAX, time: Duration::from_millis(20), ..Limits::default() };
    let script = Script::compile_with("op(\"ID_X\", |cmd| { loop { } });", "ops.rhai", limits).unwrap();
    // Nothing else would end it.
    let error = script.work("ID_X", &json!({}), 1.0).unwrap_err();
    assert!(error.reason.contains("longer than 20ms"), "{error}");
}

#[test]
fn a_failure_leaves_nothing_behind() {
    let script = compile(
        "let count = 0;\nop(\"ID_X\", |cmd| { if cmd.stop { throw \"stop\"; } #{ macs: 1, bytes: 2 } });",
    );
    for _ in 0..3 {
        script.work("ID_X", &json!({"stop": true}), 1.0).unwrap_err();
        assert_eq!(script.work("ID_X", &json!({"stop": false}), 1.0).unwrap().bytes, 2.0);
    }
    let error = script.work("ID_Z", &json!({}), 1.0).unwrap_err();
    assert!(error.to_string().contains("does not define"), "{error}");
    assert!(script.work("ID_X", &json!([1]), 1.0).unwrap_err().to_string().contains("object"));
}

#[test]
fn a_file_that_changes_is_read_again_and_a_wrong_one_is_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ops.rhai");
    let define = |macs: u32| format!("op(\"ID_X\", |cmd| #{{ macs: {macs}, bytes: 1 }});");
    std::fs::write(&path, define(1)).unwrap();
    let mut script = Script::read(&path).unwrap();
    let macs = |script: &Script| script.work("ID_X", &json!({}), 1.0).unwrap().macs;
    assert_eq!((script.reload_if_changed(), macs(&script)), (Ok(false), 1.0));
    // The same length, within the same tick of the clock of the file system.
    std::fs::write(&path, define(2)).unwrap();
    assert_eq!((script.reload_if_changed(), macs(&script)), (Ok(true), 2.0));
    std::fs::write(&path, "op(").unwrap();
    assert!(script.reload_if_changed().is_err());
    assert_eq!(macs(&script), 2.0);
    std::fs::remove_file(&path).unwrap();
    let error = script.reload_if_changed().unwrap_err();
    assert!(error.to_string().contains("cannot be read"), "{error}");
    assert_eq!(compile("").reload_if_changed(), Ok(false));
    assert!(Script::read(&path).is_err());
}
