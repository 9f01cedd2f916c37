//! The JSON of d3-flame-graph: `{"name", "value", "children"}`, the value of a frame being its total. Times are microseconds,
//! as in every tool that exchanges such trees; calls and bytes are counted. The outermost frame names the `unit`. A
//! comparison has a `delta` besides.

use std::io::Write as _;

use eaves_section::Unit;
use eaves_section::flame::{Metric, Tree, Visit};

use super::{Drawing, Error};

/// Frames in frames, written from front to back, so that they may be as deep as they are.
#[derive(Debug, Default)]
pub struct Nested {
    text: Vec<u8>,
    /// The unit of all values, which the outermost frame names.
    unit: Option<&'static str>,
    /// For each frame that is open, whether it has children.
    open: Vec<bool>,
    /// The first thing that could not be written.
    failed: Option<serde_json::Error>,
}

impl Nested {
    /// A tree whose outermost frame names the unit of the values of a metric.
    pub fn of(metric: Metric) -> Self {
        let unit = match metric.unit() {
            Unit::Nanoseconds => Some("us"),
            other => other.id(),
        };
        Self { unit, ..Self::default() }
    }

    /// Opens a frame inside of the one that is open.
    pub fn enter(&mut self, name: &str, kind: Option<&str>, value: &str, delta: Option<&str>) {
        if let Some(has_children) = self.open.last_mut() {
            self.text.extend_from_slice(if *has_children { b",\n" } else { b"" });
            *has_children = true;
        }
        self.open.push(false);
        self.text.extend_from_slice(b"{\"name\":");
        if let Err(error) = serde_json::to_writer(&mut self.text, name) {
            self.failed.get_or_insert(error);
        }
        let quoted = |text: &str| format!("\"{text}\"");
        let unit = self.unit.take().map(quoted);
        for (key, word) in [("unit", unit), ("kind", kind.map(quoted)), ("value", Some(value.to_owned()))] {
            if let Some(word) = word {
                // Writing to memory cannot fail.
                write!(self.text, ",\"{key}\":{word}").ok();
            }
        }
        if let Some(delta) = delta {
            write!(self.text, ",\"delta\":{delta}").ok();
        }
        self.text.extend_from_slice(b",\"children\":[");
    }

    /// Closes the frame that was opened last.
    pub fn leave(&mut self) {
        if self.open.pop().is_some() {
            self.text.extend_from_slice(b"]}");
        }
    }

    /// The text, with every frame closed.
    ///
    /// # Errors
    /// If a name could not be written, which no text causes.
    pub fn finish(mut self) -> Result<Vec<u8>, Error> {
        while !self.open.is_empty() {
            self.leave();
        }
        self.text.push(b'\n');
        match self.failed {
            Some(error) => Err(error.into()),
            None => Ok(self.text),
        }
    }
}

/// An amount of a metric as such a tree has it.
pub fn amount(metric: Metric, amount: i64) -> String {
    match metric.unit() {
        Unit::Nanoseconds => format!("{:?}", amount as f64 / 1e3),
        _ => amount.to_string(),
    }
}

/// The text. Frames that have nothing of the metric are skipped.
///
/// # Errors
/// None that the tree can cause.
pub fn render(drawing: &Drawing<'_>) -> Result<Vec<u8>, Error> {
    let (tree, metric) = (drawing.tree, drawing.metric);
    let mut nested = Nested::of(metric);
    let is_drawn = |id| drawing.weight(id) > 0 || id == Tree::ROOT;
    tree.walk(&tree.children(metric), |visit| match visit {
        Visit::Enter(id) if is_drawn(id) => {
            let node = tree.node(id);
            let total = node.total[metric];
            let delta = tree.base_total(id, metric).map(|base| amount(metric, total.saturating_sub(base)));
            let value = amount(metric, total);
            nested.enter(drawing.name(id), Some(node.kind.id()), &value, delta.as_deref());
        }
        Visit::Leave(id) if is_drawn(id) => nested.leave(),
        Visit::Enter(_) | Visit::Leave(_) => {}
    });
    nested.finish()
}
