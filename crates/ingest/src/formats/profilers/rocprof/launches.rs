//! Which call started which kernel or copy, where the JSON draws it as an arrow or does not say.
//!
//! rocprof draws an arrow from the middle of the call to the beginning of the kernel, in microseconds; one that would go
//! back in time it begins at the kernel, and then the call is not told. What is left is paired in order, if there are
//! as many calls as there are kernels of a name, or copies of a direction.

use std::collections::HashMap;

use eaves_model::{MaybeI64, SliceId, StringId, Trace};

/// A place on the drawing: process, thread, microseconds.
pub(super) type Spot = (i64, i64, i64);

/// What was drawn.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    /// The middles of calls, and their rows in [`Trace::runtime`].
    pub(super) calls: HashMap<Spot, usize>,
    /// The beginnings of activities, and their rows in [`Trace::gpu`].
    pub(super) activities: HashMap<Spot, usize>,
    /// The beginning of each arrow.
    pub(super) from: HashMap<i64, Spot>,
    /// The end of each arrow, in the order of the file.
    pub(super) to: Vec<(i64, Spot)>,
}

impl Drawing {
    /// Gives calls and activities that belong together a correlation.
    pub(super) fn link(&self, trace: &mut Trace) {
        for (id, spot) in &self.to {
            let call = self.from.get(id).and_then(|from| self.calls.get(from));
            if let (Some(&call), Some(&activity)) = (call, self.activities.get(spot)) {
                // Numbers of arrows begin at 0, which elsewhere means none.
                join(trace, call, activity, id.saturating_add(1));
            }
        }
        let taken = trace.runtime.correlation.iter().filter_map(|id| id.get()).max().unwrap_or(0);
        pair_in_order(trace, taken.saturating_add(1));
    }
}

fn join(trace: &mut Trace, call: usize, activity: usize, id: i64) {
    let (calls, activities) = (&mut trace.runtime.correlation, &mut trace.gpu.correlation);
    if !calls[call].is_some() && !activities[activity].is_some() {
        calls[call] = MaybeI64::new(id);
        activities[activity] = MaybeI64::new(id);
    }
}

fn pair_in_order(trace: &mut Trace, first_free: i64) {
    let row_of: HashMap<SliceId, usize> =
        trace.runtime_arguments.slice.iter().enumerate().map(|(row, &slice)| (slice, row)).collect();
    // What a call starts: the kernel it names, or a copy in the words of its direction.
    let mut calls: HashMap<StringId, Vec<usize>> = HashMap::new();
    for call in (0..trace.runtime.len()).filter(|&call| !trace.runtime.correlation[call].is_some()) {
        let Some(&row) = row_of.get(&trace.runtime.slice[call]) else { continue };
        let (kernel, kind) = (trace.runtime_arguments.kernel[row], trace.runtime_arguments.kind[row]);
        if let Some(started) = kernel.some().or(kind.some()) {
            calls.entry(started).or_default().push(call);
        }
    }
    let mut activities: HashMap<StringId, Vec<usize>> = HashMap::new();
    for row in (0..trace.gpu.len()).filter(|&row| !trace.gpu.correlation[row].is_some()) {
        activities.entry(trace.slices.name[trace.gpu.slice[row].index()]).or_default().push(row);
    }
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (name, mut rows) in activities {
        let Some(mut calls) = calls.remove(&name).filter(|calls| calls.len() == rows.len()) else { continue };
        rows.sort_by_key(|&row| trace.slices.start[trace.gpu.slice[row].index()]);
        calls.sort_by_key(|&call| trace.slices.start[trace.runtime.slice[call].index()]);
        pairs.extend(calls.into_iter().zip(rows));
    }
    pairs.sort_unstable();
    for (id, (call, activity)) in (first_free..).zip(pairs) {
        join(trace, call, activity, id);
    }
}
