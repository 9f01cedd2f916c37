//! Collectives and stragglers against TraceLens and HTA, and against plain loops over the rows of real traces.
//!
//! Where we differ from them:
//!
//! | who | what | why |
//! |---|---|---|
//! | TraceLens | `MB` are MiB and `GB/s` are GiB/s | ours are 10^9 bytes; converted here |
//! | TraceLens | bandwidth is the mean of the calls' bandwidths | ours is all bytes over all time; compared call by call where a row has bytes and time of its extremes |
//! | TraceLens | waiting is the difference of start times by the clocks | ours is the difference of durations, which needs no clock; differs by the skew of the ends |
//! | HTA | two candidates, whatever happened | ours names one rank, and only if it is habitually late; the candidates are the two ranks that wait least |
//! | HTA | finds no kernel named `ncclDevKernel` (D7) | ours knows it; `ncclKernel` cases are compared |

use crate::common;
use crate::common::golden;
use crate::common::hta as reference;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use crate::common::checks::{Checks, CsvRow, read_csv};
use eaves_analyze::section::{Section, Value};
use eaves_analyze::{Options, Outcome, Selection, report};
use eaves_model::{Run, SliceId, SliceKind, Trace};

fn section(run: &Run, id: &str, selection: Selection) -> Option<Section> {
    let outcomes = report(run, &Options::default().with_selection(selection)).unwrap();
    outcomes.iter().find(|outcome| outcome.id() == id).and_then(Outcome::section).cloned()
}

/// The rows of a table by the ids of the columns.
fn rows(section: &Section, table: &str) -> Vec<HashMap<&'static str, Value>> {
    let table = section.tables.iter().find(|candidate| candidate.id == table).unwrap();
    let ids = table.columns.iter().map(|column| column.id);
    table.rows.iter().map(|row| ids.clone().zip(row.iter().cloned()).collect()).collect()
}

fn number(value: &Value) -> f64 {
    match value {
        Value::Integer(value) => *value as f64,
        Value::Float(value) => *value,
        other => panic!("a number was expected, not {other:?}"),
    }
}

fn of(row: &CsvRow, key: &str) -> f64 {
    row[key].parse().unwrap_or_else(|_| panic!("{key}: {}", row[key]))
}

/// Our name of a collective of TraceLens and of its element type, with the size of an element.
fn names(row: &CsvRow) -> (&'static str, &'static str, f64) {
    let kind = match row["Collective name"].as_str() {
        "allreduce" => "all_reduce",
        "broadcast" => "broadcast",
        other => panic!("{other}"),
    };
    match row["dtype"].as_str() {
        "BFloat16" => (kind, "bfloat16", 2.0),
        "Long" => (kind, "int64", 8.0),
        other => panic!("{other}"),
    }
}

/// The row of the same kind, type and size.
fn same<'a>(
    rows: &'a [HashMap<&'static str, Value>],
    reference: &CsvRow,
) -> &'a HashMap<&'static str, Value> {
    let (kind, element, size) = names(reference);
    let bytes = Value::Integer((of(reference, "In msg nelems") * size) as i64);
    let is_same = |row: &&HashMap<&'static str, Value>| {
        row["kind"] == kind.into() && row["dtype"] == element.into() && row["bytes"] == bytes
    };
    rows.iter().find(is_same).unwrap_or_else(|| panic!("no row for {reference:?}"))
}

/// Durations of the calls of one rank by kind, type and size.
fn check_durations(checks: &mut Checks, run: &Run, reference: &Path) {
    for row in read_csv(reference).unwrap() {
        let rank: i64 = row["rank"].parse().unwrap();
        let ours = section(run, "collectives", Selection::default().with_ranks(vec![rank])).unwrap();
        let ours = rows(&ours, "by_collective");
        let ours = same(&ours, &row);
        let place = format!("{} {row:?}", reference.display());
        for (id, theirs) in
            [("total_ns", "dur_sum"), ("mean_ns", "dur_mean"), ("min_ns", "dur_min"), ("max_ns", "dur_max")]
        {
            checks.near("durations", &place, number(&ours[id]) / 1000.0, of(&row, theirs), 1e-6);
        }
        checks.near("counts", &place, number(&ours["calls"]), of(&row, "operation_count"), 0.0);
        checks.near("counts", &place, number(&ours["group_size"]), of(&row, "Group size"), 0.0);
        let mebibytes = number(&ours["bytes"]) / f64::from(1 << 20);
        checks.near("sizes", &place, mebibytes, of(&row, "In msg size (MB)_first"), 1e-9);
    }
}

