//! Which recording is which rank.

use eaves_model::{RankSource, Recording};

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
