//! The trees as the page draws them: `ui/src/views/flame/data.ts` reads what is written here.

use std::collections::HashMap;

use eaves_section::flame::{Metric, NodeId, Order, Tree, Visit};
use serde::Serialize;

use super::colour::{CHANGES, STYLES};
use super::{Drawing, Error};
use eaves_section::quantity;

/// Initial view and available views of a page.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The inputs, and what was selected of them.
    pub inputs: &'a [String],
    /// The trees, with the one that is shown first at the front. All have the same metric.
    pub views: &'a [Drawing<'a>],
}

/// The content of the page's data.
#[derive(Serialize)]
struct Data<'a> {
    inputs: &'a [String],
    names: Vec<&'a str>,
    kinds: Vec<Kind>,
    changes: Vec<Change>,
    metrics: Vec<Measure>,
    metric: usize,
    views: Vec<View>,
}

#[derive(Serialize)]
struct Kind {
    label: &'static str,
    light: &'static str,
    dark: &'static str,
    gpu: bool,
}

#[derive(Serialize)]
struct Change {
    most: f64,
    fill: &'static str,
    text: &'static str,
}

#[derive(Serialize)]
struct Measure {
    id: &'static str,
    title: &'static str,
    unit: Option<&'static str>,
}

/// A tree, each frame before its children: columns are shorter than rows.
#[derive(Serialize)]
struct View {
    id: &'static str,
    title: &'static str,
    time: bool,
    inverted: bool,
    notes: Vec<String>,
    /// How many frames are around each frame.
    level: Vec<u32>,
    name: Vec<usize>,
    kind: Vec<usize>,
    /// How many small frames it stands for, by the place of the frame.
    grouped: Vec<(usize, u32)>,
    /// When it began, counted from the start of the frame around it; only in time order.
    start: Vec<i64>,
    /// What belongs to it, by metric.
    own: [Vec<i64>; Metric::ALL.len()],
    /// The same in the run that is compared with; empty without one.
    base: [Vec<i64>; Metric::ALL.len()],
}

/// What the page draws, as JSON. `docs/page.md` describes it.
///
/// # Errors
/// None that the trees can cause.
pub fn render(page: &Page<'_>) -> Result<Vec<u8>, Error> {
    let mut names = Names::default();
    let views: Vec<View> = page.views.iter().map(|view| self::view(view, &mut names)).collect();
    let first = page.views.first().map_or(Metric::Cpu, |view| view.metric);
    let kinds = STYLES.iter().map(|style| Kind {
        label: style.label,
        light: style.light,
        dark: style.dark,
        gpu: style.kind.is_gpu(),
    });
    let changes =
        CHANGES.iter().map(|change| Change { most: change.most, fill: change.fill, text: change.text });
    let metrics = Metric::ALL.map(|metric| Measure {
        id: metric.id(),
        title: metric.title(),
        unit: metric.unit().id(),
    });
    let data = Data {
        inputs: page.inputs,
        names: names.list,
        kinds: kinds.collect(),
        changes: changes.collect(),
        metrics: metrics.into_iter().collect(),
        metric: first as usize,
        views,
    };
    Ok(serde_json::to_vec(&data)?)
}

/// The names that are used, each once.
#[derive(Default)]
struct Names<'a> {
    list: Vec<&'a str>,
    known: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    fn index(&mut self, name: &'a str) -> usize {
        *self.known.entry(name).or_insert_with(|| {
            self.list.push(name);
            self.list.len() - 1
        })
    }
}

fn view<'a>(drawing: &Drawing<'a>, names: &mut Names<'a>) -> View {
    let tree = drawing.tree;
    let mut view = View {
        id: drawing.order.id(),
        title: match drawing.order {
            Order::LeftHeavy => "Left heavy",
            Order::Time => "Time order",
            Order::Inverted => "Inverted",
        },
        time: tree.in_time,
        inverted: drawing.order == Order::Inverted,
        notes: notes(drawing),
        level: Vec::new(),
        name: Vec::new(),
        kind: Vec::new(),
        grouped: Vec::new(),
        start: Vec::new(),
        own: Default::default(),
        base: Default::default(),
    };
    let mut level = 0;
    tree.walk(&tree.children(drawing.metric), |visit| match visit {
        Visit::Leave(_) => level -= 1,
        Visit::Enter(id) => {
            push(&mut view, drawing, names, id, level);
            level += 1;
        }
    });
    view
}

/// What is not to be seen, or that everything is.
fn notes(drawing: &Drawing<'_>) -> Vec<String> {
    let mut notes = drawing.notes();
    if notes.is_empty() {
        notes.push(format!("all {} are there", quantity::counted(drawing.tree.nodes.len() - 1, "frame")));
    }
    notes
}

fn push<'a>(view: &mut View, drawing: &Drawing<'a>, names: &mut Names<'a>, id: NodeId, level: u32) {
    let tree: &Tree = drawing.tree;
    let node = tree.node(id);
    if node.grouped > 0 {
        view.grouped.push((view.level.len(), node.grouped));
    }
    view.level.push(level);
    view.name.push(names.index(drawing.name(id)));
    view.kind.push(node.kind as usize);
    if tree.in_time {
        view.start.push((node.start - tree.node(node.parent).start).0);
    }
    for (column, amount) in view.own.iter_mut().zip(node.own.0) {
        column.push(amount);
    }
    if let Some(base) = tree.base.get(id as usize) {
        for (column, amount) in view.base.iter_mut().zip(base.own.0) {
            column.push(amount);
        }
    }
}
