//! Comparison of the analyses of streams and launches with HTA 0.6.1, to the nanosecond; and with its rounded outputs, for
//! which the trace is rounded first.
//!
//! Where HTA looks at less than we do, the rest is taken out of the trace first. Where it differs:
//!
//! | what | HTA | ours | here |
//! |---|---|---|---|
//! | idle time | gap to the end of the activity before, which may be negative | gap to the latest end so far | the difference is added |
//! | idle time | the first event of the file is the launch of activities without one | they are `other` | the difference is added |
//! | interval statistics | gaps of no or negative length count | they do not | gaps as HTA counts them |
//! | launches, queue (D9) | no graphs, few driver and HIP calls | every call | ours are reduced to theirs |
//! | queue (T) | order of points at one instant is that of an unstable sort | starts come first | tolerance where there are such points |
//! | full queue | one stream of each rank, share of the recording | every stream, share of its own time | that stream, and the share of the recording |
//! | bandwidth (D5) | order at one instant, float residue counts as bandwidth | ends come first, integers | last values of instants; of statistics count and least, where there are such instants |
//! | bandwidth (D1) | rounding makes copies end before they start | no negative durations | one kind in one trace is skipped |
//! | bandwidth | copies without a recorded rate have 0 GB/s | bytes over time, or none | they get the rate 0 |
//! | bandwidth | copies of 0 µs take 1 µs | they have no rate | they get 1 µs |
//! | operators (D8) | innermost `aten::` operator of any thread; fails on AMD | innermost operator of the thread | only `aten::` ones are kept |

mod copies;
mod idle;
mod series;

use crate::common::golden;
use std::collections::{BTreeMap, HashMap};

use self::copies::{check_bandwidth, copies_as_hta};
use self::idle::check_idle;
use self::series::{check_bandwidth_series, check_counters, check_queue_series};
use crate::common::checks::{Checks, CsvRow, read_csv};
use crate::common::hta::{Case, all_cases};
use crate::common::sections::{cell, float, rows, section, table, text};
use eaves_analyze::Options;
use eaves_analyze::section::Value;
use eaves_model::{CallTree, LaunchLinks, Ns, Recording, Run, SliceId, SliceKind, Trace, operator_above};

/// The rank of a row. A single recording has the rank that HTA gives it, whatever it is.
fn rank_of(run: &Run, row: &CsvRow) -> i64 {
    match run.recordings.as_slice() {
        [only] => only.rank,
        _ => cell(row, "rank") as i64,
    }
}

fn trace_of(run: &Run, rank: i64) -> &Trace {
    &run.recordings.iter().find(|recording| recording.rank == rank).unwrap().trace
}

/// HTA calls the stream of an activity that has none -1 and leaves it out.
fn is_row(ours: &HashMap<&'static str, &Value>, rank: i64, stream: i64) -> bool {
    float(ours["rank"]) == rank as f64 && float(ours["stream"]) == stream as f64
}

/// Takes activities out of the trace.
fn keep_activities(run: &mut Run, keep: impl Fn(&Trace, &LaunchLinks, usize) -> bool) {
    for recording in &mut run.recordings {
        let trace = &recording.trace;
        let links = LaunchLinks::build(trace);
        let out: Vec<_> = (0..trace.gpu.len())
            .filter(|&row| !keep(trace, &links, row))
            .map(|row| trace.gpu.slice[row])
            .collect();
        let quarantined = &mut recording.trace.quarantined;
        quarantined.extend(out);
        quarantined.sort_unstable();
        quarantined.dedup();
    }
}

fn launched_by(trace: &Trace, links: &LaunchLinks, row: usize, names: &[&str]) -> bool {
    links.launch(row.into()).is_some_and(|call| names.contains(&trace.slice_name(call)))
}

