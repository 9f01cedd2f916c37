//! The JSON of d3-flame-graph: `{"name", "value", "children"}`, the value of a frame being its total. A comparison
//! has a `delta` besides.

use std::io::Write as _;

use eaves_analyze::flame::Visit;

use super::{Drawing, Error};

/// The text. Frames that have nothing of the metric are left out.
///
/// # Errors
/// None that the tree can cause.
pub fn render(drawing: &Drawing<'_>) -> Result<Vec<u8>, Error> {
    let (tree, metric) = (drawing.tree, drawing.metric);
    let mut text: Vec<u8> = Vec::new();
    let mut result = Ok(());
    // How many children of each open frame are written.
    let mut written: Vec<usize> = Vec::new();
    let is_drawn = |id| drawing.weight(id) > 0 || id == eaves_analyze::flame::Tree::ROOT;
    tree.walk(&tree.children(metric), |visit| match visit {
        Visit::Enter(id) if is_drawn(id) => {
            if let Some(siblings) = written.last_mut() {
                text.extend_from_slice(if *siblings == 0 { b",\"children\":[" } else { b",\n" });
                *siblings += 1;
            }
            written.push(0);
            text.extend_from_slice(b"{\"name\":");
            if let Err(error) = serde_json::to_writer(&mut text, drawing.name(id)) {
                result = Err(error);
            }
            let node = tree.node(id);
            let value = node.total[metric];
            // Writing to memory cannot fail.
            write!(text, ",\"kind\":\"{}\",\"value\":{value}", node.kind.id()).ok();
            if let Some(base) = tree.base_total(id, metric) {
                write!(text, ",\"delta\":{}", value.saturating_sub(base)).ok();
            }
        }
        Visit::Leave(id) if is_drawn(id) => {
            let children = written.pop().unwrap_or(0);
            text.extend_from_slice(if children > 0 { b"]}" } else { b"}" });
        }
        Visit::Enter(_) | Visit::Leave(_) => {}
    });
    text.push(b'\n');
    result?;
    Ok(text)
}
