//! The end of a process: slots become names, lanes become tracks, counters find their kernels.

use std::collections::HashMap;

use eaves_model::{
    Ident, MaybeI64, MaybeU32, Ns, Oddity, RangeCounter, SliceId, SliceKind, StringId, Times, Trace, Track,
    TrackId,
};

use super::super::amd::{self, Registers};
use super::process::{Lane, Process, Slot};
use crate::formats::kineto::Source;

/// A device that rows of the process belong to.
#[derive(Clone, Copy, Default)]
struct Device {
    number: Option<u32>,
    wave_size: Option<u32>,
    is_gpu: bool,
}

impl Process {
    /// Puts names and tracks in their places. `later` is true if another process was there before.
    pub(super) fn finish(mut self, trace: &mut Trace, source: &dyn Source, later: bool) {
        self.join_counters(trace);
        let devices = self.devices();
        let (names, registers) = self.names(trace, source);
        let tracks = self.tracks(trace, &devices, later);
        let known = |id: StringId| names.get(id.index()).copied().unwrap_or(StringId::NONE);
        self.finish_activities(trace, &devices, &names, &registers);
        for row in self.first.slice..trace.slices.len() {
            trace.slices.name[row] = known(trace.slices.name[row]);
            trace.slices.track[row] = track(&tracks, trace.slices.track[row]);
        }
        for row in self.first.instant..trace.instants.len() {
            trace.instants.name[row] = known(trace.instants.name[row]);
            trace.instants.track[row] = track(&tracks, trace.instants.track[row]);
        }
        self.finish_allocations(trace, &devices, &names, &tracks);
        if later {
            self.separate_correlations(trace);
        }
        if self.samples > 0 {
            let detail = "samples of program counters are not read";
            trace.diagnostics.note_detail(Oddity::UnknownPhase, None, detail);
            trace.diagnostics.note_many(Oddity::UnknownPhase, self.samples - 1, None);
        }
        for agent in self.agents {
            let is_known = |known: &eaves_model::DeviceProperties| *known == agent.properties;
            if agent.is_gpu() && !trace.metadata.devices.iter().any(is_known) {
                trace.metadata.devices.push(agent.properties);
            }
        }
    }

    /// Kernels that only a list of counters names become rows; values go to the kernel of their dispatch.
    fn join_counters(&mut self, trace: &mut Trace) {
        if self.counted.is_empty() && self.values.is_empty() {
            return;
        }
        let rows = trace.dispatches.number.iter().zip(&trace.dispatches.slice);
        let mut slices: HashMap<i64, SliceId> = rows
            .filter(|(_, slice)| slice.index() >= self.first.slice)
            .filter_map(|(number, slice)| Some((number.get()?, *slice)))
            .collect();
        let mut without_times = 0;
        let mut last = Ns(0);
        for (dispatch, mut kernel) in std::mem::take(&mut self.counted) {
            slices.entry(dispatch).or_insert_with(|| {
                if kernel.start == Ns::MIN {
                    kernel.start = last;
                    without_times += 1;
                }
                last = Ns(kernel.start.0.saturating_add(kernel.duration.0));
                kernel.push(trace)
            });
        }
        if without_times > 0 {
            trace.metadata.times = Times::InSequence;
            trace.diagnostics.note_many(Oddity::NoStartTimes, without_times, None);
        }
        let mut names: HashMap<i64, StringId> = HashMap::new();
        for (dispatch, counter, value) in std::mem::take(&mut self.values) {
            let Some(&slice) = slices.get(&dispatch) else { continue };
            let metric = *names.entry(counter).or_insert_with(|| match self.counter_names.get(&counter) {
                Some(name) => trace.strings.intern(name),
                None => trace.strings.intern(&format!("counter {counter}")),
            });
            trace.range_counters.push(RangeCounter { slice, metric, value: Some(value).into() });
        }
    }

    /// The device that each slot of an agent means.
    fn devices(&self) -> Vec<Device> {
        let find = |handle: Option<i64>| {
            let agent = self.agents.iter().find(|agent| Some(agent.handle) == handle)?;
            let (number, wave_size) = (agent.device, agent.wave_size);
            Some(Device { number, wave_size, is_gpu: agent.is_gpu() })
        };
        let choose = |&(first, second): &(Option<i64>, Option<i64>)| {
            let (first, second) = (find(first), find(second));
            first
                .filter(|device| device.is_gpu)
                .or(second.filter(|device| device.is_gpu))
                .or(first)
                .or(second)
        };
        self.agent_slots.list.iter().map(|handles| choose(handles).unwrap_or_default()).collect()
    }

