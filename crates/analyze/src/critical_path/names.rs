//! What on the path costs most, by name.

use std::cmp::Reverse;

use eaves_model::{Ns, SliceId, StringId, Trace};
use serde::{Deserialize, Serialize};

use super::{Cause, PathPart};

/// The time on the path under one name and cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct NameTime {
    pub(crate) cause: Cause,
    /// The name of the slices; none outside of all slices.
    pub(crate) name: StringId,
    /// How many slices of that name the path goes through.
    pub(crate) calls: u64,
    pub(crate) time: Ns,
    /// How much shorter the longest path would be if this took no time anywhere. Only of the costliest.
    pub(crate) gain: Option<Ns>,
}

/// One slot for each cause and string; unnamed things share the slot behind the last string.
pub(super) struct Slots {
    strings: usize,
    slots: Vec<u32>,
}

impl Slots {
    pub(super) fn new(trace: &Trace) -> Self {
        let strings = trace.strings.len();
        Self { strings, slots: vec![u32::MAX; (strings + 1) * Cause::ALL.len()] }
    }

    #[inline]
    fn slot(&self, cause: Cause, name: StringId) -> usize {
        name.index().min(self.strings) * Cause::ALL.len() + cause as usize
    }

    /// What was put under a cause and a name.
    #[inline]
    pub(super) fn get(&self, cause: Cause, name: StringId) -> Option<usize> {
        let index = self.slots[self.slot(cause, name)];
        (index != u32::MAX).then_some(index as usize)
    }

    pub(super) fn put(&mut self, cause: Cause, name: StringId, index: usize) {
        let slot = self.slot(cause, name);
        self.slots[slot] = index as u32;
    }
}

/// The name of a slice that may be none.
#[inline]
pub(super) fn name_of(trace: &Trace, slice: SliceId) -> StringId {
    slice.some().map_or(StringId::NONE, |slice| trace.slices.name[slice.index()])
}

/// Adds up the explained parts of a path, costliest first.
pub(super) fn by_name(trace: &Trace, parts: &[PathPart]) -> Vec<NameTime> {
    let mut slots = Slots::new(trace);
    let mut rows: Vec<NameTime> = Vec::new();
    // The path may leave a call for what it calls and come back; it is one call still.
    let mut seen = vec![0u64; trace.slices.len() / 64 + 1];
    for part in parts.iter().filter(|part| part.cause != Cause::Unexplained) {
        let (cause, name) = (part.cause, name_of(trace, part.slice));
        let row = slots.get(cause, name).unwrap_or_else(|| {
            rows.push(NameTime { cause, name, calls: 0, time: Ns::ZERO, gain: None });
            slots.put(cause, name, rows.len() - 1);
            rows.len() - 1
        });
        let is_new = match part.slice.some() {
            Some(slice) if cause.is_inside_slice() => {
                let (word, bit) = (slice.index() / 64, 1 << (slice.index() % 64));
                let is_new = seen[word] & bit == 0;
                seen[word] |= bit;
                is_new
            }
            _ => true,
        };
        rows[row].calls += u64::from(is_new);
        rows[row].time += part.interval.length();
    }
    let text = |row: &NameTime| trace.strings.get(row.name);
    rows.sort_unstable_by(|a, b| {
        let by_time = Reverse(a.time).cmp(&Reverse(b.time));
        by_time.then_with(|| text(a).cmp(text(b))).then_with(|| a.cause.cmp(&b.cause))
    });
    rows
}
