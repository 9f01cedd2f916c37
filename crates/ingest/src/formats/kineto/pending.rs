//! Begins and ends that are separate events (`B`/`E`, `b`/`e`) and become one slice each.

use std::collections::HashMap;

use eaves_model::{Element, Ident, Ns, Relocation, SliceId, StringId, Trace, TrackId, WarningKind};

/// One half of a slice.
struct Half<K, R> {
    key: K,
    time: Ns,
    /// The row of a begin; none for an end.
    row: Option<R>,
    offset: u64,
}

/// Category, identifier and process: other processes may use the same identifiers.
type AsyncKey = (StringId, Ident, Ident);

/// Halves in the order of the file.
#[derive(Default)]
pub(super) struct Pending {
    slices: Vec<Half<TrackId, SliceId>>,
    asyncs: Vec<Half<AsyncKey, usize>>,
}

impl Pending {
    pub(super) fn begin(&mut self, key: TrackId, time: Ns, slice: SliceId, offset: u64) {
        self.slices.push(Half { key, time, row: Some(slice), offset });
    }

    pub(super) fn end(&mut self, key: TrackId, time: Ns, offset: u64) {
        self.slices.push(Half { key, time, row: None, offset });
    }

    pub(super) fn async_begin(&mut self, key: AsyncKey, time: Ns, row: usize, offset: u64) {
        self.asyncs.push(Half { key, time, row: Some(row), offset });
    }

    pub(super) fn async_end(&mut self, key: AsyncKey, time: Ns, offset: u64) {
        self.asyncs.push(Half { key, time, row: None, offset });
    }

    /// Appends the halves of a later part of the same file.
    pub(super) fn append(&mut self, other: Self, relocation: &Relocation, asyncs: usize) {
        self.slices.extend(other.slices.into_iter().map(|half| Half {
            key: half.key.relocate(relocation),
            row: half.row.map(|slice| slice.relocate(relocation)),
            ..half
        }));
        self.asyncs.extend(other.asyncs.into_iter().map(|half| Half {
            key: (
                half.key.0.relocate(relocation),
                half.key.1.relocate(relocation),
                half.key.2.relocate(relocation),
            ),
            row: half.row.map(|row| row + asyncs),
            ..half
        }));
    }

    /// Joins the halves: an end belongs to the latest open begin of its track or id.
    pub(super) fn join(self, trace: &mut Trace) {
        let slices = &mut trace.slices;
        join(self.slices, &mut trace.diagnostics, |slice: SliceId, duration| {
            slices.duration[slice.index()] = duration;
        });
        let asyncs = &mut trace.asyncs;
        join(self.asyncs, &mut trace.diagnostics, |row: usize, duration| asyncs.duration[row] = duration);
    }
}

fn join<K: std::hash::Hash + Eq, R>(
    mut halves: Vec<Half<K, R>>,
    diagnostics: &mut eaves_model::Diagnostics,
    mut set: impl FnMut(R, Ns),
) {
    // Stable: events of one time keep the order of the file.
    halves.sort_by_key(|half| half.time);
    let mut open: HashMap<K, Vec<(R, Ns, u64)>> = HashMap::new();
    for half in halves {
        let stack = open.entry(half.key).or_default();
        match half.row {
            Some(row) => stack.push((row, half.time, half.offset)),
            None => match stack.pop() {
                Some((row, start, _)) => set(row, half.time - start),
                None => diagnostics.note(WarningKind::UnmatchedEnd, Some(half.offset)),
            },
        }
    }
    for (_, _, offset) in open.into_values().flatten() {
        diagnostics.note(WarningKind::UnmatchedBegin, Some(offset));
    }
}
