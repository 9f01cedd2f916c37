//! How long the steady state would take if the host had not stalled.
//!
//! A stall costs more than the idle time inside it. The host loses its lead, and every launch behind the stall is as
//! late as the stall was long, until the next wait for the device lets the host fall back into step. So the launches
//! are played again: a launch comes earlier by what is removed before it, an activity starts when it is launched, its
//! stream is free and what it waited for is done, and a call that waits returns when what it waits for has ended. The
//! difference of the two ends is the gain. This is the re-simulation of dPRO (Hu et al., MLSys 2022) and Daydream (Zhu
//! et al., USENIX ATC 2020), for one rank and one queue of launches.

mod build;
mod stalls;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use eaves_model::{Interval, IntervalSet, Ns};

pub(crate) use self::stalls::{Stalls, recurrence, share};

/// The launches, waits and activities of a rank.
#[derive(Debug)]
pub(crate) struct Replay {
    /// In the order in which they were launched.
    activities: Vec<Activity>,
    /// What the host does that concerns the device, in time order.
    events: Vec<Event>,
    /// The time of the host that belongs to the steady state.
    host: Interval,
    /// From the end of the warm-up to the end of the last step on the host, if there are steps.
    steps: Option<Interval>,
    /// How long it takes if nothing is changed.
    unchanged: Ns,
}

/// An activity, and what it could not start before.
#[derive(Clone, Copy, Debug)]
struct Activity {
    /// Its index in the view of the GPU.
    index: usize,
    interval: Interval,
    /// Least time from the launching call to the start.
    latency: Ns,
    /// The activity before it on its stream, and the least pause between the two.
    previous: Option<(u32, Ns)>,
    /// The last activity of another stream that was launched and had ended before it started.
    other: Option<(u32, Ns)>,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    time: Ns,
    action: Action,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// Launches an activity.
    Launch(u32),
    /// Nothing is known of its launch.
    Unknown(u32),
    /// Waits for an activity, up to an instant.
    Wait { end: Ns, awaited: u32 },
}

/// What is different when the launches are played again.
#[derive(Debug, Default)]
pub(crate) struct Change {
    /// Time that the host does not spend. A call that begins in it waits for nothing.
    pub(crate) removed: IntervalSet,
    /// Activities that take another time, by index in the view of the GPU.
    pub(crate) lengths: HashMap<usize, Ns>,
    /// Activities that do not take place, by index in the view of the GPU.
    pub(crate) dropped: HashSet<usize>,
}

impl Change {
    pub(crate) fn without(removed: Vec<Interval>) -> Self {
        Self { removed: IntervalSet::union_of(removed), ..Self::default() }
    }
}

impl Replay {
    /// How much shorter the steps are together.
    pub(crate) fn gain(&self, change: &Change) -> Ns {
        (self.unchanged - self.time(change)).max(Ns::ZERO)
    }

