//! Trees in one list of nodes, every parent before its children. Nothing here recurses, so that depth is not a limit.

use eaves_model::Ns;

use super::{FrameKind, Metric, Values};

/// The place of a node in the list.
pub type NodeId = u32;

/// A frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The frame around it; the root is around itself.
    pub parent: NodeId,
    /// Number of its name.
    pub name: u32,
    /// What it is.
    pub kind: FrameKind,
    /// When it first began, in selected time since the start of the recording.
    pub start: Ns,
    /// How many frames it stands for, if it is [`FrameKind::Small`].
    pub grouped: u32,
    /// What belongs to no child.
    pub own: Values,
    /// What belongs to it and to all below it.
    pub total: Values,
}

/// The amounts of a frame in the run that is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Base {
    /// What belongs to no child.
    pub own: Values,
    /// What belongs to it and to all below it.
    pub total: Values,
}

/// Frames, the root first and every parent before its children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The frames.
    pub nodes: Vec<Node>,
    /// The same frames in the run that is compared with; empty without one.
    pub base: Vec<Base>,
    /// True if every call is its own frame.
    pub in_time: bool,
    /// How many frames were too deep and became part of the last one above them that was not.
    pub too_deep: u64,
    /// The number of callers from which on they are not distinguished any more, in an inverted tree.
    pub most_callers: Option<u32>,
}

impl Tree {
    /// The root.
    pub const ROOT: NodeId = 0;

    /// A frame.
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// The amount of everything.
    pub fn whole(&self, metric: Metric) -> i64 {
        self.node(Self::ROOT).total[metric]
    }

    /// The amount of a frame in the run that is compared with.
    pub fn base_total(&self, id: NodeId, metric: Metric) -> Option<i64> {
        self.base.get(id as usize).map(|base| base.total[metric])
    }

    /// True for a tree with two values a frame.
    pub fn is_difference(&self) -> bool {
        !self.base.is_empty()
    }

    /// How many frames are hidden in frames for small ones.
    pub fn grouped(&self) -> u64 {
        self.nodes.iter().map(|node| u64::from(node.grouped)).sum()
    }

    /// How deep each frame is: the root and its places (ranks, threads) are not counted.
    pub fn levels(&self) -> Vec<u32> {
        let mut levels: Vec<u32> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let above = levels.get(node.parent as usize).copied().unwrap_or(0);
            levels.push(if node.kind == FrameKind::Root { above } else { above + 1 });
        }
        levels
    }

    /// Adds up the totals from what belongs to the frames themselves.
    pub fn add_up(&mut self) {
        for node in &mut self.nodes {
            node.total = node.own;
        }
        for index in (1..self.nodes.len()).rev() {
            let Node { parent, total, .. } = self.nodes[index];
            self.nodes[parent as usize].total += total;
        }
        for base in &mut self.base {
            base.total = base.own;
        }
        for index in (1..self.base.len()).rev() {
            let (parent, total) = (self.nodes[index].parent, self.base[index].total);
            self.base[parent as usize].total += total;
        }
    }

    /// The children of every frame: in time order for a tree in time, else the heaviest first and frames for
    /// small ones last. Compared frames weigh what they weigh in both runs together.
    pub fn children(&self, metric: Metric) -> Children {
        let mut children = Children::of(self);
        let weight = |id: NodeId| {
            let base = self.base_total(id, metric).unwrap_or(0);
            self.node(id).total[metric].saturating_add(base)
        };
        for index in 0..self.nodes.len() {
            let siblings = children.range(index);
            let siblings = &mut children.ids[siblings];
            if self.in_time {
                siblings.sort_by_key(|&id| self.node(id).start);
            } else {
                siblings.sort_by_key(|&id| {
                    (self.node(id).kind == FrameKind::Small, std::cmp::Reverse(weight(id)))
                });
            }
        }
        children
    }

    /// Goes through the tree in the order of the children, into every frame and out of it again.
    pub fn walk(&self, children: &Children, mut visit: impl FnMut(Visit)) {
        let mut open: Vec<(NodeId, usize)> = vec![(Self::ROOT, 0)];
        visit(Visit::Enter(Self::ROOT));
        while let Some((id, next)) = open.last_mut() {
            match children.get(*id).get(*next) {
                Some(&child) => {
                    *next += 1;
                    visit(Visit::Enter(child));
                    open.push((child, 0));
                }
                None => {
                    visit(Visit::Leave(*id));
                    open.pop();
                }
            }
        }
    }
}

/// A step of [`Tree::walk`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// Into a frame.
    Enter(NodeId),
    /// Out of it.
    Leave(NodeId),
}

/// The children of every frame of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Children {
    /// Where the children of each frame begin, and one end more.
    offsets: Vec<usize>,
    ids: Vec<NodeId>,
}

impl Children {
    /// The children in the order of the list.
    fn of(tree: &Tree) -> Self {
        let mut offsets = vec![0; tree.nodes.len() + 1];
        for node in tree.nodes.iter().skip(1) {
            offsets[node.parent as usize + 1] += 1;
        }
        for index in 1..offsets.len() {
            offsets[index] += offsets[index - 1];
        }
        let mut next = offsets.clone();
        let mut ids = vec![0; tree.nodes.len().saturating_sub(1)];
        for (id, node) in (0..).zip(&tree.nodes).skip(1) {
            let place = &mut next[node.parent as usize];
            ids[*place] = id;
            *place += 1;
        }
        Self { offsets, ids }
    }

    fn range(&self, index: usize) -> std::ops::Range<usize> {
        self.offsets[index]..self.offsets[index + 1]
    }

    /// The children of a frame.
    #[inline]
    pub fn get(&self, id: NodeId) -> &[NodeId] {
        &self.ids[self.range(id as usize)]
    }
}
