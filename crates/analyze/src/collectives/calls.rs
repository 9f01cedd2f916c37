//! The collectives of one recording.

use std::collections::HashMap;

use eaves_model::{Interval, IntervalSet, MaybeI64, Ns};
use serde::{Deserialize, Serialize};

use super::covered::Covered;
use super::facts::{ElementName, FactFinder, Facts, Found};
use super::group::{Group, Place};
use super::kind::Kind;
use crate::constants::{self, Constant};
use crate::{KernelType, RankView, Statistics};

/// Below this a call moves so little that starting it costs more than moving: NCCL reaches half of its bandwidth
/// only around a megabyte, and PyTorch's DDP fills buckets of 25 MB for that reason.
pub(crate) const SMALL_BYTES: i64 = 64 << 10;

/// Calls of one kind, size, element type and group.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Row {
    /// Kind.
    pub(crate) kind: Kind,
    /// Name of calls of no known kind.
    pub(crate) name: Option<String>,
    /// Element type.
    pub(crate) element: Option<String>,
    /// Index into [`Calls::groups`].
    pub(crate) group: u32,
    /// Bytes of the smallest and of the largest call, or why they are not known.
    #[serde(deserialize_with = "constants::read_or_reason")]
    pub(crate) bytes: Result<(i64, i64), Constant>,
    /// Bytes of all calls.
    pub(crate) total_bytes: i64,
    /// Durations.
    pub(crate) statistics: Statistics,
    /// Time in which any of the calls ran.
    pub(crate) busy: Ns,
    /// Time of these in which nothing computed; nothing on the host.
    pub(crate) exposed: Option<Ns>,
}

impl Row {
    /// The size of every call, if all have the same.
    pub(crate) fn one_size(&self) -> Option<i64> {
        self.bytes.ok().filter(|(smallest, largest)| smallest == largest).map(|(size, _)| size)
    }
}

/// One call. Nothing but numbers: there are many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Call {
    /// Beginning, in the time of the recording.
    pub(crate) start: Ns,
    /// Length.
    pub(crate) duration: Ns,
    /// Part of it in which nothing computed.
    pub(crate) exposed: Ns,
    /// From the beginning of its launch on the host to its own.
    pub(crate) delay: MaybeI64,
    /// Number of the call among those of its group, the same on every rank.
    pub(crate) sequence: MaybeI64,
    /// Number of the profiler step it was launched in, or [`Call::NO_STEP`].
    pub(crate) step: u32,
    /// Index into [`Calls::rows`].
    pub(crate) row: u32,
}

impl Call {
    /// Launched outside of any step.
    pub(crate) const NO_STEP: u32 = u32::MAX;
}

/// The longest pause between two calls that were both launched in time.
const LONGEST_PAUSE: Ns = Ns(2_000);

/// All calls of one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Totals {
    /// Number of calls.
    pub(crate) calls: u64,
    /// Number of those whose size is known.
    pub(crate) sized: u64,
    /// Number of those that are small.
    pub(crate) small: u64,
    /// Time in which any call ran.
    pub(crate) busy: Ns,
    /// Time in which any small call ran.
    pub(crate) small_busy: Ns,
    /// Pauses between small calls one right behind the other, which go away with them.
    pub(crate) small_pauses: Ns,
}

/// The collectives of one recording.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub(crate) struct Calls {
    /// Kinds of calls.
    pub(crate) rows: Vec<Row>,
    /// Groups.
    pub(crate) groups: Vec<Group>,
    /// Calls that are selected whole, by group, step and start.
    pub(crate) calls: Vec<Call>,
    /// What ran on the GPU.
    pub(crate) gpu: Totals,
    /// What ran on the host.
    pub(crate) host: Totals,
    /// Calls of the host whose work on the device was not recorded, if no work on it was.
    pub(crate) unseen: u64,
    /// Wall-clock time of the recording's zero.
    pub(crate) base_time: Option<i64>,
    /// Number of ranks of the job.
    pub(crate) world_size: Option<u32>,
}

