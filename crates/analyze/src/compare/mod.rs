//! Two runs compared: what became faster, what slower, and what is only noise.
//!
//! A run is first measured rank by rank ([`measure()`]) into a [`Profile`], or a profile is made of the tables of a saved
//! report; then two profiles make a [`Comparison`]. Times are means per step and rank where both runs have steps, so
//! that runs of different lengths compare. Every row says how it was matched, and the rows add up to the totals.

mod change;
mod comparison;
mod condition;
mod findings;
mod frames;
mod matching;
mod measure;
mod measurements;
mod metric;
mod noise;
mod profile;
mod saved;
mod tables;
#[cfg(test)]
mod tests;

pub use change::Verdict;
pub use comparison::Comparison;
pub use condition::{Checked, Checkup, Condition, ConditionError, Subject, Threshold};
pub use eaves_section::saved::SavedTable;
pub use matching::MatchedBy;
pub use measure::measure;
pub use metric::Metric;
pub use profile::{Profile, RankProfile};
