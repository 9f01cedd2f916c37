//! The tables of what happened: dispatches, regions, copies, allocations and counters.

use std::collections::HashMap;

use eaves_model::{
    Allocation, Counter, GpuActivity, Instant, MaybeU32, Ns, RangeCounter, RuntimeCall, Slice, SliceId,
    SliceKind, StringId, Trace, TrackId, WarningKind,
};

use super::super::Refused;
use super::super::shared::amd::{self, DeviceLane, Kernel, Places};
use super::Run;
use super::events::{Event, Events};
use super::tables::{self, Described};
use crate::sqlite::Row;

/// A run being read.
struct Reading<'r, 't> {
    run: Run<'r>,
    described: Described,
    events: Events,
    trace: &'t mut Trace,
    later: bool,
    tracks: HashMap<Place, TrackId>,
    /// Kernels by their events.
    kernels: HashMap<i64, SliceId>,
}

/// What a track is made of: numbers of rows of the tables that describe.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Thread(Option<i64>, Option<i64>),
    Device(Option<i64>, Option<u32>, DeviceLane),
}

/// Reads a run. `later` is true if another was there before.
pub(super) fn read(run: Run<'_>, trace: &mut Trace, later: bool) -> Result<(), Refused> {
    let described = tables::read(run, trace)?;
    let events = Events::read(run, &described, trace)?;
    let first = (trace.gpu.len(), trace.runtime.len());
    let mut reading =
        Reading { run, described, events, trace, later, tracks: HashMap::new(), kernels: HashMap::new() };
    reading.dispatches()?;
    reading.regions()?;
    reading.copies()?;
    reading.allocations()?;
    reading.counters()?;
    let Reading { described, trace, .. } = reading;
    if later {
        amd::separate_correlations(trace, first.0, first.1);
    }
    if trace.metadata.host_name.is_none() {
        trace.metadata.host_name = described.host_name;
    }
    amd::add_devices(trace, described.agents);
    Ok(())
}

