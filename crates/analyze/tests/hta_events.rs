//! The events themselves against the table that HTA makes of a trace: every event of every trace, its times, its place,
//! its links and its step; and what HTA says of events one by one: kernel types, short names, steps, filters.

use crate::common;
use crate::common::golden;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use crate::common::checks::{Checks, CsvRow, read_csv};
use crate::common::frame::{Event, hta_type, load, short_name};
use eaves_analyze::KernelType;
use eaves_model::{Run, SliceId, SliceKind};

fn number(row: &CsvRow, column: &str) -> f64 {
    row[column].parse().unwrap_or(f64::NAN)
}

/// The step; -999 where HTA writes none, and in sums so that they have a row.
fn iteration(row: &CsvRow) -> f64 {
    row["iteration"].parse().unwrap_or(-999.0)
}

/// Floats of microseconds since 1970 are that far apart, and HTA subtracts two.
const FLOAT_ERROR: f64 = 0.0005;

/// Every event in the order of the file.
fn check_events(checks: &mut Checks, place: &str, events: &[Event], mut theirs: Vec<CsvRow>) {
    theirs.sort_by_key(|row| row["index"].parse::<u64>().unwrap());
    let mut ours: Vec<&Event> = events.iter().collect();
    ours.sort_by_key(|event| event.slice);
    checks.near("events", place, ours.len() as f64, theirs.len() as f64, 0.0);
    let index_of: HashMap<SliceId, &str> =
        ours.iter().zip(&theirs).map(|(event, row)| (event.slice, &*row["index"])).collect();
    for (event, row) in ours.iter().zip(&theirs) {
        let at = format!("{place} {} {}", row["index"], row["name"]);
        checks.same("event name", &at, &event.name, &row["name"]);
        checks.same("event category", &at, &event.category, &row["cat"]);
        checks.same("event process", &at, &event.process, &row["pid"]);
        checks.same("event thread", &at, &event.thread, &row["tid"]);
        checks.near("event start", &at, event.start, number(row, "ts"), FLOAT_ERROR);
        checks.near("event duration", &at, event.duration, number(row, "dur"), FLOAT_ERROR);
        checks.near("event end", &at, event.absolute_end, number(row, "end"), FLOAT_ERROR);
        checks.near("event stream", &at, event.stream as f64, number(row, "stream"), 0.0);
        checks.near("event correlation", &at, event.correlation as f64, number(row, "correlation"), 0.0);
        checks.near("event step", &at, event.iteration as f64, iteration(row), 0.0);
        let partner = &*row["index_correlation"];
        if event.is_on_gpu() && number(row, "index_correlation") > 0.0 {
            let launch = event.launch.and_then(|launch| index_of.get(&launch).copied());
            checks.same("event launch", &at, launch.unwrap_or("none"), partner);
        }
    }
}

/// Sums over the events of a category, side and step.
fn check_summary(checks: &mut Checks, place: &str, events: &[Event], theirs: &[CsvRow]) {
    let (gpu, cpu): (Vec<&Event>, Vec<&Event>) = events.iter().partition(|event| event.is_on_gpu());
    let partners = |events: &[&Event]| -> BTreeSet<i64> {
        // HTA takes the first event of a file for none.
        events.iter().filter(|event| event.slice != SliceId(0)).map(|event| event.correlation).collect()
    };
    let (on_gpu, on_cpu) = (partners(&gpu), partners(&cpu));
    let mut ours: BTreeMap<(String, bool, i64), [f64; 5]> = BTreeMap::new();
    for event in events {
        let linked = event.correlation != -1
            && if event.is_on_gpu() { &on_cpu } else { &on_gpu }.contains(&event.correlation);
        let key = (event.category.clone(), event.stream != -1, event.iteration);
        let sums = ours.entry(key).or_insert([0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, 0.0]);
        sums[0] += 1.0;
        sums[1] += event.duration;
        sums[2] = sums[2].min(event.start);
        sums[3] = sums[3].max(event.absolute_end);
        sums[4] += f64::from(u8::from(linked));
    }
    checks.near("event sums", place, ours.len() as f64, theirs.len() as f64, 0.0);
    for row in theirs {
        let iteration = iteration(row) as i64;
        let at = format!("{place} {} {} {iteration}", row["cat"], row["gpu"]);
        let ours = ours.get(&(row["cat"].clone(), row["gpu"] == "1", iteration)).copied();
        let columns = ["count", "dur_sum", "ts_min", "end_max", "linked"];
        for (column, ours) in columns.iter().zip(ours.unwrap_or([f64::NAN; 5])) {
            let theirs = number(row, column);
            checks.near(
                "event sums",
                &format!("{at} {column}"),
                ours,
                theirs,
                FLOAT_ERROR + 1e-12 * theirs.abs(),
            );
        }
    }
}

fn label(kernel_type: Option<KernelType>) -> &'static str {
    match kernel_type {
        Some(KernelType::Compute) => "COMPUTATION",
        Some(KernelType::Communication) => "COMMUNICATION",
        Some(KernelType::Memory) => "MEMORY",
        None => "OTHER",
    }
}

