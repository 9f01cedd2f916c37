//! The graphs of a recording of their capture.

use eaves_model::{
    CallTree, CapturedGraph, CapturedLaunch, CapturedOperator, Extent, Interval, MaybeI64, SliceId,
    SliceKind, StringId, Trace, TrackId, is_launch,
};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Every graph, in the order of their captures. A recording that shows no beginning of a capture is one from its first
/// launch to its last, for each thread that launched.
pub(super) fn of(trace: &Trace) -> Vec<CapturedGraph> {
    let windows = windows(trace);
    let tree = CallTree::build_without(&trace.slices, &trace.quarantined);
    let reader = Reader { trace, tree: &tree, arguments: arguments(trace), annotations: annotations(trace) };
    let mut graphs: Vec<(Interval, CapturedGraph)> = Vec::new();
    let mut launches = reader.launches();
    launches
        .sort_by_key(|&slice| (trace.slices.track[slice.index()], trace.slices.start[slice.index()], slice));
    for (track, window) in windows {
        let first = launches.partition_point(|slice| reader.place(*slice) < (track, window.start));
        let last = launches.partition_point(|slice| reader.place(*slice) < (track, window.end));
        if let Some(inside) = launches.get(first..last).filter(|inside| !inside.is_empty()) {
            graphs.push((window, reader.graph(inside, window)));
        }
    }
    graphs.sort_by_key(|(window, _)| *window);
    graphs.into_iter().map(|(_, graph)| graph).collect()
}

/// The captures by thread. Without any, each thread that launched something as a whole.
fn windows(trace: &Trace) -> Vec<(TrackId, Interval)> {
    let mut marks: Vec<(TrackId, Interval, bool)> = Vec::new();
    let mut threads: HashMap<TrackId, Interval, FixedState> = HashMap::default();
    // Whether a name is that of a beginning or an end; calls that launch nothing need not be in the table of calls.
    let mut names: HashMap<StringId, Option<bool>, FixedState> = HashMap::default();
    let slices = &trace.slices;
    for row in (0..slices.len()).filter(|&row| slices.kind[row] == SliceKind::Runtime) {
        let (track, call) = (slices.track[row], slices.interval(row));
        let is_begin = *names.entry(slices.name[row]).or_insert_with_key(|name| {
            let name = trace.strings.get(*name);
            let is_begin = name.contains("StreamBeginCapture");
            (is_begin || name.contains("StreamEndCapture")).then_some(is_begin)
        });
        marks.extend(is_begin.map(|is_begin| (track, call, is_begin)));
        let whole = threads.entry(track).or_insert(call);
        *whole = Interval::new(whole.start.min(call.start), whole.end.max(call.end));
    }
    marks.sort_unstable();
    if marks.is_empty() {
        let mut threads: Vec<_> = threads.into_iter().collect();
        threads.sort_unstable();
        return threads;
    }
    let mut windows = Vec::new();
    let mut begun: Option<(TrackId, Interval)> = None;
    for (track, call, is_begin) in marks {
        match begun.take() {
            Some((on, begin)) if !is_begin && on == track => {
                windows.push((track, Interval::new(begin.end, call.start)));
            }
            _ => begun = is_begin.then_some((track, call)),
        }
    }
    windows
}

/// The row of each call in the table of arguments.
fn arguments(trace: &Trace) -> HashMap<SliceId, usize, FixedState> {
    trace.runtime_arguments.slice.iter().enumerate().map(|(row, slice)| (*slice, row)).collect()
}

/// vLLM's annotations `capture_<batch>_<mode>` around captures.
fn annotations(trace: &Trace) -> Vec<(Interval, u64, String)> {
    let slices = &trace.slices;
    let rows = (0..slices.len()).filter(|&row| slices.kind[row] == SliceKind::Annotation);
    rows.filter_map(|row| {
        let (batch, mode) = trace.strings.get(slices.name[row]).strip_prefix("capture_")?.split_once('_')?;
        Some((slices.interval(row), batch.parse().ok()?, mode.to_owned()))
    })
    .collect()
}