/// Statistics as pandas names them, with quartiles between the values next to them.
fn describe(mut values: Vec<f64>) -> [(&'static str, f64); 8] {
    values.sort_by(f64::total_cmp);
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let quantile = |share: f64| {
        let at = share * (count - 1.0);
        let (low, high) = (at.floor() as usize, at.ceil() as usize);
        match (values.get(low), values.get(high)) {
            (Some(low), Some(high)) => low + (high - low) * at.fract(),
            _ => f64::NAN,
        }
    };
    let [min, first, median, third, max] = [0.0, 0.25, 0.5, 0.75, 1.0].map(quantile);
    let deviation = (squares / (count - 1.0)).sqrt();
    [
        ("count", count),
        ("mean", mean),
        ("std", deviation),
        ("min", min),
        ("25%", first),
        ("50%", median),
        ("75%", third),
        ("max", max),
    ]
}

const LAUNCHES: [&str; 5] = [
    "cudaLaunchKernel",
    "cudaLaunchKernelExC",
    "runFunction - job_prep_and_submit_for_execution",
    "cudaMemcpyAsync",
    "cudaMemsetAsync",
];

fn check_launches(checks: &mut Checks, case: &Case, run: &Run) {
    let section = section(run, "launch-stats", &Options::default().with_details(true));
    for recording in &run.recordings {
        let file = |name: &str| read_csv(&case.output(&format!("{name}_rank{}.csv", recording.rank))?);
        let of_rank = |ours: &HashMap<&'static str, &Value>| {
            float(ours["rank"]) == recording.rank as f64 && LAUNCHES.contains(&text(ours["name"]))
        };
        // Nothing was launched if there is no section.
        let ours: BTreeMap<i64, [f64; 3]> = section
            .iter()
            .flat_map(|section| rows(table(section, "launches")))
            .filter(of_rank)
            .map(|row| {
                assert_eq!(float(row["activities"]), 1.0);
                let key = float(row["correlation"]) as i64;
                (key, ["cpu_ns", "gpu_ns", "delay_ns"].map(|column| float(row[column])))
            })
            .collect();
        if let Some(theirs) = file("cuda_kernel_launch_stats") {
            let place = format!("{} rank {}", case.name, recording.rank);
            checks.near("launch rows", &place, ours.len() as f64, theirs.len() as f64, 0.0);
            for row in theirs {
                let key = cell(&row, "correlation") as i64;
                let ours = ours.get(&key).copied().unwrap_or([f64::NAN; 3]);
                for (column, ours) in ["cpu_duration", "gpu_duration", "launch_delay"].into_iter().zip(ours) {
                    let at = format!("{place} correlation {key} {column}");
                    // Floats of microseconds since 1970 or since start-up are up to half a nanosecond off, and HTA subtracts two.
                    checks.near("launch", &at, ours, 1e3 * cell(&row, column), 1.0);
                }
            }
        }
        for row in file("cuda_kernel_launch_stats_describe").unwrap_or_default() {
            for (index, column) in ["cpu_duration", "gpu_duration", "launch_delay"].into_iter().enumerate() {
                let values = describe(ours.values().map(|values| values[index]).collect());
                let (_, ours) = values.into_iter().find(|(name, _)| *name == row["index"]).unwrap();
                let scale = if row["index"] == "count" { 1.0 } else { 1e3 };
                let theirs = scale * cell(&row, column);
                if theirs.is_finite() {
                    let place = format!("{} rank {} {column} {}", case.name, recording.rank, row["index"]);
                    checks.near("launch statistics", &place, ours, theirs, 1.0);
                }
            }
        }
        for row in file("cuda_kernel_launch_stats_counts").unwrap_or_default() {
            let sum = |column: &str| {
                let calls = section.iter().flat_map(|section| rows(table(section, "by_call")));
                calls.filter(of_rank).map(|row| float(row[column])).sum::<f64>()
            };
            let columns = [
                ("calls", "n"),
                ("short_kernels", "short_kernels(cpu<=50 & gpu<cpu)"),
                ("slow_calls", "runtime_outliers(cpu>50)"),
                ("delayed", "launch_delay_outliers(>100)"),
            ];
            for (ours, theirs) in columns {
                let place = format!("{} rank {} {ours}", case.name, recording.rank);
                checks.near("launch counts", &place, sum(ours), cell(&row, theirs), 0.0);
            }
        }
    }
}

const QUEUED: [&str; 12] = [
    "cudaMemsetAsync",
    "cudaMemcpyAsync",
    "cudaLaunchKernel",
    "cudaLaunchKernelExC",
    "cuLaunchKernel",
    "cuLaunchKernelEx",
    "runFunction - job_prep_and_submit_for_execution",
    "hipLaunchKernel",
    "hipExtModuleLaunchKernel",
    "hipMemcpyAsync",
    "hipMemsetAsync",
    "hipMemcpyWithStream",
];

