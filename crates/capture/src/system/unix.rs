//! Linux and macOS.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use super::Message;
use crate::run::Ended;

/// What programs may end with.
pub(crate) const ENDINGS: &[&str] = &[""];
/// What separates directories in a list such as `PATH`.
pub(crate) const LIST_SEPARATOR: &str = ":";

/// Starts a program in a process group of its own.
pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    command.process_group(0).spawn()
}

fn group(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Tells every process of the group that a child is the first of. False if none is left.
pub(crate) fn tell(child: &mut Child, message: Message) -> bool {
    let signal = match message {
        Message::Interrupt => Signal::INT,
        Message::Terminate => Signal::TERM,
        Message::Kill => Signal::KILL,
    };
    group(child).is_some_and(|group| kill_process_group(group, signal).is_ok())
}

/// True if a process of the group is left, whoever it is.
pub(crate) fn is_alive(child: &Child) -> bool {
    group(child).is_some_and(|group| test_kill_process_group(group).is_ok())
}

/// How a program ended.
pub(crate) fn ended(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Exited(code),
        (None, Some(signal)) => Ended::Killed(signal),
        (None, None) => Ended::Exited(1),
    }
}

/// True for a file that may be run.
pub(crate) fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// True if the system knows a process of this number that is not a zombie. Without `/proc`, as on macOS, it is the asking that
/// counts, in which case a pause is an end.
pub(crate) fn is_running(process: i32) -> bool {
    fs::read_to_string(format!("/proc/{process}/stat"))
        // The state follows the name, which may have anything in it but is the last in parentheses.
        .is_ok_and(|text| !text.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z')))
}

/// The environment that a process was started with, if it is ours and the system has `/proc`.
pub(crate) fn environment(process: u32) -> Option<Vec<u8>> {
    fs::read(format!("/proc/{process}/environ")).ok()
}
