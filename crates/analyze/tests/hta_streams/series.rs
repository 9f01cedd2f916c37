//! Values over time: lengths of queues, bandwidths, and the counters made of them.

use std::collections::{BTreeMap, HashMap};

use eaves_analyze::{Options, RankView, counter_tracks};
use eaves_model::{Ns, Run, SliceKind};

use super::copies::is_inverted;
use super::trace_of;
use crate::common::checks::{Checks, CsvRow, microseconds, read_csv};
use crate::common::hta::Case;
use crate::common::sections::cell;

/// A value over time: an instant in microseconds, and the value behind it.
type Points = Vec<(f64, f64)>;

/// The last value of every instant: where several points stand at one, the values between depend on their order, which
/// in HTA is that of an unstable sort.
fn last_of_instants(points: &[(f64, f64)]) -> Points {
    let mut found: Points = Vec::new();
    for &(time, value) in points {
        match found.last_mut() {
            Some(last) if last.0 == time => last.1 = value,
            _ => found.push((time, value)),
        }
    }
    found
}

/// Compares values over time. A table that was cut has only the beginning.
fn check_points(
    checks: &mut Checks,
    what: &'static str,
    place: &str,
    ours: &[(f64, f64)],
    theirs: &[(f64, f64)],
    is_cut: bool,
) {
    if !is_cut {
        checks.near(what, &format!("{place} points"), ours.len() as f64, theirs.len() as f64, 0.0);
    }
    let (ours, mut theirs) = (last_of_instants(ours), last_of_instants(theirs));
    if is_cut {
        theirs.pop();
    } else {
        checks.near(what, &format!("{place} instants"), ours.len() as f64, theirs.len() as f64, 0.0);
    }
    for (index, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        let at = format!("{place} point {index}");
        // Floats of microseconds since 1970 or since start-up are up to half a nanosecond off, and HTA subtracts two.
        checks.near(what, &at, ours.0, theirs.0, 0.001);
        // HTA adds and subtracts floats.
        checks.near(what, &at, ours.1, theirs.1, 1e-6);
    }
}

/// Our counters of a rank by name, with HTA's zero.
fn our_points(run: &Run, rank: i64) -> HashMap<String, Points> {
    let starts = run.recordings.iter().flat_map(|recording| {
        let slices = &recording.trace.slices;
        (0..slices.len()).filter(|&row| slices.kind[row] != SliceKind::Span).map(|row| slices.start[row])
    });
    let zero = starts.min().unwrap_or(Ns::ZERO);
    let options = Options::default();
    let counters = counter_tracks(&RankView::new(trace_of(run, rank), &options));
    let points = |points: Vec<(Ns, f64)>| {
        points.into_iter().map(|(time, value)| (microseconds(time - zero), value)).collect()
    };
    counters.into_iter().map(|counter| (counter.name, points(counter.points))).collect()
}

/// The tables of values over time have at most this many rows.
const CUT: usize = 6_000;

/// The series of a file by counter, under our names.
fn check_series(
    checks: &mut Checks,
    what: &'static str,
    case: &Case,
    run: &Run,
    file: &str,
    name: impl Fn(&CsvRow) -> (String, f64),
) {
    for recording in &run.recordings {
        let file = format!("{file}_rank{}.csv", recording.rank);
        let Some(theirs) = case.output(&file).and_then(|path| read_csv(&path)) else { continue };
        let is_cut = theirs.len() == CUT;
        let mut by_name: BTreeMap<String, Points> = BTreeMap::new();
        for row in &theirs {
            let (name, value) = name(row);
            by_name.entry(name).or_default().push((cell(row, "ts"), value));
        }
        let ours = our_points(run, recording.rank);
        for (name, mut theirs) in by_name {
            let kind = name.strip_prefix("Bandwidth of ");
            if kind.is_some_and(|kind| is_inverted(case, &recording.trace, kind)) {
                continue;
            }
            theirs.sort_by(|a, b| a.0.total_cmp(&b.0));
            let place = format!("{} rank {} {name}", case.name, recording.rank);
            let ours = ours.get(&name).map_or(&[][..], Vec::as_slice);
            check_points(checks, what, &place, ours, &theirs, is_cut);
        }
    }
}

pub(crate) fn check_queue_series(checks: &mut Checks, case: &Case, run: &Run) {
    check_series(checks, "queue series", case, run, "queue_length_time_series", |row| {
        (format!("Queue length of stream {}", row["stream"]), cell(row, "queue_length"))
    });
}

pub(crate) fn check_bandwidth_series(checks: &mut Checks, case: &Case, run: &Run) {
    check_series(checks, "bandwidth series", case, run, "memory_bw_time_series", |row| {
        (format!("Bandwidth of {}", row["name"]), cell(row, "memory_bw_gbps"))
    });
}

pub(crate) fn check_counters(checks: &mut Checks, case: &Case, run: &Run) {
    let Some(theirs) = case.output("counter_events_rank0.csv").and_then(|path| read_csv(&path)) else {
        return;
    };
    let mut points: BTreeMap<String, Points> = BTreeMap::new();
    for row in theirs {
        let name = match row["name"].as_str() {
            "Queue Length" => format!("Queue length of stream {}", cell(&row, "id")),
            kind => format!("Bandwidth of {kind}"),
        };
        points.entry(name).or_default().push((cell(&row, "ts"), cell(&row, "value")));
    }
    let options = Options::default();
    let ours = counter_tracks(&RankView::new(trace_of(run, 0), &options));
    checks.near("counters", &case.name, ours.len() as f64, points.len() as f64, 0.0);
    for counter in ours {
        let place = format!("{} {}", case.name, counter.name);
        let ours: Points =
            counter.points.into_iter().map(|(time, value)| (microseconds(time), value)).collect();
        let mut theirs = points.remove(&counter.name).unwrap_or_default();
        theirs.sort_by(|a, b| a.0.total_cmp(&b.0));
        check_points(checks, "counter points", &place, &ours, &theirs, false);
    }
}
