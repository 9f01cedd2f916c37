//! From the rows of a recording to what is compared of it.

use std::collections::BTreeMap;

use eaves_model::{GpuId, SliceId, SliceKind, StringId, is_launch, operator_above};

use super::frames::{Frames, IdMap, Node};
use super::profile::{CALL, Entry, LAUNCH, Place, RankProfile, Step, StepWork};
use crate::analyses::memory;
use crate::analyses::steps::{self, steps_of};
use crate::{Breakdown, KernelType, RankView};

/// Measures a recording. Its rows are not needed any more after that.
pub fn measure(view: &RankView<'_>) -> RankProfile {
    let selected = steps_of(view);
    let clock = StepClock::new(view, &selected);
    let mut frames = Frames::new(view.trace, view.tree());
    let device = device(view, &clock, &mut frames);
    RankProfile {
        extent: view.extent,
        recorded_steps: view.steps.iter().map(|(number, _)| number).collect(),
        breakdown: view.sets.span().map(|span| Breakdown::from_times(&view.times, span.length())),
        kernel_count: Some(count_kernels(view)),
        kernels: device.kernels,
        collectives: Some(device.collectives),
        operators: host(view, &clock, &mut frames, &device.by_operator),
        peaks: peaks(view),
        lines: memory::lines_at_peak(view),
        steps: selected.iter().map(step).collect(),
        by_step: true,
    }
}

fn step(step: &steps::Step) -> Step {
    let work = |work: &steps::GpuWork| StepWork {
        busy: work.times.busy(),
        compute: work.times.total(KernelType::Compute),
        exposed_communication: work.times.exposed_communication(),
        exposed_memory: work.times.exposed_memory(),
        idle: work.idle,
        kernels: work.kernels,
    };
    Step { number: step.number, duration: step.window.length(), gpu: step.gpu.as_ref().map(work) }
}

fn count_kernels(view: &RankView<'_>) -> u64 {
    let (slices, gpu) = (&view.trace.slices, &view.trace.gpu);
    let is_kernel = |activity: &&GpuId| slices.kind[gpu.slice[activity.index()].index()] == SliceKind::Kernel;
    view.gpu.row.iter().filter(is_kernel).count() as u64
}

/// Which of the selected steps something belongs to.
struct StepClock<'a> {
    view: &'a RankView<'a>,
    /// For every step of the recording its place among the selected ones.
    places: Vec<Option<usize>>,
    steps: usize,
}

impl<'a> StepClock<'a> {
    fn new(view: &'a RankView<'a>, selected: &[steps::Step]) -> Self {
        let place = |(number, _)| selected.iter().position(|step| step.number == number);
        Self { view, places: view.steps.iter().map(place).collect(), steps: selected.len() }
    }

    fn of_activity(&self, activity: GpuId) -> Option<usize> {
        let step = self.view.steps.of_activity(self.view.trace, self.view.links(), activity)?;
        self.places[step]
    }

    fn of_slice(&self, slice: SliceId) -> Option<usize> {
        self.places[self.view.steps.at(self.view.trace.slices.start[slice.index()])?]
    }
}

/// The entry at an index, which is made if it is new. `order` counts when its first part was met.
fn entry<'a>(
    entries: &'a mut Vec<Entry>,
    index: &mut usize,
    order: i64,
    place: impl FnOnce() -> Place,
) -> &'a mut Entry {
    let order = order.max(0).unsigned_abs();
    if *index == NEW {
        *index = entries.len();
        entries.push(Entry { place: place(), order, ..Entry::default() });
    }
    let entry = &mut entries[*index];
    entry.order = entry.order.min(order);
    entry
}

/// The index of an entry that is not there yet.
const NEW: usize = usize::MAX;

struct Device {
    kernels: Vec<Entry>,
    collectives: Vec<Entry>,
    /// Operator, step and duration of every activity that an operator launched.
    by_operator: Vec<(SliceId, Option<usize>, i64)>,
}

fn device(view: &RankView<'_>, clock: &StepClock<'_>, frames: &mut Frames<'_>) -> Device {
    let (trace, links) = (view.trace, view.links());
    let recorded: IdMap<SliceId, StringId> =
        trace.collectives.slice.iter().copied().zip(trace.collectives.name.iter().copied()).collect();
    let mut device = Device { kernels: Vec::new(), collectives: Vec::new(), by_operator: Vec::new() };
    let (mut kernels, mut collectives) = (IdMap::default(), IdMap::default());
    for (index, &activity) in view.gpu.row.iter().enumerate() {
        let slice = trace.gpu.slice[activity.index()];
        let launch = links.launch(activity);
        let operator = launch.and_then(|launch| operator_above(trace, view.tree(), launch));
        let node = match (operator, launch) {
            (Some(operator), _) => frames.with_itself(operator),
            (None, Some(launch)) => frames.around(launch),
            (None, None) => Node::ROOT,
        };
        let (step, kernel_type) = (clock.of_activity(activity), view.gpu.kernel_type[index]);
        let duration = view.gpu.duration(index).0;
        let order = trace.slices.start[launch.unwrap_or(slice).index()].0.saturating_sub(view.zero().0);
        if let Some(operator) = operator {
            device.by_operator.push((operator, step, duration));
        }
        let add = |entries: &mut Vec<Entry>, map: &mut IdMap<_, usize>, name: StringId| {
            let index = map.entry((name, node, operator.is_some(), kernel_type as u8)).or_insert(NEW);
            let entry = entry(entries, index, order, || Place {
                name: trace.strings.get(name).to_owned(),
                class: kernel_type.id(),
                operator: operator.map(|slice| trace.slice_name(slice).to_owned()),
                path: frames.text(if operator.is_some() { frames.parent(node) } else { node }),
            });
            entry.calls.add(step, clock.steps, 1);
            entry.time.add(step, clock.steps, duration);
            entry.total.add(step, clock.steps, duration);
        };
        add(&mut device.kernels, &mut kernels, view.gpu.name[index]);
        if kernel_type == KernelType::Communication {
            let name = recorded.get(&slice).copied().filter(|&name| name != StringId::NONE);
            add(&mut device.collectives, &mut collectives, name.unwrap_or(view.gpu.name[index]));
        }
    }
    device
}

