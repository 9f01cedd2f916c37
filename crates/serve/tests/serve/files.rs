//! The configuration, the formulas, and files that change.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::client::{Served, examples};

#[test]
fn the_configuration_is_kept() {
    let served = Served::start();
    let path = served.folder.path().join("roofline_config.json");
    let usual = served.get("/api/v1/config").json();
    let expected = json!({"peak_tops": 32.0, "mem_bw": 50.0, "mem_thresh": 40.0, "comp_thresh": 40.0,
        "issue_eff_limit": 50.0, "issue_waste_limit": 20.0, "issue_perf_limit": 1.0});
    assert_eq!((&usual["config"], &usual["problem"]), (&expected, &Value::Null));
    assert!(!path.exists(), "asking writes nothing");
    assert_eq!(served.send("PUT", "/api/v1/config", r#"{"mem_bw": 1008}"#).json()["config"]["mem_bw"], 1008);
    assert_eq!(served.get("/api/v1/config").json()["config"]["mem_bw"], 1008);
    std::fs::write(&path, "{\"peak_tops\": 3").unwrap();
    let corrupt = served.get("/api/v1/config").json();
    assert_eq!(corrupt["config"], expected);
    assert!(corrupt["problem"].as_str().unwrap().contains("roofline_config.json.corrupt"));
    let kept = served.folder.path().join("roofline_config.json.corrupt");
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "{\"peak_tops\": 3");
}

#[test]
fn only_scripts_that_work_are_kept() {
    let served = Served::start();
    let script = r#"op("ID_X", |cmd| #{ macs: 1, bytes: 2, symbol: "star" });"#;
    assert_eq!(served.get("/api/v1/ops").json()["script"], "");
    let body = json!({"script": script}).to_string();
    assert_eq!(served.send("POST", "/api/v1/ops/check", &body).json(), json!({"ok": true, "errors": []}));
    assert_eq!(served.send("PUT", "/api/v1/ops", &body).status, 200);
    assert_eq!(served.get("/api/v1/ops").json()["script"], script);
    let wrong = json!({"script": "\nop(\"ID_X\", |cmd| {"}).to_string();
    let checked = served.send("POST", "/api/v1/ops/check", &wrong).json();
    assert_eq!((&checked["ok"], &checked["errors"][0]["line"]), (&json!(false), &json!(2)));
    assert_eq!(served.send("PUT", "/api/v1/ops", &wrong).status, 422);
    assert_eq!(served.get("/api/v1/ops").json()["script"], script, "what was there stays");
}

#[test]
fn an_input_that_changes_is_read_again_and_told() {
    let served = Served::start();
    let path = served.folder.path().join("rank0.json.gz");
    std::fs::copy(examples().join("training/rank0.json.gz"), &path).unwrap();
    let id = served.server.open(vec![path.clone()]).unwrap();
    let before = served.get(&format!("/api/v1/runs/{id}/document")).json();
    let other = std::fs::read(examples().join("training/rank1.json.gz")).unwrap();
    std::fs::write(&path, other).unwrap();
    let (heard, waits) = mpsc::channel::<()>();
    let messages = std::thread::scope(|scope| {
        let path = &path;
        // The first look may come after the change, so the file changes again. A slow server sees a file at rest only if
        // changes are far enough apart.
        scope.spawn(move || {
            let mut pause = Duration::from_millis(1500);
            while waits.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                std::fs::File::open(path).unwrap().set_modified(SystemTime::now()).unwrap();
                pause *= 2;
            }
        });
        let messages = served.listen("/api/v1/events", |message| {
            message["kind"] == "run" && message["data"]["id"] == id.as_str()
        });
        drop(heard);
        messages
    });
    assert!(!messages.is_empty());
    let after = served.get(&format!("/api/v1/runs/{id}/document")).json();
    assert_ne!(before["inputs"][0]["rank"], after["inputs"][0]["rank"]);
}
