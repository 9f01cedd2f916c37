//! What the host called inside what, and what the GPU did for each call.
//!
//! A [`HostTree`] holds the host slices of some kinds, say all operators, as trees in pre-order: a slice, then what
//! is inside it, then what follows. So what is inside a slice is one run of nodes, and every sum over it is one pass:
//!
//! ```
//! use eaves_analyze::{HostTree, Options, RankView};
//! use eaves_model::{SliceKind, Trace};
//!
//! let (trace, options) = (Trace::default(), Options::default());
//! let rank = RankView::new(&trace, &options);
//! let tree = HostTree::build(&trace, rank.tree(), |kind| kind == SliceKind::Op);
//! // Launched by the operator itself, not by an operator inside it.
//! let own = tree.gpu_work(rank.links(), &rank.gpu);
//! // Launched by the operator or inside it.
//! let total = tree.totals(own.clone());
//! // Time on the host, without that of operators inside.
//! let cpu = tree.own_times(&trace.slices);
//! for node in 0..tree.len() {
//!     let name = trace.slice_name(tree.slice(node));
//!     println!("{name}: {} of {}, {}", own[node].time, total[node].time, cpu[node]);
//! }
//! ```
//!
//! *Own* is always relative to the kinds that were kept: with operators only, a launching call belongs to the
//! operator around it; with runtime calls kept too, it is a node itself.

use std::ops::{AddAssign, Range};

use eaves_model::{
    CallTree, GpuId, Interval, LaunchLinks, Ns, SliceId, SliceKind, Slices, StringId, Trace, TrackId,
};
use serde::{Deserialize, Serialize};

use crate::GpuView;

const NONE: u32 = u32::MAX;

/// GPU activities summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct GpuWork {
    /// How many activities.
    pub activities: u64,
    /// Their summed durations; what runs side by side counts twice.
    pub time: Ns,
    first: Ns,
    last: Ns,
}

impl Default for GpuWork {
    fn default() -> Self {
        Self { activities: 0, time: Ns::ZERO, first: Ns::MAX, last: Ns::MIN }
    }
}

impl GpuWork {
    /// Takes in one activity.
    #[inline]
    pub fn add(&mut self, interval: Interval) {
        *self += Self { activities: 1, time: interval.length(), first: interval.start, last: interval.end };
    }

    /// From the first start to the last end, if there is an activity.
    pub fn span(&self) -> Option<Interval> {
        (self.activities > 0).then_some(Interval { start: self.first, end: self.last })
    }
}

impl AddAssign for GpuWork {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.activities += other.activities;
        self.time += other.time;
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }
}

/// Host slices of some kinds as trees, one for each slice that is in no other. Nodes are numbered in pre-order, track
/// by track in time order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostTree {
    slices: Vec<SliceId>,
    parents: Vec<u32>,
    /// First node behind those inside each node.
    ends: Vec<u32>,
    /// For each slice of the trace the innermost node that it is or is inside of.
    around: Vec<u32>,
}

impl HostTree {
    /// Keeps the slices of some kinds. A slice whose duration cannot be true is not kept; what it seems to contain
    /// belongs to what is around it.
    pub fn build(trace: &Trace, tree: &CallTree, keep: impl Fn(SliceKind) -> bool) -> Self {
        let mut host = Self { around: vec![NONE; trace.slices.len()], ..Self::default() };
        for &slice in tree.in_order() {
            let parent = tree.parent(slice).map_or(NONE, |above| host.around[above.index()]);
            let kept = keep(trace.slices.kind[slice.index()])
                && (trace.quarantined.is_empty() || !trace.is_quarantined(slice));
            host.around[slice.index()] = if kept { host.slices.len() as u32 } else { parent };
            if kept {
                host.slices.push(slice);
                host.parents.push(parent);
            }
        }
        host.ends = (1..=host.slices.len() as u32).collect();
        for node in (0..host.slices.len()).rev() {
            if let Some(parent) = host.parent(node) {
                host.ends[parent] = host.ends[parent].max(host.ends[node]);
            }
        }
        host
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.slices.len()
    }

    /// True without nodes.
    pub fn is_empty(&self) -> bool {
        self.slices.is_empty()
    }

    /// The slice of a node.
    #[inline]
    pub fn slice(&self, node: usize) -> SliceId {
        self.slices[node]
    }

    /// The innermost node around a node.
    #[inline]
    pub fn parent(&self, node: usize) -> Option<usize> {
        some(self.parents[node])
    }

