//! Launches with their metrics, and the trace they become. Nsight Compute replays every launch by itself and records no
//! start times, so launches stand one after another in the order of their numbers.

use std::collections::{BTreeMap, HashSet};

use eaves_model::{
    DeviceProperties, Extent, GpuActivity, Ident, MaybeF64, MaybeI64, MaybeU32, Ns, Oddity, Process,
    RangeCounter, RangeCounters, Slice, SliceId, SliceKind, StringId, Times, Trace, Track,
};

/// Attributes of the device, which are the same for every launch on it.
pub(super) const DEVICE_ATTRIBUTE: &str = "device__attribute_";

/// Clocks by which a launch can be timed that has no duration: cycles, and cycles in a second.
const CLOCKS: [(&str, &str); 3] = [
    ("sm__cycles_elapsed.avg", "sm__cycles_elapsed.avg.per_second"),
    ("smsp__cycles_elapsed.avg", "smsp__cycles_elapsed.avg.per_second"),
    ("gpc__cycles_elapsed.max", "gpc__cycles_elapsed.avg.per_second"),
];

/// What a metric says besides being a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Duration,
    Cycles(u8),
    Rate(u8),
    Registers,
    SharedMemory,
    DriverSharedMemory,
    DynamicSharedMemory,
    StaticSharedMemory,
    Occupancy,
    Grid(u8),
    Block(u8),
    /// An attribute of the device, which is no counter of the launch.
    Device,
    Nothing,
}

/// What a metric means by its name.
pub(super) fn meaning(metric: &str) -> Meaning {
    for (clock, (cycles, rate)) in (0_u8..).zip(CLOCKS) {
        if metric == cycles {
            return Meaning::Cycles(clock);
        }
        if metric == rate {
            return Meaning::Rate(clock);
        }
    }
    match metric {
        "gpu__time_duration.sum" | "gpu__time_duration.avg" => Meaning::Duration,
        "launch__registers_per_thread" => Meaning::Registers,
        "launch__shared_mem_per_block" => Meaning::SharedMemory,
        "launch__shared_mem_per_block_driver" => Meaning::DriverSharedMemory,
        "launch__shared_mem_per_block_dynamic" => Meaning::DynamicSharedMemory,
        "launch__shared_mem_per_block_static" => Meaning::StaticSharedMemory,
        "sm__maximum_warps_per_active_cycle_pct" => Meaning::Occupancy,
        "launch__grid_dim_x" => Meaning::Grid(0),
        "launch__grid_dim_y" => Meaning::Grid(1),
        "launch__grid_dim_z" => Meaning::Grid(2),
        "launch__block_dim_x" => Meaning::Block(0),
        "launch__block_dim_y" => Meaning::Block(1),
        "launch__block_dim_z" => Meaning::Block(2),
        _ if metric.starts_with(DEVICE_ATTRIBUTE) => Meaning::Device,
        _ => Meaning::Nothing,
    }
}

/// One launch.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    /// Its number; launches stand in the order of these.
    pub(super) id: i64,
    pub(super) name: StringId,
    pub(super) device: MaybeU32,
    pub(super) context: MaybeU32,
    pub(super) stream: MaybeI64,
    pub(super) grid: Extent,
    pub(super) block: Extent,
    /// Where it begins in the file.
    pub(super) position: i64,
    /// Names of the ranges around it, outermost first.
    pub(super) ranges: Box<[StringId]>,
}

/// What metrics say of a launch besides. Zero is not said.
#[derive(Clone, Copy, Debug)]
struct Facts {
    duration: MaybeF64,
    cycles: [f64; CLOCKS.len()],
    rates: [f64; CLOCKS.len()],
    registers: MaybeU32,
    shared: MaybeI64,
    shared_driver: MaybeI64,
    shared_dynamic: MaybeI64,
    shared_static: MaybeI64,
    occupancy: MaybeF64,
    grid: [u32; 3],
    block: [u32; 3],
}

impl Default for Facts {
    fn default() -> Self {
        Self {
            duration: MaybeF64::NONE,
            cycles: [0.0; CLOCKS.len()],
            rates: [0.0; CLOCKS.len()],
            registers: MaybeU32::NONE,
            shared: MaybeI64::NONE,
            shared_driver: MaybeI64::NONE,
            shared_dynamic: MaybeI64::NONE,
            shared_static: MaybeI64::NONE,
            occupancy: MaybeF64::NONE,
            grid: [0; 3],
            block: [0; 3],
        }
    }
}

