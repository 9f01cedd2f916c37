//! The quantities that sum up a run, each with the name that conditions use.

use super::change::{Change, Side};
use super::profile::{Entry, Profile, Step, StepWork};
use crate::section::Unit;

/// A quantity that sums up a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// How long a step took on the host.
    Step,
    /// The GPU span, where steps were not recorded.
    Span,
    /// Time in which anything ran on the GPU.
    Busy,
    /// Time in which anything computed.
    Compute,
    /// Time in which something communicated and nothing computed.
    ExposedComm,
    /// Time in which a copy or memset ran and nothing else.
    ExposedMemory,
    /// Time in which the GPU did nothing.
    Idle,
    /// Summed duration of kernels, copies and memsets.
    KernelsTime,
    /// Summed duration of communication kernels.
    CommTime,
    /// Time of the host in operators, calls and ranges.
    OperatorsTime,
    /// Kernels that ran.
    Kernels,
    /// The most memory allocated on any device of any rank, or on the host if no device was recorded.
    PeakMemory,
}

impl Metric {
    /// Every metric, in the order people want to read them.
    pub const ALL: [Self; 12] = [
        Self::Step,
        Self::Span,
        Self::Busy,
        Self::Compute,
        Self::ExposedComm,
        Self::ExposedMemory,
        Self::Idle,
        Self::KernelsTime,
        Self::CommTime,
        Self::OperatorsTime,
        Self::Kernels,
        Self::PeakMemory,
    ];

    /// The name in tables and conditions.
    pub fn id(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Span => "span",
            Self::Busy => "busy",
            Self::Compute => "compute",
            Self::ExposedComm => "exposed_comm",
            Self::ExposedMemory => "exposed_memory",
            Self::Idle => "idle",
            Self::KernelsTime => "kernels_time",
            Self::CommTime => "comm_time",
            Self::OperatorsTime => "operators_time",
            Self::Kernels => "kernels",
            Self::PeakMemory => "peak_memory",
        }
    }

    /// What it is counted in.
    pub fn unit(self) -> Unit {
        match self {
            Self::Kernels => Unit::Count,
            Self::PeakMemory => Unit::Bytes,
            _ => Unit::Nanoseconds,
        }
    }
}

/// Whether runs are compared step by step or as they were recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// Means per step and rank.
    Step,
    /// Means per rank.
    Recording,
}

/// What both runs allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) basis: Basis,
    /// True if the entries of both runs know their steps, so that what is outside of steps can be skipped.
    pub(super) by_step: bool,
}

impl Terms {
    pub(super) fn of(base: &Profile, new: &Profile) -> Self {
        let has_steps = |profile: &Profile| !profile.step_numbers.is_empty();
        let basis = if has_steps(base) && has_steps(new) { Basis::Step } else { Basis::Recording };
        Self { basis, by_step: basis == Basis::Step && base.by_step && new.by_step }
    }

    /// What sums over a run are divided by.
    pub(super) fn divisor(self, profile: &Profile) -> u64 {
        match self.basis {
            Basis::Step if self.by_step => profile.kept_rank_steps().max(1),
            // Saved reports have sums over all steps.
            _ => self.whole_divisor(profile),
        }
    }

    /// What sums over everything that was recorded are divided by.
    pub(super) fn whole_divisor(self, profile: &Profile) -> u64 {
        match self.basis {
            Basis::Step => profile.rank_steps().max(1),
            Basis::Recording => profile.ranks.max(1),
        }
    }

    /// The sum of something over entries.
    pub(super) fn side<'a>(
        self,
        profile: &Profile,
        entries: impl Iterator<Item = &'a Entry>,
        series: impl Fn(&Entry) -> &super::profile::Series,
    ) -> Side {
        let mut side = Side { divisor: self.divisor(profile), ..Side::default() };
        if self.by_step {
            side.samples = vec![0.0; profile.kept_steps().len()];
        }
        for entry in entries {
            let series = series(entry);
            side.total += if self.by_step { series.sum_of(profile.left_out..) } else { series.sum() };
            if self.by_step {
                let values = series.inside.iter().skip(profile.left_out);
                for ((sample, &value), ranks) in side.samples.iter_mut().zip(values).zip(profile.kept_steps())
                {
                    *sample += value as f64 / ranks.len().max(1) as f64;
                }
            }
        }
        side
    }
}

