//! One file of a run put into what is known of the run.

use std::collections::HashMap;

use eaves_model::{
    DeviceProperties, Extent, Metadata, Ns, Packed, SliceId, SliceKind, StringId, Times, Trace, WarningKind,
};

use super::matching;
use crate::formats::profilers::Role;

/// Nothing of one run is that far from all the rest of it.
const FAR: i64 = 3600 * 1_000_000_000;

/// How the clock of a file was brought to that of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alignment {
    /// Both count from the same moment.
    SameClock,
    /// By the first kernel that both have: it is another run of the program.
    FirstKernel,
    /// By the beginning: the file has no kernel to go by.
    Beginning,
    /// It has no times.
    NoTimes,
}

/// What became of a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    pub(super) alignment: Alignment,
    /// Kernels that were known already.
    pub(super) known: usize,
    /// Kernels that were not.
    pub(super) new: usize,
}

/// Puts a part into the whole.
pub(super) fn merge(whole: &mut Trace, mut part: Trace, role: Role) -> Outcome {
    if whole.events == 0 && whole.metadata == Metadata::default() && whole.diagnostics.warnings().is_empty() {
        *whole = part;
        let new = whole.slices.kind.iter().filter(|kind| **kind == SliceKind::Kernel).count();
        return Outcome { alignment: Alignment::SameClock, known: 0, new };
    }
    let is_untimed = whole.metadata.base_time_ns.is_none() && part.metadata.base_time_ns.is_some();
    let alignment = align(whole, &mut part);
    let same = if role == Role::Device { Vec::new() } else { matching::same(whole, &part) };
    let kernels = part.slices.kind.iter().filter(|kind| **kind == SliceKind::Kernel).count();
    let is_known = |row: usize| same.get(row).is_some_and(Option::is_some);
    let known = (0..part.slices.len())
        .filter(|&row| part.slices.kind[row] == SliceKind::Kernel && is_known(row))
        .count();
    metadata(&mut whole.metadata, &part.metadata, whole.slices.is_empty());
    if same.iter().any(Option::is_some) {
        if is_untimed {
            times(whole, &part, &same);
        }
        details(whole, &part, &same);
        counters(whole, &mut part, &same);
        leave_out(&mut part, &same);
    }
    whole.append(part);
    Outcome { alignment, known, new: kernels - known }
}

/// First and last time of anything.
fn range(trace: &Trace) -> Option<(i64, i64)> {
    let ends = (0..trace.slices.len()).map(|row| (trace.slices.start[row].0, trace.slices.end(row).0));
    let points = [&trace.allocations.time, &trace.instants.time, &trace.counters.time];
    let points = points.into_iter().flatten().map(|time| (time.0, time.0));
    ends.chain(points).reduce(|so_far, (start, end)| (so_far.0.min(start), so_far.1.max(end)))
}

fn align(whole: &mut Trace, part: &mut Trace) -> Alignment {
    let Some(base) = part.metadata.base_time_ns else { return Alignment::NoTimes };
    let Some(zero) = whole.metadata.base_time_ns else {
        whole.metadata.base_time_ns = Some(base);
        return Alignment::SameClock;
    };
    let shift = base.saturating_sub(zero);
    let (Some(ours), Some(theirs)) = (range(whole), range(part)) else {
        move_by(part, shift);
        return Alignment::SameClock;
    };
    let theirs = (theirs.0.saturating_add(shift), theirs.1.saturating_add(shift));
    let gap = (ours.0.saturating_sub(theirs.1)).max(theirs.0.saturating_sub(ours.1));
    if gap <= 0 {
        move_by(part, shift);
        return Alignment::SameClock;
    }
    match (first_common_kernel(whole, part), gap > FAR) {
        (Some((ours, theirs)), _) => {
            move_by(part, ours.0.saturating_sub(theirs.0));
            Alignment::FirstKernel
        }
        (None, true) => Alignment::Beginning,
        (None, false) => {
            move_by(part, shift);
            Alignment::SameClock
        }
    }
}

/// The starts of the first kernel that both have, in each.
fn first_common_kernel(whole: &Trace, part: &Trace) -> Option<(Ns, Ns)> {
    let is_kernel = |trace: &Trace, row: usize| trace.slices.kind[row] == SliceKind::Kernel;
    let mut first: HashMap<StringId, Ns> = HashMap::new();
    for row in (0..whole.slices.len()).filter(|&row| is_kernel(whole, row)) {
        let start = whole.slices.start[row];
        first.entry(whole.slices.name[row]).and_modify(|known| *known = (*known).min(start)).or_insert(start);
    }
    let mut rows: Vec<usize> = (0..part.slices.len()).filter(|&row| is_kernel(part, row)).collect();
    rows.sort_by_key(|&row| part.slices.start[row]);
    rows.into_iter().find_map(|row| {
        let name = whole.strings.find(part.slice_name(SliceId::from(row)))?;
        Some((*first.get(&name)?, part.slices.start[row]))
    })
}

