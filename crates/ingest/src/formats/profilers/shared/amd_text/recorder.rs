//! Dispatches, calls, copies and markers as rows of a trace.

use std::collections::HashMap;

use eaves_model::{
    Allocation, Diagnostics, Dispatch, Extent, GpuActivity, Ident, MaybeF64, MaybeI64, MaybeU32, Ns, Process,
    RangeCounter, RuntimeCall, Slice, SliceId, SliceKind, StringId, Times, Trace, Track, TrackId,
    WarningKind,
};

use super::cells::Stamp;
use super::names;

/// The start of a slice whose time is not known, until the end of the file tells what to do about it.
const UNKNOWN: Ns = Ns::MIN;

/// A dispatch as a row of a file says it. What it does not say is `None`.
#[derive(Debug, Default)]
pub(in super::super::super) struct Kernel<'a> {
    pub(in super::super::super) name: &'a [u8],
    pub(in super::super::super) device: Option<u32>,
    pub(in super::super::super) queue: Option<i64>,
    pub(in super::super::super) stream: Option<i64>,
    pub(in super::super::super) correlation: Option<i64>,
    pub(in super::super::super) number: Option<i64>,
    /// Work-items by axis.
    pub(in super::super::super) work_items: Option<[u64; 3]>,
    /// Work-items in all.
    pub(in super::super::super) total_work_items: Option<u64>,
    /// Work-items per group by axis.
    pub(in super::super::super) group: Option<[u64; 3]>,
    /// Work-items per group in all.
    pub(in super::super::super) group_size: Option<u64>,
    /// Vector registers, both kinds together, where the profiler knows no kinds.
    pub(in super::super::super) registers: Option<u64>,
    pub(in super::super::super) vector_registers: Option<u64>,
    pub(in super::super::super) accumulation_registers: Option<u64>,
    pub(in super::super::super) scalar_registers: Option<u64>,
    pub(in super::super::super) shared_memory: Option<u64>,
    pub(in super::super::super) scratch: Option<u64>,
    pub(in super::super::super) wave_size: Option<u64>,
}

/// When something happened and where its row stands.
#[derive(Clone, Copy, Debug)]
pub(in super::super::super) struct When {
    pub(in super::super::super) start: Stamp,
    pub(in super::super::super) end: Stamp,
    pub(in super::super::super) offset: u64,
}

/// Fills a trace. Times are the profiler's own until [`Recorder::finish`].
#[derive(Debug, Default)]
pub(in super::super::super) struct Recorder {
    pub(in super::super::super) trace: Trace,
    /// Timestamps that were rounded, and where first.
    rounded: (u64, Option<u64>),
    /// Slices without a time.
    untimed: Vec<SliceId>,
    /// Tracks met before, by the numbers that make them.
    tracks: HashMap<Place, TrackId>,
}

/// The numbers that a track is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Device(Option<u32>, Option<i64>, Option<i64>),
    Copies(Option<u32>),
    Thread(Option<i64>, Option<i64>),
}

impl Recorder {
    /// What was odd.
    pub(in super::super::super) fn diagnostics(&mut self) -> &mut Diagnostics {
        &mut self.trace.diagnostics
    }

    /// The track of a stream or queue of a device, named.
    pub(in super::super::super) fn device_track(
        &mut self,
        device: Option<u32>,
        stream: Option<i64>,
        queue: Option<i64>,
    ) -> TrackId {
        let place = Place::Device(device, stream, queue);
        if let Some(&track) = self.tracks.get(&place) {
            return track;
        }
        let process = self.device_process(device);
        let (thread, name) = match (stream, queue) {
            (Some(stream), _) => (Ident::number(stream), format!("stream {stream}")),
            (None, Some(queue)) => (Ident::number(queue), format!("queue {queue}")),
            (None, None) => (Ident::number(0), "kernels".to_owned()),
        };
        let track = self.named_track(Ident::text(process), process, thread, &name);
        self.tracks.insert(place, track);
        track
    }

    /// Device numbers are small, as are the numbers of processes in a container; so devices go by name.
    fn device_process(&mut self, device: Option<u32>) -> StringId {
        match device {
            Some(device) => self.trace.strings.intern(&format!("GPU {device}")),
            None => self.trace.strings.intern("GPU"),
        }
    }

