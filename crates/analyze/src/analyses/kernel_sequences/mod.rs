//! Which operators launch the same kernels one after the other again and again.

mod find;
mod section;

pub use find::{Sequence, sequences_of};

use serde::{Deserialize, Serialize};

use super::{Analyse, Rank, Shown, missing};
use crate::{Job, Outcome, RankView};
use find::Kept;

pub(super) struct KernelSequences;

/// What the analysis keeps of a rank.
#[derive(Default, Deserialize, Serialize)]
pub(super) struct Part {
    /// The sequences with most GPU time, longest first.
    sequences: Vec<Kept>,
    /// True if operators were recorded.
    operators: bool,
    /// Summed duration of all selected GPU activities.
    gpu_time: eaves_model::Ns,
}

impl Analyse for KernelSequences {
    const ID: &'static str = "kernel-sequences";
    const SHOWN: Shown = Shown::WhenAsked;
    type Part = Part;

    fn measure(rank: &RankView<'_>) -> Part {
        Part {
            sequences: find::most_costly(rank),
            operators: !rank.operators().is_empty(),
            gpu_time: (0..rank.gpu.len()).map(|index| rank.gpu.duration(index)).sum(),
        }
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Part>]) -> Outcome {
        if !ranks.iter().any(|rank| rank.has_gpu_activity()) {
            return missing::gpu_activity(job, Self::ID);
        }
        if !ranks.iter().any(|rank| rank.part.operators) {
            return missing::operators(job, Self::ID);
        }
        section::section(job, ranks)
    }
}

#[cfg(test)]
mod tests;
