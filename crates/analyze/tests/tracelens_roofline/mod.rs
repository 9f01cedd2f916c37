//! Comparison with the operator tables and rooflines of TraceLens (AMD-AGI/TraceLens 171dd747) on its own test traces.
//!
//! Which activity belongs to which row is ours; which activities count and which operators have models is theirs, so
//! that rows can be compared one by one. Work is by our formulas. Where theirs are wrong (`docs/tracelens.md`), what they
//! say is computed from the stated defect, so a deviation is as exact as an agreement.

mod defects;
mod ours;
mod reference;
mod roofs;
mod work;

pub(crate) use ours::launchers;

use crate::common;
use crate::common::checks;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use self::reference::{by_key, sum};
use self::work::Met;
use crate::common::checks::{Checks, CsvRow};
use eaves_analyze::roofline::{Class, OperatorRow, trace_points};
use eaves_analyze::{Options, RankView};
use eaves_model::{Ns, Trace};

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
fn rows_their_times_and_their_work_agree() {
    let Some(root) = common::data("tracelens") else { return };
    let catalogue = reference::catalogue(&root);
    let mut checks = Checks::default();
    let mut met = Met::new();
    for (case, tables, trace) in cases(&root) {
        let ours = ours::rows(&trace, &catalogue);
        let theirs = by_key(&tables.join("unified_perf_summary.csv"));
        for key in ours.keys().filter(|key| !theirs.contains_key(*key)) {
            checks.near("rows", &format!("{case} {key:?} only ours"), 1.0, 0.0, 0.0);
        }
        for (key, theirs) in &theirs {
            let place = format!("{case} {key:?}");
            let Some(ours) = ours.get(key) else {
                checks.near("rows", &format!("{place} only theirs"), 0.0, 1.0, 0.0);
                continue;
            };
            let calls = ours.calls.len() as f64;
            checks.near("calls", &place, calls, sum(theirs, "operation_count"), 0.0);
            let total = sum(theirs, "Kernel Time (µs)_sum");
            checks.near("time", &place, ours.time(), total, ours.tolerance());
            // Rows of one key differ by thread and recomputation, not in work.
            let work = work::compare(&mut checks, &mut met, &place, key, &ours.load, &theirs[0], "");
            if let Some(work) = work
                && theirs.len() == 1
            {
                work::rates(&mut checks, &place, ours, work, &theirs[0]);
            }
        }
    }
    println!("defects met: {met:?}");
    checks.finish();
    assert!(checks.count("time") >= 290);
    assert!(checks.count("FLOPs") + checks.count("FLOPs by defect") >= 235);
    // Each is in the table of deviations.
    assert_eq!(met.keys().copied().collect::<Vec<_>>(), ["T1", "T3", "T4", "T5", "T6", "V7"]);
}

/// The tables that TraceLens made with a file of peaks.
#[test]
fn rooflines_agree() {
    let Some(root) = common::data("tracelens") else { return };
    let catalogue = reference::catalogue(&root);
    let device = roofs::device(&root);
    let mut checks = Checks::default();
    for (case, tables, trace) in cases(&root) {
        let ours = ours::rows(&trace, &catalogue);
        let table = tables.with_file_name("expected_roofline_MI300X").join("unified_perf_summary.csv");
        for (key, rows) in by_key(&table) {
            for row in rows {
                roofs::compare(&mut checks, &format!("{case} {key:?}"), &ours[&key], &row, &device);
            }
        }
    }
    checks.finish();
    assert!(checks.count("roofline time") >= 90);
}

/// The rows of the family tables. An operator is in them wherever it is recorded, also inside another of the same
/// family, so that times are of all operators of a name.
#[test]
fn families_agree() {
    let Some(root) = common::data("tracelens") else { return };
    let catalogue = reference::catalogue(&root);
    let mut checks = Checks::default();
    let mut met = Met::new();
    for (case, tables, trace) in cases(&root) {
        for table in reference::family_tables(&tables) {
            let rows = checks::read_csv(&table).unwrap();
            let table = table.file_stem().unwrap().to_string_lossy().into_owned();
            let names: BTreeSet<&str> = rows.iter().map(|row| row["name"].as_str()).collect();
            let events = ours::events(&trace, &|name| names.contains(name));
            for name in names {
                let theirs: Vec<_> = rows.iter().filter(|row| row["name"] == name).cloned().collect();
                let ours = || events.iter().filter(|(key, ..)| key[0] == name);
                let place = format!("{case} {table} {name}");
                // Backward tables are by the forward operator.
                if !table.ends_with("_bwd") || name.ends_with("_backward") {
                    let time: f64 = ours().map(|event| event.1).sum();
                    let intervals: f64 = ours().map(|event| f64::from(event.2)).sum();
                    let total = sum(&theirs, "Kernel Time (µs)_sum");
                    checks.near("family time", &place, time, total, 0.001 * intervals);
                }
                assert!(ours::is_modelled(&catalogue, name), "{place}");
            }
            for row in rows.iter().filter(|_| !table.ends_with("_bwd") || table == "CONV_bwd") {
                let key = reference::first_key(row);
                let load = ours::load(&key);
                work::compare(
                    &mut checks,
                    &mut met,
                    &format!("{case} {table} {key:?}"),
                    &key,
                    &load,
                    row,
                    "_first",
                );
            }
        }
    }
    println!("defects met: {met:?}");
    checks.finish();
    assert!(checks.count("family time") >= 80);
}

/// A table of theirs, its column of calls, and what a launcher is known by in it.
type Group<'a> = (&'a str, &'a str, &'a dyn Fn(&ours::Launcher) -> String);

