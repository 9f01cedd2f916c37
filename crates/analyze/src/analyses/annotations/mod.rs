//! Ranges that the user named: how long they took, on the host and as the device draws them, and which GPU work
//! belongs to them.

mod device;
mod host;
mod measure;
mod tables;

use eaves_model::Ns;

use super::{Analyse, Rank};
use crate::section::{Number, Section, Skipped, Unit, Value};
use crate::{Job, Outcome, RankView};
use measure::Part;

pub(super) struct Annotations;

impl Analyse for Annotations {
    const ID: &'static str = "annotations";
    const HEAVY: bool = true;
    type Part = Part;

    fn measure(rank: &RankView<'_>) -> Part {
        measure::part(rank)
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Part>]) -> Outcome {
        let ranks: Vec<&Rank<'_, Part>> = ranks.iter().filter(|rank| !rank.part.is_empty()).collect();
        if ranks.is_empty() {
            return Outcome::Skipped(Skipped {
                id: Self::ID,
                missing: "named ranges: no `user_annotation` recorded or selected".to_owned(),
                how_to_record: job.recorder.advice(
                    "named ranges",
                    "mark parts of the program with `with torch.profiler.record_function(\"forward\"):`; \
                    `prof.step()` marks the steps",
                ),
            });
        }
        Outcome::Section(Section {
            id: Self::ID,
            title: "Named ranges",
            numbers: numbers(&ranks),
            tables: tables::tables(job, &ranks),
            charts: Vec::new(),
            findings: Vec::new(),
        })
    }
}

fn numbers(ranks: &[&Rank<'_, Part>]) -> Vec<Number> {
    let inside: Ns = ranks.iter().map(|rank| rank.part.gpu_inside).sum();
    let whole: Ns = ranks.iter().map(|rank| rank.part.gpu_time).sum();
    if whole == Ns::ZERO {
        return Vec::new();
    }
    vec![Number::formula(
        "gpu_in_annotations_pct",
        Value::percent(inside.0, whole.0),
        Unit::Percent,
        "share of the summed GPU activity duration that belongs to a named range",
    )]
}

#[cfg(test)]
mod tests;
