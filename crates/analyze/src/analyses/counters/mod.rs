//! Hardware counters by operator and kernel, and the floating-point operations that follow from them.

mod kernels;
mod measure;
mod pair;
mod tables;

use eaves_model::SliceKind;

use super::{Analyse, Rank, Shown};
use crate::section::{Number, Provenance, Section, Skipped, Table, Unit, Value};
use crate::{Job, Outcome, RankView};
use measure::Part;

pub(super) struct Counters;

impl Analyse for Counters {
    const ID: &'static str = "counters";
    const SHOWN: Shown = Shown::WhenAsked;
    const NEEDS_TIMES: bool = false;
    type Part = Part;

    fn measure(rank: &RankView<'_>) -> Part {
        // Few recordings have counters, and only they pay for links and trees.
        let ranges = match rank.trace.slices.kind.contains(&SliceKind::CounterRange) {
            true => measure::part(rank),
            false => Part::default(),
        };
        Part { kernels: kernels::kernels(rank), remarks: kernels::remarks(rank), ..ranges }
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Part>]) -> Outcome {
        let ranks: Vec<&Rank<'_, Part>> = ranks.iter().filter(|rank| !rank.part.is_empty()).collect();
        if ranks.is_empty() {
            return Outcome::Skipped(Skipped {
                id: Self::ID,
                missing: "hardware counters: neither kernels nor a `cuda_profiler_range` with them were recorded or selected"
                    .to_owned(),
                how_to_record: job.recorder.advice("hardware counters", "`torch.profiler.profile(experimental_config=torch._C._profiler._ExperimentalConfig(\
                                profiler_metrics=[\"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum\"], \
                                profiler_measure_per_kernel=True))`; NVIDIA only, and every kernel runs several times. Or a \
                                profiler of the vendor, whose files are read too: `ncu --set roofline`, \
                                `rocprof-compute profile`; docs/counters.md says more"),
            });
        }
        Outcome::Section(Section {
            id: Self::ID,
            title: "Hardware counters",
            numbers: ranks.iter().flat_map(|rank| numbers(rank)).collect(),
            tables: of_ranges(job, &ranks).into_iter().chain(kernels::tables(job, &ranks)).collect(),
            charts: Vec::new(),
            findings: kernels::findings(&ranks),
        })
    }
}

/// The tables of ranges, if there are any.
fn of_ranges(job: &Job, ranks: &[&Rank<'_, Part>]) -> Vec<Table> {
    let ranks: Vec<&Rank<'_, Part>> = ranks.iter().copied().filter(|rank| rank.part.ranges > 0).collect();
    if ranks.is_empty() { Vec::new() } else { tables::tables(job, &ranks) }
}

fn numbers(rank: &Rank<'_, Part>) -> Vec<Number> {
    let part = rank.part;
    if part.ranges == 0 {
        return Vec::new();
    }
    let number = |id, value, provenance, explain| {
        Number::new(id, value, Unit::Count, provenance, explain).of_rank(rank.rank)
    };
    let mut numbers = vec![
        number("ranges", part.ranges.into(), Provenance::Counter, "selected kernels with counters"),
        number(
            "ranges_without_launch",
            part.ranges_without_launch.into(),
            Provenance::Formula,
            "recorded ranges whose launch could not be told: ranges and launches carry no common number, so they are \
             paired in their order, by kernel names where these were recorded",
        ),
        number(
            "launches_without_range",
            part.launches_without_range.into(),
            Provenance::Formula,
            "kernel launches without counters",
        ),
    ];
    if let Some(flop) = part.flop() {
        numbers.push(number("flop", Value::from(flop), Provenance::Formula, FLOP));
    }
    numbers
}

/// How floating-point operations are counted.
const FLOP: &str = "floating-point operations of selected kernels: executed additions and multiplications count 1, fused \
                    ones 2, in half, single and double precision; tensor cores are not in these counters";

#[cfg(test)]
mod tests;
