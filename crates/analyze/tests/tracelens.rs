//! Comparison with the GPU timelines of TraceLens (AMD-AGI/TraceLens 171dd747) on its own test traces.
//!
//! TraceLens counts memory sets as computation and looks at activities with a launch only; the classification
//! below does the same, the unions and differences are ours.

use crate::common;
use crate::common::checks;
use std::path::Path;

use crate::common::checks::{Checks, CsvRow, in_microseconds, interval, microseconds, read_csv};
use crate::common::tracelens::linked_by_tracelens;
use eaves_analyze::{Breakdown, GpuView, KernelType, Selection, TypeSets, TypeTimes};
use eaves_model::{GpuId, Interval, Ns, SliceKind, Trace};

fn tracelens_type(trace: &Trace, activity: GpuId) -> KernelType {
    let slice = trace.gpu.slice[activity.index()];
    let name = trace.slice_name(slice);
    match trace.slices.kind[slice.index()] {
        SliceKind::Memcpy => return KernelType::Memory,
        SliceKind::Memset => return KernelType::Compute,
        _ => {}
    }
    if name.starts_with("MEMORY_COPY_") || name.starts_with("__amd_rocclr_copyBuffer") {
        return KernelType::Memory;
    }
    let lower = name.to_ascii_lowercase();
    let communicates = ["nccl", "rccl", "cross_device_reduce"].iter().any(|part| lower.contains(part));
    if communicates { KernelType::Communication } else { KernelType::Compute }
}

/// Total idle time in gaps shorter than 5 us, in units.
fn micro_idle(sets: &TypeSets, limit: Ns) -> Ns {
    let span = sets.span().unwrap();
    let gaps = sets.busy().gaps(span);
    gaps.as_slice().iter().map(|gap| gap.length()).filter(|&length| length < limit).sum()
}

fn check(checks: &mut Checks, place: &str, sets: &TypeSets, unit: f64, tolerance: f64, table: &[CsvRow]) {
    let ours = Breakdown::of(sets);
    let times = TypeTimes::of(sets);
    let limit = Ns((5.0 * unit) as i64);
    for row in table {
        let time = match &*row["type"] {
            "computation_time" => ours.compute,
            "exposed_comm_time" => ours.exposed_communication,
            "exposed_memcpy_time" => ours.exposed_memory,
            "busy_time" => ours.busy,
            "idle_time" => ours.idle(),
            "total_time" => ours.span,
            "total_comm_time" => times.total(KernelType::Communication),
            "total_memcpy_time" => times.total(KernelType::Memory),
            "micro_idle_time" => micro_idle(sets, limit),
            "macro_idle_time" => ours.idle() - micro_idle(sets, limit),
            other => panic!("unknown row {other}"),
        };
        let place = format!("{place} {}", row["type"]);
        let theirs = 1000.0 * row["time ms"].parse::<f64>().unwrap();
        checks.near("time", &place, time.as_f64() / unit, theirs, tolerance);
        let share = 100.0 * time.as_f64() / ours.span.as_f64();
        let span = ours.span.as_f64() / unit;
        let theirs = row["percent"].parse().unwrap();
        checks.near("percent", &place, share, theirs, 200.0 * tolerance / span);
    }
}

/// The intervals as TraceLens has them: both ends rounded to the floats of large timestamps.
fn as_floats(trace: &Trace, view: &GpuView, keep: impl Fn(usize) -> bool) -> TypeSets {
    let zero = trace.slices.start.iter().copied().min().map_or(0.0, microseconds);
    let kept = (0..view.len()).filter(|&index| keep(index));
    kept.map(|index| {
        let slice = trace.gpu.slice[view.row[index].index()].index();
        let (start, duration) = (trace.slices.start[slice], trace.slices.duration[slice]);
        let end = microseconds(start) + microseconds(duration);
        (interval(microseconds(start) - zero, end - zero), view.kernel_type[index])
    })
    .collect()
}

fn check_case(checks: &mut Checks, case: &Path, name: &str) {
    let plain = case.join("expected_plain_microidle5/gpu_timeline.csv");
    // The other table of that case is split by recomputation.
    let table = read_csv(&plain).or_else(|| read_csv(&case.join("expected/gpu_timeline.csv"))).unwrap();
    let run = common::read_run(case);
    let trace = &run.recordings[0].trace;
    let links = linked_by_tracelens(trace);
    let view = GpuView::with(trace, &Selection::default(), |activity| tracelens_type(trace, activity));
    let linked = |index: usize| links[view.row[index].index()];

    // As it is, in whole nanoseconds: every interval of theirs may be off by a float's last digit.
    let intervals = (0..view.len()).filter(|&index| linked(index)).count() as f64;
    check(checks, name, &view.sets_where(linked), 1000.0, 0.001 * intervals, &table);
    // With their floats: then it must be the same to their last printed digit.
    let floats = as_floats(trace, &view, linked);
    check(checks, &format!("{name} (floats)"), &floats, checks::UNITS, 1e-6, &table);
    let (whole, float) = (view.sets_where(linked).span().map(Interval::length), floats.span());
    let span = |time: Option<f64>| time.unwrap_or(0.0);
    checks.near(
        "span",
        name,
        span(whole.map(microseconds)),
        span(float.map(|span| in_microseconds(span.length()))),
        0.002,
    );
}

#[test]
fn gpu_timelines_agree_with_tracelens() {
    let Some(root) = common::data("tracelens/cases") else { return };
    let mut checks = Checks::default();
    for case in common::folders(&root) {
        check_case(&mut checks, &root.join(&case), &case);
    }
    checks.finish();
    assert!(checks.count("time") >= 140, "{}", checks.count("time"));
}
