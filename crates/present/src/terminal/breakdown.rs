//! The temporal breakdown as one stacked bar per rank.

use anstyle::Style;
use eaves_section::{Chart, Section, Table, Unit, Value};

use super::grid::{Grid, GridColumn};
use super::palette::{COMMUNICATION, COMPUTE, MEMORY, QUIET, paint};
use super::wrap::padding;
use super::{INDENT, Options};
use eaves_section::quantity;

/// Parts of the span, in the order they are stacked; each has its own character, so no color is needed.
pub(crate) const PARTS: [Part; 4] = [
    Part { column: "compute_pct", label: "compute", mark: '█', style: COMPUTE },
    Part { column: "exposed_comm_pct", label: "exposed communication", mark: '▞', style: COMMUNICATION },
    Part { column: "exposed_memory_pct", label: "exposed memory", mark: '▒', style: MEMORY },
    Part { column: "idle_pct", label: "idle", mark: '·', style: QUIET },
];

pub(crate) struct Part {
    column: &'static str,
    pub(crate) label: &'static str,
    mark: char,
    style: Style,
}

/// The bars and the numbers below them; nothing for a table that is not drawn as bars.
pub(super) fn lines(section: &Section, table: &Table, options: &Options) -> Option<Vec<String>> {
    if !is_drawn(section, table) {
        return None;
    }
    let shown = options.rows(table.rows.len());
    let mut lines = bars(table, shown, options);
    lines.push(String::new());
    lines.extend(legend(table, shown, options));
    Some(lines)
}

/// The bars of the first ranks, and one line that says what the marks mean.
pub(super) fn bars_with_legend(table: &Table, most: usize, options: &Options) -> Vec<String> {
    let shown = table.rows.len().min(most);
    let space = " ".repeat(INDENT);
    let mut lines = bars(table, shown, options);
    if shown < table.rows.len() {
        let more = quantity::counted(table.rows.len() - shown, "more rank");
        lines.push(paint(QUIET, format!("{space}… {more}; --full shows them")));
    }
    let mark = |part: &Part| format!("{} {}", paint(part.style, part.mark), part.label);
    lines.push(format!("{space}{}", PARTS.each_ref().map(mark).join("   ")));
    lines
}

/// One bar per rank, of as many ranks as are shown.
fn bars(table: &Table, shown: usize, options: &Options) -> Vec<String> {
    let rows = &table.rows[..shown];
    let names: Vec<String> = rows.iter().map(|row| row_name(table, row)).collect();
    let name_width = names.iter().map(String::len).max().unwrap_or(0);
    let width = options.width.saturating_sub(INDENT + name_width + 2);
    let line = |(row, name): (&Vec<Value>, &String)| {
        let bar = bar(&shares(table, row), width);
        format!("{}{name}{}  {bar}", " ".repeat(INDENT), padding(name, name_width))
    };
    rows.iter().zip(&names).map(line).collect()
}

/// True for a table whose rows are drawn as bars.
pub(crate) fn is_drawn(section: &Section, table: &Table) -> bool {
    section.charts.contains(&Chart::Breakdown { bars: table.id })
}

fn index(table: &Table, column: &str) -> Option<usize> {
    table.columns.iter().position(|known| known.id == column)
}

/// What a bar is called: the rank.
pub(crate) fn row_name(table: &Table, row: &[Value]) -> String {
    let rank = index(table, "rank").and_then(|index| row.get(index));
    rank.map_or_else(String::new, |rank| format!("rank {}", quantity::value(rank, Unit::None)))
}

/// The parts of a row in percent, in the order of [`PARTS`].
pub(crate) fn shares(table: &Table, row: &[Value]) -> [f64; PARTS.len()] {
    PARTS.map(|part| match index(table, part.column).and_then(|index| row.get(index)) {
        Some(Value::Float(share)) if share.is_finite() => share.max(0.0),
        Some(Value::Integer(share)) => (*share).max(0) as f64,
        _ => 0.0,
    })
}

/// A bar in which every part that exists is to be seen.
fn bar(shares: &[f64], width: usize) -> String {
    let cells = cells(shares, width);
    let parts = PARTS.iter().zip(cells);
    parts.map(|(part, count)| paint(part.style, part.mark.to_string().repeat(count))).collect()
}

/// The length of each part. What is left by rounding down goes to the largest remainders; a part that is not
/// zero gets a cell even if its share is less.
fn cells(shares: &[f64], width: usize) -> Vec<usize> {
    let exact: Vec<f64> = shares.iter().map(|share| share.clamp(0.0, 100.0) / 100.0 * width as f64).collect();
    let mut cells: Vec<usize> =
        exact.iter().map(|&exact| if exact > 0.0 { (exact as usize).max(1) } else { 0 }).collect();
    let wanted = (exact.iter().sum::<f64>().round() as usize).min(width);
    let error = |cells: &[usize], index: usize| exact[index] - cells[index] as f64;
    while cells.iter().sum::<usize>() < wanted {
        let indices = 0..cells.len();
        let Some(most) = indices.max_by(|&a, &b| error(&cells, a).total_cmp(&error(&cells, b))) else {
            break;
        };
        cells[most] += 1;
    }
    while cells.iter().sum::<usize>() > wanted {
        let able = (0..cells.len()).filter(|&index| cells[index] > 1);
        let Some(most) = able.min_by(|&a, &b| error(&cells, a).total_cmp(&error(&cells, b))) else { break };
        cells[most] -= 1;
    }
    cells
}

/// The percentages, with the marks of the bars in the headings.
fn legend(table: &Table, shown: usize, options: &Options) -> Vec<String> {
    let mut grid = Grid::default();
    let text = |column: &str, unit: Unit| -> Option<Vec<String>> {
        let index = index(table, column)?;
        let cell =
            |row: &Vec<Value>| row.get(index).map_or_else(String::new, |value| quantity::value(value, unit));
        Some(table.rows[..shown].iter().map(cell).collect())
    };
    let mut push = |heading: String, column: &str, unit: Unit, importance: Option<u32>| {
        let cells = text(column, unit).unwrap_or_default();
        grid.columns.push(GridColumn::of_numbers(heading, cells, importance));
    };
    push("Rank".to_owned(), "rank", Unit::None, None);
    push("GPU span".to_owned(), "span_ns", Unit::Nanoseconds, Some(0));
    for part in &PARTS {
        push(format!("{}\u{a0}{}", part.mark, part.label), part.column, Unit::Percent, None);
    }
    grid.fit(options.width.saturating_sub(INDENT));
    let mut lines = grid.lines(INDENT);
    if let Some(note) = super::table::rows_note(table, shown) {
        lines.push(paint(QUIET, format!("{}{note}; --top 0 shows all", " ".repeat(INDENT))));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_whole() {
        assert_eq!(cells(&[50.0, 25.0, 25.0, 0.0], 40), [20, 10, 10, 0]);
        assert_eq!(cells(&[33.3, 33.3, 33.4, 0.0], 10), [3, 3, 4, 0]);
        assert_eq!(cells(&[99.9, 0.0, 0.05, 0.05], 10), [8, 0, 1, 1]);
        assert_eq!(cells(&[0.0, 0.0, 0.0, 0.0], 10), [0, 0, 0, 0]);
        assert_eq!(cells(&[1e9, 0.0, 0.0, 0.0], 10), [10, 0, 0, 0]);
    }
}
