//! How much the profiler itself was at work.

use eaves_model::{Interval, IntervalSet, Ns, SliceId, SliceKind};
use serde::{Deserialize, Serialize};

use super::cause::Cause;
use super::classes::cause_of;
use crate::RankView;

/// The profiler's own records of what it cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Overhead {
    /// In which it was at work, and out of how much.
    pub(super) time: Ns,
    pub(super) whole: Ns,
    /// The record that took longest.
    pub(super) name: String,
}

impl Overhead {
    /// The profiler's records of its own work in the steady state, among what began in the selected steps and time.
    pub(super) fn measure(rank: &RankView<'_>) -> Self {
        let slices = &rank.trace.slices;
        // The profiler is busiest when it starts, which is not a part of the steady state.
        let window = rank.steady().window;
        let mut intervals = Vec::new();
        let mut longest: Option<SliceId> = None;
        let rows = slices.kind.iter().enumerate().filter(|&(_, &kind)| kind == SliceKind::Overhead);
        for (row, &kind) in rows {
            let slice = SliceId::from(row);
            let is_own = cause_of(kind, rank.trace.slice_name(slice)) == Some(Cause::Profiler);
            if !is_own || !rank.selects(slices.start[row]) || rank.trace.is_quarantined(slice) {
                continue;
            }
            let interval = slices.interval(row);
            let Some(inside) = window.map_or(Some(interval), |window| interval.clip(window)) else {
                continue;
            };
            intervals.push(inside);
            if longest.is_none_or(|other| slices.duration[row] > slices.duration[other.index()]) {
                longest = Some(slice);
            }
        }
        Self {
            time: IntervalSet::union_of(intervals).measure(),
            whole: window.map_or_else(|| selected_time(rank), Interval::length),
            name: longest.map_or_else(String::new, |slice| rank.trace.slice_name(slice).to_owned()),
        }
    }
}

/// How much of the recording is selected.
fn selected_time(rank: &RankView<'_>) -> Ns {
    let selection = &rank.options.selection;
    if selection.steps.is_some() {
        let selected = rank.steps.iter().filter(|(_, step)| rank.selects(step.start));
        return selected.map(|(_, step)| step.length()).sum();
    }
    let Some(extent) = rank.extent else { return Ns::ZERO };
    let selected = selection.window(rank.extent).map_or(Some(extent), |window| extent.clip(window));
    selected.map_or(Ns::ZERO, Interval::length)
}
