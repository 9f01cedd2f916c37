//! Comparison with the tables of HTA 0.6.1 (`traceinsight` on PyPI) on its own test traces and others.
//!
//! HTA looks at other events, classifies kernels otherwise, drops the last step and rounds to microseconds.
//! The emulation below does the same to the events; the unions, sweeps and statistics are ours, so that it is
//! our arithmetic that is compared.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests may fail loudly")]

#[path = "common/checks.rs"]
mod checks;
mod common;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use checks::{Checks, CsvRow, in_microseconds, interval, microseconds, read_csv, units};
use eaves_analyze::{Breakdown, KernelType, Statistics, TypeSets, TypeTimes};
use eaves_model::{Ns, Run, SliceId, SliceKind, Trace, sweep};

/// An event as HTA holds it. Times in microseconds.
#[derive(Clone)]
struct Event {
    start: f64,
    duration: f64,
    /// Known once the start counts from the run's zero: HTA adds the two after that.
    end: f64,
    name: String,
    stream: i64,
    correlation: i64,
}

impl Event {
    /// HTA's parser's idea of a GPU event.
    fn is_on_gpu(&self) -> bool {
        (self.stream >= 0 && self.correlation >= 0) || ["Event Sync", "Context Sync"].contains(&&*self.name)
    }

    fn step(&self) -> Option<&str> {
        let rest = self.name.strip_prefix("ProfilerStep#")?;
        rest.starts_with(|c: char| c.is_ascii_digit()).then_some(rest)
    }
}

/// The type of a kernel by HTA's regular expressions; nothing for its OTHER.
fn hta_type(name: &str) -> Option<KernelType> {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let contains = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if starts(&["nccl", "hip", "hccl"]) || contains(&["ncclKernel"]) {
        return Some(KernelType::Communication);
    }
    if starts(&["Memcpy", "Memset", "dma"]) {
        return Some(KernelType::Memory);
    }
    let other = contains(&["Memcpy", "Memset", "dma", "Sync"])
        || starts(&["Stream Wait Event", "runFunction", "job_exe", "packet", "pe_exe", "cpum_exe_subgraph"])
        || starts(&["collective_subgraph_execution"])
        || (name.starts_with("cuda") && name.contains("LaunchKernel"));
    (!other).then_some(KernelType::Compute)
}

/// All complete events of a trace in the order of the file.
fn events(trace: &Trace, rounded: bool) -> Vec<Event> {
    let slices = &trace.slices;
    let mut streams = vec![-1i64; slices.len()];
    let mut correlations = vec![-1i64; slices.len()];
    for (row, slice) in trace.gpu.slice.iter().enumerate() {
        streams[slice.index()] = trace.gpu.stream[row].unwrap_or(-1);
        correlations[slice.index()] = trace.gpu.correlation[row].unwrap_or(-1);
    }
    for (row, slice) in trace.syncs.slice.iter().enumerate() {
        streams[slice.index()] = trace.syncs.stream[row].unwrap_or(-1);
        correlations[slice.index()] = trace.syncs.correlation[row].unwrap_or(-1);
    }
    for (row, slice) in trace.triton.slice.iter().enumerate() {
        streams[slice.index()] = trace.triton.stream[row].unwrap_or(-1);
    }
    for (row, slice) in trace.runtime.slice.iter().enumerate() {
        correlations[slice.index()] = trace.runtime.correlation[row].unwrap_or(-1);
    }
    // HTA rounds if any time stamp of the file has a fraction.
    let rounded = rounded && slices.start.iter().any(|start| start.0 % 1000 != 0);
    (0..slices.len())
        .filter(|&row| slices.kind[row] != SliceKind::Span)
        .map(|row| {
            let (start, duration) = (microseconds(slices.start[row]), microseconds(slices.duration[row]));
            let (start, duration) = if rounded {
                (start.ceil(), (start + duration).floor() - start.ceil())
            } else {
                (start, duration)
            };
            Event {
                start,
                duration,
                end: f64::NAN,
                name: trace.slice_name(SliceId::from(row)).to_owned(),
                stream: streams[row],
                correlation: correlations[row],
            }
        })
        .collect()
}

