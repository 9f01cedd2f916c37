//! A roofline: roofs, points, names, and what else there is to know.

use std::fmt::Write as _;

use eaves_section::{Section, Unit, Value};

use super::communication;
use super::legend::{Entry, Legend, Swatch};
use super::levels;
use super::plot::Plot;
use super::roofs::{self, Roofs};
use super::spots::{Areas, Spot, spots};
use crate::names::shorten_all;
use crate::roofline::Options;
use crate::roofline::canvas::{Anchor, Canvas, Rect, fitting, text_width};
use crate::roofline::colours::{Categories, Fill, Rule};
use crate::roofline::data::{Ceiling, Communication, LEVELS, Place, Point, Roofline, headline};
use crate::roofline::labels::{Surroundings, Wish, place};
use crate::roofline::marks::Shape;
use crate::roofline::scale::{Log, prefixed, ratio};
use eaves_section::quantity;

/// Letters of a name next to a point, of which a narrow plot has fewer.
const NAME_LETTERS: (usize, usize) = (16, 28);
const LABEL: f64 = 10.5;
/// More points are drawn with less around each.
const MANY: usize = 200;
const HEADER: f64 = 46.0;
const AXIS: f64 = 46.0;
/// About the width of the name of a ceiling.
const CEILING_TEXT: f64 = 160.0;
/// Room for numbers along an axis that goes up.
const NUMBERS: f64 = 62.0;
/// Strips for points that have no place in the plot.
const STRIP: f64 = 64.0;
/// The share of the width that communication takes.
const BESIDE: f64 = 0.34;
/// Below this difference bytes moved are as good as bytes needed (as the NPU tools draw it).
const WASTE: f64 = 1.05;

/// Draws a section with its communication next to it; the answer is the rules of its colors.
pub(super) fn draw(
    canvas: &mut Canvas,
    section: &Section,
    data: &Roofline<'_>,
    beside: Option<&Communication<'_>>,
    area: Rect,
    options: &Options,
) -> Vec<Rule> {
    heading(canvas, section, data, area, options);
    let categories = Categories::new(&data.points, options);
    let area = Rect { top: area.top + HEADER, ..area };
    let (main, side) = match beside {
        Some(data) => {
            let split = area.right - area.width() * BESIDE;
            let side = Rect { left: split + 14.0, ..area };
            (
                Rect { right: split - 14.0, ..area },
                Some((side, communication::height_below(data, side.width()))),
            )
        }
        None => (area, None),
    };
    // Both plots end at one height, above the higher of the two legends.
    let (layout, legend) = layout(data, &categories, main, side.map_or(0.0, |(_, height)| height));
    draw_main(canvas, data, &categories, &layout);
    let mut entries_area = layout.plot.area;
    entries_area.top += AXIS + entries_area.height();
    entries_area.left = main.left;
    legend.draw(canvas, entries_area);
    let mut rules = categories.rules();
    if let (Some(data), Some((side, _))) = (beside, side) {
        canvas.text("axis", (side.left + NUMBERS, side.top - 8.0), Anchor::Start, "Communication");
        rules.extend(communication::draw_plot(canvas, data, side, layout.plot.area.bottom));
    }
    rules
}

fn heading(canvas: &mut Canvas, section: &Section, data: &Roofline<'_>, area: Rect, options: &Options) {
    let device = if data.device.is_empty() { "unknown device" } else { data.device };
    let title = match &options.title {
        Some(title) => format!("{title} on {device}"),
        None => format!("Roofline of {device}"),
    };
    canvas.text("strong", (area.left, area.top + 13.0), Anchor::Start, &fitting(&title, 16.0, area.width()));
    let mut facts = vec![quantity::counted(data.points.len(), "point")];
    let fact = |id: &str, unit: Unit, words: &str| {
        let value = headline(section, id).filter(|value| !matches!(value, Value::Missing(_)))?;
        Some(format!("{} {words}", quantity::value(value, unit)))
    };
    facts.extend(fact("time_ns", Unit::Nanoseconds, "in all"));
    facts.extend(fact("assessed_pct", Unit::Percent, "of it has a roof"));
    facts.extend(fact("headroom_ns", Unit::Nanoseconds, "above the best time"));
    let facts = fitting(&facts.join(" · "), 11.0, area.width());
    canvas.text("quiet", (area.left, area.top + 31.0), Anchor::Start, &facts);
}