/// A count that a metric gives, if it is one.
fn count(value: f64) -> Option<u32> {
    (value >= 0.0 && value < f64::from(u32::MAX) && value.fract() == 0.0).then_some(value as u32)
}

fn bytes(value: f64) -> MaybeI64 {
    // Exact in a float below 2^53, and no block has as much.
    if (0.0..9e15).contains(&value) { MaybeI64::new(value.round() as i64) } else { MaybeI64::NONE }
}

impl Facts {
    fn take(&mut self, meaning: Meaning, value: f64) {
        let set = |slots: &mut [f64], slot: u8| {
            if let Some(slot) = slots.get_mut(usize::from(slot)) {
                *slot = value;
            }
        };
        let set_count = |slots: &mut [u32], slot: u8| {
            if let (Some(slot), Some(value)) = (slots.get_mut(usize::from(slot)), count(value)) {
                *slot = value;
            }
        };
        match meaning {
            Meaning::Duration if value >= 0.0 => self.duration = MaybeF64::new(value),
            Meaning::Cycles(clock) => set(&mut self.cycles, clock),
            Meaning::Rate(clock) => set(&mut self.rates, clock),
            Meaning::Registers => self.registers = count(value).into(),
            Meaning::SharedMemory => self.shared = bytes(value),
            Meaning::DriverSharedMemory => self.shared_driver = bytes(value),
            Meaning::DynamicSharedMemory => self.shared_dynamic = bytes(value),
            Meaning::StaticSharedMemory => self.shared_static = bytes(value),
            Meaning::Occupancy => self.occupancy = MaybeF64::new(value),
            Meaning::Grid(axis) => set_count(&mut self.grid, axis),
            Meaning::Block(axis) => set_count(&mut self.block, axis),
            Meaning::Duration | Meaning::Device | Meaning::Nothing => {}
        }
    }

    /// Nanoseconds that the launch took.
    fn time(&self) -> Option<f64> {
        let clocked = || {
            let clocks = self.cycles.iter().zip(&self.rates);
            clocks
                .filter(|&(&cycles, &rate)| cycles > 0.0 && rate > 0.0)
                .map(|(cycles, rate)| cycles / rate * 1e9)
                .next()
        };
        self.duration.get().or_else(clocked).filter(|time| time.is_finite())
    }

    /// Bytes of shared memory that the kernel asked for, as other profilers count them: without what the driver takes.
    fn shared_memory(&self) -> MaybeI64 {
        match (self.shared_dynamic.get(), self.shared_static.get(), self.shared.get()) {
            (Some(dynamic), Some(fixed), _) => MaybeI64::new(dynamic + fixed),
            (.., Some(all)) => MaybeI64::new((all - self.shared_driver.unwrap_or(0)).max(0)),
            _ => MaybeI64::NONE,
        }
    }
}

/// The launches of a file.
#[derive(Debug, Default)]
pub(super) struct Launches {
    /// Strings, counters and remarks; slices are made at the end. Until then, a slice is the place in `launches`.
    pub(super) trace: Trace,
    launches: Vec<Launch>,
    /// Metrics of launches that were met, where they may be met twice.
    seen: HashSet<(u32, StringId)>,
    devices: BTreeMap<Option<u32>, DeviceProperties>,
}

impl Launches {
    /// Number of launches.
    pub(super) fn len(&self) -> usize {
        self.launches.len()
    }

    /// Adds a launch; the answer is its place.
    pub(super) fn add(&mut self, launch: Launch) -> usize {
        self.launches.push(launch);
        self.launches.len() - 1
    }

    /// Makes room for launches to come, with so many metrics each.
    pub(super) fn reserve(&mut self, launches: usize, metrics: usize) {
        self.launches.reserve(launches);
        self.trace.range_counters.reserve(launches.saturating_mul(metrics));
    }

    /// A metric of a launch, in its base unit, which is met once for certain.
    #[inline]
    pub(super) fn metric(&mut self, launch: usize, metric: StringId, value: f64) {
        let slice = SliceId::from(launch);
        self.trace.range_counters.push(RangeCounter { slice, metric, value: MaybeF64::new(value) });
    }

    /// A metric of a launch that may have been met before: sections share metrics, and passes repeat them. The first
    /// value counts; the answer is false if this one is another.
    pub(super) fn metric_once(&mut self, launch: usize, metric: StringId, value: f64) -> bool {
        let slice = SliceId::from(launch);
        if self.seen.insert((slice.0, metric)) {
            self.metric(launch, metric, value);
            return true;
        }
        let counters = &self.trace.range_counters;
        let rows = counters.slice.iter().zip(&counters.metric).zip(&counters.value).rev();
        // Nearly always of the launch that is being read, at the end.
        let mut before = rows.take(1 << 12).filter(|&((&its, &name), _)| its == slice && name == metric);
        before.next().is_none_or(|(_, its)| its.get() == Some(value))
    }

