//! Comparison with the tables of HTA 0.6.1 (`traceinsight` on PyPI) on its own test traces and others.
//!
//! HTA looks at other events, classifies kernels otherwise, drops the last step and rounds to microseconds.
//! The emulation below does the same to the events; the unions, sweeps and statistics are ours, so that it is
//! our arithmetic that is compared.

use crate::common;
use crate::common::checks;
use crate::common::golden;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::common::checks::{Checks, CsvRow, in_microseconds, interval, read_csv, units};
use crate::common::frame::{Event, hta_type, load};
use eaves_analyze::{Breakdown, KernelType, Statistics, TypeSets, TypeTimes};
use eaves_model::{Ns, Run, sweep};

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

const LABELS: [&str; 3] = ["COMPUTATION", "COMMUNICATION", "MEMORY"];

fn label_of(kernel_type: KernelType) -> &'static str {
    LABELS[kernel_type.bit().trailing_zeros() as usize]
}

fn label(mask: u32) -> String {
    let inside = LABELS.iter().enumerate().filter(|(bit, _)| mask & (1 << bit) != 0);
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
    let total: f64 = table.iter().map(|row| number(row, "sum")).sum();
    for row in table.iter().filter(|_| total > 0.0) {
        let share = 100.0 * number(row, "sum") / total;
        let at = format!("{place} {} percentage", row["kernel_type"]);
        checks.near("types", &at, share, number(row, "percentage"), 0.05 + 1e-9);
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

/// The names that HTA names by default, and the rest of each type together. Of more than ten names it gets all but the
/// sums wrong (D4).
fn check_default_kernels(
    checks: &mut Checks,
    place: &str,
    ranks: &BTreeMap<i64, Vec<Event>>,
    table: &[CsvRow],
) {
    let mut left: BTreeMap<(i64, &str), f64> = BTreeMap::new();
    let mut sums: HashMap<(i64, &str, &str), f64> = HashMap::new();
    for (&rank, events) in ranks {
        for event in on_streams(events) {
            if let Some(kernel_type) = hta_type(&event.name) {
                let label = label_of(kernel_type);
                *left.entry((rank, label)).or_default() += event.duration;
                *sums.entry((rank, label, &*event.name)).or_default() += event.duration;
            }
        }
    }
    let only = ranks.keys().next().copied().unwrap_or(0);
    let (others, named): (Vec<&CsvRow>, Vec<&CsvRow>) = table.iter().partition(|row| row["name"] == "others");
    let rank_of = |row: &CsvRow| if ranks.len() == 1 { only } else { row["rank"].parse().unwrap() };
    for row in named {
        let (rank, kernel_type) = (rank_of(row), &*row["kernel_type"]);
        let ours = sums.get(&(rank, kernel_type, &*row["name"])).copied().unwrap_or(f64::NAN);
        let at = format!("{place} rank {rank} {}", row["name"]);
        checks.near("default kernels", &at, ours, number(row, "sum (us)"), FLOAT_ERROR);
        if let Some((_, left)) = left.iter_mut().find(|(key, _)| **key == (rank, kernel_type)) {
            *left -= ours;
        }
    }
    for row in others {
        let (rank, kernel_type) = (rank_of(row), &*row["kernel_type"]);
        let key = left.keys().find(|key| **key == (rank, kernel_type)).copied();
        let ours = key.and_then(|key| left.remove(&key)).unwrap_or(f64::NAN);
        let at = format!("{place} rank {rank} others of {kernel_type}");
        checks.near("default kernels", &at, ours, number(row, "sum (us)"), FLOAT_ERROR);
    }
    for ((rank, kernel_type), left) in left {
        let at = format!("{place} rank {rank} left of {kernel_type}");
        checks.near("default kernels", &at, left, 0.0, FLOAT_ERROR);
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
    if let Some(table) = read_csv(&golden.join("gpu_kernel_breakdown_default.csv")) {
        check_default_kernels(checks, &place, &ranks, &table);
    }
}

#[test]
fn numbers_agree_with_hta() {
    let Some(checks) = common::hta::checked(check_case) else { return };
    checks.finish();
    golden::answer("hta");
    // What the data held when this was written; less means that something was not looked at.
    assert!(checks.count("temporal") >= 200, "{}", checks.count("temporal"));
    assert!(checks.count("overlap") >= 40);
    assert!(checks.count("types") >= 200);
    assert!(checks.count("kernels") >= 5000);
    assert!(checks.count("default kernels") >= 400, "{}", checks.count("default kernels"));
}
