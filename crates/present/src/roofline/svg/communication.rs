//! Communication: the size of messages against their bandwidth, below what links can carry.

use std::fmt::Write as _;

use super::legend::{Entry, Legend, Swatch};
use super::plot::Plot;
use crate::names::shorten_all;
use crate::roofline::canvas::{Anchor, Canvas, Rect, fitting, text_width};
use crate::roofline::colours::{REST, Rule, SERIES, series_rules, text_rules};
use crate::roofline::data::{Communication, Event, Link};
use crate::roofline::labels::{Surroundings, Wish, place};
use crate::roofline::marks::Shape;
use crate::roofline::scale::{Log, prefixed, size, with_unit};
use eaves_section::quantity;

const AXIS: f64 = 46.0;
const NUMBERS: f64 = 62.0;
const LABEL: f64 = 10.5;
const NAME_LETTERS: usize = 22;

/// Each link has its own shape next to its color.
const SHAPES: [Shape; 6] =
    [Shape::Circle, Shape::Square, Shape::Triangle, Shape::Diamond, Shape::Pentagon, Shape::Star];

/// A picture of communication alone.
pub(super) fn draw(
    canvas: &mut Canvas,
    data: &Communication<'_>,
    area: Rect,
    title: Option<&str>,
) -> Vec<Rule> {
    let title = title.map_or_else(|| "Communication".to_owned(), |title| format!("Communication of {title}"));
    canvas.text("strong", (area.left, area.top + 13.0), Anchor::Start, &fitting(&title, 16.0, area.width()));
    let area = Rect { top: area.top + 28.0, ..area };
    let height = height_below(data, area.width());
    let bottom = (area.bottom - height - AXIS).max(area.top + 100.0);
    draw_plot(canvas, data, area, bottom)
}

/// The height of the legend at its largest: how many names find no place is known only when they were placed.
pub(super) fn height_below(data: &Communication<'_>, width: f64) -> f64 {
    legend(data, width, data.events.len()).height()
}

/// The plot and the legend below it; the plot ends at `bottom`.
pub(super) fn draw_plot(canvas: &mut Canvas, data: &Communication<'_>, area: Rect, bottom: f64) -> Vec<Rule> {
    let plot_area = Rect { left: area.left + NUMBERS, top: area.top, right: area.right - 4.0, bottom };
    let mut events: Vec<(&Event<'_>, f64, f64)> =
        data.events.iter().filter_map(|event| Some((event, event.bytes?, event.achieved?))).collect();
    let roofs = data.links.iter().flat_map(|link| [Some(link.total), link.protocol]).flatten();
    let x = Log::fit(events.iter().map(|(_, bytes, _)| *bytes));
    let y = Log::fit(events.iter().map(|(.., rate)| *rate).chain(roofs)).with_room_above(0.1);
    let plot = Plot::new(plot_area, x, y);
    plot.grid(canvas, &plot.x.binary_ticks(62.0), &plot.y.ticks(30.0, |value| prefixed(value * 1e9)));
    plot.names(canvas, "Message size", "Bandwidth (B/s)", 50.0);
    let names = link_names(data);
    let total: f64 = events.iter().filter_map(|(event, ..)| event.time).sum();
    let (least, most) = if events.len() > 200 { (2.0, 9.0) } else { (4.0, 12.0) };
    let radius = |event: &Event<'_>| {
        let share = event.time.filter(|_| total > 0.0).map_or(0.0, |time| (time / total).clamp(0.0, 1.0));
        (24.0 * share.sqrt()).clamp(least, most)
    };
    events.sort_by(|a, b| radius(b.0).total_cmp(&radius(a.0)));
    let mut around = Surroundings::default();
    around.marks.extend(events.iter().map(|(event, bytes, rate)| (plot.at(*bytes, *rate), radius(event))));
    let texts = links(canvas, data, &plot, &mut around);
    let opacity = if events.len() > 200 { 0.5 } else { 0.8 };
    writeln!(canvas.body, "<g fill-opacity=\"{opacity}\">").ok();
    for (event, bytes, rate) in &events {
        let link = names.iter().position(|name| *name == event.link).unwrap_or(names.len());
        let (at, radius) = (plot.at(*bytes, *rate), radius(event));
        let path = SHAPES[link % SHAPES.len()].path(at, radius);
        canvas.mark(&format!("n{} full", link.min(SERIES.len())), &path, || described(event));
        if event.is_above() {
            canvas.path("ring", &Shape::Circle.path(at, radius + 3.0));
        }
    }
    canvas.body.push_str("</g>\n");
    for (class, at, text) in texts {
        canvas.text(&format!("along {class}"), at, Anchor::Start, &text);
    }
    let unnamed = data.events.len() - names_of(canvas, &events, &plot, &around, radius);
    let below = Rect { left: area.left, top: bottom + AXIS, ..area };
    legend(data, area.width(), unnamed).draw(canvas, below);
    let mut shades = SERIES.to_vec();
    shades.push(REST);
    let mut rules = series_rules("n", &shades);
    rules.extend(text_rules("t", &shades));
    rules
}

