//! What can go wrong so badly that exists nothing to show.

use std::io;
use std::path::PathBuf;

/// Why an input could not be read at all. Everything less is a warning in the trace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused. Usually the user's path.
    #[error("cannot read the input: {source}: {}", path.display())]
    Io {
        /// The input.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Nothing matches. The user's path or pattern.
    #[error("no such file or directory: {}", path.display())]
    NotFound {
        /// The path or pattern.
        path: PathBuf,
    },
    /// The file has no content. The recorder's fault.
    #[error("the input is empty: {path}")]
    Empty {
        /// The input.
        path: String,
    },
    /// The file is something else. The user's choice of file.
    #[error("not a trace, but {what}, at byte 0: {path}")]
    NotATrace {
        /// The input.
        path: String,
        /// What it seems to be.
        what: String,
    },
    /// The file is JSON without events. The user's choice of file.
    #[error("JSON without trace events ({found}): {path}")]
    NoEvents {
        /// The input.
        path: String,
        /// What is there instead.
        found: String,
    },
    /// The file holds measurements of which none can be read. The user's choice of file, or of `--from`.
    #[error("{what}, at line {line}: {path}")]
    Measurements {
        /// The input.
        path: String,
        /// Line of the fault.
        line: u64,
        /// What is wrong.
        what: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// A profiler wrote the file, but nothing can be made of it. The recorder's fault, or the user's choice of file.
    #[error("{what}, at byte {offset}: {path}")]
    Profiler {
        /// The input.
        path: String,
        /// Offset of the fault.
        offset: u64,
        /// What is wrong.
        what: String,
        /// What to do about it.
        hint: String,
    },
    /// The file has sums alone, where a recording of each launch is wanted. The user's choice of file.
    #[error("only summary data, without individual launches ({format}): {path}")]
    Sums {
        /// The input.
        path: String,
        /// Name of the format.
        format: &'static str,
    },
    /// None of the files of a directory or archive is a trace. The user's choice of directory.
    #[error("no trace among {count} {}: {path}", if *count == 1 { "file" } else { "files" })]
    NothingThere {
        /// The directory, pattern or archive.
        path: String,
        /// Number of files looked at.
        count: usize,
    },
    /// Not the log of a compilation, nor is any of several files. The user's choice of file.
    #[error("not a torch.compile log{}: {path}", if *count == 1 { String::new() } else { format!(" among {count} files") })]
    NoCompileLog {
        /// The file, directory or pattern.
        path: String,
        /// Number of files looked at.
        count: usize,
    },
    /// A dataset cannot be read. Whose fault, its own error says.
    #[error("{source}")]
    Dataset {
        /// What is wrong.
        source: eaves_store::Error,
        /// What to do about it.
        hint: String,
    },
    /// The container is of a kind we do not unpack. The user can.
    #[error("{kind} is not supported: {path}")]
    UnsupportedContainer {
        /// The input.
        path: String,
        /// The kind.
        kind: &'static str,
    },
}

impl From<eaves_store::Error> for Error {
    fn from(source: eaves_store::Error) -> Self {
        let hint = source.hint();
        Self::Dataset { source, hint }
    }
}

impl Error {
    /// True if another input failed for the same reason, wherever in it that was.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Io { source: a, .. }, Self::Io { source: b, .. }) => a.kind() == b.kind(),
            (Self::NotATrace { what: a, .. }, Self::NotATrace { what: b, .. })
            | (Self::NoEvents { found: a, .. }, Self::NoEvents { found: b, .. })
            | (Self::Measurements { what: a, .. }, Self::Measurements { what: b, .. }) => a == b,
            // Commands that a hint has name the file, so the hints of one reason may differ.
            (Self::Profiler { what: a, hint: c, .. }, Self::Profiler { what: b, hint: d, .. }) => {
                a == b || c == d
            }
            (Self::UnsupportedContainer { kind: a, .. }, Self::UnsupportedContainer { kind: b, .. }) => {
                a == b
            }
            (Self::Empty { .. }, Self::Empty { .. }) | (Self::Sums { .. }, Self::Sums { .. }) => true,
            _ => false,
        }
    }

    /// True if there is nothing of that name.
    pub fn is_missing(&self) -> bool {
        match self {
            Self::NotFound { .. } => true,
            Self::Io { source, .. } => source.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> &str {
        match self {
            Self::Io { .. } => "check that the file exists and is readable",
            Self::NotFound { .. } => "name a file, a directory with one trace per rank, a pattern, or `-`",
            Self::Empty { .. } => {
                "the recorder wrote nothing; did the program stop before exporting the trace?"
            }
            Self::NotATrace { .. } => {
                "pass the profiler's output, such as from `prof.export_chrome_trace(\"trace.json\")`"
            }
            Self::NoEvents { .. } => "a trace has a list `traceEvents`, or is itself a list of events",
            Self::Measurements { hint, .. } => hint,
            Self::Profiler { hint, .. } => hint,
            Self::Sums { .. } => {
                "`eaves kernels` and `eaves roofline` read summaries; a recording has one record per launch"
            }
            Self::NothingThere { .. } => "formats are detected from the content; see `docs/profilers.md`",
            Self::NoCompileLog { .. } => {
                "record one with `TORCH_TRACE=DIR python ...`, or with `eaves compile -- python ...`"
            }
            Self::Dataset { hint, .. } => hint,
            Self::UnsupportedContainer { .. } => "decompress it first, or pipe it in: `... | eaves report -`",
        }
    }
}
