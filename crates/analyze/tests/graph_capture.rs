//! Replays of graphs of vLLM with recordings of their capture, compared with TraceLens' tables, and what remains of the
//! answer when a replay is not what was captured.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use eaves_analyze::roofline::{Class, TracePoints, trace_points, with_captured_operators};
use eaves_analyze::{Options, RankView};
use eaves_model::{Ns, Trace};

use crate::common;
use crate::common::checks::{Checks, read_csv};
use crate::tracelens_roofline::launchers;

/// Cases, with the activities below launches of graphs and the least share of busy time that has a formula.
const CASES: [(&str, u64, f64); 2] =
    [("vllm_decode_full", 421, 97.0), ("vllm_prefilldecode_piecewise", 361, 95.0)];

fn cases() -> Option<Vec<(PathBuf, u64, f64)>> {
    let root = common::data("graph-capture")?;
    Some(CASES.map(|(case, activities, share)| (root.join(case), activities, share)).into())
}

fn trace(folder: &Path) -> Trace {
    let mut run = common::read_run(folder);
    assert_eq!(run.recordings.len(), 1, "a capture is not a rank");
    std::mem::take(&mut run.recordings[0].trace)
}

fn points(trace: &Trace) -> TracePoints {
    let options = Options::default();
    trace_points(&RankView::new(trace, &options))
}

#[test]
fn every_activity_of_a_replay_has_its_operator() {
    let Some(cases) = cases() else { return };
    for (folder, activities, least) in cases {
        let points = points(&trace(&folder));
        let captured = points.rows.iter().filter(|row| row.class == Class::Captured);
        assert_eq!(
            captured.clone().map(|row| row.activities).sum::<u64>(),
            activities,
            "{}",
            folder.display()
        );
        assert!(
            captured.clone().all(|row| row.arguments.matched_by == "graph capture, kernel names in order")
        );
        let has_none = |class| points.counted(class) == Ns::ZERO;
        assert!(has_none(Class::Replay) && has_none(Class::Unattributed));
        assert_eq!(points.rows.iter().map(|row| row.counted).sum::<Ns>(), points.busy, "time is conserved");
        let (known, whole) = points.covered();
        let share = 100.0 * known.as_f64() / whole.as_f64();
        assert!(share >= least, "{}: {share}", folder.display());
        println!("{}: {share:.2} % of busy time has a formula", folder.display());
    }
}

/// TraceLens gives each activity to the innermost operator of the capture, too. Its sums are of floats, one for each
/// activity, in microseconds.
#[test]
fn operators_of_replays_are_those_of_tracelens() {
    let Some(cases) = cases() else { return };
    let mut checks = Checks::default();
    for (folder, ..) in cases {
        let trace = trace(&folder);
        let options = Options::default();
        let with = with_captured_operators(&RankView::new(&trace, &options)).unwrap();
        let mut ours: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        for launcher in launchers(&with) {
            let (calls, time) = ours.entry(launcher.key[0].clone()).or_default();
            *calls += 1.0;
            *time += launcher.direct;
        }
        let mut theirs: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        for row in read_csv(&folder.join("perf_csvs/ops_summary.csv")).unwrap() {
            let (calls, time) = theirs.entry(row["name"].clone()).or_default();
            *calls += number(&row["Count"]);
            *time += number(&row["total_direct_kernel_time_sum"]);
        }
        let names: Vec<&String> = ours.keys().collect();
        assert_eq!(names, theirs.keys().collect::<Vec<_>>(), "{}", folder.display());
        for (name, (calls, time)) in &ours {
            let place = format!("{} {name}", folder.display());
            checks.near("calls", &place, *calls, theirs[name].0, 0.0);
            checks.near("time", &place, *time, theirs[name].1, 0.002 * calls * 3.0);
        }
    }
    checks.finish();
    assert!(checks.count("time") >= 30);
}

/// A replay that lacks kernels, has others or has them elsewhere is attributed less surely, and what was not changed goes
/// where it went before.
#[test]
fn changed_replays_are_attributed_less_surely() {
    let Some(cases) = cases() else { return };
    let (folder, activities, _) = &cases[0];
    let whole = trace(folder);
    let by_name = |points: &TracePoints| {
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        for row in points.rows.iter().filter(|row| row.class == Class::Captured) {
            *sums.entry(row.name.clone()).or_default() += row.activities;
        }
        sums
    };
    let right = by_name(&points(&whole));
    let mut random = fastrand::Rng::with_seed(23);
    for round in 0..20 {
        let mut changed = whole.clone();
        let other = changed.strings.intern("a kernel of another program");
        let touched = (*activities as usize * (1 + round % 10)).div_ceil(100);
        for _ in 0..touched {
            let slice = changed.gpu.slice[random.usize(0..changed.gpu.len())];
            changed.slices.name[slice.index()] = other;
        }
        let found = points(&changed);
        let now = by_name(&found);
        let off: u64 =
            right.iter().map(|(name, count)| count.abs_diff(now.get(name).copied().unwrap_or(0))).sum();
        assert!(off <= 3 * touched as u64, "{off} after {touched}");
        assert!(found.rows.iter().any(|row| row.arguments.matched_by.ends_with("with gaps")) || off == 0);
        assert_eq!(found.rows.iter().map(|row| row.counted).sum::<Ns>(), found.busy);
    }
}

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}
