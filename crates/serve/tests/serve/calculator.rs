//! The calculator's interface as its own document describes it: imports, keys, measurements and mistakes.

use std::path::PathBuf;
use std::sync::Arc;

use eaves_cli::serving::Program;
use eaves_serve::{Engine, Opened, Problem};
use serde_json::{Map, Value, json};

use crate::client::Served;

/// The program, but for kernels, which are not run: each takes as many microseconds as it has rows.
struct WithoutKernels(Program);

impl Engine for WithoutKernels {
    fn answer(&self, words: &[String]) -> Result<Vec<u8>, Problem> {
        if words.first().is_none_or(|verb| verb != "bench") {
            return self.0.answer(words);
        }
        let option = |name: &str| {
            let found = words.iter().find_map(|word| word.strip_prefix(&format!("--{name}=")));
            found.unwrap_or("1").to_owned()
        };
        let (m, n, k) = (option("m"), option("n"), option("k"));
        if option("precision") == "int4" {
            return Err(Problem::failed("INT4 is not for this machine"));
        }
        let columns = ["name", "precision", "time_ns", "gflops", "gbps", "flops", "bytes"];
        let row =
            json!([format!("gemm {m}x{n}x{k}"), option("precision"), 1e3, 2000.0, 300.0, 2_000_000, 300_000]);
        let table = json!({"id": "results", "columns": columns.map(|id| json!({"id": id})), "rows": [row]});
        Ok(json!({"sections": [{"tables": [table]}]}).to_string().into_bytes())
    }

    fn open(&self, inputs: &[PathBuf]) -> Result<Opened, Problem> {
        self.0.open(inputs)
    }

    fn ask(&self, verb: &str, request: Map<String, Value>) -> Result<Vec<u8>, Problem> {
        self.0.ask(verb, request)
    }

    fn known(&self, kind: &str) -> Result<Vec<u8>, Problem> {
        self.0.known(kind)
    }

    fn check_ops(&self, script: &str) -> Vec<(Option<usize>, String)> {
        self.0.check_ops(script)
    }
}

fn served() -> Served {
    Served::with(|options| options, Arc::new(WithoutKernels(Program::default())))
}

fn near(value: &Value, expected: f64, within: f64) {
    let found = value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    assert!((found - expected).abs() <= within, "{found} is not {expected}");
}

/// By hand, with an output of FP16: 4096 x 4096 elements and 4096 more of the vector, and 2 x 4096 bytes of the result.
#[test]
fn points_of_every_precision_are_completed() {
    let served = served();
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
    let served = served();
    for body in ["{}", "[]", "", r#"{"simplified": 3}"#, r#"{"pionts": []}"#] {
        served.send("POST", "/api/import-benchmarks", body).is_problem(400);
    }
    let answer = served.send("POST", "/api/import-benchmarks", r#"{"points": []}"#).json();
    assert_eq!(answer["accepted"], 0);
}

#[test]
fn a_key_is_one_device_here_and_on_the_command_line() {
    let served = served();
    let spec = json!({"M": 1, "N": 4096, "K": 4096, "precision": "FP16"}).to_string();
    let time = |key: &str| {
        let path = format!("/api/analyze?hardware_key={key}");
        served.send("POST", &path, &spec).json()["simulated"][0]["time_us"].as_f64().unwrap()
    };
    for (key, device) in [("b10", "b10"), ("a100", "nvidia-a100-sxm-80"), ("H100", "nvidia-h100-sxm")] {
        let words = ["predict", "gemv", "--n=4096", "--k=4096", "--precision=fp16", "--device"];
        let words: Vec<String> = words.iter().chain(&[device]).map(|&word| word.to_owned()).collect();
        let document: Value = serde_json::from_slice(&Program::default().answer(&words).unwrap()).unwrap();
        let table = &document["sections"][0]["tables"][0];
        let columns = table["columns"].as_array().unwrap();
        let at = columns.iter().position(|column| column["id"] == "time_ns").unwrap();
        near(&table["rows"][0][at], time(key) * 1e3, 1e-6);
    }
}

#[test]
fn what_is_asked_for_is_measured() {
    let served = served();
    let analyze = |query: &str| {
        let spec = json!({"M": 1, "N": 4096, "K": 4096, "precision": "FP16"}).to_string();
        served.send("POST", &format!("/api/{query}"), &spec).json()
    };
    let silent = analyze("analyze?hardware_key=gb10_287");
    assert_eq!(silent["measured"], json!([]));
    assert!(silent["measured_note"].as_str().unwrap().contains("run_measured=true"), "{silent}");
    // 62 TFLOP/s at 287 GB/s; a product of one row reaches less of them.
    near(&silent["roofline_lines"][0]["peak_tflops"], 62.0, 1e-9);
    near(&silent["roofline_lines"][0]["critical_ai"], 216.03, 0.005);
    let one = analyze("analyze?hardware_key=gb10_287&run_measured=true");
    let point = json!({"shape": "1x4096x4096", "precision": "fp16", "time_us": 1.0, "tflops": 2.0,
        "bandwidth_gb_s": 300.0, "ai": 20.0 / 3.0, "source": "measured", "label": "1x4096x4096"});
    assert_eq!(one["measured"], json!([point]));
    let all = analyze("analyze?hardware_key=gb10_287&run_all_precisions=true");
    assert_eq!(all["measured"].as_array().unwrap().len(), 4);
    assert!(all["measured_errors"][0].as_str().unwrap().contains("not for this machine"), "{all}");
    // Nothing runs for those who must not reach a GPU.
    assert_eq!(analyze("public/analyze?run_measured=true&run_all_precisions=true")["measured"], json!([]));
    let sweep = served.send("POST", "/api/sweep?quick=true&run_measured=true", "[\"FP16\"]").json();
    let count = |source: &str| {
        sweep["points"].as_array().unwrap().iter().filter(|point| point["source"] == source).count()
    };
    assert_eq!((count("simulated"), count("measured")), (3, 3));
    assert!(sweep["roofline_lines"][0]["peak_tflops"].is_f64(), "{sweep}");
}

#[test]
fn mistakes_of_clients_are_400() {
    let served = served();
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
