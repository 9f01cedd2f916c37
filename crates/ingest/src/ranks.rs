//! Which recording is which rank.

use std::collections::BTreeSet;

use eaves_model::{Diagnostics, Oddity, RankSource, Recording};

use crate::inputs::rank_of_name;

/// Gives every recording its rank: what the trace says, else what the file name says, else the lowest free one.
/// Then sorts by rank and path. Two recordings of one rank are both kept.
pub(crate) fn assign(recordings: &mut [Recording], diagnostics: &mut Diagnostics) {
    let mut taken = BTreeSet::new();
    for recording in recordings.iter_mut() {
        let told = recording.trace.metadata.distributed.as_ref().and_then(|info| info.rank);
        let (rank, source) = match (told, rank_of_name(&recording.path)) {
            (Some(rank), _) => (rank, RankSource::Trace),
            (None, Some(rank)) => (rank, RankSource::FileName),
            (None, None) => continue,
        };
        (recording.rank, recording.rank_source) = (rank, source);
        if !taken.insert(rank) {
            let detail = format!("rank {rank}: {}", recording.path);
            diagnostics.note_detail(Oddity::DuplicateRank, None, detail);
        }
    }
    let several = recordings.len() > 1;
    let mut free = 0;
    for recording in recordings.iter_mut().filter(|one| one.rank_source == RankSource::Assumed) {
        while taken.contains(&free) {
            free += 1;
        }
        taken.insert(free);
        recording.rank = free;
        if several {
            diagnostics.note_detail(Oddity::UnknownRank, None, format!("rank {free}: {}", recording.path));
        }
    }
    recordings.sort_by(|a, b| (a.rank, &a.path).cmp(&(b.rank, &b.path)));
}
