//! The place of a host slice in the call tree, told by the names around it.

use std::collections::HashMap;

use eaves_model::{CallTree, SliceId, SliceKind, StringId, Trace};

/// How profiler steps are called; their numbers would make every step another place.
const STEP: &str = "ProfilerStep#";

/// The paths of the slices of a trace. Each is worked out once.
pub(super) struct Frames<'a> {
    trace: &'a Trace,
    tree: &'a CallTree,
    /// The path of a slice with itself at its end.
    known: Vec<u32>,
    /// Parent and name; the first is the root.
    nodes: Vec<(u32, StringId)>,
    index: HashMap<(u32, StringId), u32>,
}

const ROOT: u32 = 0;
const UNKNOWN: u32 = u32::MAX;

impl<'a> Frames<'a> {
    pub(super) fn new(trace: &'a Trace, tree: &'a CallTree) -> Self {
        Self {
            trace,
            tree,
            known: vec![UNKNOWN; trace.slices.len()],
            nodes: vec![(ROOT, StringId::NONE)],
            index: HashMap::new(),
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
    pub(super) fn around(&mut self, slice: SliceId) -> u32 {
        let mut open: Vec<SliceId> = Vec::new();
        let mut above = self.tree.parent(slice);
        let mut path = ROOT;
        while let Some(slice) = above {
            if self.known[slice.index()] != UNKNOWN {
                path = self.known[slice.index()];
                break;
            }
            open.push(slice);
            above = self.tree.parent(slice);
        }
        for slice in open.into_iter().rev() {
            if self.is_named(slice) {
                let key = (path, self.trace.slices.name[slice.index()]);
                let nodes = &mut self.nodes;
                path = *self.index.entry(key).or_insert_with(|| {
                    nodes.push(key);
                    u32::try_from(nodes.len() - 1).unwrap_or(ROOT)
                });
            }
            self.known[slice.index()] = path;
        }
        path
    }

    /// A path as text, outermost first.
    pub(super) fn text(&self, path: u32) -> String {
        let mut names = Vec::new();
        let mut at = path;
        while at != ROOT {
            let (parent, name) = self.nodes[at as usize];
            names.push(self.trace.strings.get(name));
            at = parent;
        }
        names.reverse();
        names.join(" > ")
    }
}
