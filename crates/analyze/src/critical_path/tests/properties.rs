//! What holds for every trace, and a twin that tries every path.

use eaves_model::SliceKind::{Annotation, Op};
use eaves_model::{Interval, Ns, SliceId};
use proptest::prelude::*;

use super::super::graph::{Graph, PointId, SOURCE, weight};
use super::super::longest::Junctions;
use super::super::names::name_of;
use super::super::{Cause, CriticalPath, NAMES_WITH_GAIN, build};
use super::Recorder;
use crate::{Options, RankView, Selection};

const CALLS: [&str; 9] = [
    "cudaLaunchKernel",
    "cudaLaunchKernel",
    "cudaGraphLaunch",
    "cudaMemcpyAsync",
    "cudaMemcpy",
    "cudaDeviceSynchronize",
    "cudaStreamSynchronize",
    "cudaStreamWaitEvent",
    "cudaEventRecord",
];
const OPS: [&str; 4] = [
    "aten::mm",
    "aten::add",
    "autograd::engine::evaluate_function: MmBackward0",
    "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
];
const ACTIVITIES: [&str; 4] =
    ["gemm", "gelu", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "Memcpy HtoD (Pageable -> Device)"];
const SYNCS: [&str; 4] = ["Stream Wait Event", "Event Sync", "Stream Sync", "Context Sync"];

type Slices = Vec<(usize, i64, i64, i64)>;

/// A trace in which anything may touch, overlap, be empty, or point anywhere.
fn record(
    (ops, calls, activities): &(Slices, Slices, Slices),
    syncs: &[(usize, i64, i64, i64)],
    steps: bool,
) -> Recorder {
    let mut recorder = Recorder::default();
    for &(name, thread, start, length) in ops {
        let kind = if name == 3 { Annotation } else { Op };
        recorder.host(kind, thread, OPS[name % OPS.len()], start, start + length);
    }
    for (index, &(name, thread, start, length)) in calls.iter().enumerate() {
        let name = CALLS[name % CALLS.len()];
        recorder.call_on(thread, name, index as i64 + 1, start, start + length);
    }
    for &(name, stream, start, length) in activities {
        // Any call may be the launch, also one that comes later; the last number belongs to none.
        let correlation = (start + stream * 3 + length) % (calls.len() as i64 + 2);
        recorder.gpu(stream, ACTIVITIES[name % ACTIVITIES.len()], correlation, start, start + length);
    }
    for &(kind, call, stream, event) in syncs {
        recorder.sync(SYNCS[kind % SYNCS.len()], call, stream, Some(((stream + 1) % 3, event)));
    }
    if steps {
        recorder.step(1, 5, 20).step(2, 20, 33);
    }
    recorder
}

fn slices(names: usize, most: usize) -> impl Strategy<Value = Slices> {
    prop::collection::vec((0..names, 0i64..3, 0i64..40, 0i64..12), 0..most)
}

fn syncs() -> impl Strategy<Value = Vec<(usize, i64, i64, i64)>> {
    prop::collection::vec((0usize..4, 1i64..8, 0i64..3, 1i64..8), 0..4)
}

/// The weight of the heaviest path from a point to the sink: every path is tried.
fn heaviest(graph: &Graph, from: PointId, free: &impl Fn(Cause, SliceId) -> bool) -> Option<Ns> {
    if from + 1 == graph.next_point() {
        return Some(Ns::ZERO);
    }
    let lane = graph.lanes.iter().find(|lane| lane.first <= from && from <= lane.last).unwrap();
    let stretch =
        (from < lane.last).then(|| (from + 1, graph.cause[from as usize], graph.slice[from as usize]));
    let edges = graph.edges.iter().filter(|edge| edge.from == from);
    stretch
        .into_iter()
        .chain(edges.map(|edge| (edge.to, edge.cause, edge.slice)))
        .filter_map(|(to, cause, slice)| {
            let own = if free(cause, slice) { Ns::ZERO } else { weight(cause, graph.between(from, to)) };
            Some(own + heaviest(graph, to, free)?)
        })
        .max()
}

fn lanes_hold(graph: &Graph) -> Result<(), TestCaseError> {
    for lane in &graph.lanes {
        for point in lane.first..lane.last {
            prop_assert!(graph.key(point) < graph.key(point + 1));
        }
    }
    for edge in &graph.edges {
        prop_assert!(graph.key(edge.from) < graph.key(edge.to));
    }
    Ok(())
}

