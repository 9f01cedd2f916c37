//! Frames and stacks, each distinct one once.

use std::hash::BuildHasher;

use eaves_model::{MaybeU32, MemoryFrame, MemoryStack, Snapshot};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};

/// Finds the rows of frames and stacks.
#[derive(Default)]
pub(super) struct Stacks {
    frames: HashMap<(u32, u32, i64), u32, FixedState>,
    /// Rows of the stacks, by frame and caller.
    nodes: HashTable<u32>,
    hasher: FixedState,
    /// The frames of the stack that came last, outermost first, with their rows. The next one is mostly called from the
    /// same places.
    last: Vec<(u32, u32)>,
}

impl Stacks {
    /// The row of a frame.
    pub(super) fn frame(&mut self, frame: MemoryFrame, snapshot: &mut Snapshot) -> u32 {
        let key = (frame.name.0, frame.file.0, frame.line);
        let next = snapshot.frames.len() as u32;
        let row = *self.frames.entry(key).or_insert(next);
        if row == next {
            snapshot.frames.push(frame);
        }
        row
    }

    /// The row of a stack whose frames come from the outermost in.
    pub(super) fn stack(&mut self, frames: impl Iterator<Item = u32>, snapshot: &mut Snapshot) -> MaybeU32 {
        let mut caller = MaybeU32::NONE;
        let mut is_same = true;
        let mut depth = 0;
        for frame in frames {
            match self.last.get(depth) {
                Some(&(known, row)) if is_same && known == frame => caller = MaybeU32::new(row),
                _ => {
                    if is_same {
                        self.last.truncate(depth);
                        is_same = false;
                    }
                    let row = self.node(MemoryStack { frame, caller }, snapshot);
                    self.last.push((frame, row));
                    caller = MaybeU32::new(row);
                }
            }
            depth += 1;
        }
        self.last.truncate(depth);
        caller
    }

    fn node(&mut self, node: MemoryStack, snapshot: &mut Snapshot) -> u32 {
        let stacks = &mut snapshot.stacks;
        let hash = |hasher: &FixedState, frame: u32, caller: MaybeU32| {
            hasher.hash_one(u64::from(frame) << 32 | u64::from(caller.unwrap_or(u32::MAX)))
        };
        let own = hash(&self.hasher, node.frame, node.caller);
        let is_equal = |&row: &u32| {
            let row = row as usize;
            stacks.frame[row] == node.frame && stacks.caller[row] == node.caller
        };
        if let Some(&row) = self.nodes.find(own, is_equal) {
            return row;
        }
        let row = stacks.len() as u32;
        stacks.push(node);
        let hasher = &self.hasher;
        self.nodes.insert_unique(own, row, |&row| {
            hash(hasher, stacks.frame[row as usize], stacks.caller[row as usize])
        });
        row
    }
}
