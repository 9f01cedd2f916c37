//! What every activity and every call waited for.

use std::collections::HashMap;

use eaves_model::{Interval, Ns, SliceId, SliceKind, TrackId};
use foldhash::fast::FixedState;

use super::{Action, Activity, Change, Event, Replay};
use crate::RankView;
use crate::analyses::idle_causes::cause::Cause;
use crate::analyses::idle_causes::classes::Classes;

/// Activities that are looked at in search of one that a call waited for. It is nearly always the first; the bound
/// keeps odd traces from costing more than their length.
const LOOKED_AT: usize = 64;
/// A launch is on its way for a few microseconds. An activity that was launched so long before its stream was free
/// waited for nothing but the stream.
const ARRIVAL: Ns = Ns(10_000);
/// Streams among which another is looked for that something waited for.
const STREAMS: usize = 64;

/// A stream: device and number.
type Key = (Option<u32>, Option<i64>);

impl Replay {
    /// The selected activities of a rank with what launched them.
    pub(crate) fn of(rank: &RankView<'_>) -> Option<Self> {
        let (host, steps) = host(rank)?;
        let launches = launches(rank);
        let mut replay = Self {
            activities: activities(rank, &launches),
            events: Vec::new(),
            host,
            steps,
            unchanged: Ns::ZERO,
        };
        let typical = replay.typical(&launches);
        replay.bind(&launches, typical);
        let event = |(number, launch): (usize, &Launched)| Event {
            time: launch.time,
            action: match launch.call {
                Some(_) => Action::Launch(number as u32),
                None => Action::Unknown(number as u32),
            },
        };
        replay.events = launches.iter().enumerate().map(event).collect();
        let waits = waits(rank, &launches, &replay.activities);
        replay.events.extend(waits);
        // A copy that waits for itself is launched first.
        replay.events.sort_by_key(|event| (event.time, matches!(event.action, Action::Wait { .. })));
        replay.unchanged = replay.time(&Change::default());
        Some(replay)
    }

    /// Latency of launches and pause between activities, as the lower medians of those that waited for nothing else. An
    /// activity whose launch had hardly arrived says nothing of pauses.
    fn typical(&self, launches: &[Launched]) -> (Ns, Ns) {
        let slacks = || {
            self.activities.iter().zip(launches).map(|(activity, launch)| Slack::of(self, activity, launch))
        };
        let is_last =
            |slack: Ns, others: [Option<Ns>; 2]| others.iter().flatten().all(|&other| slack <= other);
        let latencies = slacks().filter_map(|slack| {
            slack.launch.filter(|&launch| is_last(launch, [slack.previous, slack.other]))
        });
        let latency = median(latencies.collect());
        let pauses = slacks().filter_map(|slack| {
            let is_queued = slack
                .launch
                .is_none_or(|launch| slack.previous.is_some_and(|pause| launch - pause >= ARRIVAL));
            slack.previous.filter(|&pause| is_queued && is_last(pause, [slack.other, None]))
        });
        (latency, median(pauses.collect()))
    }

    /// Gives each wait its least time: all of it to what came last, to the others no more than is usual.
    fn bind(&mut self, launches: &[Launched], (latency, pause): (Ns, Ns)) {
        for (number, launch) in launches.iter().enumerate() {
            let activity = self.activities[number];
            let slack = Slack::of(self, &activity, launch);
            let last = [slack.launch, slack.previous, slack.other].into_iter().flatten().min();
            let least = |slack: Option<Ns>, usual: Ns| {
                slack.map(|slack| if Some(slack) == last { slack } else { slack.min(usual) })
            };
            let row = &mut self.activities[number];
            row.latency = least(slack.launch, latency).unwrap_or(Ns::ZERO);
            row.previous =
                row.previous.zip(least(slack.previous, pause)).map(|((other, _), least)| (other, least));
            row.other = row.other.zip(least(slack.other, pause)).map(|((other, _), least)| (other, least));
        }
    }
}

/// How long before the start of an activity each thing happened that it waited for.
struct Slack {
    launch: Option<Ns>,
    previous: Option<Ns>,
    other: Option<Ns>,
}

impl Slack {
    fn of(replay: &Replay, activity: &Activity, launch: &Launched) -> Self {
        let start = activity.interval.start;
        let ended = |wait: Option<(u32, Ns)>| {
            wait.map(|(other, _)| start - replay.activities[other as usize].interval.end)
        };
        Self {
            launch: launch.call.map(|_| start - launch.time),
            previous: ended(activity.previous),
            other: ended(activity.other),
        }
    }
}

fn median(mut times: Vec<Ns>) -> Ns {
    let Some(middle) = times.len().checked_sub(1).map(|last| last / 2) else { return Ns::ZERO };
    *times.select_nth_unstable(middle).1
}

/// The host's part of the steady state, and its steps.
fn host(rank: &RankView<'_>) -> Option<(Interval, Option<Interval>)> {
    let steady = rank.steady();
    let window = steady.window?;
    let steps = steady_steps(rank);
    match (steps.first(), steps.last()) {
        (Some(first), Some(last)) => {
            // What the first step waits beyond the others is not a steady state.
            let is_first = steady.warm_up_steps == 0;
            let start = if is_first { first.start.max(window.start).min(last.end) } else { first.start };
            let host = Interval::new(start, last.end.min(window.end).max(start));
            Some((host, Some(host)))
        }
        _ => Some((window, None)),
    }
}