/// Moves everything in time.
pub(super) fn move_by(trace: &mut Trace, nanoseconds: i64) {
    let columns = [
        &mut trace.slices.start,
        &mut trace.flows.time,
        &mut trace.instants.time,
        &mut trace.counters.time,
        &mut trace.allocations.time,
        &mut trace.asyncs.start,
    ];
    columns.into_iter().flatten().for_each(|time| *time += Ns(nanoseconds));
}

/// Makes the first time 0 again.
pub(super) fn from_the_first(trace: &mut Trace) {
    let Some((first, _)) = range(trace).filter(|&(first, _)| first != 0) else { return };
    move_by(trace, first.saturating_neg());
    trace.metadata.base_time_ns = trace.metadata.base_time_ns.map(|base| base.saturating_add(first));
}

/// Times of slices that were known without.
fn times(whole: &mut Trace, part: &Trace, same: &[Option<SliceId>]) {
    for (row, slice) in same.iter().enumerate() {
        if let Some(slice) = slice {
            whole.slices.start[slice.index()] = part.slices.start[row];
            whole.slices.duration[slice.index()] = part.slices.duration[row];
        }
    }
}

/// What the part knows of a slice and the whole does not.
fn details(whole: &mut Trace, part: &Trace, same: &[Option<SliceId>]) {
    let rows = |slices: &[SliceId]| -> HashMap<u32, usize> {
        slices.iter().enumerate().map(|(row, slice)| (slice.0, row)).collect()
    };
    let (gpu, dispatches) = (rows(&whole.gpu.slice), rows(&whole.dispatches.slice));
    let mut exact: HashMap<u32, bool> = HashMap::new();
    for row in 0..part.dispatches.len() {
        let Some(slice) = same.get(part.dispatches.slice[row].index()).copied().flatten() else { continue };
        let said = part.dispatches.row(row);
        let Some(&at) = dispatches.get(&slice.0) else {
            whole.dispatches.push(eaves_model::Dispatch { slice, ..said });
            exact.insert(slice.0, said.work_items.get().is_some());
            continue;
        };
        let known = &mut whole.dispatches;
        exact.insert(slice.0, known.work_items[at].get().is_none() && said.work_items.get().is_some());
        fill_extent(&mut known.work_items, at, said.work_items);
        if !known.number[at].is_some() {
            known.number[at] = said.number;
        }
        macro_rules! fill {
            ($($column:ident),*) => { $(if !known.$column[at].is_some() { known.$column.set(at, said.$column); })* };
        }
        fill!(
            queue,
            total_work_items,
            vector_registers,
            accumulation_registers,
            scalar_registers,
            scratch,
            wave_size
        );
    }
    for row in 0..part.gpu.len() {
        let Some(slice) = same.get(part.gpu.slice[row].index()).copied().flatten() else { continue };
        let Some(&at) = gpu.get(&slice.0) else { continue };
        let said = part.gpu.row(row);
        let known = &mut whole.gpu;
        // Extents that were recorded take the place of those made of a total.
        if exact.get(&slice.0).copied().unwrap_or(false) && said.grid.get().is_some() {
            known.grid.set(at, said.grid);
            known.block.set(at, said.block);
        }
        fill_extent(&mut known.grid, at, said.grid);
        fill_extent(&mut known.block, at, said.block);
        if !known.correlation[at].is_some() {
            known.correlation[at] = said.correlation;
        }
        macro_rules! fill {
            ($($column:ident),*) => { $(if !known.$column[at].is_some() { known.$column.set(at, said.$column); })* };
        }
        fill!(device, context, stream, registers, shared_memory, bytes);
    }
}

fn fill_extent(known: &mut Packed<Extent>, row: usize, said: Extent) {
    if known[row].get().is_none() {
        known.set(row, said);
    }
}

