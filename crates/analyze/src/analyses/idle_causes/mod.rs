//! What the host did while the GPU had nothing to do.
//!
//! A gap of the GPU ends with an activity. If that was launched only after the gap had begun, the GPU waited for the
//! thread that launched it, and what this thread did at each instant is why. Every instant of idle time has exactly
//! one cause, so the causes add up to the idle time.

pub(super) mod cause;
pub(super) mod classes;
mod findings;
mod gains;
pub(super) mod gaps;
mod launches;
pub(super) mod measure;
mod overhead;
mod part;
pub(super) mod start_up;
mod tables;
#[cfg(test)]
mod tests;
pub(super) mod threads;

use self::part::Part;
use super::{Analyse, Rank, missing};
use crate::section::Section;
use crate::{Job, Outcome, RankView};

pub(super) struct IdleCauses;

impl Analyse for IdleCauses {
    const ID: &'static str = "idle-causes";
    type Part = Part;

    fn measure(rank: &RankView<'_>) -> Part {
        measure::measure(rank)
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Part>]) -> Outcome {
        let ranks: Vec<&Rank<'_, Part>> = ranks.iter().filter(|rank| rank.has_gpu_activity()).collect();
        if ranks.is_empty() {
            return missing::gpu_activity(job, Self::ID);
        }
        Outcome::Section(Section {
            id: Self::ID,
            title: "Idle time by cause",
            numbers: ranks.iter().flat_map(|rank| tables::numbers(rank)).collect(),
            tables: tables::tables(job, &ranks),
            charts: Vec::new(),
            findings: findings::findings(job.audience(), &ranks),
        })
    }
}
