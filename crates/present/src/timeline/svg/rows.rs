//! One row of the drawing.

use std::fmt::Write;

use eaves_model::{Extract, Interval, Ns, Pixels, Row, SliceId};
use eaves_section::timeline::{Chart, Class};

use super::{Drawing, LETTER, ROW, cut};
use crate::markup::escaped;
use crate::timeline::payload::short;
use eaves_section::quantity;

/// Pixels of the drawing that are looked at together.
const GRAIN: f64 = 2.0;
/// Strengths in which crowded pixels are drawn.
const LEVELS: usize = 4;
/// A slice narrower than this has no name of its own to hover.
const NAMED: f64 = 4.0;
/// A slice narrower than this has no label.
const LABELLED: f64 = 34.0;

/// Neighbouring pixels that look the same.
type Crowd = (Class, usize, Interval);

/// Draws a row at the present height: wide slices with their own ends, what is narrower by pixels.
pub(super) fn draw_row(drawing: &mut Drawing, chart: &Chart<'_>, row: &Row) {
    let window = Interval::new(drawing.window.start - chart.offset, drawing.window.end - chart.offset);
    let pixels = Pixels::new(window, (drawing.plot_width() / GRAIN) as u32);
    // Two pixels long, a slice fills at least one.
    let wide = Ns(2 * (window.length().0 / pixels.len().max(1) as i64 + 1));
    let mut crowds: [[String; LEVELS]; Class::ALL.len()] = Default::default();
    let mut slices: Vec<(SliceId, Interval)> = Vec::new();
    let mut open: Option<Crowd> = None;
    chart.slices.query(row, &pixels, |extract| {
        let (slice, covered) = (extract.longest, pixels.interval(extract.pixels.clone()));
        let interval = chart.trace.slices.interval(slice.index());
        let own = interval.clip(covered).map_or(Ns::ZERO, Interval::length);
        if interval.clip(window).is_some_and(|shown| shown.length() >= wide) {
            match slices.last_mut() {
                Some((same, reach)) if *same == slice && reach.end == covered.start => {
                    reach.end = covered.end
                }
                _ => slices.push((slice, covered)),
            }
            // Where it ends others may share its pixel.
            if extract.busy <= own {
                return;
            }
        }
        let next = (chart.class(slice), level(&extract, covered), covered);
        match &mut open {
            Some((class, level, reach))
                if (*class, *level) == (next.0, next.1) && reach.end == covered.start =>
            {
                reach.end = covered.end;
            }
            _ => crowd(drawing, chart, open.replace(next), &mut crowds),
        }
    });
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

/// How strong a pixel is drawn.
fn level(extract: &Extract, covered: Interval) -> usize {
    let share = extract.busy.as_f64() / covered.length().as_f64().max(1.0);
    ((share * LEVELS as f64) as usize).min(LEVELS - 1)
}

fn crowd(
    drawing: &Drawing,
    chart: &Chart<'_>,
    crowd: Option<Crowd>,
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
    let duration = quantity::duration(interval.length());
    let _ = writeln!(drawing.body, "><title>{}\n{duration}</title></rect>", escaped(name));
    if size > LABELLED {
        let label = match short(name, class) {
            short if short.is_empty() => name.to_owned(),
            short => short,
        };
        drawing.text(from + 3.0, y + ROW - 4.5, "label", &cut(&label, size - LETTER));
    }
}
