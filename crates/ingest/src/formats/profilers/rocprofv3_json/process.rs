//! The records of one process as rows.
//!
//! Sections may come in any order: what a record refers to (kernels, functions, agents) may follow it. So a row first
//! holds numbers of our own, *slots* for names and *lanes* for tracks, and they are replaced when the process is over.

use std::collections::HashMap;
use std::hash::Hash;

use eaves_model::{
    Allocation, Instant, MaybeI64, MaybeU32, Ns, RuntimeCall, Slice, SliceId, SliceKind, StringId, Trace,
    TrackId, WarningKind,
};

use super::super::shared::amd::{Agent, DeviceLane, Kernel, Registers};
use super::record::Record;
use super::symbols::Symbols;
use crate::source::Source;

/// A list of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    KernelDispatch,
    /// Calls, with the category they get.
    Calls(&'static str),
    Markers,
    MemoryCopy,
    MemoryAllocation,
    ScratchMemory,
    CounterCollection,
    /// Samples of program counters, which are counted.
    Samples,
}

impl Section {
    /// The section by its key in `buffer_records` or `callback_records`.
    pub(super) fn of(key: &[u8]) -> Option<Self> {
        Some(match key {
            b"kernel_dispatch" => Self::KernelDispatch,
            b"hip_api" => Self::Calls("hip_api"),
            b"hsa_api" => Self::Calls("hsa_api"),
            b"rccl_api" => Self::Calls("rccl_api"),
            b"rocdecode_api" => Self::Calls("rocdecode_api"),
            b"rocjpeg_api" => Self::Calls("rocjpeg_api"),
            b"marker_api" => Self::Markers,
            b"memory_copy" => Self::MemoryCopy,
            b"memory_allocation" => Self::MemoryAllocation,
            b"scratch_memory" => Self::ScratchMemory,
            b"counter_collection" => Self::CounterCollection,
            b"pc_sample_host_trap" | b"pc_sample_stochastic" => Self::Samples,
            _ => return None,
        })
    }
}

/// Where the name of a row comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    Kernel(i64),
    /// A function by the number of its kind and its own.
    Operation(i64, i64),
    /// A marker by its correlation, and by its function if it has no text.
    Marker(i64, i64, i64),
}

/// Where a row belongs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Lane {
    Thread(i64),
    /// A place on the agent with a number of ours.
    Device(u32, DeviceLane),
}

/// Numbers given in the order things are met.
pub(super) struct Numbered<K> {
    pub(super) list: Vec<K>,
    known: HashMap<K, u32>,
    last: Option<(K, u32)>,
}

impl<K> Default for Numbered<K> {
    fn default() -> Self {
        Self { list: Vec::new(), known: HashMap::new(), last: None }
    }
}

impl<K: Copy + Eq + Hash> Numbered<K> {
    fn number(&mut self, key: K) -> u32 {
        if let Some((last, number)) = self.last
            && last == key
        {
            return number;
        }
        let next = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        let number = *self.known.entry(key).or_insert(next);
        if number == next {
            self.list.push(key);
        }
        self.last = Some((key, number));
        number
    }
}

/// What was read of one process so far.
pub(super) struct Process {
    pub(super) number: Option<i64>,
    pub(super) agents: Vec<Agent>,
    pub(super) symbols: Symbols,
    /// Kinds of records and their functions.
    pub(super) operations: Vec<(String, Vec<String>)>,
    /// Texts of markers by their correlation.
    pub(super) messages: HashMap<i64, StringId>,
    /// Names of counters by their handles.
    pub(super) counter_names: HashMap<i64, String>,
    pub(super) slots: Numbered<Slot>,
    pub(super) lanes: Numbered<Lane>,
    /// Agents by their handles, in the order records name them. Of two, the first that is a GPU is meant: a copy
    /// belongs to the device it goes to, else to the one it comes from.
    pub(super) agent_slots: Numbered<(Option<i64>, Option<i64>)>,
    /// Kernels of a run that collected counters, and the values, each with the dispatch it is of.
    pub(super) counted: Vec<(i64, Kernel)>,
    pub(super) values: Vec<(i64, i64, f64)>,
    /// What was there before the process.
    pub(super) first: First,
    pub(super) samples: u64,
    /// Of allocations: the slots of their operations.
    pub(super) allocations: Vec<u32>,
}

