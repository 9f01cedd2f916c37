//! What differs between systems: process groups, exit codes, names of programs. One module for each.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
use other as here;
#[cfg(unix)]
use unix as here;

pub(crate) use here::{ENDINGS, LIST_SEPARATOR, ended, is_alive, is_executable, spawn, tell};
#[cfg(unix)]
pub(crate) use unix::{environment, is_running};

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
