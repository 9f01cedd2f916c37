//! Links between rows: the call that launched an activity, the operator enclosing a call, and pairs of forward and
//! backward operators.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::{CallTree, GpuId, Ident, MaybeI64, Ns, SliceId, SliceKind, Trace, TrackId};

/// How an activity was linked to its launch, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkedBy {
    /// Equal correlation numbers.
    Correlation,
    /// Equal external ids.
    ExternalId,
    /// An arrow between host and device.
    Flow,
}

/// The launch of every GPU activity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchLinks {
    launches: Vec<SliceId>,
    by_correlation: u32,
    by_external_id: u32,
    by_flow: u32,
}

type Index<K> = HashMap<K, SliceId, FixedState>;

impl LaunchLinks {
    /// Links activities to runtime calls by correlation, then by external id, then by flow events. One call may
    /// have launched many activities (graphs). Where several calls share a number, the one that launches wins,
    /// then the first: queries (`hipGetDevice`, `cudaStreamIsCapturing`) never do.
    pub fn build(trace: &Trace) -> Self {
        let mut links = Self { launches: vec![SliceId::NONE; trace.gpu.len()], ..Self::default() };
        let calls = &trace.runtime;
        let correlations = first_of(trace, calls.slice.iter().zip(&calls.correlation));
        links.by_correlation = links.fill(|row| {
            let correlation = trace.gpu.correlation[row].get()?;
            correlations.get(&correlation).copied()
        });
        if links.is_complete() {
            return links;
        }
        // Kineto writes External id 0 where there is none.
        let used = |id: &MaybeI64| id.get().is_some_and(|id| id != 0);
        let external = first_of(
            trace,
            calls.slice.iter().zip(&calls.external_id).filter(|(slice, id)| {
                used(id) && is_launch(trace.strings.get(trace.slices.name[slice.index()]))
            }),
        );
        links.by_external_id = links.fill(|row| {
            let id = trace.gpu.external_id[row];
            if used(&id) && !trace.gpu.correlation[row].is_some() {
                external.get(&id.get()?).copied()
            } else {
                None
            }
        });
        if !links.is_complete() {
            let flows = FlowEnds::build(trace);
            links.by_flow = links.fill(|row| flows.launch_of(trace, trace.gpu.slice[row]));
        }
        links
    }

    fn fill(&mut self, find: impl Fn(usize) -> Option<SliceId>) -> u32 {
        let mut found = 0;
        for (row, launch) in self.launches.iter_mut().enumerate() {
            if *launch == SliceId::NONE
                && let Some(slice) = find(row)
            {
                *launch = slice;
                found += 1;
            }
        }
        found
    }

    fn is_complete(&self) -> bool {
        self.launches.iter().all(|&launch| launch != SliceId::NONE)
    }

    /// The slice of the call that launched an activity.
    #[inline]
    pub fn launch(&self, activity: GpuId) -> Option<SliceId> {
        self.launches[activity.index()].some()
    }

    /// Number of activities linked this way.
    pub fn count(&self, how: LinkedBy) -> u32 {
        match how {
            LinkedBy::Correlation => self.by_correlation,
            LinkedBy::ExternalId => self.by_external_id,
            LinkedBy::Flow => self.by_flow,
        }
    }

    /// True if no activity has a launch: the host was not recorded.
    pub fn is_empty(&self) -> bool {
        self.by_correlation + self.by_external_id + self.by_flow == 0
    }

    /// Number of activities without a launch.
    pub fn unlinked(&self) -> usize {
        self.launches.iter().filter(|&&launch| launch == SliceId::NONE).count()
    }
}

/// True for API functions that put work on a device.
pub fn is_launch(function: &str) -> bool {
    function.contains("Launch")
        || function.contains("Memcpy")
        || function.contains("Memset")
        || function.starts_with("runFunction")
}

