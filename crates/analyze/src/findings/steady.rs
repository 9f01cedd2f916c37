//! The steady state of a rank: what it does all the time, without how it begins.
//!
//! The first steps of a recording load modules, fill caches and compile; before its first activity the GPU waits for
//! whatever sets the program up. None of that comes back, so no gain is made of it.

use eaves_model::{Interval, IntervalSet, Ns};
use serde::{Deserialize, Serialize};

use crate::section::Budget;
use crate::{KernelType, RankView, TypeTimes};

/// A first step this many times the median of those behind it warms something up.
const WARM_UP_RATIO: f64 = 1.5;
/// Steps behind the warm-up without which there is no telling what is usual.
const STEPS_BEHIND: usize = 3;
/// No more than one in this many steps warms up.
const WARM_UP_SHARE: usize = 3;

/// The steady state of a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Steady {
    /// The time of the GPU that counts; nothing without GPU activity.
    pub window: Option<Interval>,
    /// How long each combination of activity types ran in it.
    pub times: TypeTimes,
    /// The selected steps behind the warm-up.
    pub steps: u64,
    /// How long they took on the host together.
    pub step_time: Ns,
    /// The steps of the warm-up.
    pub warm_up_steps: u64,
    /// From the beginning of the recording to the first GPU activity, as far as it is outside the window.
    pub lead_in: Ns,
}

impl Steady {
    /// The steady state of a rank's selection.
    pub(crate) fn of(rank: &RankView<'_>) -> Self {
        let selected: Vec<Interval> =
            rank.steps.iter().map(|(_, window)| window).filter(|window| rank.selects(window.start)).collect();
        let is_from_the_start = rank.steps.iter().next().map(|(_, first)| first) == selected.first().copied();
        let warm_up = if is_from_the_start { warm_up_steps(&selected) } else { 0 };
        let steps = &selected[warm_up..];
        let Some(span) = rank.sets.span() else {
            return Self::on_the_host(steps, warm_up);
        };
        let window = window(rank, span, steps);
        let begin = rank.extent.map_or(span.start, |extent| extent.start);
        Self {
            window: Some(window),
            times: if window == span { rank.times } else { TypeTimes::of(&rank.sets.within(window)) },
            lead_in: (span.start.min(window.start) - begin).max(Ns::ZERO),
            ..Self::on_the_host(steps, warm_up)
        }
    }

    fn on_the_host(steps: &[Interval], warm_up: usize) -> Self {
        Self {
            steps: steps.len() as u64,
            step_time: steps.iter().map(|step| step.length()).sum(),
            warm_up_steps: warm_up as u64,
            ..Self::default()
        }
    }

    /// The length of the window.
    pub fn time(&self) -> Ns {
        self.window.map_or(Ns::ZERO, Interval::length)
    }

    /// The time of which findings tell shares: that of the GPU, else of the steps, else of the recording.
    pub(crate) fn whole(&self, extent: Option<Interval>) -> Ns {
        match (self.window, self.steps) {
            (Some(window), _) => window.length(),
            (None, 1..) => self.step_time,
            (None, 0) => extent.map_or(Ns::ZERO, Interval::length),
        }
    }

    /// True if what begins at an instant counts. On the host alone everything does.
    pub(crate) fn has(&self, time: Ns) -> bool {
        self.window.is_none_or(|window| window.start <= time && time < window.end)
    }

    /// In which nothing ran.
    pub fn idle(&self) -> Ns {
        self.time() - self.times.busy()
    }

