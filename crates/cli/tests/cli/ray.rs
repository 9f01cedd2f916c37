//! Jobs of a Ray cluster, against a server that answers as its dashboard does. A real one is in the tests of Python.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::support::{Answer, TRACE, eaves, run};

/// A request that was made.
#[derive(Clone, Debug)]
struct Request {
    /// Method and path.
    what: String,
    headers: HashMap<String, String>,
    body: Value,
}

/// A dashboard that says what it is told to.
struct Dashboard {
    address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Dashboard {
    fn start(answer: impl Fn(&Request) -> (u16, String) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        // It ends with the process.
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let Some(request) = read(&stream) else { continue };
                seen.lock().unwrap().push(request.clone());
                let (status, body) = answer(&request);
                let head = format!(
                    "HTTP/1.1 {status} said\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                    body.len()
                );
                drop((&stream).write_all((head + body.as_str()).as_bytes()));
            }
        });
        Self { address, requests }
    }

    /// A job that is over at once, with this status, message and log.
    fn with_job(
        status: &'static str,
        message: &'static str,
        log: impl Fn(&str) -> String + Send + 'static,
    ) -> Self {
        let name = Mutex::new(String::new());
        Self::start(move |request| {
            let mut name = name.lock().unwrap();
            let answer = match request.what.as_str() {
                "POST /api/jobs/" => {
                    *name = request.body["submission_id"].as_str().unwrap().to_owned();
                    json!({ "submission_id": *name })
                }
                what if what.ends_with("/logs") => json!({ "logs": log(&name) }),
                what if what == format!("GET /api/jobs/{name}") => {
                    json!({ "status": status, "message": message })
                }
                _ => return (404, "no such job".to_owned()),
            };
            (200, answer.to_string())
        })
    }

    fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let what = line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { what, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
}

/// The lines of an answer, as `eaves.cluster` prints them.
fn told(answer: &[u8], token: &str) -> String {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(answer).unwrap();
    let packed = packer.finish().unwrap();
    let lines = packed.chunks(300).map(|part| format!("eaves-answer:{token}:{}\n", STANDARD.encode(part)));
    format!("{}eaves-answer:{token}:end:{}\n", lines.collect::<String>(), packed.chunks(300).len())
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rank 0.json"), TRACE).unwrap();
    folder
}

fn report(folder: &Path, dashboard: &Dashboard) -> Answer {
    run(folder, &["report", "rank 0.json", "--step", "3", "--json", "--ray", &dashboard.address])
}

#[test]
fn a_job_gives_the_report_of_this_machine() {
    let folder = folder();
    let part =
        run(folder.path(), &["report", "rank 0.json", "--step", "3", "--partial", "-o", "a.eaves-partial"]);
    assert_eq!(part.code, Some(0), "{part:?}");
    let part = std::fs::read(folder.path().join("a.eaves-partial")).unwrap();
    let log = move |name: &str| format!("measured 1 of 1 ranks\n{}", told(&part, name));
    let dashboard = Dashboard::with_job("SUCCEEDED", "", log);
    let mut command =
        eaves(folder.path(), ["report", "rank 0.json", "--step", "3", "--json", "--ray", &dashboard.address]);
    command.env("RAY_AUTH_TOKEN", "secret").env("RAY_JOB_HEADERS", r#"{"x-team": "gpu"}"#);
    command.env("EAVES_RAY_RUNTIME_ENV", r#"{"pip": ["eaves"]}"#);
    let answer: Answer = command.output().unwrap().into();
    let here = run(folder.path(), &["report", "rank 0.json", "--step", "3", "--json"]);
    assert_eq!((answer.code, &answer.stdout), (Some(0), &here.stdout), "{}", answer.stderr);
    assert!(
        answer.stderr.contains("measured 1 of 1 ranks") && !answer.stderr.contains("eaves-answer"),
        "{}",
        answer.stderr
    );
    let submitted = &dashboard.requests()[0];
    assert_eq!(submitted.what, "POST /api/jobs/");
    assert_eq!(submitted.headers["authorization"], "Bearer secret");
    assert_eq!(submitted.headers["x-team"], "gpu");
    assert_eq!(submitted.body["runtime_env"], json!({ "pip": ["eaves"] }));
    let command = submitted.body["entrypoint"].as_str().unwrap();
    assert!(command.ends_with("--step 3-3 -- 'rank 0.json'"), "{command}");
}

#[test]
fn a_job_that_fails_says_why() {
    let folder = folder();
    let log = |_: &str| "starting\nerror: none of 1 ranks can be read\n".to_owned();
    let answer = report(folder.path(), &Dashboard::with_job("FAILED", "exit code 2", log));
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""));
    assert!(
        answer.stderr.contains("none of 1 ranks can be read") && answer.stderr.contains("hint:"),
        "{}",
        answer.stderr
    );
    let answer =
        report(folder.path(), &Dashboard::with_job("FAILED", "No module named eaves", |_| String::new()));
    assert!(answer.code == Some(2) && answer.stderr.contains("No module named eaves"), "{}", answer.stderr);
    let answer = report(folder.path(), &Dashboard::with_job("STOPPED", "", |_| String::new()));
    assert!(answer.code == Some(2) && answer.stderr.contains("stopped"), "{}", answer.stderr);
}