    fn copy_track(&mut self, device: Option<u32>) -> TrackId {
        if let Some(&track) = self.tracks.get(&Place::Copies(device)) {
            return track;
        }
        let process = self.device_process(device);
        let thread = Ident::text(self.trace.strings.intern("copies"));
        let track = self.named_track(Ident::text(process), process, thread, "copies");
        self.tracks.insert(Place::Copies(device), track);
        track
    }

    /// The track of a thread of a process of the program.
    pub(in super::super::super) fn thread_track(
        &mut self,
        process: Option<i64>,
        thread: Option<i64>,
    ) -> TrackId {
        let place = Place::Thread(process, thread);
        if let Some(&track) = self.tracks.get(&place) {
            return track;
        }
        let name = self.trace.strings.intern("program");
        let process = process.map_or(Ident::text(name), Ident::number);
        let thread = thread.unwrap_or(0);
        let track = self.named_track(process, name, Ident::number(thread), &format!("thread {thread}"));
        self.tracks.insert(place, track);
        track
    }

    /// A track that is described when it is met first.
    pub(in super::super::super) fn named_track(
        &mut self,
        process: Ident,
        name: StringId,
        thread: Ident,
        title: &str,
    ) -> TrackId {
        let known = self.trace.tracks.len();
        let track = self.trace.tracks.get_or_add(process, thread);
        if self.trace.tracks.len() > known {
            let title = self.trace.strings.intern(title);
            self.trace.tracks.describe_thread(Track {
                process,
                thread,
                name: title,
                sort_index: MaybeI64::NONE,
            });
            let said = Process { process, name, labels: StringId::NONE, sort_index: MaybeI64::NONE };
            self.trace.tracks.describe_process(said);
        }
        track
    }

    /// A text from the file, with what is not Unicode noted.
    pub(in super::super::super) fn text(&mut self, bytes: &[u8], offset: u64) -> StringId {
        let (id, is_sound) = self.trace.strings.intern_bytes(bytes);
        if !is_sound {
            self.trace.diagnostics.note(WarningKind::InvalidText, Some(offset));
        }
        id
    }

    /// Anything with a duration. Times that are lost make it 0 long.
    pub(in super::super::super) fn slice(
        &mut self,
        kind: SliceKind,
        name: StringId,
        category: &str,
        track: TrackId,
        when: When,
    ) -> SliceId {
        let slice = SliceId::from(self.trace.slices.len());
        let rounded = [when.start, when.end].iter().filter(|stamp| **stamp == Stamp::Rounded).count() as u64;
        if rounded > 0 {
            self.rounded.0 += rounded;
            self.rounded.1 = self.rounded.1.or(Some(when.offset));
        }
        let (start, duration) = match (when.start.get(), when.end.get()) {
            (Some(start), Some(end)) => (Ns(start), Ns(end.saturating_sub(start))),
            (Some(start), None) if rounded == 0 => {
                self.trace.diagnostics.note(WarningKind::MissingDuration, Some(when.offset));
                (Ns(start), Ns::ZERO)
            }
            _ => {
                self.untimed.push(slice);
                (UNKNOWN, Ns::ZERO)
            }
        };
        let category = self.trace.strings.intern(category);
        let position = when.offset.min(i64::MAX as u64) as i64;
        self.trace.slices.push(Slice { start, duration, name, category, track, kind, position });
        self.trace.events += 1;
        slice
    }

    /// A dispatch.
    pub(in super::super::super) fn kernel(&mut self, kernel: &Kernel<'_>, when: When) -> SliceId {
        let name = self.text(names::kernel(kernel.name), when.offset);
        let track = self.device_track(kernel.device, kernel.stream, kernel.queue);
        let slice = self.slice(SliceKind::Kernel, name, "kernel", track, when);
        let (grid, block) = blocks(kernel);
        let both = kernel.vector_registers.zip(kernel.accumulation_registers);
        let registers =
            kernel.registers.or(both.map(|(vector, accumulation)| vector.saturating_add(accumulation)));
        self.trace.gpu.push(GpuActivity {
            slice,
            device: kernel.device.into(),
            // Where streams are not told, queues are what runs in order.
            stream: kernel.stream.or(kernel.queue).into(),
            correlation: kernel.correlation.filter(|&id| id != 0).into(),
            grid,
            block,
            registers: small(registers),
            shared_memory: large(kernel.shared_memory),
            ..GpuActivity::of(slice)
        });
        self.trace.dispatches.push(Dispatch {
            slice,
            number: kernel.number.into(),
            queue: kernel.queue.into(),
            work_items: extent(kernel.work_items),
            total_work_items: large(kernel.total_work_items.or(kernel.work_items.map(product))),
            vector_registers: small(kernel.vector_registers),
            accumulation_registers: small(kernel.accumulation_registers),
            scalar_registers: small(kernel.scalar_registers),
            scratch: large(kernel.scratch),
            wave_size: small(kernel.wave_size),
        });
        slice
    }

