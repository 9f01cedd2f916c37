//! Comparisons of two traces against HTA's `TraceDiff`, and against a plain count of real traces.
//!
//! The reference is HTA's word only (class B), made with the default first rank and first iteration, and with the first
//! two iterations. What differs on purpose:
//!
//! | HTA | eaves | reason |
//! |---|---|---|
//! | a step is a name like others (`ProfilerStep#1009`) | table `steps` | steps have other numbers in other runs |
//! | sums | means per step and rank | runs of other lengths compare |
//! | names only | names, operators, positions | kernels of other vendors and compilers have other names |

use crate::common::golden;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use crate::common::checks::{Checks, CsvRow, microseconds, read_csv};
use crate::common::frame::short_name;
use crate::common::{data, read_run};
use eaves_analyze::compare::{Comparison, Profile, measure};
use eaves_analyze::section::{Section, Table, Value};
use eaves_analyze::{Options, RankView, Selection};
use eaves_model::{LaunchLinks, Ns, Run, Trace};

fn profile(run: &Run, selection: &Selection) -> Profile {
    let options = Options::default().with_selection(selection.clone());
    let measured =
        run.recordings.iter().map(|recording| measure(&RankView::new(&recording.trace, &options))).collect();
    Profile::of_run(&run.recordings, measured, selection).unwrap()
}

fn section(base: &Profile, new: &Profile) -> Section {
    Comparison::new(base, new).outcomes(&[])[0].section().unwrap().clone()
}

/// Calls and nanoseconds of a run by name, as the tables tell them for each step.
type ByName = BTreeMap<String, (f64, f64)>;

fn table<'a>(section: &'a Section, id: &str) -> Option<&'a Table> {
    section.tables.iter().find(|table| table.id == id)
}

fn value(table: &Table, row: &[Value], id: &str) -> Option<f64> {
    match row[table.columns.iter().position(|column| column.id == id).unwrap()] {
        Value::Integer(value) => Some(value as f64),
        Value::Float(value) => Some(value),
        _ => None,
    }
}

/// One side of a table, `base` or `new`; rows of the same name together.
fn by_name(table: &Table, side: &str, time: &str, found: &mut ByName) {
    let text = |row: &[Value], id: &str| {
        let index = table.columns.iter().position(|column| column.id == id)?;
        match &row[index] {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        }
    };
    for row in &table.rows {
        let name = text(row, "name").unwrap();
        let name = if side == "new" { text(row, "new_name").unwrap_or(name) } else { name };
        if let Some(calls) = value(table, row, &format!("{side}_calls")) {
            let sum = found.entry(name).or_default();
            sum.0 += calls;
            sum.1 += value(table, row, &format!("{side}_{time}")).unwrap();
        }
    }
}

/// What HTA counts of one side: `GPU`, `CPU` or `ALL`.
fn part_of(section: &Section, side: &str, part: &str) -> ByName {
    let mut found = ByName::new();
    if let Some(table) = table(section, "kernels").filter(|_| part != "CPU") {
        by_name(table, side, "ns", &mut found);
    }
    if let Some(table) = table(section, "operators").filter(|_| part != "GPU") {
        by_name(table, side, "total_ns", &mut found);
    }
    found
}

/// Names that are the same without arguments together.
fn shortened(names: ByName) -> ByName {
    let mut found = ByName::new();
    for (name, (calls, time)) in names {
        let sum = found.entry(short_name(&name)).or_default();
        sum.0 += calls;
        sum.1 += time;
    }
    found
}

fn number(row: &CsvRow, column: &str) -> f64 {
    row[column].parse().unwrap()
}

