//! Requests that must be refused, and after which the server must still be there.

use std::io::Write;
use std::net::IpAddr;

use eaves_serve::{Options, Server, StartError};
use serde_json::json;

use crate::client::Served;

#[test]
fn only_this_machine_without_a_token() {
    let options = Options { host: IpAddr::from([0, 0, 0, 0]), port: 0, ..Options::default() };
    let refused = Server::start(options.clone());
    assert!(matches!(refused, Err(StartError::NoToken(_))));
    let empty = Options { token: Some(String::new()), ..options };
    assert!(matches!(Server::start(empty), Err(StartError::NoToken(_))));
}

#[test]
fn a_token_opens_everything_and_nothing_else_does() {
    let token = Some("correct horse".replace(' ', "-"));
    let served = Served::with(|options| Options { token, ..options });
    let asked = |path: &str, headers: &[(&str, &str)]| served.ask("GET", path, headers, b"");
    for path in ["/", "/api", "/api/v1/runs", "/api/v1/config", "/api/v1/openapi.json", "/nowhere"] {
        asked(path, &[]).is_problem(401);
        for wrong in [
            "Bearer ",
            "Bearer correct-hors",
            "Bearer correct-horse1",
            "correct-horse",
            "Basic correct-horse",
        ] {
            asked(path, &[("authorization", wrong)]).is_problem(401);
        }
        asked(&format!("{path}?token=wrong"), &[]).is_problem(401);
        let right = asked(path, &[("authorization", "Bearer correct-horse")]).status;
        assert_eq!(right, if path == "/nowhere" { 404 } else { 200 }, "{path}");
        assert_eq!(asked(&format!("{path}?token=correct%2dhorse"), &[]).status, right);
    }
    // The program of the page is not a secret.
    assert_eq!(asked("/app.js", &[]).status, 200);
    assert!(served.server.url().ends_with("/?token=correct-horse"));
}