/// How many launches and starts of a stream stand at the same instant as one of the other sort.
fn ties(trace: &Trace, stream: i64) -> usize {
    let links = LaunchLinks::build(trace);
    let mut points: HashMap<Ns, [usize; 2]> = HashMap::new();
    for activity in trace.gpu_activities() {
        let row = activity.index();
        let (true, Some(call)) = (trace.gpu.stream[row].get() == Some(stream), links.launch(activity)) else {
            continue;
        };
        points.entry(trace.slices.start[call.index()]).or_default()[0] += 1;
        points.entry(trace.slices.start[trace.gpu.slice[row].index()]).or_default()[1] += 1;
    }
    points.values().map(|[launches, starts]| launches.min(starts)).sum()
}

/// From the first to the last start of any event of each rank: what HTA's shares are of.
fn recorded(run: &Run) -> HashMap<i64, Ns> {
    let of_rank = |recording: &Recording| {
        let (trace, slices) = (&recording.trace, &recording.trace.slices);
        let is_there =
            |row: &usize| slices.kind[*row] != SliceKind::Span && !trace.is_quarantined(SliceId::from(*row));
        let starts = || (0..slices.len()).filter(is_there).map(|row| slices.start[row]);
        let (first, last) = (starts().min(), starts().max());
        (recording.rank, last.zip(first).map_or(Ns::ZERO, |(last, first)| last - first))
    };
    run.recordings.iter().map(of_rank).collect()
}

fn check_queue(checks: &mut Checks, case: &Case, run: &Run, recorded: &HashMap<i64, Ns>) {
    let queue = section(run, "queue-length", &Options::default());
    let theirs = case.output("queue_length_summary.csv").and_then(|path| read_csv(&path)).unwrap_or_default();
    for row in theirs {
        let (rank, stream) = (rank_of(run, &row), cell(&row, "stream") as i64);
        let queue = queue.as_ref().unwrap();
        let ours = rows(table(queue, "by_stream")).find(|ours| is_row(ours, rank, stream)).unwrap();
        let ties = ties(trace_of(run, rank), stream) as f64;
        for (column, their_column, tied) in [
            ("changes", "count", 0.0),
            // In the other order one of the two points is two higher.
            ("mean", "mean", 2.0 * ties / float(ours["changes"])),
            ("std", "std", 2.0 * ties / float(ours["changes"])),
            ("min", "min", 1.0),
            ("quartile1", "25%", 1.0),
            ("median", "50%", 1.0),
            ("quartile3", "75%", 1.0),
            ("max", "max", 1.0),
        ] {
            let place = format!("{} rank {rank} stream {stream} {column}, {ties} ties", case.name);
            let tolerance = if ties > 0.0 { tied } else { 1e-9 };
            let what = if ties > 0.0 && tied > 0.0 { "queue, tied" } else { "queue" };
            let theirs = cell(&row, &format!("queue_length_{their_column}"));
            checks.near(what, &place, float(ours[column]), theirs, tolerance);
        }
    }
    for limit in [1024, 5] {
        let file = format!("blocked_on_full_queue_{limit}.csv");
        let Some(theirs) = case.output(&file).and_then(|path| read_csv(&path)) else { continue };
        let Some(queue) = section(run, "queue-length", &Options::default().with_queue_limit(limit)) else {
            checks.near("full queue rows", &case.name, 0.0, theirs.len() as f64, 0.0);
            continue;
        };
        for row in &theirs {
            let (rank, stream) = (rank_of(run, row), cell(row, "stream") as i64);
            let place = format!("{} rank {rank} stream {stream} limit {limit}", case.name);
            let ours = rows(table(&queue, "by_stream")).find(|ours| is_row(ours, rank, stream)).unwrap();
            let theirs = 1e3 * cell(row, "duration_at_max_queue_length");
            // A sum of floats that are half a nanosecond off.
            checks.near("full queue", &place, float(ours["blocked_ns"]), theirs, 5.0);
            let share = float(ours["blocked_ns"]) / recorded[&rank].as_f64();
            let theirs = cell(row, "relative_duration_at_max_queue_length");
            checks.near("full queue share", &place, share, theirs, 1e-6);
        }
        // HTA has a row for each rank that has any stream that was full.
        let full = rows(table(&queue, "by_stream")).filter(|ours| float(ours["blocked_ns"]) > 0.0);
        let mut ranks: Vec<i64> = full.map(|ours| float(ours["rank"]) as i64).collect();
        ranks.dedup();
        let place = format!("{} limit {limit}", case.name);
        checks.near("full queue rows", &place, ranks.len() as f64, theirs.len() as f64, 0.0);
    }
}

