//! Routes for clients of other dashboards.

use serde_json::{Value, json};

use crate::client::{Served, examples};

#[test]
fn a_run_as_the_profiler_dashboard_showed_it() {
    let served = Served::start();
    let report = served.get("/api/v1/runs/1/document").json();
    let section = |id: &str| {
        report["sections"].as_array().unwrap().iter().find(|section| section["id"] == id).unwrap().clone()
    };
    let number = |section: &Value, id: &str| {
        section["numbers"].as_array().unwrap().iter().find(|number| number["id"] == id).unwrap()["value"]
            .as_f64()
            .unwrap()
    };
    let get = |name: &str| served.get(&format!("/api/profiler/{name}")).json();
    let kernels = get("kernels");
    let total = number(&section("kernels"), "total_ns") / 1e3;
    assert!((kernels["summary"]["total_time_us"].as_f64().unwrap() - total).abs() < 1e-6 * total);
    let by_type: f64 =
        kernels["by_type"].as_object().unwrap().values().map(|time| time.as_f64().unwrap()).sum();
    assert!((by_type - total).abs() < 1e-6 * total);
    let hta = get("hta");
    let share = |id: &str| hta["temporal_breakdown"][id].as_f64().unwrap();
    assert!((share("compute_pct") + share("idle_pct") + share("non_compute_pct") - 100.0).abs() < 1e-6);
    let timeline = get("timeline");
    assert!(
        timeline["gpu"].as_array().unwrap().len() > 100
            && timeline["streams"].as_object().unwrap().len() >= 2
    );
    let summary = |id: &str| timeline["summary"][id].as_f64().unwrap();
    assert!(summary("overlap_ms") <= summary("gpu_ms") && summary("gpu_ms") <= summary("total_ms"));
    let flame = get("flame");
    let children: f64 =
        flame["children"].as_array().unwrap().iter().map(|child| child["value"].as_f64().unwrap()).sum();
    assert!(children <= flame["value"].as_f64().unwrap() * (1.0 + 1e-9) && children > 0.0);
    assert_eq!(get("memory")["has_real_data"], true);
    let points = section("roofline")["tables"][0]["rows"].as_array().unwrap().len();
    assert_eq!(get("roofline")["baseline_points"].as_array().unwrap().len(), points);
    assert!(get("bottlenecks")["bottlenecks"].is_array());
    // Nothing is made up.
    served.get("/api/profiler/compile").is_problem(404);
    served.get("/api/profiler/optimization-score").is_problem(404);
}

/// What the log tells, as the command line's own test of it works out by hand: 7 ms of compilation, six operators in four
/// kernels.
#[test]
fn a_compile_log_has_its_numbers() {
    const LOG: &str = include_str!("../../../cli/tests/cli/compile.log");
    let served = Served::empty();
    let folder = served.folder.path().join("logs");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("rank0.log"), LOG).unwrap();
    for input in [folder.join("rank0.log"), folder] {
        served.server.open(vec![input]).unwrap();
        let told = served.get("/api/profiler/compile").json();
        assert_eq!((&told["compile_time_ms"], &told["fusion_ratio"]), (&json!(7.0), &json!(1.5)));
        assert_eq!((&told["graph_breaks"], &told["has_real_data"]), (&json!(1), &json!(true)));
        // A log is of compiled code alone.
        assert!(told["speedup"].is_null());
        assert!(told["missing"]["speedup"].as_str().unwrap().contains("eaves.torch_compile"), "{told}");
    }
    served.server.open(vec![examples().join("healthy")]).unwrap();
    served.get("/api/profiler/compile").is_problem(404);
}

#[test]
fn without_a_run_there_is_nothing_to_say() {
    let served = Served::empty();
    for name in ["flame", "memory", "timeline", "kernels", "hta", "compile", "roofline", "bottlenecks"] {
        served.get(&format!("/api/profiler/{name}")).is_problem(404);
    }
}

