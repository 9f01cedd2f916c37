//! The still drawing: as many rectangles as there are pixels for, however many slices there are.

mod rows;

use std::fmt::Write;

use eaves_model::{Interval, Ns};
use eaves_section::Section;
use eaves_section::timeline::{Chart, ChartTrack, Charts, Class, CounterTrack};

use self::rows::draw_row;
use super::payload::{thinned, title};
use super::{axis, clocks, facts};
use crate::colours;
use crate::markup::escaped;
use eaves_section::quantity;

const LEFT: f64 = 170.0;
const RIGHT: f64 = 12.0;
const ROW: f64 = 15.0;
const COUNTER: f64 = 36.0;
/// Rows of one track. Deeper ones are skipped, and the drawing says how many.
const MOST_ROWS: usize = 12;
/// Lines of steps that are nearer would hide what they part.
const STEP_DISTANCE: f64 = 40.0;
/// About the width of a letter.
const LETTER: f64 = 6.0;

/// A drawing of some width in pixels, with the numbers of the section.
pub fn svg(charts: &Charts<'_>, section: Option<&Section>, width: u32) -> String {
    let window = charts.window().unwrap_or(Interval::new(Ns::ZERO, Ns::ZERO));
    let mut drawing = Drawing { window, width: f64::from(width.max(320)), y: 0.0, body: String::new() };
    drawing.heading(charts, section);
    drawing.axis();
    let mut left_out = 0;
    for chart in &charts.charts {
        left_out += drawing.chart(chart, charts.charts.len() > 1);
    }
    drawing.legend(charts, left_out);
    drawing.finish()
}

struct Drawing {
    /// In the time of the picture.
    window: Interval,
    width: f64,
    y: f64,
    body: String,
}

impl Drawing {
    fn plot_width(&self) -> f64 {
        self.width - LEFT - RIGHT
    }

    fn x(&self, time: Ns) -> f64 {
        let share = (time - self.window.start).as_f64() / self.window.length().as_f64().max(1.0);
        LEFT + share.clamp(0.0, 1.0) * self.plot_width()
    }

    fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        // Writing to a text cannot fail.
        let _ =
            writeln!(self.body, "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{}</text>", escaped(text));
    }

    fn heading(&mut self, charts: &Charts<'_>, section: Option<&Section>) {
        self.y = 20.0;
        self.text(12.0, self.y, "strong", &cut(&title(charts), self.width - 24.0));
        for chart in &charts.charts {
            let facts: Vec<String> = facts(section, chart.rank)
                .into_iter()
                .map(|(words, value)| format!("{words} {value}"))
                .collect();
            let rank = if charts.charts.len() > 1 { format!("rank {}: ", chart.rank) } else { String::new() };
            self.y += 16.0;
            self.text(
                12.0,
                self.y,
                "quiet",
                &cut(&format!("{rank}{}", facts.join(" · ")), self.width - 24.0),
            );
        }
        self.y += 10.0;
    }

    fn axis(&mut self) {
        self.y += 16.0;
        for (time, label) in axis::marks(self.window, (self.plot_width() / 110.0) as usize) {
            let x = self.x(time);
            if x + label.chars().count() as f64 * LETTER < self.width {
                self.text(x + 3.0, self.y - 4.0, "quiet", &label);
            }
            let _ = writeln!(self.body, "<path d=\"M{x:.1} {:.1}v14\" class=\"line\"/>", self.y - 12.0);
        }
        self.y += 4.0;
        let (y, right) = (self.y, self.width - RIGHT);
        let _ = writeln!(self.body, "<path d=\"M{LEFT:.1} {y:.1}H{right:.1}\" class=\"line\"/>");
        self.y += 4.0;
    }

    /// Draws a recording; the answer is the rows that were skipped.
    fn chart(&mut self, chart: &Chart<'_>, several: bool) -> usize {
        if several {
            self.y += 16.0;
            self.text(12.0, self.y, "strong", &format!("rank {}", chart.rank));
            self.y += 4.0;
        }
        let top = self.y;
        self.steps(chart);
        let mut left_out = 0;
        let mut group = "";
        for track in &chart.tracks {
            if track.group != group {
                group = &track.group;
                self.y += 15.0;
                self.text(12.0, self.y - 3.0, "group", &cut(group, LEFT - 16.0));
            }
            left_out += self.track(chart, track);
        }
        for counter in &chart.counters {
            self.counter(chart, counter);
        }
        // The lines of the steps go through all tracks, so they are drawn when the height is known.
        let (mut path, mut free) = (String::new(), 0.0);
        for &(_, step) in &chart.steps {
            let x = self.x(step.start + chart.offset);
            if x >= free {
                let _ = write!(path, "M{x:.1} {top:.1}V{:.1}", self.y);
                free = x + STEP_DISTANCE;
            }
        }
        if !path.is_empty() {
            let _ = writeln!(self.body, "<path d=\"{path}\" class=\"step\"/>");
        }
        left_out
    }

    fn steps(&mut self, chart: &Chart<'_>) {
        if chart.steps.is_empty() {
            return;
        }
        self.y += 12.0;
        let mut free = 0.0;
        for &(number, step) in &chart.steps {
            let (x, label) = (self.x(step.start + chart.offset), format!("step {number}"));
            let end = x + label.len() as f64 * LETTER + 6.0;
            if x >= free && end < self.width {
                self.text(x + 3.0, self.y, "mark", &label);
                free = end;
            }
        }
        self.y += 2.0;
    }

    fn track(&mut self, chart: &Chart<'_>, track: &ChartTrack) -> usize {
        let rows = chart.rows(track);
        self.text(20.0, self.y + ROW - 4.0, "", &cut(&track.name, LEFT - 24.0));
        let shown = rows.len().min(MOST_ROWS);
        for row in &rows[..shown] {
            draw_row(self, chart, row);
            self.y += ROW;
        }
        if shown < rows.len() && shown > 1 {
            let note = format!("+ {}", quantity::counted(rows.len() - shown, "deeper row"));
            self.text(20.0, self.y - 4.0, "quiet", &note);
        }
        self.y += 4.0;
        rows.len() - shown
    }

    fn counter(&mut self, chart: &Chart<'_>, counter: &CounterTrack) {
        let points = thinned(&counter.points, chart.window, (self.plot_width() / 2.0) as usize);
        let most = points.iter().map(|&(_, value)| value).fold(0.0, f64::max);
        let least = points.iter().map(|&(_, value)| value).fold(0.0, f64::min);
        let bottom = self.y + COUNTER;
        let scale = (COUNTER - 4.0) / if most > least { most - least } else { 1.0 };
        let mut path = String::new();
        let Some(&(first, _)) = points.first() else { return };
        let _ = write!(path, "M{:.1} {bottom:.1}", self.x(first + chart.offset));
        for &(time, value) in &points {
            let _ =
                write!(path, "H{:.1}V{:.1}", self.x(time + chart.offset), bottom - (value - least) * scale);
        }
        let _ = write!(path, "H{:.1}V{bottom:.1}z", self.x(chart.window.end + chart.offset));
        let _ = writeln!(self.body, "<path d=\"{path}\" class=\"counter\"/>");
        let up_to = if counter.is_bytes { quantity::bytes(most) } else { quantity::decimal(most) };
        self.text(20.0, self.y + 15.0, "", &cut(&counter.name, LEFT - 24.0));
        self.text(20.0, self.y + 29.0, "quiet", &format!("up to {up_to}"));
        self.y = bottom + 4.0;
    }

    fn legend(&mut self, charts: &Charts<'_>, left_out: usize) {
        let used = |class: &Class| {
            charts.charts.iter().any(|chart| {
                let rows = chart.slices.rows().iter();
                rows.flat_map(|row| chart.slices.slices(row)).any(|&slice| chart.class(slice) == *class)
            })
        };
        self.y += 18.0;
        let mut x = 12.0;
        for class in Class::ALL.into_iter().filter(used) {
            let _ = writeln!(
                self.body,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"10\" height=\"10\" class=\"c{}\"/>",
                self.y - 9.0,
                class as u8
            );
            self.text(x + 14.0, self.y, "", class.name());
            x += 30.0 + class.name().len() as f64 * LETTER;
        }
        let slices: usize = charts.charts.iter().map(|chart| chart.slices.len()).sum();
        let mut notes = vec![format!(
            "{}; where several share a pixel, the longest sets the color, and their coverage the intensity",
            quantity::counted(slices, "slice")
        )];
        notes.extend(
            (left_out > 0).then(|| format!("{} not drawn", quantity::counted(left_out, "deeper row"))),
        );
        notes.extend(clocks(charts).map(str::to_owned));
        self.y += 4.0;
        for note in notes {
            self.y += 14.0;
            self.text(12.0, self.y, "quiet", &cut(&note, self.width - 24.0));
        }
        self.y += 12.0;
    }

    fn finish(self) -> String {
        let (width, height) = (self.width, self.y.ceil());
        let colours = |shade: usize| -> String {
            Class::ALL
                .iter()
                .map(|&class| format!(".c{}{{fill:{}}}", class as u8, colours::of(class)[shade]))
                .collect()
        };
        let counter = colours::of(Class::Operator);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"system-ui, sans-serif\" font-size=\"11\">\n<style>\n\
             {}\nrect{{stroke:#fff;stroke-width:.6}}.back{{fill:#fff}}text{{fill:#1c2024}}.quiet,.group{{fill:#5f6973}}.mark{{fill:#c43d00;font-size:10px}}\n\
             .strong{{font-weight:600;font-size:13px}}.group{{font-weight:600}}.label{{font-size:10px;pointer-events:none}}\n\
             .line{{stroke:#d5dadf}}.step{{stroke:#5f6973;stroke-dasharray:2 3;fill:none;opacity:.6}}\n\
             .counter{{fill:{};opacity:.5}}.o0{{opacity:.4}}.o1{{opacity:.6}}.o2{{opacity:.8}}\n\
             @media (prefers-color-scheme:dark){{{}\nrect{{stroke:#15181b}}.back{{fill:#15181b}}text{{fill:#e4e8eb}}.quiet,.group{{fill:#98a2ab}}\
             .mark{{fill:#ff9155}}.line{{stroke:#343b42}}.step{{stroke:#98a2ab}}.counter{{fill:{}}}}}\n</style>\n\
             <rect width=\"{width}\" height=\"{height}\" class=\"back\"/>\n{}</svg>\n",
            colours(0),
            counter[0],
            colours(1),
            counter[1],
            self.body
        )
    }
}

/// As much of a text as fits.
fn cut(text: &str, room: f64) -> String {
    let most = (room / LETTER).max(0.0) as usize;
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}
