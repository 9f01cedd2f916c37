//! Reports that only the profiler's own tool can read: the tool is asked to write them down in a form that we read.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::system;

/// What a tool wrote, in a directory that is removed with this.
pub(crate) struct Exported {
    /// The file.
    pub(crate) path: PathBuf,
    _directory: TempDir,
}

/// The longest that a tool may take. An export of the largest reports takes minutes; a tool that waits for something that
/// never comes would take forever.
const LONGEST: Duration = Duration::from_secs(30 * 60);
/// How often it is looked whether it ended.
const INTERVAL: Duration = Duration::from_millis(10);

/// Why there is no export.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// No such tool on the `PATH`.
    NoTool,
    /// The tool was started, but there is no file. What it said is given.
    Failed(String),
}

/// Runs a tool that is looked for on the `PATH`. Its arguments are made of the file that it is to write, which gets the
/// name given, in a new directory of its own. What the tool prints is shown only if it fails.
pub(crate) fn run(
    tool: &str,
    file_name: &str,
    arguments: impl FnOnce(&Path) -> Vec<OsString>,
) -> Result<Exported, Failure> {
    let program = find(tool).ok_or(Failure::NoTool)?;
    let failed = |error: std::io::Error| Failure::Failed(error.to_string());
    let directory = tempfile::Builder::new().prefix("eaves-export-").tempdir().map_err(failed)?;
    let path = directory.path().join(file_name);
    let mut command = Command::new(program);
    command.args(arguments(&path)).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Some((status, said)) = within(&mut command, LONGEST).map_err(failed)? else {
        return Err(Failure::Failed(format!("it took longer than {} minutes", LONGEST.as_secs() / 60)));
    };
    if status.success() && path.is_file() {
        return Ok(Exported { path, _directory: directory });
    }
    let last = said.iter().find_map(|said| said.lines().rev().map(str::trim).find(|line| !line.is_empty()));
    let last = last.map_or_else(|| status.to_string(), str::to_owned);
    Err(Failure::Failed(last))
}

/// Runs a program for at most this time. Gives how it ended and what it wrote to stderr and stdout, or nothing if it had
/// to be ended.
fn within(command: &mut Command, longest: Duration) -> std::io::Result<Option<(ExitStatus, [String; 2])>> {
    let mut child = command.spawn()?;
    // What nobody reads would stop it once the pipe is full.
    let streams = [collect(child.stderr.take()), collect(child.stdout.take())];
    let end = Instant::now().checked_add(longest);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if end.is_some_and(|end| Instant::now() >= end) {
            ended(&mut child);
            return Ok(None);
        }
        thread::sleep(INTERVAL);
    };
    let said = streams.map(|stream| stream.join().unwrap_or_default());
    Ok(Some((status, said)))
}

/// Reads a stream to its end, on its own thread.
fn collect(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            // What was read until it failed is what there is.
            drop(stream.read_to_end(&mut bytes));
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn ended(child: &mut Child) {
    // One that ended by itself meanwhile is as good.
    drop(child.kill());
    drop(child.wait());
}

/// A program on the `PATH`.
fn find(tool: &str) -> Option<PathBuf> {
    let name = format!("{tool}{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|directory| directory.join(&name))
        .find(|program| system::is_executable(program))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_is_not_there_is_said() {
        let outcome = run("no-such-tool-anywhere", "out", |_| Vec::new());
        assert_eq!(outcome.err(), Some(Failure::NoTool));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_may_not_be_run_is_no_tool() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("nsys");
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        let may = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        may(0o644);
        assert!(!system::is_executable(&path));
        may(0o755);
        assert!(system::is_executable(&path) && !system::is_executable(directory.path()));
    }

    #[cfg(unix)]
    #[test]
    fn what_a_tool_writes_is_there_until_it_is_dropped() {
        let exported = run("cp", "copy.txt", |to| vec!["/dev/null".into(), to.into()]).ok().unwrap();
        let path = exported.path.clone();
        assert!(path.is_file());
        drop(exported);
        assert!(!path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_tool_that_never_ends_is_ended() {
        let mut command = Command::new("sleep");
        command.arg("1000000").stdout(Stdio::piped()).stderr(Stdio::piped());
        assert!(within(&mut command, Duration::from_millis(50)).unwrap().is_none());
    }

    #[cfg(unix)]
    #[test]
    fn a_tool_that_fails_is_quoted() {
        let outcome = run("ls", "out", |_| vec!["/no/such/directory".into()]);
        assert!(matches!(outcome.err(), Some(Failure::Failed(said)) if said.contains("/no/such/directory")));
    }
}