/// Where everything is.
struct Layout {
    plot: Plot,
    copies: Option<Plot>,
    still: Option<Rect>,
    spots: Vec<Spot>,
    roofs: Roofs,
    names: Vec<Named>,
}

fn layout(data: &Roofline<'_>, categories: &Categories, area: Rect, height_beside: f64) -> (Layout, Legend) {
    let places: Vec<Place> = data.points.iter().map(Point::place).collect();
    let has_copies = places.iter().any(|place| matches!(place, Place::Bandwidth(_)));
    let has_still = places.iter().any(|place| matches!(place, Place::Achieved(_)));
    let used = data.used();
    // How many names find no place is known only when they were placed, which needs the height of the legend; so the
    // legend is laid out with the largest number it can have.
    let legend = |unnamed: usize| {
        Legend::new(entries(data, categories, &places, unnamed), &sources(data), area.width())
    };
    let height = legend(data.points.len()).height().max(height_beside);
    let bottom = (area.bottom - height - AXIS).max(area.top + 120.0);
    let left = area.left + NUMBERS + if has_copies { STRIP + NUMBERS } else { 0.0 };
    let right = area.right - if has_still { STRIP } else { 4.0 };
    let plot_area = Rect { left, top: area.top, right: right.max(left + 120.0), bottom };

    let across = places.iter().zip(&data.points).flat_map(|(place, point)| {
        let own = match place {
            Place::Measured(intensity, _) | Place::AtRoof(intensity, _) => {
                [Some(*intensity), point.ideal_intensity]
            }
            _ => [None, None],
        };
        let levels = point.levels.iter().map(|&(_, intensity)| Some(intensity));
        own.into_iter().chain(levels.filter(|_| point.achieved.is_some_and(|rate| rate > 0.0)))
    });
    let knees = used.iter().filter_map(|ceiling| ceiling.knee);
    let upwards = places.iter().zip(&data.points).filter_map(|(place, point)| match place {
        Place::Measured(_, rate) | Place::AtRoof(_, rate) | Place::Achieved(rate) => Some(*rate),
        Place::Nowhere if !point.levels.is_empty() => point.achieved.filter(|rate| *rate > 0.0),
        _ => None,
    });
    let rates = used.iter().map(|ceiling| ceiling.rate);
    let highest = knees.clone().fold(0.0, f64::max);
    // Right of the last knee there is room for the name of its ceiling, and right of the last point for its own.
    let share = (CEILING_TEXT / plot_area.width()).min(0.5);
    let rightmost = across.clone().flatten().fold(0.0, f64::max);
    let x = Log::fit(across.flatten().chain(knees))
        .with_share_above(highest, share)
        .with_share_above(rightmost, (1.25 * share).min(0.2));
    let y = Log::fit(upwards.chain(rates)).with_room_above(0.12);
    let plot = Plot::new(plot_area, x, y);

    let copies = has_copies.then(|| {
        let bandwidths = places.iter().filter_map(|place| match place {
            Place::Bandwidth(bandwidth) => Some(*bandwidth),
            _ => None,
        });
        let y = Log::fit(bandwidths.chain(data.memory.first().map(|memory| memory.rate)));
        let left = area.left + NUMBERS;
        let area = Rect { left, right: left + STRIP, ..plot_area };
        Plot::new(area, x, y)
    });
    let still = has_still.then_some(Rect { left: plot_area.right + 8.0, right: area.right, ..plot_area });
    let spots = spots(&data.points, &Areas { plot: &plot, copies: copies.as_ref(), still });
    let of_levels = levels::spreads(data, &plot);
    let of_levels = of_levels.iter().flat_map(levels::Spread::marks);
    let marks = spots.iter().map(|spot| (spot.at, spot.radius)).chain(of_levels).collect();
    let roofs = Roofs::new(data, &plot, marks);
    let mut layout = Layout { plot, copies, still, spots, roofs, names: Vec::new() };
    layout.names = named(data, &layout);
    let unnamed = data.points.len() - layout.names.len();
    (layout, legend(unnamed))
}

