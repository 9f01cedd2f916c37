//! Where the project is and how its tools are run.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_path_buf()
}

/// The folder cargo builds into.
pub(crate) fn target() -> PathBuf {
    // A relative folder counts from where cargo was called, which is where we are.
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// A command to be run in the folder of the workspace.
pub(crate) fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// The cargo that runs this task.
pub(crate) fn cargo() -> Command {
    command(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()))
}

/// Runs a command to its end; fails if it does.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    if !status.success() {
        bail!("{command:?} failed with {status}");
    }
    Ok(())
}

/// What a command prints.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} failed with {}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Runs a command and calls a function with every line it prints, of both streams in the order they are written. The
/// function returns whether to print the line. Returns whether the command succeeded.
pub(crate) fn watch(command: &mut Command, mut show: impl FnMut(&str) -> bool) -> Result<bool> {
    let (reader, writer) = std::io::pipe().context("cannot make a pipe")?;
    command.stdout(writer.try_clone().context("cannot share a pipe")?).stderr(writer);
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    // The command still holds the ends that write, and the pipe would never end.
    command.stdout(Stdio::inherit()).stderr(Stdio::inherit());
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        let lines = BufReader::new(reader).split(b'\n').map_while(std::io::Result::ok);
        for line in lines {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    loop {
        match lines.recv_timeout(Duration::from_millis(200)) {
            Ok(line) => {
                let line = String::from_utf8_lossy(&line);
                let line = line.trim_end_matches('\r');
                if show(line) {
                    println!("{line}");
                }
            }
            // A process that outlives the command may hold the pipe open; it is not waited for.
            Err(RecvTimeoutError::Timeout) if child.try_wait()?.is_some() => break,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(child.wait()?.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_streams_come_in_order() {
        let mut lines = Vec::new();
        let script = "echo one; echo two >&2; printf three; exit 3";
        let success = watch(Command::new("sh").args(["-c", script]), |line| {
            lines.push(line.to_owned());
            false
        });
        assert_eq!((success.unwrap(), lines), (false, ["one", "two", "three"].map(str::to_owned).to_vec()));
    }
}
