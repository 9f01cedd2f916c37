//! How to read.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{Form, Progress};

/// How to read.
#[derive(Clone, Debug)]
pub struct Options {
    /// Threads that parse; the environment variable `EAVES_THREADS` sets the default.
    pub threads: usize,
    /// Where to report how far reading has come.
    pub progress: Arc<Progress>,
    /// Which inputs are of use.
    pub wanted: Wanted,
    /// What a measurement file is, where its content is not trusted to tell.
    pub form: Option<Form>,
    /// Files or folders of graph captures, beside those found in a folder `capture_traces`.
    pub captures: Vec<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        let wanted = std::env::var("EAVES_THREADS").ok().and_then(|threads| threads.parse().ok());
        let available = || std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            threads: wanted.unwrap_or_else(available).max(1),
            progress: Arc::default(),
            wanted: Wanted::default(),
            form: None,
            captures: Vec::new(),
        }
    }
}

/// Which inputs are of use; each has all that the one before has. What is not of use is refused if it was named, and
/// skipped if it was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wanted {
    /// Recordings alone. The log of a compiler is read as a recording of its phases.
    Recordings,
    /// And sums that profilers write.
    RecordingsAndSums,
    /// And measurements: kernel tables, event lists, NPU commands, benchmark results.
    RecordingsAndMeasurements,
    /// And logs of compilers as such, saved reports and partial reports.
    #[default]
    Everything,
}
