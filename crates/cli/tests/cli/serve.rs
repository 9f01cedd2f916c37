//! `serve`, `open` and `watch`: the page over HTTP, also through a tunnel, and samples of the machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Answer, TRACE, eaves, run};

/// A program that runs until it goes out of sight.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a verb that serves, and waits for the port it says it serves at.
fn serving(directory: &Path, arguments: &[&str]) -> (Running, u16) {
    started(&mut eaves(directory, arguments))
}

fn started(command: &mut Command) -> (Running, u16) {
    let mut child = Running(command.stderr(Stdio::piped()).spawn().unwrap());
    let said = BufReader::new(child.0.stderr.take().unwrap());
    let mut lines = said.lines().map_while(Result::ok);
    let line = lines.find(|line| line.contains("http://")).unwrap_or_default();
    let port = line.trim_end_matches('/').rsplit(':').next().unwrap_or_default().parse();
    // What it says later must have somewhere to go.
    std::thread::spawn(move || lines.for_each(drop));
    (child, port.unwrap_or_else(|_| panic!("no port in {line:?}")))
}

/// What is at a path: the status, and everything after the headers.
fn get(port: u16, path: &str) -> std::io::Result<(u16, String)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or(std::io::ErrorKind::UnexpectedEof)?;
    Ok((status, text.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_owned())))
}

#[test]
fn an_opened_trace_is_a_run_of_the_page() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("trace.json"), TRACE).unwrap();
    let (_server, port) = serving(directory.path(), &["open", "trace.json", "--no-browser", "--port", "0"]);
    let (status, page) = get(port, "/").unwrap();
    assert!(status == 200 && page.contains("<html"), "{status} {page}");
    let (_, runs) = get(port, "/api/v1/runs").unwrap();
    let runs: Value = serde_json::from_str(&runs).unwrap();
    assert_eq!(runs.as_array().map(Vec::len), Some(1), "{runs}");
    let (_, served) = get(port, "/api/v1/runs/latest/document").unwrap();
    assert_eq!(served, run(directory.path(), &["report", "trace.json", "--json"]).stdout);
}

/// A folder with an input of each kind and nothing that configures them.
fn every_kind() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in ["commands.json", "events.json", "kernels.csv", "peaks.yaml"] {
        std::fs::copy(root.join("examples/measurements").join(name), folder.path().join(name)).unwrap();
    }
    std::fs::copy(root.join("fuzz/corpus/pickle/failed.pickle"), folder.path().join("memory.pickle"))
        .unwrap();
    std::fs::create_dir(folder.path().join("logs")).unwrap();
    for name in ["compile.log", "logs/rank0.log"] {
        std::fs::write(folder.path().join(name), include_str!("compile.log")).unwrap();
    }
    std::fs::write(folder.path().join("trace.json"), TRACE).unwrap();
    for words in [
        &["report", "trace.json", "-o", "saved.html"][..],
        &["ingest", "trace.json", "-o", "dataset"],
        &["report", "trace.json", "-o", "0.eaves-partial"],
    ] {
        assert_eq!(run(folder.path(), words).code, Some(0), "{words:?}");
    }
    folder
}

fn document(port: u16, run: usize) -> Value {
    let (status, text) = get(port, &format!("/api/v1/runs/{run}/document")).unwrap();
    assert_eq!(status, 200, "{text}");
    serde_json::from_str(&text).unwrap()
}

