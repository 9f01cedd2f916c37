//! The bandwidth of copies.

use eaves_analyze::Options;
use eaves_model::{MaybeF64, Ns, Run, SliceKind, Trace};

use super::{rank_of, trace_of};
use crate::common::checks::{Checks, read_csv};
use crate::common::hta::Case;
use crate::common::sections::{cell, float, rows, section, table, text};

/// What HTA does to copies: those of no duration take a microsecond, and without a recorded rate the rate is 0.
pub(crate) fn copies_as_hta(run: &mut Run) {
    for recording in &mut run.recordings {
        let trace = &mut recording.trace;
        for row in 0..trace.gpu.len() {
            let slice = trace.gpu.slice[row].index();
            if trace.slices.kind[slice] == SliceKind::Kernel {
                continue;
            }
            if trace.slices.duration[slice] == Ns::ZERO {
                trace.slices.duration[slice] = Ns(1_000);
            }
            if trace.gpu.bandwidth_gbps[row].get().is_none() {
                trace.gpu.bandwidth_gbps[row] = MaybeF64::new(0.0);
            }
        }
    }
}

/// Kinds of copies of which rounding makes some end before they start (D1), so that HTA's bandwidth becomes negative.
/// With exact times the same traces are compared.
const INVERTED: [(&str, &str); 1] = [("tl_h100_qwen05b (rounded)", "Memset")];

/// True if any copy of a kind, by HTA's name, ends before it starts; which must be known.
pub(crate) fn is_inverted(case: &Case, trace: &Trace, kind: &str) -> bool {
    let mut slices = trace.gpu_activities().map(|activity| trace.gpu.slice[activity.index()]);
    let inverted = slices.any(|slice| {
        trace.slice_name(slice).starts_with(kind) && trace.slices.duration[slice.index()] < Ns::ZERO
    });
    assert_eq!(inverted, INVERTED.contains(&(&case.name, kind)), "{} {kind}", case.name);
    inverted
}

/// How many copies of a kind begin at the instant at which another ends.
fn tied_copies(trace: &Trace, kind: &str) -> usize {
    let of_kind = trace.gpu_activities().map(|activity| trace.gpu.slice[activity.index()]);
    let intervals: Vec<_> = of_kind
        .filter(|&slice| trace.slice_name(slice).starts_with(kind))
        .map(|slice| trace.slices.interval(slice.index()))
        .collect();
    intervals.iter().filter(|copy| intervals.iter().any(|other| copy.start == other.end)).count()
}

pub(crate) fn check_bandwidth(checks: &mut Checks, case: &Case, run: &Run) {
    let theirs = case.output("memory_bw_summary.csv").and_then(|path| read_csv(&path)).unwrap_or_default();
    let Some(section) = section(run, "memory-bandwidth", &Options::default()) else { return };
    for row in theirs {
        let (rank, kind) = (rank_of(run, &row), row["name"].as_str());
        if is_inverted(case, trace_of(run, rank), kind) {
            continue;
        }
        let ties = tied_copies(trace_of(run, rank), kind);
        let ours = rows(table(&section, "by_kind"))
            .find(|ours| float(ours["rank"]) == rank as f64 && text(ours["name"]) == kind)
            .unwrap();
        for (column, their_column) in [
            ("changes", "count"),
            ("mean_gbps", "mean"),
            ("std_gbps", "std"),
            ("min_gbps", "min"),
            ("quartile1_gbps", "25%"),
            ("median_gbps", "50%"),
            ("quartile3_gbps", "75%"),
            ("max_gbps", "max"),
        ] {
            let theirs = cell(&row, &format!("memory_bw_gbps_{their_column}"));
            let place = format!("{} rank {rank} {kind} {column}", case.name);
            if ties > 0 {
                // If the start comes first, both points of the instant count, and the first is the sum of both copies
                // (D5). So up to a point more for each, and nothing but that and the least is comparable.
                let tolerance = match column {
                    "changes" => ties as f64,
                    "min_gbps" => 2e-9,
                    _ => continue,
                };
                checks.near("bandwidth, tied", &place, float(ours[column]), theirs, tolerance);
            } else if theirs.is_finite() {
                // Rates are whole bytes per second.
                checks.near("bandwidth", &place, float(ours[column]), theirs, 2e-9 + 1e-12 * theirs);
            }
        }
    }
}
