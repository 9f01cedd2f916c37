//! Does what a plan says: writes its files, runs its command lines, and tells how it ended.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::files;
use crate::interrupt::Running;
use crate::plan::{Invocation, Plan, Purpose};
use crate::streams::{self, Log, Passed};
use crate::system::{self, Message};
use crate::tools::Tool;
use crate::torch::{self, ProcessNotes};

/// How to run.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// Variables of the environment that the program gets besides ours.
    pub environment: Vec<(OsString, OsString)>,
    /// The longest that all runs together may take.
    pub timeout: Option<Duration>,
    /// How long a program that was told to stop may take to do so.
    pub grace: Duration,
    /// Where the program's stdout goes.
    pub passed: Passed,
}

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal of this number.
    Killed(i32),
    /// It took too long and was ended.
    TimedOut,
    /// The user ended it.
    Interrupted,
}

impl Ended {
    /// The exit code that says the same, as shells have it.
    pub fn code(self) -> u8 {
        match self {
            Self::Exited(code) => u8::try_from(code & 0xff).unwrap_or(u8::MAX),
            Self::Killed(signal) => u8::try_from(128 + (signal & 0x7f)).unwrap_or(u8::MAX),
            // What timeout(1) says.
            Self::TimedOut => 124,
            Self::Interrupted => 130,
        }
    }
}

/// Result.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How the program ended.
    pub ended: Ended,
    /// Everything that was written.
    pub files: Vec<PathBuf>,
    /// Which of it the report reads.
    pub readable: Vec<PathBuf>,
    /// What the profiler said of its own failures.
    pub failures: Vec<String>,
    /// What processes that recorded themselves said of it.
    pub told: ProcessNotes,
    /// The profiler's own output.
    pub log: PathBuf,
}

/// Why nothing could be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or directory could not be written: the user's disk or rights.
    #[error("cannot write {path}: {source}", path = .path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The profiler, or a program that needs none, could not be started.
    #[error("cannot start {program}: {source}", program = .program.display())]
    Start {
        /// Which.
        program: OsString,
        /// Why.
        source: io::Error,
    },
    /// A program that needs no profiler could not be started. The user's path.
    #[error("cannot start {program}: {source}")]
    Program {
        /// Which.
        program: String,
        /// Why.
        source: io::Error,
    },
}

/// How often it is looked whether a program ended.
const INTERVAL: Duration = Duration::from_millis(10);
/// How long streams that nobody should hold any more are waited for.
const STREAMS: Duration = Duration::from_secs(1);
/// How long a profiler may take to say what it can do.
const PROBE: Duration = Duration::from_secs(60);

/// Makes the directories and files of a plan.
pub fn prepare(plan: &Plan) -> Result<(), Error> {
    for directory in &plan.directories {
        fs::create_dir_all(directory).map_err(|source| Error::Write { path: directory.clone(), source })?;
    }
    for (path, content) in &plan.files {
        fs::write(path, content).map_err(|source| Error::Write { path: path.clone(), source })?;
    }
    Ok(())
}

/// Waits until the user wants to stop, for programs that somebody else runs.
pub fn wait_for_interrupt() {
    let running = Running::start();
    while running.asked() == 0 {
        std::thread::sleep(INTERVAL);
    }
}

/// Runs a plan of a tool into its directory.
pub fn run(
    tool: &'static Tool,
    plan: &Plan,
    directory: &Path,
    conditions: &Conditions,
) -> Result<Outcome, Error> {
    prepare(plan)?;
    let path = directory.join(format!("{}.log", tool.id));
    let log = Log::new(File::create(&path).map_err(|source| Error::Write { path: path.clone(), source })?);
    let deadline = conditions.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let running = Running::start();
    let mut ended = Ended::Exited(0);
    for invocation in &plan.runs {
        if ended == Ended::Exited(0) && running.asked() > 0 {
            ended = Ended::Interrupted;
        }
        let given_up = running.asked() > 1;
        let has_nothing = invocation.needs.as_ref().is_some_and(|file| !file.exists());
        let skipped = match invocation.purpose {
            // A run that failed would fail again.
            Purpose::Record => ended != Ended::Exited(0),
            Purpose::Convert => has_nothing || given_up,
        };
        if skipped {
            continue;
        }
        log.line(format!("$ {}", invocation.to_shell()).as_bytes());
        let records = invocation.purpose == Purpose::Record;
        let limit = deadline.filter(|_| records);
        let heard = if records { 0 } else { running.asked() };
        let how = one(tool, invocation, conditions, &log, Patience { running: &running, heard, limit })?;
        match (invocation.purpose, how) {
            (Purpose::Record, Ended::Exited(code)) => {
                // What the profiler left in a file is surer than what it returned.
                ended = Ended::Exited((tool.program_code)(directory).unwrap_or(code));
            }
            (Purpose::Record, how) => ended = how,
            // What could not be converted is missing among the files, which is told there.
            (Purpose::Convert, _) => {}
        }
    }
    drop(running);
    files::settle(directory, tool.process_in)
        .map_err(|source| Error::Write { path: directory.to_owned(), source })?;
    let files = files::below(directory);
    let readable = (tool.readable)(&files);
    let told = torch::process_notes(&files);
    Ok(Outcome { ended, files, readable, failures: log.failures(), told, log: path })
}

