//! The call tree of the host merged by name paths, with the GPU time below the calls that launched it.
//!
//! Each instant of a thread belongs to one stack of calls, so the host time of a frame is its own plus that of the
//! frames below it, to the nanosecond. Where slices of a thread overlap without nesting, the later one cuts the
//! earlier one short. GPU activities are leaves below the call that launched them: their time is GPU time, which the
//! calls above have no share of as their own. So every metric adds up by itself:
//! `total == own + total of the children`, in every view and after every grouping.
//!
//! A recording is first measured by itself ([`measure`]); its rows may go then, and [`assemble()`] puts the ranks
//! together.

mod assemble;
mod clock;
mod frame_names;
mod rank;
mod section;
#[cfg(test)]
mod tests;

pub use assemble::assemble;
pub use eaves_section::flame::*;
pub use rank::{RankFlame, measure};
pub use section::outcome;

/// What to compute for each recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlameOptions {
    /// Makes the tree in time order too, with no more than about this many frames a rank.
    pub chart: Option<usize>,
    /// Takes threads whose names differ by numbers only for one, because the numbers change from run to run.
    pub merge_threads: bool,
}
