//! Annotations and kernels: their statistics, and which activity belongs to which annotation.

use std::collections::HashMap;

use eaves_analyze::section::Value;
use eaves_analyze::{GpuView, Selection};
use eaves_model::{Ns, SliceId, SliceKind, Trace};

use super::{FLOAT_ERROR, Loaded, integer, number, rows_by_rank, text, us};
use crate::common::checks::{Checks, CsvRow, microseconds};

const STATISTICS: [(&str, &str); 5] = [
    ("sum (us)", "total_ns"),
    ("max (us)", "max_ns"),
    ("min (us)", "min_ns"),
    ("mean (us)", "mean_ns"),
    ("stddev", "std_ns"),
];

/// Compares sum, extremes, mean and deviation by rank and name.
fn check_statistics(
    checks: &mut Checks,
    what: &'static str,
    loaded: &Loaded<'_>,
    ours: &[HashMap<&'static str, Value>],
    name_column: &str,
    theirs: &[CsvRow],
) {
    let place = &loaded.case.name;
    let key =
        |row: &HashMap<&'static str, Value>| (integer(&row["rank"]), text(&row[name_column]).to_owned());
    let by_key: HashMap<_, _> = ours.iter().map(|row| (key(row), row)).collect();
    checks.near(what, &format!("{place} rows"), ours.len() as f64, theirs.len() as f64, 0.0);
    let only = loaded.run.recordings[0].rank;
    for row in theirs {
        let rank = if loaded.run.recordings.len() == 1 { only } else { row["rank"].parse().unwrap() };
        let found = by_key.get(&(rank, row["name"].clone()));
        for (column, own) in STATISTICS {
            let value = found.map_or(f64::NAN, |found| us(&found[own]));
            let at = format!("{place} rank {rank} {} {column}", row["name"]);
            checks.near(what, &at, value, number(row, column), FLOAT_ERROR);
        }
    }
}

/// We show all profiler steps as one name, HTA one by one: their sums and extremes are compared, and the rows are
/// taken out.
fn merge_steps(
    checks: &mut Checks,
    what: &'static str,
    loaded: &Loaded<'_>,
    ours: &mut Vec<HashMap<&'static str, Value>>,
    theirs: &mut Vec<CsvRow>,
) {
    let is_step =
        |name: &str| name.strip_prefix("ProfilerStep#").is_some_and(|number| number.parse::<u64>().is_ok());
    let (steps, others): (Vec<CsvRow>, Vec<CsvRow>) = theirs.drain(..).partition(|row| is_step(&row["name"]));
    *theirs = others;
    ours.retain(|row| {
        if text(&row["annotation"]) != "ProfilerStep#*" {
            return true;
        }
        let several = loaded.run.recordings.len() > 1;
        let of_rank: Vec<&CsvRow> = steps
            .iter()
            .filter(|step| !several || step["rank"].parse::<i64>().unwrap() == integer(&row["rank"]))
            .collect();
        let values = |column| of_rank.iter().map(move |step| number(step, column));
        let expected = [
            ("total_ns", values("sum (us)").sum::<f64>()),
            ("max_ns", values("max (us)").fold(f64::NEG_INFINITY, f64::max)),
            ("min_ns", values("min (us)").fold(f64::INFINITY, f64::min)),
        ];
        for (column, theirs) in expected {
            let at = format!("{} steps {column}", loaded.case.name);
            checks.near(what, &at, us(&row[column]), theirs, FLOAT_ERROR);
        }
        false
    });
}

pub(crate) fn check_annotations(checks: &mut Checks, loaded: &Loaded<'_>) {
    let sides = [
        ("gpu annotations", "gpu_user_annotation_breakdown.csv", "gpu", "gpu_by_rank"),
        ("host annotations", "cpu_user_annotation_breakdown.csv", "host", "host_by_rank"),
    ];
    for (what, file, table, by_rank) in sides {
        let Some(mut theirs) = loaded.reference(file) else { continue };
        let mut ours = rows_by_rank(loaded, "annotations", table, by_rank);
        merge_steps(checks, what, loaded, &mut ours, &mut theirs);
        check_statistics(checks, what, loaded, &ours, "annotation", &theirs);
    }
}

/// HTA takes operators that launch Triton kernels for kernels too, because they carry a stream. Of these names only the
/// sums are compared, ours with the time of the operators added.
pub(crate) fn check_kernels(checks: &mut Checks, loaded: &Loaded<'_>) {
    let Some(theirs) = loaded.reference("gpu_kernel_breakdown_all.csv") else { return };
    let ours = rows_by_rank(loaded, "kernels", "by_name", "by_rank_and_name");
    let mut operators: HashMap<&str, Ns> = HashMap::new();
    for recording in &loaded.run.recordings {
        let trace = &recording.trace;
        for (slice, _) in
            trace.triton.slice.iter().zip(&trace.triton.stream).filter(|(_, stream)| stream.is_some())
        {
            *operators.entry(trace.slice_name(*slice)).or_default() += trace.slices.duration[slice.index()];
        }
    }
    let (twice, once): (Vec<CsvRow>, Vec<CsvRow>) =
        theirs.into_iter().partition(|row| operators.contains_key(&*row["name"]));
    let (ours_twice, ours_once): (Vec<_>, Vec<_>) =
        ours.into_iter().partition(|row| operators.contains_key(text(&row["name"])));
    check_statistics(checks, "kernels", loaded, &ours_once, "name", &once);
    for row in &twice {
        let name = &*row["name"];
        let of_name = ours_twice.iter().filter(|row| text(&row["name"]) == name);
        let sum = of_name.map(|row| us(&row["total_ns"])).sum::<f64>() + microseconds(operators[name]);
        checks.near(
            "kernels",
            &format!("{} {name}", loaded.case.name),
            sum,
            number(row, "sum (us)"),
            FLOAT_ERROR,
        );
    }
}

/// True if a range of one of these names begins or ends where an activity ends or begins, up to the nanosecond that HTA
/// loses by adding floats. There it is a matter of rounding whether they overlap.
fn edge_of(trace: &Trace, activity: usize, names: [&str; 2]) -> bool {
    let gpu = GpuView::new(trace, &Selection::default());
    let own = trace.gpu.slice[gpu.row[activity].index()].index();
    let slices = &trace.slices;
    let near = |a: Ns, b: Ns| (a - b).0.abs() <= 1;
    (0..slices.len()).any(|row| {
        slices.kind[row] == SliceKind::GpuAnnotation
            && slices.track[row] == slices.track[own]
            && names.contains(&trace.slice_name(SliceId::from(row)))
            && (near(slices.start[row], slices.end(own)) || near(slices.end(row), slices.start[own]))
    })
}

/// Answers how many activities touch a range, so that rounding decides whether they belong to it.
pub(crate) fn check_attribution(checks: &mut Checks, loaded: &Loaded<'_>) -> usize {
    let mut edges = 0;
    for recording in &loaded.run.recordings {
        let file = format!("kernels_with_user_annotations_rank{}.csv", recording.rank);
        let Some(mut theirs) = loaded.reference(&file) else { continue };
        theirs.sort_by_key(|row| row["index"].parse::<u64>().unwrap());
        let ours: Vec<_> = rows_by_rank(loaded, "annotations", "activities", "activities")
            .into_iter()
            .filter(|row| integer(&row["rank"]) == recording.rank)
            .collect();
        let place = &loaded.case.name;
        checks.near("attribution", &format!("{place} rows"), ours.len() as f64, theirs.len() as f64, 0.0);
        for (row, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            let at = format!("{place} row {row} {}", theirs["s_name"]);
            checks.near("attribution", &at, us(&ours["duration_ns"]), number(theirs, "dur"), FLOAT_ERROR);
            // HTA knows ranges on device tracks only.
            let annotation = if text(&ours["side"]) == "gpu" { text(&ours["annotation"]) } else { "" };
            let same = annotation == theirs["s_user_annotation"];
            if !same && edge_of(&recording.trace, row, [annotation, &theirs["s_user_annotation"]]) {
                edges += 1;
                continue;
            }
            let at = format!("{at}: {annotation} and {}", theirs["s_user_annotation"]);
            checks.near("attribution", &at, f64::from(same), 1.0, 0.0);
        }
    }
    edges
}
