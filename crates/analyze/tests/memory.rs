//! Memory against HTA's reading of a timeline, against the two forms of one timeline, and against plain loops over the
//! events of real traces.

use crate::common;
use crate::common::golden;
use crate::common::sections::integer;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::common::checks::{Checks, read_csv};
use eaves_analyze::section::{Section, Value};
use eaves_analyze::{Options, Outcome, report};
use eaves_model::Run;

fn section(run: &Run) -> Section {
    let outcomes = report(run, &Options::default().with_details(true)).unwrap();
    let found = outcomes.iter().find(|outcome| outcome.id() == "memory").and_then(Outcome::section);
    found.unwrap().clone()
}

/// The rows of a table by the ids of the columns.
fn rows(section: &Section, table: &str) -> Vec<HashMap<&'static str, Value>> {
    let Some(table) = section.tables.iter().find(|candidate| candidate.id == table) else {
        return Vec::new();
    };
    let ids = table.columns.iter().map(|column| column.id);
    table.rows.iter().map(|row| ids.clone().zip(row.iter().cloned()).collect()).collect()
}

fn text(value: &Value) -> &str {
    match value {
        Value::Text(text) => text,
        other => panic!("a text was expected, not {other:?}"),
    }
}

fn read(path: &Path) -> Run {
    eaves_ingest::read(&[path.to_owned()], &eaves_ingest::Options::default()).unwrap()
}

/// Our names of HTA's categories.
const CATEGORIES: [(&str, &str); 8] = [
    ("Parameter", "parameter"),
    ("Optimizer state", "optimizer_state"),
    ("Input", "input"),
    ("Temporary", "temporary"),
    ("Activation", "activation"),
    ("Gradient", "gradient"),
    ("Autograd", "autograd_detail"),
    ("Unknown", "unknown"),
];

#[test]
fn categories_agree_with_hta() {
    let Some(root) = common::data("hta") else { return };
    let run = read(&root.join("traces/hta_memory_timeline/memory_timeline.raw.gz"));
    let base = run.recordings[0].trace.metadata.base_time_ns.unwrap();
    let ours = section(&run);
    let mut checks = Checks::default();
    let by_category: HashMap<String, HashMap<&str, Value>> =
        rows(&ours, "by_category").into_iter().map(|row| (text(&row["category"]).to_owned(), row)).collect();
    for row in read_csv(&root.join("hta_memory_timeline/memory_timeline_peaks.csv")).unwrap() {
        let (theirs, name) = CATEGORIES.iter().find(|(theirs, _)| *theirs == row["category"]).unwrap();
        for (id, column) in [("peak_bytes", "peak_bytes"), ("end_bytes", "final_bytes")] {
            let value = integer(&by_category[*name][id]) as f64;
            checks.near("peaks", theirs, value, row[column].parse().unwrap(), 0.0);
        }
    }

    // HTA has the state at the end of every instant, and what was there before in its own row.
    let mut now: BTreeMap<&str, i64> = CATEGORIES.iter().map(|&(_, name)| (name, 0)).collect();
    let mut states: BTreeMap<i64, BTreeMap<&str, i64>> = BTreeMap::new();
    let series = rows(&ours, "category_series");
    for row in &series {
        *now.get_mut(text(&row["category"])).unwrap() = integer(&row["bytes"]);
        states.insert(base + integer(&row["time_ns"]), now.clone());
    }
    let theirs = read_csv(&root.join("hta_memory_timeline/memory_timeline_sizes.csv")).unwrap();
    assert_eq!(theirs.len(), states.len() + 1);
    let mut most = (0, &theirs[0]);
    for (index, row) in theirs.iter().enumerate() {
        let total: i64 = CATEGORIES.iter().map(|(theirs, _)| row[*theirs].parse::<i64>().unwrap()).sum();
        if total > most.0 {
            most = (total, row);
        }
        if index == 0 {
            continue;
        }
        let time: i64 = row["time"].parse().unwrap();
        for (theirs, name) in CATEGORIES {
            let value = states[&time][name] as f64;
            checks.near("levels", &format!("{time} {theirs}"), value, row[theirs].parse().unwrap(), 0.0);
        }
    }
    // The composition at the peak of all is HTA's row with the largest sum.
    for (theirs, name) in CATEGORIES {
        let value = integer(&by_category[name]["at_peak_bytes"]) as f64;
        checks.near("at the peak", theirs, value, most.1[theirs].parse().unwrap(), 0.0);
    }
    assert_eq!((checks.count("peaks"), checks.count("levels")), (16, 61_760));
    checks.finish();
    golden::answer("memory");
}

/// One recording was written as changes and as levels, plain and packed.
#[test]
fn both_forms_of_a_timeline_say_the_same() {
    let Some(root) = common::data("torch") else { return };
    let categories = |file: &str| -> Vec<(String, i64, i64)> {
        let mut found: Vec<_> = rows(&section(&read(&root.join(file))), "by_category")
            .iter()
            .map(|row| {
                (
                    text(&row["category"]).to_owned(),
                    integer(&row["at_peak_bytes"]),
                    integer(&row["end_bytes"]),
                )
            })
            .filter(|(_, at_peak, end)| (*at_peak, *end) != (0, 0))
            .collect();
        found.sort();
        found
    };
    let raw = categories("a_memory_timeline.raw.json.gz");
    assert!(raw.len() >= 5, "{raw:?}");
    assert_eq!(categories("a_memory_timeline.json"), raw);
    assert_eq!(categories("a_memory_timeline.json.gz"), raw);
}

/// The totals of the allocator, looked through one by one.
#[test]
fn peaks_are_the_largest_totals() {
    let Some(root) = common::data("") else { return };
    let mut devices = 0;
    for file in [
        "torch/a_transformer_train_cpu.pt.trace.json.gz",
        "torch/b_resnet_infer_cpu.pt.trace.json.gz",
        "torch/gloo2/rank0.pt.trace.json.gz",
        "tracelens/cases/h100_qwen1.5_0.5b/trace.json.gz",
        "tracelens/cases/mi300_timesformer/trace.json.gz",
    ] {
        let run = read(&root.join(file));
        let (trace, section) = (&run.recordings[0].trace, section(&run));
        for row in rows(&section, "by_device") {
            let name = text(&row["device"]);
            let wanted = match name {
                "cpu" => 0,
                "cuda:0" => 1,
                "hip:0" => 6,
                other => panic!("{other}"),
            };
            let of = |row: &usize| trace.allocations.device_type[*row].get() == Some(wanted);
            let events: Vec<usize> = (0..trace.allocations.len()).filter(of).collect();
            let totals = events.iter().map(|&row| trace.allocations.total_allocated[row].get().unwrap());
            assert_eq!(integer(&row["peak_bytes"]), totals.max().unwrap(), "{file} {name}");
            let taken = events.iter().filter(|&&row| trace.allocations.bytes[row].get().unwrap() > 0).count();
            assert_eq!(integer(&row["allocations"]), taken as i64, "{file} {name}");
            // What is told by operator, module and size adds up to the peak.
            for table in ["at_peak", "at_peak_by_module", "at_peak_by_size"] {
                let parts: Vec<i64> = rows(&section, table)
                    .iter()
                    .filter(|part| part["device"] == row["device"])
                    .map(|part| integer(&part["bytes"]))
                    .collect();
                let sum: i64 = parts.iter().sum();
                assert!(
                    parts.is_empty() || sum == integer(&row["peak_bytes"]),
                    "{file} {name} {table}: {parts:?}"
                );
            }
            devices += 1;
        }
    }
    println!("{devices} devices");
    assert_eq!(devices, 7);
}
