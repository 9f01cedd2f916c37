//! What tests of several formats look at.

use eaves_model::{SliceKind, Trace};

/// Slices in order: kind, name, start and duration.
pub(crate) fn slices(trace: &Trace) -> Vec<(SliceKind, &str, i64, i64)> {
    let slices = &trace.slices;
    let row = |row: usize| {
        let name = trace.strings.get(slices.name[row]);
        (slices.kind[row], name, slices.start[row].0, slices.duration[row].0)
    };
    (0..slices.len()).map(row).collect()
}
