//! The trees of a run.

use super::{Grouping, Order, Tree};

/// The trees of a run.
#[derive(Clone, Debug)]
pub struct Flame {
    /// The names by number.
    pub names: Vec<String>,
    /// Merged by name path.
    pub merged: Tree,
    /// Every call by itself, in time order, if it was asked for.
    pub chart: Option<Tree>,
}

impl Flame {
    /// The tree in an order, with what is small combined. Without a tree in time order, that is the merged
    /// one.
    pub fn view(&self, order: Order, grouping: &Grouping<'_>) -> Tree {
        match (order, &self.chart) {
            (Order::LeftHeavy, _) | (Order::Time, None) => self.merged.group(grouping),
            (Order::Time, Some(chart)) => chart.group(grouping),
            (Order::Inverted, _) => self.merged.inverted().group(grouping),
        }
    }
}