#[test]
fn pages_of_other_sites_get_nothing() {
    let served = Served::start();
    let own = format!("http://{}", served.address());
    let asked = |headers: &[(&str, &str)]| served.ask("GET", "/api/v1/runs", headers, b"");
    assert_eq!(asked(&[("origin", &own)]).status, 200);
    for (name, value) in [
        ("host", "evil.example"),
        ("host", "evil.example:6970"),
        ("host", "127.0.0.1.evil.example"),
        ("host", ""),
        ("origin", "http://evil.example"),
        ("origin", "null"),
        ("origin", "http://127.0.0.1:1"),
        ("sec-fetch-site", "cross-site"),
    ] {
        let answer = asked(&[(name, value)]);
        assert!(matches!(answer.status, 400 | 403), "{name}: {value}: {answer:?}");
    }
    let twice =
        format!("GET / HTTP/1.1\r\nhost: {0}\r\nhost: evil\r\nconnection: close\r\n\r\n", served.address());
    served.raw(twice.as_bytes()).is_problem(400);
    for answer in [asked(&[]), served.get("/"), served.get("/nowhere"), asked(&[("host", "evil")])] {
        assert!(answer.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

#[test]
fn paths_outside_stay_closed() {
    let served = Served::start();
    let inside = served.folder.path().join("a");
    std::fs::create_dir(&inside).unwrap();
    let out = format!("{}/../../../etc/passwd", inside.display());
    for path in
        ["/etc/passwd", "/etc", "/nowhere/at/all", "../../../../etc/passwd", &out, "/proc/self/environ"]
    {
        served.send("POST", "/api/v1/runs", &json!({"paths": [path]}).to_string()).is_problem(403);
    }
    #[cfg(unix)]
    {
        let link = served.folder.path().join("link");
        std::os::unix::fs::symlink("/etc/passwd", &link).unwrap();
        served.send("POST", "/api/v1/runs", &json!({"paths": [link]}).to_string()).is_problem(403);
    }
    let absent = served.folder.path().join("absent");
    served.send("POST", "/api/v1/runs", &json!({"paths": [absent]}).to_string()).is_problem(404);
    for path in ["", "-", "a\0b"] {
        served.send("POST", "/api/v1/runs", &json!({"paths": [path]}).to_string()).is_problem(400);
    }
    for path in [
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/app.js/../../x",
        "/api/v1/runs/..%2f..%2fetc/document",
        "/api/v1/runs/%00/document",
    ] {
        let answer = served.get(path);
        assert!(matches!(answer.status, 400 | 404), "{path}: {}", answer.status);
    }
    let anywhere = Served::with(|options| Options { anywhere: true, ..options });
    // It may be opened, and is not a trace.
    anywhere.send("POST", "/api/v1/runs", &json!({"paths": ["/etc/passwd"]}).to_string()).is_problem(422);
}

#[test]
fn too_much_is_too_much() {
    let change = |options| Options { upload_limit: 100_000, ..options };
    let served = Served::with(change);
    let upload = |content: &[u8]| {
        let head = "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.json.gz\"\r\n\r\n";
        let body = [head.as_bytes(), content, b"\r\n--x--\r\n"].concat();
        served.ask("POST", "/api/v1/runs", &[("content-type", "multipart/form-data; boundary=x")], &body)
    };
    upload(&vec![b' '; 200_000]).is_problem(413);
    // Small as it comes, and far too large unpacked.
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..50 {
        bomb.write_all(&[b' '; 1_000_000]).unwrap();
    }
    let bomb = bomb.finish().unwrap();
    assert!(bomb.len() < 100_000);
    upload(&bomb).is_problem(413);
    served
        .send("POST", "/api/v1/predict", &format!("{{\"op\": \"{}\"}}", "x".repeat(2_000_000)))
        .is_problem(413);
    let long = served.get(&format!("/{}", "x".repeat(100_000)));
    assert!(matches!(long.status, 400 | 414 | 431), "{}", long.status);
    assert_eq!(served.get("/api/v1/runs").status, 200);
}

#[test]
fn nonsense_gets_an_answer() {
    let served = Served::start();
    for (method, path, body) in [
        ("POST", "/api/v1/runs", "{"),
        ("POST", "/api/v1/runs", "[]"),
        ("POST", "/api/v1/runs", "{\"paths\": 1}"),
        ("POST", "/api/v1/runs", "{\"paths\": []}"),
        ("POST", "/api/v1/runs", "{\"paths\": [\"a\"], \"more\": 1}"),
        ("POST", "/api/v1/predict", "null"),
        ("POST", "/api/v1/predict", "{}"),
        ("POST", "/api/v1/predict", "{\"op\": \"rm\"}"),
        ("POST", "/api/v1/predict", "{\"op\": \"gemm\", \"m\": \"-1\"}"),
        ("POST", "/api/v1/predict", "{\"op\": \"gemm\", \"m\": {\"a\": 1}}"),
        ("POST", "/api/v1/predict", "{\"op\": \"gemm\", \"output\": \"/etc/x\"}"),
        ("POST", "/api/v1/predict", "{\"op\": \"gemm\", \"device\": \"/etc/passwd\"}"),
        ("POST", "/api/v1/predict", "{\"op\": \"model\", \"model\": \"../config.json\"}"),
        ("POST", "/api/v1/verbs/report", "{"),
        ("POST", "/api/v1/verbs/report", "[]"),
        ("POST", "/api/v1/verbs/none", "{}"),
        ("GET", "/api/v1/verbs/report", ""),
        ("POST", "/api/v1/bench", "{\"kernel\": \"gemm\", \"precision\": \"--help\"}"),
        ("POST", "/api/v1/bench", "{\"kernel\": \"preset\", \"preset\": \"none\"}"),
        ("POST", "/api/v1/ops/check", "{\"script\": 1}"),
        ("PUT", "/api/v1/config", "[]"),
        ("PUT", "/api/v1/config", "{\"peak_tops\": \"many\"}"),
        ("PUT", "/api/v1/ops", "{}"),
        ("PUT", "/api/v1/runs", "{}"),
        ("DELETE", "/", ""),
        ("POST", "/api/v1/runs/1/document", "{}"),
    ] {
        let answer = served.send(method, path, body);
        assert!((400..500).contains(&answer.status), "{method} {path} {body}: {}", answer.status);
        answer.is_problem(answer.status);
    }
    for path in [
        "/api/v1/runs/0/document",
        "/api/v1/runs/1/timeline?start=5&end=4",
        "/api/v1/runs/1/timeline?start=nan",
        "/api/v1/runs/1/timeline?start=inf&end=-inf",
        "/api/v1/runs/1/timeline?start=1e300&end=2e300",
        "/api/v1/runs/1/timeline?pixels=0",
        "/api/v1/runs/1/timeline?pixels=-1",
        "/api/v1/runs/1/timeline?pixels=99999999999",
        "/api/v1/runs/1/diff",
        "/api/v1/runs/1/diff?base=nope",
        "/api/v1/runs/1/roofline?device=/etc/passwd",
        "/api/v1/runs/1/roofline?output=x",
        "/api/v1/runs/1/nothing",
        "/api/v1/devices/none-such",
        "/api/v1/devices/..%2f..%2fetc%2fpasswd",
        "/api/v1/jobs/1/events",
        "/api/v1",
        "/api/v2/runs",
        "/api/v1/runs/%ff%fe/document",
    ] {
        let answer = served.get(path);
        assert!((400..500).contains(&answer.status), "{path}: {}", answer.status);
        answer.is_problem(answer.status);
    }
    // What is not even HTTP ends the connection, and no more.
    for bytes in
        [&b"\0\0\0\0"[..], b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/9.9\r\n\r\n"]
    {
        let mut stream = served.connect();
        drop(stream.write_all(bytes));
        drop(stream);
    }
    assert_eq!(served.get("/api/v1/runs").status, 200);
}
