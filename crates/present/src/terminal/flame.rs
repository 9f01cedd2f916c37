//! A call tree as text: the heaviest frames, each below the one it is in.

use std::collections::BinaryHeap;

use eaves_section::flame::{FrameKind, NodeId, Tree, Visit};

use super::palette::{COMMUNICATION, COMPUTE, MEMORY, QUIET, paint};
use super::wrap::{hang, padding};
use super::{INDENT, Options, header, rule};
use crate::flame::{Drawing, change};
use crate::{Document, names};
use eaves_section::quantity;

/// Columns of the bar, of which eight parts each can be distinguished.
const BAR: usize = 8;
/// Columns of an amount.
const AMOUNT: usize = 10;
/// Columns of a share.
const SHARE: usize = 6;

/// The document with a tree in place of the table of its frames.
pub fn render(document: &Document, drawing: &Drawing<'_>, options: &Options) -> String {
    let mut blocks = vec![header::inputs(document, options), header::warnings(document, options)];
    blocks.push(lines(drawing, options));
    let blocks: Vec<String> =
        blocks.into_iter().filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n")).collect();
    format!("{}\n", blocks.join("\n\n"))
}

fn lines(drawing: &Drawing<'_>, options: &Options) -> Vec<String> {
    let tree = drawing.tree;
    let title = format!("{} by call, {}", drawing.metric.title(), drawing.order.id());
    let mut lines = vec![rule(&title, "flame", options), heading(tree)];
    let shown = heaviest(drawing, options.top);
    let mut level = 0;
    tree.walk(&tree.children(drawing.metric), |visit| match visit {
        Visit::Enter(Tree::ROOT) | Visit::Leave(Tree::ROOT) => {}
        Visit::Enter(id) => {
            if shown[id as usize] {
                lines.push(line(drawing, id, level, options));
            }
            level += 1;
        }
        Visit::Leave(_) => level -= 1,
    });
    let hidden = (1..tree.nodes.len()).filter(|&index| !shown[index] && drawing.weight(index as NodeId) > 0);
    let mut notes = drawing.notes();
    match hidden.count() {
        0 => {}
        hidden => notes.push(format!(
            "… {}; --top 0 shows all, -o flame.html draws them",
            quantity::counted(hidden, "lighter frame")
        )),
    }
    for note in notes {
        lines.push(format!("{}{}", " ".repeat(INDENT), paint(QUIET, hang(&note, INDENT, options.width))));
    }
    lines
}

fn heading(tree: &Tree) -> String {
    let [one, two, three] =
        if tree.is_difference() { ["Before", "Now", "Change"] } else { ["Total", "Self", "Share"] };
    let text = format!("{:INDENT$}{one:>AMOUNT$} {two:>AMOUNT$} {three:>width$}", "", width = SHARE + 1);
    paint(QUIET, text)
}

fn line(drawing: &Drawing<'_>, id: NodeId, level: usize, options: &Options) -> String {
    let (tree, metric) = (drawing.tree, drawing.metric);
    let node = tree.node(id);
    let amount = |amount: i64| {
        let text = drawing.amount(amount);
        format!("{}{text}", padding(&text, AMOUNT))
    };
    let (numbers, share) = match tree.base_total(id, metric) {
        Some(base) => {
            let now = node.total[metric];
            (format!("{} {}", amount(base), amount(now)), change(now, base))
        }
        None => (format!("{} {}", amount(node.total[metric]), amount(node.own[metric])), drawing.share(id)),
    };
    let share = format!("{}{share}", padding(&share, SHARE + 1));
    let bar = paint(style(node.kind), bar(drawing.weight(id), drawing.weight(Tree::ROOT)));
    let used = INDENT + 2 * AMOUNT + SHARE + BAR + 5;
    let room = options.width.saturating_sub(used).max(12);
    let indent = level.min(room / 2);
    let name = names::shorten(drawing.name(id), room - indent);
    format!("{:INDENT$}{numbers} {share} {bar} {:indent$}{name}", "", "")
}

fn style(kind: FrameKind) -> anstyle::Style {
    match kind {
        FrameKind::Kernel => COMPUTE,
        FrameKind::Communication => COMMUNICATION,
        FrameKind::Memory => MEMORY,
        _ => anstyle::Style::new(),
    }
}

/// A bar in which everything that exists is to be seen.
fn bar(part: i64, whole: i64) -> String {
    const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
    let cells = (BAR * EIGHTHS.len()) as i128;
    let exact = i128::from(part) * cells / i128::from(whole.max(1));
    let eighths = usize::try_from(exact.clamp(i128::from(part > 0), cells)).unwrap_or(0);
    let mut bar = "█".repeat(eighths / EIGHTHS.len());
    if !eighths.is_multiple_of(EIGHTHS.len()) {
        bar.push(EIGHTHS[eighths % EIGHTHS.len() - 1]);
    }
    let space = " ".repeat(BAR - eighths.div_ceil(EIGHTHS.len()));
    format!("{bar}{space}")
}

/// The heaviest frames, so many that they fit; one is never shown without the frame around it.
fn heaviest(drawing: &Drawing<'_>, top: usize) -> Vec<bool> {
    let tree = drawing.tree;
    let children = tree.children(drawing.metric);
    let mut shown = vec![false; tree.nodes.len()];
    let mut open = BinaryHeap::new();
    let mut count = 0;
    open.push((drawing.weight(Tree::ROOT), std::cmp::Reverse(Tree::ROOT)));
    while let Some((_, std::cmp::Reverse(id))) = open.pop() {
        if top > 0 && count > top {
            break;
        }
        shown[id as usize] = true;
        count += 1;
        let seen = children.get(id).iter().filter(|&&child| drawing.weight(child) > 0);
        open.extend(seen.map(|&child| (drawing.weight(child), std::cmp::Reverse(child))));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_wide_as_their_whole() {
        assert_eq!(bar(1, 1), "████████");
        assert_eq!(bar(1, 1_000_000), "▏       ");
        assert_eq!(bar(9, 64), "█▏      ");
        assert_eq!(bar(0, 5), "        ");
        assert_eq!(bar(i64::MAX, i64::MAX), "████████");
        assert_eq!(bar(0, 0), "        ");
    }
}
