//! The queue of each stream: what was launched and has not started.

use eaves_model::{Interval, Ns, SliceId};

use crate::RankView;
use crate::streams::{Stream, StreamNumbers};

/// An activity in the queue, from the start of its launch to its own start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Waiting {
    /// When its call began.
    launch: Ns,
    /// The call.
    call: SliceId,
    /// When it started; never before the launch.
    start: Ns,
}

/// The queue of one stream over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Queue {
    /// The stream.
    pub(crate) stream: Stream,
    /// Sorted by launch.
    waiting: Vec<Waiting>,
}

impl Queue {
    /// Calls `visit` with the time of every change and the number of activities in the queue after it.
    pub(crate) fn visit_changes(&self, visit: impl FnMut(Ns, i64)) {
        visit_changes(&self.waiting, visit);
    }

    /// True if a call launched several activities, which is what a graph does.
    pub(super) fn has_graphs(&self) -> bool {
        self.waiting.windows(2).any(|pair| pair[0].call == pair[1].call)
    }

    /// Calls `visit` with the time of every change and the number of launches in the queue after it. A graph is one
    /// launch, which leaves the queue when its first activity starts; without graphs this is as many as activities.
    pub(super) fn visit_launches(&self, visit: impl FnMut(Ns, i64)) {
        // Sorted by start behind the call, so the first of a call is the one that starts first.
        let mut launches = self.waiting.clone();
        launches.dedup_by_key(|waiting| waiting.call);
        visit_changes(&launches, visit);
    }
}

/// The queues of the streams, sorted by stream. Activities without a recorded launch are in none.
///
/// Activities belong to the step that launched them. A window of time cuts the queue itself: what is launched before
/// the window and starts in it waits from the window's beginning.
pub(crate) fn queues(rank: &RankView<'_>) -> Vec<Queue> {
    let (trace, links, selection) = (rank.trace, rank.links(), &rank.options.selection);
    let window = selection.window(rank.extent);
    let in_steps = |time: Ns| {
        let step = || rank.steps.at(time).map(|step| rank.steps.number(step));
        selection.steps.as_ref().is_none_or(|steps| step().is_some_and(|step| steps.contains(&step)))
    };
    let mut numbers = StreamNumbers::default();
    let mut waiting: Vec<Vec<Waiting>> = Vec::new();
    for activity in trace.gpu_activities() {
        let Some(call) = links.launch(activity) else { continue };
        let row = activity.index();
        let launch = trace.slices.start[call.index()];
        let whole = Interval::new(launch, trace.slices.start[trace.gpu.slice[row].index()]);
        let Some(Interval { start: launch, end: start }) = cut(whole, window) else { continue };
        if in_steps(trace.slices.start[call.index()]) {
            let stream = numbers.of(trace.gpu.device[row], trace.gpu.stream[row]) as usize;
            if stream == waiting.len() {
                waiting.push(Vec::new());
            }
            waiting[stream].push(Waiting { launch, call, start });
        }
    }
    let queue = |(stream, mut waiting): (Stream, Vec<Waiting>)| {
        waiting.sort();
        Queue { stream, waiting }
    };
    let mut queues: Vec<Queue> = numbers.into_streams().into_iter().zip(waiting).map(queue).collect();
    queues.sort_by_key(|queue| queue.stream);
    queues
}

/// The part of a wait in a window. One of no length has no part to cut, but it happened.
fn cut(whole: Interval, window: Option<Interval>) -> Option<Interval> {
    match window {
        None => Some(whole),
        Some(window) if whole.start == whole.end => {
            (window.start <= whole.start && whole.start < window.end).then_some(whole)
        }
        Some(window) => whole.clip(window),
    }
}

/// One more at each launch, one less at each start. At one instant starts come first, so that what leaves and what
/// comes together are not counted together; but the queue is never shorter than empty.
fn visit_changes(waiting: &[Waiting], mut visit: impl FnMut(Ns, i64)) {
    let mut starts: Vec<Ns> = waiting.iter().map(|waiting| waiting.start).collect();
    // On a stream things start in the order of their launches, so this is sorted already or nearly.
    starts.sort();
    let (mut launched, mut length) = (waiting.iter().peekable(), 0i64);
    for start in starts {
        while let Some(next) =
            launched.next_if(|waiting| waiting.launch < start || (waiting.launch == start && length == 0))
        {
            length += 1;
            visit(next.launch, length);
        }
        length -= 1;
        visit(start, length);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use eaves_model::{MaybeI64, MaybeU32};
    use proptest::prelude::*;

    use super::*;

    /// A queue of activities `(launch, start, call)`.
    pub(in super::super) fn queue(activities: &[(i64, i64, u32)]) -> Queue {
        let mut waiting: Vec<Waiting> = activities
            .iter()
            .map(|&(launch, start, call)| Waiting {
                launch: Ns(launch),
                call: SliceId(call),
                start: Ns(start.max(launch)),
            })
            .collect();
        waiting.sort();
        Queue { stream: Stream { device: MaybeU32::NONE, number: MaybeI64::NONE }, waiting }
    }

    fn changes(queue: &Queue) -> Vec<(i64, i64)> {
        let mut changes = Vec::new();
        queue.visit_changes(|time, length| changes.push((time.0, length)));
        changes
    }

    #[test]
    fn starts_come_before_launches_of_the_same_instant() {
        let queue = queue(&[(0, 10, 0), (5, 20, 1), (10, 30, 2)]);
        assert_eq!(changes(&queue), [(0, 1), (5, 2), (10, 1), (10, 2), (20, 1), (30, 0)]);
    }

    #[test]
    fn what_starts_at_once_never_makes_the_queue_negative() {
        assert_eq!(changes(&queue(&[(10, 10, 0), (10, 4, 1)])), [(10, 1), (10, 0), (10, 1), (10, 0)]);
    }

    #[test]
    fn a_graph_is_many_activities_but_one_launch() {
        let queue = queue(&[(0, 10, 0), (0, 20, 0), (0, 30, 0), (5, 40, 1)]);
        assert_eq!(changes(&queue).iter().map(|change| change.1).max(), Some(4));
        let mut launches = Vec::new();
        queue.visit_launches(|time, length| launches.push((time.0, length)));
        assert_eq!(launches, [(0, 1), (5, 2), (10, 1), (40, 0)]);
    }

    proptest! {
        /// Twin: at any instant, count what was launched and has not started.
        #[test]
        fn agrees_with_counting_at_every_instant(
            activities in prop::collection::vec((0i64..40, 0i64..40, 0u32..9), 0..30)
        ) {
            let queue = queue(&activities);
            let changes = changes(&queue);
            prop_assert_eq!(changes.len(), 2 * activities.len());
            prop_assert!(changes.is_sorted_by_key(|change| change.0));
            prop_assert!(changes.iter().all(|&(_, length)| length >= 0));
            for pair in changes.windows(2) {
                prop_assert_eq!((pair[1].1 - pair[0].1).abs(), 1);
            }
            for t in 0..80 {
                let expected = activities.iter().filter(|a| a.0 <= t && t < a.1.max(a.0)).count() as i64;
                let last = changes.iter().rev().find(|change| change.0 <= t).map_or(0, |change| change.1);
                prop_assert_eq!(last, expected, "at {}", t);
            }
        }
    }
}