/// What links can carry: on the wire, and what their protocol leaves. The answer is the texts, which come last.
fn links(
    canvas: &mut Canvas,
    data: &Communication<'_>,
    plot: &Plot,
    around: &mut Surroundings,
) -> Vec<(String, (f64, f64), String)> {
    let mut texts = Vec::new();
    let names = link_names(data);
    for link in &data.links {
        let index = names.iter().position(|name| *name == link.name).unwrap_or(names.len()).min(SERIES.len());
        let roofs = [("limit", Some(link.total), ""), ("protocol", link.protocol, " (protocol)")];
        for (class, rate, remark) in roofs {
            let Some(rate) = rate else { continue };
            let y = plot.y.at(rate);
            // Lines at one height take turns, so that each is seen.
            let is_same = |other: &&Link<'_>| {
                let rate = if class == "limit" { Some(other.total) } else { other.protocol };
                rate.is_some_and(|rate| (plot.y.at(rate) - y).abs() < 1.0)
            };
            let same: Vec<&Link<'_>> = data.links.iter().filter(is_same).collect();
            let turn = same.iter().position(|other| other.name == link.name).unwrap_or(0);
            canvas.path(&format!("n{index} {class}"), &pieces(plot.area, y, turn, same.len().max(1)));
            around.lines.push(((plot.area.left, y), (plot.area.right, y)));
            let text = format!("{}{remark} {}", link.name, with_unit(rate * 1e9, "B/s"));
            let text = fitting(&text, LABEL, plot.area.width() - 12.0);
            let width = text_width(&text, LABEL);
            let step = (plot.area.width() - width - 12.0).max(0.0) / 8.0;
            // Next to the line, and where other texts are in the way, further from it.
            let places = (0..MOST_ROWS).flat_map(|row| {
                let away = 12.0 * f64::from(row);
                (0..=8).flat_map(move |at| {
                    let left = plot.area.right - 6.0 - width - step * f64::from(at);
                    [
                        Rect::new(left, y - 15.0 - away, width, 12.0),
                        Rect::new(left, y + 3.0 + away, width, 12.0),
                    ]
                })
            });
            let free =
                |area: &Rect| plot.area.holds(area) && around.texts.iter().all(|other| !other.overlaps(area));
            let covered = |area: &Rect| {
                let room = |&((x, y), radius): &((f64, f64), f64)| Rect::new(x, y, 0.0, 0.0).grown(radius);
                around.marks.iter().filter(|mark| room(mark).overlaps(area)).count()
            };
            if let Some(area) = places.filter(free).min_by_key(covered) {
                texts.push((format!("t{index}"), (area.left, area.bottom - 2.5), text));
                around.texts.push(area);
            }
        }
    }
    texts
}

/// Rows of texts above and below a line.
const MOST_ROWS: u32 = 4;

/// A line across an area, or every this many pieces of it if several lines share the height.
fn pieces(area: Rect, y: f64, turn: usize, lines: usize) -> String {
    /// Pixels of a piece.
    const PIECE: f64 = 14.0;
    if lines == 1 {
        return format!("M{:.1} {y:.1}H{:.1}", area.left, area.right);
    }
    let mut path = String::new();
    let mut left = area.left + PIECE * turn as f64;
    while left < area.right {
        write!(path, "M{left:.1} {y:.1}H{:.1}", (left + PIECE).min(area.right)).ok();
        left += PIECE * lines as f64;
    }
    path
}

