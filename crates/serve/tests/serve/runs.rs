//! Runs and their parts.

use eaves_app::{Context, Form, Look, Session, Verb, verbs};
use serde_json::{Value, json};

use crate::client::{Served, examples, printed};
use crate::packed;

#[test]
fn the_document_is_what_the_command_line_prints() {
    let served = Served::start();
    let printed = printed("report", &json!({"inputs": [examples().join("training")]}));
    let answer = served.get("/api/v1/runs/latest/document");
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    assert!(answer.body == printed);
    assert_eq!(served.get("/api/v1/runs/1/document").body, answer.body);
    let runs = served.get("/api/v1/runs").json();
    assert_eq!(
        (&runs[0]["id"], &runs[0]["title"], &runs[0]["state"]),
        (&"1".into(), &"training".into(), &"ready".into())
    );
}

#[test]
fn answers_that_are_known_are_not_sent_again() {
    let served = Served::start();
    for path in [
        "/",
        "/app.js",
        "/app.css",
        "/api/v1/runs/1/document",
        "/api/v1/runs/1/flame",
        "/api/v1/openapi.json",
    ] {
        let mut tags = Vec::new();
        for coding in ["identity", "gzip", "br"] {
            let answer = served.ask("GET", path, &[("accept-encoding", coding)], b"");
            let tag = answer.header("etag").unwrap().to_owned();
            assert_eq!(answer.status, 200, "{path}");
            let known = [("accept-encoding", coding), ("if-none-match", tag.as_str())];
            let again = served.ask("GET", path, &known, b"");
            assert_eq!(
                (again.status, again.body.len(), again.header("etag")),
                (304, 0, Some(tag.as_str())),
                "{path}"
            );
            if answer.header("content-encoding").is_some() {
                assert_eq!(answer.header("content-encoding"), Some(coding));
                assert!(!tags.contains(&tag), "other bytes have another tag");
            }
            tags.push(tag);
        }
    }
    let plain = served.get("/api/v1/runs/1/document").body;
    let packed = served.ask("GET", "/api/v1/runs/1/document", &[("accept-encoding", "gzip")], b"");
    let mut unpacked = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&packed.body[..]), &mut unpacked).unwrap();
    assert!(unpacked == plain && packed.body.len() * 4 < plain.len());
}

