//! Why an input is not read.

use std::io;

use crate::Error;

/// Why a file is not a trace.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// It cannot be opened or read at all.
    Io(io::Error),
    /// It has no content.
    Empty,
    /// It does not begin like JSON; the first bytes are given.
    NotJson(Vec<u8>),
    /// It is JSON, but not a list of events; the top-level keys are given.
    NotEvents(Vec<String>),
    /// It holds measurements, of which not one can be read.
    Measurements(Unreadable),
    /// A profiler wrote it, but nothing can be made of it.
    Profiler(Refused),
}

/// Why there is nothing to show.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unreadable {
    /// Line of the fault, from 1.
    pub(crate) line: u64,
    /// What is wrong.
    pub(crate) what: String,
    /// What to do about it.
    pub(crate) hint: &'static str,
}

/// Why nothing can be made of a file that a profiler wrote.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// Offset of the fault in the decompressed file.
    pub(crate) offset: u64,
    /// What is wrong, with what the profiler itself said.
    pub(crate) what: String,
    /// What to do about it, with the exact command where there is one.
    pub(crate) hint: String,
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        Self::Profiler(refused)
    }
}

impl Refusal {
    /// The error of the input with this path.
    pub(crate) fn of_input(self, path: String) -> Error {
        match self {
            Self::Io(source) => Error::Io { path: path.into(), source },
            Self::Empty => Error::Empty { path },
            Self::Profiler(Refused { offset, what, hint }) => Error::Profiler { path, offset, what, hint },
            Self::Measurements(unreadable) => Error::Measurements {
                path,
                line: unreadable.line,
                what: unreadable.what,
                hint: unreadable.hint,
            },
            Self::NotJson(first) => {
                let shown = String::from_utf8_lossy(&first);
                let start = shown.trim_start().to_ascii_lowercase();
                let what = if start.starts_with("<!doctype") || start.starts_with("<html") {
                    "an HTML page (perhaps a saved login page)".to_owned()
                } else if start.starts_with("pmc") {
                    "a rocprof counter file (see `eaves counters check`)".to_owned()
                } else if first.contains(&0) {
                    "binary data".to_owned()
                } else {
                    format!(
                        "text that starts with `{}`",
                        shown.chars().take(24).collect::<String>().escape_debug()
                    )
                };
                Error::NotATrace { path, what }
            }
            Self::NotEvents(keys) if keys.is_empty() => {
                Error::NoEvents { path, found: "no list of events".to_owned() }
            }
            Self::NotEvents(mut keys) => {
                keys.truncate(6);
                Error::NoEvents { path, found: format!("it has `{}`", keys.join("`, `")) }
            }
        }
    }
}
