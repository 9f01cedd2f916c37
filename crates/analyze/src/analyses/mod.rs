//! The analyses, one file each. To add one: copy a file, add a `mod` line and a line to [`ALL`].

mod annotations;
mod avoidable_work;
mod call_tree;
mod collectives;
mod comm_overlap;
mod counters;
mod cpu_operators;
pub(crate) mod cpu_threads;
mod cpu_time;
mod critical_path;
mod data_loading;
pub(crate) mod host_time;
mod hta_summary;
pub(crate) mod idle_causes;
mod idle_time;
mod kernel_sequences;
mod kernel_types;
mod kernels;
mod launch_stats;
pub(crate) mod memory;
pub(crate) mod memory_bandwidth;
pub(crate) mod missing;
mod op_delays;
mod python_time;
mod quarantine;
pub(crate) mod queue_length;
pub(crate) mod replay;
mod roofline;
pub(crate) mod steps;
mod stragglers;
mod temporal_breakdown;

use std::ops::Deref;

pub use kernel_sequences::{Sequence, sequences_of};
pub use launch_stats::{Launch, launches};
pub use memory::{MemoryEvent, memory_events};
pub use temporal_breakdown::Breakdown;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::job::Part;
use crate::{Job, Outcome, RankSummary, RankView};

/// An analysis: what to measure of each rank, and how to make a section of it. Both are pure functions.
pub(crate) trait Analyse {
    /// The section it makes, kebab-case and stable.
    const ID: &'static str;
    /// Its place in the report; smaller comes first.
    const PLACE: u32;
    /// Which overviews it is in; everywhere else it is shown when asked for.
    const SHOWN: Shown = Shown::Always;
    /// True if measuring needs much memory of its own: it then comes before those that share trees which stay.
    const HEAVY: bool = false;
    /// True if it says something about when things happened, so that it needs recorded times. Durations alone are enough
    /// for the others.
    const NEEDS_TIMES: bool = true;
    /// What stays of a rank when its rows are gone. Owns what it holds, is small, and can be told to other processes.
    type Part: DeserializeOwned + Serialize + Send + Sync + 'static;

    /// The analysis that keeps the same of a rank, if it is another: it is then told to other processes once.
    const MEASURED_AS: &'static str = Self::ID;

    /// Measures one rank.
    fn measure(rank: &RankView<'_>) -> Self::Part;

    /// True if what came from another process hangs together: what points somewhere points at something.
    fn is_sound(_: &Self::Part) -> bool {
        true
    }

    /// Puts the ranks together.
    fn assemble(job: &Job, ranks: &[Rank<'_, Self::Part>]) -> Outcome;
}

/// Which overviews a section is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// All.
    Always,
    /// Those of recordings without GPU activity.
    WithoutGpu,
    /// None: it is shown when asked for.
    WhenAsked,
}

/// A rank in [`Analyse::assemble`]: its summary, and what the analysis measured of it.
pub(crate) struct Rank<'a, P> {
    pub(crate) summary: &'a RankSummary,
    pub(crate) part: &'a P,
}

impl<P> Deref for Rank<'_, P> {
    type Target = RankSummary;

    fn deref(&self) -> &RankSummary {
        self.summary
    }
}

