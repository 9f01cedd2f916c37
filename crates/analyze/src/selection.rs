//! What part of the recordings to analyze. By default all of it.

use std::fmt;
use std::ops::RangeInclusive;

use eaves_model::{GpuId, Interval, LaunchLinks, Ns, Recording, Trace};

use crate::StepIndex;

/// A part of a run. The default is the whole run; parts given together narrow each other down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// Numbers of profiler steps. Keeps the activities that were launched in these steps.
    pub steps: Option<RangeInclusive<u64>>,
    /// A window of time, counted from the earliest slice of each recording. Activities are cut at its edges.
    pub time: Option<Interval>,
    /// Ranks.
    pub ranks: Option<Vec<i64>>,
}

impl Selection {
    /// Keeps these steps.
    #[must_use]
    pub fn with_steps(mut self, steps: RangeInclusive<u64>) -> Self {
        self.steps = Some(steps);
        self
    }

    /// Keeps this window of time.
    #[must_use]
    pub fn with_time(mut self, window: Interval) -> Self {
        self.time = Some(window);
        self
    }

    /// Keeps these ranks.
    #[must_use]
    pub fn with_ranks(mut self, ranks: Vec<i64>) -> Self {
        self.ranks = Some(ranks);
        self
    }

    /// True if a recording of this rank is looked at.
    pub fn has_rank(&self, rank: i64) -> bool {
        self.ranks.as_ref().is_none_or(|ranks| ranks.contains(&rank))
    }

    /// True if every activity of a recording is kept whole.
    pub fn keeps_all_activities(&self) -> bool {
        self.steps.is_none() && self.time.is_none()
    }

    /// The window of time in the time of a recording of some extent.
    pub fn window(&self, extent: Option<Interval>) -> Option<Interval> {
        let zero = extent.map_or(Ns::ZERO, |extent| extent.start);
        self.time.map(|time| Interval::new(zero + time.start, zero + time.end))
    }

    /// Checks that the ranks asked for exist.
    pub(crate) fn check_ranks(&self, recordings: &[Recording]) -> Result<(), SelectionError> {
        let mut known: Vec<i64> = recordings.iter().map(|recording| recording.rank).collect();
        known.sort_unstable();
        known.dedup();
        let is_known = |rank: &&i64| known.binary_search(rank).is_ok();
        match self.ranks.iter().flatten().find(|rank| !is_known(rank)) {
            Some(&rank) => Err(SelectionError::NoSuchRank { rank, known }),
            None => Ok(()),
        }
    }

    /// Checks that some of the steps asked for exist.
    pub(crate) fn check_steps(&self, known: impl Iterator<Item = u64>) -> Result<(), SelectionError> {
        let Some(steps) = &self.steps else { return Ok(()) };
        let mut known: Vec<u64> = known.collect();
        if known.iter().any(|number| steps.contains(number)) {
            return Ok(());
        }
        known.sort_unstable();
        known.dedup();
        Err(SelectionError::NoSuchStep { steps: steps.clone(), known })
    }

    /// Checks that some of the time asked for exists.
    pub(crate) fn check_time(&self, extents: impl Iterator<Item = Interval>) -> Result<(), SelectionError> {
        let Some(time) = self.time else { return Ok(()) };
        let longest = extents.map(Interval::length).max().unwrap_or(Ns::ZERO);
        if time.start >= time.end || time.start > longest || time.end < Ns::ZERO {
            return Err(SelectionError::NoSuchTime { time, longest });
        }
        Ok(())
    }
}

/// The user asked for something that is not in the run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SelectionError {
    /// No recording has this rank.
    NoSuchRank {
        /// The rank asked for.
        rank: i64,
        /// The ranks there are.
        known: Vec<i64>,
    },
    /// No recording has any of these steps.
    NoSuchStep {
        /// The steps asked for.
        steps: RangeInclusive<u64>,
        /// The steps there are.
        known: Vec<u64>,
    },
    /// The window is empty or outside every recording.
    NoSuchTime {
        /// The window asked for.
        time: Interval,
        /// The length of the longest recording.
        longest: Ns,
    },
}

impl fmt::Display for SelectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchRank { rank, known } => {
                write!(f, "no recording of rank {rank}; ranks are {}", list(known))
            }
            Self::NoSuchStep { steps, known } if known.is_empty() => {
                write!(f, "no steps {} to {}: the recording has no steps", steps.start(), steps.end())
            }
            Self::NoSuchStep { steps, known } => {
                write!(f, "no steps {} to {}; steps are {}", steps.start(), steps.end(), list(known))
            }
            Self::NoSuchTime { time, longest } => {
                write!(f, "nothing between {} and {}; the recording is {longest} long", time.start, time.end)
            }
        }
    }
}

impl std::error::Error for SelectionError {}

fn list<T: fmt::Display>(values: &[T]) -> String {
    const SHOWN: usize = 16;
    let mut text = values.iter().take(SHOWN).map(T::to_string).collect::<Vec<_>>().join(", ");
    if values.len() > SHOWN {
        text.push_str(&format!(" and {} more", values.len() - SHOWN));
    }
    if text.is_empty() { "none".to_owned() } else { text }
}