fn entries(data: &Roofline<'_>, categories: &Categories, places: &[Place], unnamed: usize) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for (index, (name, count)) in categories.names.iter().zip(&categories.counts).enumerate() {
        if *count > 0 {
            let fill = Fill::of(name).class();
            let fill = if fill == "open" && name != "Error" { "full" } else { fill };
            let text = format!("{name} {}", quantity::thousands(*count as i64));
            entries.push((Swatch::Mark(Shape::Circle, format!("c{index} {fill}")), text));
        }
    }
    let has = |shape: Shape| data.points.iter().any(|point| Shape::of(point.symbol) == shape);
    let shapes: Vec<Shape> = Shape::ALL.into_iter().filter(|shape| has(*shape)).collect();
    if shapes.len() > 1 || shapes.iter().any(|shape| *shape != Shape::Circle) {
        for shape in shapes {
            entries.push((Swatch::Mark(shape, "knee".to_owned()), shape.meaning().to_owned()));
        }
    }
    if places.iter().any(|place| matches!(place, Place::AtRoof(..))) {
        entries.push((
            Swatch::Mark(Shape::Circle, "c5 open".to_owned()),
            "no time: drawn at its roof".to_owned(),
        ));
    }
    if let Some(names) = level_names(data) {
        entries.push((
            Swatch::Mark(Shape::Circle, "c5 open level".to_owned()),
            format!("the same by bytes of {names}"),
        ));
    }
    let roofs = data.memory.iter().take(1).chain(data.used());
    if roofs.into_iter().any(Ceiling::is_unverified) {
        entries.push((Swatch::Line("ceiling unverified".to_owned()), "unverified".to_owned()));
    }
    let above = data.points.iter().filter(|point| !point.flag.is_empty()).count();
    if above > 0 {
        entries.push((Swatch::Ring, format!("above its roof {}", quantity::thousands(above as i64))));
    }
    if data.points.iter().any(|point| waste(point).is_some()) {
        entries.push((Swatch::Arrow, "to the intensity without redundant bytes".to_owned()));
    }
    let mut remarks = Vec::new();
    if data.points.iter().any(|point| point.time.is_some()) {
        remarks.push("area: share of the time".to_owned());
    }
    if unnamed > 0 {
        remarks.push(format!("{} not labeled", quantity::thousands(unnamed as i64)));
    }
    let nowhere = places.iter().filter(|place| **place == Place::Nowhere).count();
    if nowhere > 0 {
        remarks.push(format!("{} without time or roof not drawn", quantity::thousands(nowhere as i64)));
    }
    if data.unmodelled > 0 {
        remarks.push(format!("{} without a formula not drawn", quantity::thousands(data.unmodelled as i64)));
    }
    entries.extend(remarks.into_iter().map(|text| (Swatch::Nothing, text)));
    entries
}