/// The events of all ranks after alignment and step filter, by rank.
fn load(run: &Run, rounded: bool) -> BTreeMap<i64, Vec<Event>> {
    let mut ranks: BTreeMap<i64, Vec<Event>> = BTreeMap::new();
    for recording in &run.recordings {
        ranks.insert(recording.rank, events(&recording.trace, rounded));
    }
    let zero = ranks.values().flatten().map(|event| event.start).fold(f64::INFINITY, f64::min);
    for event in ranks.values_mut().flatten() {
        event.start -= zero;
        event.end = event.start + event.duration;
    }
    let mut steps: Vec<&str> = ranks.values().flatten().filter_map(Event::step).collect();
    steps.sort_unstable();
    steps.dedup();
    if steps.len() > 1 {
        ranks.values_mut().for_each(drop_last_step);
    }
    ranks
}

/// Keeps the CPU events before the last step, and each GPU event once for every CPU event of its correlation.
fn drop_last_step(events: &mut Vec<Event>) {
    let (gpu, cpu): (Vec<Event>, Vec<Event>) = events.drain(..).partition(Event::is_on_gpu);
    let steps = cpu.iter().filter(|event| event.step().is_some());
    let last = steps.map(|event| event.start).fold(f64::NEG_INFINITY, f64::max);
    let cpu: Vec<Event> = cpu.into_iter().filter(|event| event.start < last).collect();
    let mut launches: HashMap<i64, usize> = HashMap::new();
    for event in &cpu {
        *launches.entry(event.correlation).or_default() += 1;
    }
    for event in gpu {
        let times = launches.get(&event.correlation).copied().unwrap_or(0);
        events.extend(std::iter::repeat_n(event, times));
    }
    events.extend(cpu);
}

/// The events HTA's analyses count as GPU time.
fn on_streams(events: &[Event]) -> Vec<&Event> {
    events.iter().filter(|event| event.stream != -1).collect()
}

/// HTA's merged intervals: a new group begins where a start lies after every end so far.
fn groups(events: &[&Event]) -> Vec<(f64, f64)> {
    let mut sorted: Vec<(f64, f64)> = events.iter().map(|event| (event.start, event.end)).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut groups: Vec<(f64, f64)> = Vec::new();
    let mut reached = f64::NEG_INFINITY;
    for (start, end) in sorted {
        match groups.last_mut() {
            Some(group) if start <= reached => group.1 = group.1.max(end),
            _ => groups.push((start, end)),
        }
        reached = reached.max(end);
    }
    groups
}

/// What rounding does to HTA's unions: events that end before they start count negative where they stand alone.
/// Our intervals cannot, so their sum is added to our numbers. None without rounding.
fn inverted(events: &[&Event]) -> Vec<(f64, f64)> {
    groups(events).into_iter().filter(|(start, end)| end < start).collect()
}

fn negative(inverted: &[(f64, f64)]) -> f64 {
    inverted.iter().map(|(start, end)| end - start).sum()
}

fn of_type<'a>(events: &[&'a Event], kernel_type: KernelType) -> Vec<&'a Event> {
    events.iter().copied().filter(|event| hta_type(&event.name) == Some(kernel_type)).collect()
}

/// Our unions over HTA's events; its OTHER goes where it is told.
fn sets(events: &[&Event], other: Option<KernelType>) -> TypeSets {
    events
        .iter()
        .filter_map(|event| Some((interval(event.start, event.end), hta_type(&event.name).or(other)?)))
        .collect()
}

fn number(row: &CsvRow, column: &str) -> f64 {
    row[column].parse().unwrap_or(f64::NAN)
}

/// Sums of floats in HTA lose about this much.
const FLOAT_ERROR: f64 = 1e-5;

