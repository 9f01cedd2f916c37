//! Twins: unions, idle time, steps, launching operators and sums of the roofline, computed once more in the plainest way
//! and compared to the nanosecond. Over every example, over random traces, and over the reference data if it is there.

mod facts;
mod random;

use crate::common;
use std::path::{Path, PathBuf};

use self::facts::Facts;
use eaves_analyze::section::{Section, Value};
use eaves_analyze::{Options, RankView, report};
use eaves_model::{Recording, Run, SliceId};

pub(crate) fn sections(recording: Recording) -> (Run, Vec<Section>) {
    let run = Run { recordings: vec![recording], ..Run::default() };
    let outcomes = report(&run, &Options::default()).unwrap();
    let sections = outcomes.iter().filter_map(|outcome| outcome.section().cloned()).collect();
    (run, sections)
}

/// A number of the only rank, if the section is there.
pub(crate) fn number(sections: &[Section], section: &str, id: &str) -> Option<i64> {
    let section = sections.iter().find(|one| one.id == section)?;
    match section.numbers.iter().find(|number| number.id == id)?.value {
        Value::Integer(value) => Some(value),
        _ => None,
    }
}

pub(crate) fn cells(sections: &[Section], section: &str, table: &str, id: &str) -> Vec<Value> {
    let tables = sections.iter().filter(|one| one.id == section).flat_map(|one| &one.tables);
    let Some(table) = tables.into_iter().find(|one| one.id == table) else { return Vec::new() };
    let index = table.columns.iter().position(|column| column.id == id).unwrap();
    table.rows.iter().map(|row| row[index].clone()).collect()
}

pub(crate) fn column(sections: &[Section], section: &str, table: &str, id: &str) -> Vec<i64> {
    let integer = |value: Value| match value {
        Value::Integer(value) => value,
        _ => i64::MIN,
    };
    cells(sections, section, table, id).into_iter().map(integer).collect()
}

pub(crate) fn texts(sections: &[Section], section: &str, table: &str, id: &str) -> Vec<String> {
    let text = |value: Value| match value {
        Value::Text(text) => text,
        _ => String::new(),
    };
    cells(sections, section, table, id).into_iter().map(text).collect()
}