impl Calls {
    /// Finds the selected calls of a recording.
    pub(crate) fn of(rank: &RankView<'_>) -> Self {
        let mut builder = Builder::new(rank);
        for index in 0..rank.gpu.len() {
            if rank.gpu.kernel_type[index] == KernelType::Communication {
                builder.add_kernel(index);
            }
        }
        for slice in builder.finder.host_work() {
            if rank.selects(rank.trace.slices.start[slice.index()]) {
                builder.add_host_work(slice);
            }
        }
        builder.finish()
    }

    /// True if every call has its row and every row its group.
    pub(crate) fn is_sound(&self) -> bool {
        self.rows.iter().all(|row| (row.group as usize) < self.groups.len())
            && self.calls.iter().all(|call| (call.row as usize) < self.rows.len())
    }

    /// What ran in a place.
    pub(crate) fn totals(&self, place: Place) -> &Totals {
        match place {
            Place::Gpu => &self.gpu,
            Place::Host => &self.host,
        }
    }

    /// The group of a row.
    pub(crate) fn group_of(&self, row: &Row) -> &Group {
        &self.groups[row.group as usize]
    }
}

/// What distinguishes rows. Sizes of exchanges differ from call to call; they are combined by powers of two, or
/// there would be as many rows as calls.
type RowKey = Facts;

fn row_key(facts: Facts) -> RowKey {
    let size_class = |bytes: i64| if bytes > 0 { 1i64 << bytes.ilog2() } else { 0 };
    match facts.bytes {
        Ok(bytes) if !facts.kind.has_one_size() => Facts { bytes: Ok(size_class(bytes)), ..facts },
        _ => facts,
    }
}

struct Builder<'a> {
    rank: &'a RankView<'a>,
    finder: FactFinder<'a>,
    compute: Covered<'a>,
    rows: Vec<Row>,
    index: HashMap<RowKey, u32>,
    /// Times of the calls of each row.
    times: Vec<Vec<Interval>>,
    calls: Vec<Call>,
}

impl<'a> Builder<'a> {
    fn new(rank: &'a RankView<'a>) -> Self {
        Self {
            rank,
            finder: FactFinder::new(rank),
            compute: Covered::new(rank.sets.of_type(KernelType::Compute)),
            rows: Vec::new(),
            index: HashMap::new(),
            times: Vec::new(),
            calls: Vec::new(),
        }
    }

    fn add_kernel(&mut self, index: usize) {
        let (activity, interval) = (self.rank.gpu.row[index], self.rank.gpu.interval[index]);
        let found = self.finder.of_kernel(index);
        let slice = self.rank.trace.gpu.slice[activity.index()].index();
        // Part of a call compares with nothing.
        let is_whole = self.rank.trace.slices.interval(slice) == interval;
        let steps = &self.rank.steps;
        let step = match steps.is_empty() {
            true => None,
            false => steps.of_activity(self.rank.trace, self.rank.links(), activity),
        };
        let launch = self.rank.links().launch(activity);
        let launched = launch.map(|launch| self.rank.trace.slices.start[launch.index()]);
        let delay = launched.map(|launched| (interval.start - launched).0).into();
        self.add(found, interval, delay, is_whole.then_some(step));
    }

    fn add_host_work(&mut self, slice: eaves_model::SliceId) {
        let interval = self.rank.trace.slices.interval(slice.index());
        let found = self.finder.of_host_work(slice);
        let step = self.rank.steps.at(interval.start);
        self.add(found, interval, MaybeI64::NONE, Some(step));
    }

    /// Takes in a call; the step is that of a call that is selected whole.
    fn add(&mut self, found: Found, interval: Interval, delay: MaybeI64, step: Option<Option<usize>>) {
        let Found { facts, sequence } = found;
        let row = self.row_of(facts);
        let index = row as usize;
        self.rows[index].statistics.add(interval.length());
        self.times[index].push(interval);
        if let Ok(bytes) = facts.bytes {
            let row = &mut self.rows[index];
            row.total_bytes = row.total_bytes.saturating_add(bytes);
            row.bytes = row.bytes.map(|(smallest, largest)| (smallest.min(bytes), largest.max(bytes)));
        }
        if let Some(step) = step {
            let number = step.and_then(|step| u32::try_from(self.rank.steps.number(step)).ok());
            self.calls.push(Call {
                start: interval.start,
                duration: interval.length(),
                exposed: self.compute.uncovered(interval),
                delay,
                sequence,
                step: number.unwrap_or(Call::NO_STEP),
                row,
            });
        }
    }

