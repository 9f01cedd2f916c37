//! A picture that needs nothing but a viewer: every frame is a rectangle with a tooltip.

use std::fmt::Write as _;

use eaves_section::flame::{FrameKind, NodeId, Tree};

use super::colour::{self, CHANGES, STYLES};
use super::layout::Layout;
use super::{Drawing, Error};
use crate::colours::INK;
use crate::markup::escaped;
use crate::names::{cut_end, shorten};

const WIDTH: f64 = 1200.0;
const MARGIN: f64 = 10.0;
const ROW: f64 = 18.0;
/// Room for the title and the legend.
const TOP: f64 = 58.0;
/// What a letter of the monospaced font takes at 11 pixels.
const LETTER: f64 = 6.65;
/// Letters of the title that fit.
const TITLE_LETTERS: usize = 135;
/// Narrower frames cannot be seen.
const NARROWEST: f64 = 0.25;
/// Letters below which a name says nothing.
const LEAST_LETTERS: usize = 5;
/// Deeper frames would be on no screen.
const MOST_LEVELS: u32 = 400;

/// The text.
///
/// # Errors
/// None that the tree can cause.
pub fn render(drawing: &Drawing<'_>) -> Result<Vec<u8>, Error> {
    let layout = Layout::new(drawing);
    let whole = layout.width[Tree::ROOT as usize].max(1) as f64;
    let scale = (WIDTH - 2.0 * MARGIN) / whole;
    let is_drawn = |&id: &NodeId| {
        layout.width[id as usize] as f64 * scale >= NARROWEST && layout.level[id as usize] <= MOST_LEVELS
    };
    let drawn: Vec<NodeId> =
        (0..drawing.tree.nodes.len()).map(|index| index as NodeId).filter(is_drawn).collect();
    let levels = drawn.iter().map(|&id| layout.level[id as usize]).max().unwrap_or(0) + 1;
    let notes = notes(drawing, &layout, &drawn);
    let height = TOP + f64::from(levels) * ROW + 14.0 + 16.0 * notes.len() as f64 + MARGIN;

    let mut text = String::new();
    // Writing to memory cannot fail.
    write!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">\n{}\n\
         <rect class=\"page\" width=\"100%\" height=\"100%\"/>\n",
        escaped(&heading(drawing)),
        style(drawing),
    )
    .ok();
    let title = cut_end(&heading(drawing), TITLE_LETTERS);
    writeln!(text, "<text class=\"title\" x=\"{MARGIN}\" y=\"22\">{}</text>", escaped(&title)).ok();
    legend(drawing, &drawn, &mut text);
    for &id in &drawn {
        frame(drawing, &layout, id, scale, &mut text);
    }
    for (row, note) in notes.iter().enumerate() {
        let y = TOP + f64::from(levels) * ROW + 18.0 + 16.0 * row as f64;
        writeln!(text, "<text class=\"note\" x=\"{MARGIN}\" y=\"{y}\">{}</text>", escaped(note)).ok();
    }
    text.push_str("</svg>\n");
    Ok(text.into_bytes())
}

fn heading(drawing: &Drawing<'_>) -> String {
    let tree = drawing.tree;
    let amount = match tree.base_total(Tree::ROOT, drawing.metric) {
        Some(base) => {
            let now = tree.whole(drawing.metric);
            let change = super::change(now, base);
            format!("{} before, {} now, {change}", drawing.amount(base), drawing.amount(now))
        }
        None => drawing.amount(tree.whole(drawing.metric)),
    };
    format!("{}, {}: {amount} \u{2013} {}", drawing.metric.title(), drawing.order.id(), drawing.title)
}

fn notes(drawing: &Drawing<'_>, layout: &Layout, drawn: &[NodeId]) -> Vec<String> {
    let mut notes = drawing.notes();
    let wide = layout.width.iter().filter(|&&width| width > 0).count();
    let narrow = wide - drawn.len();
    if narrow > 0 {
        notes.push(format!(
            "{} too narrow or too deep to be drawn",
            eaves_section::quantity::counted(narrow, "frame")
        ));
    }
    if drawing.tree.is_difference() {
        notes.push("frame width is the sum of both runs, color the change".to_owned());
    }
    notes
}

