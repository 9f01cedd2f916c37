//! The page: one file that needs no network, with everything in it.

use eaves_analyze::section::Section;
use eaves_analyze::timeline::Charts;
use eaves_model::Ns;

use super::entries::Scope;
use super::particulars::Particulars;
use super::payload::{Coverage, payload, title};
use crate::markup::escaped;
use crate::packed::packed;

/// How a page is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Bytes that the page may have. If all slices do not fit, short ones are put into groups, and the page says so.
    pub budget: usize,
}

impl Default for Page {
    fn default() -> Self {
        // Opens at once, goes into a mail, and holds about half a million slices.
        Self { budget: 2_000_000 }
    }
}

const STYLE: &str = include_str!("page/page.css");
const SCRIPTS: [&str; 4] = [
    include_str!("page/decode.js"),
    include_str!("page/state.js"),
    include_str!("page/draw.js"),
    include_str!("page/input.js"),
];
const BODY: &str = include_str!("page/body.html");

/// The page of some recordings, with the numbers of their section.
pub fn page(charts: &Charts<'_>, section: Option<&Section>, options: Page) -> String {
    let (head, tail) = frame(charts);
    let room = options.budget.saturating_sub(head.len() + tail.len()).max(1);
    format!("{head}{}{tail}", fitting(charts, section, room))
}

/// What stands before and after the data.
fn frame(charts: &Charts<'_>) -> (String, String) {
    let title = escaped(&title(charts));
    let head = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title} - eaves timeline</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{BODY}\
         <script type=\"application/gzip\" id=\"data\">"
    );
    let tail = format!("</script>\n<script type=\"module\">\n{}</script>\n</body>\n</html>\n", script());
    (head, tail)
}

/// The script without indentation and remarks, which no reader of the page needs.
fn script() -> String {
    let mut script = String::new();
    for line in SCRIPTS.iter().flat_map(|part| part.lines()).map(str::trim_start) {
        if !line.is_empty() && !line.starts_with("//") {
            script.push_str(line);
            script.push('\n');
        }
    }
    script
}

/// The data in as much detail as so many letters have room for: packed with gzip, written as base64.
pub fn fitting(charts: &Charts<'_>, section: Option<&Section>, room: usize) -> String {
    /// Letters that a slice takes at the least, to spare an attempt that must fail.
    const LEAST: f64 = 1.3;
    /// Letters that a slice takes as a rule.
    const USUAL: f64 = 4.1;
    let particulars = Particulars::new(charts);
    let slices: usize = charts.charts.iter().map(|chart| chart.slices.len()).sum();
    let mut scope = Scope::WHOLE;
    if slices as f64 * LEAST > room as f64 {
        scope = grouped(charts, scope, (room as f64 / USUAL) as u64);
    }
    loop {
        let text = packed(&payload(charts, &particulars, section, scope));
        // Even one group a row may be too much, if there are very many rows.
        if text.len() <= room || scope.width >= longest(charts) {
            return text;
        }
        let fits = Coverage::of(charts, scope).entries() as f64 * room as f64 / text.len() as f64;
        scope = grouped(charts, scope, (fits * 0.95) as u64);
    }
}

/// Everything if it is no more than so many entries, else with short slices in groups.
pub fn overview(charts: &Charts<'_>, most: usize) -> Scope {
    let slices: usize = charts.charts.iter().map(|chart| chart.slices.len()).sum();
    let whole = Scope::WHOLE;
    if slices <= most { whole } else { grouped(charts, whole, most as u64) }
}

fn longest(charts: &Charts<'_>) -> Ns {
    charts.charts.iter().map(|chart| chart.window.length()).max().unwrap_or(Ns::ZERO)
}

/// The least width of pieces, wider than before, that makes no more entries than that.
fn grouped(charts: &Charts<'_>, before: Scope, most: u64) -> Scope {
    /// Pieces to begin with: more than any screen can show.
    const FINEST: i64 = 1 << 20;
    let longest = longest(charts);
    let of = |width| Scope { width, ..before };
    let mut width = Ns(before.width.0.max(longest.0 / FINEST).max(1));
    while width < longest && (width <= before.width || Coverage::of(charts, of(width)).entries() > most) {
        width = Ns(width.0.saturating_mul(5) / 4 + 1);
    }
    of(width.min(longest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_small_and_ends_where_it_should() {
        let script = script();
        assert!(script.len() < 30_000, "{} bytes", script.len());
        assert!(!script.contains("</script") && !script.contains("http"));
        assert!(SCRIPTS.iter().all(|part| !part.contains("/*")), "remarks are lines of their own");
    }
}
