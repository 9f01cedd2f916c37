//! One row of the drawing.

use std::fmt::Write;

use eaves_analyze::timeline::{Chart, Class};
use eaves_model::{Extract, Interval, Ns, Pixels, Row, SliceId};

use super::{Drawing, LETTER, ROW, cut};
use crate::human;
use crate::timeline::page::escaped;
use crate::timeline::payload::short;

/// Pixels of the drawing that are looked at together.
const GRAIN: f64 = 2.0;
/// Strengths in which crowded pixels are drawn.
const LEVELS: usize = 4;
/// A slice narrower than this has no name of its own to hover.
const NAMED: f64 = 4.0;
/// A slice narrower than this has no label.
const LABELLED: f64 = 34.0;

/// What is drawn in neighbouring pixels.
enum Mark {
    /// One slice, which is the longest in all of them.
    Slice(SliceId),
    /// Many short ones.
    Crowd(Class, usize),
}

/// Draws a row at the present height.
pub(super) fn draw_row(drawing: &mut Drawing, chart: &Chart<'_>, row: &Row) {
    let window = Interval::new(drawing.window.start - chart.offset, drawing.window.end - chart.offset);
    let pixels = Pixels::new(window, (drawing.plot_width() / GRAIN) as u32);
    let mut extracts: Vec<Extract> = Vec::new();
    chart.slices.query(row, &pixels, |extract| match extracts.last_mut() {
        // The ends of a slice share their pixels with others; where it is the longest, it is the same mark.
        Some(last) if last.longest == extract.longest && last.pixels.end == extract.pixels.start => {
            last.pixels.end = extract.pixels.end;
            last.busy += extract.busy;
        }
        _ => extracts.push(extract),
    });
    let mut crowds: [[String; LEVELS]; Class::ALL.len()] = Default::default();
    let mut slices = Vec::new();
    let mut open: Option<(Class, usize, Interval)> = None;
    for extract in extracts {
        let covered = pixels.interval(extract.pixels.clone());
        match mark(chart, &extract, covered) {
            Mark::Slice(slice) => slices.push((slice, covered)),
            Mark::Crowd(class, level) => match &mut open {
                Some((same, strength, whole))
                    if *same == class && *strength == level && whole.end == covered.start =>
                {
                    whole.end = covered.end;
                }
                _ => {
                    let done = open.replace((class, level, covered));
                    crowd(drawing, chart, done, &mut crowds);
                }
            },
        }
    }
    crowd(drawing, chart, open, &mut crowds);
    for (class, levels) in crowds.iter().enumerate() {
        for (level, path) in levels.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
            let _ = writeln!(drawing.body, "<path class=\"c{class} o{level}\" d=\"{path}\"/>");
        }
    }
    for (slice, covered) in slices {
        draw_slice(drawing, chart, slice, covered);
    }
}

fn mark(chart: &Chart<'_>, extract: &Extract, covered: Interval) -> Mark {
    if extract.pixels.len() > 1 {
        return Mark::Slice(extract.longest);
    }
    let share = extract.busy.as_f64() / covered.length().as_f64().max(1.0);
    let level = ((share * LEVELS as f64) as usize).min(LEVELS - 1);
    Mark::Crowd(chart.class(extract.longest), level)
}

fn crowd(
    drawing: &Drawing,
    chart: &Chart<'_>,
    crowd: Option<(Class, usize, Interval)>,
    paths: &mut [[String; LEVELS]; Class::ALL.len()],
) {
    let Some((class, level, covered)) = crowd else { return };
    let (from, to) = (drawing.x(covered.start + chart.offset), drawing.x(covered.end + chart.offset));
    let (y, height) = (drawing.y + 1.0, ROW - 2.0);
    let path = &mut paths[class as usize][level];
    let _ = write!(path, "M{from:.1} {y:.1}H{to:.1}v{height}H{from:.1}z");
}

fn draw_slice(drawing: &mut Drawing, chart: &Chart<'_>, slice: SliceId, covered: Interval) {
    let interval = chart.trace.slices.interval(slice.index());
    // Its own ends, but not into pixels where others are longer.
    let within = interval.clip(covered).unwrap_or(covered);
    let shifted = |time: Ns| drawing.x(time + chart.offset);
    let (from, to) = (shifted(within.start), shifted(within.end));
    let (y, class) = (drawing.y, chart.class(slice));
    let name = chart.trace.slice_name(slice);
    let size = to - from;
    let _ = write!(
        drawing.body,
        "<rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{}\" class=\"c{}\"",
        y + 1.0,
        (size - if size > NAMED { 0.5 } else { 0.0 }).max(0.5),
        ROW - 2.0,
        class as u8
    );
    if size < NAMED {
        drawing.body.push_str("/>\n");
        return;
    }
    let duration = human::duration(interval.length().0);
    let _ = writeln!(drawing.body, "><title>{}\n{duration}</title></rect>", escaped(name));
    if size > LABELLED {
        let label = match short(name, class) {
            short if short.is_empty() => name.to_owned(),
            short => short,
        };
        drawing.text(from + 3.0, y + ROW - 4.5, "label", &cut(&label, size - LETTER));
    }
}
