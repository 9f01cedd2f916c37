//! Gaps between activities, and who they waited for.

use eaves_model::{Interval, Ns};
use serde::{Deserialize, Serialize};

use crate::section::Description;

/// Why nothing ran for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Cause {
    /// What came next was launched only after the gap had begun: the host was late.
    HostWait,
    /// It had been launched, and the gap is short: the device takes this long from one activity to the next.
    KernelWait,
    /// Neither: it waited for something else, such as an event, or its launch was not recorded.
    Other,
}

impl Cause {
    /// Every cause, in the order of its number.
    pub(super) const ALL: [Self; 3] = [Self::HostWait, Self::KernelWait, Self::Other];

    /// A stable lower-case name.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::HostWait => "host_wait",
            Self::KernelWait => "kernel_wait",
            Self::Other => "other",
        }
    }

    /// HTA's rule (`get_idle_time_breakdown`), but that an activity without a recorded launch is [`Self::Other`]
    /// however short the gap: nothing says that it had been launched.
    fn of(gap: Interval, launch: Option<Ns>, kernel_wait: Ns) -> Self {
        match launch {
            Some(launch) if launch > gap.start => Self::HostWait,
            Some(_) if gap.length() < kernel_wait => Self::KernelWait,
            _ => Self::Other,
        }
    }
}

/// An activity, and when it was launched if that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Activity {
    pub(super) interval: Interval,
    pub(super) launch: Option<Ns>,
}

/// Idle time by cause, between the first start and the last end of some activities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Split {
    /// From the first start to the last end.
    pub(super) span: Ns,
    times: [Ns; 3],
    gaps: [u64; 3],
}

impl Split {
    /// Idle time with a cause.
    pub(super) fn time(&self, cause: Cause) -> Ns {
        self.times[cause as usize]
    }

    /// All idle time.
    pub(super) fn idle(&self) -> Ns {
        self.times.into_iter().sum()
    }

    /// Number of gaps.
    pub(super) fn all_gaps(&self) -> u64 {
        self.gaps.into_iter().sum()
    }
}

/// Finds the gaps between activities that come in the order of their starts.
///
/// A gap lies between the latest end so far and the next start, so it is time in which really nothing ran. What
/// starts next decides its cause. If several activities start together, the one launched first does: if it was
/// waiting when the gap began, then the host had not left the device without work.
pub(super) struct GapFinder {
    kernel_wait: Ns,
    first: Option<Ns>,
    /// The latest end of everything that started before the last instant.
    reached: Option<Ns>,
    /// What starts at the last instant, as one.
    starting: Option<Activity>,
    split: Split,
    /// Lengths of the gaps by cause, if they are wanted.
    lengths: Option<[Vec<i64>; 3]>,
}

impl GapFinder {
    /// Nothing found yet.
    pub(super) fn new(kernel_wait: Ns, with_lengths: bool) -> Self {
        Self {
            kernel_wait,
            first: None,
            reached: None,
            starting: None,
            split: Split::default(),
            lengths: with_lengths.then(Default::default),
        }
    }

    /// Takes in the activity that starts next.
    #[inline]
    pub(super) fn add(&mut self, activity: Activity) {
        match &mut self.starting {
            Some(starting) if starting.interval.start == activity.interval.start => {
                starting.interval.end = starting.interval.end.max(activity.interval.end);
                starting.launch = starting.launch.into_iter().chain(activity.launch).min();
            }
            _ => {
                self.close();
                self.first.get_or_insert(activity.interval.start);
                self.starting = Some(activity);
            }
        }
    }

    /// Takes note of the gap before what starts at the last instant.
    fn close(&mut self) {
        let Some(Activity { interval, launch }) = self.starting.take() else { return };
        if let Some(reached) = self.reached.filter(|&reached| reached < interval.start) {
            let gap = Interval::new(reached, interval.start);
            let cause = Cause::of(gap, launch, self.kernel_wait) as usize;
            self.split.times[cause] += gap.length();
            self.split.gaps[cause] += 1;
            if let Some(lengths) = &mut self.lengths {
                lengths[cause].push(gap.length().0);
            }
        }
        self.reached = self.reached.max(Some(interval.end));
    }

    /// The idle time found, and the lengths of its gaps by cause if they were wanted.
    pub(super) fn finish(mut self) -> (Split, Option<[Option<Description>; 3]>) {
        self.close();
        let ends = self.first.zip(self.reached);
        self.split.span = ends.map_or(Ns::ZERO, |(first, last)| last - first);
        let describe = |lengths: [Vec<i64>; 3]| lengths.map(|mut lengths| Description::of(&mut lengths));
        (self.split, self.lengths.map(describe))
    }
}

