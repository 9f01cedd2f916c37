//! What the stores of AMD's profilers have in common: the words for copies, how grids are counted, what an agent says
//! of a device, and the rows of a kernel.

use std::collections::HashMap;

use eaves_model::{
    DeviceProperties, Dispatch, Extent, GpuActivity, Ident, MaybeI64, MaybeU32, Ns, Process, Slice, SliceId,
    SliceKind, StringId, Trace, Track, TrackId,
};
use serde_json::Value;

/// What rocprofv3 gives as the type of an agent that is a GPU (`ROCPROFILER_AGENT_TYPE_GPU`).
const GPU: i64 = 2;

/// A kernel's name without what the loader adds to the symbol of its descriptor.
pub(in super::super) fn kernel_name(written: &str) -> &str {
    [" [clone .kd]", " (.kd)", ".kd"]
        .into_iter()
        .find_map(|suffix| written.strip_suffix(suffix))
        .unwrap_or(written)
}

/// Work-groups of a grid that is counted in work-items: a group that is not full is a group all the same.
pub(in super::super) fn blocks(work_items: [u32; 3], workgroup: [u32; 3]) -> Extent {
    if workgroup.contains(&0) {
        return Extent::default();
    }
    Extent(std::array::from_fn(|axis| work_items[axis].div_ceil(workgroup[axis])))
}

/// A copy in Kineto's words. Whether memory of the host was pinned is not recorded.
pub(in super::super) fn copy_words(written: &str) -> Option<&'static str> {
    let direction = written.strip_prefix("MEMORY_COPY_").unwrap_or(written);
    Some(match direction {
        "HOST_TO_DEVICE" | "CopyHostToDevice" => "Memcpy HtoD (Host -> Device)",
        "DEVICE_TO_HOST" | "CopyDeviceToHost" => "Memcpy DtoH (Device -> Host)",
        "DEVICE_TO_DEVICE" | "CopyDeviceToDevice" => "Memcpy DtoD (Device -> Device)",
        "HOST_TO_HOST" | "CopyHostToHost" => "Memcpy HtoH (Host -> Host)",
        _ => return None,
    })
}

/// An agent, as rocprofv3 writes it to JSON and to the column `extdata` of rocpd.
pub(in super::super) struct Agent {
    /// What records call it.
    pub(in super::super) handle: i64,
    /// Number among the GPUs; none for a processor.
    pub(in super::super) device: Option<u32>,
    /// Work-items per wave.
    pub(in super::super) wave_size: Option<u32>,
    /// What it says of itself.
    pub(in super::super) properties: DeviceProperties,
}

/// Reads an agent. Nothing if it is not an agent.
pub(in super::super) fn agent(value: &Value) -> Option<Agent> {
    let mut caches = Caches::default();
    value.get("caches").and_then(Value::as_array).into_iter().flatten().for_each(|cache| caches.add(cache));
    agent_with(value, caches)
}

/// An agent whose caches were read by themselves.
pub(in super::super) fn agent_with(value: &Value, caches: Caches) -> Option<Agent> {
    let object = value.as_object()?;
    let whole = |name: &str| object.get(name).and_then(Value::as_i64);
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let handle = value.pointer("/id/handle").and_then(Value::as_i64).or_else(|| whole("id"))?;
    let is_gpu = whole("type") == Some(GPU);
    let number = whole("logical_node_type_id").filter(|_| is_gpu).and_then(|id| u32::try_from(id).ok());
    let name = [text("product_name"), text("model_name"), text("name")];
    let mut numbers: Vec<(String, f64)> = object
        .iter()
        .filter(|(name, _)| *name != "size")
        .filter_map(|(name, value)| Some((name.clone(), value.as_f64()?)))
        .collect();
    memory(object.get("mem_banks"), &mut numbers);
    caches.say(&mut numbers);
    numbers.sort_by(|a, b| a.0.cmp(&b.0));
    Some(Agent {
        handle,
        device: number,
        wave_size: whole("wave_front_size")
            .and_then(|size| u32::try_from(size).ok())
            .filter(|size| *size > 0),
        properties: DeviceProperties {
            id: number.map(i64::from),
            name: name.into_iter().find(|name| !name.is_empty()).unwrap_or_default().to_owned(),
            architecture: if is_gpu { text("name").to_owned() } else { String::new() },
            numbers,
        },
    })
}