#[test]
fn an_answer_that_did_not_arrive_is_no_report() {
    let folder = folder();
    let answer = report(folder.path(), &Dashboard::with_job("SUCCEEDED", "", |_| "nothing\n".to_owned()));
    assert!(answer.code == Some(2) && answer.stderr.contains("did not arrive"), "{}", answer.stderr);
    let other = |name: &str| told(b"no partial report", name);
    let answer = report(folder.path(), &Dashboard::with_job("SUCCEEDED", "", other));
    assert!(answer.code == Some(2) && answer.stderr.contains("hint:"), "{}", answer.stderr);
    let cut = |name: &str| told(TRACE.as_bytes(), name).replacen("eaves-answer", "lost", 1);
    let answer = report(folder.path(), &Dashboard::with_job("SUCCEEDED", "", cut));
    assert!(answer.code == Some(2) && answer.stderr.contains("did not arrive"), "{}", answer.stderr);
}

#[test]
fn who_is_no_dashboard_is_told_so() {
    let folder = folder();
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let answers = [
        (run(folder.path(), &["report", "rank 0.json", "--ray", &format!("http://{nobody}")]), "refused"),
        (report(folder.path(), &Dashboard::start(|_| (200, "<html>".to_owned()))), "not a Ray dashboard"),
        (report(folder.path(), &Dashboard::start(|_| (404, "Not Found".to_owned()))), "(404)"),
        (report(folder.path(), &Dashboard::start(|_| (401, "Unauthorized".to_owned()))), "RAY_AUTH_TOKEN"),
        (
            report(folder.path(), &Dashboard::start(|_| (500, "Traceback\nValueError: no\n".to_owned()))),
            "ValueError: no",
        ),
    ];
    for (answer, said) in answers {
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{answer:?}");
        assert!(answer.stderr.contains(said) && answer.stderr.contains("hint:"), "{said}: {}", answer.stderr);
    }
}

#[cfg(unix)]
#[test]
fn an_interruption_stops_the_job() {
    let folder = folder();
    let dashboard = Dashboard::start(|request| match request.what.as_str() {
        what if what.ends_with("/stop") => (200, json!({ "stopped": true }).to_string()),
        what if what.ends_with("/logs") => (200, json!({ "logs": "" }).to_string()),
        _ => (200, json!({ "status": "RUNNING", "submission_id": "" }).to_string()),
    });
    let arguments = ["report", "rank 0.json", "-o", "report.json", "--ray", &dashboard.address];
    let mut child = eaves(folder.path(), arguments).stderr(Stdio::null()).spawn().unwrap();
    while !dashboard.requests().iter().any(|request| request.what.ends_with("/logs")) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before a job was submitted");
        std::thread::sleep(Duration::from_millis(10));
    }
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let requests = dashboard.requests();
    let name = requests[0].body["submission_id"].as_str().unwrap();
    assert_eq!(requests.last().unwrap().what, format!("POST /api/jobs/{name}/stop"));
    assert!(!folder.path().join("report.json").exists());
}