#[cfg(test)]
pub(in crate::analyses) mod tests {
    use proptest::prelude::*;

    use super::*;

    fn activity(start: i64, end: i64, launch: Option<i64>) -> Activity {
        Activity { interval: Interval::new(Ns(start), Ns(end)), launch: launch.map(Ns) }
    }

    fn split(activities: &[Activity]) -> Split {
        let mut finder = GapFinder::new(Ns(10), false);
        activities.iter().for_each(|&activity| finder.add(activity));
        finder.finish().0
    }

    /// Idle time by cause.
    fn times(activities: &[Activity]) -> [i64; 3] {
        split(activities).times.map(|time| time.0)
    }

    #[test]
    fn the_launch_and_the_length_tell_the_cause() {
        let late = activity(30, 40, Some(21));
        let in_time = activity(30, 40, Some(20));
        let soon = activity(29, 40, Some(20));
        let unlinked = activity(29, 40, None);
        let times = |next| times(&[activity(0, 20, None), next]);
        assert_eq!(times(late), [10, 0, 0]);
        // A gap of 10 is not below 10.
        assert_eq!(times(in_time), [0, 0, 10]);
        assert_eq!(times(soon), [0, 9, 0]);
        assert_eq!(times(unlinked), [0, 0, 9]);
    }

    #[test]
    fn a_gap_begins_where_everything_has_ended() {
        let activities = [
            activity(0, 50, None),
            activity(10, 20, Some(0)),
            activity(30, 40, Some(25)),
            activity(50, 55, Some(0)),
            activity(58, 60, Some(0)),
        ];
        assert_eq!(times(&activities), [0, 3, 0]);
        assert_eq!(split(&activities).gaps, [0, 1, 0]);
    }

    #[test]
    fn of_several_that_start_together_the_one_launched_first_decides() {
        let before = activity(0, 20, None);
        let (late, early, unlinked) =
            (activity(25, 30, Some(22)), activity(25, 26, Some(5)), activity(25, 25, None));
        assert_eq!(times(&[before, late, early, unlinked]), [0, 5, 0]);
        assert_eq!(times(&[before, unlinked, late]), [5, 0, 0]);
        assert_eq!(times(&[before, unlinked, unlinked]), [0, 0, 5]);
    }

    #[test]
    fn an_activity_of_no_length_ends_a_gap_and_begins_another() {
        let activities = [activity(0, 20, None), activity(25, 25, Some(22)), activity(28, 30, Some(24))];
        assert_eq!(times(&activities), [5, 3, 0]);
    }

    #[test]
    fn nothing_has_no_idle_time() {
        assert_eq!(split(&[]), Split::default());
    }

    /// Span and idle time by cause of activities `(start, length, launch)`. Twin: one flag a nanosecond; each idle
    /// nanosecond asks the next that starts.
    pub(in crate::analyses) fn twin(
        activities: &[(i64, i64, Option<i64>)],
        kernel_wait: i64,
    ) -> (i64, [i64; 3]) {
        let last = activities.iter().map(|a| a.0 + a.1).max().unwrap_or(0);
        let first = activities.iter().map(|a| a.0).min().unwrap_or(0);
        let runs = |t: i64| activities.iter().any(|a| a.0 <= t && t < a.0 + a.1);
        let mut times = [0i64; 3];
        for t in (first..last).filter(|&t| !runs(t)) {
            // The gap around the instant: back to the latest end, forward to the next start.
            let begin = activities.iter().map(|a| a.0 + a.1).filter(|&end| end <= t).max().unwrap();
            let end = activities.iter().map(|a| a.0).filter(|&start| start > t).min().unwrap();
            let launches = activities.iter().filter(|a| a.0 == end).filter_map(|a| a.2);
            let cause = match launches.min() {
                Some(launch) if launch > begin => Cause::HostWait,
                Some(_) if end - begin < kernel_wait => Cause::KernelWait,
                _ => Cause::Other,
            };
            times[cause as usize] += 1;
        }
        (last - first, times)
    }

    proptest! {
        #[test]
        fn agrees_with_one_flag_per_nanosecond(
            mut activities in prop::collection::vec((0i64..150, 0i64..20, prop::option::of(0i64..150)), 0..25)
        ) {
            activities.sort_unstable();
            let list: Vec<Activity> = activities
                .iter()
                .map(|&(start, length, launch)| activity(start, start + length, launch))
                .collect();
            let split = split(&list);
            let (span, times) = twin(&activities, 10);
            prop_assert_eq!((split.span.0, split.times.map(|time| time.0)), (span, times));
            prop_assert_eq!(split.all_gaps() == 0, split.idle() == Ns::ZERO);
        }
    }
}
