//! Where each frame is, in units of the metric.

use eaves_section::flame::{Children, FrameKind, Metric, NodeId, Tree, Visit};

use super::Drawing;

/// The place of every frame.
pub(super) struct Layout {
    /// Where it begins.
    pub(super) left: Vec<i64>,
    /// How wide it is.
    pub(super) width: Vec<i64>,
    /// When it began.
    pub(super) start: Vec<i64>,
    /// How many frames are around it.
    pub(super) level: Vec<u32>,
    /// The children in the order in which they are drawn.
    pub(super) children: Children,
}

impl Layout {
    /// Children stand side by side from the left of their parent, and what the parent has of its own is left free
    /// behind them. Host time in time order is drawn where it was.
    pub(super) fn new(drawing: &Drawing<'_>) -> Self {
        let tree = drawing.tree;
        let children = tree.children(drawing.metric);
        let by_clock = tree.in_time && drawing.metric == Metric::Cpu;
        let count = tree.nodes.len();
        let ids = || 0..NodeId::try_from(count).unwrap_or(NodeId::MAX);
        let mut width: Vec<i64> = ids().map(|id| drawing.weight(id)).collect();
        let mut start: Vec<i64> = tree.nodes.iter().map(|node| node.start.0).collect();
        let is_clock: Vec<bool> =
            ids().map(|id| by_clock && !holds_places(tree, children.get(id), id)).collect();
        if by_clock {
            spread(tree, &children, &is_clock, &mut start, &mut width);
        }
        let mut layout = Self { left: vec![0; count], width, start, level: vec![0; count], children };
        let Self { left, width, start, level, children } = &mut layout;
        tree.walk(children, |visit| {
            let Visit::Enter(id) = visit else { return };
            let mut next = left[id as usize];
            for &child in children.get(id) {
                level[child as usize] = level[id as usize] + 1;
                if is_clock[id as usize] {
                    let after = start[child as usize].saturating_sub(start[id as usize]).max(0);
                    left[child as usize] = left[id as usize].saturating_add(after);
                } else {
                    left[child as usize] = next;
                    next = next.saturating_add(width[child as usize]);
                }
            }
        });
        layout
    }
}

/// True for the root and for ranks: their threads run side by side in time, so they are drawn so.
fn holds_places(tree: &Tree, children: &[NodeId], id: NodeId) -> bool {
    id == Tree::ROOT || children.iter().any(|&child| tree.node(child).kind == FrameKind::Root)
}

/// Makes threads as wide as the time from their first call to the end of their last.
fn spread(tree: &Tree, children: &Children, is_clock: &[bool], start: &mut [i64], width: &mut [i64]) {
    for index in (0..tree.nodes.len()).rev().filter(|&index| tree.nodes[index].kind == FrameKind::Root) {
        let inside = children.get(index as NodeId).iter().map(|&child| child as usize);
        if is_clock[index] {
            let drawn = inside.filter(|&child| width[child] > 0);
            start[index] = drawn.clone().map(|child| start[child]).min().unwrap_or(start[index]);
            let end = drawn.map(|child| start[child].saturating_add(width[child])).max();
            width[index] = end.unwrap_or(start[index]).saturating_sub(start[index]);
        } else {
            width[index] = inside.map(|child| width[child]).fold(0, i64::saturating_add);
        }
    }
}
