//! Memory: the peak of each device, what was in use then, and whether it grows from step to step.

mod alive;
mod categories;
mod driver;
mod findings;
mod innermost;
mod levels;
mod points;
mod settings;
mod snapshot;
mod snapshot_findings;
mod snapshot_tables;
mod stacked;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use eaves_model::{MaybeI64, Ns, StringId, Trace};
use serde::{Deserialize, Serialize};

use self::alive::{Alive, alive};
use self::categories::{Categories, categories_of};
use self::driver::{DriverCalls, driver_calls};
use self::levels::{Device, Event, Levels, levels_of};
use self::points::{Point, highest, points};
use self::snapshot::{Allocator, allocator};
use self::stacked::{Allocation, Owner, Selected, Stacked, choose, stacked};
use super::{Analyse, Rank};
use crate::section::{Number, Provenance, Section, Skipped, Unit, Value};
use crate::{Job, Outcome, RankView};

pub(super) struct Memory;

/// The most that was in use on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
struct Peak {
    bytes: i64,
    /// Reserved from the device at that time.
    reserved: MaybeI64,
    /// When, for the first time, counted from the start of the recording.
    time: Ns,
    /// Number of the step it is in.
    step: Option<u64>,
}

/// One step on one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
struct StepMemory {
    number: u64,
    start: i64,
    end: i64,
    peak: i64,
}

impl StepMemory {
    fn growth(&self) -> i64 {
        self.end.saturating_sub(self.start)
    }
}

/// One device of one rank.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct DeviceMemory {
    device: Device,
    allocations: u64,
    releases: u64,
    /// True if the allocator's own totals are there.
    is_absolute: bool,
    /// In use before the first selected event.
    start: i64,
    peak: Peak,
    /// In use after the last.
    end: i64,
    /// True if more was reserved later than after the first selected event.
    reserved_grew: bool,
    peak_reserved: MaybeI64,
    end_reserved: MaybeI64,
    /// Memory of the device.
    capacity: Option<i64>,
    alive: Alive,
    /// What a snapshot tells besides.
    allocator: Option<Box<Allocator>>,
    steps: Vec<StepMemory>,
    /// The highest levels of parts of the time, for a chart.
    points: Vec<Point>,
    /// The largest allocations over time, and the rest.
    stacked: Stacked,
    /// Time, bytes in use, bytes reserved; only if wanted.
    series: Vec<(Ns, i64, MaybeI64)>,
}

/// What is kept of a rank.
#[derive(Deserialize, Serialize)]
pub(super) struct RankMemory {
    devices: Vec<DeviceMemory>,
    driver: DriverCalls,
    categories: Categories,
    /// How the allocator was set up, by name.
    settings: Vec<(String, String)>,
}

impl RankMemory {
    fn is_empty(&self) -> bool {
        self.devices.is_empty() && self.driver.functions.is_empty() && self.categories.categories.is_empty()
    }

    /// The device that matters: the accelerator with the highest peak, or else the host.
    fn main_device(&self) -> Option<&DeviceMemory> {
        self.devices.iter().max_by_key(|device| (!device.device.is_host(), device.peak.bytes))
    }
}

impl Analyse for Memory {
    const ID: &'static str = "memory";
    /// Small: of each device some hundred rows, and a row a step. The whole series only if details are wanted.
    type Part = RankMemory;

    fn measure(rank: &RankView<'_>) -> RankMemory {
        RankMemory {
            devices: levels_of(rank).iter().filter_map(|levels| device_of(rank, levels)).collect(),
            driver: driver_calls(rank),
            categories: categories_of(rank),
            settings: settings::settings_of(rank.trace),
        }
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, RankMemory>]) -> Outcome {
        if ranks.iter().all(|rank| rank.part.is_empty()) {
            return Outcome::Skipped(Skipped {
                id: Self::ID,
                missing: "allocations: no memory events recorded or selected".to_owned(),
                how_to_record: job.recorder.advice(
                    "memory",
                    "record with `torch.profiler.profile(profile_memory=True, ...)`, and `with_stack=True` for \
                    modules; or use a snapshot from `torch.cuda.memory._dump_snapshot`, or a file from \
                    `prof.export_memory_timeline`",
                ),
            });
        }
        let tables = tables::all(job, ranks);
        Outcome::Section(Section {
            id: Self::ID,
            title: "Memory",
            numbers: ranks.iter().flat_map(|rank| numbers(rank)).collect(),
            charts: tables::charts(&tables),
            tables,
            findings: findings::all(job.audience(), ranks),
        })
    }
}

/// The peak of a device in a snapshot.
pub(crate) struct SnapshotPeak {
    pub(crate) is_host: bool,
    pub(crate) number: i64,
    pub(crate) in_use: i64,
    pub(crate) reserved: Option<i64>,
}

