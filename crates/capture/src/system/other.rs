//! Systems without process groups: Windows.

use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use super::Message;
use crate::run::Ended;

/// What programs may end with.
pub(crate) const ENDINGS: &[&str] = &[".exe", ".bat", ".cmd"];
/// What separates directories in a list such as `PATH`.
pub(crate) const LIST_SEPARATOR: &str = ";";

/// Starts a program. Process groups are a notion of Unix.
pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    command.spawn()
}

/// Ends the program itself; there is no way to ask it to, nor to reach what it started.
pub(crate) fn tell(child: &mut Child, _: Message) -> bool {
    child.kill().is_ok()
}

/// Whatever the program started is out of reach.
pub(crate) fn is_alive(_: &Child) -> bool {
    false
}

/// How a program ended.
pub(crate) fn ended(status: ExitStatus) -> Ended {
    Ended::Exited(status.code().unwrap_or(1))
}

/// True for a file; whether it may be run, its name says.
pub(crate) fn is_executable(path: &Path) -> bool {
    path.is_file()
}