/// Colors follow the page around the picture, or the system.
fn style(drawing: &Drawing<'_>) -> String {
    let mut light = String::new();
    let mut dark = String::new();
    if drawing.tree.is_difference() {
        for (index, change) in CHANGES.iter().enumerate() {
            write!(light, ".c{index}{{fill:{}}}g>.c{index}+text{{fill:{}}}", change.fill, change.text).ok();
        }
    } else {
        for style in &STYLES {
            write!(light, ".{}{{fill:{}}}", style.kind.id(), style.light).ok();
            write!(dark, ".{}{{fill:{}}}", style.kind.id(), style.dark).ok();
        }
        write!(dark, "g>text{{fill:{}}}", INK[1]).ok();
    }
    format!(
        "<style>text{{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;fill:{}}}\
         .title{{font:600 15px system-ui,sans-serif}}.note{{font:12px system-ui,sans-serif}}\
         .page{{fill:#fff}}.title,.note{{fill:#222}}{light}g:hover>rect{{stroke:#000;stroke-width:1.5}}\
         @media(prefers-color-scheme:dark){{.page{{fill:#16181c}}.title,.note{{fill:#ddd}}{dark}\
         g:hover>rect{{stroke:#fff}}}}</style>",
        INK[0],
    )
}

/// What the colors mean, of those that are there.
fn legend(drawing: &Drawing<'_>, drawn: &[NodeId], text: &mut String) {
    let entries: Vec<(String, String)> = if drawing.tree.is_difference() {
        let percent = |share: f64| format!("{:+.0}%", 100.0 * share);
        let name = |index: usize| match index {
            0 => "much less".to_owned(),
            4 => "the same".to_owned(),
            8 => "much more".to_owned(),
            index => format!("to {}", percent(CHANGES[index].most)),
        };
        (0..CHANGES.len()).map(|index| (format!("c{index}"), name(index))).collect()
    } else {
        let is_there = |kind: FrameKind| drawn.iter().any(|&id| drawing.tree.node(id).kind == kind);
        let there = STYLES.iter().filter(|style| is_there(style.kind));
        there.map(|style| (style.kind.id().to_owned(), style.label.to_owned())).collect()
    };
    let mut x = MARGIN;
    for (class, label) in entries {
        write!(text, "<rect class=\"{class}\" x=\"{x:.1}\" y=\"34\" width=\"12\" height=\"12\" rx=\"2\"/>")
            .ok();
        writeln!(text, "<text class=\"note\" x=\"{:.1}\" y=\"44\">{}</text>", x + 17.0, escaped(&label)).ok();
        x += 17.0 + 6.6 * label.chars().count() as f64 + 16.0;
    }
}

fn frame(drawing: &Drawing<'_>, layout: &Layout, id: NodeId, scale: f64, text: &mut String) {
    let node = drawing.tree.node(id);
    let x = MARGIN + layout.left[id as usize] as f64 * scale;
    let y = TOP + f64::from(layout.level[id as usize]) * ROW;
    let width = layout.width[id as usize] as f64 * scale;
    let class = match drawing.tree.base_total(id, drawing.metric) {
        Some(base) => format!("c{}", colour::change(node.total[drawing.metric], base)),
        None => node.kind.id().to_owned(),
    };
    // A gap between neighbors, where there is room for one.
    let inner = if width > 3.0 { width - 0.8 } else { width };
    write!(
        text,
        "<g><title>{}</title><rect class=\"{class}\" x=\"{x:.2}\" y=\"{y:.1}\" width=\"{inner:.2}\" height=\"{:.1}\" rx=\"1\"/>",
        escaped(&drawing.details(id).join("\n")),
        ROW - 1.0,
    )
    .ok();
    let letters = ((width - 7.0) / LETTER).max(0.0) as usize;
    if letters >= LEAST_LETTERS {
        let name = shorten(drawing.name(id), letters);
        write!(text, "<text x=\"{:.2}\" y=\"{:.1}\">{}</text>", x + 3.0, y + 12.5, escaped(&name)).ok();
    }
    text.push_str("</g>\n");
}