/// Writes the names that find a place; the answer is how many.
fn names_of(
    canvas: &mut Canvas,
    events: &[(&Event<'_>, f64, f64)],
    plot: &Plot,
    around: &Surroundings,
    radius: impl Fn(&Event<'_>) -> f64,
) -> usize {
    const MOST: usize = 16;
    let mut order: Vec<&(&Event<'_>, f64, f64)> = events.iter().collect();
    order.sort_by(|a, b| b.0.time.unwrap_or(0.0).total_cmp(&a.0.time.unwrap_or(0.0)));
    order.truncate(MOST);
    let names: Vec<&str> = order.iter().map(|(event, ..)| event.name).collect();
    let names = shorten_all(&names, NAME_LETTERS);
    let wish = |((event, bytes, rate), name): (&&(&Event<'_>, f64, f64), &String)| Wish {
        at: plot.at(*bytes, *rate),
        radius: radius(event),
        size: (text_width(name, LABEL), 12.0),
    };
    let wishes: Vec<Wish> = order.iter().zip(&names).map(wish).collect();
    let placed = place(&wishes, around, plot.area.grown(-2.0));
    for (text, placed) in names.iter().zip(&placed) {
        let Some(placed) = placed else { continue };
        if let Some((from, to)) = placed.leader {
            canvas.line("leader", from, to);
        }
        canvas.text("label", (placed.area.left, placed.area.bottom - 2.5), Anchor::Start, text);
    }
    placed.iter().flatten().count()
}

/// Links in the order of the table, then those that only events name.
fn link_names<'a>(data: &Communication<'a>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for name in data.links.iter().map(|link| link.name).chain(data.events.iter().map(|event| event.link)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn legend(data: &Communication<'_>, width: f64, unnamed: usize) -> Legend {
    let mut entries: Vec<Entry> = Vec::new();
    for (index, name) in link_names(data).iter().enumerate() {
        let count = data.events.iter().filter(|event| event.link == *name).count();
        if count > 0 {
            let class = format!("n{} full", index.min(SERIES.len()));
            let name = if name.is_empty() { "link not said" } else { name };
            let text = format!("{name} {}", quantity::thousands(count as i64));
            entries.push((Swatch::Mark(SHAPES[index % SHAPES.len()], class), text));
        }
    }
    if data.links.iter().any(|link| link.protocol.is_some()) {
        entries.push((Swatch::Line("limit roof".to_owned()), "wire".to_owned()));
        entries.push((Swatch::Line("protocol cache".to_owned()), "after protocol overhead".to_owned()));
    }
    if data.events.iter().any(Event::is_above) {
        entries.push((Swatch::Ring, "above its roof".to_owned()));
    }
    let drawn = data.events.iter().filter(|event| event.bytes.is_some() && event.achieved.is_some()).count();
    for (count, remark) in
        [(unnamed.min(drawn), "not labeled"), (data.events.len() - drawn, "without size or time not drawn")]
    {
        if count > 0 {
            entries.push((Swatch::Nothing, format!("{} {remark}", quantity::thousands(count as i64))));
        }
    }
    let sources: Vec<String> = data
        .links
        .iter()
        .filter(|link| !link.source.is_empty())
        .map(|link| match link.confidence {
            verdict @ ("measured" | "unverified") => format!("{}: {} ({verdict})", link.name, link.source),
            "" => format!("{}: {}", link.name, link.source),
            confidence => format!("{}: {} (confidence {confidence})", link.name, link.source),
        })
        .collect();
    Legend::new(entries, &sources, width)
}

fn described(event: &Event<'_>) -> String {
    let mut lines = vec![event.name.to_owned()];
    let mut facts = vec![event.link.to_owned()];
    facts.extend(event.bytes.map(size));
    facts.extend(event.calls.map(|calls| format!("{calls:.0} calls")));
    facts.extend(event.time.map(quantity::nanoseconds));
    lines.push(facts.join(", "));
    if let Some(achieved) = event.achieved {
        let roof =
            event.roof.map_or_else(String::new, |roof| format!(" of {}", with_unit(roof * 1e9, "B/s")));
        let share = event.utilisation.map_or_else(String::new, |pct| format!(", {}", quantity::percent(pct)));
        lines.push(format!("{}{roof}{share}", with_unit(achieved * 1e9, "B/s")));
    }
    if !event.flag.is_empty() {
        lines.push(event.flag.to_owned());
    }
    lines.join("\n")
}