/// The levels that points are drawn at besides main memory.
fn level_names(data: &Roofline<'_>) -> Option<String> {
    let drawn = || data.points.iter().filter(|point| point.achieved.is_some_and(|rate| rate > 0.0));
    let has = |name: &str| drawn().any(|point| point.levels.iter().any(|(level, _)| *level == name));
    let names: Vec<&str> = LEVELS.iter().map(|(_, name)| *name).filter(|name| has(name)).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Where the roofs that are drawn come from, each source once.
fn sources(data: &Roofline<'_>) -> Vec<String> {
    let mut sources: Vec<(String, Vec<&str>)> = Vec::new();
    for ceiling in data.memory.iter().chain(data.used()) {
        let source = match (ceiling.source, ceiling.confidence) {
            ("", "") => continue,
            (source, verdict @ ("measured" | "unverified")) => format!("{source} ({verdict})"),
            (source, "") => source.to_owned(),
            (source, confidence) => format!("{source} (confidence {confidence})"),
        };
        match sources.iter_mut().find(|(known, _)| *known == source) {
            Some((_, names)) => names.push(ceiling.name),
            None => sources.push((source, vec![ceiling.name])),
        }
    }
    sources.into_iter().map(|(source, names)| format!("{}: {source}", names.join(", "))).collect()
}

/// The intensity a point would have without needless bytes, if that is worth an arrow.
fn waste(point: &Point<'_>) -> Option<(f64, f64, f64)> {
    let Place::Measured(intensity, achieved) = point.place() else { return None };
    let ideal = point.ideal_intensity.filter(|ideal| *ideal > intensity * WASTE)?;
    Some((intensity, ideal, achieved))
}

/// How many names are tried, so that a picture of many points is not one of names.
fn most_names(points: usize) -> usize {
    match points {
        0..=40 => 40,
        41..=200 => 28,
        _ => 16,
    }
}

/// A name next to a point, or the number of a knee.
struct Named {
    spot: Spot,
    text: String,
    area: Rect,
    leader: Option<((f64, f64), (f64, f64))>,
}

/// The names that found a place: of the points with most time and headroom first.
fn named(data: &Roofline<'_>, layout: &Layout) -> Vec<Named> {
    let weight = |spot: &Spot| {
        let point = &data.points[spot.index];
        point.time.unwrap_or(0.0).max(0.0) + point.headroom.unwrap_or(0.0).max(0.0)
    };
    // A strip is too narrow for names.
    let in_plot =
        |spot: &&Spot| matches!(data.points[spot.index].place(), Place::Measured(..) | Place::AtRoof(..));
    let mut order: Vec<&Spot> = layout.spots.iter().filter(in_plot).collect();
    order.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.index.cmp(&b.index)));
    order.truncate(most_names(data.points.len()));
    let names: Vec<&str> = order.iter().map(|spot| data.points[spot.index].name).collect();
    let letters = (layout.plot.area.width() / 26.0) as usize;
    let names = shorten_all(&names, letters.clamp(NAME_LETTERS.0, NAME_LETTERS.1));
    let wishes: Vec<Wish> = order
        .iter()
        .zip(&names)
        .map(|(spot, name)| Wish { at: spot.at, radius: spot.radius, size: (text_width(name, LABEL), 12.0) })
        .collect();
    let arrows = arrows(data, &layout.plot).into_iter();
    let arrows =
        arrows.map(|(from, to)| Rect { left: from.0, top: from.1 - 3.0, right: to.0, bottom: to.1 + 3.0 });
    let around = Surroundings {
        texts: layout.roofs.texts.iter().copied().chain(arrows).collect(),
        marks: layout
            .spots
            .iter()
            .map(|spot| (spot.at, spot.radius))
            .chain(levels::spreads(data, &layout.plot).iter().flat_map(levels::Spread::marks))
            .collect(),
        lines: layout.roofs.lines.clone(),
        may_cover: match layout.spots.len() {
            0..=150 => 0,
            151..=600 => 3,
            _ => 8,
        },
    };
    let placed = place(&wishes, &around, layout.plot.area.grown(-2.0));
    let named = order.into_iter().zip(names).zip(placed).filter_map(|((spot, text), placed)| {
        let placed = placed?;
        Some(Named { spot: *spot, text, area: placed.area, leader: placed.leader })
    });
    named.collect()
}

