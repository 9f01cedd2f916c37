//! Numbers.

use eaves_analyze::section::{Section, Value};

use super::{analysed, analysed_on, event, findings, generated, kernel, launch, operator};
use crate::twins::{cells, column, number, texts};

fn busy(sections: &[Section]) -> Option<i64> {
    number(sections, "temporal-breakdown", "busy_ns")
}

#[test]
fn nodes_of_one_graph_count_side_by_side() {
    let mut events: Vec<String> =
        (0..400).flat_map(|at| [launch(at + 1, 20 * at), kernel("k", at + 1, (20 * at + 10, 10))]).collect();
    events.push(event("cuda_runtime", "cudaGraphLaunch", 1, (8_100, 5), r#""correlation": 999"#));
    events.extend([(8_110, 17), (8_116, 3), (8_120, 4)].map(|times| kernel("node", 999, times)));
    let sections = analysed(&events);
    assert_eq!(busy(&sections), Some(4_017_000));
    assert_eq!(number(&sections, "quarantine", "quarantined_count"), Some(0));
}

#[test]
fn a_long_last_kernel_counts() {
    let mut events: Vec<String> = (0..120).map(|at| kernel("k", at, (10 * at, 5))).collect();
    events.push(kernel("long", 999, (1_200, 5_000)));
    let sections = analysed(&events);
    // 5,600 of 6,200 µs.
    assert_eq!(busy(&sections), Some(5_600_000));
    assert_eq!(number(&sections, "temporal-breakdown", "span_ns"), Some(6_200_000));
}

#[test]
fn totals_are_told_without_and_with_what_is_impossible() {
    let end = r#"{"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": 100}"#;
    let sections = analysed(&[
        kernel("k", 1, (0, 10)),
        kernel("broken", 2, (20, 9_000)),
        kernel("k", 3, (50, 10)),
        end.to_owned(),
    ]);
    assert_eq!(busy(&sections), Some(20_000));
    assert_eq!(number(&sections, "quarantine", "quarantined_count"), Some(1));
    // Idle, compute, busy, span, and the sum of kernels.
    assert_eq!(
        column(&sections, "quarantine", "totals", "without_ns"),
        [40_000, 20_000, 20_000, 60_000, 20_000]
    );
    assert_eq!(
        column(&sections, "quarantine", "totals", "with_ns"),
        [10_000, 9_010_000, 9_010_000, 9_020_000, 9_020_000]
    );
}

#[test]
fn steps_of_old_recorders_are_steps() {
    let sections = analysed(&[
        event("Operator", "ProfilerStep#5", 1, (1_000, 500), r#""External id": 4"#),
        event("Operator", "aten::mm", 1, (1_010, 50), r#""External id": 5"#),
        event("Runtime", "cudaLaunchKernel", 1, (1_020, 10), r#""correlation": 7, "external id": 5"#),
        event("Kernel", "gemm", 7, (1_040, 100), r#""device": 0, "stream": 7, "correlation": 7"#),
        event("Operator", "ProfilerStep#6", 1, (1_500, 500), r#""External id": 6"#),
    ]);
    assert_eq!(column(&sections, "steps", "by_step", "step"), [5, 6]);
    assert_eq!(column(&sections, "steps", "by_step", "gpu_busy_ns"), [100_000, 0]);
}

#[test]
fn an_unfinished_frame_hides_no_operator() {
    let sections = analysed(&[
        event("cpu_op", "aten::mm", 1, (100, 400), r#""External id": 1"#),
        event("python_function", "<built-in function next>", 1, (200, 700), r#""Python id": 1"#),
        launch(7, 300),
        kernel("gemm", 7, (320, 100)),
    ]);
    let table = sections
        .iter()
        .find(|section| section.id == "op-delays")
        .unwrap()
        .tables
        .iter()
        .find(|table| table.id == "by_op")
        .unwrap();
    assert!(table.rows.iter().any(|row| row.contains(&Value::from("aten::mm"))), "{table:?}");
}

#[test]
fn waiting_is_no_work() {
    let ccp = |name: &str, times| event("mtia_ccp_events", name, 7, times, r#""device": 0, "stream": 7"#);
    let sections = analysed(&[
        ccp("fc_kernel", (0, 10)),
        ccp("event_wait", (10, 500)),
        ccp("event_record", (510, 1)),
        ccp("fc_kernel", (520, 10)),
    ]);
    assert_eq!(busy(&sections), Some(20_000));
    assert_eq!(number(&sections, "kernels", "calls"), Some(2));
}

#[test]
fn a_gap_before_a_graph_has_one_verdict() {
    let sections = analysed(&[
        launch(1, 0),
        kernel("k", 1, (10, 10)),
        event("cuda_runtime", "cudaGraphLaunch", 1, (100, 5), r#""correlation": 2"#),
        kernel("node", 2, (300, 10)),
    ]);
    assert_eq!(number(&sections, "idle-time", "host_wait_ns"), Some(280_000));
    assert_eq!(number(&sections, "idle-causes", "host_wait_ns"), Some(280_000));
}

#[test]
fn work_from_before_the_recording_is_in_no_step() {
    let sections = analysed(&[
        event("user_annotation", "ProfilerStep#1", 1, (0, 500), ""),
        kernel("before", 99, (0, 100)),
        launch(1, 150),
        kernel("k", 1, (160, 50)),
    ]);
    assert_eq!(column(&sections, "steps", "by_step", "gpu_busy_ns"), [50_000]);
    assert_eq!(number(&sections, "steps", "outside_steps_ns"), Some(100_000));
}

fn floats(sections: &[Section], table: &str, id: &str) -> Vec<f64> {
    let float = |value: Value| match value {
        Value::Float(value) => value,
        Value::Integer(value) => value as f64,
        _ => f64::NAN,
    };
    cells(sections, "roofline", table, id).into_iter().map(float).collect()
}

#[test]
fn products_on_tensor_cores_have_the_roof_of_these() {
    let shapes = ("[[768, 4096], [4096, 1024]]", r#"["float", "float"]"#);
    let sections = analysed(&operator(
        "aten::mm",
        shapes,
        "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x256_32x3_tn_align1>(Params)",
        0,
        165,
    ));
    // 2 * 768 * 4096 * 1024 operations in 165 us, of 156 TFLOP/s.
    let shares = floats(&sections, "points", "pct_of_roof");
    assert!(shares.len() == 1 && (shares[0] - 25.029).abs() < 0.001, "{shares:?}");
    assert_eq!(texts(&sections, "roofline", "by_arguments", "computed_in"), ["tf32 matrix"]);
}

#[test]
fn epilogues_of_products_read_and_write_their_result() {
    let shapes = ("[[8, 256, 4096], [4096], []]", r#"["c10::BFloat16", "c10::BFloat16", "Scalar"]"#);
    let sections = analysed(&generated("triton_poi_fused_addmm_relu_view_3", shapes, 8 * 256 * 4096, 0));
    assert_eq!(floats(&sections, "by_arguments", "bytes"), [2.0 * (2.0 * 8.0 * 256.0 * 4096.0 + 4096.0)]);
}

#[test]
fn exchanges_of_experts_are_communication() {
    let mut events = Vec::new();
    for (place, name) in (0..).zip([
        "void own::ep::internode::dispatch<true, 4>(int4*)",
        "void own::ep::internode::combine<4>(int4*)",
        "void multimem_all_reduce_kernel<c10::Half, 8>(int)",
    ]) {
        let start = 1_000 * place;
        events.extend([launch(place + 1, start), kernel(name, place + 1, (start + 10, 100))]);
        // Half of each is hidden.
        events.extend([launch(place + 11, start + 6), kernel("gemm", place + 11, (start + 60, 150))]);
    }
    let sections = analysed(&events);
    assert_eq!(number(&sections, "temporal-breakdown", "exposed_comm_ns"), Some(150_000));
    assert_eq!(number(&sections, "temporal-breakdown", "compute_ns"), Some(450_000));
}

#[test]
fn a_graph_in_a_compiled_region_is_a_replay() {
    let sections = analysed(&[
        event("cpu_op", "Torch-Compiled Region: 0/0", 1, (0, 100), ""),
        event("cuda_runtime", "cudaGraphLaunch", 1, (10, 5), r#""correlation": 3"#),
        kernel("node", 3, (50, 100)),
    ]);
    assert_eq!(texts(&sections, "roofline", "by_arguments", "class"), ["graph-replay"]);
    let reasons = texts(&sections, "roofline", "by_arguments", "reason");
    assert!(reasons[0].contains("replays a graph"), "{reasons:?}");
}

#[test]
fn devices_of_three_generations_have_a_roofline() {
    let events = operator("aten::relu", ("[[1024, 1024]]", r#"["float"]"#), "relu", 0, 50);
    for device in [
        "Tesla V100-SXM2-16GB",
        "Tesla V100-PCIE-32GB",
        "Tesla P100-PCIE-16GB",
        "NVIDIA A100-PCIE-40GB",
        "NVIDIA A800-SXM4-80GB",
        "NVIDIA H800",
        "NVIDIA H20",
        "NVIDIA A10",
        "NVIDIA A30",
        "NVIDIA A40",
        "NVIDIA RTX A6000",
        "NVIDIA RTX 6000 Ada Generation",
        "NVIDIA GeForce RTX 2080 Ti",
        "NVIDIA B200",
    ] {
        let shares = floats(&analysed_on(device, &events), "points", "pct_of_roof");
        assert!(shares.len() == 1 && shares[0] > 0.0 && shares[0] < 100.0, "{device}: {shares:?}");
    }
}

#[test]
fn types_have_the_names_of_all_recorders_and_shapes_one_line() {
    let shapes = ("[\n [ 128, 512 ],\n [ 512, 64 ]\n]", "[\n \"Float\",\n \"Float\"\n]");
    let sections = analysed(&operator("aten::mm", shapes, "gemm", 0, 50));
    assert_eq!(floats(&sections, "by_arguments", "flops"), [2.0 * 128.0 * 512.0 * 64.0]);
    assert_eq!(texts(&sections, "roofline", "by_arguments", "dims"), ["128x512, 512x64"]);
    assert!(findings(&sections).iter().all(|finding| !finding.claim.contains("[ [")), "{sections:?}");
}

#[test]
fn a_function_counts_the_same_in_eager_mode_and_in_a_generated_kernel() {
    for function in ["exp", "gelu", "log", "tanh"] {
        let mut events = Vec::from(operator(
            &format!("aten::{function}"),
            ("[[64, 1024]]", r#"["float"]"#),
            function,
            0,
            50,
        ));
        let name = format!("triton_poi_fused_{function}_0");
        let shapes = ("[[64, 1024], [64, 1024], []]", r#"["float", "float", "Scalar"]"#);
        events.extend(generated(&name, shapes, 64 * 1024, 1_000));
        let flops = floats(&analysed(&events), "by_arguments", "flops");
        assert!(flops.len() == 2 && flops[0] == flops[1] && flops[0] > 0.0, "{function}: {flops:?}");
    }
}
