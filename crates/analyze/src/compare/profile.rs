//! What is compared of a run: times by name and place, per step where there are steps. No rows, no formats.

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeBounds;

use eaves_model::{Interval, Ns, Recording};

use super::noise;
use crate::{Breakdown, Selection, SelectionError};

/// A time or count, split by the profiler steps of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Series {
    /// One value a step.
    pub(super) inside: Vec<i64>,
    /// What belongs to no step.
    pub(super) outside: i64,
}

impl Series {
    pub(super) fn add(&mut self, step: Option<usize>, steps: usize, value: i64) {
        let Some(step) = step else {
            self.outside = self.outside.saturating_add(value);
            return;
        };
        self.inside.resize(steps, 0);
        if let Some(slot) = self.inside.get_mut(step) {
            *slot = slot.saturating_add(value);
        }
    }

    /// The sum over some steps.
    pub(super) fn sum_of(&self, steps: impl RangeBounds<usize>) -> i128 {
        let is_meant = |(step, _): &(usize, &i64)| steps.contains(step);
        self.inside.iter().enumerate().filter(is_meant).map(|(_, &value)| i128::from(value)).sum()
    }

    /// The sum of everything.
    pub(super) fn sum(&self) -> i128 {
        self.sum_of(..) + i128::from(self.outside)
    }

    /// Takes in the series of another rank; `places` says where its steps are among those of this one.
    fn absorb(&mut self, other: &Self, places: &[usize], steps: usize) {
        for (&value, &place) in other.inside.iter().zip(places) {
            self.add(Some(place), steps, value);
        }
        self.outside = self.outside.saturating_add(other.outside);
    }
}

/// Where something stands, and what it is called: the key of an [`Entry`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) name: String,
    /// What it is: a type of kernel or a kind of call. Only like is matched with like.
    pub(super) class: &'static str,
    /// The operator that launched it, if known. An operator stands for itself.
    pub(super) operator: Option<String>,
    /// The operators and ranges around that, outermost first; empty at the top of a thread or if not known.
    pub(super) path: String,
}

/// What a call into the runtime is, if it puts work on a device and if it does not.
pub(super) const LAUNCH: &str = "launch";
pub(super) const CALL: &str = "call";

impl Place {
    /// The name without what only tells the vendor: `cudaMemcpyAsync` is `hipMemcpyAsync`.
    pub(super) fn common_name(&self) -> &str {
        let stripped = ["cuda", "hip"].iter().find_map(|vendor| self.name.strip_prefix(vendor));
        match stripped {
            Some(rest) if matches!(self.class, LAUNCH | CALL) => rest,
            _ => &self.name,
        }
    }
}

/// Everything of one name at one place of the call tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) place: Place,
    /// When it was first met, to tell the sequence of entries.
    pub(super) order: u64,
    pub(super) calls: Series,
    /// Nanoseconds. On the host without what other entries around it cover, so that entries add up.
    pub(super) time: Series,
    /// Nanoseconds from beginning to end, whatever runs inside; on the device the same as `time`.
    pub(super) total: Series,
    /// Nanoseconds of GPU activity that it launched itself.
    pub(super) gpu: Series,
}

/// One profiler step of one rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) number: u64,
    pub(super) duration: Ns,
    /// What the GPU did, if it was recorded.
    pub(super) gpu: Option<StepWork>,
}

/// What the GPU did for a step; the definitions of the section `steps`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StepWork {
    pub(super) busy: Ns,
    pub(super) compute: Ns,
    pub(super) exposed_communication: Ns,
    pub(super) exposed_memory: Ns,
    pub(super) idle: Ns,
    pub(super) kernels: u64,
}

/// Data compared per rank.
#[derive(Clone, Debug, Default)]
pub struct RankProfile {
    /// From the first start to the last end of everything, selected or not.
    pub(super) extent: Option<Interval>,
    /// Numbers of the steps, selected or not.
    pub(super) recorded_steps: Vec<u64>,
    /// The selected steps.
    pub(super) steps: Vec<Step>,
    /// Of the whole recording; nothing without GPU activity.
    pub(super) breakdown: Option<Breakdown>,
    /// Kernels of the whole recording, if the input tells.
    pub(super) kernel_count: Option<u64>,
    pub(super) kernels: Vec<Entry>,
    /// Nothing if the input cannot tell.
    pub(super) operators: Option<Vec<Entry>>,
    pub(super) collectives: Option<Vec<Entry>>,
    /// Peaks in bytes by what peaked.
    pub(super) peaks: Option<BTreeMap<String, i64>>,
    /// Bytes in use at the peak by line of the program, of snapshots.
    pub(super) lines: Option<BTreeMap<String, i64>>,
    /// True if entries know their steps. Saved reports have totals only.
    pub(super) by_step: bool,
}

/// Data compared per run.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    pub(super) ranks: u64,
    /// The numbers of the steps, each once.
    pub(super) step_numbers: Vec<u64>,
    /// For each step the ranks that recorded it.
    pub(super) steps: Vec<Vec<Step>>,
    /// How many steps at the start are in no mean: the first, if it lies far from the others.
    pub(super) left_out: usize,
    pub(super) breakdowns: Vec<Breakdown>,
    pub(super) kernel_count: Option<u64>,
    pub(super) kernels: Vec<Entry>,
    pub(super) operators: Option<Vec<Entry>>,
    pub(super) collectives: Option<Vec<Entry>>,
    pub(super) peaks: Option<BTreeMap<String, i64>>,
    pub(super) lines: Option<BTreeMap<String, i64>>,
    pub(super) by_step: bool,
}