fn first_of<'a>(trace: &Trace, calls: impl Iterator<Item = (&'a SliceId, &'a MaybeI64)>) -> Index<i64> {
    let launching = |slice: SliceId| is_launch(trace.strings.get(trace.slices.name[slice.index()]));
    let mut index = Index::default();
    for (&slice, id) in calls {
        let Some(id) = id.get() else { continue };
        index
            .entry(id)
            .and_modify(|kept| {
                if !launching(*kept) && launching(slice) {
                    *kept = slice;
                }
            })
            .or_insert(slice);
    }
    index
}

/// Arrows from host to device, by where they end.
struct FlowEnds {
    starts: HashMap<Ident, (TrackId, Ns), FixedState>,
    ends: HashMap<(TrackId, Ns), Ident, FixedState>,
    calls: HashMap<(TrackId, Ns), SliceId, FixedState>,
}

impl FlowEnds {
    /// Categories of host-to-device arrows, newest first.
    const CATEGORIES: [&str; 3] = ["ac2g", "async_cpu_to_gpu", "async_gpu"];

    fn build(trace: &Trace) -> Self {
        let categories = Self::CATEGORIES.map(|name| trace.strings.find(name));
        let mut flows =
            Self { starts: HashMap::default(), ends: HashMap::default(), calls: HashMap::default() };
        for row in 0..trace.flows.len() {
            let flow = trace.flows.row(row);
            if !categories.contains(&Some(flow.category)) {
                continue;
            }
            match flow.phase {
                b's' => {
                    flows.starts.insert(flow.id, (flow.track, flow.time));
                }
                b'f' => {
                    flows.ends.insert((flow.track, flow.time), flow.id);
                }
                _ => {}
            }
        }
        for &slice in &trace.runtime.slice {
            let row = slice.index();
            flows.calls.insert((trace.slices.track[row], trace.slices.start[row]), slice);
        }
        flows
    }

    fn launch_of(&self, trace: &Trace, activity: SliceId) -> Option<SliceId> {
        let row = activity.index();
        let id = self.ends.get(&(trace.slices.track[row], trace.slices.start[row]))?;
        self.calls.get(self.starts.get(id)?).copied()
    }
}

/// The innermost framework operator enclosing a slice.
pub fn operator_above(trace: &Trace, tree: &CallTree, slice: SliceId) -> Option<SliceId> {
    tree.ancestors(slice).find(|above| trace.slices.kind[above.index()] == SliceKind::Op)
}

/// The innermost Python frame enclosing a slice.
pub fn python_above(trace: &Trace, tree: &CallTree, slice: SliceId) -> Option<SliceId> {
    tree.ancestors(slice).find(|above| trace.slices.kind[above.index()] == SliceKind::Python)
}

