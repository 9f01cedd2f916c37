//! Which recording is which rank.

use std::collections::BTreeSet;

use eaves_model::{Diagnostics, Oddity, RankSource, Recording};

use crate::inputs::rank_of_name;

/// Gives a recording the rank that the trace says, or else the file name.
pub(crate) fn tell(recording: &mut Recording) {
    let told = recording.trace.metadata.distributed.as_ref().and_then(|info| info.rank);
    (recording.rank, recording.rank_source) = match (told, rank_of_name(&recording.path)) {
        (Some(rank), _) => (rank, RankSource::Trace),
        (None, Some(rank)) => (rank, RankSource::FileName),
        (None, None) => return,
    };
}

/// Gives the recordings whose rank nothing tells the lowest free ones, then sorts by rank and path. Two recordings
/// of one rank are both kept. What comes with a recording stays with it.
pub(crate) fn assign<R>(recordings: &mut [(Recording, R)], diagnostics: &mut Diagnostics) {
    let mut taken = BTreeSet::new();
    for (recording, _) in recordings.iter().filter(|(one, _)| one.rank_source != RankSource::Assumed) {
        if !taken.insert(recording.rank) {
            let detail = format!("rank {}: {}", recording.rank, recording.path);
            diagnostics.note_detail(Oddity::DuplicateRank, None, detail);
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
            diagnostics.note_detail(Oddity::UnknownRank, None, detail);
        }
    }
    recordings.sort_by(|(a, _), (b, _)| (a.rank, &a.path).cmp(&(b.rank, &b.path)));
}