    /// What findings of a kind can gain together: no more than there is of it, and no more than the steps take.
    pub(crate) fn budget(&self, budget: Budget, extent: Ns) -> Ns {
        let whole = match (self.window, self.steps) {
            // A host that runs ahead takes less for its steps than the GPU.
            (Some(window), 1..) => self.step_time.max(window.length()),
            (None, 1..) => self.step_time,
            (Some(window), 0) => window.length(),
            (None, 0) => extent,
        };
        if self.window.is_none() {
            return whole;
        }
        let compute = self.times.total(KernelType::Compute);
        let time = match budget {
            Budget::Idle => self.idle(),
            Budget::ExposedCommunication => self.times.exposed_communication(),
            Budget::ExposedMemory => self.times.exposed_memory(),
            Budget::Compute => compute,
            Budget::NotComputing => self.time() - compute,
            Budget::Everything => whole,
        };
        time.min(whole)
    }
}

/// How many of the first steps warm something up: the first, and those behind it that take so much longer than the rest.
fn warm_up_steps(steps: &[Interval]) -> usize {
    let most = (steps.len() / WARM_UP_SHARE).min(steps.len().saturating_sub(STEPS_BEHIND));
    // The first step finds the GPU with nothing to do, as no other does.
    let is_warm_up = |index: usize| {
        if index == 0 {
            return true;
        }
        let median = median(steps[index + 1..].iter().map(|step| step.length()).collect());
        steps[index].length().as_f64() >= WARM_UP_RATIO * median.as_f64()
    };
    (0..most).take_while(|&index| is_warm_up(index)).count()
}

/// The lower median.
fn median(mut times: Vec<Ns>) -> Ns {
    let Some(middle) = times.len().checked_sub(1).map(|last| last / 2) else { return Ns::ZERO };
    *times.select_nth_unstable(middle).1
}

/// From the first of the steps to the last, as the GPU runs behind the host; without steps all of the span.
fn window(rank: &RankView<'_>, span: Interval, steps: &[Interval]) -> Interval {
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return span };
    let busy = rank.sets.busy();
    // What the next step launches comes after the end of the last one, so up to there the GPU had nothing to do. But a
    // profiler may lose its last records: what is longer than all gaps before it is not believed.
    let gaps = busy.gaps(span);
    let longest_gap = gaps.as_slice().iter().map(|gap| gap.length()).max().unwrap_or(Ns::ZERO);
    let is_cut = rank.options.selection.time.is_some();
    let latest = if is_cut { span.end } else { span.end + longest_gap };
    let end = done(rank, last.end).clamp(span.start, span.end).max(last.end).min(latest);
    let start = match earlier_activity(rank, span) {
        // The GPU had work before these steps, so it is known from when on it waited.
        Some(before) => first.start.max(before).min(span.start),
        // Up to there it works on what the step before has launched.
        None if span.start < first.start => done(rank, first.start - Ns(1)).max(first.start).min(end),
        None if span.start == first.start => first.start,
        // What the other steps wait at their beginning is usual; what the first one waits beyond that is not.
        None => {
            let lead_in = span.start - first.start;
            let others = steps[1..].iter().map(|step| {
                let beginning = Interval::new(step.start, (step.start + lead_in).min(step.end));
                beginning.length() - covered(&busy, beginning)
            });
            span.start - median(others.collect()).min(lead_in)
        }
    };
    Interval::new(start.min(end), end)
}

/// The end of the last recorded activity before the selected ones, which may be of another step.
fn earlier_activity(rank: &RankView<'_>, span: Interval) -> Option<Ns> {
    if rank.options.selection.keeps_all_activities() {
        return None;
    }
    let (trace, slices) = (rank.trace, &rank.trace.slices);
    let intervals = trace.gpu_activities().map(|row| slices.interval(trace.gpu.slice[row.index()].index()));
    intervals.filter(|activity| activity.start < span.start).map(|activity| activity.end).max()
}

/// When the GPU was done with what was launched up to an instant; an activity without a launch counts by its start. A host
/// that runs ahead launches steps long before they run.
fn done(rank: &RankView<'_>, time: Ns) -> Ns {
    let launched = |index: usize| {
        let launch = rank.links().launch(rank.gpu.row[index]);
        launch.map_or(rank.gpu.interval[index].start, |slice| rank.trace.slices.interval(slice.index()).start)
    };
    let before = (0..rank.gpu.len()).filter(|&index| launched(index) <= time);
    before.map(|index| rank.gpu.interval[index].end).max().unwrap_or(time)
}

