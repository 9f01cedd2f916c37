//! One or more recordings that belong together: the ranks of a job.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{Diagnostics, Trace, WarningKind};

/// How the rank of a recording became known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
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

/// Gives the recordings whose rank nothing tells the lowest free ones in order of their names, then sorts by rank and
/// path. Two recordings of one rank are both kept. What comes with a recording stays with it.
pub fn assign_ranks<R>(recordings: &mut [(Recording, R)], diagnostics: &mut Diagnostics) {
    recordings.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
    let mut taken = BTreeSet::new();
    for (recording, _) in recordings.iter().filter(|(one, _)| one.rank_source != RankSource::Assumed) {
        if !taken.insert(recording.rank) {
            let detail = format!("rank {}: {}", recording.rank, recording.path);
            diagnostics.note_detail(WarningKind::DuplicateRank, None, detail);
        }
    }
    let is_assumed = |recording: &Recording| recording.rank_source == RankSource::Assumed;
    // A rank that was assumed when a dataset was made stays what it was.
    let mut settled = BTreeSet::new();
    for (recording, _) in recordings.iter().filter(|(one, _)| is_assumed(one) && one.rank != 0) {
        if taken.insert(recording.rank) {
            settled.insert(recording.rank);
        }
    }
    let several = recordings.len() > 1;
    let mut free = 0;
    for (recording, _) in recordings.iter_mut().filter(|(one, _)| is_assumed(one)) {
        if !settled.remove(&recording.rank) {
            while taken.contains(&free) {
                free += 1;
            }
            taken.insert(free);
            recording.rank = free;
        }
        if several {
            let detail = format!("rank {}: {}", recording.rank, recording.path);
            diagnostics.note_detail(WarningKind::UnknownRank, None, detail);
        }
    }
    recordings.sort_by(|(a, _), (b, _)| (a.rank, &a.path).cmp(&(b.rank, &b.path)));
}
