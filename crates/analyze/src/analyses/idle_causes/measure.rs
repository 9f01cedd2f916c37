//! The idle time of one rank, divided by what the host did meanwhile.

use std::cmp::Reverse;
use std::collections::HashMap;

use eaves_model::{Interval, Ns, SliceId, SliceKind, StringId, Trace};

use super::cause::Cause;
use super::gains::Gains;
use super::gaps::{self, Gap, Wait, gaps};
use super::launches::Launches;
use super::overhead::Overhead;
use super::part::{GapRow, NameTime, Part, Place, is_notable};
use super::start_up::StartUp;
use super::threads::{Segment, Stretch, walk};
use crate::RankView;
use crate::text::percentage;

/// Names kept of each cause, and places that synchronize: more than anybody reads.
const KEPT: usize = 20;
/// Names that take less than this share of the span are not worth a row.
const SMALL_PCT: f64 = 0.1;

/// A launch arrives within microseconds, that of a graph within some tens of them. What starts later than this waited for
/// something else.
pub(super) const LATEST_ARRIVAL: Ns = Ns(100_000);

/// What PyTorch records around the fetch of a batch if there are no workers.
const SINGLE_PROCESS_LOADER: &str = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";

/// Measures one rank.
pub(super) fn measure(rank: &RankView<'_>) -> Part {
    let gaps = gaps(rank);
    let mut tally = Tally::new(rank, &gaps);
    let (mut stretches, mut tail) = (Vec::new(), Vec::new());
    for (index, gap) in gaps.iter().enumerate() {
        if gap.place == gaps::Place::Tail {
            let stepping = rank.trace.steps().first().map(|&(_, step)| rank.trace.slices.track[step.index()]);
            match stepping {
                Some(track) => tail.push(Stretch { track, interval: gap.interval, gap: index }),
                None => tally.whole(index, Cause::Unknown),
            }
            continue;
        }
        match gap.wait(rank) {
            Wait::Device => tally.whole(index, Cause::Device),
            Wait::Unknown => tally.whole(index, Cause::Unknown),
            Wait::Host(until) => {
                // A wait for the host has a launch.
                let Some(launch) = gap.launch else { continue };
                stretches.push(Stretch {
                    track: rank.trace.slices.track[launch.index()],
                    interval: Interval::new(gap.interval.start, until),
                    gap: index,
                });
            }
        }
    }
    walk(rank, &mut stretches, |segment| tally.add(segment));
    walk(rank, &mut tail, |segment| tally.add(segment));
    tally.finish()
}

/// A gap of which the segments are coming in.
struct Current {
    gap: usize,
    times: [Ns; Cause::ALL.len()],
    /// The longest segment of each cause.
    longest: [(Ns, Option<SliceId>); Cause::ALL.len()],
    /// What of the times is steady.
    steady: [Ns; Cause::ALL.len()],
    /// Time in the steady state that is start-up.
    start_up: Ns,
    /// The place whose wait the gap began in.
    began_in: Option<PlaceKey>,
}

/// The line of Python, what began the wait there, and the operator around that if it is a call into the runtime.
type PlaceKey = (StringId, StringId, StringId);

#[derive(Clone, Copy, Default)]
struct PlaceTime {
    /// Call and operator of the longest segment.
    longest: Option<(Ns, StringId, StringId)>,
    time: Ns,
    gaps: u64,
    after: Ns,
}

impl PlaceTime {
    fn merge(&mut self, other: &Self) {
        self.longest = self.longest.max(other.longest);
        self.time += other.time;
        self.gaps += other.gaps;
        self.after += other.after;
    }
}

/// The time of one name and cause.
struct NameEntry {
    cause: Cause,
    name: StringId,
    time: Ns,
    lead_in: Ns,
    /// The entry of the same name and another cause before it.
    before: u32,
}

/// Before the first entry of a name.
const NO_ENTRY: u32 = u32::MAX;

