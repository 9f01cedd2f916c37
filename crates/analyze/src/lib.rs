//! Analyses: from columns to sections.
//!
//! An analysis first measures each recording ([`RankView`]) and then merges the results into a [`section::Section`]:
//! numbers, tables and findings, independent of the output format. The rows of a recording can be dropped between the
//! two steps, so a job of many ranks needs the memory of a few. All analyses share one view of the
//! GPU activities ([`GpuView`]), one classification of kernels ([`KernelType`]) and one set of interval unions
//! ([`TypeSets`]), so that a number shown in two places is the same number.
//!
//! ```
//! use eaves_analyze::{Options, report};
//! use eaves_model::Run;
//!
//! let run = Run::default();
//! let outcomes = report(&run, &Options::default())?;
//! assert!(!outcomes.is_empty());
//! # Ok::<(), eaves_analyze::SelectionError>(())
//! ```
//!
//! To add an analysis, copy a file of [`analyses`] and add a line to its list.

use eaves_model::Run;

mod advice;
pub mod analyses;
mod collectives;
pub mod compare;
mod counter_tracks;
pub mod critical_path;
mod distribution;
mod findings;
pub mod flame;
mod gpu;
mod host_tree;
mod info;
mod job;
mod kernel_counters;
mod kernel_type;
mod options;
mod partial;
mod rank_view;
mod recorder;
pub mod roofline;
mod selection;
mod step_index;
mod streams;
#[cfg(test)]
mod test_threads;
#[cfg(test)]
mod test_trace;
mod text;
pub mod timeline;
mod type_sets;
mod untimed;

pub use analyses::{Analysis, Breakdown, Launch, MemoryEvent, launches, memory_events};
pub use collectives::{CollectiveCall, ElementType, collective_calls};
pub use counter_tracks::{CounterTrack, counter_tracks};
pub use critical_path::{Cause, CriticalPath, PathPart};
pub(crate) use eaves_section::constants;
pub use eaves_section::kernel_name::short_kernel_name;
pub use eaves_section::{self as section, Outcome, Statistics};
pub use findings::{Launched, Steady};
pub use gpu::GpuView;
pub use host_tree::{GpuWork, HostTree, Walk};
pub use info::info;
pub use job::{Job, Measured, RankSummary, assemble, measure};
pub use kernel_counters::CounterSums;
pub use kernel_type::{KernelType, KernelTypes};
pub use options::{MeasuredMachine, Options};
pub use partial::{Partial, PartialError};
pub use rank_view::RankView;
pub use selection::{Selection, SelectionError};
pub use step_index::StepIndex;
pub use streams::Stream;
pub use type_sets::{TypeSets, TypeTimes};

/// Runs every analysis over recordings that are all in memory. The outcomes are in the order people want to read
/// them.
///
/// # Errors
/// If the selection asks for something that is not in the run.
pub fn report(run: &Run, options: &Options) -> Result<Vec<Outcome>, SelectionError> {
    report_of(run, options, &analyses::REPORT.iter().collect::<Vec<_>>())
}

/// The same of some analyses.
///
/// # Errors
/// If the selection asks for something that is not in the run.
pub fn report_of(
    run: &Run,
    options: &Options,
    analyses: &[&'static Analysis],
) -> Result<Vec<Outcome>, SelectionError> {
    let views = run.recordings.iter().map(|recording| RankView::new(&recording.trace, options));
    let measured: Vec<Measured> = views.map(|view| measure(&view, analyses)).collect();
    assemble(&run.recordings, &measured, options, analyses)
}
