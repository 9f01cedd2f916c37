//! The lines above everything: bandwidths rise, peaks are level, and where they meet is the knee.

use super::plot::Plot;
use crate::roofline::canvas::{Anchor, Canvas, Rect, text_width};
use crate::roofline::data::{Ceiling, Roofline};
use crate::roofline::marks::Shape;
use crate::roofline::scale::{ratio, with_unit};

/// A line from one place to another.
type Segment = ((f64, f64), (f64, f64));

const SIZE: f64 = 10.5;

/// Lines and texts of roofs, with their places.
pub(super) struct Roofs {
    drawn: Vec<(&'static str, Segment)>,
    knees: Vec<(f64, f64)>,
    /// Place, degrees, anchor, text.
    labels: Vec<((f64, f64), f64, Anchor, String)>,
    /// What names of points keep away from.
    pub(super) texts: Vec<Rect>,
    pub(super) lines: Vec<Segment>,
    marks: Vec<((f64, f64), f64)>,
}

impl Roofs {
    /// Roofs whose texts stand where they cover few of the marks.
    pub(super) fn new(data: &Roofline<'_>, plot: &Plot, marks: Vec<((f64, f64), f64)>) -> Self {
        let mut roofs = Self {
            drawn: Vec::new(),
            knees: Vec::new(),
            labels: Vec::new(),
            texts: Vec::new(),
            lines: Vec::new(),
            marks,
        };
        let mut used = data.used();
        used.sort_by(|a, b| b.rate.total_cmp(&a.rate));
        let highest = used.first().map(|ceiling| ceiling.rate);
        let counts = data.counts();
        roofs.level(&used, data, plot, counts);
        for (index, memory) in data.memory.iter().enumerate() {
            roofs.slope(memory, index == 0, highest, plot);
        }
        if let Some(main) = data.memory.first() {
            roofs.mark_knees(&used, main, plot, counts);
        }
        roofs
    }

    /// A bandwidth, up to the highest peak.
    fn slope(&mut self, memory: &Ceiling<'_>, is_main: bool, highest: Option<f64>, plot: &Plot) {
        let bandwidth = memory.rate.log10();
        let ((left, right), (low, high)) = (plot.x.ends(), plot.y.ends());
        let high = highest.map_or(high, |rate| rate.log10().min(high));
        let (first, last) = (left.max(low - bandwidth), right.min(high - bandwidth));
        if first >= last {
            return;
        }
        let at = |log: f64| (plot.x.at_log(log), plot.y.at_log(log + bandwidth));
        let line = (at(first), at(last));
        let class = match (is_main, memory.is_unverified()) {
            (true, false) => "roof",
            (true, true) => "roof unverified",
            (false, _) => "cache",
        };
        self.drawn.push((class, line));
        self.lines.push(line);
        let text = format!("{} {}", memory.name, with_unit(memory.rate * 1e9, "B/s"));
        self.along(line, &text, plot);
    }