/// Operators, runtime calls and ranges of the user; nothing if the host was not recorded.
fn host(
    view: &RankView<'_>,
    clock: &StepClock<'_>,
    frames: &mut Frames<'_>,
    by_operator: &[(SliceId, Option<usize>, i64)],
) -> Option<Vec<Entry>> {
    let trace = view.trace;
    let counts = |frames: &Frames<'_>, slice: SliceId| {
        trace.slices.kind[slice.index()] == SliceKind::Runtime || frames.is_named(slice)
    };
    let mut own: Vec<i64> = trace.slices.duration.iter().map(|duration| duration.0).collect();
    let mut rows: Vec<SliceId> = Vec::new();
    for row in 0..trace.slices.len() {
        let slice = SliceId::from(row);
        if !counts(frames, slice) || trace.is_quarantined(slice) {
            continue;
        }
        // What stands inside is taken from the innermost entry around it.
        let around = view.tree().ancestors(slice).find(|&above| counts(frames, above));
        if let Some(around) = around {
            let inside = trace.slices.duration[row].0;
            let left = &mut own[around.index()];
            // Slices that overlap without nesting may cover more than there is.
            *left = left.saturating_sub(inside).max(0);
        }
        if view.selects(trace.slices.start[row]) {
            rows.push(slice);
        }
    }
    if rows.is_empty() {
        return None;
    }
    let mut entries: Vec<Entry> = Vec::new();
    // The entry of each path. An operator and a range of one name at one place are one thing.
    let mut places: Vec<usize> = Vec::new();
    for slice in rows {
        let row = slice.index();
        let node = frames.with_itself(slice);
        if places.len() <= node.index() {
            places.resize(node.index() + 1, NEW);
        }
        let (step, order) = (clock.of_slice(slice), trace.slices.start[row].0.saturating_sub(view.zero().0));
        let entry = entry(&mut entries, &mut places[node.index()], order, || Place {
            name: trace.slice_name(slice).to_owned(),
            class: class(trace.slices.kind[row], trace.slice_name(slice)),
            operator: None,
            path: frames.text(frames.parent(node)),
        });
        entry.calls.add(step, clock.steps, 1);
        entry.time.add(step, clock.steps, own[row]);
        entry.total.add(step, clock.steps, trace.slices.duration[row].0);
    }
    for &(operator, step, duration) in by_operator {
        let node = frames.with_itself(operator);
        if let Some(entry) = places.get(node.index()).and_then(|&index| entries.get_mut(index)) {
            entry.gpu.add(step, clock.steps, duration);
        }
    }
    Some(entries)
}

fn class(kind: SliceKind, name: &str) -> &'static str {
    match kind {
        SliceKind::Runtime if is_launch(name) => LAUNCH,
        SliceKind::Runtime => CALL,
        kind => kind.name(),
    }
}

/// The most memory that was taken, by device; nothing if memory was not recorded.
fn peaks(view: &RankView<'_>) -> Option<BTreeMap<String, i64>> {
    let table = &view.trace.allocations;
    let mut peaks: BTreeMap<(bool, i64, &str), i64> = BTreeMap::new();
    for row in (0..table.len()).filter(|&row| view.selects(table.time[row])) {
        let (Some(kind), Some(device)) = (table.device_type[row].get(), table.device[row].get()) else {
            continue;
        };
        let values = [("allocated", table.total_allocated[row]), ("reserved", table.total_reserved[row])];
        for (what, value) in values {
            if let Some(value) = value.get() {
                let peak = peaks.entry((kind != HOST, device, what)).or_insert(value);
                *peak = (*peak).max(value);
            }
        }
    }
    for device in memory::snapshot_peaks(view) {
        peaks.insert((!device.is_host, device.number, "allocated"), device.in_use);
        if let Some(reserved) = device.reserved {
            peaks.insert((!device.is_host, device.number, "reserved"), reserved);
        }
    }
    // The allocator of the host reserves nothing and says 0.
    peaks.retain(|&(.., what), peak| what == "allocated" || *peak > 0);
    let mut devices: Vec<i64> = peaks.keys().filter(|key| key.0).map(|key| key.1).collect();
    devices.dedup();
    let name = |&(is_device, device, what): &(bool, i64, &str)| match (is_device, devices.len()) {
        (false, _) => format!("host {what}"),
        // The only device of a process has another number on every rank, but it is the same to compare.
        (true, 1) => format!("device {what}"),
        (true, _) => format!("device {device} {what}"),
    };
    let named: BTreeMap<String, i64> = peaks.iter().map(|(key, &peak)| (name(key), peak)).collect();
    (!named.is_empty()).then_some(named)
}

/// The host in PyTorch's `DeviceType` (c10/core/DeviceType.h); everything else is a device.
const HOST: u32 = 0;
