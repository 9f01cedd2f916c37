//! Packets to rows.

use std::collections::HashMap;

use eaves_model::{
    Counter, Extent, GpuActivity, Instant, MaybeI64, Ns, RangeCounter, RuntimeCall, Slice, SliceId,
    SliceKind, StringId, Trace, TrackId, WarningKind,
};

use super::super::shared::amd::{self, DeviceLane, Kernel, Places, Registers};
use super::annotations::Annotations;
use super::clocks::{BOOTTIME, Clocks};
use super::packets;
use super::sequences::Sequence;
use super::tracks::Descriptors;
use crate::protobuf::{Fields, Value};

/// `SEQ_INCREMENTAL_STATE_CLEARED` and `SEQ_NEEDS_INCREMENTAL_STATE`.
const CLEARED: u64 = 1;
const NEEDS_STATE: u64 = 2;

/// Where a row belongs, until all tracks are described.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Lane {
    /// A track by its number.
    Track(u64),
    /// A stream of a device, with the track it was drawn on.
    Device(Option<u32>, Option<i64>, u64),
}

/// A track event, read.
#[derive(Default)]
struct Event<'a> {
    kind: u64,
    track: Option<u64>,
    name: Option<StringId>,
    category: Option<StringId>,
    counter: Option<f64>,
    legacy: Option<&'a [u8]>,
}

/// What was read so far.
#[derive(Default)]
pub(super) struct Events {
    pub(super) trace: Trace,
    clocks: Clocks,
    sequences: HashMap<u64, Sequence>,
    descriptors: Descriptors,
    lanes: Vec<Lane>,
    known_lanes: HashMap<Lane, u32>,
    /// Slices that have not ended, by track.
    open: HashMap<u64, Vec<SliceId>>,
    /// Tracks of counter samples.
    counters: Vec<u64>,
    annotations: Annotations,
    lost: u64,
    foreign: u64,
}

impl Events {
    /// Takes in a packet.
    pub(super) fn packet(&mut self, packet: &[u8], offset: u64) {
        self.one(packet, offset, true);
    }

    fn one(&mut self, packet: &[u8], offset: u64, may_be_packed: bool) {
        let mut timestamp = None;
        let (mut clock, mut sequence, mut flags) = (None, 0, 0);
        let mut event: Option<&[u8]> = None;
        let (mut interned, mut defaults, mut snapshot, mut track) = (event, event, event, event);
        let mut dropped = false;
        for field in Fields::new(packet) {
            let Ok(field) = field else {
                self.trace.diagnostics.note(WarningKind::Garbage, Some(offset));
                return;
            };
            match (field.number, field.value) {
                (8, Value::Varint(value)) => timestamp = Some(value),
                (10, Value::Varint(value)) => sequence = value,
                (13, Value::Varint(value)) => flags |= value,
                (41, Value::Varint(1)) => flags |= CLEARED,
                (42, Value::Varint(value)) => dropped = value != 0,
                (58, Value::Varint(value)) => clock = Some(value),
                (11, Value::Bytes(message)) => event = Some(message),
                (12, Value::Bytes(message)) => interned = Some(message),
                (59, Value::Bytes(message)) => defaults = Some(message),
                (6, Value::Bytes(message)) => snapshot = Some(message),
                (60, Value::Bytes(message)) => track = Some(message),
                (50, Value::Bytes(packed)) if may_be_packed => {
                    let mut sound = true;
                    sound &= packets::unpack(packed, |packet| self.one(packet, offset, false));
                    if !sound {
                        self.trace.diagnostics.note(WarningKind::DamagedContainer, Some(offset));
                    }
                }
                // Events of the scheduler.
                (1, Value::Bytes(_)) => self.foreign += 1,
                _ => {}
            }
        }
        let state = self.sequences.entry(sequence).or_default();
        if flags & CLEARED != 0 {
            *state = Sequence::default();
        } else if dropped {
            state.has_holes = true;
        }
        if let Some(snapshot) = snapshot {
            self.clocks.snapshot(snapshot, sequence);
        }
        if let Some(track) = track {
            self.descriptors.take(track);
        }
        if flags & NEEDS_STATE != 0 && state.has_holes {
            self.lost += 1;
            return;
        }
        if let Some(interned) = interned {
            state.intern(interned, &mut self.trace.strings);
        }
        if let Some(defaults) = defaults {
            state.default_to(defaults);
        }
        let Some(event) = event else { return };
        let clock = clock.or(state.clock).unwrap_or(BOOTTIME);
        let time = timestamp.and_then(|time| self.clocks.convert(time, clock, sequence));
        let Some(time) = time else {
            self.trace.diagnostics.note(WarningKind::BadTimestamp, Some(offset));
            return;
        };
        self.event(event, Ns(time), sequence, offset);
    }