#[test]
fn counts_and_durations_are_those_of_trace_diff() {
    let Some(root) = data("hta") else { return };
    let [base, new] = ["hta_trace_compare_base", "hta_trace_compare_test"]
        .map(|name| read_run(&root.join("traces").join(name)));
    let mut checks = Checks::default();
    let cases = [
        ("compare_traces_ALL_default_iter.csv", 1009..=1009),
        ("compare_traces_CPU_default_iter.csv", 1009..=1009),
        ("compare_traces_GPU_default_iter.csv", 1009..=1009),
        ("compare_traces_ALL_short_default_iter.csv", 1009..=1009),
        ("compare_traces_CPU_short_default_iter.csv", 1009..=1009),
        ("compare_traces_GPU_short_default_iter.csv", 1009..=1009),
        ("compare_traces_ALL_first2iters.csv", 1009..=1010),
    ];
    for (file, steps) in cases {
        let count = (steps.end() - steps.start() + 1) as f64;
        let selection = Selection::default().with_steps(steps);
        let section = section(&profile(&base, &selection), &profile(&new, &selection));
        let is_short = file.contains("_short_");
        let part = file.split('_').nth(2).unwrap();
        let [ours, theirs] = ["base", "new"].map(|side| {
            let found = part_of(&section, side, part);
            if is_short { shortened(found) } else { found }
        });
        let rows = read_csv(&root.join("diff_trace_compare").join(file)).unwrap();
        for row in &rows {
            let name = row[if is_short { "short_name" } else { "name" }].as_str();
            if let Some(step) = name.strip_prefix("ProfilerStep#") {
                let table = table(&section, "steps").unwrap();
                let step: f64 = step.parse().unwrap();
                let cells =
                    table.rows.iter().find(|cells| value(table, cells, "base_step") == Some(step)).unwrap();
                for (side, column) in
                    [("base_ns", "Control_total_duration"), ("new_ns", "Test_total_duration")]
                {
                    let ns = value(table, cells, side).unwrap();
                    checks.near("step", name, ns / 1e3, number(row, column), 0.0);
                }
                continue;
            }
            for (side, prefix) in [(&ours, "Control"), (&theirs, "Test")] {
                let (calls, time) = side.get(name).copied().unwrap_or_default();
                checks.near("count", name, calls * count, number(row, &format!("{prefix}_counts")), 0.0);
                let duration = number(row, &format!("{prefix}_total_duration"));
                // Means are rounded to the nanosecond.
                checks.near("duration", name, time * count / 1e3, duration, 0.0005 * (count - 1.0));
            }
            let difference = |of: fn(&(f64, f64)) -> f64| {
                (theirs.get(name).map_or(0.0, of) - ours.get(name).map_or(0.0, of)) * count
            };
            checks.near("count_change", name, difference(|both| both.0), number(row, "diff_counts"), 0.0);
            let change = difference(|both| both.1) / 1e3;
            checks.near("duration_change", name, change, number(row, "diff_duration"), 0.001 * (count - 1.0));
            let sign = match difference(|both| both.0) {
                more if more > 0.0 => "+",
                less if less < 0.0 => "-",
                _ => "=",
            };
            checks.same("sign", name, sign, &row["counts_change_categories"]);
        }
        let is_step = |row: &&CsvRow| row.values().any(|cell| cell.starts_with("ProfilerStep#"));
        let steps = rows.iter().filter(is_step).count();
        let mut names: Vec<&String> = ours.keys().chain(theirs.keys()).collect();
        names.sort();
        names.dedup();
        checks.near("names", file, names.len() as f64, (rows.len() - steps) as f64, 0.0);
    }
    check_ops(&mut checks, &root, &base, &new);
    // 24 rows of the first step and 9 of two, each with two runs.
    assert!(checks.count("duration") >= 66, "{}", checks.count("duration"));
    checks.finish();
    golden::answer("hta_diff");
}

/// Which names are called more or less often, by our calls.
fn check_ops(checks: &mut Checks, root: &Path, base: &Run, new: &Run) {
    let selection = Selection::default().with_steps(1009..=1009);
    let section = section(&profile(base, &selection), &profile(new, &selection));
    let (ours, theirs) = (part_of(&section, "base", "ALL"), part_of(&section, "new", "ALL"));
    let rows = read_csv(&root.join("diff_trace_compare/ops_diff.csv")).unwrap();
    let (steps, rows): (Vec<CsvRow>, Vec<CsvRow>) =
        rows.into_iter().partition(|row| row["op"].starts_with("ProfilerStep#"));
    for row in &steps {
        // Both runs have the step.
        let table = table(&section, "steps").unwrap();
        let number = row["op"].strip_prefix("ProfilerStep#").unwrap().parse().ok();
        let both = |cells: &&Vec<Value>| {
            ["base_step", "new_step"].iter().all(|id| value(table, cells, id) == number)
        };
        let found = if table.rows.iter().any(|cells| both(&cells)) { "unchanged" } else { "" };
        checks.same("operators", &row["op"], found, &row["change"]);
    }
    let names: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    checks.near("operators", "names", names.len() as f64, rows.len() as f64, 0.0);
    for row in &rows {
        let calls = |side: &ByName| side.get(&row["op"]).map_or(0.0, |(calls, _)| *calls);
        let change = match (calls(&ours), calls(&theirs)) {
            (0.0, _) => "added",
            (_, 0.0) => "deleted",
            (before, after) if after > before => "increased",
            (before, after) if after < before => "decreased",
            _ => "unchanged",
        };
        checks.same("operators", &row["op"], change, &row["change"]);
    }
}

