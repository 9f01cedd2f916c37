//! `eaves roofline`: every input, every output, every way to fail, and the numbers of the source documents.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Answer, TRACE, names, run};

/// A file of the examples.
fn example(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/measurements");
    folder.join(name).display().to_string()
}

/// A folder of the samples of the source documents beside the checkout, or nothing if it is not there.
fn sources(folder: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/sources").join(folder);
    if !root.is_dir() {
        println!("skipped: no samples at {}", root.display());
        return None;
    }
    Some(root)
}

fn roofline(directory: &Path, arguments: &[&str]) -> Answer {
    run(directory, &[&["roofline"], arguments].concat())
}

/// The document of a command that must succeed.
fn document(arguments: &[&str]) -> Value {
    let answer = roofline(&std::env::temp_dir(), &[arguments, &["--json"]].concat());
    assert_eq!(answer.code, Some(0), "{answer:?}");
    serde_json::from_str(&answer.stdout).unwrap()
}

/// A table of a section as a list of objects.
fn rows(document: &Value, section: &str, table: &str) -> Vec<Value> {
    let of = |list: &Value, id: &str| {
        list.as_array().unwrap().iter().find(|entry| entry["id"] == id).unwrap_or_else(|| unreachable!("{id}")).clone()
    };
    let table = of(&of(&document["sections"], section)["tables"], table);
    let columns: Vec<&str> =
        table["columns"].as_array().unwrap().iter().map(|column| column["id"].as_str().unwrap()).collect();
    let row = |cells: &Value| {
        columns.iter().map(|id| (*id).to_owned()).zip(cells.as_array().unwrap().iter().cloned()).collect()
    };
    table["rows"].as_array().unwrap().iter().map(|cells| Value::Object(row(cells))).collect()
}

fn row<'a>(rows: &'a [Value], name: &str) -> &'a Value {
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| unreachable!("{name}"))
}

/// Equal in the digits that the document prints.
fn close(row: &Value, column: &str, expected: f64, within: f64) {
    let found = row[column].as_f64().unwrap_or(f64::NAN);
    assert!((found - expected).abs() <= within, "{} {column}: {found} is not {expected}", row["name"]);
}

#[test]
fn source_000_every_kernel_against_its_own_peak() {
    let Some(root) = sources("000") else { return };
    let at = |name: &str| root.join(name).display().to_string();
    let found = document(&[&at("trace_perfetto_mixed.json"), "--device", &at("sm90_with_links.yaml")]);
    let points = rows(&found, "roofline", "points");
    let kept = rows(&found, "roofline", "classification");
    for (name, intensity, gflops, gbps, delta) in [
        ("gemm_tile", 61.1111, 305_555.56, 5000.0, -0.556_303),
        ("attn_block", 40.0, 190_476.19, 4761.90, -0.740_363),
        // The original holds it against the peak of another type; this is its own.
        ("norm", 9.411_765, 44_444.44, 4722.22, -0.940_143),
    ] {
        let point = row(&points, name);
        close(point, "intensity", intensity, 5e-5);
        close(point, "achieved_gflops", gflops, 5e-3);
        close(point, "achieved_gbps", gbps, 5e-3);
        close(point, "delta_log10_oi_to_knee", delta, 5e-7);
        assert_eq!(point["class"], "memory-bound");
        assert!(point["flag"].is_string(), "{name} is above its roof: {point}");
        let kept = row(&kept, name);
        close(kept, "operational_intensity", intensity, 5e-5);
        close(kept, "achieved_GFLOPs", gflops, 5e-3);
        close(kept, "achieved_GBps", gbps, 5e-3);
        close(kept, "delta_log10_oi_to_knee", delta, 5e-7);
    }
    close(row(&kept, "gemm_tile"), "time_ms", 3.6, 1e-12);
    let knees = rows(&found, "roofline", "roofs");
    for (name, knee) in [("fp32", 82.0), ("bf16 matrix", 220.0), ("fp16 matrix", 240.0)] {
        close(row(&knees, name), "knee", knee, 1e-9);
    }
}

#[test]
fn source_000_messages_against_their_links() {
    let Some(root) = sources("000") else { return };
    let at = |name: &str| root.join(name).display().to_string();
    let found = document(&[&at("trace_perfetto_mixed.json"), "--device", &at("sm90_with_links.yaml")]);
    let events = rows(&found, "comm-roofline", "events");
    for (name, achieved, roof, utilisation) in [
        ("a2a_bucket0", 100.0, 50.0, 200.0),
        ("p2p_stage", 33.333, 64.0, 52.08),
        ("reduce_scatter", 50.0, 50.0, 100.0),
    ] {
        let event = row(&events, name);
        close(event, "achieved_gbps", achieved, 5e-4);
        close(event, "roof_gbps", roof, 1e-9);
        close(event, "utilisation_pct", utilisation, 5e-3);
        assert_eq!(event["flag"].is_string(), name == "a2a_bucket0", "{event}");
    }
    assert_eq!(rows(&found, "comm-roofline", "links").len(), 3);
}