/// Counters of kernels that are known go to these. Of a counter that several passes recorded the first value counts.
fn counters(whole: &mut Trace, part: &mut Trace, same: &[Option<SliceId>]) {
    if part.range_counters.is_empty() {
        return;
    }
    let metrics: Vec<StringId> = whole.strings.absorb(&part.strings);
    let known: HashMap<(SliceId, StringId), f64> = (0..whole.range_counters.len())
        .map(|row| whole.range_counters.row(row))
        .map(|row| ((row.slice, row.metric), row.value.get().unwrap_or(f64::NAN)))
        .collect();
    let mut differing = 0;
    let mut first: Option<String> = None;
    for row in 0..part.range_counters.len() {
        let said = part.range_counters.row(row);
        let Some(slice) = same.get(said.slice.index()).copied().flatten() else { continue };
        let metric = metrics.get(said.metric.index()).copied().unwrap_or(StringId::NONE);
        match known.get(&(slice, metric)) {
            None => whole.range_counters.push(eaves_model::RangeCounter { slice, metric, value: said.value }),
            Some(&value) if Some(value) == said.value.get() => {}
            Some(value) => {
                differing += 1;
                let name = whole.strings.get(metric);
                first.get_or_insert_with(|| {
                    format!("first `{name}`: {value} and {}", said.value.get().unwrap_or(f64::NAN))
                });
            }
        }
    }
    if let Some(detail) = first {
        whole.diagnostics.note_detail(WarningKind::PassesDiffer, None, detail);
        whole.diagnostics.note_many(WarningKind::PassesDiffer, differing - 1, None);
    }
}

/// Takes the slices out that the whole has, and every row about them.
fn leave_out(part: &mut Trace, same: &[Option<SliceId>]) {
    let is_kept = |slice: SliceId| same.get(slice.index()).is_none_or(Option::is_none);
    let mut moved = vec![SliceId::NONE; part.slices.len()];
    let mut next = 0;
    for (row, place) in moved.iter_mut().enumerate() {
        if is_kept(SliceId::from(row)) {
            *place = SliceId::from(next);
            next += 1;
        }
    }
    part.slices.retain(|row| is_kept(SliceId::from(row)));
    macro_rules! leave_out {
        ($($table:ident),*) => { $(
            let kept: Vec<bool> = part.$table.slice.iter().map(|&slice| is_kept(slice)).collect();
            part.$table.retain(|row| kept[row]);
            for slice in &mut part.$table.slice {
                *slice = moved.get(slice.index()).copied().unwrap_or(SliceId::NONE);
            }
        )* };
    }
    leave_out!(
        ops,
        legacy_ops,
        triton,
        runtime,
        runtime_arguments,
        python,
        gpu,
        dispatches,
        syncs,
        collectives,
        range_counters,
        remarks
    );
}

/// What is not known yet is taken from the part.
fn metadata(whole: &mut Metadata, part: &Metadata, is_first: bool) {
    macro_rules! fill {
        ($($field:ident),*) => { $(if whole.$field.is_none() { whole.$field = part.$field.clone(); })* };
    }
    whole.recorder = whole.recorder.or(part.recorder);
    fill!(schema_version, trace_name, trace_id, display_time_unit, host_name, tool, clock, distributed);
    if is_first {
        whole.times = part.times;
    } else if part.times == Times::Recorded && part.base_time_ns.is_some() && whole.base_time_ns.is_none() {
        whole.times = Times::Recorded;
    }
    for (name, on) in &part.options {
        if whole.option(name).is_none() {
            whole.options.push((name.clone(), *on));
        }
    }
    whole.options.sort();
    for (name, version) in &part.versions {
        if !whole.versions.iter().any(|(known, _)| known == name) {
            whole.versions.push((name.clone(), version.clone()));
        }
    }
    whole.versions.sort();
    devices(&mut whole.devices, &part.devices);
}

/// Devices of the same number are the same. What is said without a number is of every device of the machine that the
/// tool profiled: rocprof-compute's `sysinfo.csv` and `roofline.csv`.
fn devices(whole: &mut Vec<DeviceProperties>, part: &[DeviceProperties]) {
    for said in part {
        let unnumbered = whole.iter().position(|known| known.id.is_none());
        match said.id {
            None if whole.is_empty() => whole.push(said.clone()),
            None => whole.iter_mut().for_each(|known| add_facts(known, said)),
            Some(id) => {
                let known = whole.iter().position(|known| known.id == Some(id));
                match (known, unnumbered) {
                    (Some(at), _) => add_facts(&mut whole[at], said),
                    (None, Some(at)) => {
                        let mut device = said.clone();
                        add_facts(&mut device, &whole[at]);
                        whole.push(device);
                    }
                    (None, None) => whole.push(said.clone()),
                }
            }
        }
    }
    if whole.iter().any(|device| device.id.is_some()) {
        whole.retain(|device| device.id.is_some());
    }
}

fn add_facts(known: &mut DeviceProperties, said: &DeviceProperties) {
    if known.name.is_empty() {
        known.name.clone_from(&said.name);
    }
    if known.architecture.is_empty() {
        known.architecture.clone_from(&said.architecture);
    }
    for (name, value) in &said.numbers {
        if known.number(name).is_none() {
            known.numbers.push((name.clone(), *value));
        }
    }
    known.numbers.sort_by(|a, b| a.0.cmp(&b.0));
}
