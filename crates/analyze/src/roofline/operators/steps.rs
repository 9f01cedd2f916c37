//! Steps of inference servers, whose annotations say how long the sequences are.

use eaves_model::{Interval, SliceId, SliceKind, StringId, Trace};
use eaves_roofline::ops::Step;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Annotations that describe a step, in time order.
pub(super) struct Steps {
    steps: Vec<(Interval, StringId)>,
}

/// Steps follow each other; that several began before a call and are still open is rare.
const OPEN_AT_ONCE: usize = 8;

impl Steps {
    pub(super) fn of(trace: &Trace) -> Self {
        let mut known: HashMap<StringId, bool, FixedState> = HashMap::default();
        let mut steps = Vec::new();
        for (row, &kind) in trace.slices.kind.iter().enumerate() {
            if kind != SliceKind::Annotation {
                continue;
            }
            let name = trace.slices.name[row];
            let is_step =
                *known.entry(name).or_insert_with(|| Step::parse(trace.strings.get(name)).is_some());
            if is_step {
                steps.push((trace.slices.interval(row), name));
            }
        }
        steps.sort_unstable();
        Self { steps }
    }

    /// The annotation of the innermost step around a call, on whatever thread.
    pub(super) fn around(&self, trace: &Trace, slice: SliceId) -> Option<StringId> {
        let call = trace.slices.interval(slice.index());
        let begun = self.steps.partition_point(|(step, _)| step.start <= call.start);
        let open = self.steps[..begun].iter().rev().take(OPEN_AT_ONCE);
        open.filter(|(step, _)| call.end <= step.end).map(|&(_, name)| name).next()
    }
}
