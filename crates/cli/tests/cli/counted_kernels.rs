//! Files of vendors' profilers with counters, from the file to the roof.

use serde_json::Value;

use crate::roofline::{close, document, row, rows};
use crate::support::run;

fn sample(name: &str) -> Option<String> {
    Some(eaves_testing::data(&format!("formats/{name}"))?.display().to_string())
}

fn sum(rows: &[Value], column: &str) -> i64 {
    rows.iter().filter_map(|row| row[column].as_i64()).sum()
}

/// rocprof-compute on an MI210: three copies of 1 Mi doubles, and the roofs that were measured next to them.
#[test]
fn a_workload_of_rocprof_compute_has_its_measured_roofs() {
    let Some(path) = sample("amd/rocprof_compute/tests_workloads/vcopy/MI200") else { return };
    let document = document(&[&path]);
    let roofs = rows(&document, "roofline", "roofs");
    close(row(&roofs, "HBM2e"), "rate", 1388.9302, 1e-6);
    close(row(&roofs, "LDS"), "rate", 17717.834, 1e-6);
    let points = rows(&document, "roofline", "points");
    let copy = row(&points, "vecCopy");
    assert_eq!((&copy["calls"], &copy["bound_by"]), (&Value::from(3), &Value::from("HBM2e")));
    // 131 086 reads and, on average, 104 419 writes of 64 bytes.
    close(copy, "bytes", 64.0 * (131_086.0 * 2.0 + 131_087.0 + 131_072.0 + 91_072.0 + 91_113.0) / 3.0, 0.5);
    close(copy, "bytes_l2", 2.0 * 8.0 * 1_048_576.0, 0.0);
    close(copy, "bytes_l1", 4.0 * 8.0 * 1_048_576.0, 0.0);
    close(copy, "flops", 0.0, 0.0);
    // Every nanosecond is in one row.
    let classes = rows(&document, "roofline", "by_class");
    let section =
        document["sections"].as_array().unwrap().iter().find(|one| one["id"] == "roofline").unwrap();
    let busy =
        section["numbers"].as_array().unwrap().iter().find(|number| number["id"] == "busy_ns").unwrap();
    assert_eq!(Value::from(sum(&classes, "counted_ns")), busy["value"]);
}

/// Nsight Compute on a B200: what the device reports is its bandwidth, 2 x 3996 MHz x 7680 bit.
#[test]
fn a_report_of_nsight_compute_reports_its_device() {
    let name =
        "nvidia/ncu_wide_raw/Roofline-Analysis_B200/flashinfer_paged_decode__gqa_bf16_b1_ctx4k_p64.ncu.csv";
    let Some(path) = sample(name) else { return };
    let document = document(&[&path]);
    let roofs = rows(&document, "roofline", "roofs");
    let memory = roofs.iter().find(|row| row["kind"] == "memory").unwrap();
    close(memory, "rate", 2.0 * 3996e6 * 7680.0 / 8.0 / 1e9, 1e-6);
    assert_eq!(memory["source"], "reported by the device");
    // Its counters say neither operations nor bytes, and what to record is said.
    assert!(rows(&document, "roofline", "points").is_empty());
    let without = rows(&document, "roofline", "unmodelled");
    assert_eq!(sum(&without, "calls"), 16);
    let why = without[0]["reason"].as_str().unwrap();
    assert!(why.contains("record with `eaves profile --with ncu`"), "{why}");
}

/// Bytes of main memory alone, which a third of the time is enough for on this device: what the rest went to was not
/// counted, so it is a share of the bandwidth and no headroom.
#[test]
fn what_was_not_counted_is_not_zero() {
    let Some(path) = sample("nvidia/ncu_narrow/GPU-Roofline-Profiler_rtx5070_ncu2026.2/saxpy.csv") else {
        return;
    };
    let document = document(&[&path, "--device", "rtx5090"]);
    let points = rows(&document, "roofline", "points");
    let saxpy = row(&points, "saxpy_kernel");
    assert_eq!(
        (&saxpy["flops"], &saxpy["intensity"], &saxpy["class"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert!(saxpy["bytes"].as_f64().is_some() && saxpy["achieved_gbps"].as_f64().is_some(), "{saxpy}");
    let share = 100.0 * saxpy["achieved_gbps"].as_f64().unwrap() / 1792.0;
    close(saxpy, "pct_of_roof", share, 1e-6);
    assert_eq!((&saxpy["headroom_ns"], &saxpy["status"]), (&Value::Null, &Value::from("Normal")));
}

/// nvprof's sums of Black-Scholes, ten launches.
#[test]
fn metrics_of_nvprof_are_points() {
    let Some(path) = sample("nvidia/nvprof/metrics128.csv") else { return };
    let document = document(&[&path, "--device", "v100-sxm2"]);
    let points = rows(&document, "roofline", "points");
    let kernel = row(&points, "BlackScholesGPU");
    assert_eq!(kernel["calls"], 10);
    close(kernel, "flops", 295_565_785.0, 0.0);
    close(kernel, "bytes", 32.0 * (1_500_056.0 + 999_295.0), 0.0);
}

#[test]
fn a_report_without_start_times_says_so_once() {
    let Some(path) = sample("nvidia/ncu_narrow/superbenchmark_B200_details/cublaslt_ncu.log") else { return };
    let answer = run(&std::env::temp_dir(), &["report", "--full", &path]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert_eq!(answer.stdout.matches("start times not recorded").count(), 1, "{}", answer.stdout);
    assert!(answer.stdout.contains("the profiler expects a gain of 81% (local)"), "{}", answer.stdout);
    for verb in ["kernels", "info", "timeline"] {
        assert_eq!(run(&std::env::temp_dir(), &[verb, &path]).code, Some(0), "{verb}");
    }
    assert_eq!(run(&std::env::temp_dir(), &["diff", &path, &path]).code, Some(0));
}