    fn row_of(&mut self, facts: Facts) -> u32 {
        let key = row_key(facts);
        if let Some(&row) = self.index.get(&key) {
            return row;
        }
        let text = |id| self.rank.trace.strings.get(id).to_owned();
        let row = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        self.rows.push(Row {
            kind: facts.kind,
            name: facts.name.some().map(text),
            element: match facts.element {
                ElementName::Known(name) => Some(name.to_owned()),
                ElementName::AsWritten(id) => Some(text(id)),
                ElementName::NotRecorded => None,
            },
            group: facts.group,
            bytes: facts.bytes.map(|bytes| (bytes, bytes)),
            total_bytes: 0,
            statistics: Statistics::default(),
            busy: Ns::ZERO,
            exposed: None,
        });
        self.times.push(Vec::new());
        self.index.insert(key, row);
        row
    }

    fn finish(mut self) -> Calls {
        let groups = std::mem::take(&mut self.finder.groups);
        let place = |row: &Row| groups[row.group as usize].place;
        let (gpu, host) =
            (self.totals(|row| place(row) == Place::Gpu), self.totals(|row| place(row) == Place::Host));
        for (row, times) in self.rows.iter_mut().zip(std::mem::take(&mut self.times)) {
            let times = IntervalSet::union_of(times);
            row.busy = times.measure();
            if place(row) == Place::Gpu {
                row.exposed = Some(times.as_slice().iter().map(|&time| self.compute.uncovered(time)).sum());
            }
        }
        let distributed = self.rank.trace.metadata.distributed.as_ref();
        let world_size = distributed.and_then(|info| u32::try_from(info.world_size?).ok());
        let rows = &self.rows;
        self.calls.sort_by_key(|call| (rows[call.row as usize].group, call.step, call.start));
        Calls {
            unseen: if gpu.calls == 0 { self.finder.launches() } else { 0 },
            rows: self.rows,
            groups,
            calls: self.calls,
            gpu,
            host,
            base_time: self.rank.trace.metadata.base_time_ns,
            world_size,
        }
    }

    fn totals(&self, keep: impl Fn(&Row) -> bool) -> Totals {
        let mut totals = Totals::default();
        let (mut all, mut small) = (Vec::new(), Vec::new());
        for (row, times) in self.rows.iter().zip(&self.times).filter(|(row, _)| keep(row)) {
            totals.calls += row.statistics.count();
            all.extend_from_slice(times);
            if let Ok((_, largest)) = row.bytes {
                totals.sized += row.statistics.count();
                if largest < SMALL_BYTES {
                    totals.small += row.statistics.count();
                    small.extend_from_slice(times);
                }
            }
        }
        totals.busy = IntervalSet::union_of(all).measure();
        let small = IntervalSet::union_of(small);
        totals.small_busy = small.measure();
        let pauses = small.as_slice().windows(2).map(|pair| pair[1].start - pair[0].end);
        totals.small_pauses = pauses.filter(|&pause| pause <= LONGEST_PAUSE).sum();
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges_of_similar_size_share_a_row() {
        let facts = |kind, bytes| Facts {
            kind,
            name: eaves_model::StringId::NONE,
            element: ElementName::NotRecorded,
            group: 0,
            bytes: Ok(bytes),
        };
        let key = |kind, bytes| row_key(facts(kind, bytes)).bytes;
        assert_eq!([key(Kind::AllToAll, 1024), key(Kind::AllToAll, 2047)], [Ok(1024), Ok(1024)]);
        assert_eq!([key(Kind::AllToAll, 0), key(Kind::AllToAll, i64::MAX)], [Ok(0), Ok(1 << 62)]);
        assert_eq!(key(Kind::AllReduce, 2047), Ok(2047));
    }
}
