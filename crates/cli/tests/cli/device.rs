//! `eaves device`: the catalog, one device, and the devices of a machine.

use std::path::Path;

use serde_json::Value;

use crate::support::{names, run};

fn ok(directory: &Path, arguments: &[&str]) -> String {
    let answer = run(directory, arguments);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{arguments:?}: {}", answer.stdout);
    answer.stdout
}

fn here(arguments: &[&str]) -> String {
    ok(std::env::temp_dir().as_path(), arguments)
}

fn document(text: &str) -> Value {
    let document: Value = serde_json::from_str(text).unwrap();
    assert_eq!(document["schema"], "eaves.device/1");
    document
}

/// The rows of a table as texts.
fn rows(document: &Value, id: &str) -> Vec<Vec<String>> {
    let tables = document["sections"][0]["tables"].as_array().unwrap();
    let table = tables.iter().find(|table| table["id"] == id).unwrap();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    table["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row.as_array().unwrap().iter().map(text).collect())
        .collect()
}

#[test]
fn the_catalogue_is_listed() {
    let all = document(&here(&["device", "list", "--json"]));
    let devices = rows(&all, "devices");
    assert!(devices.len() >= 120, "{}", devices.len());
    let h100 = devices.iter().find(|row| row[0] == "nvidia-h100-sxm").unwrap();
    assert_eq!(h100[1..4], ["85899345920", "3350.0", "66900.0"]);
    let apple = rows(&document(&here(&["device", "list", "--vendor", "APPLE", "--json"])), "devices");
    assert_eq!(apple.len(), 16);
    let text = here(&["device", "list"]);
    assert!(text.lines().all(|line| line.chars().count() <= 80) && text.contains("989.40 TFLOP/s"), "{text}");
}

#[test]
fn a_device_is_shown_with_sources() {
    let shown = document(&here(&["device", "show", "NVIDIA A100-SXM4-80GB", "--json"]));
    let peaks = rows(&shown, "peaks");
    let fp16: Vec<_> = peaks.iter().filter(|row| row[0] == "fp16_matrix").collect();
    assert_eq!(fp16[0][1..4], ["dense", "312000.0", "op"]);
    assert_eq!(fp16[1][1..3], ["sparse", "624000.0"]);
    // 312 TFLOP/s over 2039 GB/s.
    assert!((fp16[0][4].parse::<f64>().unwrap() - 312_000.0 / 2039.0).abs() < 1e-9, "{fp16:?}");
    let sources = rows(&shown, "sources");
    for row in &peaks {
        assert!(sources.iter().any(|source| source[0] == row[5]), "{row:?}");
        assert!(["low", "medium", "high", "measured"].contains(&row[6].as_str()), "{row:?}");
    }
    let links = rows(&shown, "links");
    assert_eq!(links[0][..5], ["NVLink3", "scale-up", "25.0", "12", "300.0"]);
    let text = here(&["device", "show", "mi300x"]);
    assert!(text.contains("Measured with rocprof-compute") && text.contains("73,037.00 GB/s"), "{text}");
    assert!(!text.contains('…'), "nothing is cut: {text}");
    // What no document states is said; a device whose roofs are all stated has no such note.
    let claims = |name: &str| {
        let shown = document(&here(&["device", "show", name, "--json"]));
        let findings = shown["sections"][0]["findings"].as_array().unwrap().clone();
        findings.iter().map(|finding| finding["claim"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(claims("h100-sxm").is_empty());
    let gb10 = claims("gb10");
    assert!(
        gb10[0].contains("peak fp8_matrix")
            && gb10[0].ends_with("of NVIDIA GB10 (DGX Spark) are unverified."),
        "{gb10:?}"
    );
}

#[test]
fn what_is_not_known_is_an_error_with_a_hint() {
    for (arguments, parts) in [
        (["device", "show", "mi30x"], ["did you mean amd-mi300x", "device list"]),
        (["device", "show", "gfx942"], ["may be any of amd-mi300a, amd-mi300x, amd-mi325x", "device list"]),
        (["device", "show", "absent.yaml"], ["absent.yaml: cannot be read", "device list"]),
        (["device", "list", "--vendor=nvida"], ["no device by `nvida`", "did you mean nvidia?"]),
        (
            ["device", "list", "--vendor=x"],
            ["no device by `x`", "vendors are amd, apple, aws, google, huawei, intel, nvidia"],
        ),
    ] {
        let answer = run(std::env::temp_dir().as_path(), &arguments);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        for part in parts {
            assert!(answer.stderr.contains(part), "{arguments:?}: {}", answer.stderr);
        }
    }
}

#[test]
fn a_broken_file_names_its_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("peaks.yaml"), "name: X\nhbm_bw_GBps: fast\n").unwrap();
    let answer = run(folder.path(), &["device", "show", "peaks.yaml"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("peaks.yaml:2: `fast` is no amount"), "{}", answer.stderr);
}

/// A machine with two known GPUs, one that is not, and a processor.
fn machine(root: &Path) {
    let files = [
        ("proc/cpuinfo", "processor\t: 0\nmodel name\t: Test CPU\nphysical id\t: 0\ncore id\t: 0\n\n"),
        ("proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: \t NVIDIA H200\n"),
        ("proc/driver/nvidia/gpus/0000:02:00.0/information", "Model: \t NVIDIA H200\n"),
        ("proc/driver/nvidia/gpus/0000:03:00.0/information", "Model: \t NVIDIA Unheard Of\n"),
    ];
    for (path, text) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

#[test]
fn a_machine_is_described_and_written() {
    let folder = tempfile::tempdir().unwrap();
    machine(&folder.path().join("root"));
    let found = document(&ok(folder.path(), &["device", "detect", "--root", "root", "--json"]));
    let rows = rows(&found, "detected");
    let told: Vec<_> = rows.iter().map(|row| (row[1].as_str(), row[2].as_str(), row[3].as_str())).collect();
    assert_eq!(
        told,
        [
            ("NVIDIA H200", "2", "nvidia-h200-sxm"),
            ("NVIDIA Unheard Of", "1", "null"),
            ("Test CPU", "1", "null")
        ]
    );
    assert_eq!(found["sections"][0]["findings"].as_array().unwrap().len(), 2);
    let answer = run(folder.path(), &["device", "detect", "--root", "root", "-o", "peaks.yaml"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(0), ""));
    // Who writes a file sees what it lacks without opening it.
    let notes: Vec<&str> = answer.stderr.lines().collect();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].contains("NVIDIA Unheard Of") && notes[1].contains("Test CPU"), "{notes:?}");
    assert!(notes.iter().all(|note| note.contains("`eaves device measure")), "{notes:?}");
    let text = std::fs::read_to_string(folder.path().join("peaks.yaml")).unwrap();
    assert!(text.starts_with("# Unknown peaks and bandwidth: nvidia-unheard-of"), "{text}");
    let shown = ok(folder.path(), &["device", "show", "peaks.yaml#nvidia-h200-sxm"]);
    assert!(shown.contains("4,800.00 GB/s"), "{shown}");
    // What is not known stays so: the entry is there, and says what it lacks when it is asked for.
    let answer = run(folder.path(), &["device", "show", "peaks.yaml#test-cpu"]);
    assert!(answer.code == Some(2) && answer.stderr.contains("neither a peak nor a bandwidth"), "{answer:?}");
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let answer = run(folder.path(), &["device", "detect", "--root", "empty"]);
    assert!(answer.code == Some(2) && answer.stderr.contains("no device found"), "{answer:?}");
}

/// What eaves writes about a machine, eaves reads again without being told which entry is meant.
#[test]
fn peaks_files_of_machines_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    machine(&root);
    std::fs::remove_dir_all(root.join("proc/driver/nvidia/gpus/0000:03:00.0")).unwrap();
    run(folder.path(), &["device", "detect", "--root", "root", "-o", "peaks.yaml"]);
    let predicted = |file: &str| run(folder.path(), &["predict", "gemm", "--device", file, "--json"]);
    let device = |file: &str| {
        let answer = predicted(file);
        assert_eq!(answer.code, Some(0), "{answer:?}");
        let document: Value = serde_json::from_str(&answer.stdout).unwrap();
        let numbers = document["sections"][0]["numbers"].as_array().unwrap().clone();
        numbers.iter().find(|number| number["id"] == "device").unwrap()["value"].as_str().unwrap().to_owned()
    };
    assert_eq!(device("peaks.yaml"), "NVIDIA H200 SXM 141GB");
    // Two kinds of accelerators: the names to type are there, word for word.
    machine(&root);
    run(folder.path(), &["device", "detect", "--root", "root", "-o", "two.yaml"]);
    let answer = predicted("two.yaml");
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("two.yaml#nvidia-h200-sxm or two.yaml#nvidia-unheard-of"), "{answer:?}");
    // What `device measure` writes: the processor as a whole, and one core of it.
    let part = |id: &str, scope: &str, rate: u32| {
        format!(
            "  - id: {id}\n    name: Test CPU, {scope}\n    scope: {scope}\n    unit_kind: core\n    \
             hbm_bw_GBps: {rate}\n    compute_peaks_GFLOPs: {{fp32: {rate}, fp16: {rate}}}\n"
        )
    };
    let roofs =
        format!("devices:\n{}{}", part("test-cpu", "8 cores", 80), part("test-cpu-one-core", "one core", 10));
    std::fs::write(folder.path().join("roofs.yaml"), roofs).unwrap();
    assert_eq!(device("roofs.yaml"), "Test CPU, 8 cores");
    assert_eq!(device("roofs.yaml#test-cpu-one-core"), "Test CPU, one core");
    // A processor alone that nobody measured: the way to its roofs is named.
    std::fs::remove_dir_all(root.join("proc/driver")).unwrap();
    run(folder.path(), &["device", "detect", "--root", "root", "-o", "cpu.yaml"]);
    let answer = predicted("cpu.yaml");
    assert!(answer.code == Some(2) && answer.stderr.contains("`eaves device measure"), "{answer:?}");
}

