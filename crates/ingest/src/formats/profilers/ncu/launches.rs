//! Launches with their metrics, and the trace they become. Nsight Compute replays every launch by itself and records no
//! start times, so launches stand one after another in the order of their numbers.

use std::collections::{BTreeMap, HashSet};

use eaves_model::{
    DeviceProperties, Extent, GpuActivity, Ident, MaybeF64, MaybeI64, MaybeU32, Ns, Process, RangeCounter,
    RangeCounters, Slice, SliceId, SliceKind, StringId, Times, Trace, Track, WarningKind,
};

use super::super::Map;
use super::facts::{Meaning, facts, meaning};
use super::passes;

/// Attributes of the device, which are the same for every launch on it.
pub(super) const DEVICE_ATTRIBUTE: &str = "device__attribute_";

/// What a launch is, apart from when it was: programs launch the same over and over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    pub(super) name: StringId,
    pub(super) device: MaybeU32,
    pub(super) context: MaybeU32,
    pub(super) stream: MaybeI64,
    pub(super) grid: Extent,
    pub(super) block: Extent,
    /// Names of the ranges around it, outermost first.
    pub(super) ranges: Box<[StringId]>,
}

/// One launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Launch {
    /// Its number; launches stand in the order of these.
    pub(super) id: i64,
    /// Where it begins in the file.
    pub(super) position: i64,
    /// What it is: see [`Launches::identity`].
    pub(super) identity: u32,
    /// The table of the file it stands in.
    pub(super) table: u32,
}

/// The launches of a file.
#[derive(Debug, Default)]
pub(super) struct Launches {
    /// Strings, counters and remarks; slices are made at the end. Until then, a slice is the place in `launches`.
    pub(super) trace: Trace,
    launches: Vec<Launch>,
    identities: Vec<Identity>,
    /// Where each of these is.
    known: Map<Identity, u32>,
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

    /// The number of an identity, which is added if new.
    pub(super) fn identity(&mut self, identity: Identity) -> u32 {
        let identities = &mut self.identities;
        *self.known.entry(identity).or_insert_with_key(|identity| {
            identities.push(identity.clone());
            (identities.len() - 1) as u32
        })
    }

    /// Makes room for launches to come, with this many metrics each.
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

    /// An attribute of a device that is not a number.
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
        self.known = Map::default();
        self.order();
        let mut trace = self.trace;
        let identities = self.identities;
        let meanings: Vec<Meaning> = trace.strings.iter().map(meaning).collect();
        passes::merge(&mut self.launches, &identities, &mut trace, &meanings);
        let mut counter = 0;
        let category = trace.strings.intern("kernel");
        let mut start = 0_i64;
        trace.slices.reserve(self.launches.len());
        trace.gpu.reserve(self.launches.len());
        for (place, launch) in self.launches.iter().enumerate() {
            let Some(identity) = identities.get(launch.identity as usize) else { continue };
            let facts = facts(&trace.range_counters, &mut counter, SliceId::from(place), &meanings);
            let time = facts.time();
            if time.is_none() {
                let offset = u64::try_from(launch.position).ok();
                trace.diagnostics.note(WarningKind::MissingDuration, offset);
            }
            // Saturates, and a launch of centuries is put in quarantine.
            let duration = time.map_or(0, |time| time.round() as i64).min(i64::MAX - start);
            let device = identity.device.get().map_or(Ident::NONE, |device| Ident::number(i64::from(device)));
            let stream = identity.stream.get().map_or(Ident::NONE, Ident::number);
            let track = trace.tracks.get_or_add(device, stream);
            let slice = SliceId::from(trace.slices.len());
            trace.slices.push(Slice {
                start: Ns(start),
                duration: Ns(duration),
                name: identity.name,
                category,
                track,
                kind: SliceKind::Kernel,
                position: launch.position,
            });
            let extent = |written: Extent, said: [u32; 3]| {
                if written.get().is_some() { written } else { Extent::of_axes(said.map(Some)) }
            };
            trace.gpu.push(GpuActivity {
                slice,
                device: identity.device,
                context: identity.context,
                stream: identity.stream,
                grid: extent(identity.grid, facts.grid),
                block: extent(identity.block, facts.block),
                registers: facts.registers,
                shared_memory: facts.shared_memory(),
                occupancy_pct: facts.occupancy,
                ..GpuActivity::default()
            });
            start = start.saturating_add(duration);
        }
        ranges(&mut trace, &self.launches, &identities);
        trace.events = trace.events.max(trace.slices.len() as u64);
        name_tracks(&mut trace, &self.devices);
        let metadata = &mut trace.metadata;
        metadata.tool = Some(tool.to_owned());
        metadata.times = Times::InSequence;
        metadata.clock = Some("durations of replayed launches; no start times".to_owned());
        metadata.devices = self.devices.into_values().collect();
        for device in &mut metadata.devices {
            device.numbers.sort_by(|a, b| a.0.cmp(&b.0));
        }
        trace.diagnostics.note(WarningKind::NoStartTimes, None);
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
            self.launches = order.iter().filter_map(|&place| self.launches.get(place).copied()).collect();
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

/// Ranges of the program as annotations over the launches they are around. Launches next to each other that are in the
/// same ranges are taken to be in one.
fn ranges(trace: &mut Trace, launches: &[Launch], identities: &[Identity]) {
    let identity = |place: usize| identities.get(launches.get(place)?.identity as usize);
    if identities.iter().all(|identity| identity.ranges.is_empty()) {
        return;
    }
    let category = trace.strings.intern("user_annotation");
    let thread = Ident::text(trace.strings.intern("ranges"));
    let mut open: Vec<(StringId, usize)> = Vec::new();
    for place in 0..=launches.len() {
        let around = identity(place).map_or(&[][..], |identity| &identity.ranges);
        let same = open.iter().zip(around).take_while(|((name, _), around)| name == *around).count();
        for (name, first) in open.drain(same..) {
            let (Some(&start), Some(last)) = (trace.slices.start.get(first), place.checked_sub(1)) else {
                continue;
            };
            let end = trace.slices.end(last);
            let process = identity(first).and_then(|identity| identity.device.get());
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
