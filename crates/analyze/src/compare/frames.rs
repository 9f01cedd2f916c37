//! The place of a host slice in the call tree, told by the names around it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use eaves_model::{CallTree, SliceId, SliceKind, StringId, Trace};

/// How profiler steps are called; their numbers would make every step another place.
const STEP: &str = "ProfilerStep#";

/// A path of names, as a row of [`Frames`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Node(u32);

impl Node {
    /// Nothing around.
    pub(super) const ROOT: Self = Self(0);
    const UNKNOWN: Self = Self(u32::MAX);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The paths of the slices of a trace. Each is worked out once.
pub(super) struct Frames<'a> {
    trace: &'a Trace,
    tree: &'a CallTree,
    /// For slices that others stand in: the path to what is inside.
    known: Vec<Node>,
    /// Parent and name of every path; the first is the root.
    nodes: Vec<(Node, StringId)>,
    index: IdMap<(Node, StringId), Node>,
}

impl<'a> Frames<'a> {
    pub(super) fn new(trace: &'a Trace, tree: &'a CallTree) -> Self {
        Self {
            trace,
            tree,
            known: vec![Node::UNKNOWN; trace.slices.len()],
            nodes: vec![(Node::ROOT, StringId::NONE)],
            index: IdMap::default(),
        }
    }

    /// True for what names a place: operators and ranges of the user, but not steps.
    pub(super) fn is_named(&self, slice: SliceId) -> bool {
        match self.trace.slices.kind[slice.index()] {
            SliceKind::Op => true,
            SliceKind::Annotation => !self.trace.slice_name(slice).starts_with(STEP),
            _ => false,
        }
    }

    /// The path around a slice, without itself.
    pub(super) fn around(&mut self, slice: SliceId) -> Node {
        let Some(parent) = self.tree.parent(slice) else { return Node::ROOT };
        if self.known[parent.index()] != Node::UNKNOWN {
            return self.known[parent.index()];
        }
        let mut open = vec![parent];
        let mut path = Node::ROOT;
        for above in self.tree.ancestors(parent) {
            if self.known[above.index()] != Node::UNKNOWN {
                path = self.known[above.index()];
                break;
            }
            open.push(above);
        }
        for slice in open.into_iter().rev() {
            if self.is_named(slice) {
                path = self.inside(path, self.trace.slices.name[slice.index()]);
            }
            self.known[slice.index()] = path;
        }
        path
    }

    /// The path of a slice with itself at its end.
    pub(super) fn with_itself(&mut self, slice: SliceId) -> Node {
        let path = self.around(slice);
        self.inside(path, self.trace.slices.name[slice.index()])
    }

    fn inside(&mut self, path: Node, name: StringId) -> Node {
        let nodes = &mut self.nodes;
        *self.index.entry((path, name)).or_insert_with(|| {
            nodes.push((path, name));
            Node(u32::try_from(nodes.len() - 1).unwrap_or(Node::ROOT.0))
        })
    }

    /// A path without its end.
    pub(super) fn parent(&self, node: Node) -> Node {
        self.nodes[node.index()].0
    }

    /// A path as text, outermost first.
    pub(super) fn text(&self, node: Node) -> String {
        let mut names = Vec::new();
        let mut at = node;
        while at != Node::ROOT {
            let (parent, name) = self.nodes[at.index()];
            names.push(self.trace.strings.get(name));
            at = parent;
        }
        names.reverse();
        names.join(" > ")
    }
}

/// A map from ids, which are small numbers that nobody chose to do harm.
pub(super) type IdMap<K, V> = HashMap<K, V, BuildHasherDefault<IdHasher>>;

/// Multiplies and folds; a look-up for every event has no time for more.
#[derive(Default)]
pub(super) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        // An odd number without pattern: 2^64 divided by the golden ratio (D. E. Knuth, TAOCP 3, 6.4).
        let product = u128::from(self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = (product as u64).rotate_left(26) ^ (product >> 64) as u64;
    }
}
