//! What every GPU activity waited for before it started.

use eaves_model::{Ns, SliceId, Trace};

use super::Cause;
use super::activities::{Activities, ActivityId};
use super::calls::{CallKind, CallKinds};
use super::graph::{Graph, PointId, SOURCE};
use super::host::Host;
use super::waits::{Waits, guess};
use crate::RankView;

/// The way from a launching call to the start of what it launched.
#[derive(Clone, Copy)]
struct Launch {
    /// Where the way leaves the host.
    point: PointId,
    /// When the call began: a stream with nothing to do was waiting from then on.
    time: Ns,
    cause: Cause,
    slice: SliceId,
}

/// Leads to the starts of activities.
pub(super) struct Starts<'a, 't> {
    trace: &'a Trace,
    activities: &'a Activities,
    waits: &'a Waits,
    host: &'a Host,
    kinds: &'a mut CallKinds<'t>,
    /// The activities that were the first to be launched after a stream was told to wait, sorted.
    claims: Vec<ActivityId>,
    /// A gap of a busy stream up to this long needs no reason.
    longest_gap: Ns,
}

impl<'a, 't> Starts<'a, 't> {
    pub(super) fn new(
        rank: &RankView<'a>,
        (activities, waits, host): (&'a Activities, &'a Waits, &'a Host),
        kinds: &'a mut CallKinds<'t>,
    ) -> Self {
        let claims = if waits.records_streams { Vec::new() } else { claims(activities, host) };
        let longest_gap = rank.options.kernel_wait;
        Self { trace: rank.trace, activities, waits, host, kinds, claims, longest_gap }
    }

    /// An activity starts when the last of these has happened: its launching call began, the activity before it on
    /// the stream ended, what the stream was told to wait for ended. The last one explains the time until the start,
    /// and the others nothing.
    pub(super) fn connect(&mut self, graph: &mut Graph) {
        let activities = self.activities;
        for stream in &activities.streams {
            let mut previous = None;
            for activity in stream.chain.clone() {
                self.connect_one(graph, activity, previous);
                previous = Some(activity);
            }
            for activity in stream.beside.clone() {
                self.connect_one(graph, activity, None);
            }
        }
    }

    fn connect_one(&mut self, graph: &mut Graph, activity: ActivityId, previous: Option<ActivityId>) {
        let row = activity as usize;
        let (target, slice) = (Activities::start_point(activity), self.activities.slice[row]);
        let start = self.activities.interval[row].start;
        let end = |activity: ActivityId| self.activities.interval[activity as usize].end;

        let launch = self.launch(graph, activity, start);
        let launched = launch.map_or(Ns::MIN, |launch| launch.time);
        let ready = launched.max(previous.map_or(Ns::MIN, end));
        let guessed = self.guess(activity, previous, ready);
        let awaited = || self.waits.of_activity(activity).chain(guessed).filter(|&other| end(other) <= start);
        let last_awaited = awaited().map(end).max().unwrap_or(Ns::MIN);

        let by_wait = last_awaited > ready;
        let by_launch = !by_wait && launch.is_some() && launched == ready;
        let explains = |is_last: bool, cause| if is_last { cause } else { Cause::Unexplained };
        if let Some(Launch { point, cause, slice, .. }) = launch {
            graph.connect(point, target, explains(by_launch, cause), slice);
        }
        for other in awaited() {
            let cause = explains(by_wait && end(other) == last_awaited, Cause::Synchronisation);
            graph.connect(Activities::end_point(other), target, cause, slice);
        }
        if let Some(previous) = previous {
            let cause = explains(!by_launch && !by_wait, Cause::KernelGap);
            graph.label(Activities::end_point(previous), cause, slice);
        }
    }

    /// How the launch led to the start: along the launching call as far as that goes, then as a delay. What was
    /// launched before the window was ready when the window began. Clocks of host and device may differ by more than
    /// a launch takes; then the last point of the thread before the start leads there.
    fn launch(&self, graph: &Graph, activity: ActivityId, start: Ns) -> Option<Launch> {
        let row = activity as usize;
        let call = self.activities.launch[row].some()?;
        let delay = |point: PointId, time: Ns| Launch {
            point,
            time,
            cause: Cause::LaunchDelay,
            slice: self.activities.slice[row],
        };
        let Some(call_point) = self.host.start_point(call) else {
            let window = graph.time[SOURCE as usize];
            let is_before = self.trace.slices.start[call.index()] < window && window < start;
            return is_before.then(|| delay(SOURCE, window));
        };
        let call_end = self.trace.slices.end(call.index());
        // Edges from the host to the device take time, which makes the order of points a topological one.
        let point = graph.latest_until(call_point, call_end.min(start - Ns(1)))?;
        let at = point as usize;
        let time = graph.time[call_point as usize].min(graph.time[at]);
        if call_end < start || point < call_point || graph.cause[at] == Cause::Unexplained {
            return Some(delay(point, time));
        }
        Some(Launch { point, time, cause: graph.cause[at], slice: graph.slice[at] })
    }

    /// What else the activity waited for, where waits of streams are not recorded: an activity of another stream that
    /// was launched before a stream was told to wait, or by the same graph. Which stream was told is not recorded
    /// either. Most often it is the one that is launched on next; for others only a gap that no device needs will do.
    /// Of activities whose launch is unknown nothing is known, so any may be it.
    fn guess(&mut self, activity: ActivityId, previous: Option<ActivityId>, ready: Ns) -> Option<ActivityId> {
        let activities = self.activities;
        let start = activities.interval[activity as usize].start;
        if self.waits.records_streams || ready >= start {
            return None;
        }
        let launch = activities.launch[activity as usize];
        if launch == SliceId::NONE {
            return guess(activities, activity, ready, |_| true);
        }
        if self.kinds.of(self.trace.slices.name[launch.index()]) == CallKind::GraphLaunch {
            return guess(activities, activity, ready, |other| activities.launch[other as usize] == launch);
        }
        let told = self.stream_wait_before(activity, previous)?;
        let is_claimed = self.claims.binary_search(&activity).is_ok();
        if !is_claimed && start - ready <= self.longest_gap {
            return None;
        }
        guess(activities, activity, ready, |other| activities.launched[other as usize] < told)
    }

    /// When any thread last told a stream to wait between the launches of this activity and the one before it.
    fn stream_wait_before(&self, activity: ActivityId, previous: Option<ActivityId>) -> Option<Ns> {
        let launched = |activity: ActivityId| self.activities.launched[activity as usize];
        let waits = &self.host.stream_waits;
        let count = waits.partition_point(|&told| told < launched(activity));
        let told = *waits.get(count.checked_sub(1)?)?;
        previous.is_none_or(|previous| told > launched(previous)).then_some(told)
    }
}

fn claims(activities: &Activities, host: &Host) -> Vec<ActivityId> {
    if host.stream_waits.is_empty() {
        return Vec::new();
    }
    let launched = activities.launched.iter().zip(0..);
    let mut launches: Vec<(Ns, ActivityId)> =
        launched.map(|(&launched, activity)| (launched, activity)).collect();
    // Streams are ordered runs.
    launches.sort();
    let first_after = |&told: &Ns| launches.get(launches.partition_point(|&(launched, _)| launched <= told));
    let mut claims: Vec<ActivityId> =
        host.stream_waits.iter().filter_map(first_after).map(|&(_, activity)| activity).collect();
    claims.sort_unstable();
    claims
}
