//! The reference outputs of HTA 0.6.1 (`traceinsight` on PyPI) and the traces as HTA sees them.
//!
//! HTA rounds times to microseconds unless told not to. Traces whose times are whole microseconds need no rounding;
//! for the others there are outputs made with rounding switched off (`nsoff`). So every case can be compared to the
//! nanosecond, without emulating the rounding.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use eaves_model::{Ns, Run, SliceId, SliceKind, Trace};

use crate::common::checks::{Checks, microseconds};
use crate::common::{data, folders, read_run};

/// A set of traces with reference outputs.
pub(crate) struct Case {
    /// Name of the folder.
    pub(crate) name: String,
    /// Where the traces are.
    pub(crate) traces: PathBuf,
    /// Where the outputs are.
    pub(crate) outputs: PathBuf,
    /// True if their times are rounded to microseconds though those of the traces are not.
    pub(crate) rounded: bool,
}

impl Case {
    /// An output file, if the reference has it.
    pub(crate) fn output(&self, file: &str) -> Option<PathBuf> {
        Some(self.outputs.join(file)).filter(|path| path.is_file())
    }

    /// The traces without the events that HTA drops.
    pub(crate) fn load(&self) -> Run {
        let mut run = read_run(&self.traces);
        if self.rounded {
            run.recordings.iter_mut().for_each(|recording| round(&mut recording.trace));
        }
        drop_last_step(&mut run);
        run
    }
}

/// The cases whose outputs are not rounded.
pub(crate) fn cases() -> Option<Vec<Case>> {
    let root = data("hta")?;
    // Not traces: an execution trace and a memory timeline.
    let others = ["hta_execution_trace_et", "hta_memory_timeline"];
    let names = folders(&root.join("traces")).into_iter().filter(|name| !others.contains(&name.as_str()));
    Some(names.filter_map(|name| case(&root, name)).collect())
}

/// Every case, those with rounded outputs last.
pub(crate) fn all_cases() -> Option<Vec<Case>> {
    let mut all = cases()?;
    all.extend(rounded_cases(&data("hta")?));
    Some(all)
}

/// The cases whose outputs are rounded. Where the same trace has others they are the better ones to compare with.
fn rounded_cases(root: &Path) -> Vec<Case> {
    // Two have fractions, but no outputs with rounding switched off.
    let only = ["hta_cpu_only", "hta_mtia_train"].map(str::to_owned);
    let names = folders(&root.join("nsoff")).into_iter().chain(only);
    let case = |name: String| {
        let (traces, outputs) = (root.join("traces").join(&name), root.join(&name));
        Case { name: format!("{name} (rounded)"), traces, outputs, rounded: true }
    };
    names.map(case).collect()
}

/// Starts up and ends down to whole microseconds, as HTA does it, so that ends may come before starts.
fn round(trace: &mut Trace) {
    let slices = &mut trace.slices;
    for row in 0..slices.len() {
        let (start, duration) = (microseconds(slices.start[row]), microseconds(slices.duration[row]));
        let (from, to) = (start.ceil(), (start + duration).floor());
        slices.start[row] = Ns(from as i64 * 1_000);
        slices.duration[row] = Ns((to - from) as i64 * 1_000);
    }
}

fn case(root: &Path, name: String) -> Option<Case> {
    let traces = root.join("traces").join(&name);
    let unrounded = root.join("nsoff").join(&name);
    if unrounded.is_dir() {
        return Some(Case { name, traces, outputs: unrounded, rounded: false });
    }
    let outputs = root.join(&name);
    let whole = |trace: &Trace| trace.slices.start.iter().all(|start| start.0 % 1_000 == 0);
    let run = outputs.is_dir().then(|| read_run(&traces))?;
    run.recordings.iter().all(|recording| whole(&recording.trace)).then_some(Case {
        name,
        traces,
        outputs,
        rounded: false,
    })
}

/// With two steps or more, HTA keeps the host events before the last step, and the GPU events they launched.
fn drop_last_step(run: &mut Run) {
    let mut numbers: Vec<u64> = run
        .recordings
        .iter()
        .flat_map(|recording| recording.trace.steps())
        .map(|(number, _)| number)
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.len() < 2 {
        return;
    }
    for recording in &mut run.recordings {
        let trace = &mut recording.trace;
        let last = last_step_start(trace);
        forget_from(trace, last);
    }
}

/// To HTA a step as the device draws it, which is later than the host's, is a step too.
fn last_step_start(trace: &Trace) -> Ns {
    let is_step = |&row: &usize| {
        matches!(trace.slices.kind[row], SliceKind::Annotation | SliceKind::GpuAnnotation)
            && trace.slice_name(SliceId::from(row)).starts_with("ProfilerStep#")
    };
    let starts = (0..trace.slices.len()).filter(is_step).map(|row| trace.slices.start[row]);
    starts.max().unwrap_or(Ns::MIN)
}

/// Forgets the host slices from an instant on: as recorded spans they are in no analysis. What they launched is
/// quarantined.
fn forget_from(trace: &mut Trace, last: Ns) {
    let on_device: HashSet<SliceId> = trace.gpu.slice.iter().chain(&trace.syncs.slice).copied().collect();
    for row in 0..trace.slices.len() {
        if trace.slices.start[row] >= last && !on_device.contains(&SliceId::from(row)) {
            trace.slices.kind[row] = SliceKind::Span;
        }
    }
    let slices = &trace.slices;
    trace.runtime.retain({
        let kept: Vec<bool> =
            trace.runtime.slice.iter().map(|slice| slices.kind[slice.index()] != SliceKind::Span).collect();
        move |row| kept[row]
    });
    let launched: HashSet<i64> =
        trace.runtime.correlation.iter().filter_map(|correlation| correlation.get()).collect();
    for row in 0..trace.gpu.len() {
        let correlation = trace.gpu.correlation[row].get();
        if !correlation.is_some_and(|correlation| launched.contains(&correlation)) {
            trace.quarantined.push(trace.gpu.slice[row]);
        }
    }
    trace.quarantined.sort_unstable();
    trace.quarantined.dedup();
}

/// Every case with all of HTA's tables, as HTA rounds times and as they are; nothing without the reference data. A check
/// has the tables, the name of the case, the traces, and whether times are rounded.
pub(crate) fn checked(check: fn(&mut Checks, &Path, &str, &Run, bool)) -> Option<Checks> {
    let root = data("hta")?;
    let mut checks = Checks::default();
    for case in folders(&root.join("traces")) {
        let (golden, exact) = (root.join(&case), root.join("nsoff").join(&case));
        if !golden.join("status.json").exists() || case == "hta_memory_timeline" {
            continue;
        }
        let run = read_run(&root.join("traces").join(&case));
        check(&mut checks, &golden, &case, &run, true);
        if exact.is_dir() {
            check(&mut checks, &exact, &case, &run, false);
        }
    }
    Some(checks)
}