    /// What is known of a device.
    pub(super) fn device(&mut self, device: MaybeU32) -> &mut DeviceProperties {
        self.devices.entry(device.get()).or_insert_with(|| DeviceProperties {
            id: device.get().map(i64::from),
            ..DeviceProperties::default()
        })
    }

    /// True if something is known of the device already.
    pub(super) fn knows(&self, device: MaybeU32) -> bool {
        self.devices.contains_key(&device.get())
    }

    /// An attribute of a device.
    pub(super) fn device_number(&mut self, device: MaybeU32, name: &str, value: f64) {
        let device = self.device(device);
        if device.number(name).is_none() {
            device.numbers.push((name.to_owned(), value));
        }
        let part = |name: &str| device.number(&format!("{DEVICE_ATTRIBUTE}compute_capability_{name}"));
        if let (true, Some(major), Some(minor)) =
            (device.architecture.is_empty(), part("major"), part("minor"))
        {
            device.architecture = format!("sm_{major}{minor}");
        }
    }

    /// An attribute of a device that is no number.
    pub(super) fn device_text(&mut self, device: MaybeU32, name: &str, text: &str) {
        if name == "device__attribute_display_name" && !text.is_empty() {
            self.device(device).name = text.to_owned();
        }
    }

    /// The trace, if there are launches.
    pub(super) fn finish(mut self, tool: &str) -> Option<Trace> {
        if self.launches.is_empty() {
            return None;
        }
        self.seen = HashSet::new();
        self.order();
        let mut trace = self.trace;
        let meanings: Vec<Meaning> = trace.strings.iter().map(meaning).collect();
        let mut counter = 0;
        let category = trace.strings.intern("kernel");
        let mut start = 0_i64;
        trace.slices.reserve(self.launches.len());
        trace.gpu.reserve(self.launches.len());
        for (place, launch) in self.launches.iter().enumerate() {
            let facts = facts(&trace.range_counters, &mut counter, SliceId::from(place), &meanings);
            let time = facts.time();
            if time.is_none() {
                let offset = u64::try_from(launch.position).ok();
                trace.diagnostics.note(Oddity::MissingDuration, offset);
            }
            // Saturates, and a launch of centuries is put in quarantine.
            let duration = time.map_or(0, |time| time.round() as i64).min(i64::MAX - start);
            let device = launch.device.get().map_or(Ident::NONE, |device| Ident::number(i64::from(device)));
            let stream = launch.stream.get().map_or(Ident::NONE, Ident::number);
            let track = trace.tracks.get_or_add(device, stream);
            let slice = SliceId::from(trace.slices.len());
            trace.slices.push(Slice {
                start: Ns(start),
                duration: Ns(duration),
                name: launch.name,
                category,
                track,
                kind: SliceKind::Kernel,
                position: launch.position,
            });
            let extent = |written: Extent, said: [u32; 3]| {
                if written.get().is_some() { written } else { Extent(said) }
            };
            trace.gpu.push(GpuActivity {
                slice,
                device: launch.device,
                context: launch.context,
                stream: launch.stream,
                correlation: MaybeI64::NONE,
                external_id: MaybeI64::NONE,
                queued: MaybeI64::NONE,
                grid: extent(launch.grid, facts.grid),
                block: extent(launch.block, facts.block),
                registers: facts.registers,
                shared_memory: facts.shared_memory(),
                blocks_per_sm: MaybeF64::NONE,
                warps_per_sm: MaybeF64::NONE,
                occupancy_pct: facts.occupancy,
                bytes: MaybeI64::NONE,
                bandwidth_gbps: MaybeF64::NONE,
                detail: StringId::NONE,
            });
            start = start.saturating_add(duration);
        }
        ranges(&mut trace, &self.launches);
        trace.events = trace.events.max(trace.slices.len() as u64);
        name_tracks(&mut trace, &self.devices);
        let metadata = &mut trace.metadata;
        metadata.tool = Some(tool.to_owned());
        metadata.times = Times::InSequence;
        metadata.clock =
            Some("durations of single launches, which the profiler replays; no start times".to_owned());
        metadata.devices = self.devices.into_values().collect();
        for device in &mut metadata.devices {
            device.numbers.sort_by(|a, b| a.0.cmp(&b.0));
        }
        trace.diagnostics.note(Oddity::NoStartTimes, None);
        Some(trace)
    }

