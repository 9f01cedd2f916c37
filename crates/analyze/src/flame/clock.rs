//! Host time as far as it is selected.

use eaves_model::{Interval, Ns};

use crate::RankView;

/// A clock that stands still outside of what is selected, so that the length of any span is what is selected of it.
#[derive(Debug)]
pub(super) struct Clock {
    zero: Ns,
    /// The selected spans with the selected time before each; nothing if everything is selected.
    selected: Option<Vec<(Interval, Ns)>>,
}

impl Clock {
    pub(super) fn new(rank: &RankView<'_>) -> Self {
        let zero = rank.zero();
        let selection = &rank.options.selection;
        if selection.keeps_all_activities() {
            return Self { zero, selected: None };
        }
        // Between two neighboring edges of steps and of the window all instants are alike.
        let mut edges: Vec<Ns> = Vec::new();
        if selection.steps.is_some() {
            edges.extend(rank.steps.iter().flat_map(|(_, step)| [step.start, step.end]));
        }
        edges.extend(selection.window(rank.extent).iter().flat_map(|window| [window.start, window.end]));
        edges.sort_unstable();
        edges.dedup();
        let mut before = Ns::ZERO;
        let mut selected = Vec::new();
        for pair in edges.windows(2).filter(|pair| rank.selects(pair[0])) {
            let span = Interval::new(pair[0], pair[1]);
            selected.push((span, before));
            before += span.length();
        }
        Self { zero, selected: Some(selected) }
    }

    /// The selected time before an instant.
    #[inline]
    pub(super) fn at(&self, time: Ns) -> Ns {
        let Some(selected) = &self.selected else { return time - self.zero };
        let begun = selected.partition_point(|(span, _)| span.start <= time);
        match begun.checked_sub(1).and_then(|last| selected.get(last)) {
            Some((span, before)) => *before + (time.min(span.end) - span.start),
            None => Ns::ZERO,
        }
    }

    /// True if an instant is selected.
    pub(super) fn selects(&self, time: Ns) -> bool {
        let Some(selected) = &self.selected else { return true };
        let begun = selected.partition_point(|(span, _)| span.start <= time);
        begun.checked_sub(1).and_then(|last| selected.get(last)).is_some_and(|(span, _)| time < span.end)
    }
}
