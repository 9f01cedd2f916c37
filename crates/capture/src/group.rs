//! A program and everything it starts, ended together.

use std::io;
use std::process::{Child, Command};

/// What to tell the programs of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    /// As a user with Ctrl-C.
    Interrupt,
    /// To end in good order.
    Terminate,
    /// To end at once.
    Kill,
}

/// Starts a program in a process group of its own.
#[cfg(unix)]
pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    use std::os::unix::process::CommandExt;
    command.process_group(0).spawn()
}

/// Tells every process of the group that a child is the first of. False if none is left.
#[cfg(unix)]
pub(crate) fn tell(child: &mut Child, message: Message) -> bool {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = match message {
        Message::Interrupt => Signal::INT,
        Message::Terminate => Signal::TERM,
        Message::Kill => Signal::KILL,
    };
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    group.is_some_and(|group| kill_process_group(group, signal).is_ok())
}

/// True if a process of the group is left, whoever it is.
#[cfg(unix)]
pub(crate) fn is_alive(child: &Child) -> bool {
    use rustix::process::{Pid, test_kill_process_group};
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    group.is_some_and(|group| test_kill_process_group(group).is_ok())
}

/// Starts a program. Process groups are a notion of Unix.
#[cfg(not(unix))]
pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    command.spawn()
}

/// Ends the program itself; there is no way to ask it to, nor to reach what it started.
#[cfg(not(unix))]
pub(crate) fn tell(child: &mut Child, _: Message) -> bool {
    child.kill().is_ok()
}

/// Whatever the program started is out of reach.
#[cfg(not(unix))]
pub(crate) fn is_alive(_: &Child) -> bool {
    false
}
