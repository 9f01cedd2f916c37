//! Kernels with counters through the analysis, with numbers by hand.

use eaves_model::SliceKind::{Kernel, Memcpy};
use eaves_model::Times;

use crate::Selection;
use crate::section::Value;
use crate::test_trace::{
    TestTrace, analyse, column, column_ids, integers, number, run_of, section_of, texts,
};

const MFMA: &str = "SQ_INSTS_VALU_MFMA_MOPS_BF16";

/// What fills all counters of vector units with nothing.
fn no_vector() -> Vec<(String, f64)> {
    let names = ["F16", "F32", "F64"].iter().flat_map(|suffix| {
        ["ADD", "MUL", "FMA", "TRANS"].map(|kind| format!("SQ_INSTS_VALU_{kind}_{suffix}"))
    });
    let matrix =
        ["F16", "F32", "F64", "F8", "I8", "BF16"].map(|kind| format!("SQ_INSTS_VALU_MFMA_MOPS_{kind}"));
    names.chain(matrix).map(|name| (name, 0.0)).collect()
}

/// Bytes of main memory, L2 and LDS on gfx942.
fn moved(main: f64, second: f64, local: f64) -> Vec<(String, f64)> {
    [
        ("TCC_BUBBLE_sum", main / 128.0),
        ("TCC_EA0_RDREQ_sum", main / 128.0),
        ("TCC_EA0_RDREQ_32B_sum", 0.0),
        ("TCC_EA0_WRREQ_sum", 0.0),
        ("TCC_EA0_WRREQ_64B_sum", 0.0),
        ("TCP_TCC_READ_REQ_sum", second / 128.0),
        ("TCP_TCC_WRITE_REQ_sum", 0.0),
        ("TCP_TCC_ATOMIC_WITH_RET_REQ_sum", 0.0),
        ("TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum", 0.0),
        ("SQ_LDS_IDX_ACTIVE", local / 128.0),
        ("SQ_LDS_BANK_CONFLICT", 0.0),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}

fn with(test: &mut TestTrace, counters: &[(String, f64)]) {
    let counters: Vec<(&str, f64)> = counters.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    test.counters(&counters);
}

/// Two launches of a product in 2 ms, a copy kernel, one without counters and a memory copy.
fn trace() -> TestTrace {
    let mut test = TestTrace::default();
    test.on_device("AMD Instinct MI300X", "gfx942", &[]);
    for (start, factor) in [(0, 0.5), (1_000_000, 1.5)] {
        test.gpu(Kernel, "void gemm_kernel<float, 4>(float*)", start, start + 1_000_000).launched(64, 256);
        let mut counters = no_vector();
        for (name, value) in &mut counters {
            if name == MFMA {
                *value = factor * 1e9;
            }
        }
        counters.extend(moved(factor * 1.28e9, factor * 12.8e9, factor * 1.28e9));
        with(&mut test, &counters);
    }
    test.gpu(Kernel, "copy_kernel", 2_000_000, 3_000_000);
    let mut counters = no_vector();
    counters.extend(moved(2.56e9, 2.56e9, 0.0));
    with(&mut test, &counters);
    test.gpu(Kernel, "other", 3_000_000, 3_400_000).gpu(
        Memcpy,
        "Memcpy HtoD (Pageable -> Device)",
        3_400_000,
        3_500_000,
    );
    test
}

#[test]
fn launches_of_one_size_are_one_point_and_every_nanosecond_is_in_one_row() {
    let section = section_of(&run_of(vec![trace()]), "roofline");
    assert_eq!(column(&section, "points", "name"), texts(["gemm_kernel", "copy_kernel"]));
    assert_eq!(column(&section, "points", "calls"), integers([2, 1]));
    assert_eq!(column(&section, "points", "dtype"), texts(["bf16", ""]));
    // The mean of 0.5 and 1.5 times 1e9 units of 512 operations.
    assert_eq!(column(&section, "points", "flops"), [512e9, 0.0].map(Value::Float));
    assert_eq!(column(&section, "points", "bytes"), [1.28e9, 2.56e9].map(Value::Float));
    assert_eq!(column(&section, "points", "bytes_l2"), [12.8e9, 2.56e9].map(Value::Float));
    assert_eq!(column(&section, "points", "intensity"), [400.0, 0.0].map(Value::Float));
    assert_eq!(column(&section, "points", "intensity_l2"), [40.0, 0.0].map(Value::Float));
    assert_eq!(column(&section, "points", "intensity_lds")[0], Value::Float(400.0));
    // 12.8 GB at 25.3 TB/s take longer than 1.28 GB at 5.3 TB/s and 512 GFLOP at 1307 TFLOP/s.
    assert_eq!(column(&section, "points", "bound_by"), texts(["L2", "HBM3"]));
    let busy = number(&section, "busy_ns", None);
    assert_eq!(busy, Value::Integer(3_500_000));
    let counted = column(&section, "by_class", "counted_ns");
    let sum: i64 = counted.iter().map(|value| if let Value::Integer(time) = value { *time } else { 0 }).sum();
    assert_eq!(Value::Integer(sum), busy);
    assert_eq!(
        column(&section, "by_class", "class"),
        texts([
            "operator",
            "operator without a formula",
            "kernel with counters",
            "kernel with unrelated counters",
            "communication",
            "unattributed"
        ])
    );
    assert_eq!(column(&section, "unmodelled", "name"), texts(["other", "Memcpy HtoD (Pageable -> Device)"]));
    let Value::Text(why) = &column(&section, "unmodelled", "reason")[0] else { panic!("no reason") };
    assert!(why.starts_with("no counters recorded; record with `rocprofv3 -i input.txt`"), "{why}");
    assert!(why.contains("`eaves counters write --for roofline --arch gfx942`"), "{why}");
}

#[test]
fn columns_of_levels_are_there_only_where_levels_are() {
    let mut test = TestTrace::default();
    test.on_device("NVIDIA H200", "sm_90", &[])
        .gpu(Kernel, "half", 0, 1_000_000)
        .counters(&[("dram__bytes.sum", 0.5 * 4.8e9)])
        .gpu(Kernel, "most", 1_000_000, 2_000_000)
        .counters(&[("dram__bytes.sum", 0.8 * 4.8e9)]);
    let section = section_of(&run_of(vec![test]), "roofline");
    assert_eq!(column(&section, "points", "name"), texts(["half", "most"]));
    let ids = column_ids(&section, "points");
    assert!(!ids.iter().any(|id| id.starts_with("bytes_")), "{ids:?}");
    // What was computed is not known, and so are intensity and class. The share of the bandwidth is known of both; what
    // was computed may have taken the rest of the time of the one that memory does not explain.
    assert!(matches!(column(&section, "points", "flops")[0], Value::Missing(_)));
    assert!(matches!(column(&section, "points", "intensity")[0], Value::Missing(_)));
    let shares = column(&section, "points", "pct_of_roof");
    for (share, expected) in shares.iter().zip([50.0, 80.0]) {
        let Value::Float(pct) = share else { panic!("no share") };
        assert!((pct - expected).abs() < 1.0, "{pct}");
    }
    assert_eq!(column(&section, "points", "status"), texts(["Normal", "Memory Bound"]));
    let headroom = column(&section, "points", "headroom_ns");
    assert!(matches!(headroom[0], Value::Missing("operations not counted")), "{headroom:?}");
}

/// A copy at a quarter of the bandwidth whose FP8 matrix operations were not counted, while those of all other types were, and
/// are none: what it moves decides, and what was not counted is said.
#[test]
fn a_copy_is_a_copy_though_one_type_was_not_counted() {
    let mut test = TestTrace::default();
    test.on_device("AMD Instinct MI300X", "gfx942", &[]).gpu(Kernel, "vecCopy", 0, 1_000_000);
    let without_fp8 = no_vector().into_iter().filter(|(name, _)| !name.ends_with("MOPS_F8"));
    let counters: Vec<_> = without_fp8.chain(moved(0.25 * 5.3e9, 0.0, 0.0)).collect();
    with(&mut test, &counters);
    let section = section_of(&run_of(vec![test]), "roofline");
    let Value::Float(pct) = column(&section, "points", "pct_of_roof")[0] else { panic!("no share") };
    assert!((pct - 25.0).abs() < 0.5, "{pct}");
    assert_eq!(column(&section, "points", "status"), texts(["Memory Inefficient"]));
    assert!(matches!(column(&section, "points", "flops")[0], Value::Missing("operations not counted")));
    let Value::Text(record) = &column(&section, "points", "record")[0] else { panic!("no record") };
    assert!(record.contains("SQ_INSTS_VALU_MFMA_MOPS_F8"), "{record}");
}

/// What the device reports wins over the catalog, and the table of roofs says so.
#[test]
fn reported_numbers_win() {
    let mut test = TestTrace::default();
    let reported = [("memoryBandwidth", 1e12), ("smCount", 132.0)];
    test.on_device("NVIDIA H200", "sm_90", &reported)
        .gpu(Kernel, "k", 0, 1000)
        .counters(&[("dram__bytes.sum", 1e6)]);
    let section = section_of(&run_of(vec![test]), "roofline");
    assert_eq!(column(&section, "roofs", "rate")[0], Value::Float(1000.0));
    assert_eq!(column(&section, "roofs", "source")[0], Value::from("reported by the device"));
}

#[test]
fn without_start_times_only_what_needs_none_is_said() {
    let mut test = trace();
    test.trace.metadata.times = Times::InSequence;
    let run = run_of(vec![test]);
    for id in ["counters", "kernel-types", "kernels", "roofline"] {
        section_of(&run, id);
    }
    let skipped: Vec<String> = ["temporal-breakdown", "idle-time", "queue-length", "steps"]
        .iter()
        .filter_map(|id| match analyse(&run, id, Selection::default()) {
            crate::Outcome::Skipped(skipped) => Some(skipped.missing),
            crate::Outcome::Section(_) => None,
        })
        .collect();
    assert_eq!(skipped, ["start times not recorded"; 4]);
}

#[test]
fn metrics_add_up_or_are_weighed() {
    let mut test = TestTrace::default();
    test.on_device("NVIDIA H200", "sm_90", &[]);
    for (start, length, bytes, pct) in [(0, 100, 10.0, 10.0), (100, 300, 30.0, 50.0)] {
        test.gpu(Kernel, "k", start, start + length).launched(2, 32).counters(&[
            ("dram__bytes.sum", bytes),
            ("sm__throughput.avg.pct_of_peak_sustained_elapsed", pct),
        ]);
    }
    let section = section_of(&run_of(vec![test]), "counters");
    assert_eq!(column(&section, "kernel_metrics", "calls"), integers([2, 2]));
    assert_eq!(column(&section, "kernel_metrics", "unit"), texts(["byte", "%"]));
    assert_eq!(
        column(&section, "kernel_metrics", "total"),
        [Value::Float(40.0), Value::Missing("not additive")]
    );
    // (100 * 10 + 300 * 50) / 400.
    assert_eq!(column(&section, "kernel_metrics", "mean"), [20.0, 40.0].map(Value::Float));
    assert_eq!(column(&section, "kernel_work", "bytes"), [Value::Float(20.0)]);
    assert_eq!(column(&section, "kernel_work", "grid"), texts(["(2, 1, 1)"]));
}