fn sections(document: &Value) -> Vec<&str> {
    document["sections"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect()
}

#[test]
fn every_input_of_any_verb_is_a_run() {
    let folder = every_kind();
    let inputs = [
        ("trace.json", "kernels"),
        ("kernels.csv", "roofline"),
        ("events.json", "roofline"),
        ("commands.json", "roofline"),
        ("compile.log", "graph-breaks"),
        ("logs", "graph-breaks"),
        ("memory.pickle", "memory"),
        ("saved.html", "kernels"),
        ("dataset", "kernels"),
        ("0.eaves-partial", "kernels"),
    ];
    let names = inputs.map(|(name, _)| name);
    let words = [&["serve", "--port", "0", "--device", "peaks.yaml"], &names[..]].concat();
    let (_server, port) = serving(folder.path(), &words);
    for (at, (name, section)) in inputs.iter().enumerate() {
        let found = document(port, at + 1);
        assert!(sections(&found).contains(section), "{name}: {:?}", sections(&found));
    }
    // What `open` shows is what `report` says with the same options.
    for words in [
        &["kernels.csv", "--device", "peaks.yaml"][..],
        &["commands.json"],
        &["trace.json", "--device", "h100-sxm"],
        &["trace.json", "compile.log", "memory.pickle"],
    ] {
        let open = [&["open", "--no-browser", "--port", "0"], words].concat();
        let (_server, port) = serving(folder.path(), &open);
        let report = run(folder.path(), &[&["report", "--json"], words].concat());
        assert_eq!(get(port, "/api/v1/runs/1/document").unwrap().1, report.stdout, "{words:?}");
    }
}

/// Half of the documented default peak, so that a configuration that is not read is seen.
#[test]
fn a_configuration_is_used_that_is_named_or_lies_there() {
    let folder = every_kind();
    let roofs = |words: &[&str]| {
        let all = [&["open", "commands.json", "--no-browser", "--port", "0"], words].concat();
        let (_server, port) = serving(folder.path(), &all);
        let (_, text) = get(port, "/api/v1/runs/1/roofline").unwrap();
        let roofline: Value = serde_json::from_str(&text).unwrap();
        let report = document(port, 1);
        let of = |document: &Value| {
            let tables = document["sections"][0]["tables"].as_array().unwrap();
            let roofs = tables.iter().find(|table| table["id"] == "roofs").unwrap();
            let at = roofs["columns"].as_array().unwrap().iter().position(|one| one["id"] == "rate").unwrap();
            let rows = roofs["rows"].as_array().unwrap();
            rows.iter().map(|row| row[at].as_f64().unwrap()).collect::<Vec<f64>>()
        };
        assert_eq!(of(&roofline), of(&report));
        of(&report)
    };
    // 50 GB/s and 32 TOPS, which count as billions.
    assert_eq!(roofs(&[]), [50.0, 32_000.0]);
    std::fs::write(folder.path().join("half.json"), r#"{"peak_tops": 16, "mem_bw": 50}"#).unwrap();
    let half = roofs(&["--config", "half.json"]);
    assert_eq!(half, [50.0, 16_000.0]);
    std::fs::copy(folder.path().join("half.json"), folder.path().join("roofline_config.json")).unwrap();
    assert_eq!(roofs(&[]), half);
}

#[test]
fn a_server_without_inputs_has_a_page_devices_and_benchmarks() {
    let folder = tempfile::tempdir().unwrap();
    let (_server, port) = serving(folder.path(), &["serve", "--port", "0"]);
    assert_eq!(get(port, "/").unwrap().0, 200);
    // This is how the page knows that it shows its beginning.
    assert_eq!(get(port, "/api/v1/runs").unwrap(), (200, "[]".to_owned()));
    assert_eq!(get(port, "/api/v1/runs/latest/document").unwrap().0, 404);
    for path in ["devices", "presets", "precisions", "config"] {
        assert_eq!(get(port, &format!("/api/v1/{path}")).unwrap().0, 200, "{path}");
    }
}

#[test]
fn a_device_that_does_not_exist_is_heard_of_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let answer = run(folder.path(), &["serve", "--port", "0", "--device", "h100-sxn"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""));
    assert!(answer.stderr.contains("h100-sxm"), "{}", answer.stderr);
}

/// Names of files are bytes.
#[test]
#[cfg(target_os = "linux")]
fn names_that_are_not_text_open() {
    use std::os::unix::ffi::OsStrExt;
    let directory = tempfile::tempdir().unwrap();
    let name = std::ffi::OsStr::from_bytes(b"tr\xffce.json");
    std::fs::write(directory.path().join(name), TRACE).unwrap();
    let mut command = eaves(directory.path(), ["open", "--no-browser", "--port", "0"]);
    let (_server, port) = started(command.arg(name));
    for path in ["document", "roofline?device=h100-sxm", "diff?base=1"] {
        let (status, text) = get(port, &format!("/api/v1/runs/1/{path}")).unwrap();
        assert_eq!(status, 200, "{path}: {text}");
    }
}

#[test]
fn other_machines_need_a_token() {
    let directory = tempfile::tempdir().unwrap();
    let answer = run(directory.path(), &["serve", "--host", "0.0.0.0", "--port", "0"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("--token auto"), "{}", answer.stderr);
}

#[test]
fn what_cannot_be_opened_is_said_before_anything_is_served() {
    let directory = tempfile::tempdir().unwrap();
    let answer = run(directory.path(), &["open", "absent.json", "--no-browser", "--port", "0"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""));
    assert!(answer.stderr.contains("absent.json"), "{}", answer.stderr);
}

#[test]
fn a_server_of_nothing_that_is_there_does_not_start() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("trace.json"), TRACE).unwrap();
    for inputs in [&["absent"][..], &["trace.json", "absent/trace.json"], &["*.absent"]] {
        let arguments: Vec<&str> = ["serve", "--port", "0"].iter().chain(inputs).copied().collect();
        let answer = run(directory.path(), &arguments);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{inputs:?}");
        assert!(answer.stderr.contains("no such file or directory: "), "{}", answer.stderr);
        assert!(answer.stderr.contains("absent") && answer.stderr.contains("hint: "), "{}", answer.stderr);
    }
    let (_server, port) = serving(directory.path(), &["serve", "*.json", "--port", "0"]);
    assert_eq!(get(port, "/").unwrap().0, 200);
}

