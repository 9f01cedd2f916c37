//! Call trees as pictures and as files of other tools, one format a file.
//!
//! All of them draw a [`Drawing`]: a tree of [`eaves_section::flame`], which is already in the wanted order and
//! already has its small frames combined.

mod colour;
pub mod d3;
pub mod data;
pub mod folded;
mod layout;
pub mod speedscope;
pub mod svg;
#[cfg(test)]
mod tests;

use eaves_section::flame::{FrameKind, Metric, NodeId, Order, Tree};
use eaves_section::{Unit, Value};

use eaves_section::quantity;

/// Why a tree could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A format that writes every stack whole would be larger than anybody can read.
    #[error("the stacks are too deep: the file would exceed {0} bytes or entries")]
    TooDeep(u64),
    /// The tree compares two runs, and the format has one value a frame.
    #[error("{0} does not support comparisons")]
    NoDifference(&'static str),
    /// Our own fault.
    #[error("cannot write JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// A tree with what is needed to draw it.
#[derive(Clone, Copy, Debug)]
pub struct Drawing<'a> {
    /// What the picture is of, such as the name of the input.
    pub title: &'a str,
    /// The names by number.
    pub names: &'a [String],
    /// The tree.
    pub tree: &'a Tree,
    /// The order it is in.
    pub order: Order,
    /// What to draw.
    pub metric: Metric,
}

impl<'a> Drawing<'a> {
    /// The name of a frame.
    pub(crate) fn name(&self, id: NodeId) -> &'a str {
        self.names.get(self.tree.node(id).name as usize).map_or("", String::as_str)
    }

    /// What decides how wide a frame is: its amount; that of both runs together if two are compared, so that
    /// frames that only one of them has are there too.
    pub(crate) fn weight(&self, id: NodeId) -> i64 {
        let base = self.tree.base_total(id, self.metric).unwrap_or(0);
        self.tree.node(id).total[self.metric].saturating_add(base)
    }

    /// An amount as people read it.
    pub(crate) fn amount(&self, amount: i64) -> String {
        quantity::value(&Value::Integer(amount), self.metric.unit())
    }

    /// A share of everything.
    pub(crate) fn share(&self, id: NodeId) -> String {
        match self.weight(Tree::ROOT) {
            0 => quantity::percent(0.0),
            whole => quantity::percent(100.0 * self.weight(id) as f64 / whole as f64),
        }
    }

    /// How long all stacks that have something of their own are together, given what a name adds to one.
    pub(crate) fn size_of_stacks(&self, size: impl Fn(&str) -> u64) -> u64 {
        let mut sizes: Vec<u64> = Vec::with_capacity(self.tree.nodes.len());
        let mut sum = 0u64;
        for (id, node) in (0..).zip(&self.tree.nodes) {
            let around = sizes.get(node.parent as usize).copied().unwrap_or(0);
            let stack = around.saturating_add(size(self.name(id)));
            sizes.push(stack);
            let base = self.tree.base.get(id as usize).map_or(0, |base| base.own[self.metric]);
            if node.own[self.metric] > 0 || base > 0 {
                sum = sum.saturating_add(stack);
            }
        }
        sum
    }

    /// What one should know of a frame, in lines.
    pub(crate) fn details(&self, id: NodeId) -> Vec<String> {
        let node = self.tree.node(id);
        let title = self.metric.title();
        let (total, own) = (node.total[self.metric], node.own[self.metric]);
        let mut lines = vec![self.name(id).to_owned()];
        match self.tree.base.get(id as usize) {
            Some(base) => {
                let before = base.total[self.metric];
                let change = change(total, before);
                lines.push(format!(
                    "{title}: {} before, {} now, {change}",
                    self.amount(before),
                    self.amount(total)
                ));
                let before = base.own[self.metric];
                lines.push(format!("of its own: {} before, {} now", self.amount(before), self.amount(own)));
            }
            None if self.order == Order::Inverted => {
                lines.push(format!(
                    "{title} of the callee: {} ({} of all)",
                    self.amount(total),
                    self.share(id)
                ));
            }
            None => {
                let (total, own) = (self.amount(total), self.amount(own));
                lines.push(format!("{title}: {total} ({} of all), {own} exclusive", self.share(id)));
            }
        }
        if self.order == Order::Inverted {
            return lines;
        }
        let calls = quantity::counted(usize::try_from(node.own[Metric::Calls]).unwrap_or(0), "call");
        match node.kind {
            FrameKind::Root => {}
            FrameKind::Small => {
                lines.push(format!("{}, {calls}", quantity::counted(node.grouped as usize, "small frame")))
            }
            kind => lines.push(format!("{calls}, {}", colour::label(kind))),
        }
        lines
    }

    /// What is not to be seen.
    pub(crate) fn notes(&self) -> Vec<String> {
        let tree = self.tree;
        let count = |count: u64, noun| quantity::counted(usize::try_from(count).unwrap_or(usize::MAX), noun);
        let mut notes = Vec::new();
        let groups = tree.nodes.iter().filter(|node| node.kind == FrameKind::Small).count();
        if groups > 0 {
            notes.push(format!(
                "{} in {} grouped as [small]; the others are shown ({})",
                count(tree.grouped(), "small frame"),
                quantity::counted(groups, "frame"),
                quantity::thousands((tree.nodes.len() - 1 - groups) as i64),
            ));
        }
        if tree.too_deep > 0 {
            notes.push(format!(
                "{} beyond the depth limit: counted for the frame above",
                count(tree.too_deep, "frame")
            ));
        }
        if let Some(most) = tree.most_callers {
            notes.push(format!("callers are distinguished up to {most} levels"));
        }
        notes
    }
}

/// How an amount changed, in percent.
pub(crate) fn change(now: i64, before: i64) -> String {
    match (before, now) {
        (0, 0) => "nothing in both".to_owned(),
        (0, _) => "new".to_owned(),
        (_, 0) => "gone".to_owned(),
        _ => {
            let tenths = (1000.0 * (now as f64 - before as f64) / before as f64).round();
            // Nothing has no sign.
            if tenths == 0.0 { "0.0%".to_owned() } else { format!("{:+.1}%", tenths / 10.0) }
        }
    }
}

/// The unit in the words of other tools.
pub(crate) fn unit_name(metric: Metric) -> &'static str {
    match metric.unit() {
        Unit::Nanoseconds => "nanoseconds",
        Unit::Bytes => "bytes",
        _ => "none",
    }
}