#[test]
fn numbers_agree_with_tracelens() {
    let Some(root) = common::data("tracelens") else { return };
    let mut checks = Checks::default();
    let resnet = root.join("cases/mi300_resnet_recompute");
    check_durations(&mut checks, &common::read_run(&resnet), &resnet.join("expected/coll_analysis.csv"));
    let pair = root.join("nccl/synthetic_2rank");
    let run = common::read_run(&pair);
    check_durations(&mut checks, &run, &pair.join("expected/nccl_summary_long.csv"));

    let ours = section(&run, "collectives", Selection::default()).unwrap();
    let skew = rows(&ours, "skew");
    for row in read_csv(&pair.join("expected/nccl_summary_implicit_sync.csv")).unwrap() {
        let ours = same(&skew, &row);
        let place = format!("{row:?}");
        for (id, theirs) in [
            ("mean_transfer_ns", "comm_latency_mean"),
            ("min_transfer_ns", "comm_latency_min"),
            ("max_transfer_ns", "comm_latency_max"),
            ("mean_start_skew_ns", "skew in start time_mean"),
            ("max_start_skew_ns", "skew in start time_max"),
        ] {
            checks.near("transfers and skews", &place, number(&ours[id]) / 1000.0, of(&row, theirs), 1e-6);
        }
        checks.near("counts", &place, number(&ours["collectives"]), of(&row, "count"), 0.0);
        let gibibytes = of(&row, "Full msg size (MB)") / 1024.0;
        let seconds = of(&row, "Total comm latency (ms)") / 1000.0;
        let theirs = gibibytes * of(&row, "count") / seconds * f64::from(1 << 30) / 1e9;
        checks.near("bandwidths", &place, number(&ours["algorithm_gbps"]), theirs, 1e-9);
        // Their own bus bandwidth of the slowest call, from which the factor follows.
        let factor = of(&row, "bus bw (GB/s)_min") / of(&row, "algo bw (GB/s)_min");
        checks.near("bandwidths", &place, number(&ours["bus_factor"]), factor, 1e-12);
        let slowest = gibibytes / (of(&row, "comm_latency_max") / 1e6);
        checks.near("bandwidths", &place, slowest, of(&row, "algo bw (GB/s)_min"), 1e-9);
        checks.near("bandwidths", &place, number(&ours["bus_gbps"]), theirs * factor, 1e-9);
    }

    let stragglers = rows(&section(&run, "stragglers", Selection::default()).unwrap(), "by_rank");
    for row in read_csv(&pair.join("expected/straggler_summary.csv")).unwrap() {
        let rank = Value::Integer(row["rank"].parse().unwrap());
        let ours = stragglers.iter().find(|row| row["rank"] == rank).unwrap();
        let place = format!("{row:?}");
        checks.near("counts", &place, number(&ours["last_count"]), of(&row, "times_arrived_last"), 0.0);
        checks.near("counts", &place, number(&ours["collectives"]), of(&row, "num_collectives"), 0.0);
        // Six calls whose ends differ by a microsecond each.
        let waited = number(&ours["own_wait_ns"]) / 1000.0;
        let ends = if waited > 0.0 { 6.0 } else { 0.0 };
        checks.near("waiting", &place, waited + ends, of(&row, "total_wait_time_us"), 1e-6);
    }
    assert!(checks.count("durations") >= 48 && checks.count("bandwidths") == 8);
    checks.finish();
}

#[test]
fn candidates_are_those_of_hta() {
    let Some(cases) = reference::cases() else { return };
    let mut compared = Vec::new();
    for case in cases {
        let Some(output) = case.output("potential_stragglers.csv") else { continue };
        let theirs: HashSet<i64> =
            read_csv(&output).unwrap().iter().map(|row| row["rank"].parse().unwrap()).collect();
        let run = case.load();
        let section = section(&run, "stragglers", Selection::default()).unwrap();
        let mut ranks: Vec<(f64, i64)> = rows(&section, "by_rank")
            .iter()
            .map(|row| (number(&row["own_wait_ns"]), number(&row["rank"]) as i64))
            .collect();
        ranks.sort_by(|one, other| one.0.total_cmp(&other.0));
        let ours: HashSet<i64> = ranks.iter().take(theirs.len()).map(|&(_, rank)| rank).collect();
        assert_eq!(ours, theirs, "{}", case.name);
        compared.push(case.name);
    }
    println!("compared: {compared:?}");
    golden::answer("collectives");
    assert_eq!(compared, ["hta_2rank", "syn_4rank"]);
}

