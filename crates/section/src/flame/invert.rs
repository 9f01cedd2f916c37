//! The tree upside down: what has its own amount comes first, and below it who called it.

use super::builder::Builder;
use super::tree::{NodeId, Tree};

/// Frames that inverting may look at. Each caller of each frame is one, so recursion a hundred thousand deep would
/// make five thousand million.
const MOST_STEPS: u64 = 4_000_000;

impl Tree {
    /// The inverted tree. A frame's total is what the callee at its top has as its own on this way down; what is
    /// left as its own is where the way ends. Very deep stacks are cut at [`Tree::most_callers`].
    #[must_use]
    pub fn inverted(&self) -> Self {
        let depths = self.depths();
        let most = most_callers(&depths);
        let mut builder = Builder::new();
        let mut cut = false;
        for (index, origin) in self.nodes.iter().enumerate().filter(|(_, node)| !node.own.is_zero()) {
            let (mut id, mut at) = (Tree::ROOT, index as NodeId);
            let mut left = most;
            while at != Tree::ROOT && left > 0 {
                let node = self.node(at);
                id = builder.find(id, node.name, node.kind, node.start);
                at = node.parent;
                left -= 1;
            }
            cut |= at != Tree::ROOT;
            builder.count_all(id, origin.own);
        }
        let mut tree = builder.finish(false);
        tree.most_callers = cut.then_some(most);
        tree
    }

    /// How many frames are around each, itself counted, the root not.
    fn depths(&self) -> Vec<u32> {
        let mut depths: Vec<u32> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            depths.push(depths.get(node.parent as usize).map_or(0, |above| above + 1));
        }
        depths
    }
}

/// The largest depth at which all stacks together are not too long; at least the frame itself stays.
fn most_callers(depths: &[u32]) -> u32 {
    let deepest = depths.iter().copied().max().unwrap_or(0);
    let steps = |most: u32| depths.iter().map(|&depth| u64::from(depth.min(most))).sum::<u64>();
    if steps(deepest) <= MOST_STEPS {
        return deepest.max(1);
    }
    let (mut low, mut high) = (1, deepest);
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if steps(middle) <= MOST_STEPS { low = middle } else { high = middle }
    }
    low
}