    /// A text along a line that rises, where it fits.
    fn along(&mut self, (from, to): Segment, text: &str, plot: &Plot) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy);
        let width = text_width(text, SIZE);
        if length < width + 16.0 {
            return;
        }
        let (ux, uy) = (dx / length, dy / length);
        // Above the line, seen from its right side.
        let place = |along: f64| (from.0 + ux * along + uy * 6.0, from.1 + uy * along - ux * 6.0);
        let boxes = |start: f64| -> Vec<Rect> {
            let pieces = (width / 12.0).ceil().max(1.0) as usize;
            (0..=pieces)
                .map(|piece| place(start + width * piece as f64 / pieces as f64))
                .map(|(x, y)| Rect { left: x - 7.0, top: y - 12.0, right: x + 7.0, bottom: y + 4.0 })
                .collect()
        };
        let free = |boxes: &[Rect]| {
            boxes.iter().all(|piece| {
                plot.area.grown(4.0).holds(piece) && self.texts.iter().all(|text| !text.overlaps(piece))
            })
        };
        let room = length - width - 16.0;
        let starts =
            [6, 4, 8, 10, 2, 12, 0, 14, 16, 18, 20].map(|share| 8.0 + room * f64::from(share) / 20.0);
        let near = |&((x, y), radius): &((f64, f64), f64)| {
            ((x - from.0) * uy - (y - from.1) * ux).abs() < 24.0 + radius
        };
        let near: Vec<_> = self.marks.iter().copied().filter(near).collect();
        let covered = |start: &f64| boxes(*start).iter().map(|piece| covered(&near, piece)).sum::<usize>();
        let start = starts.into_iter().filter(|start| free(&boxes(*start))).min_by_key(covered);
        if let Some(start) = start {
            let degrees = dy.atan2(dx).to_degrees();
            self.labels.push((place(start), degrees, Anchor::Start, text.to_owned()));
            self.texts.extend(boxes(start));
        }
    }

    /// Peaks, from where the fastest memory reaches them; those of one rate are one line.
    fn level(&mut self, used: &[&Ceiling<'_>], data: &Roofline<'_>, plot: &Plot, counts: &str) {
        let main = data.memory.first().map(|memory| memory.rate);
        let fastest = data
            .memory
            .iter()
            .map(|memory| memory.rate)
            .fold(None, |most: Option<f64>, rate| Some(most.map_or(rate, |most| most.max(rate))));
        let mut rest = used;
        while let Some(first) = rest.first() {
            let (same, others) =
                rest.split_at(rest.iter().take_while(|other| other.rate == first.rate).count());
            rest = others;
            if !plot.y.holds(first.rate) {
                continue;
            }
            let y = plot.y.at(first.rate);
            let x = |bandwidth: Option<f64>| {
                bandwidth.map_or(plot.area.left, |rate| plot.x.at(first.rate / rate))
            };
            let (knee, start) = (x(main), x(fastest));
            if start < knee {
                self.drawn.push(("beyond", ((start, y), (knee, y))));
            }
            let line = ((knee, y), (plot.area.right, y));
            let unverified = same.iter().all(|ceiling| ceiling.is_unverified());
            self.drawn.push((if unverified { "ceiling unverified" } else { "ceiling" }, line));
            self.lines.push(((start, y), line.1));
            let names: Vec<&str> = same.iter().map(|ceiling| ceiling.name).collect();
            let rate = with_unit(first.rate * 1e9, &format!("{counts}/s"));
            self.beside(y, knee, &format!("{} {rate}", crate::names::shorten(&names.join(" / "), 40)), plot);
        }
    }

    /// A text above or below a level line, as far right as others and points allow.
    fn beside(&mut self, y: f64, from: f64, text: &str, plot: &Plot) {
        let width = text_width(text, SIZE);
        let near = |&((_, mark), radius): &((f64, f64), f64)| (mark - y).abs() < 20.0 + radius;
        let near: Vec<_> = self.marks.iter().copied().filter(near).collect();
        let mut best: Option<(usize, Rect)> = None;
        let mut right = plot.area.right - 6.0;
        while right - width > plot.area.left {
            for bottom in [y - 3.0, y + 14.0] {
                let area = Rect { left: right - width, top: bottom - 12.0, right, bottom };
                if !plot.area.holds(&area) || self.texts.iter().any(|other| other.overlaps(&area.grown(1.0)))
                {
                    continue;
                }
                // Left of the knee the line is not this text's any more.
                let cost = covered(&near, &area) + if area.left < from { 100 } else { 0 };
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, area));
                }
            }
            right -= 24.0;
        }
        if let Some((_, area)) = best {
            self.labels.push(((area.right, area.bottom - 2.0), 0.0, Anchor::End, text.to_owned()));
            self.texts.push(area);
        }
    }

    fn mark_knees(&mut self, used: &[&Ceiling<'_>], main: &Ceiling<'_>, plot: &Plot, counts: &str) {
        /// More numbers would cover each other.
        const MOST_NUMBERS: usize = 4;
        let mut rates: Vec<f64> = used.iter().map(|ceiling| ceiling.rate).collect();
        rates.dedup();
        for (index, rate) in rates.iter().enumerate() {
            let knee = rate / main.rate;
            if !(plot.x.holds(knee) && plot.y.holds(*rate)) {
                continue;
            }
            let at = plot.at(knee, *rate);
            self.knees.push(at);
            self.texts.push(Rect::new(at.0, at.1, 0.0, 0.0).grown(5.0));
            let text = format!("{} {counts}/B", ratio(knee));
            let (width, right) = (text_width(&text, SIZE), at.0 + 6.0);
            // Below the knee on its right, else above on its left.
            let areas = [
                Rect::new(right, at.1 + 4.0, width, 12.0),
                Rect::new(right + 6.0, at.1 + 16.0, width, 12.0),
                Rect::new(at.0 - 6.0 - width, at.1 - 16.0, width, 12.0),
            ];
            let free = |area: &&Rect| {
                let others = self.texts.split_last().map_or(&[][..], |(_, others)| others);
                plot.area.holds(area)
                    && others.iter().all(|other| !other.overlaps(area))
                    && covered(&self.marks, area) == 0
            };
            if index < MOST_NUMBERS
                && let Some(area) = areas.iter().find(free)
            {
                self.labels.push(((area.left, area.bottom - 2.0), 0.0, Anchor::Start, text));
                self.texts.push(*area);
            }
        }
    }

    /// The lines; texts come after the points.
    pub(super) fn draw(&self, canvas: &mut Canvas) {
        for (class, (from, to)) in &self.drawn {
            canvas.line(class, *from, *to);
        }
        for at in &self.knees {
            canvas.path("knee", &Shape::Diamond.path(*at, 3.2));
        }
    }
}

/// How many points a text would cover.
fn covered(marks: &[((f64, f64), f64)], area: &Rect) -> usize {
    marks.iter().filter(|((x, y), radius)| area.overlaps(&Rect::new(*x, *y, 0.0, 0.0).grown(*radius))).count()
}

/// The texts of roofs, over the points.
pub(super) fn draw_texts(canvas: &mut Canvas, roofs: &Roofs) {
    for (at, degrees, anchor, text) in &roofs.labels {
        if *degrees == 0.0 {
            canvas.text("along", *at, *anchor, text);
        } else {
            canvas.turned("along", *at, *degrees, *anchor, text);
        }
    }
}
