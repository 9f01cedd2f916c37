//! Rooflines of each row.

use std::path::Path;

use eaves_roofline::{Class, Counts, Device, Roof, Settings, assess};

use super::ours::OurRow;
use super::reference::number;
use super::work::EXACT;
use crate::common::checks::{Checks, CsvRow};

/// The roofline of a row on a device, by their work, so that a defect of theirs is not counted twice.
pub(crate) fn compare(checks: &mut Checks, place: &str, ours: &OurRow, row: &CsvRow, device: &Device) {
    let (Some(time), Ok(load)) = (number(row, "Roofline Time (µs)_first"), &ours.load) else { return };
    let (Some(gflops), Some(mebibytes)) = (number(row, "GFLOPS"), number(row, "Data Moved (MB)")) else {
        return;
    };
    let work = (gflops * 1e9, mebibytes * 1_048_576.0);
    let roof = Roof::new(device, load.arithmetic, load.engine);
    assert_eq!(roof.counts(), Counts::Operations);
    let level = roof.levels[0].id.clone();
    let settings = Settings { balanced_factor: 1.0, ..Settings::default() };
    let held = |seconds: f64| assess(&roof, work.0, &[(&level, work.1)], Some(seconds), &settings);
    let first = held(ours.calls[0].0 * 1e-6);
    checks.near("roofline time", place, first.ideal.unwrap_or(f64::NAN) * 1e6, time, EXACT * time);
    let bound = match first.class {
        Some(Class::Compute) => "COMPUTE_BOUND",
        Some(Class::Memory) => "MEMORY_BOUND",
        _ => "",
    };
    checks.near("bound", &format!("{place}: {bound}"), f64::from(bound == row["Roofline Bound"]), 1.0, 0.0);
    let share = |time: &f64| held(time * 1e-6).pct_of_roof.unwrap_or(f64::NAN);
    let mean = ours.calls.iter().map(|(time, _)| share(time)).sum::<f64>() / ours.calls.len() as f64;
    let theirs = number(row, "Pct Roofline_mean").unwrap_or(f64::NAN);
    let relative = ours.calls.iter().map(|(time, activities)| 0.001 * f64::from(*activities) / time);
    checks.near("of roof", place, mean, theirs, theirs * (relative.fold(0.0, f64::max) + EXACT));
}

/// TraceLens' file of peaks.
pub(crate) fn device(root: &Path) -> Device {
    eaves_roofline::device::read(&root.join("arch/MI300X.json")).unwrap()
}
