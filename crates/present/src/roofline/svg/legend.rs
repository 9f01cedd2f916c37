//! What shapes, colors and lines mean, and where roofs come from.

use crate::roofline::canvas::{Anchor, Canvas, Rect, fitting, text_width, wrapped};
use crate::roofline::marks::Shape;

/// What stands before a text.
#[derive(Clone, Debug)]
pub(super) enum Swatch {
    /// A mark of some classes.
    Mark(Shape, String),
    /// A ring around a mark.
    Ring,
    /// The arrow of wasted bytes.
    Arrow,
    /// A line of a class.
    Line(String),
    /// Nothing: a remark.
    Nothing,
}

/// One entry.
pub(super) type Entry = (Swatch, String);

const LINE: f64 = 18.0;
const SMALL_LINE: f64 = 14.0;
const SWATCH: f64 = 16.0;
const GAP: f64 = 18.0;
const SIZE: f64 = 11.0;
const SMALL: f64 = 10.0;
/// Lines of sources; what is more is in the table of roofs.
const MOST_SOURCES: usize = 3;

/// Entries and sources with their places, so that their height is known before anything is drawn.
pub(super) struct Legend {
    places: Vec<(f64, usize, Entry)>,
    sources: Vec<String>,
    lines: usize,
}

impl Legend {
    pub(super) fn new(entries: Vec<Entry>, sources: &[String], width: f64) -> Self {
        let mut places = Vec::new();
        let (mut x, mut line) = (0.0, 0);
        for (swatch, text) in entries {
            let text = fitting(&text, SIZE, width - SWATCH);
            let room = swatch_width(&swatch) + text_width(&text, SIZE);
            if x > 0.0 && x + room > width {
                (x, line) = (0.0, line + 1);
            }
            places.push((x, line, (swatch, text)));
            x += room + GAP;
        }
        let lines = if places.is_empty() { 0 } else { line + 1 };
        let mut sources = wrapped(sources, " · ", SMALL, width);
        let left_out = sources.len() > MOST_SOURCES;
        sources.truncate(MOST_SOURCES);
        if left_out && let Some(last) = sources.last_mut() {
            last.push_str(" · …");
        }
        Self { places, sources: sources.iter().map(|line| fitting(line, SMALL, width)).collect(), lines }
    }

    pub(super) fn height(&self) -> f64 {
        self.lines as f64 * LINE + self.sources.len() as f64 * SMALL_LINE
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, area: Rect) {
        for (x, line, (swatch, text)) in &self.places {
            let (x, y) = (area.left + x, area.top + *line as f64 * LINE + 12.0);
            draw_swatch(canvas, swatch, x, y - 4.0);
            let class = if matches!(swatch, Swatch::Nothing) { "quiet" } else { "" };
            canvas.text(class, (x + swatch_width(swatch), y), Anchor::Start, text);
        }
        let top = area.top + self.lines as f64 * LINE;
        for (index, line) in self.sources.iter().enumerate() {
            let y = top + index as f64 * SMALL_LINE + 11.0;
            canvas.text("quiet small", (area.left, y), Anchor::Start, line);
        }
    }
}

fn swatch_width(swatch: &Swatch) -> f64 {
    match swatch {
        Swatch::Nothing => 0.0,
        Swatch::Arrow | Swatch::Line(_) => 30.0,
        Swatch::Mark(..) | Swatch::Ring => SWATCH,
    }
}

fn draw_swatch(canvas: &mut Canvas, swatch: &Swatch, x: f64, y: f64) {
    match swatch {
        Swatch::Mark(shape, class) => canvas.path(&format!("m {class}"), &shape.path((x + 6.0, y), 5.0)),
        Swatch::Ring => canvas.path("ring", &Shape::Circle.path((x + 6.0, y), 5.5)),
        Swatch::Arrow => {
            canvas.line("arrow", (x, y), (x + 22.0, y));
            canvas.path("arrow head", &format!("M{:.1} {:.1}l4 3l-4 3", x + 18.0, y - 3.0));
        }
        Swatch::Line(class) => canvas.line(class, (x, y), (x + 24.0, y)),
        Swatch::Nothing => {}
    }
}
