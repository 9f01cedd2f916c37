//! Gaps between activities, and who they waited for.

use eaves_model::{Interval, Ns};

use crate::describe::Description;

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
    /// Number of its stream.
    pub(super) stream: u32,
}

/// Calls `visit` with every gap between activities that are sorted by start.
///
/// A gap lies between the latest end so far and the next start, so it is time in which really nothing ran. What
/// starts next decides its cause. If several activities start together, the one launched first does: if it was
/// waiting when the gap began, then the host had not left the device without work.
pub(super) fn visit_gaps<'a>(
    activities: impl Iterator<Item = &'a Activity>,
    kernel_wait: Ns,
    mut visit: impl FnMut(Interval, Cause),
) {
    let mut activities = activities.peekable();
    let mut reached: Option<Ns> = None;
    while let Some(&Activity { interval, mut launch, .. }) = activities.next() {
        let mut end = interval.end;
        while let Some(other) = activities.next_if(|other| other.interval.start == interval.start) {
            end = end.max(other.interval.end);
            launch = launch.into_iter().chain(other.launch).min();
        }
        if let Some(reached) = reached.filter(|&reached| reached < interval.start) {
            let gap = Interval::new(reached, interval.start);
            visit(gap, Cause::of(gap, launch, kernel_wait));
        }
        reached = reached.max(Some(end));
    }
}

/// Idle time by cause, between the first start and the last end of some activities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Split {
    /// From the first start to the last end.
    pub(super) span: Ns,
    times: [Ns; 3],
    gaps: [u64; 3],
}

impl Split {
    /// The idle time of activities that are sorted by start.
    pub(super) fn of<'a>(activities: impl Iterator<Item = &'a Activity> + Clone, kernel_wait: Ns) -> Self {
        let mut split = Self::default();
        let first = activities.clone().next().map(|activity| activity.interval.start);
        let last = activities.clone().map(|activity| activity.interval.end).max();
        split.span = first.zip(last).map_or(Ns::ZERO, |(first, last)| last - first);
        visit_gaps(activities, kernel_wait, |gap, cause| {
            split.times[cause as usize] += gap.length();
            split.gaps[cause as usize] += 1;
        });
        split
    }

    /// Idle time with a cause.
    pub(super) fn time(&self, cause: Cause) -> Ns {
        self.times[cause as usize]
    }

    /// All idle time.
    pub(super) fn idle(&self) -> Ns {
        self.times.into_iter().sum()
    }

    /// Number of gaps with a cause.
    pub(super) fn gaps(&self, cause: Cause) -> u64 {
        self.gaps[cause as usize]
    }

    /// Number of gaps.
    pub(super) fn all_gaps(&self) -> u64 {
        self.gaps.into_iter().sum()
    }
}

/// The lengths of the gaps between activities that are sorted by start, described by cause.
pub(super) fn describe<'a>(
    activities: impl Iterator<Item = &'a Activity>,
    kernel_wait: Ns,
) -> [Option<Description>; 3] {
    let mut lengths: [Vec<i64>; 3] = Default::default();
    visit_gaps(activities, kernel_wait, |gap, cause| lengths[cause as usize].push(gap.length().0));
    lengths.map(|mut lengths| Description::of(&mut lengths))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn activity(start: i64, end: i64, launch: Option<i64>) -> Activity {
        Activity { interval: Interval::new(Ns(start), Ns(end)), launch: launch.map(Ns), stream: 0 }
    }

    fn gaps(activities: &[Activity]) -> Vec<(i64, i64, &'static str)> {
        let mut gaps = Vec::new();
        visit_gaps(activities.iter(), Ns(10), |gap, cause| gaps.push((gap.start.0, gap.end.0, cause.id())));
        gaps
    }

    #[test]
    fn the_launch_and_the_length_tell_the_cause() {
        let late = activity(30, 40, Some(21));
        let in_time = activity(30, 40, Some(20));
        let soon = activity(29, 40, Some(20));
        let unlinked = activity(29, 40, None);
        let cause = |next| gaps(&[activity(0, 20, None), next])[0].2;
        assert_eq!(cause(late), "host_wait");
        // A gap of 10 is not below 10.
        assert_eq!(cause(in_time), "other");
        assert_eq!(cause(soon), "kernel_wait");
        assert_eq!(cause(unlinked), "other");
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
        assert_eq!(gaps(&activities), [(55, 58, "kernel_wait")]);
    }

    #[test]
    fn of_several_that_start_together_the_one_launched_first_decides() {
        let before = activity(0, 20, None);
        let (late, early, unlinked) =
            (activity(25, 30, Some(22)), activity(25, 26, Some(5)), activity(25, 25, None));
        assert_eq!(gaps(&[before, late, early, unlinked]), [(20, 25, "kernel_wait")]);
        assert_eq!(gaps(&[before, unlinked, late]), [(20, 25, "host_wait")]);
        assert_eq!(gaps(&[before, unlinked, unlinked]), [(20, 25, "other")]);
    }

    #[test]
    fn an_activity_of_no_length_ends_a_gap_and_begins_another() {
        let activities = [activity(0, 20, None), activity(25, 25, Some(22)), activity(28, 30, Some(24))];
        assert_eq!(gaps(&activities), [(20, 25, "host_wait"), (25, 28, "kernel_wait")]);
    }

    #[test]
    fn nothing_has_no_idle_time() {
        assert_eq!(Split::of([].iter(), Ns(10)), Split::default());
    }

    proptest! {
        /// Twin: one flag a nanosecond; each idle nanosecond asks the next that starts.
        #[test]
        fn agrees_with_one_flag_per_nanosecond(
            mut activities in prop::collection::vec((0i64..150, 0i64..20, prop::option::of(0i64..150)), 0..25)
        ) {
            activities.sort_unstable();
            let list: Vec<Activity> = activities
                .iter()
                .map(|&(start, length, launch)| activity(start, start + length, launch))
                .collect();
            let split = Split::of(list.iter(), Ns(10));
            let last = activities.iter().map(|a| a.0 + a.1).max().unwrap_or(0);
            let first = activities.iter().map(|a| a.0).min().unwrap_or(0);
            prop_assert_eq!(split.span.0, last - first);
            let runs = |t: i64| activities.iter().any(|a| a.0 <= t && t < a.0 + a.1);
            let mut expected = [0i64; 3];
            for t in (first..last).filter(|&t| !runs(t)) {
                // The gap around the instant: back to the latest end, forward to the next start.
                let begin = activities.iter().map(|a| a.0 + a.1).filter(|&end| end <= t).max().unwrap();
                let end = activities.iter().map(|a| a.0).filter(|&start| start > t).min().unwrap();
                let launches = activities.iter().filter(|a| a.0 == end).filter_map(|a| a.2);
                let cause = match launches.min() {
                    Some(launch) if launch > begin => Cause::HostWait,
                    Some(_) if end - begin < 10 => Cause::KernelWait,
                    _ => Cause::Other,
                };
                expected[cause as usize] += 1;
            }
            prop_assert_eq!(split.times.map(|time| time.0), expected);
            prop_assert_eq!(split.all_gaps() == 0, split.idle() == Ns::ZERO);
        }
    }
}