/// Rank 3 of these traces was made 4.5 ms late in every collective, rank 2 by 3 ms, rank 1 by 1.5 ms.
#[test]
fn the_rank_that_was_made_late_is_named() {
    let Some(root) = common::data("hta/traces/syn_4rank") else { return };
    let section = section(&common::read_run(&root), "stragglers", Selection::default()).unwrap();
    let waits: Vec<f64> = rows(&section, "by_rank").iter().map(|row| number(&row["own_wait_ns"])).collect();
    assert_eq!(waits, [45e6, 30e6, 15e6, 0.0]);
    assert!(
        section.findings[0].claim.starts_with("the other ranks wait for rank 3"),
        "{}",
        section.findings[0].claim
    );
}

/// The slices of gloo's threads in time order: kind, step, duration.
fn gloo(trace: &Trace) -> Vec<(String, u64, i64)> {
    let mut found: Vec<(i64, String, i64)> = (0..trace.slices.len())
        .filter(|&row| trace.slices.kind[row] == SliceKind::Annotation)
        .filter_map(|row| {
            let name = trace.slice_name(SliceId::from(row)).strip_prefix("gloo:")?.to_owned();
            Some((trace.slices.start[row].0, name, trace.slices.duration[row].0))
        })
        .collect();
    found.sort();
    let steps = trace.steps();
    let step = |time: i64| {
        let inside = |slice: SliceId| {
            let interval = trace.slices.interval(slice.index());
            interval.start.0 <= time && time < interval.end.0
        };
        steps.iter().find(|(_, slice)| inside(*slice)).map_or(u64::MAX, |&(number, _)| number)
    };
    found.into_iter().map(|(start, name, duration)| (name, step(start), duration)).collect()
}

/// Rank 1 of this run slept 20 ms in every step. No clock is needed to see it.
#[test]
fn a_straggler_of_gloo_is_found() {
    let Some(root) = common::data("torch/gloo2") else { return };
    let run = common::read_run(&root);
    let calls: Vec<_> = run.recordings.iter().map(|recording| gloo(&recording.trace)).collect();
    assert_eq!((calls[0].len(), calls[1].len()), (18, 18));
    let mut last = [0i64; 2];
    let mut arrival: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    for (one, other) in calls[0].iter().zip(&calls[1]) {
        assert_eq!((&one.0, one.1), (&other.0, other.1), "the ranks call the same in the same order");
        if one.0 == "broadcast" {
            continue;
        }
        last[usize::from(other.2 < one.2)] += 1;
        let skews = arrival.entry(&one.0).or_default();
        skews.0 += 1;
        skews.1 += (one.2 - other.2).abs();
    }
    let stragglers = section(&run, "stragglers", Selection::default()).unwrap();
    let ours: Vec<f64> = rows(&stragglers, "by_rank").iter().map(|row| number(&row["last_count"])).collect();
    assert_eq!(ours, last.map(|count| count as f64));
    assert!(stragglers.findings[0].claim.starts_with("the other ranks wait for rank 1"));
    let collectives = section(&run, "collectives", Selection::default()).unwrap();
    let mut sums: BTreeMap<String, (i64, f64)> = BTreeMap::new();
    for row in rows(&collectives, "skew") {
        let Value::Text(kind) = &row["kind"] else { panic!("{row:?}") };
        let sum = sums.entry(kind.clone()).or_default();
        sum.0 += number(&row["collectives"]) as i64;
        sum.1 += number(&row["mean_skew_ns"]) * number(&row["collectives"]);
    }
    for (name, (count, skew)) in arrival {
        let (ours, sum) = sums[name];
        assert_eq!(ours, count, "{name}");
        assert!((sum - skew as f64).abs() < 1.0, "{name}: {sum} and {skew}");
    }
}

