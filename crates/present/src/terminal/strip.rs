//! Recordings over time as lines of text: one a track, one letter a piece of time.

use eaves_model::{Interval, IntervalSet, Ns, Pixels};
use eaves_section::timeline::{Chart, ChartTrack, Charts};
use unicode_width::UnicodeWidthStr;

use super::palette::{COMPUTE, HEADING, QUIET, paint};
use super::wrap::padding;
use super::{INDENT, Options};
use crate::names::shorten;
use crate::timeline;
use crate::timeline::axis;
use eaves_section::quantity;

/// From nearly nothing to all of the piece.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Columns of the share behind a line.
const SHARE: usize = 8;

/// The charts as lines.
pub(super) fn lines(charts: &Charts<'_>, options: &Options) -> Vec<String> {
    let Some(window) = charts.window() else { return Vec::new() };
    let names = charts.charts.iter().flat_map(|chart| &chart.tracks).map(|track| track.name.width());
    let label = names.max().unwrap_or(0).clamp(8, options.width * 3 / 10);
    let columns = options.width.saturating_sub(INDENT + label + 1 + SHARE).max(10);
    let mut lines = Vec::new();
    for chart in &charts.charts {
        if charts.charts.len() > 1 {
            lines.push(paint(HEADING, format!("{}rank {}", " ".repeat(INDENT), chart.rank)));
        }
        let strip = Strip { window, offset: chart.offset, length: chart.window.length(), label, columns };
        lines.extend(strip.steps(chart));
        lines.extend(strip.tracks(chart, options));
    }
    lines.extend(axis_lines(window, label, columns));
    lines.extend(timeline::clocks(charts).map(|note| paint(QUIET, format!("{}{note}", " ".repeat(INDENT)))));
    lines
}

struct Strip {
    window: Interval,
    offset: Ns,
    /// What shares are of.
    length: Ns,
    label: usize,
    columns: usize,
}

impl Strip {
    /// The window in the time of the trace, cut into columns.
    fn pixels(&self) -> Pixels {
        let window = Interval::new(self.window.start - self.offset, self.window.end - self.offset);
        Pixels::new(window, self.columns as u32)
    }

    /// One line a track; of many the busiest.
    fn tracks(&self, chart: &Chart<'_>, options: &Options) -> Vec<String> {
        let mut busiest: Vec<&ChartTrack> =
            chart.tracks.iter().filter(|track| !track.busy.is_empty()).collect();
        let all = busiest.len();
        busiest.sort_by_key(|track| std::cmp::Reverse(track.busy.measure()));
        busiest.truncate(options.rows(all));
        let mut lines = Vec::new();
        let mut group = "";
        for track in
            chart.tracks.iter().filter(|track| busiest.iter().any(|kept| std::ptr::eq(*kept, *track)))
        {
            if track.group != group {
                group = &track.group;
                lines.push(paint(QUIET, format!("{}{group}", " ".repeat(INDENT))));
            }
            lines.push(self.line(track));
        }
        if busiest.len() < all {
            let note =
                format!("… {}; --top 0 shows all", quantity::counted(all - busiest.len(), "more track"));
            lines.push(paint(QUIET, format!("{}{note}", " ".repeat(INDENT))));
        }
        lines
    }

    fn line(&self, track: &ChartTrack) -> String {
        let label = shorten(&track.name, self.label);
        let density: String =
            densities(&track.busy, &self.pixels()).iter().map(|&share| letter(share)).collect();
        let density = if track.is_stream { paint(COMPUTE, density) } else { density };
        let share = 100.0 * track.busy.measure().as_f64() / self.length.as_f64().max(1.0);
        let share = quantity::percent(share);
        let space = " ".repeat(SHARE.saturating_sub(share.width()));
        let indent = " ".repeat(INDENT);
        format!("{indent}{label}{} {density}{space}{}", padding(&label, self.label), paint(QUIET, share))
    }

