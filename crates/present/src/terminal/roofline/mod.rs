//! Rooflines in characters: roofs as fine dots, points as letters that the table repeats. No color is needed.

mod chart;
mod points;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use anstyle::Style;
use eaves_section::Section;

use self::chart::Chart;
pub(super) use self::points::points;
use super::INDENT;
use super::palette::{COMMUNICATION, COMPUTE, HEADING, MEMORY, QUIET, WORSE, paint};
use super::wrap::hang;
use crate::roofline::data::{Communication, Place, Point, Roofline};
use crate::roofline::scale::{Log, Tick, prefixed, ratio, size, with_unit};
use crate::roofline::series::{self, Sweep};
use eaves_section::quantity;

/// The charts of some sections; nothing for sections without one.
pub(crate) fn charts(sections: &[&Section], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for section in sections {
        let roofline = Roofline::of(section).map(|data| roofline(&data, width));
        let links = || Communication::of(section).map(|data| communication(&data, width));
        let sweep = || Sweep::of(section).map(|sweep| self::sweep(&sweep, width));
        let more = roofline.or_else(links).or_else(sweep).unwrap_or_default();
        if !lines.is_empty() && !more.is_empty() {
            lines.push(String::new());
        }
        lines.extend(more);
    }
    lines
}

/// A text without the colors of terminals.
pub(crate) fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
    }
    plain
}

/// Letters by the place of what they stand for: the most time first.
fn letters(times: impl Iterator<Item = (usize, f64)>) -> BTreeMap<usize, char> {
    let mut order: Vec<(usize, f64)> = times.collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    order.into_iter().map(|(index, _)| index).zip(LETTERS.chars()).collect()
}