impl Agent {
    /// True for a GPU.
    pub(in super::super) fn is_gpu(&self) -> bool {
        !self.properties.architecture.is_empty()
    }
}

/// Width in bits, clock in MHz and size in bytes of the first bank: the others of a GPU are windows on it.
fn memory(banks: Option<&Value>, numbers: &mut Vec<(String, f64)>) {
    let bank = banks.and_then(Value::as_array).and_then(|banks| banks.first());
    for field in ["width", "mem_clk_max", "size_in_bytes"] {
        if let Some(value) = bank.and_then(|bank| bank.get(field)).and_then(Value::as_f64) {
            numbers.push((format!("mem_banks.{field}"), value));
        }
    }
}

/// The largest data cache of each level in KB, and how many of that size are listed. The driver lists the second
/// level once for each XCD or once for all of them, with the size of one XCD either way.
#[derive(Default)]
pub(in super::super) struct Caches {
    levels: Vec<(i64, i64, u32)>,
}

impl Caches {
    /// Takes in a cache. Devices have hundreds.
    pub(in super::super) fn add(&mut self, cache: &Value) {
        let field = |name: &str| cache.get(name).and_then(Value::as_i64);
        let (Some(level), Some(size)) = (field("level"), field("size")) else { return };
        // No device has more levels than fit one digit.
        if cache.pointer("/type/Data").and_then(Value::as_i64) == Some(0) || !(0..10).contains(&level) {
            return;
        }
        match self.levels.iter_mut().find(|(known, ..)| *known == level) {
            Some((_, largest, count)) if *largest == size => *count += 1,
            Some(known) if known.1 < size => *known = (level, size, 1),
            Some(_) => {}
            None => self.levels.push((level, size, 1)),
        }
    }

    fn say(self, numbers: &mut Vec<(String, f64)>) {
        for (level, size, count) in self.levels {
            numbers.push((format!("caches.l{level}.size"), size as f64));
            numbers.push((format!("caches.l{level}.count"), f64::from(count)));
        }
    }
}

/// A dispatch, whose rows are pushed together.
#[derive(Clone, Copy)]
pub(in super::super) struct Kernel {
    pub(in super::super) name: StringId,
    pub(in super::super) category: StringId,
    pub(in super::super) track: TrackId,
    pub(in super::super) start: Ns,
    pub(in super::super) duration: Ns,
    pub(in super::super) position: i64,
    pub(in super::super) device: Option<u32>,
    pub(in super::super) stream: Option<i64>,
    pub(in super::super) queue: Option<i64>,
    pub(in super::super) correlation: Option<i64>,
    pub(in super::super) external_id: Option<i64>,
    pub(in super::super) number: Option<i64>,
    pub(in super::super) work_items: [u32; 3],
    pub(in super::super) workgroup: [u32; 3],
    pub(in super::super) registers: Registers,
    pub(in super::super) shared_memory: Option<i64>,
    pub(in super::super) scratch: Option<i64>,
    pub(in super::super) wave_size: Option<u32>,
}

/// Registers of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Registers {
    pub(in super::super) vector: Option<u32>,
    pub(in super::super) accumulation: Option<u32>,
    pub(in super::super) scalar: Option<u32>,
}

impl Registers {
    /// Registers that a work-item takes of the one file that both kinds come from.
    pub(in super::super) fn sum(self) -> MaybeU32 {
        self.vector.map(|vector| vector.saturating_add(self.accumulation.unwrap_or(0))).into()
    }
}

