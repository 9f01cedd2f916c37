//! What was launched inside which slice of the host.

use std::collections::{HashMap, HashSet};

use eaves_analyze::{GpuWork, HostTree, Options, RankView};
use eaves_model::{CallTree, GpuActivity, Ns, SliceId, SliceKind, Trace};

use super::{FLOAT_ERROR, Loaded, number};
use crate::common::checks::{Checks, CsvRow, microseconds};

/// The trace with HTA's idea of what a call launched: synchronization records count as kernels, operators that launch
/// Triton kernels are not host events because they carry a stream, and on stream 0, where AMD runs everything, nothing
/// is linked (D8).
pub(crate) fn as_hta_links(trace: &Trace) -> Trace {
    let mut trace = trace.clone();
    for row in 0..trace.syncs.len() {
        let sync = trace.syncs.row(row);
        if sync.stream.get().is_some_and(|stream| stream >= 0) {
            trace.slices.kind[sync.slice.index()] = SliceKind::Kernel;
            trace.gpu.push(GpuActivity {
                slice: sync.slice,
                device: sync.device,
                context: sync.context,
                stream: sync.stream,
                correlation: sync.correlation,
                ..GpuActivity::default()
            });
        }
    }
    for (slice, _) in
        trace.triton.slice.iter().zip(&trace.triton.stream).filter(|(_, stream)| stream.is_some())
    {
        trace.slices.kind[slice.index()] = SliceKind::Span;
    }
    let linked: Vec<bool> =
        trace.gpu.stream.iter().map(|stream| stream.get().is_some_and(|stream| stream > 0)).collect();
    trace.gpu.retain(|row| linked[row]);
    trace
}

/// Names of slices that HTA attributes otherwise. It puts the backward thread under the steps and `## backward ##` of
/// the main thread, which we leave where it is; and where two slices cross, as a range that a Python frame opens and
/// that outlives the frame, it closes the wrong one.
fn attributed_otherwise(trace: &Trace) -> HashSet<&str> {
    let mut names: HashSet<&str> = HashSet::new();
    let is_parent = |name: &str| name.starts_with("ProfilerStep#") || name.starts_with("## backward ##");
    let (tree, slices) = (CallTree::build(&trace.slices), &trace.slices);
    let mut open: Vec<SliceId> = Vec::new();
    for &slice in tree.in_order() {
        if is_parent(trace.slice_name(slice)) {
            names.insert(trace.slice_name(slice));
            names.extend(tree.ancestors(slice).map(|above| trace.slice_name(above)));
        }
        let (track, start, end) =
            (slices.track[slice.index()], slices.start[slice.index()], slices.end(slice.index()));
        open.retain(|above| slices.track[above.index()] == track && slices.end(above.index()) > start);
        for &above in open.iter().filter(|above| slices.end(above.index()) < end) {
            names.insert(trace.slice_name(above));
            names.insert(trace.slice_name(slice));
        }
        open.push(slice);
    }
    names
}

/// One rank's tree of slices and what was launched in each.
struct Graph<'a> {
    place: String,
    trace: &'a Trace,
    tree: &'a HostTree,
    totals: &'a [GpuWork],
    otherwise: HashSet<&'a str>,
    zero: Ns,
}

pub(crate) fn check_call_graph(checks: &mut Checks, loaded: &Loaded<'_>) {
    let zero = loaded.run.recordings.iter().flat_map(|recording| {
        let slices = &recording.trace.slices;
        (0..slices.len()).filter(|&row| slices.kind[row] != SliceKind::Span).map(|row| slices.start[row])
    });
    let zero = zero.min().unwrap_or(Ns::ZERO);
    for recording in &loaded.run.recordings {
        let trace = as_hta_links(&recording.trace);
        let options = Options::default();
        let rank = RankView::new(&trace, &options);
        let tree = HostTree::build(&trace, rank.tree(), SliceKind::is_host_call);
        let totals = tree.totals(tree.gpu_work(rank.links(), &rank.gpu));
        let graph = Graph {
            place: format!("{} rank {}", loaded.case.name, recording.rank),
            trace: &trace,
            tree: &tree,
            totals: &totals,
            otherwise: attributed_otherwise(&trace),
            zero,
        };
        if let Some(theirs) = loaded.reference(&format!("call_graph_by_op_rank{}.csv", recording.rank)) {
            check_by_operator(checks, &graph, &theirs);
        }
        if let Some(theirs) = loaded.reference(&format!("call_graph_rank{}.csv", recording.rank)) {
            check_calls(checks, &graph, &theirs);
        }
    }
}