    /// The name of each slot, and the registers of those that are kernels.
    fn names(&mut self, trace: &mut Trace, source: &dyn Source) -> (Vec<StringId>, Vec<Registers>) {
        let kernels: Vec<i64> = self
            .slots
            .list
            .iter()
            .filter_map(|slot| if let Slot::Kernel(kernel) = slot { Some(*kernel) } else { None })
            .collect();
        let symbols = std::mem::replace(&mut self.symbols, super::symbols::Symbols::new(source));
        let mut symbols = symbols.resolve(&kernels, source).into_iter();
        let mut registers = vec![Registers::default(); self.slots.list.len()];
        let mut names = Vec::with_capacity(self.slots.list.len());
        for (at, slot) in self.slots.list.iter().enumerate() {
            let name = match *slot {
                Slot::Kernel(kernel) => {
                    let (of_kernel, name) = symbols.next().unwrap_or_default();
                    registers[at] = of_kernel;
                    match name {
                        Some(name) => self.kernel_name(trace, &name),
                        None => trace.strings.intern(&format!("kernel {kernel}")),
                    }
                }
                Slot::Operation(kind, operation) => self.operation(trace, kind, operation),
                Slot::Marker(correlation, kind, operation) => match self.messages.get(&correlation) {
                    Some(&message) => message,
                    None => self.operation(trace, kind, operation),
                },
            };
            names.push(name);
        }
        (names, registers)
    }

    fn kernel_name(&self, trace: &mut Trace, name: &[u8]) -> StringId {
        match std::str::from_utf8(name) {
            Ok(name) => trace.strings.intern(amd::kernel_name(name)),
            Err(_) => {
                trace.diagnostics.note(Oddity::InvalidText, None);
                trace.strings.intern(amd::kernel_name(&String::from_utf8_lossy(name)))
            }
        }
    }

    /// A function by its numbers, a copy in Kineto's words.
    fn operation(&self, trace: &mut Trace, kind: i64, operation: i64) -> StringId {
        let at = |number: i64| usize::try_from(number).ok();
        let of_kind = at(kind).and_then(|kind| self.operations.get(kind));
        match of_kind.and_then(|(_, operations)| operations.get(at(operation)?)) {
            Some(name) => trace.strings.intern(amd::copy_words(name).unwrap_or(name)),
            None => trace.strings.intern(&format!("operation {operation} of kind {kind}")),
        }
    }

    fn tracks(&self, trace: &mut Trace, devices: &[Device], later: bool) -> Vec<TrackId> {
        let process = self.number.map_or(Ident::NONE, Ident::number);
        let shown = self.number.map_or_else(|| "unknown".to_owned(), |number| number.to_string());
        let mut answer = Vec::with_capacity(self.lanes.list.len());
        for lane in &self.lanes.list {
            let (place, thread, name) = match *lane {
                Lane::Thread(thread) => (None, Ident::number(thread), format!("thread {thread}")),
                Lane::Stream(agent, stream) => {
                    (Some(agent), Ident::number(stream), format!("stream {stream}"))
                }
                Lane::Queue(agent, queue) => {
                    let name = format!("queue {queue}");
                    (Some(agent), Ident::text(trace.strings.intern(&name)), name)
                }
                Lane::Copies(agent) => {
                    (Some(agent), Ident::text(trace.strings.intern("copies")), "copies".to_owned())
                }
            };
            let ident = match place.map(|agent| devices.get(agent as usize).copied().unwrap_or_default()) {
                None => {
                    let name = trace.strings.intern(&format!("process {shown}"));
                    describe(trace, process, name, StringId::NONE);
                    process
                }
                Some(device) => {
                    let label = match device.number {
                        Some(number) => format!("GPU {number}"),
                        None => "unknown agent".to_owned(),
                    };
                    // Devices of further processes are places of their own.
                    let ident = match device.number {
                        Some(number) if !later => Ident::number(i64::from(number)),
                        _ => Ident::text(trace.strings.intern(&format!("{label} of process {shown}"))),
                    };
                    let agent =
                        self.agents.iter().find(|agent| agent.device == device.number && agent.is_gpu());
                    let name = agent.map_or(label.as_str(), |agent| &agent.properties.name).to_owned();
                    let (name, label) = (trace.strings.intern(&name), trace.strings.intern(&label));
                    describe(trace, ident, name, label);
                    ident
                }
            };
            let name = trace.strings.intern(&name);
            let sort_index = MaybeI64::NONE;
            answer.push(trace.tracks.describe_thread(Track { process: ident, thread, name, sort_index }));
        }
        answer
    }

