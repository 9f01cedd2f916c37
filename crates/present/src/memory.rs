//! Memory over time as a drawing: what was in use, what was reserved, and the peak, a panel a device.
//!
//! Its table has few enough points for any browser.

use std::fmt::Write;

use eaves_section::{Chart, Section, Table, Unit, Value};

use crate::markup::escaped;
use eaves_section::quantity;

const WIDTH: f64 = 960.0;
const PANEL: f64 = 250.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 30.0;
/// Lines across a panel.
const LINES: usize = 4;

/// What is drawn of one device.
struct Panel {
    title: String,
    /// Time, in use, reserved.
    points: Vec<(f64, f64, Option<f64>)>,
}

/// The table of memory over time.
pub fn levels(section: &Section) -> Option<&Table> {
    section.charts.iter().find_map(|chart| match chart {
        Chart::MemoryOverTime { levels } => section.table(levels),
        _ => None,
    })
}

/// True for tables that only make sense as a picture: they are of no use in text, and files for programs and the page
/// have them.
pub fn is_of_chart(section: &Section, table: &Table) -> bool {
    let is_of = |chart: &Chart| chart.tables().iter().any(|(_, id)| *id == table.id);
    section.charts.iter().any(|chart| chart.replaces_rows() && is_of(chart))
}

/// True for tables that a page without scripts skips, because nobody reads a chart as rows.
pub(crate) fn is_unreadable(section: &Section, table: &Table) -> bool {
    section.charts.iter().any(
        |chart| matches!(chart, Chart::Allocations { rest, stacks, .. } if [*rest, *stacks].contains(&table.id)),
    )
}

/// True if there is something to draw of a section.
pub fn has_chart(section: &Section) -> bool {
    !drawn(&[section]).0.is_empty()
}

/// A picture of its own; it says so if there is nothing to draw.
pub fn svg(sections: &[&Section]) -> String {
    let (body, height) = drawn(sections);
    let height = height.max(120.0);
    let body = if body.is_empty() {
        "<text x=\"16\" y=\"60\">nothing to draw: no memory history recorded</text>".to_owned()
    } else {
        body
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"eaves-memory\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"Inter, system-ui, sans-serif\" font-size=\"11\" role=\"img\" \
         aria-label=\"Memory over time\">\n<style>{}</style>\n<rect class=\"back\" width=\"{WIDTH}\" \
         height=\"{height}\"/>\n{body}</svg>\n",
        style()
    )
}

/// A picture inside a page, which gives it its width; nothing if there is nothing to draw.
pub(crate) fn embedded(section: &Section) -> Option<String> {
    let (body, height) = drawn(&[section]);
    (!body.is_empty()).then(|| {
        format!(
            "<svg class=\"eaves-memory\" viewBox=\"0 0 {WIDTH} {height}\" style=\"width:100%;height:auto\" \
             font-family=\"system-ui, sans-serif\" font-size=\"11\" role=\"img\" aria-label=\"Memory over time\">\n\
             <style>{}</style>\n{body}</svg>\n",
            style()
        )
    })
}

fn style() -> String {
    let rules = |back: &str, text: &str, quiet: &str, line: &str, used: &str, held: &str| {
        format!(
            ".eaves-memory .back{{fill:{back}}}.eaves-memory text{{fill:{text}}}.eaves-memory .quiet{{fill:{quiet}}}\
             .eaves-memory .line{{stroke:{line};fill:none}}.eaves-memory .used{{fill:{used};fill-opacity:.35;stroke:{used}}}\
             .eaves-memory .held{{stroke:{held};fill:none;stroke-dasharray:5 3}}.eaves-memory .peak{{fill:{held}}}"
        )
    };
    format!(
        "{}.eaves-memory .strong{{font-weight:600;font-size:13px}}@media (prefers-color-scheme:dark){{{}}}",
        rules("#ffffff", "#1c2024", "#5f6973", "#d5dadf", "#0072b2", "#c04a00"),
        rules("#15181b", "#e4e8eb", "#98a2ab", "#353b41", "#4c9fe6", "#f0682a"),
    )
}

