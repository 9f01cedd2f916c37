//! Gaps between activities.

use std::collections::HashMap;

use eaves_analyze::Options;
use eaves_analyze::section::Value;
use eaves_model::{LaunchLinks, Ns, Run, Trace};

use super::{describe, is_row, rank_of, trace_of};
use crate::common::checks::{Checks, CsvRow, read_csv};
use crate::common::hta::Case;
use crate::common::sections::{cell, float, rows, section, table, text};

const CAUSES: [&str; 3] = ["host_wait", "kernel_wait", "other"];

/// The gaps of a stream as HTA sees them, and what to add to our idle time to get HTA's.
#[derive(Default)]
struct Gaps {
    /// The gaps of each cause.
    lengths: [Vec<f64>; 3],
    added: [f64; 3],
    /// Per cause, gaps that one of us sees and the other does not.
    odd: [usize; 3],
}

fn gaps(trace: &Trace, stream: i64) -> Gaps {
    let links = LaunchLinks::build(trace);
    // HTA takes the first event of the file for the launch of an activity whose call is not there.
    let first = trace.slices.start.first().copied();
    let mut activities: Vec<_> = trace
        .gpu_activities()
        .filter(|activity| trace.gpu.stream[activity.index()].get() == Some(stream))
        .map(|activity| {
            let slice = trace.gpu.slice[activity.index()].index();
            (
                (trace.slices.interval(slice), trace.slices.end(slice)),
                links.launch(activity).map(|call| trace.slices.start[call.index()]),
                first.filter(|_| trace.gpu.correlation[activity.index()].is_some()),
            )
        })
        .collect();
    activities.sort_by_key(|((interval, _), ..)| interval.start);
    let mut gaps = Gaps::default();
    let mut reached = Ns::MIN;
    for pair in activities.windows(2) {
        let ((before, before_end), ((after, _), launch, first)) = (pair[0].0, pair[1]);
        reached = reached.max(before.end);
        // Rounded, an activity may end before it starts; to us it then takes no time.
        let theirs = after.start - before_end;
        let their_cause = match launch.or(first) {
            Some(launch) if launch > before_end => 0,
            _ => 2 - usize::from(theirs < Ns(30_000)),
        };
        gaps.lengths[their_cause].push(theirs.as_f64());
        let ours = (after.start - reached).max(Ns::ZERO);
        let our_cause = match launch {
            Some(launch) if launch > reached => 0,
            Some(_) => 2 - usize::from(ours < Ns(30_000)),
            None => 2,
        };
        if ours != theirs || our_cause != their_cause || theirs == Ns::ZERO {
            gaps.added[their_cause] += theirs.as_f64();
            gaps.added[our_cause] -= ours.as_f64();
            gaps.odd[their_cause] += 1;
            gaps.odd[our_cause] += 1;
        }
    }
    gaps
}

pub(crate) fn check_idle(checks: &mut Checks, case: &Case, run: &Run) {
    let Some(theirs) = case.output("idle_time_breakdown.csv").and_then(|path| read_csv(&path)) else {
        return;
    };
    let section = section(run, "idle-time", &Options::default().with_details(true)).unwrap();
    let lengths = case.output("idle_time_interval_stats.csv").and_then(|path| read_csv(&path));
    for row in theirs {
        let (rank, stream) = (rank_of(run, &row), cell(&row, "stream") as i64);
        let place = format!("{} rank {rank} stream {stream} {}", case.name, row["idle_category"]);
        let cause = CAUSES.iter().position(|cause| *cause == row["idle_category"]).unwrap();
        let gaps = gaps(trace_of(run, rank), stream);
        let ours = rows(table(&section, "by_stream")).find(|ours| is_row(ours, rank, stream)).unwrap();
        let time = float(ours[["host_wait_ns", "kernel_wait_ns", "other_ns"][cause]]) + gaps.added[cause];
        // Rounded to hundredths of a microsecond, after adding up floats that are half a nanosecond off.
        let tolerance = 5.001 + float(ours["gaps"]).sqrt();
        checks.near("idle", &place, time, 1e3 * cell(&row, "idle_time"), tolerance);
        if gaps.odd == [0; 3] {
            // Ours, as they are.
            let share = float(ours[["host_wait_pct", "kernel_wait_pct", "other_pct"][cause]]);
            if share.is_finite() {
                checks.near("idle share", &place, share, 100.0 * cell(&row, "idle_time_ratio"), 0.5001);
            }
        }
        let times: f64 = ["host_wait_ns", "kernel_wait_ns", "other_ns"]
            .iter()
            .zip(gaps.added)
            .map(|(column, added)| float(ours[column]) + added)
            .sum();
        if times != 0.0 {
            let share = 100.0 * time / times;
            checks.near("idle share", &place, share, 100.0 * cell(&row, "idle_time_ratio"), 0.5001);
        }
        let Some(lengths) = &lengths else { continue };
        let same =
            |other: &&CsvRow| ["idle_category", "rank", "stream"].iter().all(|key| other[*key] == row[*key]);
        let theirs = lengths.iter().find(same).unwrap();
        if gaps.odd[cause] > 0 {
            // Where it counts gaps that are none, these are the only difference.
            for (column, ours) in describe(gaps.lengths[cause].clone()) {
                let scale = if column == "count" { 1.0 } else { 1e3 };
                let value = scale * cell(theirs, column);
                if value.is_finite() {
                    checks.near("odd gaps", &format!("{place} {column}"), ours, value, 5.001);
                }
            }
            continue;
        }
        let is_cause = |ours: &HashMap<&'static str, &Value>| text(ours["cause"]) == CAUSES[cause];
        let ours =
            rows(table(&section, "gap_lengths")).find(|ours| is_row(ours, rank, stream) && is_cause(ours));
        let ours = ours.unwrap();
        checks.near("gap count", &place, float(ours["gaps"]), cell(theirs, "count"), 0.0);
        for (column, their_column) in [
            ("mean_ns", "mean"),
            ("std_ns", "std"),
            ("min_ns", "min"),
            ("quartile1_ns", "25%"),
            ("median_ns", "50%"),
            ("quartile3_ns", "75%"),
            ("max_ns", "max"),
        ] {
            let theirs = cell(theirs, their_column);
            if theirs.is_finite() {
                let at = format!("{place} {column}");
                checks.near("gap length", &at, float(ours[column]), 1e3 * theirs, 5.001);
            }
        }
    }
}
