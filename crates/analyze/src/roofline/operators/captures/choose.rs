//! Which captured graph each replay is of.
//!
//! The one that most of its activities match, at least half of them. Graphs of several batch sizes often differ in nothing
//! but the size of launches; then these decide, or the tokens that the annotation of the step says. Graphs of one file that
//! are alike, such as those of the layers of a model, are taken in the order of their captures.

use std::rc::Rc;

use eaves_model::{CapturedGraph, GpuId, SliceId, SliceKind, StringId};
use eaves_roofline::ops::Step;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::super::steps::Steps;
use super::align::{Alignment, Node};
use crate::RankView;

/// A replay and its graph.
pub(super) struct Replayed<'a> {
    /// The call that launched the graph.
    pub(super) launch: SliceId,
    /// What the device did, in order.
    pub(super) activities: Vec<GpuId>,
    pub(super) graph: &'a CapturedGraph,
    pub(super) alignment: Rc<Alignment>,
}

/// The graphs that a replay fits best, and how.
type Fitting = (Vec<usize>, Rc<Alignment>);

/// Graphs whose launches have the same names in the same order.
struct Alike {
    nodes: Vec<Node>,
    /// How often each name occurs.
    counts: HashMap<StringId, usize, FixedState>,
    graphs: Vec<usize>,
}

/// The replays that fit a graph, in order of their launches.
pub(super) fn replayed<'a>(rank: &RankView<'a>) -> Vec<Replayed<'a>> {
    let trace = rank.trace;
    let captured = &trace.captured;
    let nodes: Vec<Vec<Node>> = captured.iter().map(nodes_of).collect();
    let alike = alike(&nodes);
    let steps = Steps::of(trace);
    let mut known: HashMap<Vec<Node>, Option<Fitting>, FixedState> = HashMap::default();
    let mut last: HashMap<&str, u32, FixedState> = HashMap::default();
    let mut found = Vec::new();
    for (launch, activities) in replays(rank) {
        let replay: Vec<Node> = activities.iter().map(|activity| node(rank, *activity)).collect();
        let (fitting, alignment) = match known.get(&replay) {
            Some(Some((fitting, alignment))) => (fitting, alignment),
            Some(None) => continue,
            None => {
                let fitting = fitting(&replay, &alike, &nodes);
                match known.entry(replay).insert(fitting).into_mut() {
                    Some((fitting, alignment)) => (&*fitting, &*alignment),
                    None => continue,
                }
            }
        };
        let tokens = steps.around(trace, launch).and_then(|name| tokens(trace.strings.get(name)));
        let Some(number) = chosen(captured, fitting, tokens, &last) else { continue };
        let graph = &captured[number];
        last.insert(&graph.source, graph.number);
        found.push(Replayed { launch, activities, graph, alignment: Rc::clone(alignment) });
    }
    found
}

/// The launches of graphs with what the device did for each, in order.
fn replays(rank: &RankView<'_>) -> Vec<(SliceId, Vec<GpuId>)> {
    let trace = rank.trace;
    let mut of: HashMap<SliceId, Vec<(eaves_model::Ns, GpuId)>, FixedState> = HashMap::default();
    for activity in trace.gpu_activities() {
        if let Some(launch) = rank.links().launch(activity)
            && trace.slice_name(launch).contains("GraphLaunch")
        {
            let began = trace.slices.start[trace.gpu.slice[activity.index()].index()];
            of.entry(launch).or_default().push((began, activity));
        }
    }
    let mut replays: Vec<(SliceId, Vec<GpuId>)> = of
        .into_iter()
        .map(|(launch, mut activities)| {
            activities.sort_unstable();
            (launch, activities.into_iter().map(|(_, activity)| activity).collect())
        })
        .collect();
    replays.sort_by_key(|(launch, _)| (trace.slices.start[launch.index()], *launch));
    replays
}

fn node(rank: &RankView<'_>, activity: GpuId) -> Node {
    let (gpu, row) = (&rank.trace.gpu, activity.index());
    let slice = gpu.slice[row].index();
    let kind = rank.trace.slices.kind[slice];
    // Copies and sets are called by what they copy, which the launch does not say.
    let name = if kind == SliceKind::Kernel { rank.trace.slices.name[slice] } else { StringId::NONE };
    Node { name, kind, grid: gpu.grid[row], block: gpu.block[row] }
}

