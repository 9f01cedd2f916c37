//! FLOPs, bytes, rates and rooflines of each row.

use std::collections::BTreeMap;

use eaves_assess::roofline::Load;

use super::defects;
use super::ours::OurRow;
use super::reference::{Key, number};
use crate::common::checks::{Checks, CsvRow};

/// Equal but for the last digits of a float.
pub(crate) const EXACT: f64 = 1e-9;

/// How often each defect was met.
pub(crate) type Met = BTreeMap<&'static str, usize>;

/// Compares the work of a row. Answers what both sides agree on, or what theirs is by a defect.
pub(crate) fn compare(
    checks: &mut Checks,
    met: &mut Met,
    place: &str,
    key: &Key,
    load: &Result<Load, String>,
    row: &CsvRow,
    suffix: &str,
) -> Option<(f64, f64)> {
    let flops = 1e9 * number(row, &format!("GFLOPS{suffix}"))?;
    let bytes = number(row, &format!("Data Moved (MB){suffix}")).map(|mebibytes| mebibytes * 1_048_576.0)?;
    let near = |ours: f64, theirs: f64| (ours - theirs).abs() <= EXACT * theirs.abs().max(1.0);
    let (ours_flops, ours_bytes) =
        load.as_ref().map_or((f64::NAN, f64::NAN), |load| (load.flops, load.bytes));
    if !(near(ours_flops, flops) && near(ours_bytes, bytes))
        && let Ok(load) = load
        && let Some(theirs) = defects::theirs(key, load)
    {
        // Ours is right, and theirs is what the defect makes of it.
        *met.entry(theirs.defect).or_default() += 1;
        checks.near("FLOPs by defect", place, theirs.flops, flops, EXACT * flops);
        checks.near("bytes by defect", place, theirs.bytes, bytes, EXACT * bytes);
        return Some((flops, bytes));
    }
    checks.near("FLOPs", place, ours_flops, flops, EXACT * flops);
    checks.near("bytes", place, ours_bytes, bytes, EXACT * bytes);
    let intensity = number(row, &format!("FLOPS/Byte{suffix}")).unwrap_or(f64::NAN);
    checks.near("FLOPs per byte", place, ours_flops / ours_bytes, intensity, EXACT * intensity);
    Some((flops, bytes))
}

/// Rates are means over calls. A call's time may differ by a float's last digit for each interval.
pub(crate) fn rates(checks: &mut Checks, place: &str, ours: &OurRow, work: (f64, f64), row: &CsvRow) {
    let relative = ours.calls.iter().map(|(time, activities)| 0.001 * f64::from(*activities) / time);
    let tolerance = relative.fold(0.0, f64::max) + EXACT;
    let mean = |amount: f64| {
        let rates = ours.calls.iter().map(|(time, _)| amount / 1e12 / (time * 1e-6));
        rates.sum::<f64>() / ours.calls.len() as f64
    };
    for (column, amount) in [("TFLOPS/s_mean", work.0), ("TB/s_mean", work.1)] {
        let theirs = number(row, column).unwrap_or(f64::NAN);
        let what = if column.starts_with("TF") { "TFLOP/s" } else { "TB/s" };
        checks.near(what, place, mean(amount), theirs, tolerance * theirs);
    }
}