fn draw_main(canvas: &mut Canvas, data: &Roofline<'_>, categories: &Categories, layout: &Layout) {
    let counts = data.counts();
    let plot = &layout.plot;
    let (across, upwards) = (plot.x.ticks(44.0, ratio), plot.y.ticks(30.0, |value| prefixed(value * 1e9)));
    plot.grid(canvas, &across, &upwards);
    plot.names(canvas, &format!("Intensity ({counts}/B)"), &format!("Performance ({counts}/s)"), 50.0);
    if let Some(copies) = &layout.copies {
        let ticks = copies.y.ticks(30.0, |value| prefixed(value * 1e9));
        copies.grid(canvas, &[], &ticks);
        let is_uncounted =
            |point: &Point<'_>| matches!(point.place(), Place::Bandwidth(_)) && point.flops.is_none();
        let name = match data.points.iter().any(is_uncounted) {
            true => "none counted",
            false => "no arithmetic",
        };
        copies.names(canvas, name, "Bandwidth (B/s)", 50.0);
        if let Some(memory) = data.memory.first() {
            let y = copies.y.at(memory.rate);
            canvas.line("roof", (copies.area.left, y), (copies.area.right, y));
            let name = fitting(memory.name, LABEL, STRIP - 8.0);
            canvas.text("along", (copies.area.left + 4.0, y - 4.0), Anchor::Start, &name);
        }
    }
    if let Some(still) = layout.still {
        canvas.rectangle("band", still);
        let middle = (still.left + still.right) / 2.0;
        canvas.text("quiet", (middle, still.bottom + 16.0), Anchor::Middle, "∞");
        canvas.text("axis", (middle, still.bottom + 35.0), Anchor::Middle, "no bytes");
    }
    layout.roofs.draw(canvas);
    for (from, to) in arrows(data, plot) {
        canvas.line("arrow", from, to);
        canvas.path("arrow head", &format!("M{:.1} {:.1}l5 3l-5 3", to.0 - 5.0, to.1 - 3.0));
    }
    levels::draw(canvas, &levels::spreads(data, plot), categories, plot, counts);
    let opacity = match layout.spots.len() {
        0..=60 => 0.92,
        61..=400 => 0.75,
        _ => 0.5,
    };
    writeln!(canvas.body, "<g opacity=\"1\" fill-opacity=\"{opacity}\" stroke-opacity=\"{opacity}\">").ok();
    for spot in &layout.spots {
        let point = &data.points[spot.index];
        let fill = if spot.measured { Fill::of(point.status) } else { Fill::Open };
        let path = Shape::of(point.symbol).path(spot.at, spot.radius);
        let category = categories.of.get(spot.index).copied().unwrap_or(0);
        canvas.mark(&format!("c{category} {}", fill.class()), &path, || described(point, counts));
    }
    canvas.body.push_str("</g>\n");
    let many = layout.spots.len() > MANY;
    let (ring, gap) = if many { ("ring thin", 1.8) } else { ("ring", 3.5) };
    for spot in layout.spots.iter().filter(|spot| !data.points[spot.index].flag.is_empty()) {
        canvas.path(ring, &Shape::Circle.path(spot.at, spot.radius + gap));
    }
    roofs::draw_texts(canvas, &layout.roofs);
    let names = &layout.names;
    // Among many, those with a name are to be found.
    for name in names.iter().filter(|_| many) {
        let shape = Shape::of(data.points[name.spot.index].symbol);
        canvas.path("outline", &shape.path(name.spot.at, name.spot.radius + 0.8));
    }
    for (from, to) in names.iter().filter_map(|name| name.leader) {
        canvas.line("leader", from, to);
    }
    for name in names {
        canvas.text("label", (name.area.left, name.area.bottom - 2.5), Anchor::Start, &name.text);
    }
}

/// From what was moved to what had to be, for as many as can be distinguished.
fn arrows(data: &Roofline<'_>, plot: &Plot) -> Vec<((f64, f64), (f64, f64))> {
    let most = if data.points.len() > MANY { 6 } else { 40 };
    let mut wasteful: Vec<(&Point<'_>, (f64, f64, f64))> =
        data.points.iter().filter_map(|point| Some((point, waste(point)?))).collect();
    wasteful.sort_by(|a, b| b.0.time.unwrap_or(0.0).total_cmp(&a.0.time.unwrap_or(0.0)));
    let ends = |(_, (intensity, ideal, achieved)): (_, (f64, f64, f64))| {
        (plot.at(intensity, achieved), plot.at(ideal, achieved))
    };
    wasteful.into_iter().take(most).map(ends).collect()
}

/// What is known of a point, in lines.
fn described(point: &Point<'_>, counts: &str) -> String {
    let mut lines = vec![point.name.to_owned()];
    let what: Vec<&str> =
        [point.kind, point.dtype, point.status].into_iter().filter(|text| !text.is_empty()).collect();
    lines.push(what.join(", "));
    let mut facts = Vec::new();
    if let Some(time) = point.time {
        let calls = point.calls.map_or_else(String::new, |calls| format!(" in {calls:.0} calls"));
        facts.push(format!("{}{calls}", quantity::nanoseconds(time)));
    }
    facts.extend(point.intensity.map(|intensity| format!("{} {counts}/B", ratio(intensity))));
    let rate = |rate: f64| crate::roofline::scale::with_unit(rate * 1e9, &format!("{counts}/s"));
    facts.extend(point.achieved.map(|achieved| {
        format!("{} of {}", rate(achieved), point.roof.map_or_else(|| "?".to_owned(), rate))
    }));
    facts.extend(point.pct.map(|pct| format!("{} of the roof", quantity::percent(pct))));
    if !point.bound_by.is_empty() {
        facts.push(format!("bound by {}", point.bound_by));
    }
    lines.push(facts.join(", "));
    if !point.flag.is_empty() {
        lines.push(format!("above its roof: {}", point.flag));
    }
    lines.join("\n")
}