/// True for what HTA takes for an event of the host.
fn is_on_host(kind: SliceKind) -> bool {
    !kind.is_gpu_activity() && kind != SliceKind::Span
}

fn check_by_operator(checks: &mut Checks, graph: &Graph<'_>, theirs: &[CsvRow]) {
    let Graph { place, trace, tree, totals, otherwise, .. } = graph;
    let mut ours: HashMap<&str, (f64, GpuWork)> = HashMap::new();
    for row in (0..trace.slices.len()).filter(|&row| is_on_host(trace.slices.kind[row])) {
        ours.entry(trace.slice_name(SliceId::from(row))).or_default().0 += 1.0;
    }
    for (node, &total) in totals.iter().enumerate() {
        ours.entry(trace.slice_name(tree.slice(node))).or_default().1 += total;
    }
    for row in theirs {
        let at = format!("{place} {}", row["s_name"]);
        let (count, work) = ours.get(&*row["s_name"]).copied().unwrap_or_default();
        checks.near("by operator", &format!("{at} count"), count, number(row, "count"), 0.0);
        if otherwise.contains(&*row["s_name"]) {
            continue;
        }
        let values = [("num_kernels", work.activities as f64), ("kernel_dur_sum", microseconds(work.time))];
        for (column, value) in values {
            checks.near("by operator", &format!("{at} {column}"), value, number(row, column), FLOAT_ERROR);
        }
    }
}

fn check_calls(checks: &mut Checks, graph: &Graph<'_>, theirs: &[CsvRow]) {
    let Graph { place, trace, tree, totals, otherwise, zero } = graph;
    let mut theirs: Vec<&CsvRow> = theirs.iter().filter(|row| row["stream"] == "-1").collect();
    theirs.sort_by_key(|row| row["index"].parse::<u64>().unwrap());
    let ours: Vec<SliceId> = (0..trace.slices.len())
        .filter(|&row| is_on_host(trace.slices.kind[row]))
        .map(SliceId::from)
        .collect();
    checks.near("calls", &format!("{place} rows"), ours.len() as f64, theirs.len() as f64, 0.0);
    for (&slice, row) in ours.iter().zip(&theirs) {
        let name = trace.slice_name(slice);
        let at = format!("{place} {} {name}", row["index"]);
        checks.near(
            "calls",
            &format!("{at} is {}", row["s_name"]),
            f64::from(name == row["s_name"]),
            1.0,
            0.0,
        );
        if otherwise.contains(name) {
            continue;
        }
        let work = tree.around(slice).map(|node| totals[node]).unwrap_or_default();
        let span = work.span();
        let time = |time: Option<Ns>, otherwise: f64| time.map_or(otherwise, microseconds);
        let values = [
            ("num_kernels", work.activities as f64),
            ("kernel_dur_sum", microseconds(work.time)),
            ("first_kernel_start", time(span.map(|span| span.start - *zero), -1.0)),
            ("last_kernel_end_fixed", time(span.map(|span| span.end - *zero), -1.0)),
            ("kernel_span_fixed", time(span.map(|span| span.length()), 0.0)),
        ];
        for (column, value) in values.into_iter().filter(|(column, _)| row.contains_key(*column)) {
            // Starts are differences of floats that count microseconds since the machine was switched on.
            let tolerance = if column == "first_kernel_start" { 5e-4 } else { FLOAT_ERROR };
            checks.near("calls", &format!("{at} {column}"), value, number(row, column), tolerance);
        }
    }
}
