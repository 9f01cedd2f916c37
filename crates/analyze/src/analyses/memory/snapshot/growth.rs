//! Memory that grows from step to step, by the line that allocates it.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use eaves_model::{MaybeU32, Ns, SliceKind};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use super::super::findings::{GROWING_STEPS, GROWTH_BYTES};
use super::frames::Names;
use super::replay::Actions;
use crate::RankView;

/// A line whose memory grows.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(in super::super) struct Growth {
    pub(in super::super) place: Option<String>,
    pub(in super::super) stack: String,
    /// In use at the first and at the last of the steps that grow.
    pub(in super::super) first: i64,
    pub(in super::super) last: i64,
    /// Steps in a row, up to the last, in which it grew.
    pub(in super::super) steps: u64,
}

impl Growth {
    /// Growth of one step.
    pub(in super::super) fn per_step(&self) -> i64 {
        self.last.saturating_sub(self.first) / i64::try_from(self.steps).unwrap_or(i64::MAX).max(1)
    }
}

/// Rows of the table.
const TOP: usize = 10;

/// The ends of steps: of profiler steps, or else of calls of an optimizer.
fn ends(rank: &RankView<'_>) -> Vec<Ns> {
    let mut ends: Vec<Ns> = rank.steps.iter().map(|(_, window)| window.end).collect();
    if ends.is_empty() {
        let slices = &rank.trace.slices;
        ends = (0..slices.len())
            .filter(|&row| slices.kind[row] == SliceKind::Annotation)
            .filter(|&row| rank.trace.strings.get(slices.name[row]).starts_with("Optimizer.step#"))
            .map(|row| slices.end(row))
            .collect();
    }
    ends.retain(|&end| rank.selects(end));
    ends.sort_unstable();
    ends
}

/// The lines whose memory grew in each of the last steps, most first.
pub(super) fn growth(
    rank: &RankView<'_>,
    actions: &Actions,
    rows: Range<usize>,
    names: &mut Names<'_>,
) -> Vec<Growth> {
    let snapshot = &rank.trace.snapshot;
    let events = &snapshot.events;
    let ends = ends(rank);
    if ends.len() <= GROWING_STEPS || !snapshot.has_times {
        return Vec::new();
    }
    // Bytes in use by stack, changed event by event. What was there before is the same all the time and no growth; at the end of each step those that are not as at the end before.
    let mut now: HashMap<MaybeU32, i64, foldhash::fast::FixedState> = HashMap::default();
    let mut open: HashMap<i64, (MaybeU32, i64), foldhash::fast::FixedState> = HashMap::default();
    let mut series: BTreeMap<MaybeU32, Vec<(usize, i64)>> = BTreeMap::new();
    let mut changed: Vec<MaybeU32> = Vec::new();
    let mut step = 0;
    let mut note = |step: usize, changed: &mut Vec<MaybeU32>, now: &HashMap<MaybeU32, i64, _>| {
        changed.sort_unstable();
        changed.dedup();
        for stack in changed.drain(..) {
            series.entry(stack).or_default().push((step, now.get(&stack).copied().unwrap_or(0)));
        }
    };
    for row in rows.clone() {
        while ends.get(step).is_some_and(|&end| end < events.time[row]) {
            note(step, &mut changed, &now);
            step += 1;
        }
        if events.action[row] == actions.alloc {
            let (stack, bytes) = (events.stack[row], events.bytes[row]);
            open.insert(events.address[row], (stack, bytes));
            *now.entry(stack).or_default() += bytes;
            changed.push(stack);
        } else if events.action[row] == actions.free_completed
            && let Some((stack, bytes)) = open.remove(&events.address[row])
        {
            *now.entry(stack).or_default() -= bytes;
            changed.push(stack);
        }
    }
    while step < ends.len() {
        note(step, &mut changed, &now);
        step += 1;
    }
    let mut found: Vec<Growth> =
        series.iter().filter_map(|(&stack, values)| grown(stack, values, ends.len(), names)).collect();
    found.sort_by_key(|growth| Reverse(growth.last.saturating_sub(growth.first)));
    found.truncate(TOP);
    found
}

/// The growth of a stack up to the last step; nothing if that is not a habit.
fn grown(stack: MaybeU32, values: &[(usize, i64)], steps: usize, names: &mut Names<'_>) -> Option<Growth> {
    let mut run = 0;
    let mut first = 0;
    for (index, &(step, value)) in values.iter().enumerate().rev() {
        let (before_step, before) =
            index.checked_sub(1).map_or((step.checked_sub(1), 0), |at| (Some(values[at].0), values[at].1));
        let is_last = run > 0 || step + 1 == steps;
        // Each step must have changed it.
        if !is_last || value <= before || before_step != step.checked_sub(1) {
            break;
        }
        (run, first) = (run + 1, before);
    }
    let last = values.last()?.1;
    if run < GROWING_STEPS || last.saturating_sub(first) < GROWTH_BYTES {
        return None;
    }
    let said = names.of(stack);
    Some(Growth { place: said.place.clone(), stack: said.lines.clone(), first, last, steps: run as u64 })
}
