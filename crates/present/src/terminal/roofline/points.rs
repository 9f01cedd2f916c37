//! The points of a roofline as a table: the most time first, with a bar of how near the roof each is.

use anstyle::Style;
use eaves_section::{Chart, Section, Table};
use unicode_width::UnicodeWidthStr;

use super::{letters_of, status_style};
use crate::names::{shorten, shorten_all};
use crate::roofline::data::{LEVELS, Point, Roofline};
use crate::roofline::scale::{prefixed, ratio};
use crate::terminal::palette::{QUIET, paint};
use crate::terminal::wrap::{hang, padding};
use crate::terminal::{INDENT, Options};
use eaves_section::quantity;

const OF_ROOF: &str = "Of roof";
/// Characters of the bar.
const BAR: usize = 4;
/// A name shorter than this says too little; columns that the chart or the page also has make room.
const LEAST_NAME: usize = 18;
/// What bounds a point may take.
const MOST_BOUND: usize = 12;

/// A column in the making.
struct Column {
    heading: String,
    cells: Vec<String>,
    right: bool,
    /// Lower goes first where there is no room.
    importance: usize,
}

impl Column {
    fn width(&self) -> usize {
        self.cells.iter().map(|cell| cell.width()).chain([self.heading.width()]).max().unwrap_or(0)
    }
}