    fn event(&mut self, message: &[u8], time: Ns, sequence: u64, offset: u64) {
        let Some(state) = self.sequences.get(&sequence) else { return };
        let mut event = Event::default();
        for field in Fields::new(message).flatten() {
            let strings = &mut self.trace.strings;
            match (field.number, field.value) {
                (9, Value::Varint(kind)) => event.kind = kind,
                (11, Value::Varint(track)) => event.track = Some(track),
                (10, Value::Varint(name)) => event.name = state.names.get(&name).copied(),
                (23, Value::Bytes(name)) => event.name = Some(strings.intern_bytes(name).0),
                (3, Value::Varint(category)) => {
                    event.category = event.category.or(state.categories.get(&category).copied());
                }
                (22, Value::Bytes(category)) => {
                    event.category = event.category.or(Some(strings.intern_bytes(category).0));
                }
                (30, Value::Varint(value)) => event.counter = Some(value as i64 as f64),
                (44, value) => event.counter = value.float(),
                (6, Value::Bytes(legacy)) => event.legacy = Some(legacy),
                _ => {}
            }
        }
        let track = event.track.or(state.track).unwrap_or(0);
        let mut duration = None;
        if let Some(legacy) = event.legacy {
            duration = legacy_event(legacy, &mut event, state);
        }
        match event.kind {
            1 => {
                self.annotations.clear();
                for field in Fields::new(message).flatten().filter(|field| field.number == 4) {
                    let annotation = field.value.bytes().unwrap_or_default();
                    self.annotations.take(annotation, state, &mut self.trace.strings);
                }
                let slice = self.slice(&event, track, time, offset);
                match duration {
                    Some(duration) => self.trace.slices.duration[slice.index()] = Ns(duration),
                    None => self.open.entry(track).or_default().push(slice),
                }
            }
            2 => match self.open.get_mut(&track).and_then(Vec::pop) {
                Some(slice) => {
                    let length = time.0.saturating_sub(self.trace.slices.start[slice.index()].0);
                    self.trace.slices.duration[slice.index()] = Ns(length);
                }
                None => self.trace.diagnostics.note(WarningKind::UnmatchedEnd, Some(offset)),
            },
            3 => {
                let track = self.lane(Lane::Track(track));
                self.trace.events += 1;
                self.trace.instants.push(Instant {
                    time,
                    track,
                    name: event.name.unwrap_or(StringId::NONE),
                    category: event.category.unwrap_or(StringId::NONE),
                    scope: b't',
                    position: offset as i64,
                });
            }
            4 => {
                self.trace.events += 1;
                self.counters.push(track);
                let lane = self.lane(Lane::Track(track));
                let (name, series) = (StringId::NONE, StringId::NONE);
                self.trace.counters.push(Counter {
                    time,
                    track: lane,
                    name,
                    series,
                    value: event.counter.into(),
                });
            }
            _ => self.trace.diagnostics.note(WarningKind::UnknownPhase, Some(offset)),
        }
    }