/// Windows hold what the whole holds of them: slice by slice where there are pixels enough, in groups elsewhere.
#[test]
fn windows_are_parts_of_the_whole() {
    let served = Served::start();
    let (head, whole) = packed::read(&served.get("/api/v1/runs/1/timeline").body);
    let [start, end] = [0, 1].map(|at| head["window"][at].as_i64().unwrap());
    assert!(whole.len() > 10_000 && whole.iter().all(|entry| entry.count == 1), "{}", whole.len());
    // As many arrows as the report counts activities that a call launched.
    let report = served.get("/api/v1/runs/1/document").json();
    let sections = report["sections"].as_array().unwrap();
    let by_call = &sections.iter().find(|section| section["id"] == "launch-stats").unwrap()["tables"][0];
    let column = by_call["columns"]
        .as_array()
        .unwrap()
        .iter()
        .position(|column| column["id"] == "activities")
        .unwrap();
    let rows = by_call["rows"].as_array().unwrap();
    let launched: u64 = rows.iter().map(|row| row[column].as_u64().unwrap()).sum();
    assert_eq!(whole.iter().filter(|entry| entry.launched.is_some()).count() as u64, launched);
    let length = end - start;
    // Sides that are not given are those of the recording.
    let open = packed::read(&served.get("/api/v1/runs/1/timeline?pixels=300").body).1;
    let closed = packed::read(
        &served.get(&format!("/api/v1/runs/1/timeline?start={start}&end={}&pixels=300", end + 1)).body,
    )
    .1;
    assert!(open == closed && open.len() > 300);
    for (from, to, pixels) in [
        (start, end, 1),
        (start, end, 300),
        (start + length / 3, start + length / 2, 1_000),
        (start + length / 3, start + length / 3 + 1_000_000, 20_000),
        (start + length / 3, start + length / 3 + 1_000, 20_000),
        (end + 10, end + 20, 10),
    ] {
        let path = format!("/api/v1/runs/1/timeline?start={from}&end={to}&pixels={pixels}");
        let (head, entries) = packed::read(&served.get(&path).body);
        let touches = |start: i64, end: i64| start < to && (end > from || start >= from);
        let expected: Vec<_> = whole.iter().filter(|entry| touches(entry.start, entry.end)).collect();
        let sum = |counts: &mut dyn Iterator<Item = i64>| counts.sum::<i64>();
        assert_eq!(sum(&mut entries.iter().map(|entry| entry.count)), expected.len() as i64, "{path}");
        assert_eq!(
            sum(&mut entries.iter().map(|entry| entry.busy)),
            sum(&mut expected.iter().map(|entry| entry.busy)),
            "{path}"
        );
        let width = (to - from) / pixels;
        // What is at least a pixel long stands alone, as in the whole, and so do all if a pixel is a nanosecond.
        let alone = |entry: &packed::Entry| entry.end - entry.start >= width;
        let single: Vec<_> = entries.iter().filter(|entry| entry.count == 1 && alone(entry)).collect();
        let longest: Vec<_> = expected.iter().filter(|entry| alone(entry)).collect();
        assert_eq!(single.len(), longest.len(), "{path}");
        for (found, expected) in single.iter().zip(longest) {
            assert_eq!(
                (found.rank, found.track, found.row, found.start, found.end, &found.name),
                (expected.rank, expected.track, expected.row, expected.start, expected.end, &expected.name)
            );
            // An arrow leads to the call, or to the group that has it, or out of the window.
            if let Some(launched) = found.launched {
                assert!(launched <= expected.launched.unwrap());
            }
        }
        // Rows stay where they are, whatever the window.
        let rows = |head: &Value| head["ranks"][0]["tracks"].as_array().unwrap().len();
        assert_eq!(rows(&head), rows(&packed::read(&served.get("/api/v1/runs/1/timeline").body).0));
        let few = entries.len() as i64;
        assert!(
            few <= expected.len() as i64
                && (pixels > 300 || few < expected.len() as i64 || expected.is_empty())
        );
    }
}

#[test]
fn slices_are_found_by_name() {
    let served = Served::start();
    let (_, whole) = packed::read(&served.get("/api/v1/runs/1/timeline").body);
    let found = served.get("/api/v1/runs/1/slices?contains=GEMM&limit=5").json();
    let expected: Vec<_> = whole.iter().filter(|entry| entry.name.to_lowercase().contains("gemm")).collect();
    assert!(!expected.is_empty());
    assert_eq!(found["count"], expected.len());
    assert_eq!(found["duration"].as_i64(), Some(expected.iter().map(|entry| entry.busy).sum()));
    assert_eq!(found["first"].as_array().unwrap().len(), 5);
    let first = expected.iter().map(|entry| entry.start).min().unwrap();
    assert_eq!(found["first"][0]["start"], first);
    let name = found["first"][0]["name"].as_str().unwrap();
    let exact = served.get(&format!("/api/v1/runs/1/slices?name={name}&start={}", first + 1)).json();
    assert_eq!(
        exact["count"],
        whole.iter().filter(|entry| entry.name == name && entry.start > first).count()
    );
    served.get("/api/v1/runs/1/slices").is_problem(400);
    served.get("/api/v1/runs/1/slices?name=a&contains=b").is_problem(400);
}

#[test]
fn a_flame_graph_has_its_views() {
    let served = Served::start();
    let flame = served.get("/api/v1/runs/1/flame").json();
    let views: Vec<&str> =
        flame["views"].as_array().unwrap().iter().map(|view| view["id"].as_str().unwrap()).collect();
    assert_eq!(views, ["left-heavy", "time", "inverted"]);
    for view in flame["views"].as_array().unwrap() {
        let frames = view["level"].as_array().unwrap().len();
        assert!(frames > 100 && view["name"].as_array().unwrap().len() == frames);
    }
}