/// The table of points, or nothing for any other table.
pub(crate) fn points(section: &Section, table: &Table, options: &Options) -> Option<Vec<String>> {
    let is_of = |chart: &Chart| matches!(chart, Chart::Roofline { points, .. } if *points == table.id);
    if table.rows.is_empty() || !section.charts.iter().any(is_of) {
        return None;
    }
    let data = Roofline::of(section)?;
    let letters = letters_of(&data.points);
    let mut order: Vec<usize> = (0..data.points.len()).collect();
    let time = |index: usize| data.points[index].time.unwrap_or(f64::NEG_INFINITY);
    order.sort_by(|a, b| time(*b).total_cmp(&time(*a)).then(a.cmp(b)));
    let shown = options.rows(order.len());
    let rows: Vec<(usize, &Point<'_>)> =
        order[..shown].iter().map(|&index| (index, &data.points[index])).collect();
    let of_all = |cell: &dyn Fn(&Point<'_>) -> String| rows.iter().map(|(_, point)| cell(point)).collect();
    let missing = || quantity::MISSING.to_owned();
    let counts = data.counts();
    let right = |heading: &str, importance, cells| Column {
        heading: heading.to_owned(),
        cells,
        right: true,
        importance,
    };
    let mut columns = vec![
        right("Calls", 1, of_all(&|point| point.calls.map_or_else(missing, short))),
        right("Time", 6, of_all(&|point| point.time.map_or_else(missing, quantity::nanoseconds))),
        right(&format!("{counts}/B"), 3, of_all(&|point| point.intensity.map_or_else(missing, ratio))),
        right(
            &format!("{counts}/s"),
            2,
            of_all(&|point| point.achieved.map_or_else(missing, |rate| prefixed(rate * 1e9))),
        ),
        Column { heading: OF_ROOF.to_owned(), cells: of_all(&of_roof), right: false, importance: 5 },
        Column { heading: "Bound by".to_owned(), cells: of_all(&bound_by), right: false, importance: 4 },
    ];
    for (_, level) in LEVELS {
        let intensity =
            |point: &Point<'_>| point.levels.iter().find(|(name, _)| *name == level).map(|&(_, own)| own);
        if data.points.iter().any(|point| intensity(point).is_some()) {
            let cells = of_all(&|point| intensity(point).map_or_else(missing, ratio));
            columns.insert(3, right(&format!("{level} {counts}/B"), 0, cells));
        }
    }
    let width = options.width.saturating_sub(INDENT);
    let (gap, letter) = (if options.width >= 100 { 2 } else { 1 }, 2);
    let room = |columns: &[Column]| {
        width.saturating_sub(letter + columns.iter().map(|column| column.width() + gap).sum::<usize>())
    };
    let mut left_out = Vec::new();
    while room(&columns) < LEAST_NAME
        && let Some(least) = (0..columns.len()).min_by_key(|index| columns[*index].importance)
    {
        left_out.push(columns.remove(least).heading);
    }
    let names: Vec<&str> = rows.iter().map(|(_, point)| point.name).collect();
    let names = shorten_all(&names, room(&columns).max(LEAST_NAME.min(width)));
    let name_width = names.iter().map(|name| name.width()).chain([4]).max().unwrap_or(4);

    let indent = " ".repeat(INDENT);
    let headings = columns.iter().map(|column| (column.heading.clone(), column, None));
    let mut lines = vec![paint(QUIET, format!("{indent}  {}", line("Name", name_width, headings, gap)))];
    for (row, (name, (index, point))) in names.iter().zip(&rows).enumerate() {
        let letter = letters.get(index).copied().unwrap_or(' ');
        let cells = columns.iter().map(|column| {
            let style = (column.heading == OF_ROOF).then(|| status_style(point));
            (column.cells[row].clone(), column, style)
        });
        lines.push(format!("{indent}{letter} {}", line(name, name_width, cells, gap)));
        let is_same = |other: &&(usize, &Point<'_>)| other.1.name == point.name;
        if rows.iter().filter(is_same).count() > 1 && !point.record.is_empty() {
            let record = shorten(point.record, width.saturating_sub(4));
            lines.push(format!("{indent}    {}", paint(QUIET, record)));
        }
    }
    let mut notes = Vec::new();
    if shown < order.len() {
        let hidden = order.len() - shown;
        notes
            .push(format!("… {} with less time; --top 0 shows all", quantity::counted(hidden, "more point")));
    }
    if !left_out.is_empty() {
        notes.push(format!("columns hidden at this width: {}", left_out.join(", ")));
    }
    let mut causes: Vec<&str> =
        rows.iter().map(|(_, point)| point.flag).filter(|flag| !flag.is_empty()).collect();
    causes.sort_unstable();
    causes.dedup();
    notes.extend(causes.iter().map(|cause| format!("! above its roof: {cause}")));
    lines.extend(notes.iter().map(|note| {
        format!("{}{}", " ".repeat(INDENT), paint(QUIET, hang(note, INDENT + 2, options.width)))
    }));
    Some(lines)
}

fn line<'a>(
    name: &str,
    name_width: usize,
    cells: impl Iterator<Item = (String, &'a Column, Option<Style>)>,
    gap: usize,
) -> String {
    let mut line = format!("{name}{}", padding(name, name_width));
    for (text, column, style) in cells {
        line.push_str(&" ".repeat(gap));
        let space = padding(&text, column.width());
        let text = style.map_or_else(|| text.clone(), |style| paint(style, &text));
        let (before, after) = if column.right { (space.as_str(), "") } else { ("", space.as_str()) };
        line.push_str(&format!("{before}{text}{after}"));
    }
    line.trim_end().to_owned()
}

/// A count in four characters: `950`, `12k`.
fn short(count: f64) -> String {
    prefixed(count).replace(' ', "")
}

/// A bar and the percentage; a point above its roof has a mark behind it.
fn of_roof(point: &Point<'_>) -> String {
    let Some(pct) = point.pct else { return quantity::MISSING.to_owned() };
    const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let eighths = (pct.clamp(0.0, 100.0) / 100.0 * (8 * BAR) as f64).round() as usize;
    // Something is never drawn as nothing.
    let eighths = if pct > 0.0 { eighths.max(1) } else { 0 };
    let mut bar = "█".repeat(eighths / 8);
    if eighths % 8 > 0 {
        bar.push(EIGHTHS[eighths % 8]);
    }
    let mark = if point.flag.is_empty() { "" } else { "!" };
    let number = if pct >= 9.95 { format!("{pct:.0}%") } else { format!("{pct:.1}%") };
    format!("{bar}{} {number:>4}{mark}", padding(&bar, BAR))
}

fn bound_by(point: &Point<'_>) -> String {
    if point.bound_by.is_empty() { quantity::MISSING.to_owned() } else { shorten(point.bound_by, MOST_BOUND) }
}