const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Letters of the points that the chart shows.
fn letters_of(points: &[Point<'_>]) -> BTreeMap<usize, char> {
    let drawn = points.iter().enumerate();
    let drawn = drawn
        .filter(|(_, point)| matches!(point.place(), Place::Measured(..) | Place::AtRoof(..)))
        .map(|(index, point)| (index, point.time.unwrap_or(0.0)));
    letters(drawn)
}

/// Puts what has no letter below what has one, and the most time on top.
fn put_all(chart: &mut Chart, places: &[(usize, f64, f64)], letters: &BTreeMap<usize, char>) {
    let rank = |index: usize| letters.get(&index).and_then(|letter| LETTERS.find(*letter));
    let mut order: Vec<&(usize, f64, f64)> = places.iter().collect();
    order.sort_by_key(|place| Reverse(rank(place.0).unwrap_or(usize::MAX)));
    for &&(index, x, y) in &order {
        chart.put(x, y, letters.get(&index).copied().unwrap_or('•'), index);
    }
}

fn roofline(data: &Roofline<'_>, width: usize) -> Vec<String> {
    let place = |(index, point): (usize, &Point<'_>)| match point.place() {
        Place::Measured(x, y) | Place::AtRoof(x, y) => Some((index, x, y)),
        _ => None,
    };
    let places: Vec<(usize, f64, f64)> = data.points.iter().enumerate().filter_map(place).collect();
    let (used, counts, letters) = (data.used(), data.counts(), letters_of(&data.points));
    if places.is_empty() && used.is_empty() {
        return Vec::new();
    }
    let knees = used.iter().filter_map(|ceiling| ceiling.knee);
    let x = Log::fit(places.iter().map(|place| place.1).chain(knees));
    let y = Log::fit(places.iter().map(|place| place.2).chain(used.iter().map(|ceiling| ceiling.rate)))
        .with_room_above(0.2);
    let mut chart = Chart::new(x, y, width, |rate| prefixed(rate * 1e9));
    let highest = used.iter().map(|ceiling| ceiling.rate).fold(f64::NEG_INFINITY, f64::max);
    let highest = if used.is_empty() { f64::INFINITY } else { highest };
    for (index, memory) in data.memory.iter().enumerate() {
        let rate = |intensity: f64| Some(intensity * memory.rate).filter(|rate| *rate <= highest);
        chart.curve(index > 0, rate);
    }
    let main = data.memory.first().map_or(f64::INFINITY, |memory| memory.rate);
    for ceiling in &used {
        chart.curve(false, |intensity| (intensity * main >= ceiling.rate).then_some(ceiling.rate));
    }
    put_all(&mut chart, &places, &letters);
    for ceiling in &used {
        let rate = with_unit(ceiling.rate * 1e9, &format!("{counts}/s"));
        chart.write_beside(ceiling.rate, &format!("{} {rate}", ceiling.name));
    }
    let style = |index: usize| data.points.get(index).map_or(HEADING, status_style);
    let slopes: Vec<String> = data
        .memory
        .iter()
        .map(|memory| format!("{} {}", memory.name, with_unit(memory.rate * 1e9, "B/s")))
        .collect();
    let heading = format!("{counts}/s over {counts}/B on {}; rising: {}", data.device, slopes.join(", "));
    let across = chart.x.ticks(18.0, ratio);
    let mut lines = framed(&chart, &heading, width, style, &across);
    let mut notes = Vec::new();
    let unlettered = places.len() - letters.len();
    if unlettered > 0 {
        notes.push(format!("• {} of less time", quantity::counted(unlettered, "point")));
    }
    let copies = data.points.iter().filter(|point| matches!(point.place(), Place::Bandwidth(_))).count();
    let others = data.points.len() - places.len() - copies;
    for (count, what) in [(copies, "no arithmetic"), (others, "no bytes, time or roof")] {
        if count > 0 {
            notes.push(format!("not drawn: {} with {what}", quantity::thousands(count as i64)));
        }
    }
    push_note(&mut lines, &notes, width);
    lines
}

/// The color repeats what the table says of a point.
fn status_style(point: &Point<'_>) -> Style {
    match point.status {
        _ if !point.flag.is_empty() => COMMUNICATION,
        "Compute Bound" => COMPUTE,
        "Memory Bound" => MEMORY,
        "Compute Inefficient" | "Memory Inefficient" => WORSE,
        _ => HEADING,
    }
}

fn communication(data: &Communication<'_>, width: usize) -> Vec<String> {
    let places: Vec<(usize, f64, f64)> = data
        .events
        .iter()
        .enumerate()
        .filter_map(|(index, event)| Some((index, event.bytes?, event.achieved?)))
        .collect();
    if places.is_empty() {
        return Vec::new();
    }
    let roofs = data.links.iter().map(|link| link.total);
    let x = Log::fit(places.iter().map(|place| place.1));
    let y = Log::fit(places.iter().map(|place| place.2).chain(roofs)).with_room_above(0.2);
    let mut chart = Chart::new(x, y, width, |rate| prefixed(rate * 1e9));
    for link in &data.links {
        chart.curve(false, |_| Some(link.total));
        if let Some(protocol) = link.protocol {
            chart.curve(true, |_| Some(protocol));
        }
    }
    let times = data.events.iter().map(|event| event.time.unwrap_or(0.0));
    let drawn = places.iter().map(|place| place.0);
    let letters = letters(drawn.filter_map(|index| Some((index, times.clone().nth(index)?))));
    put_all(&mut chart, &places, &letters);
    for link in &data.links {
        chart.write_beside(link.total, &format!("{} {}", link.name, with_unit(link.total * 1e9, "B/s")));
    }
    let across = chart.x.binary_ticks(20.0);
    let heading = "bandwidth in B/s over message size; dashed: after protocol overhead";
    let style = |index: usize| match data.events.get(index) {
        Some(event) if event.is_above() => WORSE,
        _ => COMMUNICATION,
    };
    let mut lines = framed(&chart, heading, width, style, &across);
    let shown = letters.iter().filter_map(|(index, letter)| Some((letter, data.events.get(*index)?)));
    let mut shown: Vec<_> = shown.collect();
    shown.sort_by_key(|(letter, _)| LETTERS.find(**letter));
    const MOST: usize = 8;
    let mut notes: Vec<String> = shown
        .iter()
        .take(MOST)
        .map(|(letter, event)| {
            format!("{letter}\u{a0}{} {}", event.name, event.bytes.map_or_else(String::new, size))
        })
        .collect();
    if places.len() > MOST {
        notes.push(format!("{} in all", quantity::counted(places.len(), "event")));
    }
    push_note(&mut lines, &notes, width);
    lines
}

fn sweep(sweep: &Sweep, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for chart in &sweep.charts {
        let places = || chart.series.iter().flat_map(|series| &series.places);
        let (x, y) = (Log::fit(places().map(|place| place.0)), Log::fit(places().map(|place| place.1)));
        let mut drawn = Chart::new(x, y, width, |value| series::label(value, chart.unit));
        let mut names = Vec::new();
        for ((index, series), letter) in chart.series.iter().enumerate().zip(LETTERS.chars().cycle()) {
            for &(x, y) in &series.places {
                drawn.put(x, y, letter, index);
            }
            for pair in series.places.windows(2) {
                drawn.segment(pair[0], pair[1]);
            }
            names.push(format!("{letter}\u{a0}{}", series.name));
        }
        if !lines.is_empty() {
            lines.push(String::new());
        }
        let heading = format!("{} over {}", chart.title, sweep.parameter);
        let across = drawn.x.ticks(18.0, |value| series::label(value, sweep.unit));
        lines.extend(framed(&drawn, &heading, width, |_| HEADING, &across));
        push_note(&mut lines, &names, width);
    }
    lines
}

fn push_note(lines: &mut Vec<String>, notes: &[String], width: usize) {
    if !notes.is_empty() {
        let note = hang(&notes.join(", "), INDENT, width);
        lines.push(format!("{}{}", " ".repeat(INDENT), paint(QUIET, note)));
    }
}

/// A chart with its heading and axes.
fn framed(
    chart: &Chart,
    heading: &str,
    width: usize,
    style: impl Fn(usize) -> Style,
    across: &[Tick],
) -> Vec<String> {
    let heading = hang(heading, INDENT, width);
    let mut lines = vec![format!("{}{}", " ".repeat(INDENT), paint(QUIET, heading))];
    lines.extend(chart.lines(style, across));
    lines
}
