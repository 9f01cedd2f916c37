//! What the program says of itself, as files that everything else is generated from. That they are current is a test of
//! the program, so that checking what is generated needs no program.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::project;

/// The command line, as `eaves self schema --commands` prints it.
pub(super) const COMMANDS: &str = "schema/commands.json";
/// Interface over HTTP, as the server describes it.
pub(super) const HTTP: &str = "schema/openapi.json";
/// Requests of the verbs, as `eaves self schema --requests` prints them.
pub(super) const REQUESTS: &str = "schema/requests.json";

/// Reads one of them.
pub(super) fn read(name: &str) -> Result<Value> {
    let text =
        std::fs::read_to_string(project::root().join(name)).with_context(|| format!("cannot read {name}"))?;
    serde_json::from_str(&text).with_context(|| name.to_owned())
}

/// Asks the program for all of them.
pub(super) fn write() -> Result<()> {
    project::run(project::cargo().args(["build", "--quiet", "--package", "eaves-cli"]))?;
    let program = project::target().join(format!("debug/eaves{}", std::env::consts::EXE_SUFFIX));
    let program = std::path::absolute(program)?.to_string_lossy().into_owned();
    for (name, option) in [(COMMANDS, "--commands"), (REQUESTS, "--requests")] {
        let text = project::output(project::command(&program).args(["self", "schema", option]))?;
        save(name, &text)?;
    }
    let mut command = project::command(&program);
    let mut server = Server(command.args(["serve", "--port", "0"]).stderr(Stdio::piped()).spawn()?);
    let described: Value = serde_json::from_str(&server.get("/api/v1/openapi.json")?)?;
    save(HTTP, &(serde_json::to_string_pretty(&described)? + "\n"))
}

fn save(name: &str, text: &str) -> Result<()> {
    std::fs::write(project::root().join(name), text).with_context(|| format!("cannot write {name}"))
}

/// A server that stops when it is dropped.
struct Server(Child);

impl Server {
    fn get(&mut self, path: &str) -> Result<String> {
        let messages = BufReader::new(self.0.stderr.as_mut().context("no messages")?);
        let line = messages.lines().map_while(Result::ok).find(|line| line.contains("http://"));
        let line = line.context("the server does not start")?;
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let address = address.context("no address")?;
        let mut stream = TcpStream::connect(address)?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (_, body) = answer.split_once("\r\n\r\n").context("an answer without a body")?;
        Ok(body.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
