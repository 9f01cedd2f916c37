//! The roofline of a recorded program: operators, what they had to do, and how long the GPU took for it.
//!
//! Every GPU activity belongs to exactly one *call*, and every call to one *row*:
//!
//! 1. An operator with a formula that has an answer owns all activities launched inside it; of several around a launch
//!    the outermost one. So `aten::layer_norm` is one call, not `aten::native_layer_norm` a second one.
//! 2. A backward function without such an operator inside it, or one that launches kernels itself, owns what is launched
//!    inside it, if its forward operator (by sequence number) has a formula for its backward.
//! 3. An operator that launches activities itself and has no such operator inside it owns all inside it; so does one
//!    that usually only calls others (`aten::linear`), if nothing with a formula was recorded inside it.
//! 4. An activity that is in none of these belongs to the operator that launched it.
//! 5. Communication is its own class, by kernel: it is compared with links, not against memory.
//! 6. So is the replay of a graph, by kernel, whatever operator launched it: the operators it was captured from are not
//!    recorded. Where a recording of the capture is at hand, its operators own the activities by the rules above
//!    ([`captures`]).
//! 7. What has no recorded launch is *matched* to calls that launched the same in the same order, if all of these agree
//!    ([`matching`]).
//! 8. What no operator launched is *unattributed*, by kernel and by the call that launched it.
//!
//! Where an operator has no answer, copies and memsets inside it that recorded their bytes, and kernels that `torch.compile`
//! generated, have rows of their own: something is known of these.
//!
//! Rules 1 to 4 are those of TraceLens (`unified_perf_summary`); `docs/tracelens.md` says where we differ.
//!
//! **Time.** The time of a call is the measure of the union of its activities, and the time of a row the sum over its
//! calls. Calls may run side by side, so these sums may exceed the time in which the GPU was busy. Every instant is
//! therefore *counted* once, for the activity that began first, and for communication only where nothing else ran (where it
//! is exposed): the counted times of all rows add up to the busy time exactly, and what is left of a row's time is its
//! *overlap*. Devices of one recording are looked at one by one.
//!
//! Without GPU activity the threads of the CPU do the work, and their time takes its place ([`host`]).

mod attribution;
mod autograd;
mod captures;
mod findings;
mod gaps;
mod host;
mod launches;
mod loads;
mod matching;
mod neighbors;
mod owners;
mod points;
mod rows;
mod section;
mod steps;
#[cfg(test)]
mod tests;
mod unaligned;

pub use attribution::{Attribution, Call};
pub use points::{Arguments, Class, OperatorRow, TracePoints};
pub use section::{Scope, trace_section};

use eaves_model::Trace;

use crate::RankView;
use captures::WithOperators;

/// The rows of one rank, longest first.
pub fn trace_points(rank: &RankView<'_>) -> TracePoints {
    if rank.trace.gpu.is_empty() {
        return host::attribution(rank).points(rank);
    }
    match WithOperators::of(rank) {
        Some(with) => {
            let rank = RankView::new(&with.trace, rank.options);
            Attribution::of_replays(&rank, &with).points(&rank)
        }
        None => Attribution::of(rank).points(rank),
    }
}

/// The recording with the operators of its graph replays, where captures of these are known. Their order is recorded, their
/// times are not.
pub fn with_captured_operators(rank: &RankView<'_>) -> Option<Trace> {
    WithOperators::of(rank).map(|with| with.trace)
}