    /// Adds a slice with its details; its length is known later.
    fn slice(&mut self, event: &Event<'_>, track: u64, start: Ns, offset: u64) -> SliceId {
        let category = event.category.unwrap_or(StringId::NONE);
        let kind = kind_of(self.trace.strings.get(category));
        let mut name = event.name.unwrap_or(StringId::NONE);
        let given = &self.annotations;
        let (device, stream, queue, target) = (given.agent, given.stream, given.queue, given.target);
        match kind {
            SliceKind::Kernel => {
                let shown = amd::kernel_name(self.trace.strings.get(name)).to_owned();
                name = self.trace.strings.intern(&shown);
                let lane = self.lane(Lane::Device(device, stream.or(queue), track));
                self.kernel(name, category, lane, start, offset)
            }
            SliceKind::Memcpy => {
                if let Some(words) = amd::copy_words(self.trace.strings.get(name)) {
                    name = self.trace.strings.intern(words);
                }
                let to_host = self.trace.strings.get(name).starts_with("Memcpy DtoH");
                let device = if to_host { device } else { target.or(device) };
                let lane = self.lane(Lane::Device(device, stream, track));
                let slice = self.push(name, category, lane, kind, start, offset);
                let given = &self.annotations;
                self.trace.gpu.push(GpuActivity {
                    device: device.into(),
                    stream: stream.into(),
                    correlation: given.correlation.into(),
                    bytes: given.bytes.into(),
                    detail: name,
                    ..GpuActivity::of(slice)
                });
                slice
            }
            _ => {
                let lane = self.lane(Lane::Track(track));
                let slice = self.push(name, category, lane, kind, start, offset);
                if kind == SliceKind::Runtime {
                    let given = &self.annotations;
                    self.trace.runtime.push(RuntimeCall {
                        slice,
                        correlation: given.correlation.into(),
                        external_id: MaybeI64::NONE,
                        function: given.operation.and_then(|number| u32::try_from(number).ok()).into(),
                    });
                }
                slice
            }
        }
    }

    fn kernel(
        &mut self,
        name: StringId,
        category: StringId,
        track: TrackId,
        start: Ns,
        offset: u64,
    ) -> SliceId {
        let given = &self.annotations;
        let (grid, workgroup) = (given.grid, given.workgroup);
        let kernel = Kernel {
            name,
            category,
            track,
            start,
            duration: Ns(0),
            position: offset as i64,
            device: given.agent,
            stream: given.stream,
            queue: given.queue,
            correlation: given.correlation,
            external_id: None,
            number: None,
            work_items: [0; 3],
            workgroup: [0; 3],
            registers: Registers {
                vector: given.vector_registers,
                accumulation: given.accumulation_registers,
                scalar: given.scalar_registers,
            },
            shared_memory: given.shared_memory,
            scratch: given.scratch,
            wave_size: None,
        };
        let counters = std::mem::take(&mut self.annotations.counters);
        let slice = kernel.push(&mut self.trace);
        // The product of the extents is written, not the extents: what groups that are not full make of it, nobody
        // knows.
        let row = self.trace.gpu.len() - 1;
        let whole = |value: Option<i64>| value.and_then(|value| u32::try_from(value).ok()).filter(|n| *n > 0);
        if let (Some(grid), Some(group)) = (whole(grid), whole(workgroup))
            && grid % group == 0
        {
            self.trace.gpu.grid.set(row, Extent([grid / group, 1, 1]));
        }
        if let Some(group) = whole(workgroup) {
            self.trace.gpu.block.set(row, Extent([group, 1, 1]));
        }
        let row = self.trace.dispatches.len() - 1;
        self.trace.dispatches.total_work_items.set(row, grid.into());
        for &(metric, value) in &counters {
            self.trace.range_counters.push(RangeCounter { slice, metric, value: Some(value).into() });
        }
        self.annotations.counters = counters;
        slice
    }

    fn push(
        &mut self,
        name: StringId,
        category: StringId,
        track: TrackId,
        kind: SliceKind,
        start: Ns,
        offset: u64,
    ) -> SliceId {
        self.trace.events += 1;
        let slice = SliceId::from(self.trace.slices.len());
        let (duration, position) = (Ns(0), offset as i64);
        self.trace.slices.push(Slice { start, duration, name, category, track, kind, position });
        slice
    }

    fn lane(&mut self, lane: Lane) -> TrackId {
        let next = u32::try_from(self.lanes.len()).unwrap_or(u32::MAX);
        let number = *self.known_lanes.entry(lane).or_insert(next);
        if number == next {
            self.lanes.push(lane);
        }
        TrackId(number)
    }

