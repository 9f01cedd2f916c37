//! Marks that a program set: beginnings and ends become slices.

use std::collections::BTreeMap;

use eaves_model::{Ident, Ns, Slice, SliceKind, StringId, Trace, WarningKind};

/// A beginning or an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) is_start: bool,
    pub(super) name: StringId,
    pub(super) time: Ns,
    pub(super) offset: u64,
}

/// Turns marks into slices of one track. An end belongs to the last beginning of its name that has none.
pub(super) fn add_slices(marks: &[Mark], trace: &mut Trace) {
    if marks.is_empty() {
        return;
    }
    let (process, thread) = (trace.strings.intern("annotations"), trace.strings.intern("annotations"));
    let track = trace.tracks.get_or_add(Ident::text(process), Ident::text(thread));
    let category = trace.strings.intern("annotation");
    let mut open: BTreeMap<StringId, Vec<Mark>> = BTreeMap::new();
    let mut add = |start: Mark, duration: Ns| {
        trace.slices.push(Slice {
            start: start.time,
            duration,
            name: start.name,
            category,
            track,
            kind: SliceKind::Annotation,
            position: i64::try_from(start.offset).unwrap_or(i64::MAX),
        });
    };
    for mark in marks {
        if mark.is_start {
            open.entry(mark.name).or_default().push(*mark);
            continue;
        }
        match open.get_mut(&mark.name).and_then(Vec::pop) {
            Some(start) => add(start, mark.time - start.time),
            None => trace.diagnostics.note(WarningKind::UnmatchedEnd, Some(mark.offset)),
        }
    }
    for start in open.into_values().flatten() {
        trace.diagnostics.note(WarningKind::UnmatchedBegin, Some(start.offset));
        add(start, Ns::ZERO);
    }
}