/// Every kernel with the arguments of a collective is in the row of its kind, type and size.
#[test]
fn every_recorded_collective_is_counted() {
    let Some(root) = common::data("hta/traces/hta_nccl") else { return };
    let run = common::read_run(&root);
    let trace = &run.recordings[0].trace;
    let mut expected: BTreeMap<(String, i64), (i64, i64)> = BTreeMap::new();
    for row in 0..trace.collectives.len() {
        let collective = trace.collectives.row(row);
        let slice = collective.slice.index();
        if trace.slices.kind[slice] != SliceKind::Kernel {
            continue;
        }
        let text = |id| trace.strings.get(id);
        let kind = match text(collective.name) {
            "allreduce" => "all_reduce",
            other => other,
        };
        let size = if text(collective.dtype) == "Long" { 8 } else { 4 };
        let key = (kind.to_owned(), collective.in_elements.get().unwrap() * size);
        let entry = expected.entry(key).or_default();
        entry.0 += 1;
        entry.1 += trace.slices.duration[slice].0;
    }
    let ours = section(&run, "collectives", Selection::default()).unwrap();
    let mut found = BTreeMap::new();
    for row in rows(&ours, "by_collective") {
        let Value::Text(kind) = &row["kind"] else { panic!("{row:?}") };
        let values = (number(&row["calls"]) as i64, number(&row["total_ns"]) as i64);
        found.insert((kind.clone(), number(&row["bytes"]) as i64), values);
    }
    assert_eq!(found, expected);
    assert_eq!(found.len(), 7);
}

/// Two ranks as PyTorch writes them, with `Seq` on the kernels of one and on the calls around the launches of the other,
/// which lost one. The clocks have nothing to do with each other.
#[test]
fn numbers_of_the_recording_tell_which_call_is_which() {
    let group = r#""Collective name": "allreduce", "In msg nelems": 1000, "Out msg nelems": 1000, "Group size": 2, "dtype": "Float", "Process Group Name": "0", "Process Group Ranks": "[0, 1]", "Is asynchronized op": true"#;
    let event = |cat: &str, name: &str, tid: u32, ts: i64, dur: i64, args: &str| {
        format!(
            r#"{{"ph": "X", "cat": "{cat}", "name": "{name}", "pid": 1, "tid": {tid}, "ts": {ts}, "dur": {dur}, "args": {{{args}}}}}"#
        )
    };
    let directory = tempfile::tempdir().unwrap();
    let write = |rank: usize, zero: i64, calls: &[(i64, i64)], on_kernel: bool| {
        let mut events = Vec::new();
        for &(number, duration) in calls {
            let (start, sequence) = (zero + 1000 * number, format!(r#", "Seq": {number}"#));
            let (own, around) = if on_kernel { (sequence.as_str(), "") } else { ("", sequence.as_str()) };
            events.push(event("cpu_op", "record_param_comms", 1, start, 50, &format!("{group}{around}")));
            events.push(event(
                "cuda_runtime",
                "cudaLaunchKernel",
                1,
                start + 10,
                5,
                &format!(r#""correlation": {number}"#),
            ));
            let kernel = format!(r#""device": 0, "stream": 20, "correlation": {number}, {group}{own}"#);
            let name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
            events.push(event("kernel", name, 20, start + 900 - duration, duration, &kernel));
        }
        let header = format!(r#""schemaVersion": 1, "distributedInfo": {{"rank": {rank}, "world_size": 2}}"#);
        let text = format!(r#"{{{header}, "traceEvents": [{}]}}"#, events.join(", "));
        std::fs::write(directory.path().join(format!("rank{rank}.json")), text).unwrap();
    };
    write(0, 5_000_000, &[(1, 100), (2, 200), (3, 300)], true);
    write(1, 77, &[(1, 20), (3, 40)], false);
    let run = common::read_run(directory.path());
    let calls = &run.recordings[0].trace.collectives;
    let asynchronous: Vec<Option<u32>> =
        (0..calls.len()).map(|row| calls.row(row).is_asynchronous.get()).collect();
    assert_eq!(asynchronous, [Some(1); 6]);
    let section = section(&run, "collectives", Selection::default()).unwrap();
    let rows = rows(&section, "by_collective");
    assert_eq!(rows.len(), 1);
    let rule = "all ranks recorded, matched by sequence number (4); not matched: not recorded on another rank of the group (1)";
    assert_eq!(rows[0]["rule"], rule.into());
    // Waiting 80 and 260 µs, of which the kernels were launched together; the second of rank 0 is alone.
    let parts = ["transfer_ns", "wait_ns", "launch_skew_ns", "unknown_ns"].map(|id| number(&rows[0][id]));
    assert_eq!(parts, [120e3, 340e3, 0.0, 200e3]);
    assert_eq!(number(&rows[0]["total_ns"]), 660e3);
}
