//! Fewer frames, the same totals: what is small becomes one frame, what is too deep part of the frame above it.

use eaves_model::Ns;

use super::builder::Builder;
use super::names::Names;
use super::tree::{Base, Node, NodeId, Tree};
use super::{FrameKind, Metric, Values};

/// A millionth, in which least shares are given.
const MILLION: i128 = 1_000_000;

/// Which frames to show by themselves. By default all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grouping<'a> {
    /// The metrics of which a frame must have enough; of one of them is enough.
    pub metrics: &'a [Metric],
    /// The least share of everything, in millionths.
    pub least_share: u32,
    /// The least host or GPU time.
    pub least_duration: Ns,
    /// The deepest level below a thread.
    pub most_levels: Option<u32>,
    /// About how many frames at most; the smallest go first.
    pub most_nodes: Option<usize>,
}

impl Default for Grouping<'_> {
    fn default() -> Self {
        Self {
            metrics: &Metric::ALL,
            least_share: 0,
            least_duration: Ns::ZERO,
            most_levels: None,
            most_nodes: None,
        }
    }
}

impl Grouping<'_> {
    fn shows_all(&self, tree: &Tree) -> bool {
        self.least_share == 0
            && self.least_duration <= Ns::ZERO
            && self.most_levels.is_none()
            && self.most_nodes.is_none_or(|most| tree.nodes.len() <= most)
    }
}

/// How a frame is treated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Shown,
    /// Part of another frame, and so is everything below it.
    Hidden,
}

impl Tree {
    /// The same amounts in fewer frames. The small children of a frame become one frame; in time order only
    /// those that follow each other do.
    #[must_use]
    pub fn group(&self, grouping: &Grouping<'_>) -> Self {
        if grouping.shows_all(self) {
            return self.clone();
        }
        let shown = self.shown(grouping);
        let levels = grouping.most_levels.map(|most| (most, self.levels()));
        let mut builder = Builder::new();
        let mut base = vec![Base::default(); self.base.len().min(1)];
        let mut ids: Vec<NodeId> = Vec::with_capacity(self.nodes.len());
        let mut fates: Vec<Fate> = Vec::with_capacity(self.nodes.len());
        // The frame for small children that is open in each new frame.
        let mut small: Vec<Option<NodeId>> = vec![None];
        let mut too_deep = self.too_deep;
        for (index, node) in self.nodes.iter().enumerate() {
            let frames = if node.kind == FrameKind::Small { node.grouped } else { 1 };
            let is_deep = || levels.as_ref().is_some_and(|(most, levels)| levels[index] > *most);
            let (id, fate) = match ids.get(node.parent as usize) {
                None => (Tree::ROOT, Fate::Shown),
                Some(&parent) if fates[node.parent as usize] == Fate::Hidden || is_deep() => {
                    (parent, Fate::Hidden)
                }
                Some(&parent) if shown[index] => {
                    if self.in_time {
                        small[parent as usize] = None;
                    }
                    (builder.add(parent, node.name, node.kind, node.start), Fate::Shown)
                }
                Some(&parent) => {
                    let id = *small[parent as usize].get_or_insert_with(|| {
                        builder.add(parent, Names::SMALL, FrameKind::Small, node.start)
                    });
                    (id, Fate::Hidden)
                }
            };
            small.resize(builder.frames(), None);
            builder.count_all(id, node.own);
            if let Some(own) = self.base.get(index).map(|base| base.own) {
                base.resize(builder.frames(), Base::default());
                base[id as usize].own += own;
            }
            if builder.kind(id) == FrameKind::Small {
                builder.group(id, frames);
            } else if fate == Fate::Hidden {
                too_deep += u64::from(frames);
            }
            ids.push(id);
            fates.push(fate);
        }
        let mut tree = builder.finish_with(self.in_time, base);
        tree.too_deep = too_deep;
        tree.most_callers = self.most_callers;
        tree
    }

    /// Which frames are large enough. The frame around a large one is large too, because amounts add up.
    fn shown(&self, grouping: &Grouping<'_>) -> Vec<bool> {
        let whole = self.weight(Tree::ROOT);
        let large = |index: usize| {
            let weight = self.weight(index as NodeId);
            let share = grouping.least_share == 0
                || grouping.metrics.iter().any(|&metric| {
                    let least = i128::from(grouping.least_share) * i128::from(whole[metric]);
                    whole[metric] > 0 && i128::from(weight[metric]) * MILLION >= least
                });
            let least = grouping.least_duration.0;
            share && (weight[Metric::Cpu] >= least || weight[Metric::Gpu] >= least)
        };
        let mut shown: Vec<bool> = (0..self.nodes.len()).map(large).collect();
        if let Some(most) = grouping.most_nodes.filter(|&most| self.nodes.len() > most) {
            let shares: Vec<f64> = (0..self.nodes.len())
                .map(|index| largest_share(self.weight(index as NodeId), whole, grouping.metrics))
                .collect();
            let mut sorted = shares.clone();
            let (larger, &mut least, _) = sorted.select_nth_unstable_by(most, |a, b| b.total_cmp(a));
            // Of frames that are as large as the first without room, as many as fit: parents come first.
            let mut room = most - larger.iter().filter(|&&share| share > least).count();
            for (shown, share) in shown.iter_mut().zip(shares) {
                let fits = share > least || (share == least && room > 0);
                if fits && share == least {
                    room -= 1;
                }
                *shown &= fits;
            }
        }
        shown
    }

    /// The larger of both amounts of compared frames.
    fn weight(&self, id: NodeId) -> Values {
        let mut weight = self.node(id).total;
        for metric in Metric::ALL {
            weight[metric] = weight[metric].max(self.base_total(id, metric).unwrap_or(0));
        }
        weight
    }

    /// The tree without frames that have nothing of anything.
    #[must_use]
    pub fn without_nothing(&self) -> Self {
        let mut ids: Vec<NodeId> = Vec::with_capacity(self.nodes.len());
        let mut nodes: Vec<Node> = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            let id = nodes.len() as NodeId;
            ids.push(id);
            if index == 0 || !node.total.is_zero() {
                nodes.push(Node { parent: ids[node.parent as usize], ..*node });
            }
        }
        Self { nodes, ..self.clone() }
    }
}

/// A share only decides what is shown, so it may be a float.
fn largest_share(part: Values, whole: Values, metrics: &[Metric]) -> f64 {
    let share = |&metric: &Metric| match whole[metric] {
        0 => 0.0,
        whole => part[metric] as f64 / whole as f64,
    };
    metrics.iter().map(share).fold(0.0, f64::max)
}