    /// The numbers of the steps where they begin.
    fn steps(&self, chart: &Chart<'_>) -> Option<String> {
        let marks = chart.steps.iter().map(|&(number, step)| (step.start + self.offset, number.to_string()));
        let line = marked(marks, self.window, self.columns);
        let label = "steps";
        let indent = " ".repeat(INDENT);
        (!chart.steps.is_empty())
            .then(|| paint(QUIET, format!("{indent}{label}{} {line}", padding(label, self.label))))
    }
}

/// How much of each pixel a set covers.
fn densities(set: &IntervalSet, pixels: &Pixels) -> Vec<f64> {
    let mut rest = set.as_slice();
    (0..pixels.len())
        .map(|pixel| {
            let window = pixels.interval(pixel..pixel + 1);
            rest = &rest[rest.partition_point(|interval| interval.end <= window.start)..];
            let inside = rest.iter().take_while(|interval| interval.start < window.end);
            let covered: Ns = inside.filter_map(|interval| interval.clip(window)).map(Interval::length).sum();
            covered.as_f64() / window.length().as_f64().max(1.0)
        })
        .collect()
}

/// Something is never drawn as nothing, and not all never as all.
fn letter(share: f64) -> char {
    if share <= 0.0 {
        return ' ';
    }
    let level = (share * (LEVELS.len() - 1) as f64) as usize;
    LEVELS[level.min(LEVELS.len() - 1)]
}

/// Texts at their places along a line, those skipped that would touch the one before.
fn marked(marks: impl Iterator<Item = (Ns, String)>, window: Interval, columns: usize) -> String {
    let mut line = String::new();
    for (time, text) in marks {
        let share = (time - window.start).as_f64() / window.length().as_f64().max(1.0);
        let column = (share.clamp(0.0, 1.0) * columns as f64) as usize;
        let used = line.width();
        if column + text.width() <= columns && (used == 0 || used < column) {
            line.push_str(&" ".repeat(column.saturating_sub(used)));
            line.push_str(&text);
        }
    }
    line
}

fn axis_lines(window: Interval, label: usize, columns: usize) -> [String; 2] {
    let marks = axis::marks(window, (columns / 9).max(2));
    let place = |time: Ns| {
        let share = (time - window.start).as_f64() / window.length().as_f64().max(1.0);
        ((share * columns as f64) as usize).min(columns - 1)
    };
    let mut rule: Vec<char> = vec!['─'; columns];
    for (time, _) in &marks {
        rule[place(*time)] = '┴';
    }
    let indent = " ".repeat(INDENT + label + 1);
    let rule: String = rule.into_iter().collect();
    let labels = marked(marks.into_iter(), window, columns);
    [paint(QUIET, format!("{indent}{rule}")), paint(QUIET, format!("{indent}{labels}"))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_say_how_busy_a_piece_was() {
        let letters: String = [0.0, 0.001, 0.15, 0.5, 0.99, 1.0].map(letter).into_iter().collect();
        assert_eq!(letters, " ▁▂▄▇█");
        let interval = |start, end| Interval::new(Ns(start), Ns(end));
        let set = IntervalSet::union_of(vec![interval(-5, 5), interval(12, 14), interval(16, 30)]);
        assert_eq!(densities(&set, &Pixels::new(interval(0, 40), 4)), [0.5, 0.6, 1.0, 0.0]);
    }

    #[test]
    fn marks_do_not_touch() {
        let window = Interval::new(Ns(0), Ns(100));
        let marks = [(0, "aa"), (20, "bb"), (25, "cc"), (90, "too long")];
        let line = marked(marks.iter().map(|&(time, text)| (Ns(time), text.to_owned())), window, 10);
        assert_eq!(line, "aa");
        let marks = [(0, "a"), (50, "b"), (90, "c")];
        let line = marked(marks.iter().map(|&(time, text)| (Ns(time), text.to_owned())), window, 10);
        assert_eq!(line, "a    b   c");
    }
}
