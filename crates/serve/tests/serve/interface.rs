//! Questions, benchmarks, and the description of it all.

use serde_json::{Value, json};

use crate::client::{Served, printed};

#[test]
fn answers_are_those_of_the_command_line() {
    let served = Served::start();
    assert_eq!(served.get("/api/v1/devices").body, printed("device", &json!({"op": "list"})));
    let shown = printed("device", &json!({"op": "show", "device": "h100-sxm"}));
    assert_eq!(served.get("/api/v1/devices/H100-SXM").body, shown);
    let asked = json!({"op": "gemm", "m": 1, "n": "4k", "k": 4096, "device": "gb10-287", "precision": "fp16", "bias": false});
    let predicted = served.send("POST", "/api/v1/predict", &asked.to_string());
    let same = json!({"op": "gemm", "m": 1, "n": 4096, "k": 4096, "device": "gb10-287", "precision": "fp16"});
    assert!(predicted.body == printed("predict", &same));
    assert!(served.send("POST", "/api/v1/verbs/predict", &asked.to_string()).body == predicted.body);
    // By hand, as published for a 4096 by 4096 matrix at 287 GB/s: 33570816 bytes, 116.97 us.
    let table = &predicted.json()["sections"][0]["tables"][0];
    let column =
        |id: &str| table["columns"].as_array().unwrap().iter().position(|column| column["id"] == id).unwrap();
    let value = |id: &str| table["rows"][0][column(id)].as_f64().unwrap();
    assert_eq!(value("bytes"), 33_570_816.0);
    assert!((value("time_ns") / 1e3 - 116.97).abs() < 0.005, "{}", value("time_ns"));
    let model = json!({"op": "model", "model": "llama-3-8b", "device": "h100-sxm", "phase": "decode"});
    assert_eq!(
        served.send("POST", "/api/v1/predict", &model.to_string()).json()["schema"],
        "eaves.predict/1"
    );
    let roofline = served.get("/api/v1/runs/1/roofline?device=a100-sxm&bound_limit=60").json();
    assert_eq!(roofline["schema"], "eaves.roofline/1");
}

#[test]
fn what_is_known_by_name() {
    let served = Served::start();
    let precisions = served.get("/api/v1/precisions").json();
    let of =
        |name: &str| precisions.as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone();
    // OCP MX 1.0: 4 bits and a scale of 8 for 32; NVFP4: one of 8 for 16, and one of 32 for the tensor.
    assert_eq!(of("mxfp4")["effective_bits"], 4.25);
    assert!((of("nvfp4")["effective_bits"].as_f64().unwrap() - 4.5).abs() < 1e-5);
    assert_eq!(of("fp8_e4m3")["largest"], 448.0);
    let presets = served.get("/api/v1/presets").json();
    let llama =
        presets["models"].as_array().unwrap().iter().find(|model| model["key"] == "llama-3-8b").unwrap();
    assert_eq!(llama["parameters"], 8_030_261_248.0);
    let decode = presets["shapes"].as_array().unwrap().iter().find(|one| one["key"] == "decode").unwrap();
    assert_eq!(decode["shapes"], json!([[1, 4096, 4096]]));
    assert_eq!(presets["backends"][0], json!({"name": "cpu", "available": true, "reason": null}));
}

#[test]
fn benchmarks_tell_each_kernel() {
    let served = Served::empty();
    // There is no kernel for the second.
    let asked = json!({"kernel": "gemv", "n": 64, "k": 64, "precision": "fp32,int2,bf16", "seconds": 0.1});
    let job =
        served.send("POST", "/api/v1/bench", &asked.to_string()).json()["job"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/jobs/{job}/events");
    let is_last = |message: &Value| message["data"]["state"] != "running";
    let heard = served.listen(&path, is_last);
    let told: Vec<(i64, i64)> = heard
        .iter()
        .map(|one| (one["data"]["done"].as_i64().unwrap(), one["data"]["total"].as_i64().unwrap()))
        .collect();
    assert_eq!(told, [(0, 3), (1, 3), (2, 3), (3, 3), (3, 3)]);
    assert!(heard.iter().all(|message| message["kind"] == "progress"));
    assert_eq!(heard[4]["data"]["state"], "done");
    assert_eq!(heard[0]["data"]["next"], "gemv 1x64x64 fp32");
    let first = &heard[1]["data"]["document"];
    assert_eq!(
        (&first["schema"], first["sections"][0]["tables"][0]["rows"].as_array().unwrap().len()),
        (&json!("eaves.bench/1"), 1)
    );
    assert!(heard[2]["data"]["error"].as_str().unwrap().contains("gemv 1x64x64 int2"), "{}", heard[2]);
    // Whoever comes late hears the same.
    assert_eq!(served.listen(&path, is_last), heard);
    assert_eq!(served.ask("DELETE", &format!("/api/v1/jobs/{job}"), &[], b"").status, 200);
    served.ask("DELETE", "/api/v1/jobs/99", &[], b"").is_problem(404);
    let none = json!({"kernel": "gemv", "precision": "int2"}).to_string();
    let job = served.send("POST", "/api/v1/bench", &none).json()["job"].as_str().unwrap().to_owned();
    assert_eq!(
        served.listen(&format!("/api/v1/jobs/{job}/events"), is_last).last().unwrap()["data"]["state"],
        "failed"
    );
}

#[test]
fn the_description_lists_what_there_is() {
    let served = Served::start();
    let described = served.get("/api/v1/openapi.json").json();
    let paths = described["paths"].as_object().unwrap();
    for path in [
        "/runs",
        "/runs/{id}",
        "/runs/{id}/document",
        "/runs/{id}/timeline",
        "/runs/{id}/slices",
        "/runs/{id}/flame",
        "/runs/{id}/query",
        "/runs/{id}/query/tables",
        "/runs/{id}/roofline",
        "/runs/{id}/diff",
        "/runs/{id}/table/{section}/{file}",
        "/runs/{id}/picture/{file}",
        "/devices",
        "/devices/{name}",
        "/precisions",
        "/presets",
        "/predict",
        "/ops/check",
        "/bench",
        "/jobs/{job}/events",
        "/jobs/{job}",
        "/config",
        "/ops",
        "/events",
        "/live",
    ] {
        let described = paths.get(path).unwrap_or_else(|| panic!("{path} is not described"));
        for (method, operation) in described.as_object().unwrap() {
            assert!(operation["summary"].is_string(), "{method} {path} has no sentence");
        }
    }
    let page = served.get("/api");
    assert!(String::from_utf8(page.body).unwrap().contains("/api/reference.js"));
    assert_eq!(served.get("/api/reference.js").status, 200);
}

#[test]
fn samples_of_the_machine_come_by_themselves() {
    let served = Served::start();
    let heard = served.listen("/api/v1/live", |message| message["kind"] == "live");
    assert!(heard[0]["data"]["time_ms"].as_u64().unwrap() > 1_700_000_000_000);
    assert!(heard[0]["data"]["gpus"].is_array());
}