/// Summed durations of the activities of each name that the steps launched, counted without any of our code for it.
fn counted(trace: &Trace) -> HashMap<String, (f64, f64)> {
    let links = LaunchLinks::build(trace);
    let steps = trace.steps();
    let mut found: HashMap<String, (f64, f64)> = HashMap::new();
    for activity in trace.gpu_activities() {
        let slice = trace.gpu.slice[activity.index()];
        let launch = links.launch(activity).map(|launch| trace.slices.start[launch.index()]);
        let in_step = |&(_, step): &(u64, _)| {
            let window = trace.slices.interval(eaves_model::SliceId::index(step));
            launch.is_some_and(|launch| window.start <= launch && launch < window.end)
        };
        if steps.is_empty() || steps.iter().any(in_step) {
            let sum = found.entry(trace.slice_name(slice).to_owned()).or_default();
            sum.0 += 1.0;
            sum.1 += trace.slices.duration[slice.index()].0 as f64;
        }
    }
    found
}

#[test]
fn every_kernel_of_two_vendors_is_in_one_row_and_rows_add_up() {
    let Some(root) = data("tracelens") else { return };
    let pairs = [
        ("h100_qwen1.5_0.5b", "mi300_qwen1.5_0.5b"),
        ("h100_nsfw_vit", "mi300_nsfw_vit"),
        ("h100_bert_small", "mi300_torch_compile_triton"),
    ];
    let mut checks = Checks::default();
    let mut matched: BTreeMap<&str, usize> = BTreeMap::new();
    for (ours, theirs) in pairs {
        let read = |name: &str| read_run(&root.join("cases").join(name).join("trace.json.gz"));
        let (base, new) = (read(ours), read(theirs));
        let all = Selection::default();
        let section = section(&profile(&base, &all), &profile(&new, &all));
        let kernels = table(&section, "kernels").unwrap();
        for (run, side) in [(&base, "base"), (&new, "new")] {
            let trace = &run.recordings[0].trace;
            let steps = trace.steps().len().max(1) as f64;
            let mut found = ByName::new();
            by_name(kernels, side, "ns", &mut found);
            let counted = counted(trace);
            checks.near("names", side, found.len() as f64, counted.len() as f64, 0.0);
            for (name, (calls, time)) in &counted {
                let (our_calls, our_time) = found.get(name).copied().unwrap_or_default();
                checks.near("calls", name, our_calls * steps, *calls, 1e-6);
                checks.near("time", name, microseconds(Ns((our_time * steps) as i64)), time / 1e3, 0.01);
            }
        }
        let summary = table(&section, "summary").unwrap();
        let total = summary.rows.iter().find(|row| row[0] == Value::from("kernels_time")).unwrap();
        let deltas: f64 = kernels.rows.iter().map(|row| value(kernels, row, "delta_ns").unwrap()).sum();
        checks.near("sum", ours, deltas, value(summary, total, "delta_ns").unwrap(), 0.0);
        let by = kernels.columns.iter().position(|column| column.id == "matched_by").unwrap();
        for way in ["name", "operator", "position"] {
            let rows = kernels.rows.iter().filter(|row| row[by] == Value::from(way));
            *matched.entry(way).or_default() += rows.count();
        }
    }
    println!("matched: {matched:?}");
    assert!(matched.values().all(|&count| count > 0), "{matched:?}");
    checks.finish();
}