/// The type of each name: HTA's by its expressions, and ours, which is the same but for what HTA calls OTHER.
fn check_types(
    checks: &mut Checks,
    place: &str,
    run: &Run,
    ranks: &BTreeMap<i64, Vec<Event>>,
    theirs: &[CsvRow],
) {
    let names: BTreeSet<&str> =
        ranks.values().flatten().filter(|event| event.stream != -1).map(|event| &*event.name).collect();
    checks.near("kernel types", place, names.len() as f64, theirs.len() as f64, 0.0);
    let mut kinds: HashMap<&str, SliceKind> = HashMap::new();
    for recording in &run.recordings {
        let trace = &recording.trace;
        kinds.extend(
            trace.gpu.slice.iter().map(|&slice| (trace.slice_name(slice), trace.slices.kind[slice.index()])),
        );
    }
    for row in theirs {
        let (name, theirs) = (&*row["name"], &*row["kernel_type"]);
        let at = format!("{place} {name}");
        checks.same("kernel types", &at, label(hta_type(name)), theirs);
        checks.same("short names", &at, &short_name(name), &row["short_name"]);
        if let Some(kind) = kinds.get(name).filter(|_| theirs != "OTHER") {
            checks.same("our kernel types", &at, label(Some(KernelType::of(*kind, name))), theirs);
        }
    }
}

fn check_steps(checks: &mut Checks, place: &str, ranks: &BTreeMap<i64, Vec<Event>>, theirs: &[CsvRow]) {
    let ours: BTreeSet<&str> = ranks.values().flatten().filter_map(Event::step).collect();
    let theirs: BTreeSet<&str> = theirs.iter().map(|row| &*row["step"]).collect();
    checks.same("steps", place, &format!("{ours:?}"), &format!("{theirs:?}"));
}

/// The rows and the time that HTA's filters leave.
fn check_filters(checks: &mut Checks, place: &str, ranks: &BTreeMap<i64, Vec<Event>>, theirs: &[CsvRow]) {
    for row in theirs {
        let events = &ranks[&row["rank"].parse().unwrap()];
        let first = events.iter().filter(|event| event.iteration >= 0).map(|event| event.iteration).min();
        let forward = events.iter().find(|event| event.name == "## forward ##").unwrap();
        let call = |slice: SliceId| events.iter().find(|event| event.slice == slice).unwrap();
        let is_left = |event: &&Event| match &*row["filter"] {
            "IterationFilter(first)" | "IterationIndexFilter(0)" | "FirstIterationFilter" => {
                Some(event.iteration) == first
            }
            "TimeRangeFilter(0,100000)" => event.start >= 0.0 && event.end <= 100_000.0,
            "NameFilter(^aten::)" => event.name.starts_with("aten::"),
            "GPUKernelFilter" => event.stream >= 0,
            "CPUOperatorFilter" => event.stream < 0,
            "ZeroDurationFilter(dur>0)" => event.duration > 0.0,
            "MemCopyEventFilter(Memcpy HtoD (Pinned -> Device))" => {
                event.name == "Memcpy HtoD (Pinned -> Device)"
            }
            // The calls inside, and what they launched; before and after there are calls only.
            "Under(## forward ##,0)" => {
                let is_inside = |event: &Event| {
                    event.stream < 0 && event.start >= forward.start && event.end <= forward.end
                };
                is_inside(event) || event.launch.is_some_and(|launch| is_inside(call(launch)))
            }
            "After(## forward ##,0)" => event.stream < 0 && event.start >= forward.end,
            "Before(## forward ##,0)" => event.stream < 0 && event.end <= forward.start,
            other => unreachable!("{other}"),
        };
        let left: Vec<&Event> = events.iter().filter(is_left).collect();
        let at = format!("{place} rank {} {}", row["rank"], row["filter"]);
        checks.near("filters", &at, left.len() as f64, number(row, "rows"), 0.0);
        let time = left.iter().map(|event| event.duration).sum::<f64>();
        checks.near("filters", &at, time, number(row, "dur_sum"), 0.0);
    }
}

fn check_case(checks: &mut Checks, golden: &Path, case: &str, run: &Run, rounded: bool) {
    let ranks = load(run, rounded);
    let place = format!("{case}{}", if rounded { "" } else { " (ns)" });
    let read = |file: &str| read_csv(&golden.join(file));
    for (rank, events) in &ranks {
        let at = format!("{place} rank {rank}");
        if let Some(theirs) = read(&format!("events_rank{rank}.csv")) {
            check_events(checks, &at, events, theirs);
        }
        if let Some(theirs) = read(&format!("events_summary_rank{rank}.csv")) {
            check_summary(checks, &at, events, &theirs);
        }
    }
    if let Some(theirs) = read("kernel_types.csv") {
        check_types(checks, &place, run, &ranks, &theirs);
    }
    if let Some(theirs) = read("profiler_steps.csv") {
        check_steps(checks, &place, &ranks, &theirs);
    }
    if let Some(theirs) = read("filters.csv") {
        check_filters(checks, &place, &ranks, &theirs);
    }
}

#[test]
fn events_agree_with_hta() {
    let Some(checks) = common::hta::checked(check_case) else { return };
    checks.finish();
    golden::answer("hta_events");
    // What the data held when this was written; less means that something was not looked at.
    for (what, least) in [
        ("event start", 33_600),
        ("event launch", 4_900),
        ("event sums", 1_600),
        ("filters", 48),
        ("kernel types", 1_100),
        ("our kernel types", 1_100),
        ("short names", 1_100),
        ("steps", 39),
    ] {
        assert!(checks.count(what) >= least, "{what}: {}", checks.count(what));
    }
}
