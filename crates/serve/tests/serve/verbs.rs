//! Every verb as a route: what it takes, what it answers, and what it refuses.

use std::collections::BTreeSet;

use eaves_app::{catalog, verbs};
use serde_json::{Map, Value, json};

use crate::client::{Served, examples, printed};

fn ask(served: &Served, verb: &str, fields: &Value) -> crate::client::Answer {
    served.send("POST", &format!("/api/v1/verbs/{verb}"), &fields.to_string())
}

/// The names of all fields that a schema of the description allows.
fn fields(description: &Value, schema: &Value, names: &mut BTreeSet<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let part = description.pointer(reference.strip_prefix('#').unwrap());
        fields(description, part.unwrap_or_else(|| panic!("{reference} leads nowhere")), names);
    }
    names.extend(schema["properties"].as_object().into_iter().flat_map(Map::keys).cloned());
    for key in ["allOf", "anyOf", "oneOf"] {
        schema[key].as_array().into_iter().flatten().for_each(|part| fields(description, part, names));
    }
}

/// Every reference in a description.
fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(all) => {
            found.extend(all.get("$ref").and_then(Value::as_str).map(str::to_owned));
            all.values().for_each(|value| references(value, found));
        }
        Value::Array(all) => all.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[test]
fn every_verb_is_described_with_every_field() {
    let description = Served::empty().get("/api/v1/openapi.json").json();
    let requests = catalog::requests();
    for verb in verbs::ALL {
        let operation = &description["paths"][format!("/verbs/{}", verb.name)]["post"];
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        let (mut described, mut listed) = (BTreeSet::new(), BTreeSet::new());
        fields(&description, body, &mut described);
        for argument in requests[verb.name]["arguments"].as_array().unwrap() {
            listed.insert(argument["name"].as_str().unwrap().to_owned());
            listed.extend(argument["op"].as_str().map(|_| "op".to_owned()));
        }
        assert_eq!(described, listed, "{}", verb.name);
        assert!(operation["summary"].as_str().is_some_and(|summary| summary.len() > 10), "{}", verb.name);
        assert!(operation["responses"]["4XX"].is_object(), "{}", verb.name);
    }
    let mut all = Vec::new();
    references(&description, &mut all);
    assert!(all.len() > 100);
    for reference in all {
        let target = description.pointer(reference.strip_prefix('#').unwrap());
        assert!(target.is_some(), "{reference} leads nowhere");
    }
    // The same for routes that ask a verb in their own way.
    let body = |path: &str| &description["paths"][path]["post"]["requestBody"]["content"]["application/json"];
    assert_eq!(body("/predict")["schema"]["$ref"], "#/components/schemas/predict");
    assert_eq!(body("/bench")["schema"]["$ref"], "#/components/schemas/bench");
    let parameters = description["paths"]["/runs/{id}/roofline"]["get"]["parameters"].as_array().unwrap();
    let names: Vec<&str> = parameters.iter().map(|one| one["name"].as_str().unwrap()).collect();
    for name in ["id", "device", "balanced", "bound_limit", "peak_unit", "compat"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert!(!names.contains(&"inputs"));
}

#[test]
fn a_verb_answers_about_runs_and_files() {
    let served = Served::start();
    served.server.open(vec![examples().join("host-bound")]).unwrap();
    let document = served.get("/api/v1/runs/1/document").body;
    assert!(ask(&served, "report", &json!({"inputs": ["run:1"]})).body == document);
    assert!(ask(&served, "report", &json!({"inputs": [examples().join("training")]})).body == document);
    let latest = ask(&served, "info", &json!({"inputs": ["run:latest"]}));
    assert!(latest.body == printed("info", &json!({"inputs": [examples().join("host-bound")]})));
    let compared = served.get("/api/v1/runs/2/diff?base=1");
    assert!(ask(&served, "diff", &json!({"base": "run:1", "new": "run:2"})).body == compared.body);
    // Among others, a run is what it was made of.
    let both = ask(&served, "info", &json!({"inputs": ["run:2", examples().join("healthy/rank1.json.gz")]}));
    assert_eq!((both.status, both.json()["inputs"].as_array().map(Vec::len)), (200, Some(2)));
    // What a user fails on is told: the log has one graph break.
    let log = served.folder.path().join("compile.log");
    std::fs::write(&log, include_str!("../../../cli/tests/cli/compile.log")).unwrap();
    let request = json!({"inputs": [log], "fail_on": ["graph_breaks>0", "graph_breaks>1"]});
    let failed = ask(&served, "compile", &request).json();
    assert_eq!(failed["failed"].as_array().map(Vec::len), Some(1), "{}", failed["failed"]);
    assert_eq!(failed["failed"][0]["condition"], "graph_breaks>0");
    assert_eq!(failed["schema"], "eaves.compile/1");
}

#[test]
fn files_of_allowed_folders_may_be_named() {
    let served = Served::empty();
    let peaks = served.folder.path().join("own.yaml");
    std::fs::copy(examples().join("measurements/peaks.yaml"), &peaks).unwrap();
    let kernels = examples().join("measurements/kernels.csv");
    let asked = json!({"inputs": [kernels], "device": peaks});
    let answer = ask(&served, "roofline", &asked);
    assert!(answer.status == 200 && answer.body == printed("roofline", &asked));
}

#[test]
fn what_does_more_than_answer_is_refused() {
    let served = Served::start();
    let output = served.folder.path().join("dataset");
    let ingest = json!({"inputs": ["run:1"], "output": output});
    ask(&served, "ingest", &ingest).is_problem(403);
    assert!(!output.exists());
    ask(&served, "device", &json!({"op": "measure", "quick": true})).is_problem(403);
    let written = served.folder.path().join("trace.json");
    ask(&served, "export", &json!({"inputs": ["run:1"], "to": "chrome", "output": written})).is_problem(403);
    assert!(!written.exists());
    ask(&served, "trigger", &json!({"of": served.folder.path()})).is_problem(403);
    let unknown = ask(&served, "reprot", &json!({}));
    unknown.is_problem(404);
    assert!(unknown.json()["hint"].as_str().unwrap().contains("report"));
    ask(&served, "report", &json!({"inputs": ["run:9"]})).is_problem(404);
    ask(&served, "report", &json!({"inputs": ["run:9", "run:1"]})).is_problem(404);
    ask(&served, "report", &json!({"inputs": []})).is_problem(422);
    ask(&served, "report", &json!({"inputs": vec!["run:1"; 1001]})).is_problem(400);
    ask(&served, "predict", &json!({"op": "gemm", "precision": "fp16,".repeat(2000)})).is_problem(400);
    let many = json!({"op": "gemm", "device": "h100-sxm", "sweep": "m=1..10000:+1",
        "precision": vec!["fp16"; 11]});
    ask(&served, "predict", &many).is_problem(400);
}

/// Each field of each verb that may hold a text is tried with files that are nobody's business.
#[test]
fn no_field_reads_what_clients_may_not_open() {
    let served = Served::start();
    let secret = tempfile::tempdir().unwrap();
    let hidden = secret.path().join("hidden.yaml");
    std::fs::write(&hidden, "the secret: 1\n").unwrap();
    let needed = |verb: &str, op: Option<&str>| match (verb, op) {
        ("counters", Some("check")) => json!({"file": "counters.txt", "arch": "gfx90a"}),
        ("counters", Some("write")) => json!({"for": "roofline", "arch": "gfx90a"}),
        ("device", Some("show")) => json!({"device": "h100-sxm"}),
        ("export", _) => json!({"inputs": ["run:1"], "to": "chrome", "output": "trace.json"}),
        ("trigger", _) => json!({"of": "directory"}),
        ("diff", _) => json!({"base": "run:1", "new": "run:1"}),
        ("ingest", _) => json!({"inputs": ["run:1"], "output": "dataset"}),
        ("ops", Some("check")) => json!({"script": "ops.rhai"}),
        ("predict", Some("conv")) => json!({"input": "1,64,8,8", "channels": 8, "device": "h100-sxm"}),
        ("predict", Some("model")) => json!({"model": "llama-3-8b", "device": "h100-sxm"}),
        ("predict", _) => json!({"device": "h100-sxm"}),
        // No input, so that nothing is read but what is tried.
        _ => json!({}),
    };
    let path = hidden.display().to_string();
    let tries = [path.clone(), format!("{path}#x"), format!("peaks={path},input={path}"), "-".to_owned()];
    for verb in verbs::ALL {
        for argument in catalog::requests()[verb.name]["arguments"].as_array().unwrap() {
            let (name, op) = (argument["name"].as_str().unwrap(), argument["op"].as_str());
            if !argument["path"].as_bool().unwrap() && !["pair", "datasheet", "device"].contains(&name) {
                continue;
            }
            for text in &tries {
                for value in [json!(text), json!([text])] {
                    let mut fields = needed(verb.name, op);
                    fields[name] = value;
                    if let Some(op) = op {
                        fields["op"] = op.into();
                    }
                    let answer = ask(&served, verb.name, &fields);
                    let body = String::from_utf8_lossy(&answer.body);
                    assert!((400..500).contains(&answer.status), "{} {fields}: {body}", verb.name);
                    assert!(!body.contains("the secret"), "{} {fields}: {body}", verb.name);
                }
            }
        }
    }
    // Whether a file is there is nobody's business either.
    let there = ask(&served, "device", &json!({"op": "show", "device": path}));
    let gone = ask(&served, "device", &json!({"op": "show", "device": format!("{path}.yaml")}));
    assert_eq!((there.status, gone.status), (403, 403));
    // Addresses elsewhere are not files.
    for address in ["s3://bucket/a.json", "http://127.0.0.1:1/a.json", "https://example.org/a.json"] {
        let answer = ask(&served, "report", &json!({"inputs": [address]}));
        assert!(matches!(answer.status, 403 | 404), "{address}: {answer:?}");
    }
}

/// The inputs are gone from the disk once a run was read, and every question about it is still answered.
#[test]
fn a_run_in_memory_answers_without_its_files() {
    let served = Served::empty();
    let folder = served.folder.path();
    for (run, example) in [("base", "training"), ("new", "host-bound")] {
        std::fs::create_dir(folder.join(run)).unwrap();
        std::fs::copy(examples().join(example).join("rank0.json.gz"), folder.join(run).join("rank0.json.gz"))
            .unwrap();
        served.server.open(vec![folder.join(run)]).unwrap();
    }
    std::fs::copy(examples().join("measurements/kernels.csv"), folder.join("kernels.csv")).unwrap();
    served.server.open(vec![folder.join("kernels.csv")]).unwrap();
    let questions = [
        "/api/v1/runs/2/roofline?device=a100-sxm&bound_limit=60",
        "/api/v1/runs/3/roofline?device=h100-sxm",
        "/api/v1/runs/2/diff?base=1",
        "/api/v1/runs/2/flame?base=1",
        "/api/v1/runs/2/timeline?start=0&end=1000000",
    ];
    let all = || -> Vec<Vec<u8>> {
        let answers = questions.map(|path| {
            let answer = served.get(path);
            assert_eq!(answer.status, 200, "{path}: {}", String::from_utf8_lossy(&answer.body));
            answer.body
        });
        let report = ask(&served, "report", &json!({"inputs": ["run:2"], "section": ["kernels"]}));
        assert_eq!(report.status, 200);
        answers.into_iter().chain([report.body]).collect()
    };
    let before = all();
    for gone in ["base", "new"] {
        std::fs::remove_dir_all(folder.join(gone)).unwrap();
    }
    std::fs::remove_file(folder.join("kernels.csv")).unwrap();
    assert!(all() == before);
    // What needs no run never did.
    let gemm = json!({"op": "gemm", "device": "h100-sxm"});
    assert_eq!(served.send("POST", "/api/v1/predict", &gemm.to_string()).status, 200);
}