impl Reading<'_, '_> {
    /// Shows the rows of a table to a function that may change what is being read.
    fn each(
        &mut self,
        table: &str,
        wanted: &[&str],
        mut take: impl FnMut(&mut Self, &Row<'_>),
    ) -> Result<(), Refused> {
        let run = self.run;
        // What the scan notes is put with the rest behind it: both cannot be changed at once.
        let mut noted = eaves_model::Diagnostics::default();
        run.scan(table, wanted, &mut noted, |row| take(self, row))?;
        self.trace.diagnostics.absorb(noted);
        Ok(())
    }

    fn dispatches(&mut self) -> Result<(), Refused> {
        let wanted = [
            "start",
            "end",
            "pid",
            "agent_id",
            "kernel_id",
            "dispatch_id",
            "queue_id",
            "stream_id",
            "private_segment_size",
            "group_segment_size",
            "workgroup_size_x",
            "workgroup_size_y",
            "workgroup_size_z",
            "grid_size_x",
            "grid_size_y",
            "grid_size_z",
            "event_id",
        ];
        self.each("rocpd_kernel_dispatch", &wanted, |reading, row| {
            let Some((start, duration)) = reading.times(row) else { return };
            let extent = |first: usize| extent(std::array::from_fn(|axis| row.integer(first + axis)));
            let agent = reading.described.agent(row.integer(3));
            let (device, wave_size) =
                (agent.and_then(|agent| agent.device), agent.and_then(|agent| agent.wave_size));
            let kernel = row.integer(4);
            let symbol = kernel.and_then(|kernel| reading.described.kernels.get(&kernel)).copied();
            let (name, registers) = match (symbol, kernel) {
                (Some(symbol), _) => symbol,
                (None, Some(kernel)) => {
                    (reading.trace.strings.intern(&format!("kernel {kernel}")), Default::default())
                }
                (None, None) => (StringId::NONE, Default::default()),
            };
            let (queue, stream) = (row.integer(6), row.integer(7));
            let lane =
                stream.map(DeviceLane::Stream).or(queue.map(DeviceLane::Queue)).unwrap_or(DeviceLane::Other);
            let event = reading.event(row.integer(16));
            let slice = Kernel {
                name,
                category: event.category,
                track: reading.track(Place::Device(row.integer(2), device, lane)),
                start,
                duration,
                position: position(row),
                device,
                stream,
                queue,
                correlation: used(event.correlation),
                external_id: reading.external(row.integer(16)),
                number: row.integer(5),
                work_items: extent(13),
                workgroup: extent(10),
                registers,
                shared_memory: row.integer(9),
                scratch: row.integer(8),
                wave_size,
            }
            .push(reading.trace);
            if let Some(event) = row.integer(16) {
                reading.kernels.insert(event, slice);
            }
        })
    }

    fn regions(&mut self) -> Result<(), Refused> {
        let wanted = ["start", "end", "pid", "tid", "name_id", "event_id"];
        self.each("rocpd_region", &wanted, |reading, row| {
            let Some((start, duration)) = reading.times(row) else { return };
            let event = reading.event(row.integer(5));
            let track = reading.track(Place::Thread(row.integer(2), row.integer(3)));
            let kind = kind_of(reading.trace.strings.get(event.category));
            let message = row.integer(5).and_then(|event| reading.events.messages.get(&event)).copied();
            let name = message.unwrap_or_else(|| reading.described.string(row.integer(4)));
            if kind == SliceKind::Annotation && duration == Ns(0) {
                let (category, scope, position) = (event.category, b't', position(row));
                reading.trace.events += 1;
                reading.trace.instants.push(Instant { time: start, track, name, category, scope, position });
                return;
            }
            let slice = reading.slice(row, (start, duration), name, event.category, track, kind);
            if kind == SliceKind::Runtime {
                let external_id = reading.external(row.integer(5)).into();
                let correlation = used(event.correlation).into();
                let call = RuntimeCall { slice, correlation, external_id, function: MaybeU32::NONE };
                reading.trace.runtime.push(call);
            }
        })
    }

    fn copies(&mut self) -> Result<(), Refused> {
        let wanted = [
            "start",
            "end",
            "pid",
            "name_id",
            "dst_agent_id",
            "src_agent_id",
            "size",
            "stream_id",
            "event_id",
        ];
        self.each("rocpd_memory_copy", &wanted, |reading, row| {
            let Some(times) = reading.times(row) else { return };
            let device =
                |column: usize| reading.described.agent(row.integer(column)).and_then(|agent| agent.device);
            let device = device(4).or_else(|| device(5));
            let stream = row.integer(7);
            let lane = stream.map_or(DeviceLane::Other, DeviceLane::Stream);
            let track = reading.track(Place::Device(row.integer(2), device, lane));
            let event = reading.event(row.integer(8));
            let written = reading.described.string(row.integer(3));
            let name = match amd::copy_words(reading.trace.strings.get(written)) {
                Some(words) => reading.trace.strings.intern(words),
                None => written,
            };
            let slice = reading.slice(row, times, name, event.category, track, SliceKind::Memcpy);
            let external_id = reading.external(row.integer(8)).into();
            reading.trace.gpu.push(GpuActivity {
                device: device.into(),
                stream: stream.into(),
                correlation: used(event.correlation).into(),
                external_id,
                bytes: row.integer(6).into(),
                detail: name,
                ..GpuActivity::of(slice)
            });
        })
    }

    /// Allocations of memory; scratch memory, which queues are given for a while, as slices of the queue.
    fn allocations(&mut self) -> Result<(), Refused> {
        let wanted = [
            "start", "end", "pid", "tid", "agent_id", "type", "level", "address", "size", "queue_id",
            "event_id",
        ];
        let first = self.trace.allocations.len();
        let mut is_release = Vec::new();
        self.each("rocpd_memory_allocate", &wanted, |reading, row| {
            let Some(times) = reading.times(row) else { return };
            let agent = reading.described.agent(row.integer(4));
            let (is_gpu, device) = (agent.map(|agent| agent.is_gpu()), agent.and_then(|agent| agent.device));
            let operation = row.text(5).unwrap_or_default();
            if row.text(6).as_deref() == Some("SCRATCH") {
                let lane = row.integer(9).map_or(DeviceLane::Other, DeviceLane::Queue);
                let track = reading.track(Place::Device(row.integer(2), device, lane));
                let name = reading.trace.strings.intern(&format!("SCRATCH_MEMORY_{operation}"));
                let event = reading.event(row.integer(10));
                reading.slice(row, times, name, event.category, track, SliceKind::Other);
                return;
            }
            let track = reading.track(Place::Thread(row.integer(2), row.integer(3)));
            is_release.push(operation == "FREE");
            reading.trace.events += 1;
            reading.trace.allocations.push(Allocation {
                time: times.0,
                track,
                bytes: row.integer(8).into(),
                address: row.integer(7).into(),
                // As PyTorch numbers them: 1 is a GPU, 0 the host.
                device_type: is_gpu.map(u32::from).into(),
                device: is_gpu.map(|_| device.map_or(-1, i64::from)).into(),
                position: position(row),
                ..Allocation::default()
            });
        })?;
        amd::pair_releases(self.trace, first, &is_release);
        Ok(())
    }

    /// Counters of kernels, added up over their instances as the view `counters_collection` does; those of samples as
    /// counters over time.
    fn counters(&mut self) -> Result<(), Refused> {
        let mut samples: HashMap<i64, i64> = HashMap::new();
        self.each("rocpd_sample", &["timestamp", "event_id"], |_, row| {
            if let (Some(time), Some(event)) = (row.integer(0), row.integer(1)) {
                samples.insert(event, time);
            }
        })?;
        let process = self.described.processes.keys().next().copied();
        let mut known: HashMap<(SliceId, StringId), usize> = HashMap::new();
        self.each("rocpd_pmc_event", &["event_id", "pmc_id", "value"], |reading, row| {
            let (Some(event), Some(value)) = (row.integer(0), row.number(2)) else { return };
            let counter = row.integer(1).and_then(|counter| reading.described.counters.get(&counter));
            let Some(&metric) = counter else {
                reading.trace.diagnostics.note(WarningKind::BadValue, Some(row.offset()));
                return;
            };
            let table = &mut reading.trace.range_counters;
            match (reading.kernels.get(&event), samples.get(&event)) {
                (Some(&slice), _) => match known.get(&(slice, metric)) {
                    Some(&at) => table.value[at] = table.value[at].get().map(|sum| sum + value).into(),
                    None => {
                        known.insert((slice, metric), table.len());
                        table.push(RangeCounter { slice, metric, value: Some(value).into() });
                    }
                },
                (None, Some(&time)) => {
                    let track = reading.track(Place::Thread(process, None));
                    let (name, series) = (metric, metric);
                    reading.trace.events += 1;
                    let value = Some(value).into();
                    reading.trace.counters.push(Counter { time: Ns(time), track, name, series, value });
                }
                (None, None) => reading.trace.diagnostics.note(WarningKind::BadValue, Some(row.offset())),
            }
        })
    }

    fn slice(
        &mut self,
        row: &Row<'_>,
        (start, duration): (Ns, Ns),
        name: StringId,
        category: StringId,
        track: TrackId,
        kind: SliceKind,
    ) -> SliceId {
        let slice = SliceId::from(self.trace.slices.len());
        self.trace.events += 1;
        self.trace.slices.push(Slice {
            start,
            duration,
            name,
            category,
            track,
            kind,
            position: position(row),
        });
        slice
    }

    fn event(&self, id: Option<i64>) -> Event {
        self.events.get(id).unwrap_or_else(Event::unknown)
    }

    fn external(&self, event: Option<i64>) -> Option<i64> {
        event.and_then(|event| self.events.external.get(&event)).copied()
    }

    /// Beginning and length of a row, whose first columns they are.
    fn times(&mut self, row: &Row<'_>) -> Option<(Ns, Ns)> {
        let (start, end) = (row.integer(0).filter(|start| *start > 0), row.integer(1));
        let Some(start) = start else {
            self.trace.diagnostics.note(WarningKind::BadTimestamp, Some(row.offset()));
            return None;
        };
        if end.is_none() {
            self.trace.diagnostics.note(WarningKind::MissingDuration, Some(row.offset()));
        }
        Some((Ns(start), Ns(end.map_or(0, |end| end.saturating_sub(start)))))
    }

    fn track(&mut self, place: Place) -> TrackId {
        if let Some(&track) = self.tracks.get(&place) {
            return track;
        }
        let (Place::Thread(process, _) | Place::Device(process, ..)) = place;
        let process = process.and_then(|process| self.described.processes.get(&process)).copied();
        let places = Places { agents: &self.described.agents, process, later: self.later };
        let track = match place {
            Place::Device(_, device, lane) => places.device(self.trace, device, lane),
            Place::Thread(_, thread) => {
                let known = thread.and_then(|thread| self.described.threads.get(&thread));
                let (number, name) = known.map_or((0, ""), |(number, name)| (*number, name.as_str()));
                places.thread(self.trace, number, name)
            }
        };
        self.tracks.insert(place, track);
        track
    }
}

fn position(row: &Row<'_>) -> i64 {
    i64::try_from(row.offset()).unwrap_or(i64::MAX)
}

/// Sizes that fit, or noughts: with an axis that does not, the others say nothing of the whole.
fn extent(axes: [Option<i64>; 3]) -> [u32; 3] {
    let [x, y, z] = axes.map(|axis| u32::try_from(axis?).ok().filter(|size| *size > 0));
    match (x, y, z) {
        (Some(x), Some(y), Some(z)) => [x, y, z],
        _ => [0; 3],
    }
}

/// Zero stands for what was not given.
fn used(number: i64) -> Option<i64> {
    (number != 0).then_some(number)
}

/// What the categories of regions mean: the names of rocprofiler-sdk's kinds of records.
fn kind_of(category: &str) -> SliceKind {
    const CALLS: [&str; 5] = ["HIP_", "HSA_", "RCCL_", "ROCDECODE_", "ROCJPEG_"];
    if category.starts_with("MARKER") {
        SliceKind::Annotation
    } else if CALLS.iter().any(|library| category.starts_with(library)) {
        SliceKind::Runtime
    } else {
        SliceKind::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_fit_as_a_whole_or_are_unknown() {
        assert_eq!(extent([Some(64), Some(2), Some(1)]), [64, 2, 1]);
        for axis in [None, Some(-1), Some(0), Some(1 << 32)] {
            assert_eq!(extent([Some(64), axis, Some(1)]), [0; 3]);
        }
    }
}
