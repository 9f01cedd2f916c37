//! What the host did all the time, launch by launch.

use eaves_model::{Interval, Ns, SliceId, SliceKind};

use super::Replay;
use super::build::{launches, steady_steps};
use crate::RankView;
use crate::analyses::idle_causes::cause::Cause;
use crate::analyses::idle_causes::gaps::{Gap, Place};
use crate::analyses::idle_causes::start_up::StartUp;
use crate::analyses::idle_causes::threads::{Segment, Stretch, walk};

/// A wait that ends so shortly before memory is released is part of the release: PyTorch waits for the device before it
/// gives segments back (`release_cached_blocks` in `CUDACachingAllocator.cpp`).
const BEFORE_RELEASE: Ns = Ns(20_000);

/// The time of the host in the steady state by what it was spent on. From one launch to the next it is the time of the
/// thread that launches next, as in the gaps of the GPU.
#[derive(Debug, Default)]
pub(crate) struct Stalls {
    /// Of the causes that are looked at one by one.
    by_cause: [Vec<Interval>; Cause::ALL.len()],
    /// The ordinary work of launching, of which there is most: what follows each other is one, unless a step begins.
    host_work: Vec<Interval>,
    /// Waits that belong to calls which release memory.
    before_release: Vec<Interval>,
}

impl Stalls {
    /// Walks over the threads of a rank that launch.
    pub(crate) fn of(rank: &RankView<'_>, replay: &Replay) -> Self {
        let slices = &rank.trace.slices;
        let mut gaps: Vec<Gap> = Vec::new();
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut from = replay.host.start;
        for launch in launches(rank) {
            let Some(call) = launch.call else { continue };
            let interval = Interval::new(from, slices.end(call.index()).min(replay.host.end).max(from));
            if interval.length() == Ns::ZERO {
                continue;
            }
            from = interval.end;
            stretches.push(Stretch { track: slices.track[call.index()], interval, gap: gaps.len() });
            gaps.push(Gap {
                interval,
                ended_by: Some(launch.index),
                launch: Some(call),
                place: Place::Inside,
            });
        }
        let stepping = rank.trace.steps().first().map(|&(_, slice)| slices.track[slice.index()]);
        if let Some(track) = stepping.filter(|_| from < replay.host.end) {
            let interval = Interval::new(from, replay.host.end);
            stretches.push(Stretch { track, interval, gap: gaps.len() });
            gaps.push(Gap { interval, ended_by: None, launch: None, place: Place::Tail });
        }
        let (mut start_up, steps) = (StartUp::new(rank), steady_steps(rank));
        let step_of = |time: Ns| steps.partition_point(|step| step.start <= time);
        let mut stalls = Self::default();
        let mut segments: Vec<Stalled> = Vec::new();
        walk(rank, &mut stretches, |segment| {
            if start_up.has(&gaps[segment.gap], &segment) {
                return;
            }
            let Segment { cause, interval, .. } = segment;
            if !Cause::HOST_WORK.contains(&cause) {
                let releases =
                    cause == Cause::Allocation && segment.what.is_some_and(|call| releases(rank, call));
                segments.push(Stalled { interval, cause, releases });
                return;
            }
            match stalls.host_work.last_mut() {
                Some(last)
                    if last.end == interval.start && step_of(last.start) == step_of(interval.start) =>
                {
                    last.end = interval.end;
                }
                _ => stalls.host_work.push(interval),
            }
        });
        segments.sort_by_key(|segment| segment.interval.start);
        stalls.divide(&segments);
        stalls
    }

    /// By cause, and which waits are part of a release.
    fn divide(&mut self, segments: &[Stalled]) {
        let mut wait: Option<Interval> = None;
        for segment in segments {
            self.by_cause[segment.cause as usize].push(segment.interval);
            if segment.cause == Cause::Synchronisation {
                wait = Some(match wait {
                    Some(before) if before.end == segment.interval.start => {
                        Interval::new(before.start, segment.interval.end)
                    }
                    _ => segment.interval,
                });
            } else if segment.releases {
                let near = |wait: &Interval| segment.interval.start - wait.end <= BEFORE_RELEASE;
                self.before_release.extend(wait.take().filter(near));
            }
        }
    }

    /// The time of a cause that is not ordinary work.
    pub(crate) fn of_cause(&self, cause: Cause) -> &[Interval] {
        &self.by_cause[cause as usize]
    }

    /// The ordinary work of launching.
    pub(crate) fn host_work(&self) -> &[Interval] {
        &self.host_work
    }

    /// The waits that belong to calls which release memory.
    pub(crate) fn before_release(&self) -> &[Interval] {
        &self.before_release
    }
}

/// A part of the time of the host that is not an ordinary work.
#[derive(Clone, Copy)]
struct Stalled {
    interval: Interval,
    cause: Cause,
    /// Whether a call that gives memory back takes it.
    releases: bool,
}

fn releases(rank: &RankView<'_>, call: SliceId) -> bool {
    let name = rank.trace.slice_name(call);
    rank.trace.slices.kind[call.index()] == SliceKind::Runtime
        && (name.contains("Free") || name.contains("Release"))
}

/// What a gain over all steps has to be multiplied with, given how often its stall comes back. Of a stall in every
/// second of seven steps there are three or four; from the first to the last it is one in two whichever.
pub(crate) fn recurrence(rank: &RankView<'_>, intervals: &[Interval]) -> f64 {
    let steps = steady_steps(rank);
    let mut times = vec![Ns::ZERO; steps.len()];
    for interval in intervals {
        let step = steps.partition_point(|step| step.start <= interval.start).checked_sub(1);
        if let Some(time) = step.and_then(|step| times.get_mut(step)) {
            *time += interval.length();
        }
    }
    let longest = times.iter().copied().max().unwrap_or(Ns::ZERO);
    let stalled: Vec<usize> = (0..times.len()).filter(|&step| 2 * times[step].0 > longest.0).collect();
    let (Some(first), Some(last)) = (stalled.first(), stalled.last()) else { return 1.0 };
    if stalled.len() < 2 || 4 * stalled.len() > 3 * steps.len() {
        return 1.0;
    }
    let rate = (stalled.len() - 1) as f64 / (last - first) as f64;
    rate * steps.len() as f64 / stalled.len() as f64
}

/// The first part of each interval.
pub(crate) fn share(intervals: &[Interval], numerator: i64, denominator: i64) -> Vec<Interval> {
    let part = |interval: &Interval| {
        Interval::new(interval.start, interval.start + Ns(interval.length().0 * numerator / denominator))
    };
    intervals.iter().map(part).collect()
}
