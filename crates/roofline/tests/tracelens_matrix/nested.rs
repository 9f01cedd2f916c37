//! An operator that calls others does what these do: `aten::linear` the multiply-adds of the `aten::addmm` inside it.
//! Checked on recorded traces, so that the formulas of all levels agree whichever owns the time.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::path::Path;

use eaves_roofline::Engine;
use eaves_roofline::ops::{Call, formula, wrapper};
use flate2::read::MultiGzDecoder;
use serde_json::Value;

/// A call with its time on the thread and its multiply-adds.
struct Recorded {
    name: String,
    start: f64,
    end: f64,
    macs: f64,
}

/// Calls of operators with matrix products that have an answer, by thread.
fn recorded(trace: &Path) -> HashMap<String, Vec<Recorded>> {
    let read = std::io::BufReader::new(MultiGzDecoder::new(File::open(trace).unwrap()));
    let trace: Value = serde_json::from_reader(read).unwrap();
    let mut threads: HashMap<String, Vec<Recorded>> = HashMap::new();
    for event in trace["traceEvents"].as_array().unwrap().iter().filter(|event| event["cat"] == "cpu_op") {
        let name = event["name"].as_str().unwrap();
        let Some(found) = formula(name).or_else(|| wrapper(name)) else { continue };
        let list = |key: &str| event["args"].get(key).map(Value::to_string).unwrap_or_default();
        let lists = ["Input Dims", "Input type", "Input Strides", "Concrete Inputs"].map(list);
        let Ok(call) = Call::parse(name, &lists[0], &lists[1], &lists[2], &lists[3]) else { continue };
        let Ok(work) = (found.work)(&call) else { continue };
        if work.engine != Engine::Matrix {
            continue;
        }
        let start = event["ts"].as_f64().unwrap();
        threads.entry(event["tid"].to_string()).or_default().push(Recorded {
            name: name.to_owned(),
            start,
            end: start + event["dur"].as_f64().unwrap(),
            macs: work.macs,
        });
    }
    threads
}

#[test]
fn calls_do_what_the_calls_inside_them_do() {
    let Some(root) = eaves_testing::data("tracelens/cases") else { return };
    let mut agreed: BTreeMap<String, usize> = BTreeMap::new();
    let mut differences = Vec::new();
    for case in std::fs::read_dir(root).unwrap().map(Result::unwrap) {
        let trace = case.path().join("trace.json.gz");
        if !trace.is_file() {
            continue;
        }
        for mut calls in recorded(&trace).into_values() {
            calls.sort_by(|a, b| a.start.total_cmp(&b.start).then(b.end.total_cmp(&a.end)));
            let mut inside = vec![Vec::new(); calls.len()];
            let mut open: Vec<usize> = Vec::new();
            for index in 0..calls.len() {
                while open.last().is_some_and(|&outer| calls[outer].end <= calls[index].start) {
                    open.pop();
                }
                if let Some(&outer) = open.last() {
                    inside[outer].push(index);
                }
                open.push(index);
            }
            for (outer, inner) in inside.iter().enumerate().filter(|(_, inner)| !inner.is_empty()) {
                let sum: f64 = inner.iter().map(|&index| calls[index].macs).sum();
                let names = format!("{} > {}", calls[outer].name, calls[inner[0]].name);
                if sum == calls[outer].macs {
                    *agreed.entry(names).or_default() += 1;
                } else {
                    differences.push(format!("{trace:?} {names}: {} and {sum}", calls[outer].macs));
                }
            }
        }
    }
    println!("agreed: {agreed:#?}");
    assert!(
        differences.is_empty(),
        "{} differences: {:#?}",
        differences.len(),
        &differences[..differences.len().min(20)]
    );
    assert!(agreed.values().sum::<usize>() > 1000);
}
