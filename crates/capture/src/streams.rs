//! What a program prints on its way to the user.

use std::fs::File;
use std::io::{self, Read, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::noise::{Piece, Splitter, matches};
use crate::tools::Noise;

/// Where the program's stdout goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// To our own.
    ToStdout,
    /// To stderr, because stdout is for an answer that programs read.
    ToStderr,
}

/// What a profiler said of its failures, and its whole log.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    file: Arc<Mutex<File>>,
    failures: Arc<Mutex<Vec<String>>>,
}

/// More would not be read.
const MOST_FAILURES: usize = 8;

impl Log {
    pub(crate) fn new(file: File) -> Self {
        Self { file: Arc::new(Mutex::new(file)), failures: Arc::default() }
    }

    /// Adds a line.
    pub(crate) fn line(&self, line: &[u8]) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // The log is a help to people; without room for it the work goes on.
        drop(file.write_all(line).and_then(|()| file.write_all(b"\n")));
    }

    /// The log as the output of a program that has none of its own to show.
    pub(crate) fn stdio(&self) -> Stdio {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.try_clone().map_or_else(|_| Stdio::null(), Stdio::from)
    }

    fn failure(&self, line: &[u8]) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() < MOST_FAILURES {
            failures.push(String::from_utf8_lossy(line).trim().to_owned());
        }
    }

    pub(crate) fn failures(&self) -> Vec<String> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// How a stream of the program must be opened: as our own where nothing is taken out of it, so that a program sees a
/// terminal where there is one.
pub(crate) fn stdout(noise: &Noise, passed: Passed) -> Stdio {
    if noise.stdout.is_empty() && passed == Passed::ToStdout { Stdio::inherit() } else { Stdio::piped() }
}

/// The same for stderr, of which failures are always taken.
pub(crate) fn stderr(noise: &Noise) -> Stdio {
    if noise.stderr.is_empty() && noise.failures.is_empty() { Stdio::inherit() } else { Stdio::piped() }
}

/// Reads both streams of a program on threads of their own. The receiver hears of each that ended.
pub(crate) fn follow(child: &mut Child, noise: &'static Noise, passed: Passed, log: &Log) -> Receiver<()> {
    let (ended, receiver) = channel();
    let patterns = |own: &'static [&'static str]| own.iter().chain(noise.failures).copied();
    if let Some(stream) = child.stdout.take() {
        let (log, ended) = (log.clone(), ended.clone());
        let splitter = Splitter::new(patterns(noise.stdout));
        thread::spawn(move || {
            match passed {
                Passed::ToStdout => copy(stream, splitter, noise, &log, io::stdout()),
                Passed::ToStderr => copy(stream, splitter, noise, &log, io::stderr()),
            }
            // Nobody listens any more once the program was given up.
            let _ = ended.send(());
        });
    }
    if let Some(stream) = child.stderr.take() {
        let log = log.clone();
        let splitter = Splitter::new(patterns(noise.stderr));
        thread::spawn(move || {
            copy(stream, splitter, noise, &log, io::stderr());
            // Nobody listens any more once the program was given up.
            let _ = ended.send(());
        });
    }
    receiver
}

/// Waits until both streams ended. Something that the program left running may keep them open; then it goes on alone.
pub(crate) fn wait(receiver: &Receiver<()>, patience: Duration) {
    while receiver.recv_timeout(patience).is_ok() {}
}

fn copy(mut from: impl Read, mut splitter: Splitter, noise: &Noise, log: &Log, mut to: impl Write) {
    let mut buffer = [0; 8192];
    let mut take = |piece: Piece<'_>| match piece {
        // Nobody may be reading any more; the program is not to be disturbed by that.
        Piece::Program(bytes) => drop(to.write_all(bytes).and_then(|()| to.flush())),
        Piece::Profiler(line) => {
            log.line(line);
            if noise.failures.iter().any(|pattern| matches(pattern.as_bytes(), line)) {
                log.failure(line);
            }
        }
    };
    loop {
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => splitter.push(&buffer[..length], &mut take),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    splitter.finish(&mut take);
}
