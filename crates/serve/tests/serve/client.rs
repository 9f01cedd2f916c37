//! A client that sends what it is told, byte by byte, and a server to send it to.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use eaves_app::{Context, Form, Look, Session, verbs};
use eaves_serve::{Options, Server};
use serde_json::Value;

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// A problem says what went wrong, in JSON, with this status.
    pub(crate) fn is_problem(&self, status: u16) {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        assert!(self.json()["error"].as_str().is_some_and(|error| !error.is_empty()));
        assert!(self.json().as_object().unwrap().contains_key("hint"));
    }
}

/// What a verb answers to a request, as the command line prints it.
pub(crate) fn printed(verb: &str, fields: &Value) -> Vec<u8> {
    let (session, fields) = (Session::default(), fields.as_object().unwrap().clone());
    let answer = (verbs::find(verb).unwrap().answer)(fields, &Context::new(&session)).unwrap();
    answer.render(Form::Json, Look { width: 0, top: 0, full: true }).unwrap()
}

/// The folder of examples.
pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// A server on its own port, whose files are in its own folder.
pub(crate) struct Served {
    pub(crate) server: Server,
    pub(crate) folder: tempfile::TempDir,
}

impl Served {
    /// With the examples as what clients may open, and one of them open.
    pub(crate) fn start() -> Self {
        let served = Self::empty();
        served.server.open(vec![examples().join("training")]).unwrap();
        served
    }

    /// Without a run.
    pub(crate) fn empty() -> Self {
        Self::with(|options| options)
    }

    pub(crate) fn with(change: impl FnOnce(Options) -> Options) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            port: 0,
            folders: vec![folder.path().to_owned(), examples()],
            config: Some(folder.path().join("roofline_config.json")),
            ops: Some(folder.path().join("ops.rhai")),
            ..Options::default()
        };
        Self { server: Server::start(change(options)).unwrap(), folder }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.server.address()
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], b"")
    }

    /// Sends JSON.
    pub(crate) fn send(&self, method: &str, path: &str, body: &str) -> Answer {
        self.ask(method, path, &[("content-type", "application/json")], body.as_bytes())
    }

    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut text = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            text.push_str(&format!("host: {}\r\n", self.address()));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            text.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        text.push_str("\r\n");
        self.raw(&[text.as_bytes(), body].concat())
    }

    /// Sends bytes as they are.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // Whoever is refused early may find the door closed while still talking.
        drop(stream.write_all(bytes));
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer));
        parse(&answer)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        stream
    }

    /// Messages of a stream, until one satisfies.
    pub(crate) fn listen(&self, path: &str, mut enough: impl FnMut(&Value) -> bool) -> Vec<Value> {
        let mut stream = self.connect();
        let request = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", self.address());
        stream.write_all(request.as_bytes()).unwrap();
        let (mut text, mut seen, mut heard) = (Vec::new(), 0, Vec::new());
        let mut block = [0u8; 4096];
        loop {
            let count = stream.read(&mut block).unwrap();
            assert!(count > 0, "the stream ended: {}", String::from_utf8_lossy(&text));
            text.extend(&block[..count]);
            // An event is a line; parts of it may come later.
            let whole = String::from_utf8_lossy(&text).into_owned();
            let lines: Vec<&str> = whole.split('\n').filter_map(|line| line.strip_prefix("data: ")).collect();
            for line in lines.iter().skip(seen) {
                let Ok(value) = serde_json::from_str::<Value>(line) else { break };
                seen += 1;
                let done = enough(&value);
                heard.push(value);
                if done {
                    return heard;
                }
            }
        }
    }
}

/// Takes an answer apart; chunks are combined.
fn parse(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no answer: {}", String::from_utf8_lossy(bytes)));
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let pair = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_owned(), value.to_owned()));
    let headers: Vec<(String, String)> = lines.filter_map(pair).collect();
    Answer { status, headers, body: bytes[end + 4..].to_vec() }
}
