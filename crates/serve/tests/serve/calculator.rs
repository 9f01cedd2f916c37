//! The calculator's interface as its own document describes it: imports, keys, measurements and mistakes.

use serde_json::{Value, json};

use crate::client::{Served, printed};

fn near(value: &Value, expected: f64, within: f64) {
    let found = value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    assert!((found - expected).abs() <= within, "{found} is not {expected}");
}

/// By hand, with an output of FP16: 4096 x 4096 elements and 4096 more of the vector, and 2 x 4096 bytes of the result.
#[test]
fn points_of_every_precision_are_completed() {
    let served = Served::empty();
    let (elements, flops) = (4096.0 * 4096.0 + 4096.0, 2.0 * 4096.0 * 4096.0);
    for (precision, bits) in [("INT4", 4.0), ("INT2", 2.0), ("NF4", 4.5), ("FP16", 16.0)] {
        let asked = json!({"simplified": [{"shape": "4096x4096", "precision": precision, "time_us": 30}]});
        let answer = served.send("POST", "/api/import-benchmarks", &asked.to_string()).json();
        assert_eq!((&answer["accepted"], &answer["errors"]), (&json!(1), &json!([])), "{precision}");
        let (point, bytes) = (&answer["points"][0], elements * bits / 8.0 + 8192.0);
        near(&point["ai"], flops / bytes, 0.01);
        near(&point["tflops"], 1.118, 0.001);
        near(&point["bandwidth_gb_s"], bytes / 30e3, 1.0);
    }
    let asked = json!({"simplified": [{"shape": "4096x4096", "precision": "INT4", "time_us": 30}]});
    let answer = served.send("POST", "/api/import-benchmarks", &asked.to_string()).json();
    near(&answer["points"][0]["ai"], 3.995, 0.0005);
    near(&answer["points"][0]["bandwidth_gb_s"], 280.0, 0.1);
}

#[test]
fn an_import_of_nothing_is_a_mistake() {
    let served = Served::empty();
    for body in ["{}", "[]", "", r#"{"simplified": 3}"#, r#"{"pionts": []}"#] {
        served.send("POST", "/api/import-benchmarks", body).is_problem(400);
    }
    let answer = served.send("POST", "/api/import-benchmarks", r#"{"points": []}"#).json();
    assert_eq!(answer["accepted"], 0);
}

#[test]
fn a_key_is_one_device_here_and_on_the_command_line() {
    let served = Served::empty();
    let spec = json!({"M": 1, "N": 4096, "K": 4096, "precision": "FP16"}).to_string();
    let time = |key: &str| {
        let path = format!("/api/analyze?hardware_key={key}");
        served.send("POST", &path, &spec).json()["simulated"][0]["time_us"].as_f64().unwrap()
    };
    for (key, device) in [("b10", "b10"), ("a100", "nvidia-a100-sxm-80"), ("H100", "nvidia-h100-sxm")] {
        let asked = json!({"op": "gemv", "n": 4096, "k": 4096, "precision": "fp16", "device": device});
        let document: Value = serde_json::from_slice(&printed("predict", &asked)).unwrap();
        let table = &document["sections"][0]["tables"][0];
        let columns = table["columns"].as_array().unwrap();
        let at = columns.iter().position(|column| column["id"] == "time_ns").unwrap();
        near(&table["rows"][0][at], time(key) * 1e3, 1e-6);
    }
}

/// Intensity by hand: of 64 x 64 weights of 32 bits, 2 x 4096 operations and (4096 + 64 + 64) x 4 bytes.
#[test]
fn what_is_asked_for_is_measured() {
    let served = Served::empty();
    let analyze =
        |query: &str, spec: Value| served.send("POST", &format!("/api/{query}"), &spec.to_string()).json();
    let large = || json!({"M": 1, "N": 4096, "K": 4096, "precision": "FP16"});
    let silent = analyze("analyze?hardware_key=gb10_287", large());
    assert_eq!(silent["measured"], json!([]));
    assert!(silent["measured_note"].as_str().unwrap().contains("run_measured=true"), "{silent}");
    // 62 TFLOP/s at 287 GB/s; a product of one row reaches less of them.
    near(&silent["roofline_lines"][0]["peak_tflops"], 62.0, 1e-9);
    near(&silent["roofline_lines"][0]["critical_ai"], 216.03, 0.005);
    assert!(silent["roofline_lines"][0]["roof_tflops"].as_f64().unwrap() < 62.0);
    let small = || json!({"M": 1, "N": 64, "K": 64, "precision": "FP32"});
    let one = analyze("analyze?hardware_key=gb10_287&run_measured=true", small());
    assert_eq!(one["measured_errors"], json!([]));
    let [point] = one["measured"].as_array().unwrap().as_slice() else { panic!("{one}") };
    assert_eq!((&point["shape"], &point["precision"]), (&json!("1x64x64"), &json!("fp32")));
    assert_eq!((&point["source"], &point["label"]), (&json!("measured"), &point["shape"]));
    near(&point["ai"], 2.0 * 4096.0 / ((4096.0 + 128.0) * 4.0), 1e-9);
    let all = analyze("analyze?hardware_key=gb10_287&run_all_precisions=true", small());
    let of = |name: &str| all[name].as_array().unwrap().len();
    assert_eq!((of("measured") + of("measured_errors"), of("measured") > 0), (5, true), "{all}");
    // Nothing runs for those who must not reach a GPU.
    let public = analyze("public/analyze?run_measured=true&run_all_precisions=true", small());
    assert_eq!((&public["measured"], &public["measured_errors"]), (&json!([]), &json!([])));
    // There is no kernel of this type, so each shape is tried, and none takes time.
    let path = "/api/sweep?quick=true&hardware_key=gb10_287";
    let sweep = |query: &str| served.send("POST", &format!("{path}{query}"), "[\"INT2\"]").json();
    assert_eq!(sweep("")["measured_errors"], json!([]));
    let tried = sweep("&run_measured=true");
    for shape in ["1x4096x4096", "2048x4096x4096", "4096x4096x4096"] {
        let names = |error: &Value| error.as_str().unwrap().contains(shape);
        assert!(tried["measured_errors"].as_array().unwrap().iter().any(names), "{shape}: {tried}");
    }
}

#[test]
fn mistakes_of_clients_are_400() {
    let served = Served::empty();
    for path in ["/api/analyze", "/api/public/analyze", "/api/recommend"] {
        for body in ["", "{", "[]", r#"{"M": "x"}"#, r#"{"M": 0}"#, r#"{"precision": "fp3"}"#] {
            served.send("POST", path, body).is_problem(400);
        }
        served.send("POST", &format!("{path}?hardware_key=none"), "{}").is_problem(404);
    }
    for body in ["{}", "[]", r#"["fp3"]"#] {
        served.send("POST", "/api/sweep", body).is_problem(400);
    }
}
