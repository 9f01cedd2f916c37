//! Call trees compared with HTA's call graphs: calls, kernels and GPU time by name.

use crate::common::hta as reference;
use std::collections::HashMap;

use crate::common::checks::{Checks, read_csv};
use eaves_analyze::flame::{self, FlameOptions, FrameKind, Metric};
use eaves_analyze::{Options, RankView};
use eaves_model::{SliceId, SliceKind, Trace};

/// Sums over the frames of one name.
#[derive(Default)]
struct Sums {
    calls: i64,
    kernels: i64,
    gpu_ns: i64,
}

fn by_name(trace: &Trace) -> HashMap<String, Sums> {
    let options = FlameOptions { chart: Some(usize::MAX), merge_threads: false };
    let part = flame::measure(&RankView::new(trace, &Options::default()), &options);
    let chart = part.chart().unwrap();
    let mut kernels: Vec<i64> = chart.nodes.iter().map(|node| i64::from(node.kind.is_gpu())).collect();
    for index in (1..kernels.len()).rev() {
        kernels[chart.nodes[index].parent as usize] += kernels[index];
    }
    let mut sums: HashMap<String, Sums> = HashMap::new();
    for (node, kernels) in chart.nodes.iter().zip(kernels) {
        if node.kind.is_gpu() || node.kind == FrameKind::Root {
            continue;
        }
        let sum = sums.entry(part.names()[node.name as usize].clone()).or_default();
        sum.calls += 1;
        sum.kernels += kernels;
        sum.gpu_ns += node.total[Metric::Gpu];
    }
    sums
}

/// Frames that overlap others without nesting: a range begins inside a Python function and outlasts it. For HTA what
/// follows belongs to the function that has ended; for us to the range.
const OVERLAPPING: [&str; 3] = [
    "torch/profiler/profiler.py(821): step",
    "torch/autograd/profiler.py(783): __enter__",
    "step[EXTEND bs=15 toks=15360]",
];

/// True where HTA means something else by a name. It moves the operators of the backward thread below
/// `## backward ##` or the step, and takes ranges on the device and ranges of counters for calls on the host.
fn means_something_else(trace: &Trace, name: &str) -> bool {
    let on_device = |row: usize| {
        matches!(trace.slices.kind[row], SliceKind::GpuAnnotation | SliceKind::CounterRange | SliceKind::Sync)
            && trace.slice_name(SliceId::from(row)) == name
    };
    name == "## backward ##"
        || name == "__missing__"
        || name.starts_with("ProfilerStep#")
        || OVERLAPPING.contains(&name)
        || (0..trace.slices.len()).any(on_device)
}

#[test]
fn totals_by_name_are_those_of_hta() {
    let Some(cases) = reference::cases() else { return };
    let mut checks = Checks::default();
    for case in &cases {
        let Some(path) = case.output("call_graph_by_op_rank0.csv") else { continue };
        let run = case.load();
        let Some(recording) = run.recordings.iter().find(|recording| recording.rank == 0) else { continue };
        let trace = &recording.trace;
        // HTA finds no launches of AMD traces, nor their steps (D8).
        if trace.runtime.slice.iter().any(|&slice| trace.slice_name(slice).starts_with("hip")) {
            continue;
        }
        // HTA takes records of synchronization for kernels.
        let only_kernels = trace.syncs.is_empty();
        let ours = by_name(trace);
        for row in read_csv(&path).unwrap() {
            let name = &row["s_name"];
            if means_something_else(trace, name) {
                continue;
            }
            let place = format!("{} {name}", case.name);
            let number = |column: &str| row[column].parse::<f64>().unwrap();
            let none = Sums::default();
            let sums = ours.get(name).unwrap_or(&none);
            checks.near("calls", &place, sums.calls as f64, number("count"), 0.0);
            if only_kernels {
                checks.near("kernels", &place, sums.kernels as f64, number("num_kernels"), 0.0);
                let time = sums.gpu_ns as f64 / 1_000.0;
                checks.near("gpu time", &place, time, number("kernel_dur_sum"), 1e-6);
            }
        }
    }
    checks.finish();
    assert!(checks.count("gpu time") >= 1_000, "too little was compared");
}