/// A selection worked out for one trace.
pub(crate) struct Filter<'a> {
    trace: &'a Trace,
    steps: Option<(StepIndex, LaunchLinks, RangeInclusive<u64>)>,
    window: Option<Interval>,
}

impl<'a> Filter<'a> {
    /// Links are built only if steps are selected.
    pub(crate) fn new(trace: &'a Trace, selection: &Selection) -> Self {
        let steps =
            selection.steps.clone().map(|steps| (StepIndex::build(trace), LaunchLinks::build(trace), steps));
        let window = selection.time.and_then(|_| selection.window(trace.extent()));
        Self { trace, steps, window }
    }

    /// The part of an activity that is selected, if any.
    #[inline]
    pub(crate) fn keep(&self, activity: GpuId) -> Option<Interval> {
        let slice = self.trace.gpu.slice[activity.index()].index();
        let whole = self.trace.slices.interval(slice);
        if let Some((index, links, steps)) = &self.steps {
            let step = index.of_activity(self.trace, links, activity)?;
            if !steps.contains(&index.number(step)) {
                return None;
            }
        }
        match self.window {
            None => Some(whole),
            // An activity of no length has no part to cut, but it happened.
            Some(window) if whole.start == whole.end => {
                (window.start <= whole.start && whole.start < window.end).then_some(whole)
            }
            Some(window) => whole.clip(window),
        }
    }
}

#[cfg(test)]
mod tests {
    use eaves_model::SliceKind::{Kernel, Memset};

    use super::*;
    use crate::test_trace::{TestTrace, run_of};
    use crate::{GpuView, Options, report};

    /// Step 3 is 1000..2000, step 4 is 2000..3000 in the trace's time; the trace begins at 1000.
    fn trace() -> TestTrace {
        let mut test = TestTrace::default();
        test.step(3, 1000, 2000)
            .step(4, 2000, 3000)
            .launch(1, 1100, 1110)
            .launch(2, 1990, 2010)
            .launch(3, 2500, 2510)
            .kernel("a", 1, 1200, 1400)
            .kernel("late", 2, 2300, 2400)
            .kernel("b", 3, 2600, 2800)
            .gpu(Kernel, "unlinked", 1500, 1600)
            .gpu(Memset, "Memset (Device)", 1300, 1300);
        test
    }

    fn names(selection: &Selection) -> Vec<(String, i64, i64)> {
        let test = trace();
        let view = GpuView::new(&test.trace, selection);
        (0..view.len())
            .map(|index| {
                let interval = view.interval[index];
                (test.trace.strings.get(view.name[index]).to_owned(), interval.start.0, interval.end.0)
            })
            .collect()
    }

    fn named(expected: &[(&str, i64, i64)]) -> Vec<(String, i64, i64)> {
        expected.iter().map(|&(name, start, end)| (name.to_owned(), start, end)).collect()
    }

    #[test]
    fn nothing_is_trimmed_by_default() {
        assert_eq!(names(&Selection::default()).len(), 5);
        assert!(Selection::default().keeps_all_activities());
    }

    #[test]
    fn a_step_keeps_what_was_launched_in_it_wherever_it_ran() {
        let kept = names(&Selection::default().with_steps(3..=3));
        // Nobody knows when the others were launched.
        assert_eq!(kept, named(&[("a", 1200, 1400), ("late", 2300, 2400)]));
        assert_eq!(names(&Selection::default().with_steps(4..=9)), named(&[("b", 2600, 2800)]));
    }

    #[test]
    fn a_window_of_time_cuts_activities_and_counts_from_the_first_slice() {
        let window = Interval::new(Ns(300), Ns(550));
        let kept = names(&Selection::default().with_time(window));
        assert_eq!(
            kept,
            named(&[("a", 1300, 1400), ("unlinked", 1500, 1550), ("Memset (Device)", 1300, 1300)])
        );
        let both = Selection::default().with_time(window).with_steps(4..=4);
        assert_eq!(names(&both), named(&[]));
    }

    #[test]
    fn asking_for_what_is_not_there_is_an_error_that_says_what_is() {
        let run = run_of(vec![trace(), trace()]);
        let message = |selection: Selection| {
            let options = Options::default().with_selection(selection);
            report(&run, &options).map(drop).map_err(|error| error.to_string())
        };
        assert_eq!(message(Selection::default().with_ranks(vec![1])), Ok(()));
        assert_eq!(
            message(Selection::default().with_ranks(vec![0, 7])),
            Err("no recording of rank 7; ranks are 0, 1".to_owned())
        );
        assert_eq!(
            message(Selection::default().with_steps(5..=6)),
            Err("no steps 5 to 6; steps are 3, 4".to_owned())
        );
        assert_eq!(
            message(Selection::default().with_time(Interval::new(Ns(5000), Ns(6000)))),
            Err("nothing between 5000 ns and 6000 ns; the recording is 2000 ns long".to_owned())
        );
    }
}