/// The peaks of the devices of a snapshot.
pub(crate) fn snapshot_peaks(rank: &RankView<'_>) -> Vec<SnapshotPeak> {
    let of_device = |levels: &Levels| {
        let device = device_of(rank, levels)?;
        Some(SnapshotPeak {
            is_host: device.device.is_host(),
            number: device.device.number.unwrap_or(0),
            in_use: device.peak.bytes,
            reserved: device.peak_reserved.get(),
        })
    };
    snapshot::levels_of(rank.trace).iter().filter_map(of_device).collect()
}

/// What was in use at the peak by line of the program, of the device of a snapshot that has most.
pub(crate) fn lines_at_peak(rank: &RankView<'_>) -> Option<BTreeMap<String, i64>> {
    let devices = snapshot::levels_of(rank.trace).into_iter().filter_map(|levels| device_of(rank, &levels));
    let device = devices.max_by_key(|device| (!device.device.is_host(), device.peak.bytes))?;
    let alive = device.allocator?.alive;
    let mut lines: BTreeMap<String, i64> = BTreeMap::new();
    for (share, _) in &alive.by_stack {
        let name = share.name.clone().unwrap_or_else(|| "(no stack)".to_owned());
        *lines.entry(name).or_default() += share.bytes;
    }
    if alive.unknown > 0 {
        lines.insert("(before the recording)".to_owned(), alive.unknown);
    }
    Some(lines)
}

/// An allocator event, with memory in use afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryEvent {
    /// Index into the names of devices.
    pub device: usize,
    /// When; nothing if the order alone is known.
    pub time: Option<Ns>,
    /// Bytes taken, or given back if negative.
    pub bytes: i64,
    /// Bytes in use afterwards: the allocator's own total, or what was taken since the recording began.
    pub in_use: i64,
    /// Bytes reserved from the device afterwards.
    pub reserved: MaybeI64,
}

/// Allocator events of a recording, by device in time order, with device names.
pub fn memory_events(rank: &RankView<'_>) -> (Vec<String>, Vec<MemoryEvent>) {
    let (mut names, mut events) = (Vec::new(), Vec::new());
    for levels in levels_of(rank) {
        let device = names.len();
        let has_times = !levels.of_snapshot || rank.trace.snapshot.has_times;
        names.push(levels.device.name());
        events.extend(levels.events.iter().map(|event| MemoryEvent {
            device,
            time: has_times.then_some(event.time),
            bytes: event.bytes,
            in_use: event.level,
            reserved: event.reserved,
        }));
    }
    (names, events)
}

/// What was in use on the devices of a snapshot over time; nothing if their order alone is known.
pub(crate) fn snapshot_series(trace: &Trace) -> Vec<(String, Vec<(Ns, i64)>)> {
    if !trace.snapshot.has_times {
        return Vec::new();
    }
    let series = |levels: Levels| {
        let points = levels.events.iter().map(|event| (event.time, event.level)).collect();
        (levels.device.name(), points)
    };
    snapshot::levels_of(trace).into_iter().map(series).collect()
}

