//! Two runs side by side.

use std::collections::BTreeMap;

use super::change::{Change, Side};
use super::matching::{MatchedBy, Pair, pairs};
use super::metric::{Basis, Metric, Terms, changes};
use super::profile::{Entry, Place, Profile, Series};

/// Two runs side by side: what they sum up to, and row by row what makes the difference.
#[derive(Clone, Debug)]
pub struct Comparison {
    pub(super) terms: Terms,
    pub(super) base: Facts,
    pub(super) new: Facts,
    pub(super) metrics: Vec<(Metric, Change)>,
    pub(super) kernels: Vec<Row>,
    /// Nothing if one of the runs cannot tell.
    pub(super) operators: Option<Vec<Row>>,
    pub(super) collectives: Option<Vec<Row>>,
    pub(super) memory: Option<Vec<(String, Change)>>,
    /// Bytes at the peak by line of the program, the largest changes first.
    pub(super) lines: Option<Vec<(String, Change)>>,
    pub(super) steps: Vec<StepRow>,
}

/// How much a run gives to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) ranks: u64,
    pub(super) steps: u64,
    /// Steps that are in no mean, and the GPU time that they launched.
    pub(super) left_out: u64,
    pub(super) left_out_time: i64,
    /// GPU time that belongs to no step.
    pub(super) outside: i64,
}

/// The same thing in both runs, or something that one of them has.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// Its name in the base, or in the new run if only that has it.
    pub(super) name: String,
    /// Its name in the new run, if that is another.
    pub(super) new_name: Option<String>,
    pub(super) class: &'static str,
    pub(super) by: Option<MatchedBy>,
    pub(super) calls: Change,
    pub(super) time: Change,
    pub(super) total: Change,
    pub(super) gpu: Change,
}

/// A step of each run; one is missing where a run has fewer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StepRow {
    pub(super) base: Option<u64>,
    pub(super) new: Option<u64>,
    pub(super) by: Option<MatchedBy>,
    pub(super) time: Change,
    /// True if it is in no mean of its run.
    pub(super) is_left_out: bool,
}

impl Comparison {
    /// Compares two runs.
    pub fn new(base: &Profile, new: &Profile) -> Self {
        let terms = Terms::of(base, new);
        let both = |of: fn(&Profile) -> Option<&[Entry]>| Some(rows(base, new, terms, of(base)?, of(new)?));
        Self {
            terms,
            base: facts(base, terms),
            new: facts(new, terms),
            metrics: changes(base, new, terms),
            kernels: rows(base, new, terms, &base.kernels, &new.kernels),
            operators: both(|profile| profile.operators.as_deref()),
            collectives: both(|profile| profile.collectives.as_deref()),
            memory: largest(base.peaks.as_ref(), new.peaks.as_ref()),
            lines: largest(base.lines.as_ref(), new.lines.as_ref()).map(by_change),
            steps: steps(base, new),
        }
    }

    /// How a metric changed, if both runs have it.
    pub(super) fn metric(&self, metric: Metric) -> Option<&Change> {
        self.metrics.iter().find(|(known, _)| *known == metric).map(|(_, change)| change)
    }

    /// How kernels of a name changed together: those that are called so, or if none is, those whose name contains it.
    pub(super) fn kernels_named(&self, name: &str) -> Option<Change> {
        let sum = |wanted: &dyn Fn(&str) -> bool| {
            let is_wanted = |row: &&Row| wanted(&row.name) || row.new_name.as_deref().is_some_and(wanted);
            let mut rows = self.kernels.iter().filter(is_wanted);
            let mut sum = rows.next()?.time.clone();
            rows.for_each(|row| sum.add(&row.time));
            Some(sum)
        };
        sum(&|known| known == name).or_else(|| sum(&|known| known.contains(name)))
    }
}

fn facts(profile: &Profile, terms: Terms) -> Facts {
    let outside = profile.kernels.iter().map(|entry| entry.time.outside).fold(0, i64::saturating_add);
    let left_out_time =
        profile.kernels.iter().map(|entry| entry.time.sum_of(..profile.left_out)).sum::<i128>();
    Facts {
        ranks: profile.ranks,
        steps: profile.kept_rank_steps(),
        left_out: match terms.basis {
            Basis::Step => profile.rank_steps() - profile.kept_rank_steps(),
            Basis::Recording => 0,
        },
        left_out_time: i64::try_from(left_out_time).unwrap_or(i64::MAX),
        outside: if terms.by_step { outside } else { 0 },
    }
}