    /// Puts tracks in their places. The second answer is what to add to come to real time.
    pub(super) fn finish(mut self) -> (Trace, Option<i64>) {
        let unfinished: usize = self.open.values().map(Vec::len).sum();
        let first = self.open.values().flatten().min();
        let first = first.map(|slice| self.trace.slices.position[slice.index()] as u64);
        self.trace.diagnostics.note_many(WarningKind::UnmatchedBegin, unfinished as u64, first);
        if self.foreign > 0 {
            let detail = "ftrace packets";
            self.trace.diagnostics.note_detail(WarningKind::UnknownPhase, None, detail);
            self.trace.diagnostics.note_many(WarningKind::UnknownPhase, self.foreign - 1, None);
        }
        if self.lost > 0 {
            let detail = "packets that depend on packets dropped by the recorder";
            self.trace.diagnostics.note_detail(WarningKind::Garbage, None, detail);
            self.trace.diagnostics.note_many(WarningKind::Garbage, self.lost - 1, None);
        }
        self.finish_counters();
        let places: Vec<TrackId> =
            self.lanes.iter().map(|lane| self.descriptors.lane(*lane, &mut self.trace)).collect();
        let trace = &mut self.trace;
        let tracks = trace.slices.track.iter_mut().chain(&mut trace.instants.track);
        for track in tracks.chain(&mut trace.counters.track) {
            *track = places.get(track.index()).copied().unwrap_or(TrackId::NONE);
        }
        (self.trace, self.clocks.real_time)
    }

    /// Names of counters are those of their tracks; values are told in multiples, or as differences.
    fn finish_counters(&mut self) {
        let mut sums: HashMap<u64, f64> = HashMap::new();
        for (row, number) in self.counters.iter().enumerate() {
            let table = &mut self.trace.counters;
            let name = self.trace.strings.intern(self.descriptors.name(*number));
            table.name.set(row, name);
            table.series.set(row, name);
            let Some(track) = self.descriptors.get(*number) else { continue };
            let Some(mut value) = table.value[row].get() else { continue };
            if track.is_incremental {
                let sum = sums.entry(*number).or_default();
                *sum += value;
                value = *sum;
            }
            value *= track.multiplier.filter(|multiplier| *multiplier != 0).unwrap_or(1) as f64;
            table.value[row] = Some(value).into();
        }
    }
}

impl Descriptors {
    fn lane(&self, lane: Lane, trace: &mut Trace) -> TrackId {
        match lane {
            Lane::Track(number) => self.place(number, trace),
            Lane::Device(None, _, number) => self.place(number, trace),
            Lane::Device(device, stream, _) => {
                let places = Places { agents: &[], process: None, later: false };
                places.device(trace, device, stream.map_or(DeviceLane::Other, DeviceLane::Stream))
            }
        }
    }
}

/// What the categories of AMD's slices mean; rocprof-sys puts `rocm_` before them.
fn kind_of(category: &str) -> SliceKind {
    match category.strip_prefix("rocm_").unwrap_or(category) {
        "kernel_dispatch" => SliceKind::Kernel,
        "memory_copy" => SliceKind::Memcpy,
        "hip_api" | "hsa_api" | "rccl_api" | "rocdecode_api" | "rocjpeg_api" => SliceKind::Runtime,
        "marker_api" => SliceKind::Annotation,
        _ => SliceKind::Other,
    }
}

/// Events as Chrome wrote them before slices had types: sets the type, and says the length if it is told.
fn legacy_event(message: &[u8], event: &mut Event<'_>, state: &Sequence) -> Option<i64> {
    let mut duration = None;
    for field in Fields::new(message).flatten() {
        match (field.number, field.value) {
            (1, Value::Varint(name)) => event.name = event.name.or(state.names.get(&name).copied()),
            (2, Value::Varint(phase)) if event.kind == 0 => {
                event.kind = match u8::try_from(phase) {
                    Ok(b'B' | b'X') => 1,
                    Ok(b'E') => 2,
                    Ok(b'I' | b'i') => 3,
                    _ => 0,
                };
            }
            (3, Value::Varint(microseconds)) => {
                duration = i64::try_from(microseconds).ok().and_then(|time| time.checked_mul(1_000));
            }
            _ => {}
        }
    }
    duration
}