/// Leaves kernels and `aten::` operators.
fn keep_aten(run: &mut Run) {
    keep_activities(run, |trace, _, row| {
        trace.slices.kind[trace.gpu.slice[row].index()] == SliceKind::Kernel
    });
    for recording in &mut run.recordings {
        let trace = &mut recording.trace;
        for row in 0..trace.slices.len() {
            let is_op = trace.slices.kind[row] == SliceKind::Op;
            if is_op && !trace.strings.get(trace.slices.name[row]).starts_with("aten::") {
                trace.slices.kind[row] = SliceKind::Span;
            }
        }
        // Of two operators that start in the same microsecond HTA takes the outer one.
        let tree = CallTree::build(&trace.slices);
        let start = |slice: SliceId| trace.slices.start[slice.index()];
        let begins_with_parent = |slice: &SliceId| {
            operator_above(trace, &tree, *slice).is_some_and(|above| start(above) == start(*slice))
        };
        let inner: Vec<SliceId> = (0..trace.slices.len())
            .map(SliceId::from)
            .filter(|slice| trace.slices.kind[slice.index()] == SliceKind::Op)
            .filter(begins_with_parent)
            .collect();
        for slice in inner {
            trace.slices.kind[slice.index()] = SliceKind::Span;
        }
    }
}

fn check_ops(checks: &mut Checks, case: &Case, run: &Run) {
    let Some(theirs) = case.output("aten_op_kernels_and_delay_rank0.csv").and_then(|path| read_csv(&path))
    else {
        return;
    };
    let section = section(run, "op-delays", &Options::default()).unwrap();
    let ours: HashMap<(String, String), [f64; 3]> = rows(table(&section, "by_op"))
        .filter(|row| float(row["rank"]) == 0.0)
        .map(|row| {
            let key = (text(row["name"]).to_owned(), text(row["sequence"]).to_owned());
            (key, ["calls", "to_launch_mean_ns", "to_start_mean_ns"].map(|column| float(row[column])))
        })
        .collect();
    checks.near("operator rows", &case.name, ours.len() as f64, theirs.len() as f64, 0.0);
    for row in theirs {
        let key = (row["aten_op_name"].clone(), row["kernel_sequence"].clone());
        let place = format!("{} {}", case.name, key.0);
        let ours = ours.get(&key).copied().unwrap_or([f64::NAN; 3]);
        checks.near("operators", &place, ours[0], cell(&row, "occurrence_count"), 0.0);
        // Rounded to nanoseconds.
        checks.near("operators", &place, ours[1], 1e3 * cell(&row, "avg_aten_op_launch_delay"), 0.6);
        checks.near("operators", &place, ours[2], 1e3 * cell(&row, "avg_runtime_delay"), 0.6);
    }
}

#[test]
fn streams_and_launches_agree_with_hta() {
    let Some(cases) = all_cases() else { return };
    let mut checks = Checks::default();
    for case in &cases {
        let mut run = case.load();
        check_idle(&mut checks, case, &run);
        check_launches(&mut checks, case, &run);
        check_counters(&mut checks, case, &run);
        let recorded = recorded(&run);
        keep_activities(&mut run, |trace, links, row| {
            // HTA takes an activity that is the first event of the file for one that is not linked.
            trace.gpu.slice[row] != SliceId(0) && launched_by(trace, links, row, &QUEUED)
        });
        check_queue(&mut checks, case, &run, &recorded);
        check_queue_series(&mut checks, case, &run);
        let mut run = case.load();
        copies_as_hta(&mut run);
        check_bandwidth(&mut checks, case, &run);
        check_bandwidth_series(&mut checks, case, &run);
        let mut run = case.load();
        keep_aten(&mut run);
        check_ops(&mut checks, case, &run);
    }
    checks.finish();
    golden::answer("hta_streams");
    // What the data held when this was written; less means that something was not looked at.
    for (what, least) in [
        ("idle", 164),
        ("idle share", 280),
        ("gap length", 690),
        ("odd gaps", 138),
        ("launch", 44_000),
        ("launch counts", 172),
        ("launch statistics", 580),
        ("queue", 526),
        ("queue series", 91_000),
        ("full queue", 26),
        ("full queue share", 26),
        ("bandwidth", 409),
        ("bandwidth series", 11_000),
        ("counter points", 3_000),
        ("operators", 687),
    ] {
        assert!(checks.count(what) >= least, "{what}: {}", checks.count(what));
    }
}