#[test]
fn the_calculator_computes_what_predict_does() {
    let served = Served::empty();
    let spec = json!({"M": 1, "N": 4096, "K": 4096, "precision": "FP16", "tile_m": 128}).to_string();
    let answer = served.send("POST", "/api/analyze?hardware_key=gb10_287", &spec).json();
    // Published for this shape at 287 GB/s.
    let point = &answer["simulated"][0];
    assert!((point["time_us"].as_f64().unwrap() - 116.97).abs() < 0.005);
    assert!((point["ai"].as_f64().unwrap() - 0.99951).abs() < 1e-5);
    assert!((point["bandwidth_gb_s"].as_f64().unwrap() - 287.0).abs() < 1e-6);
    assert_eq!((&point["shape"], &answer["measured"]), (&json!("1x4096x4096"), &json!([])));
    assert!(answer["recommendation"]["predicted_speedup"].as_f64().unwrap() >= 1.0);
    served.send("POST", "/api/analyze?hardware_key=none", &spec).is_problem(404);
    let unknown = json!({"precision": "fp3"}).to_string();
    assert!((400..500).contains(&served.send("POST", "/api/analyze", &unknown).status));
    let sweep = served.send("POST", "/api/sweep?hardware_key=h100-sxm", "[\"FP16\", \"int8\"]").json();
    assert_eq!(sweep["points"].as_array().unwrap().len(), 20);
    let quick = served.send("POST", "/api/sweep?hardware_key=h100-sxm&quick=true", "[\"FP16\"]").json();
    assert_eq!(quick["points"].as_array().unwrap().len(), 3);
    let hardware = served.get("/api/hardware").json();
    assert!(
        hardware
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["key"] == "nvidia-h100-sxm" && one["bandwidth_gb_s"].as_f64() == Some(3350.0))
    );
    let import = json!({"points": [{"ai": 1, "tflops": 2, "time_us": 3}, {"ai": 0}],
        "simplified": [{"shape": "4096x4096", "precision": "fp16", "time_us": 203.4}, {"shape": "a", "time_us": 1}, {"shape": "1x2", "time_us": 0}]});
    let imported = served.send("POST", "/api/import-benchmarks", &import.to_string()).json();
    assert_eq!((&imported["accepted"], &imported["rejected"]), (&json!(2), &json!(3)));
    // 33570816 bytes in 203.4 us are 165.05 GB/s, as published.
    assert!((imported["points"][1]["bandwidth_gb_s"].as_f64().unwrap() - 165.05).abs() < 0.005);
    let status = served.get("/api/nvml/status").status;
    assert!(matches!(status, 200 | 503));
    if status == 503 {
        served.get("/api/nvml/stream").is_problem(503);
    }
}

/// By hand: 33570816 bytes at 1 GB/s take longer than 2 x 4096 x 4096 operations at 1 TFLOP/s.
#[test]
fn a_device_that_a_client_describes_is_one_as_any_other() {
    let served = Served::empty();
    let described = json!({"name": "My ASIC-1", "bandwidth_gb_s": 1.0, "memory_gb": 16,
        "flops_by_precision": {"FP16": 1.0, "int8": 2.0}});
    let made = served.send("POST", "/api/hardware", &described.to_string()).json();
    assert_eq!(made, json!({"status": "ok", "name": "My ASIC-1", "key": "my_asic_1"}));
    let spec = json!({"M": 1, "N": 4096, "K": 4096, "precision": "FP16"}).to_string();
    for path in ["/api/analyze", "/api/public/analyze"] {
        let answer = served.send("POST", &format!("{path}?hardware_key=my_asic_1"), &spec).json();
        assert!(
            (answer["simulated"][0]["time_us"].as_f64().unwrap() - 33_570_816.0 / 1e3).abs() < 1e-6,
            "{answer}"
        );
    }
    let hardware = served.get("/api/public/hardware").json();
    let listed = hardware.as_array().unwrap().iter().find(|one| one["key"] == "my_asic_1").unwrap();
    assert_eq!(listed["precisions"], json!(["fp16", "int8"]));
    for (field, wrong) in
        [("bandwidth_gb_s", json!(0)), ("flops_by_precision", json!({"fp3": 1})), ("name", json!(""))]
    {
        let mut asked = described.clone();
        asked[field] = wrong;
        served.send("POST", "/api/hardware", &asked.to_string()).is_problem(400);
    }
    let taken = json!({"name": "H100 SXM", "bandwidth_gb_s": 1.0, "flops_by_precision": {"fp16": 1.0}});
    served.send("POST", "/api/hardware", &taken.to_string()).is_problem(422);
    let tilings = served.send("POST", "/api/tiling?M=4096&N=4096&K=4096&hardware_key=h100-sxm", "").json();
    assert_eq!(tilings.as_array().unwrap().len(), 12);
    served.send("POST", "/api/tiling?M=0&N=1&K=1&hardware_key=h100-sxm", "").is_problem(400);
    served.send("POST", "/api/tiling?M=1&N=1&K=1&hardware_key=my_asic_1", "").is_problem(422);
}

/// Intensity by hand: of 64 x 64 weights of 32 bits, 2 x 4096 operations and (4096 + 64 + 64) x 4 bytes.
#[test]
fn products_are_told_as_they_finish() {
    let served = Served::start();
    let heard = served.listen("/api/benchmark/stream?shapes=1,64,64;32,64,64&precisions=FP32", |event| {
        event["done"] == true
    });
    let [vector, matrix, end] = heard.as_slice() else { panic!("{heard:?}") };
    assert_eq!((&vector["shape"], &vector["progress"]), (&json!("1x64x64"), &json!("1/2")));
    assert_eq!((&matrix["shape"], &matrix["progress"]), (&json!("32x64x64"), &json!("2/2")));
    let intensity = 2.0 * 4096.0 / ((4096.0 + 128.0) * 4.0);
    assert!((vector["ai"].as_f64().unwrap() - intensity).abs() < 1e-9, "{vector}");
    assert_eq!(end["total"], 2);
    served.get("/api/benchmark/stream?shapes=1,2").is_problem(400);
    served.get("/api/benchmark/stream?shapes=0,1,1").is_problem(400);
}