fn drawn(sections: &[&Section]) -> (String, f64) {
    let mut body = String::new();
    let mut top = 0.0;
    for section in sections {
        let has_times = has_times(section);
        for panel in levels(section).into_iter().flat_map(panels) {
            draw(&mut body, &panel, top, has_times);
            top += PANEL;
        }
    }
    (body, top)
}

/// Where the order of events alone is known, the peak has no time.
fn has_times(section: &Section) -> bool {
    let by_device = section.table("by_device");
    let cells = by_device.and_then(|table| {
        let at = table.columns.iter().position(|column| column.id == "peak_at_ns")?;
        Some(table.rows.iter().any(|row| matches!(row.get(at), Some(Value::Integer(_)))))
    });
    cells.unwrap_or(true)
}

fn panels(table: &Table) -> Vec<Panel> {
    let at = |id: &str| table.columns.iter().position(|column| column.id == id);
    let (Some(device), Some(time), Some(bytes), Some(reserved)) =
        (at("device"), at("time_ns"), at("bytes"), at("reserved_bytes"))
    else {
        return Vec::new();
    };
    let mut panels: Vec<Panel> = Vec::new();
    let number = |value: Option<&Value>| match value {
        Some(Value::Integer(value)) => Some(*value as f64),
        _ => None,
    };
    for row in &table.rows {
        let names: Vec<String> = table.columns[..=device]
            .iter()
            .zip(row)
            .map(|(column, cell)| match column.id {
                "rank" => format!("rank {}", quantity::value(cell, column.unit)),
                _ => quantity::value(cell, column.unit),
            })
            .collect();
        let title = names.join(", ");
        let (Some(time), Some(bytes)) = (number(row.get(time)), number(row.get(bytes))) else { continue };
        let point = (time, bytes, number(row.get(reserved)));
        match panels.last_mut() {
            Some(last) if last.title == title => last.points.push(point),
            _ => panels.push(Panel { title, points: vec![point] }),
        }
    }
    panels
}

