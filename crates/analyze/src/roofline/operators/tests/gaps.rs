//! Why busy time has no roofline model.

use eaves_model::Trace;
use eaves_roofline::{Settings, device};

use crate::roofline::{Scope, trace_points, trace_section};
use crate::section::{Section, Value};
use crate::test_threads::ThreadTrace;
use crate::test_trace::{column, integers, number, texts};
use crate::{Options, RankView};

fn section(trace: &Trace) -> Section {
    let options = Options::default();
    let points = trace_points(&RankView::new(trace, &options));
    let device = device::find("h100-sxm").unwrap();
    trace_section(&points, Scope { ranks: 1, steps: 0 }, &device, &Settings::default())
}

/// An operator with these arguments that launches a kernel of this many nanoseconds.
fn launched(test: &mut ThreadTrace, name: &str, arguments: [&str; 3], at: i64, time: i64) {
    test.op(1, name, (at, at + 10));
    let trace = &mut test.trace;
    let [dims, types, concrete] = arguments.map(|text| trace.strings.intern(text));
    *trace.ops.input_dims.last_mut().unwrap() = dims;
    *trace.ops.input_types.last_mut().unwrap() = types;
    *trace.ops.concrete_inputs.last_mut().unwrap() = concrete;
    test.launch(1, at, (at + 1, at + 2)).kernel(7, "kernel", at, (at + 1000, at + 1000 + time));
}

const LIST: &str = r#"["TensorList","Scalar"]"#;
const SCALAR: &str = r#"["Scalar"]"#;
const FLOATS: &str = r#"["float","float"]"#;

/// One of each that a recording of PyTorch may have.
fn trace() -> ThreadTrace {
    let mut test = ThreadTrace::default();
    launched(&mut test, "aten::mm", ["[[64,64],[64,64]]", FLOATS, r#"["",""]"#], 10_000, 100);
    launched(&mut test, "aten::add", ["", "", ""], 20_000, 80);
    // Shapes of the list are missing, which the scalar behind it says.
    launched(&mut test, "aten::cat", ["[[],[]]", LIST, ""], 30_000, 70);
    launched(&mut test, "aten::cat", ["[[],[]]", LIST, r#"["","1"]"#], 40_000, 60);
    launched(&mut test, "my::op", ["[[64]]", r#"["float"]"#, r#"[""]"#], 50_000, 50);
    // Everything is there, and does not fit.
    launched(&mut test, "aten::mm", ["[[64,63],[64,64]]", FLOATS, r#"["",""]"#], 60_000, 40);
    test.launch(1, 9, (70_000, 70_001)).kernel(7, "outside", 9, (71_000, 71_030));
    test.kernel(7, "early", 99, (1000, 1020));
    test
}

#[test]
fn every_cause_is_named_with_its_time() {
    let section = section(&trace().trace);
    let causes = [
        "scalars or list shapes not recorded",
        "shapes not recorded",
        "no formula",
        "formula without a result",
        "launched outside operators",
        "launch not recorded",
    ];
    assert_eq!(column(&section, "gaps", "cause"), texts(causes));
    assert_eq!(column(&section, "gaps", "counted_ns"), integers([130, 80, 50, 40, 30, 20]));
    assert_eq!(column(&section, "gaps", "calls"), integers([2, 1, 1, 1, 1, 1]));
    let missing = ["recording", "recording", "formulas", "formulas", "recording", "recording"];
    assert_eq!(column(&section, "gaps", "missing_from"), texts(missing));
    // With the 100 that have a model they are all of the busy time.
    assert_eq!(number(&section, "busy_ns", None), Value::Integer(450));
    assert_eq!(number(&section, "unrecorded_ns", None), Value::Integer(260));
    let finding = section.findings.iter().find(|finding| finding.id == "roofline_coverage").unwrap();
    for part in
        ["operators without recorded scalars or list shapes (28.9%: `aten::cat`)", "`my::op`", "`early`"]
    {
        assert!(finding.claim.contains(part), "{}", finding.claim);
    }
    for part in ["record_shapes=True", "PyTorch 2.1", "warm-up", "--ops"] {
        assert!(finding.next.contains(part), "{}", finding.next);
    }
}

#[test]
fn without_gaps_the_table_is_empty() {
    let mut test = ThreadTrace::default();
    launched(&mut test, "aten::mm", ["[[64,64],[64,64]]", FLOATS, r#"["",""]"#], 10_000, 100);
    launched(&mut test, "aten::item", ["[[]]", SCALAR, r#"["1"]"#], 20_000, 0);
    let section = section(&test.trace);
    assert!(column(&section, "gaps", "cause").is_empty());
    assert_eq!(number(&section, "unrecorded_ns", None), Value::Integer(0));
}
