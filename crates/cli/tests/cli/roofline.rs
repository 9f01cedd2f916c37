//! `eaves roofline`: every input, every output, every way to fail, and the numbers of the tools that inputs come from.

use std::path::Path;

use eaves_testing::data;
use serde_json::Value;

use crate::support::{Answer, TRACE, names, run};

/// A file of the examples.
fn example(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/measurements");
    folder.join(name).display().to_string()
}

fn roofline(directory: &Path, arguments: &[&str]) -> Answer {
    run(directory, &[&["roofline"], arguments].concat())
}

/// The document of a command that must succeed.
pub(crate) fn document(arguments: &[&str]) -> Value {
    let answer = roofline(&std::env::temp_dir(), &[arguments, &["--json"]].concat());
    assert_eq!(answer.code, Some(0), "{answer:?}");
    serde_json::from_str(&answer.stdout).unwrap()
}

/// A table of a section as a list of objects.
pub(crate) fn rows(document: &Value, section: &str, table: &str) -> Vec<Value> {
    let of = |list: &Value, id: &str| {
        list.as_array()
            .unwrap()
            .iter()
            .find(|entry| entry["id"] == id)
            .unwrap_or_else(|| unreachable!("{id}"))
            .clone()
    };
    let table = of(&of(&document["sections"], section)["tables"], table);
    let columns: Vec<&str> =
        table["columns"].as_array().unwrap().iter().map(|column| column["id"].as_str().unwrap()).collect();
    let row = |cells: &Value| {
        columns.iter().map(|id| (*id).to_owned()).zip(cells.as_array().unwrap().iter().cloned()).collect()
    };
    table["rows"].as_array().unwrap().iter().map(|cells| Value::Object(row(cells))).collect()
}

pub(crate) fn row<'a>(rows: &'a [Value], name: &str) -> &'a Value {
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| unreachable!("{name}"))
}

/// Equal in the digits that the document prints.
pub(crate) fn close(row: &Value, column: &str, expected: f64, within: f64) {
    let found = row[column].as_f64().unwrap_or(f64::NAN);
    assert!((found - expected).abs() <= within, "{} {column}: {found} is not {expected}", row["name"]);
}