    /// A call of the runtime.
    pub(in super::super::super) fn call(
        &mut self,
        name: &[u8],
        category: &str,
        (process, thread): (Option<i64>, Option<i64>),
        correlation: Option<i64>,
        when: When,
    ) -> SliceId {
        let name = self.text(name.trim_ascii(), when.offset);
        let track = self.thread_track(process, thread);
        let slice = self.slice(SliceKind::Runtime, name, category, track, when);
        let correlation = correlation.filter(|&id| id != 0).into();
        let call = RuntimeCall { slice, correlation, external_id: MaybeI64::NONE, function: MaybeU32::NONE };
        self.trace.runtime.push(call);
        slice
    }

    /// A range or mark that the program named.
    pub(in super::super::super) fn annotation(
        &mut self,
        name: &[u8],
        (process, thread): (Option<i64>, Option<i64>),
        when: When,
    ) -> SliceId {
        let name = self.text(name, when.offset);
        let track = self.thread_track(process, thread);
        self.slice(SliceKind::Annotation, name, "user_annotation", track, when)
    }

    /// A copy, by what the profiler calls its direction.
    pub(in super::super::super) fn copy(
        &mut self,
        direction: &[u8],
        device: Option<u32>,
        stream: Option<i64>,
        correlation: Option<i64>,
        when: When,
    ) -> SliceId {
        let name = self.trace.strings.intern(names::copy(direction));
        let track = self.copy_track(device);
        let slice = self.slice(SliceKind::Memcpy, name, "gpu_memcpy", track, when);
        let row = GpuActivity {
            device: device.into(),
            stream: stream.into(),
            correlation: correlation.filter(|&id| id != 0).into(),
            detail: name,
            ..GpuActivity::of(slice)
        };
        self.trace.gpu.push(row);
        slice
    }

    /// An allocation, or with negative bytes a release.
    pub(in super::super::super) fn allocation(
        &mut self,
        bytes: Option<i64>,
        address: Option<i64>,
        device: Option<i64>,
        when: When,
    ) {
        self.trace.events += 1;
        let Some(time) = when.start.get() else {
            self.trace.diagnostics.note(WarningKind::BadTimestamp, Some(when.offset));
            return;
        };
        let name = self.trace.strings.intern("program");
        let thread = Ident::text(self.trace.strings.intern("allocations"));
        let track = self.named_track(Ident::text(name), name, thread, "allocations");
        self.trace.allocations.push(Allocation {
            time: Ns(time),
            track,
            bytes: bytes.into(),
            address: address.into(),
            device: device.into(),
            position: when.offset.min(i64::MAX as u64) as i64,
            ..Allocation::default()
        });
    }

    /// A hardware counter of a dispatch.
    pub(in super::super::super) fn counter(&mut self, slice: SliceId, metric: StringId, value: f64) {
        self.trace.range_counters.push(RangeCounter { slice, metric, value: MaybeF64::new(value) });
    }

    /// The trace, with times from its first one.
    pub(in super::super::super) fn finish(mut self, tool: &str, clock: &str) -> Trace {
        self.notice_rounding();
        let trace = &mut self.trace;
        trace.metadata.tool = Some(tool.to_owned());
        let known = trace.slices.start.iter().filter(|start| **start != UNKNOWN);
        let times =
            known.chain(&trace.allocations.time).chain(&trace.instants.time).chain(&trace.counters.time);
        let base = times.min().copied();
        let untimed = self.untimed.len() as u64;
        for start in &mut trace.slices.start {
            *start = if *start == UNKNOWN { Ns::ZERO } else { *start - base.unwrap_or_default() };
        }
        let others = [&mut trace.allocations.time, &mut trace.instants.time, &mut trace.counters.time];
        others.into_iter().flatten().for_each(|time| *time -= base.unwrap_or_default());
        trace.diagnostics.note_many(WarningKind::RoundedTimes, self.rounded.0, self.rounded.1);
        match base {
            Some(base) => {
                trace.metadata.base_time_ns = Some(base.0);
                trace.metadata.clock = Some(clock.to_owned());
                let first = self.untimed.first().and_then(|slice| trace.slices.position.get(slice.index()));
                if self.rounded.0 == 0 {
                    trace.diagnostics.note_many(
                        WarningKind::MissingDuration,
                        untimed,
                        first.map(|&at| at as u64),
                    );
                }
            }
            None if trace.slices.is_empty() => {}
            None => {
                trace.metadata.times = Times::NotRecorded;
                trace.metadata.clock = Some("no times recorded: kernels are in launch order".to_owned());
                trace.diagnostics.note_detail(WarningKind::NoStartTimes, None, "durations are unknown, too");
                trace.diagnostics.note_many(WarningKind::NoStartTimes, untimed.saturating_sub(1), None);
            }
        }
        self.trace
    }