fn rows(base: &Profile, new: &Profile, terms: Terms, ours: &[Entry], theirs: &[Entry]) -> Vec<Row> {
    let divisors = (terms.whole_divisor(base), terms.whole_divisor(new));
    let row = |pair: &Pair| {
        let sides = |series: fn(&Entry) -> &Series| {
            let base = terms.side(base, pair.base.iter().map(|&index| &ours[index]), series);
            (base, terms.side(new, pair.new.iter().map(|&index| &theirs[index]), series))
        };
        let (base_calls, new_calls) = sides(|entry| &entry.calls);
        // What only happens outside of steps does not happen here.
        let (in_base, in_new) = (base_calls.total != 0, new_calls.total != 0);
        let change = |(base, new): (Side, Side)| Change { base, new, in_base, in_new };
        let first = pair.base.first().map(|&index| &ours[index].place);
        let other = pair.new.first().map(|&index| &theirs[index].place);
        let place: &Place = first.or(other)?;
        Some(Row {
            name: place.name.clone(),
            new_name: other.map(|other| &other.name).filter(|name| **name != place.name).cloned(),
            class: place.class,
            by: pair.by.filter(|_| in_base && in_new),
            calls: change((base_calls, new_calls)),
            time: change(sides(|entry| &entry.time)),
            total: change(sides(|entry| &entry.total)),
            gpu: change(sides(|entry| &entry.gpu)),
        })
    };
    let happens = |row: &Row| row.calls.in_base || row.calls.in_new;
    pairs(ours, theirs, divisors).iter().filter_map(row).filter(happens).collect()
}

/// The largest changes first.
fn by_change(mut rows: Vec<(String, Change)>) -> Vec<(String, Change)> {
    rows.sort_by_key(|(_, change)| std::cmp::Reverse(change.delta().unsigned_abs()));
    rows
}

/// Values by name, of which each run has one at most.
fn largest(
    base: Option<&BTreeMap<String, i64>>,
    new: Option<&BTreeMap<String, i64>>,
) -> Option<Vec<(String, Change)>> {
    let (ours, theirs) = (base?, new?);
    let mut names: Vec<&String> = ours.keys().chain(theirs.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let side = |peak: Option<&i64>| Side {
        total: i128::from(peak.copied().unwrap_or(0)),
        divisor: 1,
        samples: Vec::new(),
    };
    let row = |name: &String| {
        let (our, their) = (ours.get(name), theirs.get(name));
        let change =
            Change { base: side(our), new: side(their), in_base: our.is_some(), in_new: their.is_some() };
        (name.clone(), change)
    };
    Some(names.into_iter().map(row).collect())
}

/// Steps by number if both runs have the same numbers, otherwise in their order.
fn steps(base: &Profile, new: &Profile) -> Vec<StepRow> {
    if Terms::of(base, new).basis == Basis::Recording {
        return Vec::new();
    }
    let by = if base.step_numbers == new.step_numbers { MatchedBy::Name } else { MatchedBy::Position };
    let side = |profile: &Profile, at: usize| {
        let ranks = profile.steps.get(at).map_or(&[][..], Vec::as_slice);
        let total = ranks.iter().map(|step| i128::from(step.duration.0)).sum();
        let samples = profile.durations().split_off(profile.left_out);
        Side { total, divisor: (ranks.len() as u64).max(1), samples }
    };
    let row = |at: usize| {
        let (our, their) = (base.step_numbers.get(at).copied(), new.step_numbers.get(at).copied());
        let time = Change {
            base: side(base, at),
            new: side(new, at),
            in_base: our.is_some(),
            in_new: their.is_some(),
        };
        StepRow {
            base: our,
            new: their,
            by: (our.is_some() && their.is_some()).then_some(by),
            time,
            is_left_out: at < base.left_out.max(new.left_out),
        }
    };
    (0..base.step_numbers.len().max(new.step_numbers.len())).map(row).collect()
}