struct Tally<'a, 'b> {
    rank: &'a RankView<'b>,
    gaps: &'a [Gap],
    part: Part,
    current: Option<Current>,
    /// For each string the last of its entries in `names`.
    last_of_string: Vec<u32>,
    names: Vec<NameEntry>,
    places: HashMap<PlaceKey, PlaceTime>,
    start_up: StartUp<'a, 'b>,
    /// The longest call of the start-up.
    start_up_call: (Ns, Option<SliceId>),
    /// Steps in which something was compiled.
    compiling_steps: Vec<Option<usize>>,
    /// Gaps that are mostly ordinary work of the host.
    host_gaps: Vec<usize>,
}

impl<'a, 'b> Tally<'a, 'b> {
    fn new(rank: &'a RankView<'b>, gaps: &'a [Gap]) -> Self {
        let strings = rank.trace.strings.len() + 1;
        let part = Part {
            gaps: gaps.iter().filter(|gap| gap.place == gaps::Place::Inside).count() as u64,
            overhead: Overhead::measure(rank),
            collects_counters: !rank.trace.range_counters.is_empty(),
            loads_in_process: rank.trace.strings.find(SINGLE_PROCESS_LOADER).is_some(),
            ..Part::default()
        };
        Self {
            rank,
            gaps,
            part,
            current: None,
            last_of_string: vec![NO_ENTRY; strings],
            names: Vec::new(),
            places: HashMap::new(),
            start_up: StartUp::new(rank),
            start_up_call: (Ns::ZERO, None),
            compiling_steps: Vec::new(),
            host_gaps: Vec::new(),
        }
    }

    /// How much of an interval is in the steady state.
    fn steady(&self, interval: Interval) -> Ns {
        let window = self.rank.steady().window;
        window.and_then(|window| interval.clip(window)).map_or(Ns::ZERO, Interval::length)
    }

    /// A gap of one cause.
    fn whole(&mut self, gap: usize, cause: Cause) {
        let mut current = Current::new(gap);
        current.times[cause as usize] = self.gaps[gap].interval.length();
        current.steady[cause as usize] = self.steady(self.gaps[gap].interval);
        self.close(&current);
    }

    fn add(&mut self, segment: Segment) {
        if self.current.as_ref().is_none_or(|current| current.gap != segment.gap) {
            self.close_current();
        }
        let (gap, steady) = (&self.gaps[segment.gap], self.steady(segment.interval));
        let is_start_up = steady > Ns::ZERO && self.start_up.has(gap, &segment);
        let current = self.current.get_or_insert_with(|| Current::new(segment.gap));
        let time = segment.interval.length();
        let cause = segment.cause as usize;
        current.times[cause] += time;
        if is_start_up {
            current.start_up += steady;
            self.start_up_call = self.start_up_call.max((time, segment.what));
        } else {
            current.steady[cause] += steady;
            if segment.cause == Cause::Compilation && steady > Ns::ZERO {
                self.compiling_steps.push(self.rank.steps.at(segment.interval.start));
            }
        }
        if time > current.longest[cause].0 {
            current.longest[cause] = (time, segment.what);
        }
        if segment.cause == Cause::Synchronisation {
            let (key, waiting) = place(self.rank.trace, &segment);
            if segment.interval.start == gap.interval.start {
                current.began_in = Some(key);
            }
            self.places.entry(key).or_default().merge(&waiting);
        }
        if let Some(what) = segment.what {
            let (in_span, lead_in) = match gap.place {
                gaps::Place::LeadIn => (Ns::ZERO, time),
                gaps::Place::Inside => (time, Ns::ZERO),
                gaps::Place::Tail => return,
            };
            self.add_name(segment.cause, self.rank.trace.slices.name[what.index()], in_span, lead_in);
        }
    }

    fn add_name(&mut self, cause: Cause, name: StringId, time: Ns, lead_in: Ns) {
        let last = &mut self.last_of_string[name.index().min(self.rank.trace.strings.len())];
        let mut place = *last;
        while let Some(entry) = self.names.get_mut(place as usize) {
            if entry.cause == cause {
                entry.time += time;
                entry.lead_in += lead_in;
                return;
            }
            place = entry.before;
        }
        let before = std::mem::replace(last, self.names.len() as u32);
        self.names.push(NameEntry { cause, name, time, lead_in, before });
    }

