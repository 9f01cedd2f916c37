//! What other operators and kernels say where old recordings have neither scalars nor shapes of lists.

use eaves_model::{Extent, MaybeI64, Trace};
use eaves_roofline::{Settings, device};

use crate::roofline::{OperatorRow, Scope, TracePoints, trace_points, trace_section};
use crate::section::Value;
use crate::test_threads::ThreadTrace;
use crate::test_trace::column;
use crate::{Options, RankView};

fn points(trace: &Trace) -> TracePoints {
    let options = Options::default();
    trace_points(&RankView::new(trace, &options))
}

/// Says what the last operator was called with, without scalars.
fn called_with(test: &mut ThreadTrace, dims: &str, types: &str) {
    let trace = &mut test.trace;
    let [dims, types] = [dims, types].map(|text| trace.strings.intern(text));
    *trace.ops.input_dims.last_mut().unwrap() = dims;
    *trace.ops.input_types.last_mut().unwrap() = types;
}

fn launched_with(test: &mut ThreadTrace, grid: [u32; 3]) {
    let last = test.trace.gpu.grid.len() - 1;
    test.trace.gpu.grid.set(last, Extent(grid));
}

const CAT: &str = "CatArrayBatchedCopy<float, unsigned int, 2, 64, 64>";

/// A `cat` without shapes, in which one kernel copies this many parts.
fn cat(test: &mut ThreadTrace, start: i64, parts: u32) {
    test.op(1, "aten::cat", (start, start + 10));
    called_with(test, "[[],[]]", r#"["TensorList","Scalar"]"#);
    test.launch(1, start, (start + 1, start + 2)).kernel(7, CAT, start, (start + 50, start + 60));
    launched_with(test, [216, parts, 1]);
}

/// `work_from` of the only row.
fn work_from(points: &TracePoints) -> Value {
    let device = device::find("h100-sxm").unwrap();
    let section = trace_section(points, Scope { ranks: 1, steps: 0 }, &device, &Settings::default());
    column(&section, "by_arguments", "work_from")[0].clone()
}

fn only(points: &TracePoints) -> &OperatorRow {
    assert_eq!(points.rows.len(), 1);
    &points.rows[0]
}

#[test]
fn the_gradients_of_a_split_are_what_is_put_together() {
    for (gradients, parts, expected) in [
        ("[[8,3],[8,5]]", 2, Some(2.0 * 4.0 * 64.0)),
        // More than an operator has arguments.
        ("[[8,3],[8,5],[8,1],[8,7],[8,4]]", 5, Some(2.0 * 4.0 * 160.0)),
        // A kernel is missing.
        ("[[8,3],[8,5]]", 1, None),
        // What nobody used has a gradient of zeros.
        ("[[8,3],[]]", 2, None),
    ] {
        let mut test = ThreadTrace::default();
        test.op(1, "SplitWithSizesBackward0", (0, 100));
        let is_missing = |part: &str| part.starts_with(']');
        let kind = |part: &str| if is_missing(part) { r#""""# } else { r#""float""# };
        let types: Vec<&str> = gradients[1..].split('[').skip(1).map(kind).collect();
        called_with(&mut test, gradients, &format!("[{}]", types.join(",")));
        cat(&mut test, 10, parts);
        let points = points(&test.trace);
        let row = only(&points);
        assert_eq!(row.name, "aten::cat");
        assert_eq!(row.load.as_ref().ok().map(|load| load.bytes), expected, "{:?}", row.load);
        if expected.is_some() {
            assert_eq!(work_from(&points), "arguments of the enclosing operator".into());
        }
    }
}

#[test]
fn the_function_and_the_next_operator_agree_on_a_result() {
    for (next, expected) in [("[[16,3],[]]", Some(2.0 * 4.0 * 48.0)), ("[[16,4],[]]", None)] {
        let mut test = ThreadTrace::default();
        test.op(1, "All2All_Pooled_WaitBackward", (0, 100));
        called_with(&mut test, "[[8,6]]", r#"["float"]"#);
        cat(&mut test, 10, 3);
        test.op(1, "fbgemm::FloatToFP8RowwiseQuantized", (30, 40));
        called_with(&mut test, next, r#"["float","Scalar"]"#);
        let points = points(&test.trace);
        let row = only(&points);
        assert_eq!(row.load.as_ref().ok().map(|load| load.bytes), expected, "{next}");
        if expected.is_some() {
            assert_eq!(work_from(&points), "arguments of the enclosing operator and of the next".into());
        }
    }
}

#[test]
fn kernels_say_which_gradients_of_a_convolution_were_asked_for() {
    let mut test = ThreadTrace::default();
    let (data, weights) = ("cudnn::cnn::dgrad2d_kernel<float>", "sm80_xmma_wgrad_implicit_gemm_tf32f32");
    for (number, kernels) in [(1, vec![weights]), (2, vec![data, weights])] {
        let start = 1000 * number;
        test.op(1, "aten::convolution_backward", (start, start + 100));
        called_with(
            &mut test,
            "[[1,64,112,112],[1,3,224,224],[64,3,7,7],[],[],[],[],[],[],[],[]]",
            r#"["float","float","float","","","","","","","",""]"#,
        );
        for (kernel, place) in kernels.into_iter().zip(0..) {
            let (launch, begin) = (start + 10 * place, start + 200 + 100 * place);
            test.launch(1, launch, (launch, launch + 1)).kernel(7, kernel, launch, (begin, begin + 100));
            launched_with(&mut test, [64, 1, 1]);
        }
    }
    let points = points(&test.trace);
    let loads: Vec<_> = points.rows.iter().map(|row| row.load.as_ref().unwrap()).collect();
    assert_eq!(loads.iter().map(|load| load.flops).collect::<Vec<_>>(), [472_055_808.0, 236_027_904.0]);
    assert!(loads.iter().all(|load| load.assumes.contains("kernel names")));
}

#[test]
fn a_reduction_is_at_least_what_it_reads_unless_its_gradient_says_more() {
    for has_gradient in [false, true] {
        let mut test = ThreadTrace::default();
        test.op(1, "aten::sum", (0, 10));
        called_with(&mut test, "[[64,512],[],[],[]]", r#"["float","","Scalar",""]"#);
        *test.trace.ops.sequence_number.last_mut().unwrap() = MaybeI64::new(5);
        test.launch(1, 1, (1, 2)).kernel(7, "reduce_kernel", 1, (100, 110));
        if has_gradient {
            test.backward(2, "SumBackward1", (20, 30));
            called_with(&mut test, "[[64]]", r#"["float"]"#);
            *test.trace.ops.sequence_number.last_mut().unwrap() = MaybeI64::new(5);
        }
        let points = points(&test.trace);
        let load = only(&points).load.as_ref().unwrap();
        let result = if has_gradient { 4.0 * 64.0 } else { 0.0 };
        assert_eq!((load.flops, load.bytes), (32768.0, 4.0 * 32768.0 + result));
        assert_eq!(load.at_least, !has_gradient);
        assert_eq!(load.assumes.contains("left out"), !has_gradient);
    }
}
