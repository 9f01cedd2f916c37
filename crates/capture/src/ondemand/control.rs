//! The way from who wants something recorded to the daemon: a line with the order, then lines of what becomes of it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::order::Order;
use super::place::CONTROL;

/// No line is longer: one has the paths of a recording, of which each may be long.
const LONGEST: u64 = 1 << 20;
/// How long who connects may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(2);

/// Outcome of an order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The traces, one for each process.
    pub files: Vec<PathBuf>,
    /// Processes that ended before they wrote one.
    pub lost: Vec<i32>,
}

/// Asks the daemon in a private directory, and waits. What it waits for is told meanwhile.
///
/// # Errors
///
/// If there is no daemon, if it refuses, and after the time.
pub fn ask(
    sockets: &Path,
    order: &Order,
    timeout: Duration,
    mut progress: impl FnMut(&str),
) -> io::Result<Answer> {
    let deadline = Instant::now().checked_add(timeout);
    let mut stream = UnixStream::connect(sockets.join(CONTROL))?;
    stream.write_all(order.to_line().as_bytes())?;
    let mut reader = BufReader::new(stream);
    let mut last = String::new();
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return Err(io::Error::new(io::ErrorKind::TimedOut, timed_out(&last)));
        }
        reader.get_ref().set_read_timeout(left)?;
        let mut line = String::new();
        match reader.by_ref().take(LONGEST).read_line(&mut line) {
            Ok(0) => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the program ended")),
            Ok(_) => {}
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                return Err(io::Error::new(io::ErrorKind::TimedOut, timed_out(&last)));
            }
            Err(error) => return Err(error),
        }
        let value: Value = serde_json::from_str(&line).unwrap_or_default();
        if let Some(text) = value.get("waiting").and_then(Value::as_str) {
            progress(text);
            text.clone_into(&mut last);
        } else if let Some(text) = value.get("refused").and_then(Value::as_str) {
            return Err(io::Error::other(text.to_owned()));
        } else if let Some(files) = value.get("files").and_then(Value::as_array) {
            let files = files.iter().filter_map(Value::as_str).map(PathBuf::from).collect();
            let lost = value.get("lost").and_then(Value::as_array).into_iter().flatten();
            let lost = lost.filter_map(|process| i32::try_from(process.as_i64()?).ok()).collect();
            return Ok(Answer { files, lost });
        }
    }
}

fn timed_out(last: &str) -> String {
    if last.is_empty() { "timed out".to_owned() } else { format!("timed out: {last}") }
}

/// Somebody who waits for a recording.
#[derive(Debug)]
pub(super) struct Client {
    stream: UnixStream,
    said: String,
}

impl Client {
    /// Reads what somebody wants who just connected.
    pub(super) fn meet(stream: UnixStream) -> io::Result<(Self, Option<Order>)> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut line = String::new();
        BufReader::new((&stream).take(LONGEST)).read_line(&mut line)?;
        stream.set_nonblocking(true)?;
        Ok((Self { stream, said: String::new() }, Order::from_line(&line)))
    }

    /// Says what is waited for, if that is not what was said last.
    pub(super) fn wait_for(&mut self, what: &str) {
        if self.said != what {
            what.clone_into(&mut self.said);
            self.send(&json!({ "waiting": what }));
        }
    }

    pub(super) fn refuse(&mut self, why: &str) {
        self.send(&json!({ "refused": why }));
    }

    pub(super) fn finish(&mut self, files: &[PathBuf], lost: &[i32]) {
        let files: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
        self.send(&json!({ "files": files, "lost": lost }));
    }

    /// True if nobody listens any more.
    pub(super) fn is_gone(&mut self) -> bool {
        matches!((&self.stream).read(&mut [0; 64]), Ok(0))
    }

    fn send(&mut self, value: &Value) {
        // Who is gone is found to be so when next looked for.
        drop((&self.stream).write_all(format!("{value}\n").as_bytes()));
    }
}
