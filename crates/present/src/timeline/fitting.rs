//! How much of recordings there is room for.

use eaves_model::Ns;
use eaves_section::Section;
use eaves_section::timeline::Charts;

use super::chart_lookup::ChartLookup;
use super::entries::Scope;
use super::payload::{Coverage, payload};
use crate::packed::packed;

/// The data in as much detail as this many letters have room for: packed with gzip, written as base64.
pub fn fitting(charts: &Charts<'_>, section: Option<&Section>, room: usize) -> String {
    /// Letters that a slice takes at the least, to spare an attempt that must fail.
    const LEAST: f64 = 1.3;
    /// Letters that a slice takes as a rule.
    const USUAL: f64 = 4.1;
    let lookup = ChartLookup::new(charts);
    let slices: usize = charts.charts.iter().map(|chart| chart.slices.len()).sum();
    let mut scope = Scope::WHOLE;
    if slices as f64 * LEAST > room as f64 {
        scope = grouped(charts, scope, (room as f64 / USUAL) as u64);
    }
    loop {
        let text = packed(&payload(charts, &lookup, section, scope));
        // Even one group a row may be too much, if there are very many rows.
        if text.len() <= room || scope.width >= longest(charts) {
            return text;
        }
        let fits = Coverage::of(charts, scope).entries() as f64 * room as f64 / text.len() as f64;
        scope = grouped(charts, scope, (fits * 0.95) as u64);
    }
}

/// Everything if it is no more than this many entries, else with short slices in groups.
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
