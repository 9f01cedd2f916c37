//! What holds for all findings, whichever analysis makes them.
//!
//! A finding says which time its gain is taken from ([`Gain::out_of`]). Here the gain is cut to what there is of that
//! time in the steady state ([`Steady`]), findings that gain nothing go, and gains that cannot all be had together
//! say so. So no gain exceeds what is idle, exposed or computed, and those without `overlaps` add up to no more than
//! one step.

mod launched;
mod steady;

use std::cmp::Reverse;

use eaves_model::{Interval, Ns};

pub use self::launched::Launched;
pub use self::steady::Steady;
pub(crate) use self::steady::covered;
use crate::section::{Budget, Finding, Gain, Severity};
use crate::{Job, Outcome, RankSummary};

/// Makes the findings of a report agree with the time there is, and with each other.
pub(crate) fn settle(job: &Job, outcomes: &mut [Outcome]) {
    for finding in all(outcomes) {
        if let Some(gain) = &mut finding.gain {
            gain.high = gain.high.min(most(job, gain)).max(Ns::ZERO);
            gain.low = gain.low.clamp(Ns::ZERO, gain.high);
        }
    }
    leave_to_causes(outcomes);
    say_once(outcomes);
    for outcome in outcomes.iter_mut() {
        if let Outcome::Section(section) = outcome {
            section.findings.retain(|finding| finding.gain.as_ref().is_none_or(|gain| gain.high > Ns::ZERO));
            section.findings.sort_by_key(|finding| Reverse(finding.gain.as_ref().map(|gain| gain.high)));
        }
    }
    mark_overlaps(job, all(outcomes).filter(|finding| finding.gain.is_some()).collect());
}

/// Findings that say when time is lost, not why.
const SYMPTOMS: [&str; 2] = ["slow_step", "uneven_steps"];
/// Those that say why the host stood still, and gain what it cost.
const STALLS: [&str; 5] =
    ["allocator_calls", "compilation", "data_loading", "garbage_collection", "synchronisation"];

/// A symptom of which a stall is three quarters and more has no gain of its own: it is the same time, and the stall says what to
/// do.
fn leave_to_causes(outcomes: &mut [Outcome]) {
    let stalls: Vec<(&'static str, Gain)> = all(outcomes)
        .filter(|finding| STALLS.contains(&finding.id))
        .filter_map(|finding| Some((finding.id, finding.gain.clone()?)))
        .collect();
    for finding in all(outcomes).filter(|finding| SYMPTOMS.contains(&finding.id)) {
        let Some(gain) = &finding.gain else { continue };
        let explains = |(_, stall): &&(&str, Gain)| {
            stall.per_step == gain.per_step && 4 * stall.high.0 >= 3 * gain.high.0
        };
        if let Some((cause, _)) = stalls.iter().filter(explains).max_by_key(|(_, stall)| stall.high) {
            finding.severity = Severity::Info;
            finding.gain = None;
            finding.evidence.push_str(&format!("; most of it is {cause}"));
        }
    }
}

/// What two sections find, each in its own way, is one finding: that with the largest gain, else the first.
fn say_once(outcomes: &mut [Outcome]) {
    let mut best: Vec<(&'static str, usize, Option<Ns>)> = Vec::new();
    for (place, outcome) in outcomes.iter().enumerate() {
        let Outcome::Section(section) = outcome else { continue };
        for finding in &section.findings {
            let gain = finding.gain.as_ref().map(|gain| gain.high);
            match best.iter_mut().find(|(id, ..)| *id == finding.id) {
                Some((_, kept, known)) if gain > *known => (*kept, *known) = (place, gain),
                Some(_) => {}
                None => best.push((finding.id, place, gain)),
            }
        }
    }
    for (place, outcome) in outcomes.iter_mut().enumerate() {
        if let Outcome::Section(section) = outcome {
            section
                .findings
                .retain(|finding| best.iter().any(|(id, kept, _)| *id == finding.id && *kept == place));
        }
    }
}

fn all(outcomes: &mut [Outcome]) -> impl Iterator<Item = &mut Finding> {
    outcomes.iter_mut().flat_map(|outcome| match outcome {
        Outcome::Section(section) => section.findings.iter_mut(),
        Outcome::Skipped(_) => [].iter_mut(),
    })
}

/// The most that a gain can be.
fn most(job: &Job, gain: &Gain) -> Ns {
    let of = |rank: &RankSummary| available(rank, gain.budget, gain.per_step);
    job.ranks
        .iter()
        .filter(|rank| gain.rank.is_none_or(|number| rank.rank == number))
        .map(of)
        .max()
        .unwrap_or(gain.high)
}

/// What there is of a kind of time on a rank, in a step or altogether.
fn available(rank: &RankSummary, budget: Budget, per_step: bool) -> Ns {
    let extent = rank.extent.map_or(Ns::ZERO, Interval::length);
    let time = rank.steady.budget(budget, extent);
    let steps = if per_step { rank.steady.steps.max(1) } else { 1 };
    Ns(time.0 / i64::try_from(steps).unwrap_or(i64::MAX))
}

/// Goes through the gains, the largest first. One that fits next to those before it, in the time of its kind and in
/// the step, adds to them; one that does not is at least in part the same time as they. Of time of several kinds nobody
/// knows which it is, so it never adds to what may be the same.
fn mark_overlaps(job: &Job, mut findings: Vec<&mut Finding>) {
    findings.sort_by_key(|finding| Reverse(finding.gain.as_ref().map(|gain| (gain.high, gain.low))));
    let mut added: Vec<(&'static str, Gain)> = Vec::new();
    for finding in findings {
        let Some(gain) = &mut finding.gain else { continue };
        let beside = || added.iter().filter(|(_, other)| other.per_step == gain.per_step);
        let same = || beside().filter(|(_, other)| may_be_the_same(gain, other));
        let sum =
            |of: &mut dyn Iterator<Item = &(&'static str, Gain)>| of.map(|(_, other)| other.high).sum::<Ns>();
        let step = Gain { rank: None, budget: Budget::Everything, ..gain.clone() };
        let is_apart = same().all(|(_, other)| gain.budget.is_one_kind() && other.budget.is_one_kind());
        let fits = sum(&mut same()) + gain.high <= most(job, gain)
            && sum(&mut beside()) + gain.high <= most(job, &step);
        if is_apart && fits {
            added.push((finding.id, gain.clone()));
            continue;
        }
        let ids =
            |of: &mut dyn Iterator<Item = &(&'static str, Gain)>| of.map(|(id, _)| *id).collect::<Vec<_>>();
        let mut overlaps = ids(&mut same());
        if overlaps.is_empty() {
            overlaps = ids(&mut beside());
        }
        overlaps.sort_unstable();
        overlaps.dedup();
        gain.basis.push_str(&format!("; may overlap with {}", overlaps.join(", ")));
        gain.overlaps = overlaps;
    }
}

/// True if two gains can be the same time of the same rank.
fn may_be_the_same(one: &Gain, other: &Gain) -> bool {
    let is_same_rank = one.rank.is_none() || other.rank.is_none() || one.rank == other.rank;
    is_same_rank && one.budget.meets(other.budget)
}

#[cfg(test)]
mod tests;
