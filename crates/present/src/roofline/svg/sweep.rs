//! A sweep: numbers over a parameter, one line a series, one chart a unit.

use std::fmt::Write as _;

use eaves_section::Unit;

use super::legend::{Entry, Legend, Swatch};
use super::plot::Plot;
use crate::roofline::canvas::{Anchor, Canvas, Rect, fitting, text_width};
use crate::roofline::colours::{REST, Rule, SERIES, series_rules};
use crate::roofline::marks::Shape;
use crate::roofline::scale::{Log, Tick};
use crate::roofline::series::{Chart, Sweep, label};
use eaves_section::quantity;

const AXIS: f64 = 46.0;
const NUMBERS: f64 = 84.0;
const SHAPES: [Shape; 5] = [Shape::Circle, Shape::Square, Shape::Triangle, Shape::Diamond, Shape::Pentagon];

/// Draws a sweep; the answer is the rules of its colors.
pub(super) fn draw(canvas: &mut Canvas, sweep: &Sweep, area: Rect, title: Option<&str>) -> Vec<Rule> {
    let heading = title.map_or_else(
        || format!("{} over {}", sweep.what, sweep.parameter),
        |title| format!("{} of {title} over {}", sweep.what, sweep.parameter),
    );
    canvas.text(
        "strong",
        (area.left, area.top + 13.0),
        Anchor::Start,
        &fitting(&heading, 16.0, area.width()),
    );
    let mut entries: Vec<Entry> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for series in sweep.charts.iter().flat_map(|chart| &chart.series) {
        if !names.contains(&series.name.as_str()) {
            entries.push((Swatch::Mark(shape(names.len()), class(names.len())), series.name.clone()));
            names.push(&series.name);
        }
    }
    if sweep.left_out > 0 {
        entries.push((
            Swatch::Nothing,
            format!("{} not drawn", quantity::counted(sweep.left_out, "further unit")),
        ));
    }
    let legend = Legend::new(entries, &[], area.width());
    let top = area.top + 44.0;
    let bottom = (area.bottom - legend.height() - AXIS).max(top + 80.0);
    let (columns, rows) = match sweep.charts.len() {
        count @ (1..=3) => (count as u32, 1),
        _ => (2, 2),
    };
    let (width, height) = (area.width() / f64::from(columns), (bottom + AXIS - top) / f64::from(rows));
    for (index, chart) in (0..).zip(&sweep.charts) {
        let left = area.left + width * f64::from(index % columns);
        let top = top + height * f64::from(index / columns);
        let plot = Rect {
            left: left + NUMBERS,
            top: top + 6.0,
            right: left + width - 8.0,
            bottom: (top + height - AXIS).max(top + 40.0),
        };
        draw_chart(canvas, chart, sweep, plot, &names);
    }
    legend.draw(canvas, Rect { top: bottom + AXIS, ..area });
    let mut shades = SERIES.to_vec();
    shades.push(REST);
    series_rules("n", &shades)
}

fn shape(index: usize) -> Shape {
    SHAPES[index % SHAPES.len()]
}

fn class(index: usize) -> String {
    format!("n{} full", index.min(SERIES.len()))
}

fn draw_chart(canvas: &mut Canvas, chart: &Chart, sweep: &Sweep, area: Rect, names: &[&str]) {
    let places = || chart.series.iter().flat_map(|series| &series.places);
    let plot =
        Plot::new(area, Log::fit(places().map(|place| place.0)), Log::fit(places().map(|place| place.1)));
    let upwards = plot.y.ticks(28.0, |value| label(value, chart.unit));
    let across = match sweep.unit {
        Unit::Bytes => plot.x.binary_ticks(62.0),
        unit => values(chart, &plot, unit).unwrap_or_else(|| plot.x.ticks(46.0, |value| label(value, unit))),
    };
    plot.grid(canvas, &across, &upwards);
    canvas.text(
        "axis",
        (area.left, area.top - 8.0),
        Anchor::Start,
        &fitting(&chart.title, 11.0, area.width()),
    );
    let middle = (area.left + area.right) / 2.0;
    canvas.text("axis", (middle, area.bottom + 34.0), Anchor::Middle, &sweep.parameter);
    for series in &chart.series {
        let index = names.iter().position(|name| *name == series.name).unwrap_or(names.len());
        let spots: Vec<(f64, f64)> = series.places.iter().map(|&(x, y)| plot.at(x, y)).collect();
        let path: Vec<String> = spots.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        if path.len() > 1 {
            // A color fills; a line must not, whatever sheet comes last.
            writeln!(
                canvas.body,
                "<path class=\"n{} series\" style=\"fill:none\" d=\"M{}\"/>",
                index.min(SERIES.len()),
                path.join("L")
            )
            .ok();
        }
        // Where marks would touch, the line is enough.
        if spots.len() <= 40 {
            for spot in spots {
                canvas.path(&format!("m {}", class(index)), &shape(index).path(spot, 3.4));
            }
        }
    }
}

/// Marks at the values of the parameter itself, if they are few; labels where there is room.
fn values(chart: &Chart, plot: &Plot, unit: Unit) -> Option<Vec<Tick>> {
    const MOST: usize = 24;
    let mut values: Vec<f64> =
        chart.series.iter().flat_map(|series| &series.places).map(|place| place.0).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    if values.len() > MOST {
        return None;
    }
    let mut free = f64::NEG_INFINITY;
    let tick = |value: f64| {
        let plain = matches!(unit, Unit::None | Unit::Count) && value.fract() == 0.0 && value < 1e6;
        let text = if plain { quantity::thousands(value as i64) } else { label(value, unit) };
        let (x, room) = (plot.x.at(value), text_width(&text, 11.0) / 2.0 + 2.5);
        let fits = x - room >= free;
        free = if fits { x + room } else { free };
        Tick { value, label: if fits { text } else { String::new() } }
    };
    Some(values.into_iter().map(tick).collect())
}