/// The metrics that both runs have.
pub(super) fn changes(base: &Profile, new: &Profile, terms: Terms) -> Vec<(Metric, Change)> {
    let change = |metric| Some((metric, Change::of(side(base, metric, terms)?, side(new, metric, terms)?)));
    Metric::ALL.into_iter().filter_map(change).collect()
}

fn side(profile: &Profile, metric: Metric, terms: Terms) -> Option<Side> {
    let of_entries = |entries: &[Entry]| terms.side(profile, entries.iter(), |entry| &entry.time);
    let has_gpu = !profile.breakdowns.is_empty() || !profile.kernels.is_empty();
    match metric {
        Metric::KernelsTime => has_gpu.then(|| of_entries(&profile.kernels)),
        Metric::CommTime => profile
            .collectives
            .as_ref()
            .filter(|entries| !entries.is_empty())
            .map(|entries| of_entries(entries)),
        Metric::OperatorsTime => profile.operators.as_ref().map(|entries| of_entries(entries)),
        Metric::PeakMemory => {
            let device =
                |(name, _): &(&String, &i64)| name.starts_with("device") && name.ends_with("allocated");
            let peaks = profile.peaks.as_ref()?;
            let peak = peaks.iter().filter(device).map(|(_, &peak)| peak).max();
            let peak = peak.or_else(|| peaks.get("host allocated").copied())?;
            Some(Side { total: i128::from(peak), divisor: 1, samples: Vec::new() })
        }
        _ if terms.basis == Basis::Step => of_steps(profile, metric),
        _ => of_recording(profile, metric, terms),
    }
}

fn of_steps(profile: &Profile, metric: Metric) -> Option<Side> {
    let work = |value: fn(&StepWork) -> i64| move |step: &Step| step.gpu.as_ref().map(value);
    match metric {
        Metric::Step => samples(profile, |step| Some(step.duration.0)),
        Metric::Busy => samples(profile, work(|work| work.busy.0)),
        Metric::Compute => samples(profile, work(|work| work.compute.0)),
        Metric::ExposedComm => samples(profile, work(|work| work.exposed_communication.0)),
        Metric::ExposedMemory => samples(profile, work(|work| work.exposed_memory.0)),
        Metric::Idle => samples(profile, work(|work| work.idle.0)),
        Metric::Kernels => samples(profile, work(|work| i64::try_from(work.kernels).unwrap_or(i64::MAX))),
        _ => None,
    }
}

/// Values of steps, if any step has one. A rank without a value counts neither above nor below the line.
fn samples(profile: &Profile, value: impl Fn(&Step) -> Option<i64>) -> Option<Side> {
    let mut side = Side::default();
    for ranks in profile.kept_steps() {
        let values: Vec<i64> = ranks.iter().filter_map(&value).collect();
        if values.is_empty() {
            continue;
        }
        let sum: i128 = values.iter().map(|&value| i128::from(value)).sum();
        side.total += sum;
        side.divisor += values.len() as u64;
        side.samples.push(sum as f64 / values.len() as f64);
    }
    (side.divisor > 0).then_some(side)
}

fn of_recording(profile: &Profile, metric: Metric, terms: Terms) -> Option<Side> {
    let breakdowns = &profile.breakdowns;
    if breakdowns.is_empty() {
        return None;
    }
    let sum = |part: fn(&crate::Breakdown) -> eaves_model::Ns| {
        Some(breakdowns.iter().map(|breakdown| i128::from(part(breakdown).0)).sum::<i128>())
    };
    let total = match metric {
        Metric::Span => sum(|breakdown| breakdown.span),
        Metric::Busy => sum(|breakdown| breakdown.busy),
        Metric::Compute => sum(|breakdown| breakdown.compute),
        Metric::ExposedComm => sum(|breakdown| breakdown.exposed_communication),
        Metric::ExposedMemory => sum(|breakdown| breakdown.exposed_memory),
        Metric::Idle => sum(crate::Breakdown::idle),
        Metric::Kernels => profile.kernel_count.map(i128::from),
        _ => None,
    }?;
    Some(Side { total, divisor: terms.divisor(profile), samples: Vec::new() })
}