fn draw(body: &mut String, panel: &Panel, top: f64, has_times: bool) {
    let (Some(first), Some(last)) = (panel.points.first(), panel.points.last()) else { return };
    let most =
        panel.points.iter().map(|&(_, bytes, held)| bytes.max(held.unwrap_or(0.0))).fold(1.0, f64::max);
    let (floor, height) = (top + PANEL - BOTTOM, PANEL - TOP - BOTTOM);
    let x = |time: f64| LEFT + (time - first.0) / (last.0 - first.0).max(1.0) * (WIDTH - LEFT - RIGHT);
    let y = |bytes: f64| floor - bytes.max(0.0) / (most * 1.05) * height;
    let time = |at: f64| {
        if has_times {
            quantity::value(&Value::Integer(at as i64), Unit::Nanoseconds)
        } else {
            format!("event {at:.0}")
        }
    };
    // Writing to a text cannot fail.
    let _ = writeln!(
        body,
        "<text x=\"{LEFT}\" y=\"{:.1}\" class=\"strong\">{}</text>",
        top + 20.0,
        escaped(&panel.title)
    );
    for line in 0..=LINES {
        let value = most * line as f64 / LINES as f64;
        let _ = writeln!(
            body,
            "<path d=\"M{LEFT} {0:.1}H{1:.1}\" class=\"line\"/><text x=\"{2:.1}\" y=\"{3:.1}\" text-anchor=\"end\" \
             class=\"quiet\">{4}</text>",
            y(value),
            WIDTH - RIGHT,
            LEFT - 6.0,
            y(value) + 4.0,
            escaped(&quantity::value(&Value::Integer(value as i64), Unit::Bytes)),
        );
    }
    for (share, anchor) in [(0.0, "start"), (0.5, "middle"), (1.0, "end")] {
        let at = first.0 + share * (last.0 - first.0);
        let _ = writeln!(
            body,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" class=\"quiet\">{}</text>",
            x(at),
            floor + 18.0,
            escaped(&time(at))
        );
    }
    let mut used = format!("M{:.1} {floor:.1}", x(first.0));
    let mut held = String::new();
    for &(at, bytes, reserved) in &panel.points {
        let _ = write!(used, "H{:.1}V{:.1}", x(at), y(bytes));
        if let Some(reserved) = reserved {
            let _ = match held.is_empty() {
                true => write!(held, "M{:.1} {:.1}", x(at), y(reserved)),
                false => write!(held, "H{:.1}V{:.1}", x(at), y(reserved)),
            };
        }
    }
    let _ = writeln!(body, "<path d=\"{used}V{floor:.1}z\" class=\"used\"/>");
    if !held.is_empty() {
        let _ = writeln!(body, "<path d=\"{held}\" class=\"held\"/>");
    }
    let peak =
        panel.points.iter().copied().fold(*first, |best, point| if point.1 > best.1 { point } else { best });
    let label =
        format!("peak {} at {}", quantity::value(&Value::Integer(peak.1 as i64), Unit::Bytes), time(peak.0));
    let is_right = x(peak.0) > WIDTH * 0.6;
    let _ = writeln!(
        body,
        "<circle cx=\"{0:.1}\" cy=\"{1:.1}\" r=\"3.5\" class=\"peak\"/><text x=\"{2:.1}\" y=\"{3:.1}\" \
         text-anchor=\"{4}\">{5}</text>",
        x(peak.0),
        y(peak.1),
        x(peak.0) + if is_right { -7.0 } else { 7.0 },
        // Below, where no line of what is reserved crosses it.
        y(peak.1) + 16.0,
        if is_right { "end" } else { "start" },
        escaped(&label)
    );
    let legend =
        if held.is_empty() { "area: in use" } else { "area: in use; dashed: reserved from the device" };
    let _ = writeln!(
        body,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" class=\"quiet\">{legend}</text>",
        WIDTH - RIGHT,
        top + 20.0
    );
}

#[cfg(test)]
mod tests {
    use eaves_section::Column;

    use super::*;

    fn section() -> Section {
        let columns = vec![
            Column::RANK,
            Column::new("device", "Device", Unit::None),
            Column::new("time_ns", "Time", Unit::Nanoseconds),
            Column::new("bytes", "In use", Unit::Bytes),
            Column::new("reserved_bytes", "Reserved", Unit::Bytes),
        ];
        let row = |device: &str, time: i64, bytes: i64, reserved: Value| {
            vec![Value::Integer(0), device.into(), time.into(), bytes.into(), reserved]
        };
        let rows = vec![
            row("cpu", 0, 10, Value::Missing("none")),
            row("cpu", 100, 30, Value::Missing("none")),
            row("cuda:0 <x>", 0, 4096, Value::Integer(8192)),
            row("cuda:0 <x>", 50, 1024, Value::Integer(8192)),
        ];
        Section {
            id: "memory",
            tables: vec![Table { id: "timeline", title: "", columns, rows }],
            charts: vec![Chart::MemoryOverTime { levels: "timeline" }],
            ..Section::default()
        }
    }

    #[test]
    fn every_device_has_a_panel_with_its_peak() {
        let section = section();
        let drawing = svg(&[&section]);
        assert_eq!(drawing.matches("class=\"used\"").count(), 2);
        assert_eq!(drawing.matches("class=\"held\"").count(), 1);
        assert!(drawing.contains("peak 30 B at 100 ns"), "{drawing}");
        assert!(drawing.contains("rank 0, cuda:0 &lt;x&gt;"), "{drawing}");
        assert!(embedded(&section).is_some());
    }

    #[test]
    fn nothing_to_draw_is_said() {
        let section = Section { id: "memory", ..Section::default() };
        assert!(svg(&[&section]).contains("nothing to draw"));
        assert!(embedded(&section).is_none());
    }
}