    /// The nodes around a node, innermost first.
    pub fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.parent(node), |&node| self.parent(node))
    }

    /// A node and all nodes inside it.
    #[inline]
    pub fn inside(&self, node: usize) -> Range<usize> {
        node..self.ends[node] as usize
    }

    /// How many nodes are around each node.
    pub fn depths(&self) -> Vec<u32> {
        let mut depths = vec![0u32; self.len()];
        for node in 0..self.len() {
            if let Some(parent) = self.parent(node) {
                depths[node] = depths[parent] + 1;
            }
        }
        depths
    }

    /// The innermost node that a host slice is or is inside of.
    #[inline]
    pub fn around(&self, slice: SliceId) -> Option<usize> {
        some(self.around[slice.index()])
    }

    /// The innermost node in which an activity was launched.
    #[inline]
    pub fn launcher(&self, links: &LaunchLinks, activity: GpuId) -> Option<usize> {
        self.around(links.launch(activity)?)
    }

    /// What each node launched itself, not through a node inside it. Activities launched outside all nodes, and
    /// those whose launch was not recorded, are in none.
    pub fn gpu_work(&self, links: &LaunchLinks, gpu: &GpuView) -> Vec<GpuWork> {
        let mut own = vec![GpuWork::default(); self.len()];
        for (&activity, &interval) in gpu.row.iter().zip(&gpu.interval) {
            if let Some(node) = self.launcher(links, activity) {
                own[node].add(interval);
            }
        }
        own
    }

    /// The time of each node in which no node directly inside it ran. Nodes inside that overlap each other, which
    /// sound recordings do not have, count once.
    pub fn own_times(&self, slices: &Slices) -> Vec<Ns> {
        let mut own: Vec<Ns> = self.slices.iter().map(|slice| slices.duration[slice.index()]).collect();
        let mut reached = vec![Ns::MIN; self.len()];
        for (node, slice) in self.slices.iter().enumerate() {
            if let Some(parent) = self.parent(node) {
                let Interval { start, end } = slices.interval(slice.index());
                own[parent] -= Interval::new(start.max(reached[parent]), end).length();
                reached[parent] = reached[parent].max(end);
            }
        }
        own
    }

    /// From what each node has of its own to what it has together with all nodes inside it.
    pub fn totals<T: Copy + AddAssign>(&self, mut values: Vec<T>) -> Vec<T> {
        for node in (0..self.len()).rev() {
            if let Some(parent) = self.parent(node) {
                let value = values[node];
                values[parent] += value;
            }
        }
        values
    }

    /// The nodes that are in no node of the same name. Their totals make up the total of a name in which nothing
    /// counts twice.
    pub fn outermost_of_name(&self, trace: &Trace) -> Vec<bool> {
        // Unnamed slices share the place behind the last string.
        let mut ends = vec![0u32; trace.strings.len() + 1];
        let place = |name: StringId| name.index().min(trace.strings.len());
        let mut outermost = vec![false; self.len()];
        for (node, slice) in self.slices.iter().enumerate() {
            let end = &mut ends[place(trace.slices.name[slice.index()])];
            outermost[node] = node as u32 >= *end;
            if outermost[node] {
                *end = self.ends[node];
            }
        }
        outermost
    }

    /// Looks up which node runs at an instant, for many instants in order.
    pub fn walk<'a>(&'a self, slices: &'a Slices) -> Walk<'a> {
        Walk { tree: self, slices, next: 0, node: None }
    }
}

#[inline]
fn some(node: u32) -> Option<usize> {
    (node != NONE).then_some(node as usize)
}

/// A walk over a [`HostTree`] in time order.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    tree: &'a HostTree,
    slices: &'a Slices,
    next: usize,
    node: Option<usize>,
}

impl Walk<'_> {
    /// The innermost node that runs on a track at an instant. Must be asked track by track in ascending order, and
    /// on each track in time order; all questions together cost one pass over the tree.
    pub fn at(&mut self, track: TrackId, time: Ns) -> Option<usize> {
        while let Some(slice) = self.tree.slices.get(self.next).map(|slice| slice.index())
            && (self.slices.track[slice], self.slices.start[slice]) <= (track, time)
        {
            self.node = Some(self.next);
            self.next += 1;
        }
        while let Some(node) = self.node {
            let slice = self.tree.slice(node).index();
            if self.slices.track[slice] == track && time < self.slices.end(slice) {
                break;
            }
            self.node = self.tree.parent(node);
        }
        self.node
    }
}

#[cfg(test)]
mod tests;
