//! Collectives: how often, how large, how fast, how much of them is exposed, and how much of them is waiting.

mod across;
mod calls;
mod findings;
mod tables;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use eaves_assess::roofline;
use eaves_model::Ns;

use self::across::Across;
use super::{Analyse, Rank};
use crate::collectives::{Calls, Fate, Place, Waiting};
use crate::section::{Number, Provenance, Section, Skipped, Unit};
use crate::{Job, Outcome, RankView};

pub(super) struct Collectives;

impl Analyse for Collectives {
    const ID: &'static str = "collectives";
    /// A few words a call: the same call has to be found on other ranks.
    type Part = Arc<Calls>;

    fn measure(rank: &RankView<'_>) -> Arc<Calls> {
        rank.collectives()
    }

    fn is_sound(part: &Arc<Calls>) -> bool {
        part.is_sound()
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Arc<Calls>>]) -> Outcome {
        if ranks.iter().all(|rank| rank.part.rows.is_empty()) {
            return without_calls(job, Self::ID, ranks);
        }
        let across = Across::of(job, ranks);
        let mut section = Section {
            id: Self::ID,
            title: "Collectives",
            numbers: numbers(ranks, &across),
            tables: tables::all(job, ranks, &across),
            charts: Vec::new(),
            findings: findings::all(job.audience(), ranks, &across),
        };
        let messages = roofline::transfers_of(&section);
        section.tables.extend(roofline::bandwidth_fit(&messages));
        Outcome::Section(section)
    }
}

/// The outcome without any collective.
pub(in crate::analyses) fn without_calls(
    job: &Job,
    id: &'static str,
    ranks: &[Rank<'_, Arc<Calls>>],
) -> Outcome {
    let unseen: u64 = ranks.iter().map(|rank| rank.part.unseen).sum();
    let missing = if unseen > 0 {
        format!("the work of collectives: the host called {unseen}, but what the device did was not recorded")
    } else {
        "communication: no NCCL, RCCL or other communication kernel ran, and no gloo thread".to_owned()
    };
    Outcome::Skipped(Skipped {
        id,
        missing,
        how_to_record: job.audience().either(
            "record a run of several ranks, every rank with `ProfilerActivity.CPU` and, for GPUs, `ProfilerActivity.CUDA`",
            "record a run of several ranks, each into a separate file",
        ),
    })
}

/// The calls of a rank by the place where they ran, without places of none.
fn places(calls: &Calls) -> impl Iterator<Item = Place> {
    [Place::Gpu, Place::Host].into_iter().filter(|&place| calls.totals(place).calls > 0)
}

fn numbers(ranks: &[Rank<'_, Arc<Calls>>], across: &Across<'_>) -> Vec<Number> {
    let number =
        |id, rank, value, unit, provenance, explain| Number { id, rank, value, unit, provenance, explain };
    let calls: u64 = ranks.iter().map(|rank| rank.part.gpu.calls + rank.part.host.calls).sum();
    let mut numbers = vec![number(
        "calls",
        None,
        calls.into(),
        Unit::Count,
        Provenance::Counter,
        "collectives on all ranks: GPU kernels and gloo thread work",
    )];
    let unseen: u64 = ranks.iter().map(|rank| rank.part.unseen).sum();
    if unseen > 0 {
        numbers.push(number(
            "unseen_calls",
            None,
            unseen.into(),
            Unit::Count,
            Provenance::Counter,
            "collectives called on ranks without recorded device work: they have no duration and are in no table",
        ));
    }
    let Ok(waits) = &across.waits else { return numbers };
    numbers.push(number(
        "matched_calls",
        None,
        across.matching.count(Fate::Matched).into(),
        Unit::Count,
        Provenance::Formula,
        "calls matched on two or more ranks, by sequence number in the group or, without one, by order in the \
        step, with equal kind, type and size; table matching lists the others",
    ));
    for (rank, waits) in ranks.iter().zip(waits) {
        if waits.both().iter().all(|waiting| waiting.matched == 0) {
            continue;
        }
        let of_rank = |id, time: fn(&Waiting) -> Ns, explain| {
            let time: Ns = waits.both().into_iter().map(time).sum();
            number(id, Some(rank.rank), time.into(), Unit::Nanoseconds, Provenance::Formula, explain)
        };
        numbers.push(of_rank(
            "wait_ns",
            |waiting| waiting.wait() - waiting.launch_skew(),
            "estimate, clock-free: the rank with the shortest duration came last, and the extra duration on this \
            rank is its wait; excludes launch skew, and time with another call in transfer",
        ));
        numbers.push(of_rank(
            "launch_skew_ns",
            Waiting::launch_skew,
            "estimate, clock-free: the part of the wait explained by the last rank's later launch; missing \
            without recorded launches",
        ));
        numbers.push(of_rank(
            "transfer_ns",
            Waiting::transfer,
            "estimate, clock-free: the duration on the rank that came last; concurrent calls count once",
        ));
    }
    numbers
}