    /// Puts launches in the order of their numbers, and counters in that of their launches.
    fn order(&mut self) {
        if !self.launches.is_sorted_by_key(|launch| launch.id) {
            let mut order: Vec<usize> = (0..self.launches.len()).collect();
            order.sort_by_key(|&place| self.launches.get(place).map(|launch| launch.id));
            let mut moved = vec![SliceId::NONE; order.len()];
            for (new, &old) in order.iter().enumerate() {
                if let Some(moved) = moved.get_mut(old) {
                    *moved = SliceId::from(new);
                }
            }
            self.launches = order.iter().filter_map(|&place| self.launches.get(place).cloned()).collect();
            let slices = self.trace.range_counters.slice.iter_mut().chain(&mut self.trace.remarks.slice);
            for slice in slices {
                *slice = moved.get(slice.index()).copied().unwrap_or(*slice);
            }
        }
        let counters = &mut self.trace.range_counters;
        if !counters.slice.is_sorted() {
            let mut rows: Vec<RangeCounter> = (0..counters.len()).map(|row| counters.row(row)).collect();
            rows.sort_by_key(|row| row.slice);
            *counters = RangeCounters::default();
            rows.into_iter().for_each(|row| counters.push(row));
        }
    }
}

/// What the counters of a launch say besides, from a row on that is moved behind them.
fn facts(counters: &RangeCounters, row: &mut usize, slice: SliceId, meanings: &[Meaning]) -> Facts {
    let mut facts = Facts::default();
    while let Some(&its) = counters.slice.get(*row)
        && its <= slice
    {
        let metric = counters.metric.get(*row).map_or(usize::MAX, |metric| metric.index());
        let meaning = meanings.get(metric).copied().unwrap_or(Meaning::Nothing);
        if let (true, Some(value)) =
            (meaning != Meaning::Nothing, counters.value.get(*row).and_then(|v| v.get()))
        {
            facts.take(meaning, value);
        }
        *row += 1;
    }
    facts
}

/// Ranges of the program as annotations over the launches they are around. Launches next to each other that are in the
/// same ranges are taken to be in one.
fn ranges(trace: &mut Trace, launches: &[Launch]) {
    let category = trace.strings.intern("user_annotation");
    let thread = Ident::text(trace.strings.intern("ranges"));
    let mut open: Vec<(StringId, usize)> = Vec::new();
    for place in 0..=launches.len() {
        let around = launches.get(place).map_or(&[][..], |launch| &launch.ranges);
        let same = open.iter().zip(around).take_while(|((name, _), around)| name == *around).count();
        for (name, first) in open.drain(same..) {
            let (Some(&start), Some(last)) = (trace.slices.start.get(first), place.checked_sub(1)) else {
                continue;
            };
            let end = trace.slices.end(last);
            let process = launches.get(first).and_then(|launch| launch.device.get());
            let process = process.map_or(Ident::NONE, |device| Ident::number(i64::from(device)));
            let track = trace.tracks.get_or_add(process, thread);
            trace.slices.push(Slice {
                start,
                duration: Ns(end.0.saturating_sub(start.0)),
                name,
                category,
                track,
                kind: SliceKind::GpuAnnotation,
                position: launches.get(first).map_or(0, |launch| launch.position),
            });
        }
        open.extend(around.get(same..).unwrap_or_default().iter().map(|&name| (name, place)));
    }
}

/// Names processes by device and threads by stream, as recordings of PyTorch do.
fn name_tracks(trace: &mut Trace, devices: &BTreeMap<Option<u32>, DeviceProperties>) {
    for row in 0..trace.tracks.threads.len() {
        let Track { process, thread, name, .. } = trace.tracks.threads.row(row);
        let device = process.as_number();
        let properties = devices.get(&device.and_then(|device| u32::try_from(device).ok()));
        let label = device.map_or_else(|| "GPU".to_owned(), |device| format!("GPU {device}"));
        let shown = properties.map_or("", |device| device.name.as_str());
        let (labels, shown) =
            (trace.strings.intern(&label), if shown.is_empty() { label.as_str() } else { shown });
        let shown = trace.strings.intern(shown);
        trace.tracks.describe_process(Process { process, name: shown, labels, sort_index: MaybeI64::NONE });
        if let (Some(stream), true) = (thread.as_number(), name == StringId::NONE) {
            let name = trace.strings.intern(&format!("stream {stream}"));
            trace.tracks.describe_thread(Track { process, thread, name, sort_index: MaybeI64::NONE });
        }
    }
}
