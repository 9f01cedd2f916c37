//! The end of a process: slots become names, lanes become tracks, counters find their kernels.

use std::collections::HashMap;

use eaves_model::{
    MaybeU32, Ns, RangeCounter, SliceId, SliceKind, StringId, Times, Trace, TrackId, WarningKind,
};

use super::super::shared::amd::{self, Places, Registers};
use super::process::{Lane, Process, Slot};
use crate::source::Source;

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
            amd::separate_correlations(trace, self.first.gpu, self.first.runtime);
        }
        if self.samples > 0 {
            let detail = "program counter samples are not supported";
            trace.diagnostics.note_detail(WarningKind::UnknownPhase, None, detail);
            trace.diagnostics.note_many(WarningKind::UnknownPhase, self.samples - 1, None);
        }
        amd::add_devices(trace, self.agents);
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
            let has_durations = trace.slices.duration.iter().any(|duration| *duration != Ns::ZERO);
            trace.metadata.times = if has_durations { Times::InSequence } else { Times::NotRecorded };
            trace.diagnostics.note_many(WarningKind::NoStartTimes, without_times, None);
        }
        let mut names: HashMap<i64, StringId> = HashMap::new();
        for (dispatch, counter, value) in std::mem::take(&mut self.values) {
            let Some(&slice) = slices.get(&dispatch) else {
                let detail = format!("a counter of dispatch {dispatch}, which is not in the file");
                trace.diagnostics.note_detail(WarningKind::BadRecord, None, detail);
                continue;
            };
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
                trace.diagnostics.note(WarningKind::InvalidText, None);
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
        let places = Places { agents: &self.agents, process: self.number, later };
        let device = |agent: u32| devices.get(agent as usize).and_then(|device| device.number);
        let place = |lane: &Lane| match *lane {
            Lane::Thread(thread) => places.thread(trace, thread, ""),
            Lane::Device(agent, lane) => places.device(trace, device(agent), lane),
        };
        self.lanes.list.iter().map(place).collect()
    }

    fn finish_activities(
        &self,
        trace: &mut Trace,
        devices: &[Device],
        names: &[StringId],
        registers: &[Registers],
    ) {
        let number = |agent: MaybeU32| {
            let device = agent.get().and_then(|agent| devices.get(agent as usize));
            MaybeU32::from(device.and_then(|device| device.number))
        };
        let agents = trace.gpu.device.iter().enumerate();
        trace.gpu.device =
            agents.map(|(row, &agent)| if row < self.first.gpu { agent } else { number(agent) }).collect();
        for row in self.first.gpu..trace.gpu.len() {
            let slice = trace.gpu.slice[row].index();
            let slot = trace.slices.name[slice].index();
            match trace.slices.kind[slice] {
                SliceKind::Memcpy => {
                    trace.gpu.detail.set(row, names.get(slot).copied().unwrap_or(StringId::NONE));
                }
                _ => {
                    if let Some(known) = registers.get(slot).filter(|known| known.vector.is_some()) {
                        trace.gpu.registers.set(row, known.sum());
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
                trace.dispatches.vector_registers.set(row, known.vector.into());
                trace.dispatches.accumulation_registers.set(row, known.accumulation.into());
                trace.dispatches.scalar_registers.set(row, known.scalar.into());
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
            trace.dispatches.wave_size.set(row, last.1);
        }
    }

    fn finish_allocations(
        &self,
        trace: &mut Trace,
        devices: &[Device],
        names: &[StringId],
        tracks: &[TrackId],
    ) {
        let name = |slot: u32| names.get(slot as usize).map_or("", |&name| trace.strings.get(name));
        let is_release: Vec<bool> =
            self.allocations.iter().map(|&slot| name(slot).ends_with("FREE")).collect();
        amd::pair_releases(trace, self.first.allocation, &is_release);
        let table = &mut trace.allocations;
        for row in self.first.allocation..table.len() {
            let agent = table.device[row].get().and_then(|agent| devices.get(usize::try_from(agent).ok()?));
            // As PyTorch numbers them: 1 is a GPU, 0 the host.
            table.device_type[row] = agent.map(|agent| u32::from(agent.is_gpu)).into();
            table.device[row] = agent.map(|agent| agent.number.map_or(-1, i64::from)).into();
            table.track[row] = track(tracks, table.track[row]);
        }
    }
}

fn track(tracks: &[TrackId], lane: TrackId) -> TrackId {
    tracks.get(lane.index()).copied().unwrap_or(TrackId::NONE)
}
