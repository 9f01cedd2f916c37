//! Rows by real formulas: what the arguments leave open, and what follows on a device.

use std::path::Path;

use eaves_model::{Extent, MaybeI64, Ns, Trace};
use eaves_roofline::{Settings, device, ops};

use crate::roofline::{OperatorRow, Scope, TracePoints, trace_points, trace_section};
use crate::section::{Section, Value};
use crate::test_threads::ThreadTrace;
use crate::test_trace::{column, number, texts};
use crate::{Options, RankView};

fn points(trace: &Trace) -> TracePoints {
    let options = Options::default();
    trace_points(&RankView::new(trace, &options))
}

/// Says what the last operator was called with.
fn called_with(test: &mut ThreadTrace, dims: &str, types: &str, concrete: &str) {
    let trace = &mut test.trace;
    let [dims, types, concrete] = [dims, types, concrete].map(|text| trace.strings.intern(text));
    *trace.ops.input_dims.last_mut().unwrap() = dims;
    *trace.ops.input_types.last_mut().unwrap() = types;
    *trace.ops.concrete_inputs.last_mut().unwrap() = concrete;
}

/// Says how many blocks the last kernel was launched with.
fn launched_with(test: &mut ThreadTrace, blocks: u32) {
    let last = test.trace.gpu.grid.len() - 1;
    test.trace.gpu.grid.set(last, Extent([blocks, 1, 1]));
}

fn bytes(row: &OperatorRow) -> f64 {
    row.load.as_ref().unwrap().bytes
}

const SQUARES: &str = "[[4096,4096],[4096,4096]]";
const BF16: &str = r#"["c10::BFloat16","c10::BFloat16"]"#;