#[test]
fn launchers_agree() {
    let Some(root) = common::data("tracelens") else { return };
    let catalogue = reference::catalogue(&root);
    let mut checks = Checks::default();
    for (case, tables, trace) in cases(&root) {
        let launchers = ours::launchers(&trace);
        let groups: [Group<'_>; 3] = [
            ("ops_summary", "Count", &|launcher| launcher.key[0].clone()),
            ("ops_summary_by_category", "Count", &|launcher| launcher.category(&catalogue)),
            ("ops_unique_args", "operation_count", &|launcher| format!("{:?}", launcher.key)),
        ];
        for (table, count, group) in groups {
            let mut ours: BTreeMap<String, Vec<&ours::Launcher>> = BTreeMap::new();
            for launcher in &launchers {
                ours.entry(group(launcher)).or_default().push(launcher);
            }
            // Theirs are split by thread and recomputation, and arguments by category too.
            let mut theirs: BTreeMap<String, Vec<CsvRow>> = BTreeMap::new();
            for row in checks::read_csv(&tables.join(table).with_extension("csv")).unwrap() {
                let name = match table {
                    "ops_summary" => row["name"].clone(),
                    "ops_summary_by_category" => row["op category"].clone(),
                    _ => format!("{:?}", reference::key(&row)),
                };
                theirs.entry(name).or_default().push(row);
            }
            let names = |names: &mut dyn Iterator<Item = &String>| names.cloned().collect::<Vec<_>>();
            assert_eq!(names(&mut ours.keys()), names(&mut theirs.keys()), "{case} {table}");
            for (name, theirs) in &theirs {
                let place = format!("{case} {table} {name}");
                let ours = &ours[name];
                checks.near("launchers", &place, ours.len() as f64, sum(theirs, count), 0.0);
                let intervals: u32 = ours.iter().map(|launcher| launcher.activities).sum();
                let tolerance = 0.001 * f64::from(intervals);
                let direct: f64 = ours.iter().map(|launcher| launcher.direct).sum();
                let total = match table {
                    "ops_summary_by_category" => 1000.0 * sum(theirs, "total_direct_kernel_time_ms"),
                    _ => sum(theirs, "total_direct_kernel_time_sum"),
                };
                checks.near("direct", &place, direct, total, tolerance);
                if table != "ops_summary_by_category" {
                    let subtree: f64 = ours.iter().map(|launcher| launcher.subtree).sum();
                    let total = sum(theirs, "total_subtree_kernel_time_sum");
                    checks.near("subtree", &place, subtree, total, tolerance);
                }
            }
        }
    }
    checks.finish();
    assert!(checks.count("subtree") >= 400);
}

/// With our formulas, on all activities: nothing is lost, what operators launched has a formula, and what has none says
/// why.
#[test]
fn nearly_all_time_has_a_formula_and_the_rest_a_reason() {
    let Some(root) = common::data("tracelens") else { return };
    for case in common::folders(&root.join("cases")) {
        let run = common::read_run(&root.join("cases").join(&case));
        let options = Options::default();
        let rank = RankView::new(&run.recordings[0].trace, &options);
        let points = trace_points(&rank);
        let busy = rank.sets.busy().measure();
        let counted = |is_in: &dyn Fn(&OperatorRow) -> bool| {
            points.rows.iter().filter(|row| is_in(row)).map(|row| row.counted).sum::<Ns>()
        };
        assert_eq!(points.busy, busy, "{case}");
        assert_eq!(counted(&|_| true), busy, "{case}");
        assert_eq!(points.time() - points.overlap(), busy, "{case}");
        let reasonless = |row: &OperatorRow| row.load.as_ref().is_err_and(String::is_empty);
        assert_eq!(counted(&reasonless), Ns::ZERO, "{case}");
        let launched = counted(&|row| row.class == Class::Operator);
        let known = counted(&|row| row.load.is_ok());
        let share = 100.0 * known.as_f64() / launched.as_f64();
        println!("{case}: {share:.2} % of what operators launched, {known} of {busy} in all");
        for row in points.rows.iter().filter(|row| row.class == Class::Operator) {
            if let Err(reason) = &row.load {
                println!("    {} {}: {reason}", row.name, row.counted);
            }
        }
        assert!(share >= 97.0, "{case}: {share}");
    }
}

/// A trace of a server: steps are annotated, and operators are split by their place in the model besides.
#[test]
fn rows_of_a_server_agree() {
    let Some(root) = common::data("tracelens") else { return };
    let catalogue = reference::catalogue(&root);
    let folder = root.join("inference/sglang_prefilldecode");
    let mut run = common::read_run(&folder);
    let mut trace = std::mem::take(&mut run.recordings[0].trace);
    ours::forget_unlinked(&mut trace);
    let ours = ours::rows(&trace, &catalogue);
    let mut checks = Checks::default();
    let mut met = Met::new();
    for (key, theirs) in by_key(&folder.join("expected/unified_perf_summary.csv")) {
        let place = format!("{key:?}");
        let Some(ours) = ours.get(&key) else {
            // They take the number at the end of this server's names away.
            let numbered = |ours: &&reference::Key| ours[0].starts_with(&format!("{}_", key[0]));
            assert!(key[0].starts_with("sglang_profiler::"), "only theirs: {place}");
            assert_eq!(ours.keys().filter(numbered).count(), 1, "{place}");
            continue;
        };
        checks.near("calls", &place, ours.calls.len() as f64, sum(&theirs, "operation_count"), 0.0);
        let total = sum(&theirs, "Kernel Time (µs)_sum");
        checks.near("time", &place, ours.time(), total, ours.tolerance());
        work::compare(&mut checks, &mut met, &place, &key, &ours.load, &theirs[0], "");
    }
    println!("defects met: {met:?}");
    checks.finish();
    assert!(checks.count("time") >= 35 && checks.count("FLOPs") >= 20);
}