/// Numbers of rows that belong to the processes before.
#[derive(Clone, Copy, Default)]
pub(super) struct First {
    pub(super) slice: usize,
    pub(super) gpu: usize,
    pub(super) runtime: usize,
    pub(super) instant: usize,
    pub(super) allocation: usize,
}

impl Process {
    pub(super) fn new(trace: &Trace, source: &dyn Source) -> Self {
        Self {
            number: None,
            agents: Vec::new(),
            symbols: Symbols::new(source),
            operations: Vec::new(),
            messages: HashMap::new(),
            counter_names: HashMap::new(),
            slots: Numbered::default(),
            lanes: Numbered::default(),
            agent_slots: Numbered::default(),
            counted: Vec::new(),
            values: Vec::new(),
            first: First {
                slice: trace.slices.len(),
                gpu: trace.gpu.len(),
                runtime: trace.runtime.len(),
                instant: trace.instants.len(),
                allocation: trace.allocations.len(),
            },
            samples: 0,
            allocations: Vec::new(),
        }
    }

    /// Makes rows of a record.
    pub(super) fn accept(&mut self, section: Section, record: &Record, offset: u64, trace: &mut Trace) {
        if record.bad_values > 0 {
            trace.diagnostics.note_many(WarningKind::BadValue, u64::from(record.bad_values), Some(offset));
        }
        match section {
            Section::KernelDispatch => {
                if let Some(times) = times(record, offset, trace) {
                    self.kernel(record, times, offset, trace).push(trace);
                }
            }
            Section::CounterCollection => self.counters(record, offset, trace),
            Section::Samples => self.samples += 1,
            _ => {
                if let Some((start, duration)) = times(record, offset, trace) {
                    self.other(section, record, start, duration, offset, trace);
                }
            }
        }
    }

    fn kernel(
        &mut self,
        record: &Record,
        (start, duration): (Ns, Ns),
        offset: u64,
        trace: &mut Trace,
    ) -> Kernel {
        let agent = self.agent(record.agent, None);
        let lane = match (record.stream, record.queue) {
            (Some(stream), _) => DeviceLane::Stream(stream),
            (None, Some(queue)) => DeviceLane::Queue(queue),
            (None, None) => DeviceLane::Other,
        };
        let count = |count: Option<i64>| count.and_then(|count| u32::try_from(count).ok());
        Kernel {
            name: self.slot(record.kernel.map(Slot::Kernel)),
            category: trace.strings.intern("kernel_dispatch"),
            track: TrackId(self.lanes.number(Lane::Device(agent, lane))),
            start,
            duration,
            position: offset as i64,
            device: Some(agent),
            stream: record.stream,
            queue: record.queue,
            correlation: record.internal,
            external_id: used(record.external),
            number: record.dispatch,
            work_items: record.grid,
            workgroup: record.workgroup,
            registers: Registers {
                vector: count(record.vector_registers),
                accumulation: count(record.accumulation_registers),
                scalar: count(record.scalar_registers),
            },
            shared_memory: record.group_segment,
            scratch: record.private_segment,
            wave_size: None,
        }
    }

    /// Counters of a dispatch. Instances of a counter (one for each XCD, channel, ...) are added up, as rocprofv3
    /// itself does for its tables.
    fn counters(&mut self, record: &Record, offset: u64, trace: &mut Trace) {
        let Some(dispatch) = record.dispatch else {
            trace.diagnostics.note(WarningKind::BadValue, Some(offset));
            return;
        };
        let first = self.values.len();
        for &(counter, value) in &record.counters {
            let sums = self.values.get_mut(first..).unwrap_or_default();
            match sums.iter_mut().find(|(_, known, _)| *known == counter) {
                Some((.., sum)) => *sum += value,
                None => self.values.push((dispatch, counter, value)),
            }
        }
        // Without times it is known that the kernel ran, and nothing about when.
        let (start, end) = (used(record.start), used(record.end));
        let duration = end.zip(start).map_or(0, |(end, start)| end.saturating_sub(start));
        let times = (Ns(start.unwrap_or(i64::MIN)), Ns(duration));
        let kernel = self.kernel(record, times, offset, trace);
        self.counted.push((dispatch, kernel));
    }

