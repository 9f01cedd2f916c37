//! From columns to answers.
//!
//! An analysis is a pure function of a [`Context`] (the recordings, what of them was selected, options) and
//! returns a [`section::Section`]: numbers, tables and findings, never text for one output. All analyses share
//! one view of the GPU activities ([`GpuView`]), one classification of kernels ([`KernelType`]) and one set of
//! interval unions ([`TypeSets`]), so that a number shown in two places is the same number.
//!
//! ```
//! use eaves_analyze::{Context, Options, report};
//! use eaves_model::Run;
//!
//! let run = Run::default();
//! let context = Context::new(&run, Options::default())?;
//! let outcomes = report(&context);
//! assert!(!outcomes.is_empty());
//! # Ok::<(), eaves_analyze::SelectionError>(())
//! ```
//!
//! To add an analysis, copy a file of [`analyses`] and add a line to its list.

pub mod analyses;
mod context;
mod gpu;
mod info;
mod kernel_type;
pub mod section;
mod selection;
mod statistics;
mod step_index;
#[cfg(test)]
mod test_trace;
mod text;
mod type_sets;

pub use analyses::{Analysis, Breakdown};
pub use context::{Context, Options, RankView};
pub use gpu::GpuView;
pub use info::info;
pub use kernel_type::{KernelType, KernelTypes};
pub use section::Outcome;
pub use selection::{Selection, SelectionError};
pub use statistics::Statistics;
pub use step_index::StepIndex;
pub use type_sets::{TypeSets, TypeTimes};

/// Runs every analysis. The outcomes are in the order people want to read them.
pub fn report(context: &Context<'_>) -> Vec<Outcome> {
    analyses::in_report_order().into_iter().map(|analysis| (analysis.run)(context)).collect()
}