/// Any analysis.
#[derive(Clone, Copy, Debug)]
pub struct Analysis {
    /// The section it makes, kebab-case and stable.
    pub id: &'static str,
    /// Its place in the report; smaller comes first.
    pub place: u32,
    /// Which overviews it is in; everywhere else it is shown when asked for.
    pub shown: Shown,
    pub(crate) heavy: bool,
    pub(crate) needs_times: bool,
    pub(crate) measure: fn(&RankView<'_>) -> Part,
    pub(crate) assemble: fn(&Job, &[&Part]) -> Outcome,
    /// The analysis whose bytes are those of its parts.
    pub(crate) measured_as: &'static str,
    pub(crate) encode: fn(&Part) -> postcard::Result<Option<Vec<u8>>>,
    pub(crate) decode: fn(&[u8]) -> postcard::Result<Part>,
}

impl Analysis {
    pub(crate) const fn of<A: Analyse>() -> Self {
        Self {
            id: A::ID,
            place: A::PLACE,
            shown: A::SHOWN,
            heavy: A::HEAVY,
            needs_times: A::NEEDS_TIMES,
            measure: measure::<A>,
            assemble: assemble::<A>,
            measured_as: A::MEASURED_AS,
            encode: encode::<A>,
            decode: decode::<A>,
        }
    }
}

fn measure<A: Analyse>(rank: &RankView<'_>) -> Part {
    Box::new(A::measure(rank))
}

fn assemble<A: Analyse>(job: &Job, parts: &[&Part]) -> Outcome {
    let ranks: Vec<Rank<'_, A::Part>> = job
        .ranks
        .iter()
        .zip(parts)
        .filter_map(|(summary, part)| Some(Rank { summary, part: part.downcast_ref::<A::Part>()? }))
        .collect();
    A::assemble(job, &ranks)
}

/// A part as bytes; nothing if the analysis measured nothing of the rank.
fn encode<A: Analyse>(part: &Part) -> postcard::Result<Option<Vec<u8>>> {
    part.downcast_ref::<A::Part>().map(postcard::to_allocvec).transpose()
}

/// A part from bytes, all of which must be its own.
fn decode<A: Analyse>(bytes: &[u8]) -> postcard::Result<Part> {
    match postcard::take_from_bytes::<A::Part>(bytes)? {
        (part, []) if A::is_sound(&part) => Ok(Box::new(part)),
        _ => Err(postcard::Error::DeserializeBadEncoding),
    }
}

/// Every analysis, by id.
pub static ALL: &[Analysis] = &[
    Analysis::of::<annotations::Annotations>(),
    Analysis::of::<avoidable_work::AvoidableWork>(),
    Analysis::of::<call_tree::CallTree>(),
    Analysis::of::<collectives::Collectives>(),
    Analysis::of::<comm_overlap::CommOverlap>(),
    Analysis::of::<counters::Counters>(),
    Analysis::of::<cpu_operators::CpuOperators>(),
    Analysis::of::<cpu_threads::CpuThreads>(),
    Analysis::of::<cpu_time::CpuTime>(),
    Analysis::of::<critical_path::CriticalPaths>(),
    Analysis::of::<data_loading::DataLoading>(),
    Analysis::of::<idle_causes::IdleCauses>(),
    Analysis::of::<idle_time::IdleTime>(),
    Analysis::of::<kernel_sequences::KernelSequences>(),
    Analysis::of::<kernel_types::KernelTypes>(),
    Analysis::of::<kernels::Kernels>(),
    Analysis::of::<launch_stats::LaunchStats>(),
    Analysis::of::<memory::Memory>(),
    Analysis::of::<memory_bandwidth::MemoryBandwidth>(),
    Analysis::of::<op_delays::OpDelays>(),
    Analysis::of::<python_time::PythonTime>(),
    Analysis::of::<quarantine::Quarantine>(),
    Analysis::of::<queue_length::QueueLength>(),
    Analysis::of::<roofline::Roofline>(),
    Analysis::of::<steps::Steps>(),
    Analysis::of::<stragglers::Stragglers>(),
    Analysis::of::<temporal_breakdown::TemporalBreakdown>(),
];

/// The summary that `eaves hta` begins with. A report has the same in more detail, so it is not in [`ALL`].
pub static HTA_SUMMARY: Analysis = Analysis::of::<hta_summary::HtaSummary>();

/// The analysis that makes a section.
pub fn find(id: &str) -> Option<&'static Analysis> {
    ALL.binary_search_by_key(&id, |analysis| analysis.id).ok().map(|index| &ALL[index])
}

/// Every analysis in the order people want to read the sections.
pub fn in_report_order() -> Vec<&'static Analysis> {
    let mut analyses: Vec<_> = ALL.iter().collect();
    analyses.sort_by_key(|analysis| analysis.place);
    analyses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_alphabetical_and_without_doubles() {
        assert!(ALL.is_sorted_by(|a, b| a.id < b.id));
        let mut places: Vec<u32> = ALL.iter().map(|analysis| analysis.place).collect();
        places.sort_unstable();
        assert!(places.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn every_analysis_makes_the_section_of_its_name() {
        let run = eaves_model::Run::default();
        let outcomes = crate::report(&run, &crate::Options::default()).unwrap();
        for analysis in ALL {
            assert!(outcomes.iter().any(|outcome| outcome.id() == analysis.id));
            assert_eq!(find(analysis.id).map(|found| found.id), Some(analysis.id));
        }
        assert!(find("absent").is_none());
    }

    #[test]
    fn the_report_begins_with_where_the_time_went() {
        let order: Vec<_> = in_report_order().iter().map(|analysis| analysis.id).collect();
        assert_eq!(order.first(), Some(&"temporal-breakdown"));
    }
}
