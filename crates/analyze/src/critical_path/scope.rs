//! Which part of a recording the critical path goes through.

use eaves_model::{Interval, Ns};

use crate::RankView;

/// The window on the host, if it is not everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scope {
    pub(super) span: Option<Interval>,
    /// True if the window cuts what runs over its end. Otherwise work that was launched inside is followed to its end.
    cut: bool,
}

impl Scope {
    /// The selected time, or else the selected steps from the first to the last, or else everything. Nothing if the
    /// selected steps are not in the recording.
    pub(super) fn of(rank: &RankView<'_>) -> Option<Self> {
        let selection = &rank.options.selection;
        let mut steps: Option<Interval> = None;
        let selected = |number: u64| selection.steps.as_ref().is_none_or(|steps| steps.contains(&number));
        for (_, step) in rank.steps.iter().filter(|&(number, _)| selected(number)) {
            let hull = steps.get_or_insert(step);
            *hull = Interval::new(hull.start.min(step.start), hull.end.max(step.end));
        }
        let time = match selection.time {
            Some(_) => selection.window(rank.extent),
            None => None,
        };
        match (time, steps) {
            (Some(time), Some(steps)) if selection.steps.is_some() => {
                Some(Self { span: Some(steps.clip(time)?), cut: true })
            }
            (_, None) if selection.steps.is_some() => None,
            (Some(time), _) => Some(Self { span: Some(time.clip(rank.extent?)?), cut: true }),
            (None, span) => Some(Self { span, cut: false }),
        }
    }

    /// True if what begins on the host at an instant belongs to the path's window.
    #[inline]
    pub(super) fn holds(&self, time: Ns) -> bool {
        self.span.is_none_or(|span| span.start <= time && time < span.end)
    }

    /// The part of something that began on the host inside the window.
    #[inline]
    pub(super) fn part_of_own(&self, whole: Interval) -> Interval {
        let Some(span) = self.span else { return whole };
        let end = if self.cut { whole.end.min(span.end) } else { whole.end };
        Interval::new(whole.start.max(span.start), end)
    }

    /// The part inside the window of something that began on the host before it.
    #[inline]
    pub(super) fn part_of_other(&self, whole: Interval) -> Option<Interval> {
        whole.clip(self.span.unwrap_or(whole))
    }
}