impl Kernel {
    /// Adds the rows.
    pub(in super::super) fn push(&self, trace: &mut Trace) -> SliceId {
        let slice = SliceId::from(trace.slices.len());
        trace.events += 1;
        trace.slices.push(Slice {
            start: self.start,
            duration: self.duration,
            name: self.name,
            category: self.category,
            track: self.track,
            kind: SliceKind::Kernel,
            position: self.position,
        });
        trace.gpu.push(GpuActivity {
            device: self.device.into(),
            stream: self.stream.or(self.queue).into(),
            correlation: self.correlation.into(),
            external_id: self.external_id.into(),
            grid: blocks(self.work_items, self.workgroup),
            block: Extent(self.workgroup),
            registers: self.registers.sum(),
            shared_memory: self.shared_memory.into(),
            ..GpuActivity::of(slice)
        });
        trace.dispatches.push(Dispatch {
            slice,
            number: self.number.into(),
            queue: self.queue.into(),
            work_items: Extent(self.work_items),
            total_work_items: MaybeI64::NONE,
            vector_registers: self.registers.vector.into(),
            accumulation_registers: self.registers.accumulation.into(),
            scalar_registers: self.registers.scalar.into(),
            scratch: self.scratch.into(),
            wave_size: self.wave_size.into(),
        });
        slice
    }
}

/// Where the rows of a process belong.
#[derive(Clone, Copy)]
pub(in super::super) struct Places<'a> {
    /// What is known of the devices.
    pub(in super::super) agents: &'a [Agent],
    /// The number of the process.
    pub(in super::super) process: Option<i64>,
    /// True if other processes were there before, so that its devices are places of their own.
    pub(in super::super) later: bool,
}

/// A place on a device.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(in super::super) enum DeviceLane {
    Stream(i64),
    Queue(i64),
    /// Copies and kernels of which neither is known.
    Other,
}

impl Places<'_> {
    fn shown(&self) -> String {
        self.process.map_or_else(|| "unknown".to_owned(), |process| process.to_string())
    }

    /// The track of a thread.
    pub(in super::super) fn thread(&self, trace: &mut Trace, thread: i64, name: &str) -> TrackId {
        let process = self.process.map_or(Ident::NONE, Ident::number);
        describe(trace, process, &format!("process {}", self.shown()));
        let name = if name.is_empty() { format!("thread {thread}") } else { name.to_owned() };
        track(trace, process, Ident::number(thread), &name)
    }

    /// The track of a stream or queue. Devices go by name: their numbers are small, as are those of processes in a
    /// container.
    pub(in super::super) fn device(
        &self,
        trace: &mut Trace,
        device: Option<u32>,
        lane: DeviceLane,
    ) -> TrackId {
        let mut title = device.map_or_else(|| "unknown agent".to_owned(), |device| format!("GPU {device}"));
        if self.later {
            title = format!("{title} of process {}", self.shown());
        }
        let process = Ident::text(trace.strings.intern(&title));
        let agent = self.agents.iter().find(|agent| device.is_some() && agent.device == device);
        let name = agent.map_or_else(|| title.clone(), |agent| format!("{title}: {}", agent.properties.name));
        describe(trace, process, &name);
        let (thread, name) = match lane {
            DeviceLane::Stream(stream) => (Ident::number(stream), format!("stream {stream}")),
            DeviceLane::Queue(queue) => {
                let name = format!("queue {queue}");
                (Ident::text(trace.strings.intern(&name)), name)
            }
            DeviceLane::Other => (Ident::text(trace.strings.intern("other")), "no stream".to_owned()),
        };
        track(trace, process, thread, &name)
    }
}

fn track(trace: &mut Trace, process: Ident, thread: Ident, name: &str) -> TrackId {
    let name = trace.strings.intern(name);
    trace.tracks.describe_thread(Track { process, thread, name, sort_index: MaybeI64::NONE })
}