/// The selected steps behind the warm-up.
pub(super) fn steady_steps(rank: &RankView<'_>) -> Vec<Interval> {
    let selected = rank.steps.iter().map(|(_, step)| step).filter(|step| rank.selects(step.start));
    selected.skip(usize::try_from(rank.steady().warm_up_steps).unwrap_or(usize::MAX)).collect()
}

/// How an activity was launched.
pub(super) struct Launched {
    /// Its index in the view of the GPU.
    pub(super) index: usize,
    /// When; its own start if that is not known.
    pub(super) time: Ns,
    pub(super) call: Option<SliceId>,
}

/// The activities in the order of their launches.
pub(super) fn launches(rank: &RankView<'_>) -> Vec<Launched> {
    let slices = &rank.trace.slices;
    let launched = |index: usize| {
        let start = rank.gpu.interval[index].start;
        let call = rank.links().launch(rank.gpu.row[index]);
        // A copy may be what its call waits for. Anything else is launched when the call ends, or while it still runs;
        // clocks of host and device may differ by more than that.
        let time =
            |call: SliceId| match slices.kind[rank.trace.gpu.slice[rank.gpu.row[index].index()].index()] {
                SliceKind::Memcpy => slices.start[call.index()],
                _ => slices.end(call.index()),
            };
        Launched { index, time: call.map_or(start, |call| time(call).min(start)), call }
    };
    let mut launches: Vec<Launched> = (0..rank.gpu.len()).map(launched).collect();
    launches.sort_by_key(|launch| (launch.time, rank.gpu.interval[launch.index].start, launch.index));
    launches
}

fn activities(rank: &RankView<'_>, launches: &[Launched]) -> Vec<Activity> {
    let gpu = &rank.gpu;
    let mut numbers: HashMap<Key, usize> = HashMap::new();
    // The last activity of each stream.
    let mut last: Vec<u32> = Vec::new();
    let mut activities: Vec<Activity> = Vec::with_capacity(launches.len());
    for (number, launch) in launches.iter().enumerate() {
        let index = launch.index;
        let interval = gpu.interval[index];
        let next = numbers.len();
        let stream = *numbers.entry((gpu.device[index].get(), gpu.stream[index].get())).or_insert(next);
        let ended = |&other: &u32| activities[other as usize].interval.end <= interval.start;
        let previous = last.get(stream).copied().filter(ended);
        let other = if last.len() > STREAMS {
            None
        } else {
            let others =
                last.iter().enumerate().filter(|&(other, _)| other != stream).map(|(_, &other)| other);
            others.filter(ended).max_by_key(|&other| activities[other as usize].interval.end)
        };
        match last.get_mut(stream) {
            Some(last) => *last = number as u32,
            None => last.push(number as u32),
        }
        let unknown = |other: u32| (other, Ns::ZERO);
        activities.push(Activity {
            index,
            interval,
            latency: Ns::ZERO,
            previous: previous.map(unknown),
            other: other.map(unknown),
        });
    }
    activities
}

/// The calls that waited for an activity.
fn waits(rank: &RankView<'_>, launches: &[Launched], activities: &[Activity]) -> Vec<Event> {
    let (slices, runtime) = (&rank.trace.slices, &rank.trace.runtime);
    let mut by_end: Vec<u32> = (0..activities.len() as u32).collect();
    by_end.sort_by_key(|&activity| activities[activity as usize].interval.end);
    let mut classes = Classes::new(rank.trace);
    let mut of_call: HashMap<SliceId, u32, FixedState> = HashMap::default();
    let mut tracks: Vec<TrackId> = Vec::new();
    for (number, launch) in launches.iter().enumerate() {
        if let Some(call) = launch.call {
            of_call.insert(call, number as u32);
            let track = slices.track[call.index()];
            if !tracks.contains(&track) {
                tracks.push(track);
            }
        }
    }
    let mut found = Vec::new();
    for &call in &runtime.slice {
        // A thread that launches nothing keeps nobody waiting.
        if rank.trace.is_quarantined(call) || !tracks.contains(&slices.track[call.index()]) {
            continue;
        }
        let (interval, own) = (slices.interval(call.index()), of_call.get(&call).copied());
        let waits = classes.of(call).is_some_and(|class| class.cause == Cause::Synchronisation);
        let awaited = match own {
            // A copy that runs inside its call is one that the call waits for.
            Some(own) => Some(own).filter(|&own| {
                let copy = &activities[own as usize];
                let kind = slices.kind[rank.trace.gpu.slice[rank.gpu.row[copy.index].index()].index()];
                kind == SliceKind::Memcpy && copy.interval.end <= interval.end
            }),
            None if waits => {
                let count = by_end
                    .partition_point(|&activity| activities[activity as usize].interval.end <= interval.end);
                let ended = by_end[..count].iter().rev().take(LOOKED_AT).copied();
                ended
                    .take_while(|&activity| activities[activity as usize].interval.end > interval.start)
                    .find(|&activity| launches[activity as usize].time < interval.start)
            }
            None => None,
        };
        if let Some(awaited) = awaited {
            found.push(Event { time: interval.start, action: Action::Wait { end: interval.end, awaited } });
        }
    }
    found
}