#[test]
fn a_flame_graph_is_of_the_rank_and_the_time_that_are_asked_for() {
    let served = Served::start();
    // Host time of all frames: each nanosecond belongs to one frame.
    let host = |query: &str| -> i64 {
        let flame = served.get(&format!("/api/v1/runs/1/flame{query}")).json();
        let own = flame["views"][0]["own"][0].as_array().unwrap().clone();
        own.iter().map(|own| own.as_i64().unwrap()).sum()
    };
    let all = host("");
    let (first, second) = (host("?rank=0"), host("?rank=1"));
    assert!(first > 0 && second > 0 && first != second, "{first} {second}");
    assert_eq!(first + second, all);
    // Calls are cut at the edges, so windows side by side have all of it; that of a rank is cut where it is drawn.
    let (before, after) = (host("?end=20000000"), host("?start=20000000"));
    assert!(before > 0 && after > before, "{before} {after}");
    assert_eq!(before + after, all);
    assert_eq!(host("?rank=1&end=20000000") + host("?rank=1&start=20000000"), second);
    served.get("/api/v1/runs/1/flame?rank=9").is_problem(422);
    served.get("/api/v1/runs/1/flame?start=5&end=5").is_problem(400);
}

/// Host time of all frames of the first view, of the run and of the one it is compared with.
fn host_times(flame: &Value) -> [i64; 2] {
    ["own", "base"].map(|of| {
        let column = flame["views"][0][of][0].as_array().unwrap();
        column.iter().map(|amount| amount.as_i64().unwrap()).sum()
    })
}

#[test]
fn a_flame_graph_is_compared_with_that_of_another_run() {
    let served = Served::start();
    served.server.open(vec![examples().join("host-bound")]).unwrap();
    let flame = |path: &str| served.get(&format!("/api/v1/runs/{path}")).json();
    let compared = flame("2/flame?base=1");
    let views: Vec<&str> =
        compared["views"].as_array().unwrap().iter().map(|view| view["id"].as_str().unwrap()).collect();
    assert_eq!(views, ["left-heavy", "inverted"], "a comparison cannot be in time order");
    assert_eq!(host_times(&compared), [host_times(&flame("2/flame"))[0], host_times(&flame("1/flame"))[0]]);
    // The other way round, and of one rank of both.
    let [new, base] = host_times(&compared);
    assert_eq!(host_times(&flame("1/flame?base=2")), [base, new]);
    let rank = host_times(&flame("2/flame?base=1&rank=0"));
    assert!(rank[0] > 0 && rank[1] == host_times(&flame("1/flame?rank=0"))[0]);
    // Frame by frame what the command line says.
    let path = |name: &str| examples().join(name);
    let asked = json!({"inputs": [path("host-bound")], "diff": path("training")});
    let printed: Value = serde_json::from_slice(&printed("flame", &asked)).unwrap();
    let table = &printed["sections"][0]["tables"][0];
    let place = |id: &str| table["columns"].as_array().unwrap().iter().position(|one| one["id"] == id);
    let columns = ["name", "self_ns", "base_self_ns"].map(|id| place(id).unwrap());
    let view = &compared["views"][0];
    let rows = table["rows"].as_array().unwrap();
    assert_eq!(view["name"].as_array().unwrap().len(), rows.len());
    for (frame, row) in rows.iter().enumerate() {
        let name = &compared["names"][view["name"][frame].as_u64().unwrap() as usize];
        let drawn = [name, &view["own"][0][frame], &view["base"][0][frame]];
        assert_eq!(drawn, columns.map(|column| &row[column]), "{frame}");
    }
    // Kept like others.
    let tag = served.get("/api/v1/runs/2/flame?base=1").header("etag").unwrap().to_owned();
    let known = [("if-none-match", tag.as_str())];
    assert_eq!(served.ask("GET", "/api/v1/runs/2/flame?base=1", &known, b"").status, 304);
    served.get("/api/v1/runs/2/flame?base=9").is_problem(404);
    served.get("/api/v1/runs/2/flame?base=1&rank=9").is_problem(422);
    served.get("/api/v1/runs/2/flame?base=1&start=0&end=5").is_problem(400);
}