#[test]
fn an_operator_that_calls_others_owns_time_only_if_nothing_inside_has_a_formula() {
    let mut test = ThreadTrace::default();
    test.op(1, "aten::linear", (0, 20));
    called_with(&mut test, "[[8,16],[4,16],[]]", r#"["float","float",""]"#, r#"["","",""]"#);
    test.op(1, "aten::mm", (2, 10));
    called_with(&mut test, "[[8,16],[16,4]]", r#"["float","float"]"#, r#"["",""]"#);
    test.launch(1, 1, (3, 4)).op(1, "aten::linear", (30, 50));
    called_with(&mut test, "[[8,16],[4,16],[]]", r#"["float","float",""]"#, r#"["","",""]"#);
    test.launch(1, 2, (33, 34)).kernel(7, "gemm", 1, (100, 110)).kernel(7, "gemm", 2, (110, 115));
    let points = points(&test.trace);
    let names: Vec<_> = points.rows.iter().map(|row| (row.name.as_str(), row.time())).collect();
    assert_eq!(names, [("aten::mm", Ns(10)), ("aten::linear", Ns(5))]);
    // 8x16 and 16x4 read, 8x4 written, four bytes each.
    assert_eq!([0, 1].map(|row| bytes(&points.rows[row])), [896.0, 896.0]);
}

#[test]
fn the_kernel_tells_the_type_of_a_list() {
    let mut test = ThreadTrace::default();
    for (number, size) in [(1, "2u"), (2, "4u"), (3, "2u")] {
        let start = 100 * number;
        test.op(1, "aten::cat", (start, start + 20));
        called_with(&mut test, "[[[2,3],[2,3]],[]]", r#"["TensorList","Scalar"]"#, r#"["","0"]"#);
        let kernel = format!("CatArrayBatchedCopy<OpaqueType<{size}>, unsigned int, 2>");
        test.launch(1, number, (start + 1, start + 2)).kernel(7, &kernel, number, (start + 50, start + 60));
    }
    let points = points(&test.trace);
    let rows: Vec<_> = points.rows.iter().map(|row| (row.times.count(), bytes(row))).collect();
    // Twelve elements read and written.
    assert_eq!(rows, [(2, 48.0), (1, 96.0)]);
}

/// A layer of experts is told by the blocks of its own kernels; what operators inside launched is theirs, and another number
/// of blocks is another row.
#[test]
fn the_blocks_that_an_operator_launched_tell_what_its_arguments_leave_open() {
    let mut test = ThreadTrace::default();
    let up = "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu";
    let down = "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1";
    // 32 tokens choose four or two of 32 experts: at most 38 or 34 blocks of 16 rows.
    for (number, row_blocks) in [(1, 38), (2, 34), (3, 38), (4, 5)] {
        let start = 1000 * number;
        test.op(1, "vllm::moe_forward", (start, start + 500));
        let types = r#"["c10::BFloat16","c10::BFloat16","",""]"#;
        called_with(&mut test, "[[32,3072],[32,32],[],[]]", types, r#"["","","",""]"#);
        test.op(1, "TopK", (start + 10, start + 50));
        called_with(&mut test, "[[32,32],[]]", r#"["c10::BFloat16","Scalar"]"#, r#"["","4"]"#);
        test.launch(1, 10 * number, (start + 20, start + 30));
        test.launch(1, 10 * number + 1, (start + 100, start + 110));
        test.launch(1, 10 * number + 2, (start + 200, start + 210));
        test.kernel(7, "_topk", 10 * number, (start + 300, start + 310));
        test.kernel(7, up, 10 * number + 1, (start + 310, start + 330));
        launched_with(&mut test, 46 * row_blocks);
        test.kernel(7, down, 10 * number + 2, (start + 330, start + 340));
        launched_with(&mut test, 24 * row_blocks);
    }
    let points = points(&test.trace);
    let product = 2.0 * 3.0 * 32.0 * 3072.0 * 2944.0;
    let rows: Vec<_> = points
        .rows
        .iter()
        .map(|row| {
            (row.name.as_str(), row.times.count(), row.time(), row.load.as_ref().map(|load| load.flops).ok())
        })
        .collect();
    // The sum of what a token's experts gave is 2k - 1 for an element.
    let sums = |top_k: f64| 32.0 * 3072.0 * (2.0 * top_k - 1.0);
    assert_eq!(
        rows,
        [
            ("vllm::moe_forward", 2, Ns(60), Some(4.0 * product + sums(4.0))),
            ("TopK", 4, Ns(40), Some(5.0 * 1024.0)),
            ("vllm::moe_forward", 1, Ns(30), Some(2.0 * product + sums(2.0))),
            ("vllm::moe_forward", 1, Ns(30), None),
        ]
    );
    assert!(points.rows[3].load.as_ref().unwrap_err().contains("do not fit"));
    let assumed = column(&section(&test.trace, 1), "by_arguments", "assumes");
    assert!(matches!(&assumed[0], Value::Text(text) if text.contains("blocks")), "{assumed:?}");
}

/// Prompts whose lengths before are not known have a least work, and no distance to their roof.
#[test]
fn what_is_at_least_has_no_headroom() {
    let mut test = ThreadTrace::default();
    test.annotation(1, "execute_context_1(1024)_generation_0(0)", (0, 100));
    test.op(1, "vllm::unified_attention_with_output", (10, 50));
    let tensor = r#""c10::BFloat16""#;
    called_with(
        &mut test,
        "[[1024,32,128],[1024,8,128],[1024,8,128],[1024,32,128]]",
        &format!("[{tensor},{tensor},{tensor},{tensor}]"),
        r#"["","","",""]"#,
    );
    test.launch(1, 1, (20, 30)).kernel(7, "fmha", 1, (100, 1_000_100));
    let points = points(&test.trace);
    let load = points.rows[0].load.as_ref().unwrap();
    assert_eq!(load.flops, 4.0 * 128.0 * 32.0 * 1024.0 * 1025.0 / 2.0);
    assert!(load.at_least);
    let section = section(&test.trace, 1);
    let assumed = column(&section, "by_arguments", "assumes");
    assert!(matches!(&assumed[0], Value::Text(text) if text.starts_with("at least")), "{assumed:?}");
    assert!(section.findings.iter().all(|finding| finding.id != "roofline_headroom"));
}

#[test]
fn a_backward_function_has_the_work_of_its_forward_operator() {
    let arguments = (
        "[[1,3,8,8],[4,3,3,3],[4],[],[]]",
        r#"["float","float","float","Scalar","Scalar"]"#,
        r#"["","","","1","1"]"#,
    );
    let mut test = ThreadTrace::default();
    test.op(1, "ConvBias_", (0, 20));
    called_with(&mut test, arguments.0, arguments.1, arguments.2);
    *test.trace.ops.sequence_number.last_mut().unwrap() = MaybeI64::new(7);
    test.backward(2, "autograd::engine::evaluate_function: ConvBias_Backward", (30, 60));
    *test.trace.ops.sequence_number.last_mut().unwrap() = MaybeI64::new(7);
    test.op(2, "ConvBias_Backward", (31, 59)).launch(2, 1, (33, 34)).kernel(7, "wgrad", 1, (100, 130));
    let points = points(&test.trace);
    let row = &points.rows[0];
    assert_eq!(row.name, "autograd::engine::evaluate_function: ConvBias_Backward");
    assert_eq!((row.of.as_str(), row.arguments.dims.as_str()), ("ConvBias_", arguments.0));
    let call = ops::Call::parse("ConvBias_", arguments.0, arguments.1, "", arguments.2).unwrap();
    let work = ops::formula("ConvBias_").unwrap().backward.unwrap()(&call).unwrap();
    assert_eq!((row.load.as_ref().unwrap().flops, bytes(row)), (work.flops, work.bytes()));
}

#[test]
fn the_step_of_a_server_tells_how_long_sequences_are() {
    let mut test = ThreadTrace::default();
    let step = "execute_1_context_1(sq4sk4sqsq16sqsk16)_generation_0(sq0sk0sqsq0sqsk0)";
    test.annotation(1, step, (0, 100));
    for (number, start) in [(1, 10), (2, 200)] {
        test.op(1, "aiter::mha_varlen_fwd", (start, start + 20));
        let types = r#"["c10::BFloat16","c10::BFloat16","c10::BFloat16"]"#;
        called_with(&mut test, "[[4,2,8],[4,2,8],[4,2,8]]", types, r#"["","",""]"#);
        test.launch(1, number, (start + 1, start + 2)).kernel(7, "fmha", number, (start + 300, start + 310));
    }
    let points = points(&test.trace);
    let row = |is_in: bool| points.rows.iter().find(|row| row.arguments.step.is_empty() != is_in).unwrap();
    // Ten pairs of queries and keys, two heads, a product and a sum over eight, for scores and for values.
    assert_eq!(row(true).load.as_ref().unwrap().flops, 10.0 * 2.0 * 2.0 * 16.0);
    assert!(row(false).load.as_ref().unwrap_err().contains("not recorded"));
}

/// 1000 GB/s and 100 TFLOP/s.
fn section(trace: &Trace, steps: u64) -> Section {
    let text = r#"{"name": "X", "mem_bw_gbps": 1000, "max_achievable_tflops": {"matrix_bf16": 100}}"#;
    let devices = device::parse(text, Path::new("x.json")).unwrap();
    trace_section(&points(trace), Scope { ranks: 1, steps }, &devices[0], &Settings::default())
}

#[test]
fn headroom_is_time_above_the_best_time() {
    // 2 * 4096^3 operations at 100 TFLOP/s take 1 374 389.5 ns.
    let mut test = ThreadTrace::default();
    test.op(1, "aten::mm", (0, 20));
    called_with(&mut test, SQUARES, BF16, r#"["",""]"#);
    test.launch(1, 1, (3, 4)).kernel(7, "gemm", 1, (100, 100 + 2_748_779));
    let section = section(&test.trace, 2);
    assert_eq!(column(&section, "by_operator", "name"), texts(["aten::mm"]));
    assert_eq!(column(&section, "by_operator", "ideal_ns"), [Value::Integer(1_374_390)]);
    assert_eq!(number(&section, "unattributed_ns", None), Value::Integer(0));
    assert_eq!(number(&section, "covered_pct", None), Value::Float(100.0));
    let finding = &section.findings[0];
    assert_eq!((finding.id, section.findings.len()), ("roofline_headroom", 1));
    assert!(finding.claim.contains("50.0% of its roof"), "{}", finding.claim);
    let gain = finding.gain.as_ref().unwrap();
    // Half of it for each of two steps; at 70 % of the roof the call takes 1 963 413.6 ns.
    assert_eq!((gain.low, gain.high, gain.per_step), (Ns(392_682), Ns(687_194), true));
}

#[test]
fn what_cannot_be_and_what_is_not_known_is_said() {
    let mut test = ThreadTrace::default();
    test.op(1, "aten::mm", (0, 20));
    called_with(&mut test, SQUARES, BF16, r#"["",""]"#);
    test.launch(1, 1, (3, 4)).kernel(7, "gemm", 1, (100, 1_000_100));
    test.op(1, "my::op", (30, 40)).launch(1, 2, (33, 34)).kernel(7, "mine", 2, (2_000_000, 3_000_000));
    let section = section(&test.trace, 0);
    let ids: Vec<_> = section.findings.iter().map(|finding| finding.id).collect();
    assert_eq!(ids, ["above_roof", "roofline_coverage"]);
    assert!(
        section.findings[0].claim.starts_with("50.0% of the busy time is above the roof (one operator)"),
        "{:?}",
        section.findings
    );
    assert_eq!(
        section.findings[1].claim,
        "50.0% of the busy time (excluding communication) has no roofline model: operators without a formula (50.0%: `my::op`)"
    );
    assert_eq!(column(&section, "unmodelled", "name"), texts(["my::op"]));
    let counted = column(&section, "by_class", "counted_ns");
    assert_eq!(counted, [1_000_000, 1_000_000, 0, 0].map(Value::Integer));
}

#[test]
fn the_kernel_tells_what_an_fp32_operator_is_computed_in() {
    let mut test = ThreadTrace::default();
    let kernels = [
        "cutlass_80_tensorop_s1688gemm_128x256_32x3_tn_align1",
        "ampere_sgemm_128x64_tn",
        "splitKreduce_kernel",
    ];
    for (number, kernel) in (1..).zip(kernels) {
        let start = 1000 * number;
        test.op(1, "aten::addmm", (start, start + 20));
        let types = r#"["float","float","float","Scalar","Scalar"]"#;
        called_with(&mut test, "[[512],[1024,9375],[9375,512],[],[]]", types, r#"["","","","1","1"]"#);
        test.launch(1, number, (start + 1, start + 2)).kernel(7, kernel, number, (start + 50, start + 277));
    }
    let found = points(&test.trace);
    let text = r#"{"name": "A100", "mem_bw_gbps": 1555, "max_achievable_tflops": {"matrix_tf32": 156, "vector_fp32": 19.5}}"#;
    let devices = device::parse(text, Path::new("x.json")).unwrap();
    let section = trace_section(&found, Scope { ranks: 1, steps: 0 }, &devices[0], &Settings::default());
    let rows: Vec<_> = column(&section, "by_arguments", "computed_in")
        .into_iter()
        .zip(column(&section, "by_arguments", "precision_from"))
        .zip(column(&section, "by_arguments", "calls"))
        .collect();
    let row = |text: &str, from: &str, calls| ((Value::from(text), Value::from(from)), Value::Integer(calls));
    assert_eq!(rows, [row("fp32 matrix", "operator", 2), row("tf32 matrix", "kernel name", 1)]);
    assert_eq!(column(&section, "points", "dtype"), texts(["fp32", "tf32"]));
}

#[test]
fn the_backward_function_tells_what_the_arguments_leave_open() {
    let mut test = ThreadTrace::default();
    test.op(1, "aten::cat", (0, 20));
    called_with(&mut test, "[[],[]]", r#"["TensorList","Scalar"]"#, "");
    *test.trace.ops.sequence_number.last_mut().unwrap() = MaybeI64::new(5);
    test.launch(1, 1, (1, 2)).kernel(7, "CatArrayBatchedCopy", 1, (100, 110));
    test.backward(2, "CatBackward0", (30, 60));
    called_with(&mut test, "[[4,8]]", r#"["float"]"#, "");
    *test.trace.ops.sequence_number.last_mut().unwrap() = MaybeI64::new(5);
    // Another one without a backward function.
    test.op(1, "aten::cat", (200, 220));
    called_with(&mut test, "[[],[]]", r#"["TensorList","Scalar"]"#, "");
    test.launch(1, 2, (201, 202)).kernel(7, "CatArrayBatchedCopy", 2, (300, 305));
    let points = points(&test.trace);
    // 32 floats are read and written.
    assert_eq!(
        (bytes(&points.rows[0]), points.rows[0].arguments.gradient.as_str()),
        (256.0, r#"[[4,8]] ["float"]"#)
    );
    assert!(points.rows[1].load.as_ref().unwrap_err().contains("not recorded"));
}

/// As FBGEMM's tables are recorded: the function in C++ has no sequence number, its backward launches kernels itself.
#[test]
fn functions_of_extensions_are_linked_by_the_counter() {
    let mut test = ThreadTrace::default();
    test.op(1, "aten::zero_", (0, 5));
    *test.trace.ops.sequence_number.last_mut().unwrap() = MaybeI64::new(9);
    test.op(1, "fbgemm::split_embedding_codegen_lookup_rowwise_adagrad_function", (10, 30));
    let dims = "[[0],[1600],[0],[0,0],[2],[2],[3],[],[],[3],[],[30],[11],[]]";
    let types = r#"["float","c10::Half","c10::Half","c10::Half","int","long","int","Scalar","Scalar","long","Scalar","long","long","Scalar"]"#;
    called_with(&mut test, dims, types, "");
    test.launch(1, 1, (11, 12)).kernel(7, "forward", 1, (100, 110));
    let node = "torch::autograd::CppNode<SplitLookupFunction_rowwise_adagrad_Op>";
    test.backward(2, &format!("autograd::engine::evaluate_function: {node}"), (40, 90));
    *test.trace.ops.sequence_number.last_mut().unwrap() = MaybeI64::new(9);
    test.backward(2, node, (41, 89));
    called_with(&mut test, "[[5,16]]", r#"["float"]"#, "");
    *test.trace.ops.sequence_number.last_mut().unwrap() = MaybeI64::new(9);
    test.launch(2, 2, (42, 43)).op(2, "aten::zero_", (44, 50));
    called_with(&mut test, "[[7]]", r#"["float"]"#, "");
    test.launch(2, 3, (45, 46)).kernel(7, "backward", 2, (200, 240)).kernel(7, "fill", 3, (240, 250));
    let points = points(&test.trace);
    let rows: Vec<_> = points.rows.iter().map(|row| (row.times.total(), bytes(row))).collect();
    // By hand in the tests of the formula: 480 of rows, 328 of indices and offsets, 320 of results; backward 320 of
    // gradients, rows twice, and 30 floats of state twice.
    assert_eq!(rows, [(Ns(50), 320.0 + 960.0 + 240.0 + 328.0), (Ns(10), 480.0 + 328.0 + 320.0)]);
}

#[test]
fn a_replayed_graph_is_one_wherever_it_was_launched() {
    let mut test = ThreadTrace::default();
    test.op(1, "Torch-Compiled Region: 0/0", (0, 50)).launch(1, 1, (1, 2)).launch(1, 2, (60, 61));
    let name = test.trace.strings.intern("cudaGraphLaunch");
    for row in 0..test.trace.slices.len() {
        if test.trace.slices.name[row] == test.trace.strings.intern("cudaLaunchKernel") {
            test.trace.slices.name[row] = name;
        }
    }
    test.kernel(7, "gemm", 1, (100, 110)).kernel(7, "gemm", 2, (110, 130));
    let section = section(&test.trace, 0);
    assert_eq!(column(&section, "by_arguments", "class"), texts(["graph-replay"]));
    let Value::Text(reason) = &column(&section, "by_arguments", "reason")[0] else { panic!("no reason") };
    assert!(reason.starts_with("cudaGraphLaunch replays a graph"), "{reason}");
    assert_eq!(number(&section, "graph_replay_ns", None), Value::Integer(30));
    let classes = column(&section, "by_class", "class");
    assert!(classes.contains(&Value::from("graph replay")), "{classes:?}");
    let finding = section.findings.iter().find(|finding| finding.id == "roofline_coverage").unwrap();
    assert!(finding.claim.contains("replayed graphs (100"), "{}", finding.claim);
    assert!(!finding.next.contains("record_shapes"), "{}", finding.next);
}

#[test]
fn what_is_known_inside_an_operator_without_an_answer_is_told_apart() {
    let mut test = ThreadTrace::default();
    test.op(1, "CompiledFunction", (0, 50)).launch(1, 1, (1, 2)).launch(1, 2, (3, 4)).launch(1, 3, (5, 6));
    test.kernel(7, "triton_poi_fused_add_mul_0", 1, (100, 110)).kernel(7, "other", 2, (110, 115));
    test.activity(7, eaves_model::SliceKind::Memcpy, "Memcpy DtoD (Device -> Device)", Some(3), (120, 140));
    let last = test.trace.gpu.len() - 1;
    test.trace.gpu.bytes.set(last, MaybeI64::new(4096));
    let points = points(&test.trace);
    let rows: Vec<_> =
        points.rows.iter().map(|row| (row.name.as_str(), row.of.as_str(), row.load.is_ok())).collect();
    assert_eq!(
        rows,
        [
            ("Memcpy DtoD (Device -> Device)", "CompiledFunction", true),
            ("triton_poi_fused_add_mul_0", "CompiledFunction", false),
            ("CompiledFunction", "", false),
        ]
    );
    assert_eq!(bytes(&points.rows[0]), 8192.0);
    assert!(points.rows[1].load.as_ref().unwrap_err().contains("arguments were not recorded"));
}

#[test]
fn how_to_record_shapes_is_said_once() {
    let mut test = ThreadTrace::default();
    for (number, name) in (1..).zip(["aten::mm", "aten::add", "aten::conv2d"]) {
        let start = 100 * number;
        test.op(1, name, (start, start + 20)).launch(1, number, (start + 1, start + 2));
        test.kernel(7, "kernel", number, (start + 500, start + 520));
    }
    let section = section(&test.trace, 0);
    let reasons = column(&section, "by_arguments", "reason");
    assert_eq!(reasons, texts(["its shapes were not recorded"; 3]));
    let finding = &section.findings[0];
    assert_eq!(finding.next, "record shapes with `record_shapes=True`");
    assert!(finding.claim.ends_with("operators without shapes (100.0%)"), "{}", finding.claim);
}

#[test]
fn products_of_few_rows_could_have_more_of_them() {
    let ids = |rows: u64, time: i64| {
        let mut test = ThreadTrace::default();
        test.op(1, "aten::mm", (0, 20));
        called_with(&mut test, &format!("[[{rows},4096],[4096,4096]]"), BF16, r#"["",""]"#);
        test.launch(1, 1, (3, 4)).kernel(7, "gemv", 1, (100, 100 + time));
        let findings = section(&test.trace, 0).findings;
        findings.into_iter().find(|finding| finding.id == "small_batch")
    };
    // One row: 4096^2 weights of two bytes for as many multiply-adds, so one operation a byte; the knee is at 100.
    let found = ids(1, 40_000).unwrap();
    assert!(found.claim.contains("take 100.0% of the busy time"), "{}", found.claim);
    assert!(found.claim.contains("about 100 times the rows"), "{}", found.claim);
    assert_eq!(found.gain, None);
    assert_eq!(ids(64, 50_000), None);
}

#[test]
fn without_operators_no_call_is_outside_of_them() {
    let mut test = ThreadTrace::default();
    test.launch(1, 1, (3, 4)).kernel(7, "gemm", 1, (100, 2_000_100));
    let section = section(&test.trace, 0);
    let found = section.findings.iter().find(|finding| finding.id == "roofline_coverage").unwrap();
    assert!(found.claim.contains("no operators recorded"), "{}", found.claim);
}
