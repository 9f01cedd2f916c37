//! Operators by name: what they cost on the host, what they launched, what they allocated.

mod measure;
mod tables;

use eaves_model::Ns;

use super::{Analyse, Rank, Shown, missing};
use crate::section::{Number, Section, Unit, Value};
use crate::{Job, Outcome, RankView};
use measure::Part;

pub(super) use measure::allocated;

pub(super) struct CallTree;

impl Analyse for CallTree {
    const ID: &'static str = "call-tree";
    const SHOWN: Shown = Shown::WhenAsked;
    type Part = Part;

    fn measure(rank: &RankView<'_>) -> Part {
        measure::part(rank)
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Part>]) -> Outcome {
        let ranks: Vec<&Rank<'_, Part>> = ranks.iter().filter(|rank| !rank.part.rows.is_empty()).collect();
        if ranks.is_empty() {
            return missing::operators(job, Self::ID);
        }
        let rows = measure::over_ranks(&ranks);
        let recorded = tables::Recorded {
            gpu: job.recorded_gpu,
            memory: ranks.iter().any(|rank| rank.part.recorded_memory),
        };
        let mut tables = vec![tables::by_operator(&rows, recorded)];
        if ranks.len() > 1 {
            tables.push(tables::by_rank_and_operator(job, &ranks, recorded));
        }
        if job.options.details {
            tables.push(tables::calls(job, &ranks, recorded));
        }
        Outcome::Section(Section {
            id: Self::ID,
            title: "Operators and their GPU time",
            numbers: numbers(&rows, &ranks, recorded),
            tables,
            charts: Vec::new(),
            findings: Vec::new(),
        })
    }
}

fn numbers(rows: &[measure::Row], ranks: &[&Rank<'_, Part>], recorded: tables::Recorded) -> Vec<Number> {
    let number = Number::formula;
    let calls: u64 = rows.iter().map(|row| row.calls).sum();
    let inside: Ns = ranks.iter().map(|rank| rank.part.gpu_inside).sum();
    let whole: Ns = ranks.iter().map(|rank| rank.part.gpu_time).sum();
    let mut numbers = vec![
        number("operators", rows.len().into(), Unit::Count, "distinct operator names"),
        number("calls", calls.into(), Unit::Count, "operator calls that start in the selection"),
    ];
    if recorded.gpu {
        numbers.push(number(
            "gpu_in_operators_pct",
            Value::percent(inside.0, whole.0),
            Unit::Percent,
            "share of the summed GPU activity duration launched by operators; the rest was launched outside \
            operators or has no recorded launch",
        ));
    }
    numbers
}

#[cfg(test)]
mod tests;
