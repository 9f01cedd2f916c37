//! A tree that grows: frames are found by the frame around them and their name.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use eaves_model::Ns;

use super::names::Names;
use super::tree::{Base, Node, NodeId, Tree};
use super::{FrameKind, Metric, Values};

/// A tree under construction. Parents stand before their children.
#[derive(Debug)]
pub struct Builder {
    nodes: Vec<Node>,
    known: HashMap<Key, NodeId, BuildHasherDefault<KeyHasher>>,
    /// What may still be added of each metric. Broken recordings add up to more than fits; what is above it is cut
    /// off here, once, so that all totals are exact sums.
    room: Values,
}

/// Merge key of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    parent: NodeId,
    name: u32,
    kind: FrameKind,
}

impl Builder {
    /// A tree of the root alone.
    #[expect(clippy::new_without_default, reason = "a tree of the root alone is no empty tree")]
    pub fn new() -> Self {
        let mut builder = Self {
            nodes: Vec::new(),
            known: HashMap::default(),
            room: Values([i64::MAX; Metric::ALL.len()]),
        };
        builder.add(Tree::ROOT, Names::EVERYTHING, FrameKind::Root, Ns::ZERO);
        builder
    }

    /// A new frame.
    pub fn add(&mut self, parent: NodeId, name: u32, kind: FrameKind, start: Ns) -> NodeId {
        let id = NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX);
        let (own, total) = (Values::default(), Values::default());
        self.nodes.push(Node { parent, name, kind, start, grouped: 0, own, total });
        id
    }

    /// The frame of this name in a frame, which is added if new.
    #[inline]
    pub fn find(&mut self, parent: NodeId, name: u32, kind: FrameKind, start: Ns) -> NodeId {
        let key = Key { parent, name, kind };
        if let Some(&known) = self.known.get(&key) {
            let node = &mut self.nodes[known as usize];
            node.start = node.start.min(start);
            return known;
        }
        let id = self.add(parent, name, kind, start);
        self.known.insert(key, id);
        id
    }

    /// Adds to what belongs to a frame itself.
    #[inline]
    pub fn count(&mut self, id: NodeId, metric: Metric, amount: i64) {
        let amount = amount.clamp(0, self.room[metric]);
        self.room[metric] -= amount;
        self.nodes[id as usize].own[metric] += amount;
    }

    /// Adds an amount of every metric.
    pub fn count_all(&mut self, id: NodeId, amounts: Values) {
        for metric in Metric::ALL {
            self.count(id, metric, amounts[metric]);
        }
    }

    /// Makes a frame stand for more frames.
    pub fn group(&mut self, id: NodeId, frames: u32) {
        let grouped = &mut self.nodes[id as usize].grouped;
        *grouped = grouped.saturating_add(frames);
    }

    /// Kind of frame.
    pub fn kind(&self, id: NodeId) -> FrameKind {
        self.nodes[id as usize].kind
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.nodes.len()
    }

    /// The tree with its totals.
    pub fn finish(self, in_time: bool) -> Tree {
        self.finish_with(in_time, Vec::new())
    }

    /// The tree of a comparison; what belongs to the frames in the other run may be a shorter list.
    pub fn finish_with(self, in_time: bool, mut base: Vec<Base>) -> Tree {
        if !base.is_empty() {
            base.resize(self.nodes.len(), Base::default());
        }
        let mut tree = Tree { nodes: self.nodes, base, in_time, too_deep: 0, most_callers: None };
        tree.add_up();
        tree
    }
}

/// Numbers counted up are all there is to hash, millions of times, so a multiplication has to do: that of Knuth's
/// Fibonacci hashing. Its upper bits are the good ones, hence the fold at the end.
#[derive(Default)]
struct KeyHasher(u64);

impl KeyHasher {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

    #[inline]
    fn mix(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(32) ^ value).wrapping_mul(Self::GOLDEN);
    }
}

impl Hasher for KeyHasher {
    #[inline]
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.mix(u64::from(byte));
        }
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.mix(u64::from(value));
    }

    #[inline]
    fn write_isize(&mut self, value: isize) {
        self.mix(value as u64);
    }
}