    /// The waits of the host as far as something still ran: from the call to the end of what it waited for.
    pub(crate) fn waits(&self) -> impl Iterator<Item = Interval> + '_ {
        self.events.iter().filter_map(|event| match event.action {
            Action::Wait { awaited, .. } => {
                let end = self.activities[awaited as usize].interval.end;
                let waiting = Interval::new(event.time, end.max(event.time));
                waiting.clip(self.host)
            }
            _ => None,
        })
    }

    /// The waits of the host for some activities, given as indices into the view of the GPU.
    pub(crate) fn waits_for(&self, indices: HashSet<usize>) -> Vec<Interval> {
        let wait = |event: &Event| match event.action {
            Action::Wait { awaited, .. } => {
                let activity = &self.activities[awaited as usize];
                let waiting = Interval::new(event.time, activity.interval.end.max(event.time));
                indices.contains(&activity.index).then_some(waiting)?.clip(self.host)
            }
            _ => None,
        };
        self.events.iter().filter_map(wait).collect()
    }

    /// From when the device and the host are done with the warm-up to when they are done with the last step. Without
    /// steps, from the start.
    fn time(&self, change: &Change) -> Ns {
        let mut ends: Vec<Ns> = vec![Ns::MIN; self.activities.len()];
        let mut removed = Removed { intervals: change.removed.as_slice(), at: Ns::MIN };
        let (mut earlier, mut last) = (Ns::ZERO, self.host.start);
        let mut first = None;
        for event in &self.events {
            if let Some(steps) = self.steps.filter(|steps| steps.start <= event.time && first.is_none()) {
                earlier += removed.advance(steps.start).0;
                first = Some(last.max(steps.start - earlier));
            }
            let (before, is_removed) = removed.advance(event.time);
            earlier += before;
            let now = event.time - earlier;
            match event.action {
                Action::Launch(activity) | Action::Unknown(activity) => {
                    let row = &self.activities[activity as usize];
                    let end = self.run(row, event.action, now, (&ends, change));
                    ends[activity as usize] = end;
                    last = last.max(end);
                }
                Action::Wait { .. } if is_removed => {}
                Action::Wait { end, awaited } => {
                    let rest = end - self.activities[awaited as usize].interval.end.max(event.time);
                    earlier = (end - (now.max(ends[awaited as usize]) + rest)).max(Ns::ZERO);
                    removed.advance(end);
                }
            }
        }
        let Some(steps) = self.steps else { return last - self.host.start };
        let (before, _) = removed.advance(steps.end);
        last.max(steps.end - earlier - before) - first.unwrap_or(steps.start)
    }

    /// When an activity ends whose launching call begins at an instant.
    fn run(&self, row: &Activity, action: Action, now: Ns, (ends, change): (&[Ns], &Change)) -> Ns {
        let after = |wait: Option<(u32, Ns)>, pause: bool| {
            wait.map(|(other, least)| ends[other as usize] + if pause { least } else { Ns::ZERO })
        };
        if change.dropped.contains(&row.index) {
            return after(row.previous, false).unwrap_or(now).min(row.interval.end);
        }
        let launched = match action {
            Action::Launch(_) => now + row.latency,
            // Only what it waits for is known; without that it stays where it is.
            _ if row.previous.is_none() && row.other.is_none() => row.interval.start,
            _ => Ns::MIN,
        };
        let ready = after(row.previous, true).max(after(row.other, true));
        let start = ready.map_or(launched, |ready| launched.max(ready));
        start + change.lengths.get(&row.index).copied().unwrap_or(row.interval.length())
    }

    /// The activities that were launched in some of the host's time, as indices into the view of the GPU.
    pub(crate) fn launched_in<'a>(&'a self, times: &'a IntervalSet) -> impl Iterator<Item = usize> + 'a {
        self.events.iter().filter_map(move |event| match event.action {
            Action::Launch(activity) if contains(times, event.time) => {
                Some(self.activities[activity as usize].index)
            }
            _ => None,
        })
    }
}

fn contains(times: &IntervalSet, time: Ns) -> bool {
    let intervals = times.as_slice();
    let next = intervals.partition_point(|interval| interval.end <= time);
    intervals.get(next).is_some_and(|interval| interval.start <= time)
}

/// Goes through removed time.
struct Removed<'a> {
    intervals: &'a [Interval],
    at: Ns,
}

impl Removed<'_> {
    /// How much is removed from where it was up to an instant, and whether the instant is removed itself.
    fn advance(&mut self, to: Ns) -> (Ns, bool) {
        let mut sum = Ns::ZERO;
        while let Some((first, rest)) = self.intervals.split_first()
            && first.start <= to
        {
            let part =
                Interval::new(first.start.max(self.at), first.end.min(to).max(first.start.max(self.at)));
            sum += part.length();
            if first.end > to {
                break;
            }
            self.intervals = rest;
        }
        self.at = self.at.max(to);
        (sum, self.intervals.first().is_some_and(|first| first.start <= to))
    }
}