#[test]
fn every_kernel_is_measured_against_its_own_peak() {
    let Some(root) = data("sources/000") else { return };
    let at = |name: &str| root.join(name).display().to_string();
    let found = document(&[&at("trace_perfetto_mixed.json"), "--device", &at("sm90_with_links.yaml")]);
    let points = rows(&found, "roofline", "points");
    let kept = rows(&found, "roofline", "classification");
    for (name, intensity, gflops, gbps, delta) in [
        ("gemm_tile", 61.1111, 305_555.56, 5000.0, -0.556_303),
        ("attn_block", 40.0, 190_476.19, 4761.90, -0.740_363),
        // The original compares it with the peak of another type; this is its own.
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
fn messages_are_measured_against_their_links() {
    let Some(root) = data("sources/000") else { return };
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
fn kernel_tables_give_the_numbers_of_the_original_tool() {
    let Some(root) = data("sources/000") else { return };
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
    let points =
        rows(&document(&[&path, "--device", &peaks, "--dtype", "bf16_tensor"]), "roofline", "points");
    close(row(&points, "norm"), "delta_log10_oi_to_knee", -1.368_752, 5e-7);
    close(row(&points, "gemm"), "delta_log10_oi_to_knee", -0.544_068, 5e-7);
}

#[test]
fn an_old_benchmark_row_is_a_point() {
    let Some(root) = data("sources/000") else { return };
    let at = |name: &str| root.join(name).display().to_string();
    let found = document(&[&at("benchmark_row_old.json"), "--device", &at("sm90_with_links.yaml")]);
    let points = rows(&found, "roofline", "points");
    let point = row(&points, "matmul[64x64x64]");
    close(point, "flops", 1e9, 1e-3);
    close(point, "bytes", 2e7, 1e-6);
    close(point, "achieved_gflops", 500.0, 1e-9);
}

/// The times that the calculator roofline-hack measured: 165.05 and 482.5 GB/s, 9.585 and 164.8 TFLOP/s, in both files.
#[test]
fn measured_products_of_the_gb10() {
    let Some(root) = data("sources/001") else { return };
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

/// What the NPU tool prints: name, MACs, bytes, intensity, TOPS, utilization, status.
type Command = (&'static str, Option<f64>, Option<f64>, Option<f64>, Option<f64>, f64, &'static str);

fn check_commands(file: &str, options: &[&str], expected: &[Command]) {
    let Some(root) = data("sources/002") else { return };
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
fn npu_commands_counted_in_multiply_adds() {
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
            // 623.3 multiply-adds a byte are left of the knee of 640.
            ("#6", None, None, Some(623.30), None, 102.63, "Memory Bound"),
            ("#7", None, None, None, None, 99.95, "Compute Bound"),
        ],
    );
    check_commands(
        "commands_readme_example.json",
        &["--compat"],
        &[("#1", None, Some(4_890_624.0), Some(189.1055), None, 11.51, "Memory Inefficient")],
    );
}

/// A multiply-add is two operations, and vendors' TOPS count operations: what was at the peak is at twice the peak. The
/// convolution has 512 x 1024 x 512 x 9 multiply-adds and 3 407 872 bytes.
#[test]
fn npu_commands_counted_in_operations() {
    check_commands(
        "commands_12bfdf7.json",
        &[],
        &[
            ("#4", None, None, None, None, 87.38, "Memory Bound"),
            (
                "#5",
                None,
                None,
                Some(2.0 * 2_415_919_104.0 / 3_407_872.0),
                None,
                2.0 * 99.9985,
                "Compute Bound",
            ),
        ],
    );
}

/// The later set of commands, with bytes that were measured: utilization follows those, and efficiency says how many of
/// them were needed.
#[test]
fn npu_commands_with_measured_bytes() {
    let Some(root) = data("sources/002") else { return };
    let at = |name: &str| root.join(name).display().to_string();
    let config = at("roofline_config_default_seed.json");
    let found = document(&[&at("commands_2f5f957.json"), "--config", &config, "--compat"]);
    let points = rows(&found, "roofline", "points");
    close(row(&points, "#1"), "pct_of_roof", 30.24, 5e-3);
    for (name, utilisation, efficiency) in [("#3", 28.47, 50.0), ("#29", 85.90, 80.04), ("#99", 64.42, 50.0)]
    {
        close(row(&points, name), "pct_of_roof", utilisation, 5e-3);
        close(row(&points, name), "data_efficiency_pct", efficiency, 5e-3);
    }
}

const KERNELS: &str =
    "name,flops,dram_bytes,time_ms,dtype_key\nfast,1e12,1e9,10,fp16\nslow,1e9,1e9,100,fp16\n";

/// A folder with a table of two kernels.
fn folder() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("kernels.csv"), KERNELS).unwrap();
    directory
}

#[test]
fn every_form_of_output() {
    let directory = folder();
    let kernels = example("kernels.csv");
    let (events, peaks) = (example("events.json"), example("peaks.yaml"));
    let forms = [
        ("r.html", "<!DOCTYPE html"),
        ("r.svg", "<svg"),
        ("r.png", "\u{89}PNG"),
        ("r.json", "{"),
        (
            "r.csv",
            "name,operational_intensity,achieved_GFLOPs,achieved_GBps,time_ms,class,delta_log10_oi_to_knee,",
        ),
        ("r.md", "# "),
        ("r.txt", ""),
    ];
    for (file, start) in forms.into_iter().filter(|(file, _)| cfg!(feature = "png") || *file != "r.png") {
        let answer = roofline(directory.path(), &[&kernels, &events, "--device", &peaks, "-o", file]);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(0), ""), "{file}: {answer:?}");
        let bytes = std::fs::read(directory.path().join(file)).unwrap();
        let text: String = bytes.iter().take(200).map(|byte| char::from(*byte)).collect();
        assert!(text.to_lowercase().starts_with(&start.to_lowercase()), "{file}: {text}");
    }
    let table = std::fs::read_to_string(directory.path().join("r.csv")).unwrap();
    // Eight kernels that have a load, and three of the events.
    assert_eq!(table.lines().count(), 1 + 8 + 3);
    let answer = roofline(directory.path(), &[&events, "--device", &peaks, "--csv", "-o", "tables/"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let tables = names(&directory.path().join("tables"));
    assert!(tables.contains(&"comm-roofline.events.csv".to_owned()), "{tables:?}");
    let answer = roofline(directory.path(), &[&kernels, &events, "--device", &peaks, "-o", "several/"]);
    assert_eq!(
        (answer.code, names(&directory.path().join("several"))),
        (Some(0), vec!["1".into(), "2".into()])
    );
    let text = roofline(directory.path(), &[&kernels, "--device", &peaks]);
    assert!(text.stdout.contains("gemm_posit") && text.stdout.contains("posit16"), "{}", text.stdout);
}

#[test]
fn the_examples_show_what_they_are_for() {
    let peaks = example("peaks.yaml");
    let found = document(&[&example("kernels.csv"), "--device", &peaks]);
    let points = rows(&found, "roofline", "points");
    assert!(row(&points, "add_in_cache")["flag"].as_str().unwrap().contains("L2"));
    assert_eq!(points.iter().filter(|row| row["flag"].is_string()).count(), 1);
    // 4096 x 6144 x 4096 at 78 % of 400 TFLOP/s.
    close(row(&points, "gemm_qkv<bf16, 128>"), "pct_of_roof", 78.0, 1e-3);
    assert_eq!(row(&points, "gemm_qkv<bf16, 128>")["status"], "Compute Bound");
    assert_eq!(row(&points, "gemv_decode")["status"], "Memory Bound");
    assert_eq!(row(&points, "rms_norm")["status"], "Memory Inefficient");
    let unmodelled = rows(&found, "roofline", "unmodelled");
    assert_eq!((unmodelled.len(), &unmodelled[0]["name"]), (1, &Value::from("gemm_posit")));
    let found = document(&[&example("events.json"), "--device", &peaks]);
    let events = rows(&found, "comm-roofline", "events");
    // 256 MiB in 894.8 us over eight links of 50 GB/s.
    close(row(&events, "all_to_all"), "utilisation_pct", 100.0 * 268_435_456.0 / 894.8e-6 / 400e9, 1e-6);
    assert!(row(&events, "pipeline_stage")["flag"].is_string());
    let found = document(&[&example("commands.json"), "--config", &example("npu_config.json")]);
    assert_eq!(rows(&found, "roofline", "points").len(), 5);
    let reason = rows(&found, "roofline", "unmodelled")[0]["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("ID_ROTARY"), "{reason}");
}

#[test]
fn a_script_gives_a_type_its_formula() {
    let directory = tempfile::tempdir().unwrap();
    let script = r#"op("ID_ROTARY", |cmd| { let n = product(cmd.input_shape);
        #{ macs: 3 * n, bytes: 2 * n * cmd.element_bytes, symbol: "pentagon" } });"#;
    std::fs::write(directory.path().join("own.rhai"), script).unwrap();
    let (commands, config) = (example("commands.json"), example("npu_config.json"));
    let ops = directory.path().join("own.rhai").display().to_string();
    let found = document(&[&commands, "--config", &config, "--ops", &ops]);
    let points = rows(&found, "roofline", "points");
    assert_eq!(
        (&row(&points, "unknown")["macs"], &row(&points, "unknown")["bytes"]),
        (&6144.0.into(), &4096.0.into())
    );
    // The same next to the input.
    std::fs::copy(&commands, directory.path().join("commands.json")).unwrap();
    std::fs::rename(directory.path().join("own.rhai"), directory.path().join("ops.rhai")).unwrap();
    let beside = directory.path().join("commands.json").display().to_string();
    assert_eq!(rows(&document(&[&beside, "--config", &config]), "roofline", "points").len(), 6);
    std::fs::write(directory.path().join("ops.rhai"), "op(").unwrap();
    let answer = roofline(directory.path(), &["commands.json", "--config", &config]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("ops.rhai"), "{}", answer.stderr);
}

#[test]
fn pairs_have_devices_of_their_own() {
    let directory = folder();
    let pair = |device: &str| format!("peaks={device},input=kernels.csv,dtype=fp16");
    let answer = roofline(
        directory.path(),
        &["--pair", &pair("h100-sxm"), "--pair", &pair("a100-sxm-80gb"), "--json"],
    );
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let found: Value = serde_json::from_str(&answer.stdout).unwrap();
    let devices: Vec<String> = found["sections"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|section| section["numbers"].as_array().unwrap())
        .filter(|number| number["id"] == "device")
        .map(|number| number["value"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(devices.len(), 2);
    assert!(devices[0].contains("H100") && devices[1].contains("A100"), "{devices:?}");
    assert_eq!(found["inputs"].as_array().unwrap().len(), 2);
}

#[test]
fn conditions_decide_the_exit_code() {
    let directory = folder();
    let code = |condition: &str| {
        let answer = roofline(
            directory.path(),
            &["kernels.csv", "--device", "h100-sxm", "--fail-on", condition, "--csv"],
        );
        (answer.code, answer.stderr)
    };
    let (failed, message) = code("pct_of_roof<50");
    assert_eq!(failed, Some(1));
    assert!(message.contains("failed: `pct_of_roof<50` holds: slow has"), "{message}");
    assert_eq!(code("pct_of_roof:absent<50").0, Some(2));
    assert_eq!(code("above_roof>0").0, Some(0));
    assert_eq!(code("pct_of_roof<0.001").0, Some(0));
    let (refused, message) = code("pct_of_rof<50");
    assert_eq!(refused, Some(2));
    assert!(message.contains("did you mean `pct_of_roof`?"), "{message}");
}

#[test]
fn an_empty_input_gives_a_valid_empty_file() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("none.csv"), "name,flops,dram_bytes,time_ms\n").unwrap();
    std::fs::write(directory.path().join("none.json"), r#"{"events": []}"#).unwrap();
    std::fs::write(
        directory.path().join("zero.csv"),
        "name,flops,dram_bytes,time_ms\nk0,0,1e9,1\nk1,1e9,0,1\nk2,0,0,0\n",
    )
    .unwrap();
    for input in ["none.csv", "none.json"] {
        let answer = roofline(directory.path(), &[input, "--device", "h100-sxm", "--csv"]);
        assert_eq!((answer.code, answer.stdout.lines().count()), (Some(0), 1), "{answer:?}");
        let answer = roofline(directory.path(), &[input, "--device", "h100-sxm", "--json"]);
        serde_json::from_str::<Value>(&answer.stdout).unwrap();
        for file in ["x.svg", "x.html", if cfg!(feature = "png") { "x.png" } else { "x.svg" }] {
            let answer = roofline(directory.path(), &[input, "--device", "h100-sxm", "-o", file]);
            assert_eq!(answer.code, Some(0), "{answer:?}");
        }
    }
    // Neither no operations nor no bytes make an infinity of the file.
    let answer = roofline(directory.path(), &["zero.csv", "--device", "h100-sxm", "--json"]);
    let found: Value = serde_json::from_str(&answer.stdout).unwrap();
    let kept = rows(&found, "roofline", "classification");
    assert_eq!(row(&kept, "k0")["delta_log10_oi_to_knee"], Value::Null);
    assert_eq!(row(&kept, "k1")["operational_intensity"], Value::Null);
    assert_eq!(
        (&row(&kept, "k0")["class"], &row(&kept, "k1")["class"]),
        (&"memory-bound".into(), &"compute-bound".into())
    );
}

#[test]
fn a_trace_is_held_against_the_device_that_is_named() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("trace.json"), TRACE).unwrap();
    let answer = roofline(directory.path(), &["trace.json", "--device", "h100-sxm", "--json"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let found: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(found["schema"], "eaves.roofline/1");
    let answer = roofline(directory.path(), &["trace.json"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("--device"), "{}", answer.stderr);
}

#[test]
fn what_cannot_be_done_says_why_and_what_to_try() {
    let directory = folder();
    for (name, content) in [
        ("columns.csv", "a,b\n1,2\n"),
        ("broken.json", "{\"events\": [{\"type\" 3}]}"),
        ("reports.json", r#"{"device": "NVIDIA H10O", "events": []}"#),
        ("config.json", r#"{"peak_tops": 32, "mem_bw": 50, "mem_thresh": 400}"#),
    ] {
        std::fs::write(directory.path().join(name), content).unwrap();
    }
    for (arguments, message, hint) in [
        (&["kernels.csv"][..], "does not name the device", "--device"),
        (&["kernels.csv", "--device", "h10o"], "h10o", "h100"),
        (&["reports.json"], "NVIDIA H10O", "--device"),
        (&["kernels.csv", "--device", "h100-sxm", "--dtype", "fp61"], "fp61", "fp16"),
        (&["columns.csv", "--device", "h100-sxm"], "at line 1: columns.csv", "name,flops"),
        (&["broken.json", "--device", "h100-sxm"], "at line 1: broken.json", "write the file again"),
        (&["absent.csv", "--device", "h100-sxm"], "no such file", "name a file"),
        (&["kernels.csv", "--config", "config.json"], "mem_thresh", "peak_tops"),
        (
            &["kernels.csv", "--device", "h100-sxm", "-o", "kernels.csv"],
            "replace the input",
            "another output",
        ),
        (
            &["kernels.csv", "--device", "h100-sxm", "--json", "-o", "a.svg"],
            "contradicts the file name",
            "one of the two",
        ),
    ] {
        let answer = roofline(directory.path(), arguments);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{arguments:?}: {answer:?}");
        assert!(answer.stderr.contains(message), "{arguments:?}: {}", answer.stderr);
        assert!(
            answer.stderr.contains("hint:") && answer.stderr.contains(hint),
            "{arguments:?}: {}",
            answer.stderr
        );
    }
    for arguments in [
        &["--device", "h100-sxm"][..],
        &["kernels.csv", "--from", "xml"],
        &["kernels.csv", "--balanced", "0.5"],
        &["kernels.csv", "--bound-limit", "120"],
        &["--pair", "peaks=a"],
    ] {
        assert_eq!(roofline(directory.path(), arguments).code, Some(2), "{arguments:?}");
    }
}

#[test]
fn damaged_rows_are_said_and_strict_fails_on_them() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("k.csv"), format!("{KERNELS}ragged,1\n")).unwrap();
    let arguments = ["k.csv", "--device", "h100-sxm", "--csv"];
    let answer = roofline(directory.path(), &arguments);
    assert_eq!((answer.code, answer.stdout.lines().count()), (Some(0), 3));
    assert!(answer.stderr.contains("line 4: 2 fields"), "{}", answer.stderr);
    let strict = roofline(directory.path(), &[&arguments[..], &["--strict"]].concat());
    assert_eq!(strict.code, Some(2));
}

#[test]
fn one_table_says_that_messages_are_elsewhere() {
    let (events, peaks) = (example("events.json"), example("peaks.yaml"));
    let answer = roofline(&std::env::temp_dir(), &[&events, "--device", &peaks, "--csv"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.stderr.contains("this table excludes messages"), "{}", answer.stderr);
}
