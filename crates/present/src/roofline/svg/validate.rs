//! Predicted against measured: one mark a kernel, on the diagonal if the prediction is right.

use eaves_section::{Chart, Section, Unit};

use super::legend::{Entry, Legend, Swatch};
use super::plot::Plot;
use crate::roofline::canvas::{Anchor, Canvas, Rect, fitting};
use crate::roofline::colours::{REST, Rule, SERIES, series_rules};
use crate::roofline::data::Rows;
use crate::roofline::marks::Shape;
use crate::roofline::scale::Log;
use crate::roofline::series::label;
use eaves_section::quantity;

const AXIS: f64 = 46.0;
const NUMBERS: f64 = 84.0;
const SHAPES: [Shape; 5] = [Shape::Circle, Shape::Square, Shape::Triangle, Shape::Diamond, Shape::Pentagon];

/// Errors up to this share of the prediction lie in the band.
const BAND: f64 = 0.2;

/// Half the height of the ends of a bar.
const END: f64 = 3.0;

/// A kernel that has a prediction and a time.
struct Spot<'a> {
    name: String,
    class: &'a str,
    predicted: f64,
    measured: f64,
    /// The ends of the prediction.
    ends: Option<(f64, f64)>,
    is_one: bool,
}

/// The kernels of a validation.
pub(in crate::roofline) struct Validation<'a>(Vec<Spot<'a>>);

impl<'a> Validation<'a> {
    pub(in crate::roofline) fn of(section: &'a Section) -> Option<Self> {
        let kernels = section.charts.iter().find_map(|chart| match *chart {
            Chart::Validation { kernels } => Some(kernels),
            _ => None,
        })?;
        let spot = |row: crate::roofline::data::Row<'a>| {
            let threads = row.number("threads").unwrap_or(1.0);
            let of = if threads > 1.0 { format!(", {threads} threads") } else { String::new() };
            Some(Spot {
                name: format!("{} {}{of}", row.text("name"), row.text("precision")),
                class: row.text("class"),
                predicted: row.positive("predicted_ns")?,
                measured: row.positive("time_ns")?,
                ends: row.positive("least_ns").zip(row.positive("most_ns")),
                is_one: threads <= 1.0,
            })
        };
        let spots: Vec<Spot<'a>> = Rows::of(section, kernels)?.iter().filter_map(spot).collect();
        (!spots.is_empty()).then_some(Self(spots))
    }

    /// Classes in the order of the rows.
    fn classes(&self) -> Vec<&'a str> {
        let mut classes: Vec<&str> = Vec::new();
        for spot in &self.0 {
            if !classes.contains(&spot.class) {
                classes.push(spot.class);
            }
        }
        classes
    }
}

/// Draws it; the answer is the rules of its colors.
pub(super) fn draw(
    canvas: &mut Canvas,
    validation: &Validation<'_>,
    area: Rect,
    title: Option<&str>,
) -> Vec<Rule> {
    let heading = title.map_or_else(
        || "Predicted against measured".to_owned(),
        |title| format!("Predicted against measured: {title}"),
    );
    canvas.text(
        "strong",
        (area.left, area.top + 13.0),
        Anchor::Start,
        &fitting(&heading, 16.0, area.width()),
    );
    let classes = validation.classes();
    let legend = Legend::new(entries(validation, &classes), &[], area.width());
    let top = area.top + 30.0;
    let bottom = (area.bottom - legend.height() - AXIS).max(top + 80.0);
    let plot_area = Rect { left: area.left + NUMBERS, top, right: area.right - 8.0, bottom };
    let Validation(spots) = validation;
    // Both axes are the same, so that the diagonal is a diagonal.
    let axis = || Log::fit(spots.iter().flat_map(|spot| [spot.predicted, spot.measured]));
    let plot = Plot::new(plot_area, axis(), axis());
    band(canvas, &plot);
    let name = |value: f64| label(value, Unit::Nanoseconds);
    plot.grid(canvas, &plot.x.ticks(62.0, name), &plot.y.ticks(28.0, name));
    plot.names(canvas, "predicted: the middle of its interval", "measured", 62.0);
    let (low, high) = axis().ends();
    canvas.line("roof", (plot.x.at_log(low), plot.y.at_log(low)), (plot.x.at_log(high), plot.y.at_log(high)));
    // Bars below all marks.
    for spot in spots {
        if let Some((least, most)) = spot.ends {
            let (from, y) = plot.at(least, spot.measured);
            let to = plot.x.at(most);
            let path = format!(
                "M{from:.1} {y:.1}H{to:.1}M{from:.1} {:.1}v{:.1}M{to:.1} {:.1}v{:.1}",
                y - END,
                2.0 * END,
                y - END,
                2.0 * END
            );
            canvas.path("leader", &path);
        }
    }
    for spot in spots {
        let index = classes.iter().position(|class| *class == spot.class).unwrap_or(0);
        let path = shape(index).path(plot.at(spot.predicted, spot.measured), 4.2);
        canvas.mark(&class(index, spot.is_one), &path, || told(spot));
    }
    legend.draw(canvas, Rect { top: bottom + AXIS, ..area });
    let mut shades = SERIES.to_vec();
    shades.push(REST);
    series_rules("n", &shades)
}

/// What a mark says of itself.
fn told(spot: &Spot<'_>) -> String {
    let error = 100.0 * (spot.measured - spot.predicted).abs() / spot.predicted;
    let time = |value: f64| quantity::value(&eaves_section::Value::Float(value), Unit::Nanoseconds);
    let ends = spot.ends.map(|(least, most)| format!(" ({} to {})", time(least), time(most)));
    format!(
        "{}\npredicted {}{}\nmeasured {}, {error:.1} % off",
        spot.name,
        time(spot.predicted),
        ends.unwrap_or_default(),
        time(spot.measured),
    )
}

/// Where measured is between 80 and 120 % of predicted.
fn band(canvas: &mut Canvas, plot: &Plot) {
    let (low, high) = plot.x.ends();
    let place = |log: f64, share: f64| {
        let Rect { top, bottom, .. } = plot.area;
        (plot.x.at_log(log), plot.y.at_log(log + (1.0 + share).log10()).clamp(top, bottom))
    };
    // Where a side leaves the frame is a corner too.
    let (up, down) = ((1.0 + BAND).log10(), (1.0 - BAND).log10());
    let corners = [
        place(low, BAND),
        place(high - up, BAND),
        place(high, BAND),
        place(high, -BAND),
        place(low - down, -BAND),
        place(low, -BAND),
    ];
    let path: Vec<String> = corners.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    canvas.path("within", &format!("M{}z", path.join("L")));
}

fn entries(validation: &Validation<'_>, classes: &[&str]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = classes
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let count = validation.0.iter().filter(|spot| spot.class == *name).count();
            (Swatch::Mark(shape(index), class(index, true)), format!("{name} ({count})"))
        })
        .collect();
    let has = |is_one: bool| validation.0.iter().any(|spot| spot.is_one == is_one);
    if has(true) && has(false) {
        entries.push((Swatch::Mark(Shape::Circle, class(SERIES.len(), true)), "one core".to_owned()));
        entries.push((Swatch::Mark(Shape::Circle, class(SERIES.len(), false)), "all cores".to_owned()));
    }
    entries.push((Swatch::Nothing, "bars: the interval; band: 20 % off".to_owned()));
    entries
}

fn shape(index: usize) -> Shape {
    SHAPES[index % SHAPES.len()]
}

fn class(index: usize, is_one: bool) -> String {
    format!("n{} {}", index.min(SERIES.len()), if is_one { "full" } else { "hollow" })
}