fn describe(trace: &mut Trace, process: Ident, name: &str) {
    let name = trace.strings.intern(name);
    let (labels, sort_index) = (StringId::NONE, MaybeI64::NONE);
    trace.tracks.describe_process(Process { process, name, labels, sort_index });
}

/// Gives releases, of which the address alone is told, the size of the last allocation there before them. The flags
/// say which rows from the first one on are releases.
pub(in super::super) fn pair_releases(trace: &mut Trace, first: usize, is_release: &[bool]) {
    let table = &mut trace.allocations;
    let mut order: Vec<usize> = (first..table.len()).collect();
    order.sort_by_key(|&row| table.time[row]);
    let mut sizes: HashMap<i64, i64> = HashMap::new();
    for row in order {
        let (address, bytes) = (table.address[row].get(), table.bytes[row].get());
        if is_release.get(row - first).copied().unwrap_or(false) {
            let known = address.and_then(|address| sizes.remove(&address));
            let bytes = bytes.filter(|bytes| *bytes != 0).or(known);
            table.bytes[row] = bytes.map(|bytes| bytes.saturating_abs().saturating_neg()).into();
        } else if let (Some(address), Some(bytes)) = (address, bytes) {
            sizes.insert(address, bytes);
        }
    }
}

/// Each process counts its correlations from 1: those of a later one go behind all before. The rows of the later one
/// begin at these.
pub(in super::super) fn separate_correlations(trace: &mut Trace, first_activity: usize, first_call: usize) {
    let columns =
        [(&mut trace.gpu.correlation, first_activity), (&mut trace.runtime.correlation, first_call)];
    let highest = |column: &[MaybeI64]| column.iter().filter_map(|value| value.get()).max().unwrap_or(0);
    let before = columns.iter().map(|(column, first)| highest(column.get(..*first).unwrap_or_default()));
    let before = before.max().unwrap_or(0);
    for (column, first) in columns {
        for value in column.iter_mut().skip(first) {
            *value = value.get().map(|value| value.saturating_add(before)).into();
        }
    }
}

/// Adds the GPUs among agents to what is known of the machine, once each.
pub(in super::super) fn add_devices(trace: &mut Trace, agents: Vec<Agent>) {
    for agent in agents {
        if agent.is_gpu() && !trace.metadata.devices.contains(&agent.properties) {
            trace.metadata.devices.push(agent.properties);
        }
    }
}

/// Moves every time of the trace so that the first is zero, and says which time that was.
pub(in super::super) fn count_from_first(trace: &mut Trace) {
    let times = trace.slices.start.iter().chain(&trace.instants.time).chain(&trace.allocations.time);
    let Some(first) = times.chain(&trace.counters.time).min().copied() else { return };
    let columns = [
        &mut trace.slices.start,
        &mut trace.instants.time,
        &mut trace.allocations.time,
        &mut trace.counters.time,
    ];
    for time in columns.into_iter().flatten() {
        *time = Ns(time.0.saturating_sub(first.0));
    }
    trace.metadata.base_time_ns = Some(first.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_the_loader_added() {
        assert_eq!(kernel_name("vector_add(float*) [clone .kd]"), "vector_add(float*)");
        assert_eq!(kernel_name("__amd_rocclr_fillBuffer.kd"), "__amd_rocclr_fillBuffer");
        assert_eq!(kernel_name("Kernel (.kd)"), "Kernel");
        assert_eq!(kernel_name("plain"), "plain");
    }

    #[test]
    fn groups_that_are_not_full_count() {
        assert_eq!(blocks([1000, 1, 1], [256, 1, 1]), Extent([4, 1, 1]));
        assert_eq!(blocks([1024, 1024, 1], [64, 1, 1]), Extent([16, 1024, 1]));
        assert_eq!(blocks([5, 5, 5], [0, 1, 1]).get(), None);
    }
}
