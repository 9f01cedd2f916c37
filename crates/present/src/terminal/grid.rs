//! Columns of text that share the width of the terminal.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::palette::{QUIET, paint};
use super::wrap::{padding, wrap};
use crate::names::shorten_all;

const GAP: usize = 2;
/// A name shorter than this says too little; other columns make room for it.
const LEAST_NAME_WIDTH: usize = 34;
/// A column narrower than this may get wider for the sake of its heading.
const HEADING_WIDTH: usize = 8;

/// A column of a grid.
pub(super) struct GridColumn {
    pub(super) heading: String,
    pub(super) cells: Vec<String>,
    /// Numbers stand to the right.
    pub(super) right: bool,
    /// Sentences, which are wrapped and not cut.
    pub(super) prose: bool,
    /// The least important column is skipped first; one without importance always stays.
    pub(super) importance: Option<u32>,
    /// Never skipped silently: what has no room next to the others stands below its row.
    pub(super) is_main: bool,
    /// Colors of the cells; none without.
    pub(super) styles: Vec<Option<Style>>,
}

impl GridColumn {
    /// A column of numbers.
    pub(super) fn of_numbers(heading: String, cells: Vec<String>, importance: Option<u32>) -> Self {
        Self { heading, cells, right: true, prose: false, importance, is_main: false, styles: Vec::new() }
    }

    fn cell_width(&self) -> usize {
        self.cells.iter().flat_map(|cell| cell.lines()).map(|line| line.width()).max().unwrap_or(0)
    }

    /// The heading in lines as narrow as the cells allow.
    fn heading_lines(&self) -> Vec<String> {
        let longest_word = self.heading.split(' ').map(|word| word.width()).max().unwrap_or(0);
        wrap(&self.heading, longest_word.max(self.cell_width()).max(HEADING_WIDTH))
    }

    /// True if every cell is the same.
    pub(super) fn is_constant(&self) -> bool {
        self.cells.windows(2).all(|pair| pair[0] == pair[1])
    }

    fn natural_width(&self) -> usize {
        let heading = self.heading_lines().iter().map(|line| line.width()).max().unwrap_or(0);
        heading.max(self.cell_width())
    }

    /// The least width in a grid of this width.
    fn least_width(&self, width: usize) -> usize {
        let natural = self.natural_width();
        // On a narrow terminal a name may not take everything.
        if self.right { natural } else { natural.min(LEAST_NAME_WIDTH).min(width * 9 / 20) }
    }
}

/// Columns of the same length.
#[derive(Default)]
pub(super) struct Grid {
    pub(super) columns: Vec<GridColumn>,
    /// What stands below each row, if anything does.
    pub(super) below: Vec<String>,
}

impl Grid {
    /// Skips what does not fit, then shortens names; the answer is the columns skipped, from left to right.
    pub(super) fn fit(&mut self, width: usize) -> Vec<GridColumn> {
        let mut left_out = Vec::new();
        let mut kept: Vec<(usize, GridColumn)> =
            std::mem::take(&mut self.columns).into_iter().enumerate().collect();
        while total(kept.iter().map(|(_, column)| column.least_width(width))) > width {
            // What is the same in every row can be said below the table.
            let able = kept.iter().enumerate().filter_map(|(at, (_, column))| {
                let varies = column.cells.len() < 2 || !column.is_constant();
                Some((varies, column.importance?, at))
            });
            let Some((.., at)) = able.min() else { break };
            left_out.push(kept.remove(at));
        }
        self.columns = kept.into_iter().map(|(_, column)| column).collect();
        self.shorten(width);
        left_out.sort_by_key(|&(position, _)| position);
        left_out.into_iter().map(|(_, column)| column).collect()
    }

    /// Rows as columns: the headings become the first column, the first column the headings.
    pub(super) fn turned(self) -> Self {
        let rows = self.columns.iter().map(|column| column.cells.len()).max().unwrap_or(0);
        // One record named by a text is a list of facts, of which the name is the first.
        let is_list = rows == 1 && self.columns.first().is_some_and(|first| !first.right);
        let skipped = usize::from(!is_list);
        let heading = |row: usize| self.columns.first().and_then(|column| column.cells.get(row)).cloned();
        let mut columns = vec![GridColumn {
            heading: self
                .columns
                .first()
                .filter(|_| !is_list)
                .map_or_else(String::new, |column| column.heading.clone()),
            cells: self.columns.iter().skip(skipped).map(|column| column.heading.clone()).collect(),
            right: false,
            prose: false,
            importance: None,
            is_main: false,
            styles: Vec::new(),
        }];
        for row in 0..rows {
            let cells = self.columns.iter().skip(skipped);
            let cells = cells.map(|column| column.cells.get(row).cloned().unwrap_or_default());
            columns.push(GridColumn {
                heading: heading(row).filter(|_| !is_list).unwrap_or_default(),
                cells: cells.map(|cell| cell.trim().to_owned()).collect(),
                right: false,
                prose: false,
                importance: None,
                is_main: false,
                styles: Vec::new(),
            });
        }
        Self { columns, below: Vec::new() }
    }