/// Kernels as the table that older tools read, with one type for all: what the original prints.
#[test]
fn source_000_tables_of_kernels() {
    let Some(root) = sources("000") else { return };
    let peaks = root.join("sm90_with_links.yaml").display().to_string();
    let directory = tempfile::tempdir().unwrap();
    let table = "name,flops,dram_bytes,time_ms\ngemm,2.2e12,3.5e10,8.0\nsoftmax,2e11,1.8e10,3.0\nnorm,8e10,8.5e9,1.8\n";
    let path = directory.path().join("kernels.csv");
    std::fs::write(&path, table).unwrap();
    let path = path.display().to_string();
    let points = rows(&document(&[&path, "--device", &peaks]), "roofline", "points");
    close(row(&points, "gemm"), "intensity", 62.857_143, 5e-7);
    close(row(&points, "gemm"), "delta_log10_oi_to_knee", -0.115_459, 5e-7);
    close(row(&points, "softmax"), "intensity", 11.111_111, 5e-7);
    close(row(&points, "softmax"), "delta_log10_oi_to_knee", -0.868_056, 5e-7);
    // What the original says of `norm`, which it holds against the peak of all.
    let points = rows(&document(&[&path, "--device", &peaks, "--dtype", "bf16_tensor"]), "roofline", "points");
    close(row(&points, "norm"), "delta_log10_oi_to_knee", -1.368_752, 5e-7);
    close(row(&points, "gemm"), "delta_log10_oi_to_knee", -0.544_068, 5e-7);
}

#[test]
fn source_000_a_row_of_a_benchmark() {
    let Some(root) = sources("000") else { return };
    let at = |name: &str| root.join(name).display().to_string();
    let found = document(&[&at("benchmark_row_old.json"), "--device", &at("sm90_with_links.yaml")]);
    let points = rows(&found, "roofline", "points");
    let point = row(&points, "matmul[64x64x64]");
    close(point, "flops", 1e9, 1e-3);
    close(point, "bytes", 2e7, 1e-6);
    close(point, "achieved_gflops", 500.0, 1e-9);
}

/// The times that source document 001 measured: 165.05 and 482.5 GB/s, 9.585 and 164.8 TFLOP/s, in both files.
#[test]
fn source_001_measured_products() {
    let Some(root) = sources("001") else { return };
    for file in ["import_benchmarks_example.json", "gb10_measured.json"] {
        let path = root.join(file).display().to_string();
        let points = rows(&document(&[&path, "--device", "gb10-287"]), "roofline", "points");
        let of = |name: &str, dtype: &str| {
            points.iter().find(|row| row["name"] == name && row["dtype"] == dtype).unwrap().clone()
        };
        close(&of("gemv[4096x4096]", "FP16"), "achieved_gbps", 165.05, 5e-3);
        let cached = of("gemv[4096x4096]", "FP8_E4M3");
        close(&cached, "achieved_gbps", 482.5, 5e-2);
        assert!(cached["flag"].as_str().unwrap().contains("L2"), "{cached}");
        close(&of("gemm[4096x4096x4096]", "FP16"), "achieved_gflops", 9585.0, 0.5);
        close(&of("gemm[4096x4096x4096]", "FP8_E4M3"), "achieved_gflops", 164_800.0, 50.0);
    }
}

/// What the NPU tool prints: name, MACs, bytes, intensity, TOPS, utilisation, status.
type Command = (&'static str, Option<f64>, Option<f64>, Option<f64>, Option<f64>, f64, &'static str);

fn check_commands(file: &str, options: &[&str], expected: &[Command]) {
    let Some(root) = sources("002") else { return };
    let at = |name: &str| root.join(name).display().to_string();
    let (file, config) = (at(file), at("roofline_config_default_seed.json"));
    let found = document(&[&[file.as_str(), "--config", &config], options].concat());
    let points = rows(&found, "roofline", "points");
    for (name, macs, bytes, intensity, tops, utilisation, status) in expected {
        let point = row(&points, name);
        macs.iter().for_each(|macs| close(point, "macs", *macs, 0.5));
        bytes.iter().for_each(|bytes| close(point, "bytes", *bytes, 0.5));
        intensity.iter().for_each(|intensity| close(point, "intensity", *intensity, 5e-3));
        tops.iter().for_each(|tops| close(point, "achieved_gflops", 1e3 * tops, 5e-4));
        close(point, "pct_of_roof", *utilisation, 5e-3);
        assert_eq!(point["status"], *status, "{name}");
        assert_eq!(point["flag"].is_string(), *utilisation > 100.0, "{name}");
    }
}

#[test]
fn source_002_commands_in_multiply_adds() {
    check_commands(
        "commands_b598292.json",
        &["--compat"],
        &[
            ("#1", Some(924_844_032.0), Some(19_562_496.0), Some(47.2764), Some(1.088_052), 46.03, "Normal"),
            ("#2", None, None, Some(0.125), Some(0.000_951), 15.21, "Memory Inefficient"),
            ("#3", None, None, None, None, 14.23, "Memory Inefficient"),
            ("#4", Some(4_194_304.0), Some(16_793_600.0), Some(0.2498), None, 47.49, "Normal"),
            ("#29", None, None, None, None, 67.33, "Normal"),
            ("#99", None, None, Some(85.333), Some(3.036_179), 71.16, "Memory Bound"),
        ],
    );
    check_commands(
        "commands_12bfdf7.json",
        &["--compat"],
        &[
            ("#4", None, None, None, None, 87.38, "Memory Bound"),
            ("#5", None, None, Some(708.92), None, 100.00, "Compute Bound"),
            ("#6", None, None, None, None, 102.63, "Compute Bound"),
            ("#7", None, None, None, None, 99.95, "Compute Bound"),
        ],
    );
    check_commands(
        "commands_readme_example.json",
        &["--compat"],
        &[("#1", None, Some(4_890_624.0), Some(189.1055), None, 11.51, "Memory Inefficient")],
    );
}

/// A multiply-add is two operations, and vendors' TOPS count operations: what was at the peak is at twice the peak.
#[test]
fn source_002_commands_in_operations() {
    check_commands(
        "commands_12bfdf7.json",
        &[],
        &[
            ("#4", None, None, None, None, 87.38, "Memory Bound"),
            ("#5", None, None, Some(2.0 * 708.92), None, 2.0 * 99.9985, "Compute Bound"),
        ],
    );
}