fn check_temporal(checks: &mut Checks, place: &str, events: &[Event], row: &CsvRow) {
    let events = on_streams(events);
    // OTHER is busy time in HTA but neither compute nor communication.
    let ours = Breakdown::of(&sets(&events, Some(KernelType::Memory)));
    let latest = |clamped: bool| {
        let end = |event: &&Event| if clamped { event.end.max(event.start) } else { event.end };
        events.iter().map(end).fold(f64::NEG_INFINITY, f64::max)
    };
    let span = in_microseconds(ours.span) + latest(false) - latest(true);
    let busy = in_microseconds(ours.busy) + negative(&inverted(&events));
    let compute = in_microseconds(ours.compute) + negative(&inverted(&of_type(&events, KernelType::Compute)));
    let values = [
        ("kernel_time(us)", span),
        ("idle_time(us)", span - busy),
        ("compute_time(us)", compute),
        ("non_compute_time(us)", busy - compute),
    ];
    for (column, value) in values {
        checks.near("temporal", &format!("{place} {column}"), value, number(row, column), FLOAT_ERROR);
    }
    let shares = [
        ("idle_time_pctg", span - busy),
        ("compute_time_pctg", compute),
        ("non_compute_time_pctg", busy - compute),
    ];
    for (column, value) in shares {
        let share = 100.0 * value / span;
        checks.near("temporal", &format!("{place} {column}"), share, number(row, column), 0.005 + 1e-9);
    }
}

fn check_overlap(checks: &mut Checks, place: &str, events: &[Event], row: &CsvRow) {
    let events = on_streams(events);
    let times = TypeTimes::of(&sets(&events, None));
    let communication = in_microseconds(times.total(KernelType::Communication))
        + negative(&inverted(&of_type(&events, KernelType::Communication)));
    let theirs = number(row, "comp_comm_overlap_pctg");
    if communication == 0.0 {
        // HTA leaves the cell empty.
        checks.near("overlap", place, f64::from(theirs.is_nan()), 1.0, 0.0);
        return;
    }
    let share = 100.0 * in_microseconds(times.overlapped_communication()) / communication;
    checks.near("overlap", place, share, theirs, 0.005 + 1e-9);
}

fn label(mask: u32) -> String {
    let names = ["COMPUTATION", "COMMUNICATION", "MEMORY"];
    let inside = names.iter().enumerate().filter(|(bit, _)| mask & (1 << bit) != 0);
    inside.map(|(_, name)| *name).collect::<Vec<_>>().join(" overlapping ")
}

/// Time of each combination of types in whole microseconds, from our sweep.
fn combinations(events: &[&Event], truncated: bool) -> [f64; 8] {
    let sets = sets(events, None);
    let mut times = [0.0; 8];
    if truncated {
        // HTA cuts every segment to whole microseconds.
        let [a, b, c] = KernelType::ALL.map(|kernel_type| sets.of_type(kernel_type));
        sweep([a, b, c], |segment, mask| {
            times[mask as usize] += in_microseconds(segment.length()).floor();
        });
    } else {
        let ours = TypeTimes::of(&sets);
        for mask in 1..8 {
            times[mask as usize] = in_microseconds(ours.exactly(mask));
        }
    }
    times
}

/// HTA's sweep: a running sum of the types' bits, each added at a start and taken away at an end.
fn hta_sweep(groups: &[Vec<(f64, f64)>; 3]) -> [f64; 8] {
    let mut points: Vec<(f64, i32)> = Vec::new();
    for (groups, kernel_type) in groups.iter().zip(KernelType::ALL) {
        let bit = kernel_type.bit() as i32;
        points.extend(groups.iter().flat_map(|&(start, end)| [(start, bit), (end, -bit)]));
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut times, mut running) = ([0.0; 8], 0);
    for pair in points.windows(2) {
        running += pair[0].1;
        if let Ok(mask @ 1..) = usize::try_from(running) {
            times[mask] += pair[1].0 - pair[0].0;
        }
    }
    times
}

/// What inverted intervals do to HTA's sweep: from end to start the type's bit is subtracted instead of added,
/// which can name any other combination. The answer is what to add to our times.
fn change_by_inverted(events: &[&Event]) -> [f64; 8] {
    let all = KernelType::ALL.map(|kernel_type| groups(&of_type(events, kernel_type)));
    let sound = all.clone().map(|mut groups| {
        groups.retain(|(start, end)| start <= end);
        groups
    });
    if all == sound {
        return [0.0; 8];
    }
    let (with, without) = (hta_sweep(&all), hta_sweep(&sound));
    std::array::from_fn(|mask| with[mask] - without[mask])
}

