//! A plot of characters: lines of Braille dots, two across and four down in each character.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::roofline::scale::{Log, Tick};
use crate::terminal::palette::{QUIET, paint};
use crate::terminal::wrap::padding;

/// Columns of the numbers along the side at the least.
const NUMBERS: usize = 6;
/// The least and the most lines of a plot.
const LINES: (usize, usize) = (8, 24);

/// What is in one character.
#[derive(Clone, Copy, Default)]
struct Cell {
    /// Dots of lines.
    dots: u8,
    /// A letter with what it stands for, or part of a text.
    letter: Option<(char, Option<usize>)>,
}

/// A plot with its axes, in dots.
pub(super) struct Chart {
    pub(super) x: Log,
    y: Log,
    /// Columns of the numbers along the side.
    numbers: usize,
    /// What they are.
    labels: Vec<String>,
    columns: usize,
    rows: usize,
    cells: Vec<Cell>,
}

impl Chart {
    /// A plot that is as wide as the terminal, with numbers along its side.
    pub(super) fn new(x: Log, y: Log, width: usize, label: impl Fn(f64) -> String) -> Self {
        let rows = (width * 24 / 100).clamp(LINES.0, LINES.1);
        let side = y.between((4 * rows) as f64, 0.0);
        let mut labels: Vec<String> = vec![String::new(); rows];
        for tick in side.ticks(8.0, label).into_iter().filter(|tick| !tick.label.is_empty()) {
            labels[(side.at(tick.value) as usize / 4).min(rows - 1)] = tick.label;
        }
        let numbers = labels.iter().map(|label| label.width()).fold(NUMBERS, usize::max);
        let columns = width.saturating_sub(numbers + 2).max(16);
        Self {
            numbers,
            labels,
            x: x.between(0.0, (2 * columns) as f64),
            y: y.between((4 * rows) as f64, 0.0),
            columns,
            rows,
            cells: vec![Cell::default(); columns * rows],
        }
    }

    fn dot(&mut self, x: i64, y: i64) {
        /// The bits of Braille: columns, then rows (Unicode, block 2800).
        const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        if (0..2 * self.columns as i64).contains(&x) && (0..4 * self.rows as i64).contains(&y) {
            let (x, y) = (x as usize, y as usize);
            self.cells[y / 4 * self.columns + x / 2].dots |= BITS[x % 2][y % 4];
        }
    }

    /// A line through what a function says of each place, dashed if asked for.
    pub(super) fn curve(&mut self, dashed: bool, value: impl Fn(f64) -> Option<f64>) {
        let (low, high) = self.x.ends();
        let width = 2 * self.columns as i64;
        let mut before: Option<i64> = None;
        for x in 0..width {
            let log = low + (high - low) * (x as f64 + 0.5) / width as f64;
            let y = value(10f64.powf(log)).filter(|value| self.y.holds(*value));
            let y = y.map(|value| self.y.at(value).floor() as i64);
            if let Some(y) = y.filter(|_| !dashed || x % 6 < 3) {
                // A steep line has no gaps.
                let from = before.map_or(y, |before| before + (y - before).signum());
                for step in from.min(y)..=from.max(y) {
                    self.dot(x, step);
                }
            }
            before = y;
        }
    }

    /// A line between two places.
    pub(super) fn segment(&mut self, from: (f64, f64), to: (f64, f64)) {
        let place = |(x, y): (f64, f64)| (self.x.at(x), self.y.at(y));
        let (from, to) = (place(from), place(to));
        let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).ceil().max(1.0) as i64;
        for step in 0..=steps {
            let share = step as f64 / steps as f64;
            let at = |from: f64, to: f64| (from + (to - from) * share).floor() as i64;
            self.dot(at(from.0, to.0), at(from.1, to.1));
        }
    }

    /// A letter over everything that is there.
    pub(super) fn put(&mut self, x: f64, y: f64, letter: char, index: usize) {
        let column = (self.x.at(x) as usize / 2).min(self.columns - 1);
        let row = (self.y.at(y) as usize / 4).min(self.rows - 1);
        self.cells[row * self.columns + column].letter = Some((letter, Some(index)));
    }

    /// A text above or below a level line at the right end, if nothing is there.
    pub(super) fn write_beside(&mut self, value: f64, text: &str) {
        let row = (self.y.at(value) as usize / 4).min(self.rows - 1);
        let length = text.width();
        // A text of wide letters would not stand in its cells.
        if length + 1 > self.columns || length != text.chars().count() {
            return;
        }
        let rows = [row.checked_sub(1), Some(row + 1).filter(|row| *row < self.rows)];
        for row in rows.into_iter().flatten() {
            let start = row * self.columns + self.columns - length - 1;
            let cells = &mut self.cells[start..start + length];
            if cells.iter().all(|cell| cell.letter.is_none() && cell.dots == 0) {
                for (cell, letter) in cells.iter_mut().zip(text.chars()) {
                    cell.letter = Some((letter, None));
                }
                return;
            }
        }
    }

    /// The plot with its axes.
    pub(super) fn lines(&self, style: impl Fn(usize) -> Style, across: &[Tick]) -> Vec<String> {
        let mut lines = Vec::with_capacity(self.rows + 2);
        for (row, label) in self.labels.iter().enumerate() {
            let (label, edge) = if label.is_empty() { ("", '│') } else { (label.as_str(), '┤') };
            let cells = &self.cells[row * self.columns..(row + 1) * self.columns];
            let plot: String = cells.iter().map(|cell| cell.text(&style)).collect();
            let number = paint(QUIET, format!("{}{label} {edge}", padding(label, self.numbers)));
            lines.push(format!("{number}{}", plot.trim_end()));
        }
        let mut rule = vec!['─'; self.columns];
        let mut numbers = String::new();
        for tick in across.iter().filter(|tick| !tick.label.is_empty()) {
            let column = (self.x.at(tick.value) as usize / 2).min(self.columns - 1);
            rule[column] = '┬';
            let start = column.saturating_sub(tick.label.width() / 2);
            let used = numbers.width();
            if start + tick.label.width() <= self.columns && (used == 0 || used < start) {
                numbers.push_str(&" ".repeat(start - used));
                numbers.push_str(&tick.label);
            }
        }
        let rule: String = rule.into_iter().collect();
        lines.push(paint(QUIET, format!("{}└{rule}", " ".repeat(self.numbers + 1))));
        lines.push(paint(QUIET, format!("{}{numbers}", " ".repeat(self.numbers + 2))));
        lines
    }
}

impl Cell {
    fn text(self, style: impl Fn(usize) -> Style) -> String {
        match self.letter {
            Some((letter, Some(index))) => paint(style(index), letter),
            Some((letter, None)) => letter.to_string(),
            None if self.dots == 0 => " ".to_owned(),
            None => paint(QUIET, char::from_u32(0x2800 + u32::from(self.dots)).unwrap_or(' ')),
        }
    }
}