/// Pairs (forward operator, backward operator), sorted: by `fwdbwd` arrows and, for backward operators without
/// one, by sequence number and forward thread.
pub fn forward_backward(trace: &Trace) -> Vec<(SliceId, SliceId)> {
    let mut pairs = by_arrows(trace);
    pairs.extend(by_sequence(trace));
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

fn by_arrows(trace: &Trace) -> Vec<(SliceId, SliceId)> {
    let Some(category) = trace.strings.find("fwdbwd") else { return Vec::new() };
    // Several operators may start together; the arrow belongs to the innermost, which the file lists last.
    let mut ops: HashMap<(TrackId, Ns), SliceId, FixedState> = HashMap::default();
    for &slice in &trace.ops.slice {
        let row = slice.index();
        let place = (trace.slices.track[row], trace.slices.start[row]);
        ops.entry(place)
            .and_modify(|kept| {
                if trace.slices.duration[row] <= trace.slices.duration[kept.index()] {
                    *kept = slice;
                }
            })
            .or_insert(slice);
    }
    let mut starts: HashMap<Ident, SliceId, FixedState> = HashMap::default();
    let ends_of = |phase: u8| {
        (0..trace.flows.len())
            .map(|row| trace.flows.row(row))
            .filter(move |flow| flow.category == category && flow.phase == phase)
    };
    for flow in ends_of(b's') {
        if let Some(&op) = ops.get(&(flow.track, flow.time)) {
            starts.insert(flow.id, op);
        }
    }
    ends_of(b'f')
        .filter_map(|flow| Some((*starts.get(&flow.id)?, *ops.get(&(flow.track, flow.time))?)))
        .collect()
}

/// A backward operator has a forward thread; the forward operator with its sequence number has none. Of several
/// forwards with one number the last is the leaf that made the graph node.
fn by_sequence(trace: &Trace) -> Vec<(SliceId, SliceId)> {
    let ops = &trace.ops;
    let mut forwards: HashMap<i64, SliceId, FixedState> = HashMap::default();
    let is_backward = |row: usize| ops.forward_thread[row].get().is_some_and(|thread| thread != 0);
    for row in (0..ops.len()).filter(|&row| !is_backward(row)) {
        if let Some(number) = ops.sequence_number[row].get() {
            let slice = ops.slice[row];
            forwards
                .entry(number)
                .and_modify(|kept| {
                    if trace.slices.start[slice.index()] >= trace.slices.start[kept.index()] {
                        *kept = slice;
                    }
                })
                .or_insert(slice);
        }
    }
    (0..ops.len())
        .filter(|&row| is_backward(row))
        .filter_map(|row| Some((*forwards.get(&ops.sequence_number[row].get()?)?, ops.slice[row])))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Flow, GpuActivity, MaybeU32, Op, RuntimeCall, Slice};

    /// A trace made of slices `(kind, name, thread, start, end)`.
    #[derive(Default)]
    struct Builder(Trace);

    impl Builder {
        fn slice(&mut self, kind: SliceKind, name: &str, thread: i64, start: i64, end: i64) -> SliceId {
            let trace = &mut self.0;
            let track = trace.tracks.get_or_add(Ident::number(1), Ident::number(thread));
            trace.slices.push(Slice {
                start: Ns(start),
                duration: Ns(end - start),
                name: trace.strings.intern(name),
                track,
                kind,
                ..Slice::default()
            });
            SliceId::from(trace.slices.len() - 1)
        }

        fn call(
            &mut self,
            name: &str,
            start: i64,
            correlation: Option<i64>,
            external: Option<i64>,
        ) -> SliceId {
            let slice = self.slice(SliceKind::Runtime, name, 1, start, start + 2);
            self.0.runtime.push(RuntimeCall {
                slice,
                correlation: correlation.into(),
                external_id: external.into(),
                function: MaybeU32::NONE,
            });
            slice
        }

        fn kernel(&mut self, start: i64, correlation: Option<i64>, external: Option<i64>) {
            let slice = self.slice(SliceKind::Kernel, "kernel", 7, start, start + 5);
            self.0.gpu.push(GpuActivity {
                slice,
                device: MaybeU32::new(0),
                stream: MaybeI64::new(7),
                correlation: correlation.into(),
                external_id: external.into(),
                ..GpuActivity::default()
            });
        }

        fn op(
            &mut self,
            name: &str,
            thread: i64,
            start: i64,
            end: i64,
            sequence: i64,
            forward: u32,
        ) -> SliceId {
            let slice = self.slice(SliceKind::Op, name, thread, start, end);
            self.0.ops.push(Op {
                slice,
                sequence_number: MaybeI64::new(sequence),
                forward_thread: MaybeU32::new(forward),
                ..Op::default()
            });
            slice
        }

        fn flow(&mut self, category: &str, phase: u8, id: i64, thread: i64, time: i64) {
            let track = self.0.tracks.get_or_add(Ident::number(1), Ident::number(thread));
            let category = self.0.strings.intern(category);
            let id = Ident::number(id);
            self.0.flows.push(Flow {
                time: Ns(time),
                track,
                id,
                category,
                name: category,
                phase,
                enclosing: 0,
            });
        }
    }

    fn launches(trace: &Trace) -> Vec<Option<SliceId>> {
        let links = LaunchLinks::build(trace);
        (0..trace.gpu.len()).map(|row| links.launch(GpuId::from(row))).collect()
    }

    #[test]
    fn correlation_links_also_the_many_kernels_of_a_graph() {
        let mut builder = Builder::default();
        // A query with the correlation of the launch, as roctracer writes it, must not win.
        builder.call("hipGetDevice", 0, Some(1), None);
        let launch = builder.call("hipGraphLaunch", 3, Some(1), None);
        builder.kernel(10, Some(1), None);
        builder.kernel(20, Some(1), None);
        builder.kernel(30, Some(9), None);
        assert_eq!(launches(&builder.0), [Some(launch), Some(launch), None]);
        let links = LaunchLinks::build(&builder.0);
        assert_eq!((links.count(LinkedBy::Correlation), links.unlinked()), (2, 1));
    }

    #[test]
    fn external_id_is_the_second_choice_and_zero_is_none() {
        let mut builder = Builder::default();
        let launch = builder.call("cudaLaunchKernel", 0, None, Some(5));
        builder.call("cudaMemcpyAsync", 3, None, Some(0));
        builder.kernel(10, None, Some(5));
        builder.kernel(20, None, Some(0));
        assert_eq!(launches(&builder.0), [Some(launch), None]);
        assert_eq!(LaunchLinks::build(&builder.0).count(LinkedBy::ExternalId), 1);
    }

    #[test]
    fn arrows_are_the_last_choice() {
        let mut builder = Builder::default();
        let launch = builder.call("cudaLaunchKernel", 3, None, None);
        builder.kernel(10, None, None);
        builder.flow("async_cpu_to_gpu", b's', 44, 1, 3);
        builder.flow("async_cpu_to_gpu", b'f', 44, 7, 10);
        builder.flow("fwdbwd", b'f', 44, 7, 10);
        assert_eq!(launches(&builder.0), [Some(launch)]);
        assert_eq!(LaunchLinks::build(&builder.0).count(LinkedBy::Flow), 1);
    }

    #[test]
    fn operators_and_frames_stand_around_a_launch() {
        let mut builder = Builder::default();
        let frame = builder.slice(SliceKind::Python, "train.py(3): step", 1, 0, 100);
        let outer = builder.op("aten::linear", 1, 1, 50, 0, 0);
        let inner = builder.op("aten::addmm", 1, 2, 40, 0, 0);
        let launch = builder.call("cudaLaunchKernel", 3, Some(1), None);
        let tree = CallTree::build(&builder.0.slices);
        assert_eq!(operator_above(&builder.0, &tree, launch), Some(inner));
        assert_eq!(operator_above(&builder.0, &tree, inner), Some(outer));
        assert_eq!(python_above(&builder.0, &tree, inner), Some(frame));
        assert_eq!(operator_above(&builder.0, &tree, outer), None);
    }

    #[test]
    fn forward_and_backward_by_arrow_and_by_sequence() {
        let mut builder = Builder::default();
        let outer = builder.op("aten::linear", 1, 0, 50, 7, 0);
        let forward = builder.op("aten::addmm", 1, 0, 40, 7, 0);
        let backward = builder.op("AddmmBackward0", 2, 100, 140, 7, 1);
        let other = builder.op("MulBackward0", 2, 200, 210, 8, 1);
        builder.flow("fwdbwd", b's', 1, 1, 0);
        builder.flow("fwdbwd", b'f', 1, 2, 100);
        assert_eq!(forward_backward(&builder.0), [(forward, backward)]);
        let late = builder.op("aten::mul", 1, 60, 70, 8, 0);
        assert_eq!(forward_backward(&builder.0), [(forward, backward), (late, other)]);
        assert_ne!(outer, forward);
    }
}
