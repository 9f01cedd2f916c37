//! The longest path through the graph, and how long it would be without something.
//!
//! Most points have no edge to another lane, so only the others (*junctions*) are looked at. They are renumbered in
//! topological order; a path is then one pass over a few columns.

use eaves_model::{Ns, SliceId};

use super::Cause;
use super::graph::{Graph, PointId, weight};

/// One piece of the path: a stretch of a lane or an edge between two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) from: PointId,
    pub(super) to: PointId,
    pub(super) cause: Cause,
    pub(super) slice: SliceId,
}

/// The graph between junctions, which are numbered in topological order.
#[derive(Debug)]
pub(super) struct Junctions<'a> {
    graph: &'a Graph,
    /// The point of each junction.
    point: Vec<PointId>,
    /// The junction before it in its lane, or itself.
    before: Vec<u32>,
    /// What the lane weighs in between.
    lane_weight: Vec<Ns>,
    /// Where the edges of each junction begin in the columns below; one more than there are junctions.
    first_edge: Vec<u32>,
    /// Index of the edge in the graph.
    edge: Vec<u32>,
    /// The junction it comes from.
    from: Vec<u32>,
    /// What it weighs.
    edge_weight: Vec<Ns>,
    /// For each point the next junction of its lane, this one included.
    next: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl<'a> Junctions<'a> {
    /// Finds the junctions and puts them in order. Time is that of sorting them, and lanes are sorted already.
    pub(super) fn new(graph: &'a Graph) -> Self {
        let mut next = vec![NONE; graph.time.len()];
        for lane in &graph.lanes {
            next[lane.first as usize] = 0;
            next[lane.last as usize] = 0;
        }
        for edge in &graph.edges {
            next[edge.from as usize] = 0;
            next[edge.to as usize] = 0;
        }
        let mut point: Vec<PointId> =
            (0..graph.next_point()).filter(|&point| next[point as usize] != NONE).collect();
        point.sort_by_key(|&point| graph.key(point));
        for (junction, &point) in point.iter().enumerate() {
            next[point as usize] = junction as u32;
        }
        let mut junctions = Self {
            graph,
            before: (0..point.len() as u32).collect(),
            lane_weight: vec![Ns::ZERO; point.len()],
            first_edge: vec![0; point.len() + 1],
            edge: vec![0; graph.edges.len()],
            from: vec![0; graph.edges.len()],
            edge_weight: vec![Ns::ZERO; graph.edges.len()],
            point,
            next,
        };
        junctions.walk_lanes();
        junctions.group_edges();
        junctions
    }

    fn walk_lanes(&mut self) {
        for lane in &self.graph.lanes {
            let mut next = self.next[lane.last as usize];
            let mut sum = Ns::ZERO;
            for point in (lane.first..lane.last).rev() {
                sum += weight(self.graph.cause[point as usize], self.graph.between(point, point + 1));
                let here = self.next[point as usize];
                if here == NONE {
                    self.next[point as usize] = next;
                } else {
                    self.before[next as usize] = here;
                    self.lane_weight[next as usize] = sum;
                    (next, sum) = (here, Ns::ZERO);
                }
            }
        }
    }

    /// Edges by where they lead, in the order they were added.
    fn group_edges(&mut self) {
        let graph = self.graph;
        for edge in &graph.edges {
            self.first_edge[self.next[edge.to as usize] as usize + 1] += 1;
        }
        for junction in 1..self.first_edge.len() {
            self.first_edge[junction] += self.first_edge[junction - 1];
        }
        let mut place = self.first_edge.clone();
        for (index, edge) in graph.edges.iter().enumerate() {
            let place = &mut place[self.next[edge.to as usize] as usize];
            self.edge[*place as usize] = index as u32;
            self.from[*place as usize] = self.next[edge.from as usize];
            self.edge_weight[*place as usize] = weight(edge.cause, graph.between(edge.from, edge.to));
            *place += 1;
        }
    }

    /// One pass: how far each junction is from the source, by the longest way. `visit` hears which edge leads there,
    /// none for the lane. At a tie the lane wins, then the edge that was added first.
    fn distances(
        &self,
        lane_weight: &[Ns],
        edge_weight: &[Ns],
        distance: &mut Vec<Ns>,
        mut visit: impl FnMut(Option<usize>),
    ) -> Ns {
        distance.clear();
        for (junction, &lane_weight) in lane_weight.iter().enumerate() {
            let before = self.before[junction] as usize;
            let mut longest = Ns::MIN;
            let mut by = None;
            if before != junction {
                longest = distance[before] + lane_weight;
            }
            for edge in self.first_edge[junction] as usize..self.first_edge[junction + 1] as usize {
                let length = distance[self.from[edge] as usize] + edge_weight[edge];
                if length > longest {
                    (longest, by) = (length, Some(edge));
                }
            }
            // Only the source has nothing before it.
            distance.push(longest.max(Ns::ZERO));
            visit(by);
        }
        distance.last().copied().unwrap_or(Ns::ZERO)
    }

    /// The longest path from the source to the sink, as consecutive pieces in time order.
    pub(super) fn longest_path(&self) -> Vec<Piece> {
        let mut choices: Vec<u32> = Vec::with_capacity(self.point.len());
        let choice = |by: Option<usize>| choices.push(by.map_or(NONE, |edge| edge as u32));
        self.distances(&self.lane_weight, &self.edge_weight, &mut Vec::new(), choice);
        let mut pieces = Vec::new();
        let mut junction = self.point.len().saturating_sub(1);
        while let Some(&choice) = choices.get(junction) {
            if choice != NONE {
                let edge = self.graph.edges[self.edge[choice as usize] as usize];
                pieces.push(Piece { from: edge.from, to: edge.to, cause: edge.cause, slice: edge.slice });
                junction = self.from[choice as usize] as usize;
                continue;
            }
            let before = self.before[junction] as usize;
            if before == junction {
                break;
            }
            let stretches = self.point[before]..self.point[junction];
            pieces.extend(stretches.rev().map(|point| Piece {
                from: point,
                to: point + 1,
                cause: self.graph.cause[point as usize],
                slice: self.graph.slice[point as usize],
            }));
            junction = before;
        }
        pieces.reverse();
        pieces
    }

    /// How long the longest path would be if some of the time weighed nothing: `group` says for a cause and a slice
    /// to which of `groups` it belongs. One path is searched for each group.
    pub(super) fn lengths_without(
        &self,
        groups: usize,
        group: impl Fn(Cause, SliceId) -> Option<usize>,
    ) -> Vec<Ns> {
        let graph = self.graph;
        let mut on_lanes: Vec<Vec<(u32, Ns)>> = vec![Vec::new(); groups];
        for lane in &graph.lanes {
            for point in lane.first..lane.last {
                if let Some(group) = group(graph.cause[point as usize], graph.slice[point as usize]) {
                    let (next, time) = (self.next[point as usize + 1], graph.between(point, point + 1));
                    match on_lanes[group].last_mut() {
                        Some((junction, sum)) if *junction == next => *sum += time,
                        _ => on_lanes[group].push((next, time)),
                    }
                }
            }
        }
        let mut on_edges: Vec<Vec<u32>> = vec![Vec::new(); groups];
        for (place, &edge) in self.edge.iter().enumerate() {
            let edge = graph.edges[edge as usize];
            if let Some(group) = group(edge.cause, edge.slice) {
                on_edges[group].push(place as u32);
            }
        }
        let (mut lane_weight, mut edge_weight, mut distance) = (Vec::new(), Vec::new(), Vec::new());
        let length = |(lanes, edges): (Vec<(u32, Ns)>, Vec<u32>)| {
            lane_weight.clone_from(&self.lane_weight);
            edge_weight.clone_from(&self.edge_weight);
            for (junction, time) in lanes {
                lane_weight[junction as usize] -= time;
            }
            for edge in edges {
                edge_weight[edge as usize] = Ns::ZERO;
            }
            self.distances(&lane_weight, &edge_weight, &mut distance, |_| {})
        };
        on_lanes.into_iter().zip(on_edges).map(length).collect()
    }
}
