//! One or more recordings that belong together: the ranks of a job.

use crate::{Diagnostics, Trace};

/// How the rank of a recording became known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankSource {
    /// The trace says it (`distributedInfo`).
    Trace,
    /// The file name says it.
    FileName,
    /// Nothing says it; counted in order of the names.
    #[default]
    Assumed,
}

/// A trace and where it came from.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The input as the user named it, with the member of an archive after `!`.
    pub path: String,
    /// Format of the content, such as `kineto` or `chrome`.
    pub format: &'static str,
    /// How it was packed, such as `plain` or `gzip`.
    pub container: &'static str,
    /// Size of the content after unpacking.
    pub bytes: u64,
    /// Rank in the job.
    pub rank: i64,
    /// How the rank became known.
    pub rank_source: RankSource,
    /// The content.
    pub trace: Trace,
}

/// The recordings of one run, sorted by rank, then by path.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The recordings.
    pub recordings: Vec<Recording>,
    /// What was odd about the inputs as a set; oddities of one input are in its trace.
    pub diagnostics: Diagnostics,
}