fn check_types(
    checks: &mut Checks,
    place: &str,
    ranks: &BTreeMap<i64, Vec<Event>>,
    table: &[CsvRow],
    truncated: bool,
) {
    let mut ours = [0.0; 8];
    for events in ranks.values() {
        let events = on_streams(events);
        let change = change_by_inverted(&events);
        for (mask, time) in combinations(&events, truncated).into_iter().enumerate() {
            ours[mask] += time + change[mask];
        }
    }
    let mut theirs: HashMap<&str, f64> =
        table.iter().map(|row| (&*row["kernel_type"], number(row, "sum"))).collect();
    for (mask, time) in ours.into_iter().enumerate().skip(1) {
        let label = label(mask as u32);
        let theirs = theirs.remove(&*label).unwrap_or(0.0);
        checks.near("types", &format!("{place} {label}"), time, theirs, FLOAT_ERROR);
    }
    checks.near("types", &format!("{place} rows left"), theirs.len() as f64, 0.0, 0.0);
}

fn check_kernels(checks: &mut Checks, place: &str, ranks: &BTreeMap<i64, Vec<Event>>, table: &[CsvRow]) {
    let mut ours: HashMap<(i64, &str), Statistics> = HashMap::new();
    for (&rank, events) in ranks {
        for event in on_streams(events) {
            if hta_type(&event.name).is_some() {
                ours.entry((rank, &*event.name)).or_default().add(units(event.duration));
            }
        }
    }
    checks.near("kernels", &format!("{place} rows"), ours.len() as f64, table.len() as f64, 0.0);
    let only = ranks.keys().next().copied().unwrap_or(0);
    for row in table {
        let rank = if ranks.len() == 1 { only } else { row["rank"].parse().unwrap() };
        let name = &*row["name"];
        let statistics = ours.get(&(rank, name)).copied().unwrap_or_default();
        let per_unit = checks::UNITS.recip();
        let values = [
            ("sum (us)", in_microseconds(statistics.total())),
            ("max (us)", in_microseconds(statistics.max().unwrap_or(Ns::MIN))),
            ("min (us)", in_microseconds(statistics.min().unwrap_or(Ns::MIN))),
            ("mean (us)", statistics.mean().unwrap_or(f64::NAN) * per_unit),
            // HTA writes 0 where there is no deviation.
            ("stddev", statistics.standard_deviation().unwrap_or(0.0) * per_unit),
        ];
        for (column, value) in values {
            let at = format!("{place} rank {rank} {name} {column}");
            checks.near("kernels", &at, value, number(row, column), FLOAT_ERROR);
        }
    }
}

fn check_case(checks: &mut Checks, golden: &Path, case: &str, run: &Run, rounded: bool) {
    let ranks = load(run, rounded);
    let place = format!("{case}{}", if rounded { "" } else { " (ns)" });
    let rank_of = |row: &CsvRow| match ranks.len() {
        1 => ranks.values().next().unwrap(),
        _ => &ranks[&row["rank"].parse().unwrap()],
    };
    for row in read_csv(&golden.join("temporal_breakdown.csv")).unwrap_or_default() {
        check_temporal(checks, &place, rank_of(&row), &row);
    }
    for row in read_csv(&golden.join("comm_comp_overlap.csv")).unwrap_or_default() {
        check_overlap(checks, &place, rank_of(&row), &row);
    }
    if let Some(table) = read_csv(&golden.join("gpu_kernel_type_breakdown.csv")) {
        check_types(checks, &place, &ranks, &table, !rounded);
    }
    if let Some(table) = read_csv(&golden.join("gpu_kernel_breakdown_all.csv")) {
        check_kernels(checks, &place, &ranks, &table);
    }
}

#[test]
fn numbers_agree_with_hta() {
    let Some(root) = common::data("hta") else { return };
    let mut checks = Checks::default();
    for case in common::folders(&root.join("traces")) {
        let (golden, exact) = (root.join(&case), root.join("nsoff").join(&case));
        if !golden.join("status.json").exists() || case == "hta_memory_timeline" {
            continue;
        }
        let run = common::read_run(&root.join("traces").join(&case));
        check_case(&mut checks, &golden, &case, &run, true);
        if exact.is_dir() {
            check_case(&mut checks, &exact, &case, &run, false);
        }
    }
    checks.finish();
    // What the data held when this was written; less means that something was not looked at.
    assert!(checks.count("temporal") >= 200, "{}", checks.count("temporal"));
    assert!(checks.count("overlap") >= 40);
    assert!(checks.count("types") >= 200);
    assert!(checks.count("kernels") >= 5000);
}