#[test]
fn files_are_those_of_the_report() {
    let served = Served::start();
    let table = served.get("/api/v1/runs/1/table/kernels/by_name.csv");
    assert!(String::from_utf8(table.body).unwrap().starts_with("name,type,calls,total_ns"));
    let svg = served.get("/api/v1/runs/1/picture/roofline.svg");
    assert_eq!(svg.header("content-type"), Some("image/svg+xml"));
    assert!(svg.body.starts_with(b"<svg") || svg.body.starts_with(b"<?xml"));
    let png = served.get("/api/v1/runs/1/picture/roofline.png");
    if cfg!(feature = "png") {
        assert!(png.body.starts_with(b"\x89PNG"));
    } else {
        png.is_problem(501);
    }
    for missing in [
        "table/kernels/nope.csv",
        "table/nope/by_name.csv",
        "table/kernels/by_name",
        "picture/kernels.svg",
        "picture/nope.png",
        "picture/roofline.gif",
    ] {
        served.get(&format!("/api/v1/runs/1/{missing}")).is_problem(404);
    }
}

#[test]
fn runs_come_and_go() {
    let served = Served::start();
    let path = examples().join("host-bound").canonicalize().unwrap();
    let made = served.send("POST", "/api/v1/runs", &serde_json::json!({"paths": [path]}).to_string()).json();
    assert_eq!(made["id"], "2");
    assert_eq!(served.get("/api/v1/runs").json().as_array().unwrap().len(), 2);
    assert_eq!(served.get("/api/v1/runs/2/diff?base=1").json()["schema"], "eaves.diff/1");
    assert_eq!(served.ask("DELETE", "/api/v1/runs/2", &[], b"").status, 200);
    served.get("/api/v1/runs/2/document").is_problem(404);
    served.ask("DELETE", "/api/v1/runs/2", &[], b"").is_problem(404);
    assert_eq!(served.get("/api/v1/runs/latest/document").json()["schema"], "eaves.report/1");
}

#[test]
fn a_saved_report_is_a_run() {
    let served = Served::start();
    let page = served.folder.path().join("report.html");
    let request = verbs::Report { inputs: vec![examples().join("training")], ..verbs::Report::default() };
    let session = Session::default();
    let context = Context { forms: &[Form::Html], ..Context::new(&session) };
    let saved = request.run(&context).unwrap();
    let look = Look { width: 80, top: 0, full: true };
    std::fs::write(&page, saved.render(Form::Html, look).unwrap()).unwrap();
    let made = served.send("POST", "/api/v1/runs", &serde_json::json!({"paths": [page]}).to_string()).json();
    let id = made["id"].as_str().unwrap();
    let saved = served.get(&format!("/api/v1/runs/{id}/document")).json();
    assert_eq!(saved["sections"], served.get("/api/v1/runs/1/document").json()["sections"]);
    // What the report cannot know is said.
    served.get(&format!("/api/v1/runs/{id}/timeline")).is_problem(404);
    served.get(&format!("/api/v1/runs/{id}/flame")).is_problem(404);
}

#[test]
fn uploads_are_runs() {
    let served = Served::start();
    let trace = std::fs::read(examples().join("training/rank0.json.gz")).unwrap();
    let upload = |name: &str, content: &[u8]| {
        let head =
            format!("--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n");
        let body = [head.as_bytes(), content, b"\r\n--x--\r\n"].concat();
        served.ask("POST", "/api/v1/runs", &[("content-type", "multipart/form-data; boundary=x")], &body)
    };
    let made = upload("../../rank0.json.gz", &trace).json();
    let id = made["id"].as_str().unwrap();
    let document = served.get(&format!("/api/v1/runs/{id}/document")).json();
    assert_eq!(document["inputs"].as_array().unwrap().len(), 1);
    assert_eq!(served.get("/api/v1/runs").json()[1]["title"], "rank0.json.gz");
    upload("nothing.txt", b"no trace").is_problem(422);
    assert_eq!(
        served.get("/api/v1/runs").json().as_array().unwrap().len(),
        2,
        "what cannot be read is no run"
    );
    let nothing = b"--x\r\ncontent-disposition: form-data; name=\"field\"\r\n\r\nvalue\r\n--x--\r\n";
    served
        .ask("POST", "/api/v1/runs", &[("content-type", "multipart/form-data; boundary=x")], nothing)
        .is_problem(400);
}