/// How long a program is waited for.
#[derive(Clone, Copy)]
pub(crate) struct Patience<'a> {
    pub(crate) running: &'a Running,
    /// How often the user had asked to stop before it began.
    pub(crate) heard: u32,
    pub(crate) limit: Option<Instant>,
}

fn one(
    tool: &'static Tool,
    invocation: &Invocation,
    conditions: &Conditions,
    log: &Log,
    patience: Patience<'_>,
) -> Result<Ended, Error> {
    let mut command = Command::new(&invocation.program);
    command.args(&invocation.arguments);
    command.envs(invocation.environment.iter().map(|(name, value)| (name, value)));
    // A program in its own group that reads from the terminal would be stopped forever.
    command.stdin(if io::stdin().is_terminal() { Stdio::null() } else { Stdio::inherit() });
    match invocation.purpose {
        Purpose::Record => {
            command.envs(conditions.environment.iter().map(|(name, value)| (name, value)));
            for (name, directory) in &invocation.search {
                command.env(name, in_front(name, directory, &conditions.environment));
            }
            command.stdout(streams::stdout(&tool.noise, conditions.passed));
            command.stderr(streams::stderr(&tool.noise));
        }
        Purpose::Convert => {
            command.stdin(Stdio::null()).stdout(log.stdio()).stderr(log.stdio());
        }
    }
    let failed = |source| Error::Start { program: invocation.program.clone(), source };
    let mut child = system::spawn(&mut command).map_err(failed)?;
    let ended = streams::follow(&mut child, &tool.noise, conditions.passed, log);
    let how = watch(&mut child, conditions.grace, patience).map_err(failed)?;
    streams::wait(&ended, STREAMS);
    Ok(how)
}

/// A list of directories with one more in front, of what the user gives the program or else of what we have ourselves.
fn in_front(name: &str, directory: &Path, given: &[(OsString, OsString)]) -> OsString {
    let given = given.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    let mut list = directory.as_os_str().to_owned();
    if let Some(rest) = given.or_else(|| std::env::var_os(name)).filter(|rest| !rest.is_empty()) {
        list.push(system::LIST_SEPARATOR);
        list.push(rest);
    }
    list
}

/// Waits for the end of a program, or makes it end.
pub(crate) fn watch(child: &mut Child, grace: Duration, patience: Patience<'_>) -> io::Result<Ended> {
    let Patience { running, heard, limit } = patience;
    let stopped = loop {
        if let Some(status) = child.try_wait()? {
            return Ok(system::ended(status));
        }
        if running.asked() > heard {
            system::tell(child, Message::Interrupt);
            break Ended::Interrupted;
        }
        if limit.is_some_and(|limit| Instant::now() >= limit) {
            system::tell(child, Message::Terminate);
            break Ended::TimedOut;
        }
        std::thread::sleep(INTERVAL);
    };
    let end = Instant::now().checked_add(grace);
    // The profiler may be at work on what it recorded, and so may what the program started.
    loop {
        let left = child.try_wait()?.is_none() || system::is_alive(child);
        if !left {
            return Ok(stopped);
        }
        if end.is_some_and(|end| Instant::now() >= end) || running.asked() > heard + 1 {
            break;
        }
        std::thread::sleep(INTERVAL);
    }
    system::tell(child, Message::Kill);
    child.wait()?;
    Ok(stopped)
}

/// Version reported by the installed profiler, if any.
pub fn probe(tool: &Tool) -> Option<String> {
    let arguments = tool.probe?;
    let mut command = Command::new(tool.command?);
    command.args(arguments).env("LC_ALL", "C");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = system::spawn(&mut command).ok()?;
    let mut stream = child.stdout.take()?;
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let read = io::Read::read_to_end(&mut stream, &mut text);
        drop(send.send(read.is_ok().then_some(text)));
    });
    let text = receive.recv_timeout(PROBE).ok().flatten();
    if text.is_none() {
        system::tell(&mut child, Message::Kill);
    }
    let status = child.wait().ok()?;
    text.filter(|text| status.success() && !text.is_empty())
        .map(|text| String::from_utf8_lossy(&text).into_owned())
}

/// Where the profiler is, if it has a program and that is on the PATH.
pub fn located(tool: &Tool) -> Option<PathBuf> {
    let command = tool.command?;
    std::env::split_paths(&std::env::var_os("PATH")?)
        .flat_map(|directory| {
            system::ENDINGS.iter().map(move |end| directory.join(format!("{command}{end}")))
        })
        .find(|path| system::is_executable(path))
}
