//! The file format of speedscope (<https://www.speedscope.app/file-format-schema.json>): stacks with weights for
//! merged trees, frames that open and close for those in time order.

use std::collections::HashMap;

use eaves_section::flame::{FrameKind, Metric, NodeId, Tree, Visit};
use serde::Serialize;

use super::layout::Layout;
use super::{Drawing, Error, unit_name};

/// Stacks are written whole, so that deep ones need much room.
const MOST_ENTRIES: u64 = 1 << 26;

#[derive(Serialize)]
struct File<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    name: &'a str,
    exporter: String,
    #[serde(rename = "activeProfileIndex")]
    active: usize,
    shared: Shared<'a>,
    profiles: Vec<Profile>,
}

#[derive(Serialize)]
struct Shared<'a> {
    frames: Vec<Frame<'a>>,
}

#[derive(Serialize)]
struct Frame<'a> {
    name: &'a str,
}

#[derive(Serialize)]
struct Profile {
    #[serde(flatten)]
    content: Content,
    name: String,
    unit: &'static str,
    #[serde(rename = "startValue")]
    start: i64,
    #[serde(rename = "endValue")]
    end: i64,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Content {
    Sampled { samples: Vec<Vec<usize>>, weights: Vec<i64> },
    Evented { events: Vec<Event> },
}

#[derive(Serialize)]
struct Event {
    #[serde(rename = "type")]
    kind: &'static str,
    frame: usize,
    at: i64,
}

/// The text.
///
/// # Errors
/// If two runs are compared, or if the stacks are so deep that the file could not be read.
pub fn render(drawing: &Drawing<'_>) -> Result<Vec<u8>, Error> {
    if drawing.tree.is_difference() {
        return Err(Error::NoDifference("speedscope"));
    }
    let mut frames = Frames::default();
    let profiles = if drawing.tree.in_time {
        evented(drawing, &mut frames)
    } else {
        vec![sampled(drawing, &mut frames)?]
    };
    let file = File {
        schema: "https://www.speedscope.app/file-format-schema.json",
        name: drawing.title,
        exporter: format!("eaves {}", env!("CARGO_PKG_VERSION")),
        active: 0,
        shared: Shared { frames: frames.list },
        profiles,
    };
    let mut text = serde_json::to_vec(&file)?;
    text.push(b'\n');
    Ok(text)
}

/// Each name once.
#[derive(Default)]
struct Frames<'a> {
    list: Vec<Frame<'a>>,
    known: HashMap<&'a str, usize>,
}

impl<'a> Frames<'a> {
    fn index(&mut self, name: &'a str) -> usize {
        *self.known.entry(name).or_insert_with(|| {
            self.list.push(Frame { name });
            self.list.len() - 1
        })
    }
}

/// A stack for each frame that has something of its own.
fn sampled<'a>(drawing: &Drawing<'a>, frames: &mut Frames<'a>) -> Result<Profile, Error> {
    let (tree, metric) = (drawing.tree, drawing.metric);
    if drawing.size_of_stacks(|_| 1) > MOST_ENTRIES {
        return Err(Error::TooDeep(MOST_ENTRIES));
    }
    let (mut samples, mut weights) = (Vec::new(), Vec::new());
    let mut stack = Vec::new();
    tree.walk(&tree.children(metric), |visit| match visit {
        Visit::Enter(Tree::ROOT) | Visit::Leave(Tree::ROOT) => {}
        Visit::Enter(id) => {
            stack.push(frames.index(drawing.name(id)));
            let own = tree.node(id).own[metric];
            if own > 0 {
                samples.push(stack.clone());
                weights.push(own);
            }
        }
        Visit::Leave(_) => drop(stack.pop()),
    });
    Ok(Profile {
        content: Content::Sampled { samples, weights },
        name: metric.title().to_owned(),
        unit: unit_name(metric),
        start: 0,
        end: tree.whole(metric),
    })
}

/// A profile for each thread, because threads run at the same time.
fn evented<'a>(drawing: &Drawing<'a>, frames: &mut Frames<'a>) -> Vec<Profile> {
    let tree = drawing.tree;
    let layout = Layout::new(drawing);
    let mut profiles: Vec<Profile> = Vec::new();
    let mut events: Vec<Event> = Vec::new();
    let mut places: Vec<NodeId> = Vec::new();
    tree.walk(&layout.children, |visit| {
        let (Visit::Enter(id) | Visit::Leave(id)) = visit;
        let place = places.last().copied().unwrap_or(Tree::ROOT);
        let (left, width) = (layout.left[id as usize], layout.width[id as usize]);
        let at =
            left.saturating_sub(layout.left[place as usize]).saturating_add(begin(drawing, &layout, place));
        if tree.node(id).kind == FrameKind::Root {
            if !events.is_empty() {
                profiles.push(profile(drawing, &layout, &places, std::mem::take(&mut events)));
            }
            match visit {
                Visit::Enter(_) => places.push(id),
                Visit::Leave(_) => drop(places.pop()),
            }
        } else if width > 0 {
            let frame = frames.index(drawing.name(id));
            events.push(match visit {
                Visit::Enter(_) => Event { kind: "O", frame, at },
                Visit::Leave(_) => Event { kind: "C", frame, at: at.saturating_add(width) },
            });
        }
    });
    profiles
}

/// The profile of the innermost of some places.
fn profile(drawing: &Drawing<'_>, layout: &Layout, places: &[NodeId], events: Vec<Event>) -> Profile {
    let start = begin(drawing, layout, places.last().copied().unwrap_or(Tree::ROOT));
    let end = events.last().map_or(start, |event| event.at);
    let name = places.iter().skip(1).map(|&id| drawing.name(id)).collect::<Vec<_>>().join(", ");
    Profile { content: Content::Evented { events }, name, unit: unit_name(drawing.metric), start, end }
}

/// Host time of a thread begins when its first call did; other amounts begin with none.
fn begin(drawing: &Drawing<'_>, layout: &Layout, place: NodeId) -> i64 {
    if drawing.metric == Metric::Cpu { layout.start[place as usize] } else { 0 }
}