/// Compares a recording with facts about it; the answer is how many values were compared.
fn check(recording: Recording, facts: &Facts, place: &str) -> usize {
    let (run, sections) = sections(recording);
    let number = |section: &str, id: &str| number(&sections, section, id);
    if facts.activities.is_empty() {
        assert_eq!(number("temporal-breakdown", "busy_ns"), None, "{place}");
        return 1;
    }
    let mut compared = 0;
    let mut same = |what: &str, ours: Option<i64>, twin: i64| {
        assert_eq!(ours, Some(twin), "{place}: {what}");
        compared += 1;
    };
    // Unions and idle time.
    let (busy, idle) = (facts.busy(|_| true), facts.idle(30_000));
    same("busy", number("temporal-breakdown", "busy_ns"), busy);
    same("span", number("temporal-breakdown", "span_ns"), facts.span());
    same("idle", number("temporal-breakdown", "idle_ns"), facts.span() - busy);
    for (id, twin) in ["host_wait_ns", "kernel_wait_ns", "other_ns"].into_iter().zip(idle.times) {
        same(id, number("idle-time", id), twin);
    }
    same("gaps", column(&sections, "idle-time", "by_rank", "gaps").first().copied(), idle.gaps);
    same("gaps by cause", number("idle-causes", "idle_gaps"), idle.gaps);
    same("host wait by cause", number("idle-causes", "host_wait_ns"), idle.times[0]);
    // Steps.
    let work = facts.steps_work();
    for (id, twin) in [("gpu_busy_ns", 0), ("idle_ns", 1), ("kernels", 2)] {
        let twin: Vec<i64> = work.iter().map(|step| step[twin]).collect();
        assert_eq!(column(&sections, "steps", "by_step", id), twin, "{place}: {id}");
    }
    if !work.is_empty() {
        let outside = facts.outside_steps();
        same("outside", Some(number("steps", "outside_steps_count").unwrap_or(0)), outside.0);
        same("outside", Some(number("steps", "outside_steps_ns").unwrap_or(0)), outside.1);
    }
    // Launching operators.
    let (trace, options) = (&run.recordings[0].trace, Options::default());
    let view = RankView::new(trace, &options);
    for (index, activity) in trace.gpu_activities().enumerate() {
        let node = view.operators().launcher(view.links(), activity);
        let slice = node.map(|node| view.operators().slice(node));
        let at = |slice: SliceId| (trace.slices.start[slice.index()].0, trace.slices.end(slice.index()).0);
        assert_eq!(slice.map(at), facts.operator(index), "{place}: operator of activity {index}");
    }
    // The call tree. A name without calls is not there.
    let names = texts(&sections, "call-tree", "by_operator", "operator");
    let twin = facts.call_tree();
    assert_eq!(names.len(), twin.len(), "{place}: names of operators");
    let ids = ["calls", "cpu_total_ns", "cpu_self_ns", "gpu_total_ns", "gpu_self_ns", "activities"];
    for (value, id) in ids.into_iter().enumerate() {
        let ours = column(&sections, "call-tree", "by_operator", id);
        for (name, ours) in names.iter().zip(ours) {
            same(&format!("{id} of {name}"), Some(ours), twin[name.as_str()][value]);
        }
    }
    // What the rows of the roofline count once is the busy time, and every activity is in one.
    if sections.iter().any(|section| section.id == "roofline") {
        let counted = column(&sections, "roofline", "by_arguments", "counted_ns");
        same("roofline", Some(counted.into_iter().sum()), busy);
        let activities = column(&sections, "roofline", "by_arguments", "activities");
        same("roofline", Some(activities.into_iter().sum()), facts.activities.len() as i64);
    }
    compared + facts.activities.len() + 3 * work.len()
}

#[test]
fn random_traces_agree_with_their_twins() {
    let mut compared = 0;
    for seed in 1..=400 {
        let (text, facts) = random::trace(seed);
        let recording = eaves_ingest::read_bytes("random", text.as_bytes()).unwrap();
        compared += check(recording, &facts, &format!("seed {seed}"));
    }
    println!("compared {compared} values of random traces");
}

/// Every file in a folder and its folders, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() { found.extend(files(&entry.path())) } else { found.push(entry.path()) }
    }
    found.sort();
    found
}

/// More activities and operators than this take the twins too long.
const MANY: usize = 60_000;

fn check_files(folder: &Path) -> (usize, usize) {
    let (mut traces, mut compared) = (0, 0);
    for path in files(folder) {
        let is_json = [".json", ".json.gz"].iter().any(|ending| path.to_string_lossy().ends_with(ending));
        if !is_json || path.metadata().unwrap().len() > 4_000_000 {
            continue;
        }
        let Ok(mut run) = eaves_ingest::read(std::slice::from_ref(&path), &eaves_ingest::Options::default())
        else {
            continue;
        };
        let recording = run.recordings.remove(0);
        if recording.trace.slices.len() > MANY || recording.trace.gpu.is_empty() {
            continue;
        }
        let facts = Facts::of(&recording.trace);
        compared += check(recording, &facts, &path.display().to_string());
        traces += 1;
    }
    println!("compared {compared} values of {traces} traces in {}", folder.display());
    (traces, compared)
}

#[test]
fn examples_agree_with_their_twins() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let (traces, compared) = check_files(&examples);
    assert!(traces >= 8 && compared > 1_000, "{traces} traces, {compared} values");
}

#[test]
fn real_traces_agree_with_their_twins() {
    for (folder, least) in [
        // Replays; what was recorded during the capture has no GPU activity.
        ("graph-capture", 2),
        ("hta/traces", 5),
        ("tracelens/cases", 5),
        ("tracelens/inference", 1),
        ("tracelens/nccl", 2),
    ] {
        let Some(root) = common::data(folder) else { return };
        assert!(check_files(&root).0 >= least, "{folder}");
    }
}