struct Reader<'a> {
    trace: &'a Trace,
    tree: &'a CallTree,
    arguments: HashMap<SliceId, usize, FixedState>,
    annotations: Vec<(Interval, u64, String)>,
}

impl Reader<'_> {
    fn place(&self, slice: SliceId) -> (TrackId, eaves_model::Ns) {
        (self.trace.slices.track[slice.index()], self.trace.slices.start[slice.index()])
    }

    fn launches_something(&self, slice: SliceId) -> bool {
        let name = self.trace.slice_name(slice);
        self.trace.slices.kind[slice.index()] == SliceKind::Runtime
            && is_launch(name)
            && !name.contains("GraphLaunch")
    }

    /// The launches. A driver's call inside a runtime's is the same launch.
    fn launches(&self) -> Vec<SliceId> {
        let calls = self.trace.runtime.slice.iter().copied();
        calls
            .filter(|&slice| {
                self.launches_something(slice)
                    && !self.tree.parent(slice).is_some_and(|parent| self.launches_something(parent))
            })
            .collect()
    }

    fn graph(&self, launches: &[SliceId], window: Interval) -> CapturedGraph {
        let mut graph = CapturedGraph::default();
        let mut numbers: HashMap<SliceId, u32, FixedState> = HashMap::default();
        for &launch in launches {
            let operator = self.operator(launch, &mut graph, &mut numbers);
            graph.launches.push(self.launch(launch, operator));
        }
        let is_around = |(around, ..): &&(Interval, u64, String)| {
            around.start <= window.start && window.end <= around.end
        };
        if let Some((_, batch_size, mode)) = self.annotations.iter().find(is_around) {
            (graph.batch_size, graph.mode) = (Some(*batch_size), mode.clone());
        }
        graph
    }

    /// The innermost operator around a call, which is taken in with those around it.
    fn operator(
        &self,
        call: SliceId,
        graph: &mut CapturedGraph,
        numbers: &mut HashMap<SliceId, u32, FixedState>,
    ) -> Option<u32> {
        let is_operator = |slice: &SliceId| self.trace.slices.kind[slice.index()] == SliceKind::Op;
        let around: Vec<SliceId> = self.tree.ancestors(call).filter(is_operator).collect();
        let mut parent = None;
        for slice in around.into_iter().rev() {
            parent = Some(*numbers.entry(slice).or_insert_with(|| {
                graph.operators.push(self.described(slice, parent));
                (graph.operators.len() - 1) as u32
            }));
        }
        parent
    }

    fn described(&self, slice: SliceId, parent: Option<u32>) -> CapturedOperator {
        let ops = &self.trace.ops;
        let name = self.trace.slices.name[slice.index()];
        let (arguments, sequence_number) = match ops.slice.binary_search(&slice) {
            Ok(row) => {
                let dims = ops.input_dims[row];
                let arguments =
                    [dims, ops.input_types[row], ops.input_strides[row], ops.concrete_inputs[row]];
                (arguments, ops.sequence_number[row])
            }
            Err(_) => ([StringId::NONE; 4], MaybeI64::NONE),
        };
        CapturedOperator { name, arguments, sequence_number, parent }
    }

    fn launch(&self, slice: SliceId, operator: Option<u32>) -> CapturedLaunch {
        let call = self.trace.slices.name[slice.index()];
        let name = self.trace.strings.get(call);
        let kind = match (name.contains("Memcpy"), name.contains("Memset")) {
            (true, _) => SliceKind::Memcpy,
            (_, true) => SliceKind::Memset,
            _ => SliceKind::Kernel,
        };
        let (kernel, grid, block) = self.arguments.get(&slice).map_or(
            (StringId::NONE, Extent::default(), Extent::default()),
            |&row| {
                let known = &self.trace.runtime_arguments;
                (known.kernel[row], known.grid[row], known.block[row])
            },
        );
        CapturedLaunch { call, kernel, kind, grid, block, operator }
    }
}