    fn other(
        &mut self,
        section: Section,
        record: &Record,
        start: Ns,
        duration: Ns,
        offset: u64,
        trace: &mut Trace,
    ) {
        let operation = record.kind.zip(record.operation);
        let mut name = self.slot(operation.map(|(kind, operation)| Slot::Operation(kind, operation)));
        let thread = Lane::Thread(record.thread.unwrap_or(0));
        let (kind, category, lane) = match section {
            Section::Calls(category) => (SliceKind::Runtime, category, thread),
            Section::MemoryCopy => {
                let agent = self.agent(record.target_agent, record.source_agent);
                let lane = record.stream.map_or(DeviceLane::Other, DeviceLane::Stream);
                (SliceKind::Memcpy, "memory_copy", Lane::Device(agent, lane))
            }
            Section::ScratchMemory => {
                let agent = self.agent(record.agent, None);
                let lane = record.queue.map_or(DeviceLane::Other, DeviceLane::Queue);
                (SliceKind::Other, "scratch_memory", Lane::Device(agent, lane))
            }
            Section::MemoryAllocation => {
                self.allocation(record, start, offset, name, thread, trace);
                return;
            }
            _ => {
                let (kind, operation) = operation.unwrap_or((-1, -1));
                name = self.slot(Some(Slot::Marker(record.internal.unwrap_or(-1), kind, operation)));
                (SliceKind::Annotation, "marker_api", thread)
            }
        };
        let track = TrackId(self.lanes.number(lane));
        let category = trace.strings.intern(category);
        trace.events += 1;
        if section == Section::Markers && duration == Ns(0) {
            let position = offset as i64;
            trace.instants.push(Instant { time: start, track, name, category, scope: b't', position });
            return;
        }
        let slice = SliceId::from(trace.slices.len());
        trace.slices.push(Slice { start, duration, name, category, track, kind, position: offset as i64 });
        match section {
            Section::Calls(_) => trace.runtime.push(RuntimeCall {
                slice,
                correlation: record.internal.into(),
                external_id: used(record.external).into(),
                function: record.operation.and_then(|operation| u32::try_from(operation).ok()).into(),
            }),
            Section::MemoryCopy => trace.gpu.push(eaves_model::GpuActivity {
                stream: record.stream.into(),
                correlation: record.internal.into(),
                external_id: used(record.external).into(),
                bytes: record.bytes.into(),
                device: MaybeU32::new(self.agent(record.target_agent, record.source_agent)),
                ..eaves_model::GpuActivity::of(slice)
            }),
            _ => {}
        }
    }

    fn allocation(
        &mut self,
        record: &Record,
        time: Ns,
        offset: u64,
        operation: StringId,
        thread: Lane,
        trace: &mut Trace,
    ) {
        trace.events += 1;
        self.allocations.push(operation.0);
        trace.allocations.push(Allocation {
            time,
            track: TrackId(self.lanes.number(thread)),
            bytes: record.bytes.into(),
            address: record.address.into(),
            device: MaybeI64::new(i64::from(self.agent(record.agent, None))),
            position: offset as i64,
            ..Allocation::default()
        });
    }

    fn agent(&mut self, handle: Option<i64>, other: Option<i64>) -> u32 {
        self.agent_slots.number((handle, other))
    }

    fn slot(&mut self, slot: Option<Slot>) -> StringId {
        slot.map_or(StringId::NONE, |slot| StringId(self.slots.number(slot)))
    }
}

/// Zero stands for what was not given.
fn used(value: Option<i64>) -> Option<i64> {
    value.filter(|value| *value != 0)
}

/// Beginning and length of a record.
fn times(record: &Record, offset: u64, trace: &mut Trace) -> Option<(Ns, Ns)> {
    let Some(start) = used(record.start).filter(|start| *start > 0) else {
        trace.diagnostics.note(WarningKind::BadTimestamp, Some(offset));
        return None;
    };
    let duration = match record.end {
        Some(end) => end.saturating_sub(start),
        None => {
            trace.diagnostics.note(WarningKind::MissingDuration, Some(offset));
            0
        }
    };
    Some((Ns(start), Ns(duration)))
}