fn nodes_of(graph: &CapturedGraph) -> Vec<Node> {
    let node = |launch: &eaves_model::CapturedLaunch| Node {
        name: launch.kernel,
        kind: launch.kind,
        grid: launch.grid,
        block: launch.block,
    };
    graph.launches.iter().map(node).collect()
}

fn counts(nodes: &[Node]) -> HashMap<StringId, usize, FixedState> {
    let mut counts: HashMap<StringId, usize, FixedState> = HashMap::default();
    for node in nodes {
        *counts.entry(node.name).or_default() += 1;
    }
    counts
}

/// Most graphs differ in nothing but sizes, so each sequence of names is aligned once.
fn alike(nodes: &[Vec<Node>]) -> Vec<Alike> {
    let mut places: HashMap<Vec<(StringId, SliceKind)>, usize, FixedState> = HashMap::default();
    let mut alike: Vec<Alike> = Vec::new();
    for (graph, nodes) in nodes.iter().enumerate() {
        let names = nodes.iter().map(|node| (node.name, node.kind)).collect();
        let place = *places.entry(names).or_insert_with(|| {
            alike.push(Alike { nodes: nodes.clone(), counts: counts(nodes), graphs: Vec::new() });
            alike.len() - 1
        });
        alike[place].graphs.push(graph);
    }
    alike
}

/// The graphs that a replay fits best, and how.
fn fitting(replay: &[Node], alike: &[Alike], nodes: &[Vec<Node>]) -> Option<Fitting> {
    let wanted = counts(replay);
    let most = |graphs: &Alike| -> usize {
        let has_names = !graphs.counts.contains_key(&StringId::NONE);
        let shared =
            |(name, count): (&StringId, &usize)| (*count).min(graphs.counts.get(name).copied().unwrap_or(0));
        if has_names { wanted.iter().map(shared).sum() } else { graphs.nodes.len().min(replay.len()) }
    };
    // The most promising first; those that cannot be better any more are not aligned.
    let mut order: Vec<(usize, &Alike)> = alike.iter().map(|graphs| (most(graphs), graphs)).collect();
    order.sort_by_key(|(most, graphs)| (std::cmp::Reverse(*most), graphs.nodes.len().abs_diff(replay.len())));
    let mut best: Option<(Alignment, &Alike)> = None;
    for (most, graphs) in order {
        let least = best.as_ref().map_or(replay.len().div_ceil(2), |(best, _)| best.matched + 1);
        if most < least {
            break;
        }
        let alignment = Alignment::of(replay, &graphs.nodes);
        if alignment.matched >= least {
            best = Some((alignment, graphs));
        }
    }
    let (alignment, graphs) = best?;
    let sizes = |graph: &usize| alignment.sizes(replay, &nodes[*graph]);
    let score = |graph: &usize| {
        let (same, other) = sizes(graph);
        same as i64 - other as i64
    };
    let highest = graphs.graphs.iter().map(score).max()?;
    let fitting = graphs.graphs.iter().copied().filter(|graph| score(graph) == highest).collect();
    Some((fitting, Rc::new(alignment)))
}

/// One of several graphs that fit. Nothing if graphs of several batch sizes fit and nothing tells which it is.
fn chosen(
    captured: &[CapturedGraph],
    fitting: &[usize],
    tokens: Option<f64>,
    last: &HashMap<&str, u32, FixedState>,
) -> Option<usize> {
    let sizes: Vec<Option<u64>> = fitting.iter().map(|&graph| captured[graph].batch_size).collect();
    let is_one = sizes.windows(2).all(|pair| pair[0] == pair[1]);
    let size = if is_one {
        sizes.first().copied()?
    } else {
        // Servers pad a batch to the next size that they captured.
        Some(
            sizes
                .iter()
                .flatten()
                .copied()
                .filter(|size| *size as f64 >= tokens.unwrap_or(f64::NAN))
                .min()?,
        )
    };
    let of_size: Vec<usize> =
        fitting.iter().copied().filter(|&graph| captured[graph].batch_size == size).collect();
    let is_next = |graph: &&usize| {
        let graph = &captured[**graph];
        last.get(graph.source.as_str()).is_none_or(|last| graph.number > *last)
    };
    of_size.iter().find(is_next).or(of_size.first()).copied()
}

/// How many tokens a step works on.
fn tokens(annotation: &str) -> Option<f64> {
    let step = Step::parse(annotation)?;
    Some(step.prefill.queries + step.decode.queries)
}
