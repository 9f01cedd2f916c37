//! The analyses, one file each. To add one: copy a file, add a `mod` line and a line to [`REPORT`], which is the order of the
//! report.

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
    /// Which overviews it is in; everywhere else it is shown when asked for.
    const SHOWN: Shown = Shown::Always;
    /// True if measuring needs much memory of its own: it then comes before those that share trees which stay.
    const HEAVY: bool = false;
    /// True if it says something about when things happened, so that it needs recorded times. Durations alone are enough
    /// for the others.
    const NEEDS_TIMES: bool = true;
    /// What stays of a rank when its rows are gone. Owns what it holds, is small, and can be told to other processes.
    type Part: DeserializeOwned + Serialize + Send + Sync + 'static;

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
    /// Which overviews it is in; everywhere else it is shown when asked for.
    pub shown: Shown,
    pub(crate) heavy: bool,
    pub(crate) needs_times: bool,
    pub(crate) measure: fn(&RankView<'_>) -> Part,
    pub(crate) assemble: fn(&Job, &[Option<&Part>]) -> Outcome,
    /// The analysis whose bytes are those of its parts.
    pub(crate) measured_as: &'static str,
    pub(crate) encode: fn(&Part) -> postcard::Result<Vec<u8>>,
    pub(crate) decode: fn(&[u8]) -> postcard::Result<Part>,
}

impl Analysis {
    pub(crate) const fn of<A: Analyse>() -> Self {
        Self::sharing::<A, A>()
    }

    /// An analysis that keeps the same of a rank as another, so that other processes are told it once.
    pub(crate) const fn sharing<A: Analyse, Other: Analyse<Part = A::Part>>() -> Self {
        Self {
            id: A::ID,
            shown: A::SHOWN,
            heavy: A::HEAVY,
            needs_times: A::NEEDS_TIMES,
            measure: measure::<A>,
            assemble: assemble::<A>,
            measured_as: Other::ID,
            encode: encode::<A>,
            decode: decode::<A>,
        }
    }
}

fn measure<A: Analyse>(rank: &RankView<'_>) -> Part {
    Box::new(A::measure(rank))
}

/// Puts the ranks together that were measured. A part of another analysis is an answer about nothing, so there is none.
fn assemble<A: Analyse>(job: &Job, parts: &[Option<&Part>]) -> Outcome {
    let measured = job.ranks.iter().zip(parts).filter_map(|(summary, part)| Some((summary, (*part)?)));
    let ranks: Option<Vec<Rank<'_, A::Part>>> = measured
        .map(|(summary, part)| Some(Rank { summary, part: part.downcast_ref::<A::Part>()? }))
        .collect();
    ranks.map_or_else(|| missing::own_part(A::ID), |ranks| A::assemble(job, &ranks))
}

/// A part as bytes.
fn encode<A: Analyse>(part: &Part) -> postcard::Result<Vec<u8>> {
    part.downcast_ref::<A::Part>().map_or(Err(postcard::Error::SerdeSerCustom), postcard::to_allocvec)
}

/// A part from bytes, all of which must be its own.
fn decode<A: Analyse>(bytes: &[u8]) -> postcard::Result<Part> {
    match postcard::take_from_bytes::<A::Part>(bytes)? {
        (part, []) if A::is_sound(&part) => Ok(Box::new(part)),
        _ => Err(postcard::Error::DeserializeBadEncoding),
    }
}

/// Every analysis, in the order people want to read the sections.
pub static REPORT: &[Analysis] = &[
    Analysis::of::<temporal_breakdown::TemporalBreakdown>(),
    Analysis::of::<cpu_time::CpuTime>(),
    Analysis::of::<cpu_operators::CpuOperators>(),
    Analysis::sharing::<data_loading::DataLoading, cpu_time::CpuTime>(),
    Analysis::sharing::<python_time::PythonTime, cpu_time::CpuTime>(),
    Analysis::of::<cpu_threads::CpuThreads>(),
    Analysis::of::<kernel_types::KernelTypes>(),
    Analysis::of::<idle_time::IdleTime>(),
    Analysis::of::<idle_causes::IdleCauses>(),
    Analysis::of::<comm_overlap::CommOverlap>(),
    Analysis::of::<collectives::Collectives>(),
    Analysis::sharing::<stragglers::Stragglers, collectives::Collectives>(),
    Analysis::of::<kernels::Kernels>(),
    Analysis::of::<roofline::Roofline>(),
    Analysis::of::<avoidable_work::AvoidableWork>(),
    Analysis::of::<steps::Steps>(),
    Analysis::of::<annotations::Annotations>(),
    Analysis::of::<critical_path::CriticalPaths>(),
    Analysis::of::<launch_stats::LaunchStats>(),
    Analysis::of::<queue_length::QueueLength>(),
    Analysis::of::<op_delays::OpDelays>(),
    Analysis::of::<memory_bandwidth::MemoryBandwidth>(),
    Analysis::of::<memory::Memory>(),
    Analysis::of::<call_tree::CallTree>(),
    Analysis::of::<kernel_sequences::KernelSequences>(),
    Analysis::of::<counters::Counters>(),
    Analysis::of::<quarantine::Quarantine>(),
];

/// The summary that `eaves hta` begins with. A report has the same in more detail, so it is not in [`REPORT`].
pub static HTA_SUMMARY: Analysis = Analysis::of::<hta_summary::HtaSummary>();

/// The analysis that makes a section.
pub fn find(id: &str) -> Option<&'static Analysis> {
    REPORT.iter().find(|analysis| analysis.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::job::{Assembly, Summary};
    use crate::test_trace::{TestTrace, run_of};
    use crate::{Measured, Options, measure as measure_rank};

    #[test]
    fn every_section_is_in_the_report_once() {
        let ids: BTreeSet<&str> = REPORT.iter().map(|analysis| analysis.id).collect();
        assert_eq!(ids.len(), REPORT.len());
    }

    #[test]
    fn a_part_of_another_analysis_drops_no_rank_in_silence() {
        let run = run_of(vec![TestTrace::default(), TestTrace::default()]);
        let options = Options::default();
        let [steps, kernels] = ["steps", "kernels"].map(|id| find(id).unwrap());
        let measured: Vec<Measured> = run
            .recordings
            .iter()
            .map(|recording| measure_rank(&RankView::new(&recording.trace, &options), &[steps]))
            .collect();
        let summaries: Vec<&Summary> = measured.iter().map(|one| &one.summary).collect();
        let assembly = Assembly::new(&run.recordings, &summaries, &options).unwrap();
        // As if what `steps` measured had been kept for `kernels`.
        let Outcome::Skipped(skipped) = assembly.outcome(kernels, |index| measured[index].part("steps"))
        else {
            panic!("an answer about parts of another analysis");
        };
        assert_eq!((skipped.id, skipped.missing.as_str()), ("kernels", missing::NO_OWN_PART));
    }

    #[test]
    fn every_analysis_makes_the_section_of_its_name() {
        let run = eaves_model::Run::default();
        let outcomes = crate::report(&run, &crate::Options::default()).unwrap();
        for analysis in REPORT {
            assert!(outcomes.iter().any(|outcome| outcome.id() == analysis.id));
            assert_eq!(find(analysis.id).map(|found| found.id), Some(analysis.id));
        }
        assert!(find("absent").is_none());
    }
}