#[test]
fn output_of_tprof_becomes_a_peaks_file() {
    let folder = tempfile::tempdir().unwrap();
    let tprof = r#"{"device": {"name": "Test GPU"}, "memory": {"hbm_bw_GBps": 900},
        "compute": {"fp32": 60000, "bf16_tensor": 100000}, "links": [{"name": "NVLink (per-link)", "bw_GBps": 50}]}"#;
    std::fs::write(folder.path().join("tprof.json"), tprof).unwrap();
    ok(folder.path(), &["device", "detect", "--from", "tprof.json", "-o", "peaks.yaml"]);
    assert_eq!(names(folder.path()), ["peaks.yaml", "tprof.json"]);
    let shown = document(&ok(folder.path(), &["device", "show", "peaks.yaml", "--json"]));
    let peaks = rows(&shown, "peaks");
    assert_eq!(peaks[0][..3], ["fp32", "dense", "60000.0"]);
    assert_eq!(peaks[1][..3], ["bf16_tensor", "dense", "100000.0"]);
    assert_eq!(rows(&shown, "sources"), [["1", "tprof.json"]]);
    let answer = run(folder.path(), &["device", "detect", "--from", "tprof.json", "-o", "tprof.json"]);
    assert!(answer.code == Some(2) && answer.stderr.contains("would replace the input"), "{answer:?}");
}