impl Profile {
    /// The selected ranks of a run. `measured` belongs to `recordings`, one for one.
    ///
    /// # Errors
    /// If the selection asks for something that is in none of the recordings.
    pub fn of_run(
        recordings: &[Recording],
        measured: Vec<RankProfile>,
        selection: &Selection,
    ) -> Result<Self, SelectionError> {
        selection.check_ranks(recordings)?;
        let selected: Vec<RankProfile> = recordings
            .iter()
            .zip(measured)
            .filter(|(recording, _)| selection.has_rank(recording.rank))
            .map(|(_, profile)| profile)
            .collect();
        selection.check_steps(selected.iter().flat_map(|rank| rank.recorded_steps.iter().copied()))?;
        selection.check_time(selected.iter().filter_map(|rank| rank.extent))?;
        let mut profile = Self::new(selected);
        if selection.steps.is_some() {
            // Who names steps means them.
            profile.left_out = 0;
        }
        Ok(profile)
    }

    /// The ranks of a run together.
    pub fn new(ranks: Vec<RankProfile>) -> Self {
        let mut numbers: Vec<u64> =
            ranks.iter().flat_map(|rank| &rank.steps).map(|step| step.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut profile = Self {
            ranks: ranks.len() as u64,
            steps: vec![Vec::new(); numbers.len()],
            by_step: ranks.iter().all(|rank| rank.by_step),
            ..Self::default()
        };
        let places: Vec<Vec<usize>> = ranks.iter().map(|rank| places(rank, &numbers)).collect();
        profile.kernels =
            merge(ranks.iter().map(|rank| Some(rank.kernels.as_slice())), &places, numbers.len())
                .unwrap_or_default();
        profile.operators = merge(ranks.iter().map(|rank| rank.operators.as_deref()), &places, numbers.len());
        profile.collectives =
            merge(ranks.iter().map(|rank| rank.collectives.as_deref()), &places, numbers.len());
        for (rank, places) in ranks.iter().zip(&places) {
            for (step, &place) in rank.steps.iter().zip(places) {
                profile.steps[place].push(step.clone());
            }
            profile.breakdowns.extend(rank.breakdown);
            if let Some(count) = rank.kernel_count {
                *profile.kernel_count.get_or_insert_default() += count;
            }
            for (of_rank, of_run) in [(&rank.peaks, &mut profile.peaks), (&rank.lines, &mut profile.lines)] {
                for (name, &peak) in of_rank.iter().flatten() {
                    let peaks = of_run.get_or_insert_default();
                    peaks.entry(name.clone()).and_modify(|known| *known = (*known).max(peak)).or_insert(peak);
                }
            }
        }
        profile.step_numbers = numbers;
        profile.left_out = usize::from(noise::is_first_atypical(&profile.durations()));
        profile
    }

    /// Steps over all ranks: what a mean of everything is divided by.
    pub(super) fn rank_steps(&self) -> u64 {
        count(&self.steps)
    }

    /// Steps over all ranks: what a mean per step and rank is divided by.
    pub(super) fn kept_rank_steps(&self) -> u64 {
        count(self.kept_steps())
    }

    /// The steps that means are made of.
    pub(super) fn kept_steps(&self) -> &[Vec<Step>] {
        &self.steps[self.left_out..]
    }

    /// The duration of every step, a mean over the ranks.
    pub(super) fn durations(&self) -> Vec<f64> {
        let mean = |ranks: &Vec<Step>| {
            ranks.iter().map(|step| step.duration.as_f64()).sum::<f64>() / ranks.len().max(1) as f64
        };
        self.steps.iter().map(mean).collect()
    }
}

fn count(steps: &[Vec<Step>]) -> u64 {
    steps.iter().map(|ranks| ranks.len() as u64).sum()
}

/// Where the steps of a rank are among those of the run.
fn places(rank: &RankProfile, numbers: &[u64]) -> Vec<usize> {
    rank.steps.iter().filter_map(|step| numbers.binary_search(&step.number).ok()).collect()
}

/// The entries of all ranks, sorted by place; nothing if no rank knows any.
fn merge<'a>(
    ranks: impl Iterator<Item = Option<&'a [Entry]>>,
    places: &[Vec<usize>],
    steps: usize,
) -> Option<Vec<Entry>> {
    let mut merged: HashMap<&Place, Entry> = HashMap::new();
    let mut known = false;
    for (entries, places) in ranks.zip(places) {
        known |= entries.is_some();
        for entry in entries.into_iter().flatten() {
            let sum = merged.entry(&entry.place).or_insert_with(|| Entry {
                place: entry.place.clone(),
                order: entry.order,
                ..Entry::default()
            });
            sum.order = sum.order.min(entry.order);
            sum.calls.absorb(&entry.calls, places, steps);
            sum.time.absorb(&entry.time, places, steps);
            sum.total.absorb(&entry.total, places, steps);
            sum.gpu.absorb(&entry.gpu, places, steps);
        }
    }
    let mut entries: Vec<Entry> = merged.into_values().collect();
    entries.sort_unstable_by(|a, b| a.place.cmp(&b.place));
    known.then_some(entries)
}