    fn finish_activities(
        &self,
        trace: &mut Trace,
        devices: &[Device],
        names: &[StringId],
        registers: &[Registers],
    ) {
        for row in self.first.gpu..trace.gpu.len() {
            let device = trace.gpu.device[row].get().and_then(|agent| devices.get(agent as usize));
            trace.gpu.device[row] = device.and_then(|device| device.number).into();
            let slice = trace.gpu.slice[row].index();
            let slot = trace.slices.name[slice].index();
            match trace.slices.kind[slice] {
                SliceKind::Memcpy => {
                    trace.gpu.detail[row] = names.get(slot).copied().unwrap_or(StringId::NONE)
                }
                _ => {
                    if let Some(known) = registers.get(slot).filter(|known| known.vector.is_some()) {
                        trace.gpu.registers[row] = known.sum();
                    }
                }
            }
        }
        for row in 0..trace.dispatches.len() {
            let slice = trace.dispatches.slice[row].index();
            if slice < self.first.slice {
                continue;
            }
            if let Some(known) =
                registers.get(trace.slices.name[slice].index()).filter(|r| r.vector.is_some())
            {
                trace.dispatches.vector_registers[row] = known.vector.into();
                trace.dispatches.accumulation_registers[row] = known.accumulation.into();
                trace.dispatches.scalar_registers[row] = known.scalar.into();
            }
        }
        self.wave_sizes(trace, devices);
    }

    fn wave_sizes(&self, trace: &mut Trace, devices: &[Device]) {
        let wave_size = |number: MaybeU32| {
            let of_number = |device: &&Device| device.is_gpu && device.number == number.get();
            MaybeU32::from(devices.iter().find(of_number).and_then(|device| device.wave_size))
        };
        // Rows of dispatches stand in the order of the kernels among the activities.
        let kernels = (self.first.gpu..trace.gpu.len())
            .filter(|&row| trace.slices.kind[trace.gpu.slice[row].index()] == SliceKind::Kernel);
        let first = trace.dispatches.slice.partition_point(|slice| slice.index() < self.first.slice);
        let mut last = (MaybeU32::NONE, MaybeU32::NONE);
        for (row, activity) in (first..trace.dispatches.len()).zip(kernels) {
            let number = trace.gpu.device[activity];
            if number != last.0 {
                last = (number, wave_size(number));
            }
            trace.dispatches.wave_size[row] = last.1;
        }
    }

    /// Releases say the address alone, so they get the size of the last allocation there before them.
    fn finish_allocations(
        &self,
        trace: &mut Trace,
        devices: &[Device],
        names: &[StringId],
        tracks: &[TrackId],
    ) {
        let rows = self.first.allocation..trace.allocations.len();
        let mut order: Vec<usize> = rows.clone().collect();
        order.sort_by_key(|&row| trace.allocations.time[row]);
        let mut sizes: HashMap<i64, i64> = HashMap::new();
        for row in order {
            let table = &mut trace.allocations;
            let operation = self.allocations.get(row - self.first.allocation).copied().unwrap_or(u32::MAX);
            let operation = names.get(operation as usize).map_or("", |&name| trace.strings.get(name));
            let (address, bytes) = (table.address[row].get(), table.bytes[row].get());
            if operation.ends_with("FREE") {
                let known = address.and_then(|address| sizes.remove(&address));
                let bytes = bytes.filter(|bytes| *bytes != 0).or(known);
                table.bytes[row] = bytes.map(i64::saturating_neg).into();
            } else if let (Some(address), Some(bytes)) = (address, bytes) {
                sizes.insert(address, bytes);
            }
            let agent = table.device[row].get().and_then(|agent| devices.get(usize::try_from(agent).ok()?));
            // As PyTorch numbers them: 1 is a GPU, 0 the host.
            table.device_type[row] = agent.map(|agent| u32::from(agent.is_gpu)).into();
            table.device[row] = agent.map(|agent| agent.number.map_or(-1, i64::from)).into();
            table.track[row] = track(tracks, table.track[row]);
        }
    }

    /// Each process counts its correlations from 1: those of a later one go behind all before.
    fn separate_correlations(&self, trace: &mut Trace) {
        let columns = [
            (&mut trace.gpu.correlation, self.first.gpu),
            (&mut trace.runtime.correlation, self.first.runtime),
        ];
        let highest = |column: &[MaybeI64]| column.iter().filter_map(|value| value.get()).max().unwrap_or(0);
        let before = columns.iter().map(|(column, first)| highest(column.get(..*first).unwrap_or_default()));
        let before = before.max().unwrap_or(0);
        for (column, first) in columns {
            for value in column.iter_mut().skip(first) {
                *value = value.get().map(|value| value.saturating_add(before)).into();
            }
        }
    }
}

fn track(tracks: &[TrackId], lane: TrackId) -> TrackId {
    tracks.get(lane.index()).copied().unwrap_or(TrackId::NONE)
}

fn describe(trace: &mut Trace, process: Ident, name: StringId, labels: StringId) {
    let sort_index = MaybeI64::NONE;
    trace.tracks.describe_process(eaves_model::Process { process, name, labels, sort_index });
}