    /// A spreadsheet also writes rounded times without an exponent: then several kernels are all 0 long, and every time
    /// is a multiple of a tenth of a millisecond.
    fn notice_rounding(&mut self) {
        let trace = &mut self.trace;
        let is_kernel = |row: &usize| trace.slices.kind.get(*row) == Some(&SliceKind::Kernel);
        let kernels: Vec<usize> = (0..trace.slices.len()).filter(is_kernel).collect();
        let is_round = |&row: &usize| {
            trace.slices.start[row] != UNKNOWN
                && trace.slices.duration[row] == Ns::ZERO
                && trace.slices.start[row].0 % 100_000 == 0
        };
        if kernels.len() < 2 || !kernels.iter().all(is_round) {
            return;
        }
        for row in kernels {
            trace.slices.start[row] = UNKNOWN;
            self.untimed.push(SliceId::from(row));
            self.rounded.0 += 2;
            self.rounded.1 = self.rounded.1.or(Some(trace.slices.position[row] as u64));
        }
    }
}

/// Groups launched and work-items per group. AMD counts work-items: a group that is not full counts as one. Of totals
/// alone, the extents are those of a launch along one axis.
fn blocks(kernel: &Kernel<'_>) -> (Extent, Extent) {
    if let (Some(items), Some(group)) = (kernel.work_items, kernel.group) {
        let groups = [0, 1, 2].map(|axis| match group[axis] {
            0 => 0,
            size => items[axis].div_ceil(size),
        });
        return (extent(Some(groups)), extent(Some(group)));
    }
    let block = extent(kernel.group_size.map(|size| [size, 1, 1]));
    match (kernel.total_work_items, kernel.group_size) {
        (Some(total), Some(size)) if size > 0 => (extent(Some([total.div_ceil(size), 1, 1])), block),
        _ => (Extent::default(), block),
    }
}

/// Extents that fit, or none.
fn extent(sizes: Option<[u64; 3]>) -> Extent {
    let fit = |sizes: [u64; 3]| {
        let [x, y, z] = sizes.map(|size| u32::try_from(size).ok().filter(|&size| size > 0));
        Some([x?, y?, z?])
    };
    sizes.and_then(fit).map_or(Extent::default(), Extent)
}

fn product(sizes: [u64; 3]) -> u64 {
    sizes.iter().fold(1, |so_far, &size| so_far.saturating_mul(size))
}

fn small(value: Option<u64>) -> MaybeU32 {
    value.and_then(|value| u32::try_from(value).ok()).into()
}

fn large(value: Option<u64>) -> MaybeI64 {
    value.and_then(|value| i64::try_from(value).ok()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_blocks() {
        let by_axis =
            Kernel { work_items: Some([1000, 20, 1]), group: Some([64, 1, 1]), ..Kernel::default() };
        // 1000 / 64 = 15.6: the last of 16 groups is not full.
        assert_eq!(blocks(&by_axis), (Extent([16, 20, 1]), Extent([64, 1, 1])));
        let totals =
            Kernel { total_work_items: Some(1_000_000_000), group_size: Some(256), ..Kernel::default() };
        assert_eq!(blocks(&totals), (Extent([3_906_250, 1, 1]), Extent([256, 1, 1])));
        let odd = Kernel { total_work_items: Some(1000), group_size: Some(256), ..Kernel::default() };
        // 1000 / 256 = 3.9: the last of 4 groups is not full.
        assert_eq!(blocks(&odd), (Extent([4, 1, 1]), Extent([256, 1, 1])));
        let none = Kernel { total_work_items: Some(10), group_size: Some(0), ..Kernel::default() };
        assert_eq!(blocks(&none), (Extent::default(), Extent::default()));
    }
}
