//! Answers as text for people: columns side by side, numbers to the right.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::ResultSet;
use crate::result_set::Cell;

/// What stands between columns.
const GAP: usize = 2;
/// No text is cut below this.
const LEAST: usize = 12;

impl ResultSet {
    /// The first rows as a table of at most this width, if texts can be cut to it; 0 rows for all.
    pub fn text(&self, width: usize, most: usize) -> String {
        let most = if most == 0 { usize::MAX } else { most };
        let columns = self.columns();
        let mut rows: Vec<Vec<String>> = Vec::new();
        'rows: for batch in &self.batches {
            for row in 0..batch.num_rows() {
                if rows.len() == most {
                    break 'rows;
                }
                rows.push((0..columns.len()).map(|column| shown(Self::cell(batch, column, row))).collect());
            }
        }
        let mut widths: Vec<usize> = columns.iter().map(|column| column.name.width()).collect();
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        let is_text: Vec<bool> = columns.iter().map(|column| column.kind == "text").collect();
        shrink(&mut widths, &is_text, width);
        let mut text = String::new();
        let names: Vec<String> = columns.iter().map(|column| column.name.to_owned()).collect();
        let lines: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        for row in [&names, &lines].into_iter().chain(&rows) {
            let cells = row.iter().zip(&widths).zip(&is_text);
            let line: Vec<String> = cells.map(|((cell, width), text)| aligned(cell, *width, !text)).collect();
            text.push_str(line.join(&" ".repeat(GAP)).trim_end());
            text.push('\n');
        }
        let left_out = self.rows() - rows.len();
        if left_out > 0 {
            text += &format!("{left_out} more {}\n", if left_out == 1 { "row" } else { "rows" });
        }
        text
    }
}

/// A float to this many digits as people read.
fn shown(cell: Cell<'_>) -> String {
    match cell {
        Cell::Float(value) if value.is_finite() && value.abs() >= 0.001 && value.abs() < 1e15 => {
            let text = format!("{value:.3}");
            let text = text.trim_end_matches('0').trim_end_matches('.');
            text.to_owned()
        }
        // A line of a table is one line.
        Cell::Text(text) => text.replace(['\n', '\r', '\t'], " "),
        cell => cell.text(),
    }
}

/// Cuts the widest texts until all fit.
fn shrink(widths: &mut [usize], is_text: &[bool], width: usize) {
    let total = |widths: &[usize]| widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    while total(widths) > width {
        let widest = (0..widths.len()).filter(|&column| is_text[column]).max_by_key(|&column| widths[column]);
        match widest {
            Some(column) if widths[column] > LEAST => widths[column] -= 1,
            _ => return,
        }
    }
}

fn aligned(cell: &str, width: usize, right: bool) -> String {
    let cell = cut(cell, width);
    let padding = " ".repeat(width.saturating_sub(cell.width()));
    if right { format!("{padding}{cell}") } else { format!("{cell}{padding}") }
}

fn cut(cell: &str, width: usize) -> String {
    const MARK: &str = "...";
    if cell.width() <= width {
        return cell.to_owned();
    }
    let mut kept = String::new();
    let mut used = MARK.len();
    for letter in cell.chars() {
        used += letter.width().unwrap_or(0);
        if used > width {
            break;
        }
        kept.push(letter);
    }
    kept + MARK
}

#[cfg(test)]
mod tests {
    use crate::result_set::tests::sample;

    #[test]
    fn numbers_stand_to_the_right_and_what_is_left_out_is_said() {
        assert_eq!(
            sample().text(80, 0),
            "name    count  share   busy\n------  -----  -----  -----\na, \"b\"      3   0.25   true\n           -1    NaN  false\n"
        );
        assert!(sample().text(80, 1).ends_with("  true\n1 more row\n"));
    }

    #[test]
    fn long_texts_are_cut_and_numbers_are_not() {
        assert_eq!(super::cut("ampere_sgemm", 9), "ampere...");
        let mut widths = [40, 5];
        super::shrink(&mut widths, &[true, false], 30);
        assert_eq!(widths, [23, 5]);
        super::shrink(&mut widths, &[true, false], 3);
        assert_eq!(widths, [super::LEAST, 5]);
    }
}