#[test]
fn samples_are_lines_of_json() {
    let directory = tempfile::tempdir().unwrap();
    let answer = run(directory.path(), &["watch", "--json", "--samples", "3", "--interval", "0.05"]);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    let samples: Vec<Value> = answer.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(samples.len(), 3);
    let times: Vec<u64> = samples.iter().map(|sample| sample["time_ms"].as_u64().unwrap()).collect();
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
}

#[test]
#[cfg(unix)]
fn a_watched_program_keeps_its_output_and_its_code() {
    let directory = tempfile::tempdir().unwrap();
    // The program ends when a sample was shown next to it.
    let script = "echo out; until [ -s samples ]; do sleep 0.01; done; exit 7";
    let samples = std::fs::File::create(directory.path().join("samples")).unwrap();
    let mut command = eaves(directory.path(), ["watch", "--interval", "0.05", "--", "sh", "-c", script]);
    let answer: Answer = command.stderr(samples).output().unwrap().into();
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(7), "out\n"));
}

/// As docs/serve.md says: the server on one machine, the page on another, with SSH between them.
#[test]
#[cfg(target_os = "linux")]
fn the_page_comes_through_a_tunnel() {
    const DAEMON: &str = "/usr/sbin/sshd";
    if !Path::new(DAEMON).exists() {
        return eaves_testing::skip(format_args!("no {DAEMON}"));
    }
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).to_string_lossy().into_owned();
    for key in ["host", "user"] {
        let made =
            Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f", &at(key)]).status();
        assert!(made.unwrap().success());
    }
    let port = free_port();
    let settings = format!(
        "Port {port}\nListenAddress 127.0.0.1\nHostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nUsePAM no\n\
         PermitRootLogin prohibit-password\nPidFile none\n",
        at("host"),
        at("user.pub")
    );
    std::fs::write(at("settings"), settings).unwrap();
    // The daemon wants this folder, which a service would have made.
    let _ = std::fs::create_dir_all("/run/sshd");
    let daemon = Command::new(DAEMON).args(["-D", "-e", "-f", &at("settings")]).stderr(Stdio::null()).spawn();
    let _daemon = Running(daemon.unwrap());
    patiently(|| TcpStream::connect(("127.0.0.1", port)).ok());
    std::fs::write(at("trace.json"), TRACE).unwrap();
    // Two ports, as on two machines.
    let (far, near) = (free_port(), free_port());
    let remote = format!("cd {} && {} serve trace.json --port {far}", at(""), env!("CARGO_BIN_EXE_eaves"));
    let tunnel = Command::new("ssh")
        .args(["-i", &at("user"), "-p", &port.to_string(), "-tt"])
        .args(["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "BatchMode=yes"])
        .args(["-L", &format!("{near}:localhost:{far}"), "127.0.0.1", &remote])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _tunnel = Running(tunnel.unwrap());
    let (status, served) = patiently(|| get(near, "/api/v1/runs/latest/document").ok());
    assert_eq!(status, 200);
    assert_eq!(served, run(directory.path(), &["report", "trace.json", "--json"]).stdout);
}

/// A port that was free a moment ago.
#[cfg(target_os = "linux")]
fn free_port() -> u16 {
    std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

/// Tries again until there is an answer.
#[cfg(target_os = "linux")]
fn patiently<T>(mut attempt: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        if let Some(answer) = attempt() {
            return answer;
        }
        assert!(Instant::now() < deadline, "nothing answered");
        std::thread::sleep(Duration::from_millis(50));
    }
}