    /// Makes texts shorter until everything fits.
    fn shorten(&mut self, width: usize) {
        // The widest gives first, so that two names share the room.
        let mut widths: Vec<usize> = self.columns.iter().map(GridColumn::natural_width).collect();
        while total(widths.iter().copied()) > width {
            let able =
                (0..widths.len()).filter(|&index| !self.columns[index].right && widths[index] > width / 4);
            let Some(widest) = able.max_by_key(|&index| widths[index]) else { break };
            widths[widest] -= 1;
        }
        for (column, width) in self.columns.iter_mut().zip(widths) {
            if column.cell_width() <= width {
                continue;
            }
            if column.prose {
                column.cells = column.cells.iter().map(|cell| wrap(cell, width).join("\n")).collect();
            } else {
                let cells: Vec<&str> = column.cells.iter().map(String::as_str).collect();
                column.cells = shorten_all(&cells, width);
            }
        }
    }

    /// The lines: headings, then rows.
    pub(super) fn lines(&self, indent: usize) -> Vec<String> {
        let widths: Vec<usize> = self.columns.iter().map(GridColumn::natural_width).collect();
        let headings: Vec<Vec<String>> = self.columns.iter().map(GridColumn::heading_lines).collect();
        let has_headings = self.columns.iter().any(|column| !column.heading.is_empty());
        let height = headings.iter().map(Vec::len).max().filter(|_| has_headings).unwrap_or(0);
        let mut lines = Vec::new();
        for row in 0..height {
            // Headings stand on the rows: a short one starts lower.
            let cell = |index: usize| {
                let missing = height - headings[index].len();
                row.checked_sub(missing).map_or("", |row| headings[index][row].as_str())
            };
            lines.push(paint(QUIET, self.line(&widths, indent, cell, |_| None)));
        }
        let rows = self.columns.iter().map(|column| column.cells.len()).max().unwrap_or(0);
        for row in 0..rows {
            let cell = |index: usize| self.columns[index].cells.get(row).map_or("", String::as_str);
            let height = (0..widths.len()).map(|index| cell(index).lines().count()).max().unwrap_or(0);
            for part in 0..height.max(1) {
                let part = |index: usize| cell(index).lines().nth(part).unwrap_or("");
                let style = |index: usize| self.columns[index].styles.get(row).copied().flatten();
                lines.push(self.line(&widths, indent, part, style));
            }
            lines.extend(self.below.get(row).cloned());
        }
        lines
    }

    fn line<'a>(
        &self,
        widths: &[usize],
        indent: usize,
        cell: impl Fn(usize) -> &'a str,
        style: impl Fn(usize) -> Option<Style>,
    ) -> String {
        let mut line = " ".repeat(indent);
        for (index, &width) in widths.iter().enumerate() {
            let text = cell(index);
            let space = padding(text, width);
            if index > 0 {
                line.push_str(&" ".repeat(GAP));
            }
            let style = style(index).filter(|_| !text.is_empty());
            let text = style.map_or_else(|| text.to_owned(), |style| paint(style, text));
            if self.columns[index].right {
                line.push_str(&space);
                line.push_str(&text);
            } else {
                line.push_str(&text);
                line.push_str(&space);
            }
        }
        line.trim_end().to_owned()
    }
}

fn total(widths: impl ExactSizeIterator<Item = usize>) -> usize {
    let gaps = widths.len().saturating_sub(1) * GAP;
    widths.sum::<usize>() + gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(heading: &str, cell: &str, importance: Option<u32>) -> GridColumn {
        let right = cell.starts_with(|first: char| first.is_ascii_digit());
        GridColumn {
            heading: heading.to_owned(),
            cells: vec![cell.to_owned()],
            right,
            prose: false,
            importance,
            is_main: false,
            styles: Vec::new(),
        }
    }

    #[test]
    fn the_least_important_column_goes_first() {
        let name = "n".repeat(40);
        let columns = vec![
            column("Name", &name, None),
            column("Total", "12.34 ms", Some(9)),
            column("Deviation", "1.00 ms", Some(0)),
        ];
        let mut grid = Grid { columns, ..Grid::default() };
        let left_out = grid.fit(36);
        assert_eq!(left_out.iter().map(|column| column.heading.as_str()).collect::<Vec<_>>(), ["Deviation"]);
        let lines = grid.lines(0);
        assert_eq!(lines[1].width(), 36);
        assert!(lines[1].ends_with("  12.34 ms"));
    }

    #[test]
    fn headings_are_no_wider_than_they_must_be() {
        let columns = vec![column("Exposed comm time", "1.5%", None), column("Rank", "0", None)];
        let grid = Grid { columns, ..Grid::default() };
        let lines: Vec<_> =
            grid.lines(0).iter().map(|line| line.replace("\u{1b}[2m", "").replace("\u{1b}[0m", "")).collect();
        assert_eq!(lines, ["Exposed", "   comm", "   time  Rank", "   1.5%     0"]);
    }
}