/// How much of a window a set covers; looks only at the intervals inside.
pub(crate) fn covered(set: &IntervalSet, window: Interval) -> Ns {
    let intervals = set.as_slice();
    let first = intervals.partition_point(|interval| interval.end <= window.start);
    intervals[first..]
        .iter()
        .take_while(|interval| interval.start < window.end)
        .filter_map(|interval| interval.clip(window))
        .map(Interval::length)
        .sum()
}

#[cfg(test)]
mod tests {
    use eaves_model::SliceKind::Kernel;

    use super::*;
    use crate::test_trace::TestTrace;
    use crate::{Options, Selection};

    fn steady(test: &TestTrace) -> Steady {
        Steady::of(&RankView::new(&test.trace, &Options::default()))
    }

    /// Steps one after the other; in each the GPU is idle at the start and busy from then on.
    fn steps(lengths: &[(i64, i64)]) -> TestTrace {
        let mut test = TestTrace::default();
        let mut start = 1000;
        for (number, &(length, idle)) in lengths.iter().enumerate() {
            test.step(number as u64, start, start + length);
            test.gpu(Kernel, "gemm", start + idle, start + length);
            start += length;
        }
        test
    }

    #[test]
    fn without_steps_it_is_the_span() {
        let mut test = TestTrace::default();
        test.host(Kernel, "set-up", 0, 500).gpu(Kernel, "a", 700, 800).gpu(Kernel, "b", 900, 1000);
        let found = steady(&test);
        assert_eq!(found.window, Some(Interval::new(Ns(700), Ns(1000))));
        assert_eq!((found.lead_in, found.idle()), (Ns(700), Ns(100)));
        assert_eq!(found.budget(Budget::NotComputing, Ns::ZERO), Ns(100));
    }

    #[test]
    fn first_steps_that_are_long_are_apart() {
        let found = steady(&steps(&[(500, 100), (300, 10), (100, 10), (100, 10), (100, 10), (100, 10)]));
        assert_eq!((found.warm_up_steps, found.steps, found.step_time), (2, 4, Ns(400)));
        assert_eq!(found.window, Some(Interval::new(Ns(1800), Ns(2200))));
        assert_eq!(found.idle(), Ns(40));
        // Three steps are too few to tell which of them is usual.
        assert_eq!(steady(&steps(&[(500, 0), (100, 0), (100, 0)])).warm_up_steps, 0);
    }

    #[test]
    fn of_the_lead_in_counts_what_the_other_steps_have_too() {
        // Half of the first step, of the others a tenth.
        let found = steady(&steps(&[(100, 50), (100, 10), (100, 10)]));
        assert_eq!(found.window, Some(Interval::new(Ns(1040), Ns(1300))));
        assert_eq!((found.idle(), found.lead_in), (Ns(30), Ns(40)));
        // One step says nothing of others.
        assert_eq!(steady(&steps(&[(100, 50)])).idle(), Ns::ZERO);
    }

    #[test]
    fn a_selected_step_waits_from_the_end_of_the_work_before_it() {
        let test = steps(&[(100, 50), (100, 10), (100, 20)]);
        let options = Options::default().with_selection(Selection::default().with_steps(2..=2));
        let found = Steady::of(&RankView::new(&test.trace, &options));
        assert_eq!(found.window, Some(Interval::new(Ns(1200), Ns(1300))));
        assert_eq!(found.idle(), Ns(20));
    }

    #[test]
    fn what_runs_behind_the_last_step_counts_as_long_as_it_goes_on() {
        let mut test = steps(&[(100, 10), (100, 10)]);
        test.gpu(Kernel, "late", 1200, 1230).gpu(Kernel, "evaluation", 1300, 1400);
        assert_eq!(steady(&test).window, Some(Interval::new(Ns(1000), Ns(1230))));
    }
}