fn path_holds(path: &CriticalPath, graph: &Graph) -> Result<(), TestCaseError> {
    let mut now = path.window.start;
    for part in &path.parts {
        prop_assert!(part.interval.start == now && now < part.interval.end, "a hole at {now}");
        now = part.interval.end;
    }
    prop_assert_eq!(now, path.window.end);
    let causes: Ns = Cause::ALL.into_iter().map(|cause| path.time_of(cause)).sum();
    prop_assert_eq!(causes, path.window.length());
    let explained = Cause::ALL.into_iter().filter(|&cause| cause != Cause::Unexplained);
    prop_assert_eq!(path.length(), explained.map(|cause| path.time_of(cause)).sum());
    for lane in &graph.lanes {
        let stretch = |point: PointId| weight(graph.cause[point as usize], graph.between(point, point + 1));
        let alone: Ns = (lane.first..lane.last).map(stretch).sum();
        prop_assert!(alone <= path.length());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    /// The path weighs what the heaviest of all paths weighs, and it is a path.
    #[test]
    fn agrees_with_every_path(
        events in (slices(4, 5), slices(9, 6), slices(4, 6)),
        syncs in syncs(),
        steps in any::<bool>(),
    ) {
        let recorder = record(&events, &syncs, steps);
        let options = Options::default();
        let rank = RankView::new(&recorder.trace, &options);
        let Some(graph) = build(&rank) else { return Ok(()) };
        lanes_hold(&graph)?;
        let pieces = Junctions::new(&graph).longest_path();
        prop_assert_eq!(pieces.first().map_or(SOURCE, |piece| piece.from), SOURCE);
        prop_assert!(pieces.windows(2).all(|pair| pair[0].to == pair[1].from));
        let path = CriticalPath::of(&rank).unwrap();
        path_holds(&path, &graph)?;
        prop_assert_eq!(Some(path.length()), heaviest(&graph, SOURCE, &|_, _| false));
    }

    /// Taking time away from a name never makes the path longer, and is what the twin says.
    #[test]
    fn gains_agree_with_every_path(
        events in (slices(4, 4), slices(9, 5), slices(4, 5)),
        syncs in syncs(),
    ) {
        let recorder = record(&events, &syncs, false);
        let options = Options::default();
        let rank = RankView::new(&recorder.trace, &options);
        let Some((path, names)) = CriticalPath::with_names(&rank) else { return Ok(()) };
        let graph = build(&rank).unwrap();
        let named: Ns = names.iter().map(|row| row.time).sum();
        prop_assert_eq!(named, path.length());
        for (index, row) in names.iter().enumerate() {
            prop_assert_eq!(row.gain.is_some(), index < NAMES_WITH_GAIN);
            let free = |cause, slice| (cause, name_of(&recorder.trace, slice)) == (row.cause, row.name);
            if let Some(gain) = row.gain {
                prop_assert!(Ns::ZERO <= gain && gain <= row.time);
                prop_assert_eq!(Some(path.length() - gain), heaviest(&graph, SOURCE, &free));
            }
        }
    }

    /// Larger traces with any selection: the path is whole, whatever the trace.
    #[test]
    fn every_path_is_whole(
        events in (slices(4, 40), slices(9, 40), slices(4, 40)),
        syncs in syncs(),
        steps in any::<bool>(),
        step in 0u64..4,
        window in (0i64..40, 0i64..40),
    ) {
        let recorder = record(&events, &syncs, steps);
        let selections = [
            Selection::default(),
            Selection::default().with_steps(step..=step),
            Selection::default().with_time(Interval::new(Ns(window.0), Ns(window.1))),
        ];
        for selection in selections {
            let options = Options::default().with_selection(selection);
            let rank = RankView::new(&recorder.trace, &options);
            if let Some((path, _)) = CriticalPath::with_names(&rank) {
                let graph = build(&rank).unwrap();
                lanes_hold(&graph)?;
                path_holds(&path, &graph)?;
            }
        }
    }

    /// Twin for one thread: at every instant the call that began last and has not ended.
    #[test]
    fn a_thread_alone_is_its_innermost_calls(
        ops in prop::collection::vec((0i64..40, 1i64..20), 1..20)
    ) {
        let mut recorder = Recorder::default();
        for &(start, length) in &ops {
            recorder.op("op", start, start + length);
        }
        let path = recorder.path();
        for part in &path.parts {
            for now in part.interval.start.0..part.interval.end.0 {
                let innermost = (0..ops.len())
                    .filter(|&row| ops[row].0 <= now && now < ops[row].0 + ops[row].1)
                    .max_by_key(|&row| (ops[row].0, -ops[row].1, row));
                prop_assert_eq!(part.slice.some().map(SliceId::index), innermost);
                prop_assert_eq!(part.cause == Cause::Outside, innermost.is_none());
            }
        }
        prop_assert_eq!(path.length(), path.window.length());
    }
}
