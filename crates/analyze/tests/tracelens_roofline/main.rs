//! Comparison with the operator tables and rooflines of TraceLens (AMD-AGI/TraceLens 171dd747) on its own test traces.
//!
//! Which activity belongs to which row is ours; which activities count and which operators have models is theirs, so
//! that rows can be compared one by one. Work is by our formulas. Where theirs are wrong (`docs/tracelens.md`), what they
//! say is computed from the stated defect, so a deviation is as exact as an agreement.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests may fail loudly")]

#[path = "../common/checks.rs"]
mod checks;
#[path = "../common/mod.rs"]
mod common;
mod ours;
mod reference;
#[path = "../common/tracelens.rs"]
mod tracelens;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use checks::Checks;
use eaves_model::Trace;
use reference::{by_key, number, sum};

/// The cases: name, folder of the tables, trace without what TraceLens does not link.
fn cases(root: &Path) -> impl Iterator<Item = (String, PathBuf, Trace)> + '_ {
    common::folders(&root.join("cases")).into_iter().map(|name| {
        let folder = root.join("cases").join(&name);
        let mut run = common::read_run(&folder);
        let mut trace = std::mem::take(&mut run.recordings[0].trace);
        ours::forget_unlinked(&mut trace);
        (name, folder.join("expected"), trace)
    })
}

#[test]
fn rows_and_their_times_agree() {
    let Some(root) = common::data("tracelens") else { return };
    let catalogue = reference::catalogue(&root);
    let mut checks = Checks::default();
    for (case, tables, trace) in cases(&root) {
        let ours = ours::rows(&trace, &catalogue);
        let theirs = by_key(&tables.join("unified_perf_summary.csv"));
        for key in ours.keys().filter(|key| !theirs.contains_key(*key)) {
            println!("only ours: {case} {key:?} {}", ours[key].time());
            checks.near("rows", &format!("{case} {key:?} only ours"), 1.0, 0.0, 0.0);
        }
        for (key, theirs) in &theirs {
            let place = format!("{case} {key:?}");
            let Some(ours) = ours.get(key) else {
                println!("only theirs: {place} {}", sum(theirs, "Kernel Time (µs)_sum"));
                checks.near("rows", &format!("{place} only theirs"), 0.0, 1.0, 0.0);
                continue;
            };
            let calls = ours.calls.len() as f64;
            checks.near("calls", &place, calls, sum(theirs, "operation_count"), 0.0);
            let total = sum(theirs, "Kernel Time (µs)_sum");
            checks.near("time", &place, ours.time(), total, ours.tolerance());
        }
    }
    checks.finish();
}

#[test]
fn launchers_agree() {
    let Some(root) = common::data("tracelens") else { return };
    let mut checks = Checks::default();
    for (case, tables, trace) in cases(&root) {
        let launchers = ours::launchers(&trace);
        let mut by_name: BTreeMap<&str, Vec<&ours::Launcher>> = BTreeMap::new();
        for launcher in &launchers {
            by_name.entry(&launcher.name).or_default().push(launcher);
        }
        let mut seen: BTreeMap<String, f64> = BTreeMap::new();
        for row in checks::read_csv(&tables.join("ops_summary.csv")).unwrap() {
            let name = &row["name"];
            let place = format!("{case} {name}");
            let none = Vec::new();
            let ours = by_name.get(name.as_str()).unwrap_or(&none);
            *seen.entry(name.clone()).or_default() += number(&row, "Count").unwrap();
            if row.get("is_recompute").is_some() {
                continue;
            }
            checks.near("count", &place, ours.len() as f64, number(&row, "Count").unwrap(), 0.0);
            let direct: f64 = ours.iter().map(|launcher| launcher.direct).sum();
            let activities: u32 = ours.iter().map(|launcher| launcher.activities.1).sum();
            let tolerance = 0.001 * f64::from(activities);
            let theirs = number(&row, "total_direct_kernel_time_sum").unwrap();
            checks.near("direct", &place, direct, theirs, tolerance);
            let subtree: f64 = ours.iter().map(|launcher| launcher.subtree).sum();
            let theirs = number(&row, "total_subtree_kernel_time_sum").unwrap();
            checks.near("subtree", &place, subtree, theirs, tolerance);
        }
        for (name, ours) in &by_name {
            let count = seen.get(*name).copied().unwrap_or(0.0);
            checks.near("launchers", &format!("{case} {name}"), ours.len() as f64, count, 0.0);
        }
    }
    checks.finish();
}