    /// Closes the gap whose segments came last. What they do not cover is the way of the late launch to the device, and
    /// what it waited for there.
    fn close_current(&mut self) {
        if let Some(mut current) = self.current.take() {
            let gap = self.gaps[current.gap].interval;
            let covered: Ns = current.times.iter().copied().sum();
            let arrived = (gap.start + covered + LATEST_ARRIVAL).min(gap.end);
            current.times[Cause::Held as usize] += gap.end - arrived;
            current.times[Cause::Latency as usize] += arrived - gap.start - covered;
            let covered: Ns = current.steady.iter().copied().sum::<Ns>() + current.start_up;
            let held = self.steady(Interval::new(arrived, gap.end));
            current.steady[Cause::Held as usize] += held;
            current.steady[Cause::Latency as usize] += self.steady(gap) - covered - held;
            self.close(&current);
        }
    }

    fn close(&mut self, current: &Current) {
        let gap = &self.gaps[current.gap];
        for (total, &time) in self.part.totals.iter_mut().zip(&current.times) {
            if gap.place == gaps::Place::LeadIn {
                total.lead_in += time;
            } else if gap.place == gaps::Place::Inside && time > Ns::ZERO {
                total.time += time;
                total.gaps += 1;
                total.longest = total.longest.max(time);
            }
        }
        for (total, &time) in self.part.totals.iter_mut().zip(&current.steady) {
            total.steady += time;
        }
        self.part.start_up += current.start_up;
        if current.times[Cause::Device as usize] <= self.rank.options.kernel_wait {
            self.part.short_pauses += current.steady[Cause::Device as usize];
        }
        let host_work: Ns = Cause::HOST_WORK.iter().map(|&cause| current.steady[cause as usize]).sum();
        if current.began_in.is_none() && 2 * host_work.0 > gap.interval.length().0 {
            self.host_gaps.push(current.gap);
        }
        if let Some(place) = current.began_in.and_then(|key| self.places.get_mut(&key)) {
            place.gaps += 1;
            for cause in Cause::HOST_WORK {
                self.part.totals[cause as usize].after_sync += current.steady[cause as usize];
                place.after += current.times[cause as usize];
            }
        }
        if self.rank.options.details && gap.place != gaps::Place::Tail {
            self.part.details.push(self.row(current));
        }
    }

    fn row(&self, current: &Current) -> GapRow {
        let (trace, gap) = (self.rank.trace, &self.gaps[current.gap]);
        let time = |cause: &Cause| (current.times[*cause as usize], Reverse(*cause));
        let cause = Cause::ALL.iter().copied().max_by_key(time).unwrap_or(Cause::Unknown);
        let (_, what) = current.longest[cause as usize];
        let ended_by = gap.ended_by.map(|index| trace.strings.get(self.rank.gpu.name[index]).to_owned());
        GapRow {
            interval: gap.interval,
            cause,
            what: what.map(|slice| without_address(trace.slice_name(slice))),
            ended_by,
        }
    }

    fn finish(mut self) -> Part {
        self.close_current();
        let strings = &self.rank.trace.strings;
        let whole = self.rank.sets.span().map_or(Ns::ZERO, Interval::length) + self.part.lead_in();
        self.part.names = names(&self.names, |name| without_address(strings.get(name)));
        self.part.names.retain(|name| percentage(name.time + name.lead_in, whole) >= SMALL_PCT);
        self.part.places = places(&self.places, |name| without_address(strings.get(name)));
        self.part.details.sort_unstable_by_key(|row| row.interval.start);
        self.part.start_up_call =
            self.start_up_call.1.map(|call| self.rank.trace.slice_name(call).to_owned());
        self.compiling_steps.sort_unstable();
        self.compiling_steps.dedup();
        self.part.compiling_steps = self.compiling_steps.len() as u64;
        if is_notable(self.part.host_work(), self.rank.steady().time()) {
            let gaps = self.host_gaps.iter().map(|&gap| self.gaps[gap]).collect();
            self.part.launches = Some(Launches::measure(self.rank, gaps));
        }
        self.part.gains = Gains::of(self.rank, &self.part);
        self.part
    }
}

impl Current {
    fn new(gap: usize) -> Self {
        let (times, longest) = ([Ns::ZERO; Cause::ALL.len()], [(Ns::ZERO, None); Cause::ALL.len()]);
        Self { gap, times, longest, steady: times, start_up: Ns::ZERO, began_in: None }
    }
}