/// Measures one device; nothing if none of its events is selected.
fn device_of(rank: &RankView<'_>, levels: &Levels) -> Option<DeviceMemory> {
    let is_selected = |index: &usize| rank.selects(levels.events[*index].time);
    let selected: Vec<usize> = (0..levels.events.len()).filter(is_selected).collect();
    let (&first, &last) = (selected.first()?, selected.last()?);
    let start = levels.before_event(first);
    // What was in use before the first event may have been more than ever after.
    let (mut bytes, mut until, mut time) = (start, first, levels.events[first].time);
    for &index in &selected {
        if levels.events[index].level > bytes {
            (bytes, until, time) = (levels.events[index].level, index + 1, levels.events[index].time);
        }
    }
    let reserved =
        until.checked_sub(1).map_or(levels.events[first].reserved, |last| levels.events[last].reserved);
    let count =
        |of: fn(i64) -> bool| selected.iter().filter(|&&index| of(levels.events[index].bytes)).count() as u64;
    let series = |&index: &usize| {
        let event = &levels.events[index];
        (event.time - rank.zero(), event.level, event.reserved)
    };
    let positions = Selected::new(levels, &selected, until)?;
    let allocator = levels.of_snapshot.then(|| Box::new(allocator(rank, levels, until)));
    let (alive, chosen, owners) = match &allocator {
        Some(allocator) => {
            let alive = Alive {
                by_operator: allocator.alive.by_operator.clone(),
                by_module: allocator.alive.by_module.clone(),
                // Stacks are in tables of their own.
                by_line: Vec::new(),
                by_size: allocator.alive.by_size.clone(),
                before: allocator.alive.unknown,
            };
            let address = |event: &Event| Some(snapshot::address(rank.trace, event));
            let chosen =
                choose(&positions, stacked::MOST, address, snapshot::older(rank.trace, levels.device));
            let owners = snapshot::owners(rank.trace, levels, &chosen.blocks);
            (alive, chosen, owners)
        }
        None => {
            let address = |event: &Event| rank.trace.allocations.address[event.row as usize].get();
            let chosen = choose(&positions, stacked::MOST, address, []);
            let event = |block: &Allocation| block.event().map(|index| levels.events[index]);
            let others: Vec<Event> = chosen.blocks.iter().filter_map(event).collect();
            let (alive, asked) = alive(rank, &levels.events[..until], bytes, &others);
            let text = |name: Option<StringId>| name.map(|name| rank.trace.strings.get(name).to_owned());
            let mut asked = asked.into_iter();
            let owner = |block: &Allocation| {
                let asked = block.event().and_then(|_| asked.next()).unwrap_or_default();
                Owner {
                    operator: text(asked.operator),
                    module: text(asked.module),
                    place: asked.line,
                    ..Owner::default()
                }
            };
            let owners = chosen.blocks.iter().map(owner).collect();
            (alive, chosen, owners)
        }
    };
    let highest = highest(&selected, levels);
    Some(DeviceMemory {
        device: levels.device,
        allocations: count(|bytes| bytes > 0),
        releases: count(|bytes| bytes < 0),
        is_absolute: levels.is_absolute,
        start,
        peak: Peak {
            bytes,
            reserved,
            time: time - rank.zero(),
            step: rank.steps.at(time).map(|step| rank.steps.number(step)),
        },
        end: levels.events[last].level,
        reserved_grew: {
            let mut reserved = selected.iter().filter_map(|&index| levels.events[index].reserved.get());
            let first = reserved.next();
            reserved.any(|later| Some(later) > first)
        },
        peak_reserved: selected.iter().filter_map(|&index| levels.events[index].reserved.get()).max().into(),
        end_reserved: levels.events[last].reserved,
        capacity: capacity(rank, levels.device),
        alive,
        allocator,
        steps: steps_of(rank, levels),
        points: points(&highest, levels, rank.zero()),
        stacked: stacked(&positions, &chosen, owners, highest, rank.zero()),
        series: if rank.options.details { selected.iter().map(series).collect() } else { Vec::new() },
    })
}

fn steps_of(rank: &RankView<'_>, levels: &Levels) -> Vec<StepMemory> {
    let selected = rank.steps.iter().filter(|(_, window)| rank.selects(window.start));
    selected
        .map(|(number, window)| {
            let (start, end, peak) = levels.over(window);
            StepMemory { number, start, end, peak }
        })
        .collect()
}

/// The memory of a device, as the recorder describes it.
fn capacity(rank: &RankView<'_>, device: Device) -> Option<i64> {
    if device.is_host() {
        return None;
    }
    let described =
        rank.trace.metadata.devices.iter().find(|described| described.id == device.number.get())?;
    described.number("totalGlobalMem").map(|bytes| bytes as i64).filter(|&bytes| bytes > 0)
}

fn numbers(rank: &Rank<'_, RankMemory>) -> Vec<Number> {
    let number = |id, value, provenance, explain| {
        Number::new(id, value, Unit::Bytes, provenance, explain).of_rank(rank.rank)
    };
    let mut numbers = Vec::new();
    if let Some(device) = rank.part.main_device() {
        numbers.push(number(
            "peak_bytes",
            device.peak.bytes.into(),
            Provenance::Counter,
            "peak memory in use on the accelerator with the highest peak, or on the host without one; includes \
            earlier allocations if the allocator's totals are recorded",
        ));
        if let (false, Some(reserved)) = (device.device.is_host(), device.peak_reserved.get()) {
            numbers.push(number(
                "peak_reserved_bytes",
                reserved.into(),
                Provenance::Counter,
                "peak memory held by PyTorch's allocator on that accelerator, in use or not",
            ));
        }
        if let Some(allocator) = &device.allocator {
            let alive = &allocator.alive;
            numbers.push(number(
                "before_recording_bytes",
                alive.older.bytes.into(),
                Provenance::Formula,
                "in use at the peak and allocated before the first recorded event; included in the peak",
            ));
            numbers.push(number(
                "rounding_at_peak_bytes",
                alive.rounding.into(),
                Provenance::Formula,
                "lower bound of block rounding at the peak: for blocks freed before the end, only rounding to 512 \
                bytes is known",
            ));
            numbers.push(number(
                "waiting_at_peak_bytes",
                allocator.waiting_at_peak.into(),
                Provenance::Formula,
                "freed but still in use at the peak, because another stream had not reached the free",
            ));
        }
        if let Some(unused) = tables::unused(device) {
            numbers.push(number(
                "unused_at_peak_bytes",
                Value::Integer(unused),
                Provenance::Formula,
                "reserved but not in use at the peak: fragments and cached blocks",
            ));
        }
    }
    if !rank.part.categories.categories.is_empty() {
        numbers.push(number(
            "peak_of_categories_bytes",
            rank.part.categories.peak.into(),
            Provenance::Formula,
            "peak memory in use by tensors of all categories",
        ));
    }
    numbers
}
