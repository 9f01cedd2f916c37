//! The drawing: one row for each roofline, with its communication next to it, and one for each sweep and validation.

mod communication;
mod legend;
mod levels;
mod plot;
mod roofline;
mod roofs;
mod spots;
mod sweep;
pub(super) mod validate;

use eaves_section::Section;

use self::validate::Validation;
use super::canvas::{Anchor, Canvas, Rect};
use super::colours::{Rule, style};
use super::data::{Communication, Roofline};
use super::series::Sweep;
use super::{Options, has_chart};
use crate::markup::escaped;

/// Room around everything.
const MARGIN: f64 = 16.0;
/// Pictures smaller than this have no room for axes.
const LEAST: (u32, u32) = (480, 360);

/// What stands in one row.
enum Row<'a> {
    Roofline(&'a Section, Roofline<'a>, Option<Communication<'a>>),
    Communication(Communication<'a>),
    Sweep(Sweep),
    Validation(Validation<'a>),
}

/// A picture of its own.
pub(super) fn render(sections: &[&Section], options: &Options) -> String {
    let (body, rules, (width, height)) = drawn(sections, options, true);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"Inter, system-ui, sans-serif\" font-size=\"11\" role=\"img\" aria-label=\"{}\">\n<style>{}</style>\n\
         <rect class=\"back\" width=\"{width}\" height=\"{height}\"/>\n{body}</svg>\n",
        escaped(&name(sections, options)),
        style(options.theme, &rules, ""),
    )
}

/// A picture inside a page, which gives it its width. Classes concern nothing else on the page. Without `titles` marks
/// do not say what they are.
pub(super) fn embedded(sections: &[&Section], options: &Options, titles: bool) -> String {
    let (body, rules, (width, height)) = drawn(sections, options, titles);
    format!(
        "<svg class=\"eaves-roofline\" viewBox=\"0 0 {width} {height}\" style=\"width:100%;height:auto\" \
         font-family=\"system-ui, sans-serif\" font-size=\"11\" role=\"img\" aria-label=\"{}\">\n<style>{}</style>\n{body}</svg>\n",
        escaped(&name(sections, options)),
        style(options.theme, &rules, ".eaves-roofline "),
    )
}

fn name(sections: &[&Section], options: &Options) -> String {
    let titles: Vec<&str> =
        sections.iter().filter(|section| has_chart(section)).map(|section| section.title).collect();
    match &options.title {
        Some(title) => format!("{}: {title}", titles.join(", ")),
        None => titles.join(", "),
    }
}

fn drawn(sections: &[&Section], options: &Options, titles: bool) -> (String, Vec<Rule>, (u32, u32)) {
    let (width, row_height) = (options.width.max(LEAST.0), options.height.max(LEAST.1));
    let rows = rows(sections);
    let mut canvas = Canvas { titles, ..Canvas::default() };
    let mut rules = Vec::new();
    let mut top = 0.0;
    for row in &rows {
        let area = Rect {
            left: MARGIN,
            top: top + MARGIN,
            right: f64::from(width) - MARGIN,
            bottom: top + f64::from(row_height) - MARGIN,
        };
        top += f64::from(row_height);
        let more = match row {
            Row::Roofline(section, data, beside) => {
                roofline::draw(&mut canvas, section, data, beside.as_ref(), area, options)
            }
            Row::Communication(data) => {
                communication::draw(&mut canvas, data, area, options.title.as_deref())
            }
            Row::Sweep(data) => sweep::draw(&mut canvas, data, area, options.title.as_deref()),
            Row::Validation(data) => validate::draw(&mut canvas, data, area, options.title.as_deref()),
        };
        // Numbered classes mean the same in every row: statuses are fixed, and so are the colors of series.
        rules.extend(more);
    }
    if rows.is_empty() {
        let middle = (f64::from(width) / 2.0, f64::from(row_height) / 2.0);
        canvas.text(
            "quiet",
            middle,
            Anchor::Middle,
            "nothing to draw: no section has points, events, a sweep or predictions",
        );
    }
    let height = row_height.saturating_mul(u32::try_from(rows.len().max(1)).unwrap_or(1));
    (canvas.body, rules, (width, height))
}

fn rows<'a>(sections: &[&'a Section]) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    for &section in sections {
        if let Some(data) = Roofline::of(section) {
            rows.push(Row::Roofline(section, data, None));
        }
        if let Some(data) = Communication::of(section) {
            match rows.last_mut() {
                Some(Row::Roofline(_, _, beside @ None)) => *beside = Some(data),
                _ => rows.push(Row::Communication(data)),
            }
        }
        rows.extend(Sweep::of(section).map(Row::Sweep));
        rows.extend(Validation::of(section).map(Row::Validation));
    }
    rows
}