/// Where a segment waits, and how long.
fn place(trace: &Trace, segment: &Segment) -> (PlaceKey, PlaceTime) {
    let name =
        |slice: Option<SliceId>| slice.map_or(StringId::NONE, |slice| trace.slices.name[slice.index()]);
    let is_call = |slice: SliceId| trace.slices.kind[slice.index()] == SliceKind::Runtime;
    let operator = name(segment.operator);
    let around = if segment.root.is_some_and(is_call) { operator } else { StringId::NONE };
    let time = segment.interval.length();
    let longest = Some((time, name(segment.what), operator));
    ((name(segment.line), name(segment.root), around), PlaceTime { longest, time, ..PlaceTime::default() })
}

/// The longest names of each cause. Names that differ by an address are one.
fn names(entries: &[NameEntry], text: impl Fn(StringId) -> String) -> Vec<NameTime> {
    let mut merged: HashMap<(Cause, String), (Ns, Ns)> = HashMap::new();
    for entry in entries {
        let (time, lead_in) = merged.entry((entry.cause, text(entry.name))).or_default();
        *time += entry.time;
        *lead_in += entry.lead_in;
    }
    let row = |((cause, name), (time, lead_in))| NameTime { cause, name, time, lead_in };
    let mut names: Vec<NameTime> = merged.into_iter().map(row).collect();
    names.sort_unstable_by(|a, b| {
        let key = |row: &NameTime| (Reverse(row.time), Reverse(row.lead_in), row.cause);
        key(a).cmp(&key(b)).then_with(|| a.name.cmp(&b.name))
    });
    let mut kept = [0; Cause::ALL.len()];
    names.retain(|row| {
        kept[row.cause as usize] += 1;
        kept[row.cause as usize] <= KEPT
    });
    names
}

/// The places that cost most. Places that differ by an address are one.
fn places(times: &HashMap<PlaceKey, PlaceTime>, text: impl Fn(StringId) -> String) -> Vec<Place> {
    let mut merged: HashMap<[String; 3], PlaceTime> = HashMap::new();
    for (&(line, root, around), time) in times {
        merged.entry([text(line), text(root), text(around)]).or_default().merge(time);
    }
    let some = |text: String| (!text.is_empty()).then_some(text);
    let place = |([line, ..], place): ([String; 3], PlaceTime)| {
        let (_, call, operator) = place.longest.unwrap_or((Ns::ZERO, StringId::NONE, StringId::NONE));
        Place {
            call: text(call),
            operator: some(text(operator)),
            line: some(line),
            time: place.time,
            gaps: place.gaps,
            after: place.after,
        }
    };
    let mut places: Vec<Place> = merged.into_iter().map(place).collect();
    places.sort_unstable_by(|a, b| {
        let names = |place: &Place| (place.call.clone(), place.operator.clone(), place.line.clone());
        (b.time + b.after).cmp(&(a.time + a.after)).then_with(|| names(a).cmp(&names(b)))
    });
    places.truncate(KEPT);
    places
}

/// `<built-in method item of Tensor object at 0x7f5a0c3b10e0>` without where the object was.
pub(in crate::analyses) fn without_address(name: &str) -> String {
    match name.split_once(" at 0x") {
        Some((before, after)) => {
            let rest = after.trim_start_matches(|letter: char| letter.is_ascii_hexdigit());
            format!("{before}{rest}")
        }
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_do_not_tell_names_apart() {
        assert_eq!(
            without_address("<built-in method item of Tensor object at 0x7f5a0c3b10e0>"),
            "<built-in method item of Tensor object>"
        );
        assert_eq!(without_address("train.py(3): step"), "train.py(3): step");
        let entry = |name, time, lead_in| NameEntry {
            cause: Cause::Python,
            name: StringId(name),
            time: Ns(time),
            lead_in: Ns(lead_in),
            before: NO_ENTRY,
        };
        let merged = names(&[entry(0, 2, 0), entry(1, 3, 1)], |_| "same".to_owned());
        let expected =
            NameTime { cause: Cause::Python, name: "same".to_owned(), time: Ns(5), lead_in: Ns(1) };
        assert_eq!(merged, [expected]);
    }
}
