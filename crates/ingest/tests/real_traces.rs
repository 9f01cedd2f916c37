//! Every real trace available, against an independent reading by `serde_json`: the same events, the same values.

use std::io::Read;
use std::path::{Path, PathBuf};

use eaves_ingest::{Options, read, read_bytes};
use eaves_model::{Ident, MaybeI64, Trace, ident_text};
use serde_json::Value;

/// Real traces of other tools' test suites. They are not part of the project.
fn traces() -> Option<Vec<PathBuf>> {
    let data = eaves_testing::data("")?;
    let mut found = Vec::new();
    for pattern in [
        "hta/traces/*/*",
        "tracelens/cases/*/trace.json.gz",
        "tracelens/inference/*/*.gz",
        "torch/**/*.trace.json.gz",
        "torch/*_memory_timeline*.json*",
    ] {
        let pattern = data.join(pattern);
        found.extend(glob::glob(&pattern.to_string_lossy()).unwrap().flatten());
    }
    Some(found)
}

fn content(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        return bytes;
    }
    let mut content = Vec::new();
    flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut content).unwrap();
    content
}

/// Microseconds as the file gives them, in nanoseconds: by the decimal digits, as a float is too coarse for this.
fn nanoseconds(value: &Value) -> Option<i64> {
    let text = value.as_number()?.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, "0"));
    let picoseconds: i128 = format!("{whole}{fraction:0<6}").parse().ok()?;
    assert!(fraction.len() <= 6 && !text.contains('e'), "{text} is no usual time");
    Some(((picoseconds + 500) / 1_000) as i64)
}

fn same_ident(trace: &Trace, ident: Ident, value: &Value) -> bool {
    let text = ident_text(ident, &trace.strings).map(|text| text.into_owned());
    text == value.as_str().map(str::to_owned).or(value.as_i64().map(|number| number.to_string()))
}

fn check(path: &Path, document: &Value, trace: &Trace) {
    let name = path.display();
    let events = document["traceEvents"].as_array().unwrap();
    assert_eq!(trace.events, events.len() as u64, "{name}: number of events");
    let phase = |wanted: &'static [&'static str]| {
        events.iter().filter(move |event| event["ph"].as_str().is_some_and(|phase| wanted.contains(&phase)))
    };
    assert_eq!(trace.slices.len(), phase(&["X"]).count(), "{name}: slices");
    assert_eq!(trace.flows.len(), phase(&["s", "t", "f"]).count(), "{name}: flows");
    let instants = trace.instants.len() + trace.allocations.len();
    assert_eq!(instants, phase(&["i"]).count(), "{name}: instants and allocations");
    for (row, event) in phase(&["X"]).enumerate() {
        let slice = trace.slices.row(row);
        let place = || format!("{name}: slice {row}: {event}");
        assert_eq!(Some(slice.start.0), nanoseconds(&event["ts"]), "{}", place());
        assert_eq!(Some(slice.duration.0), nanoseconds(&event["dur"]), "{}", place());
        assert_eq!(Some(trace.strings.get(slice.name)), event["name"].as_str(), "{}", place());
        assert_eq!(Some(trace.strings.get(slice.category)), event["cat"].as_str(), "{}", place());
        let track = trace.tracks.threads.row(slice.track.index());
        assert!(same_ident(trace, track.process, &event["pid"]), "{}", place());
        assert!(same_ident(trace, track.thread, &event["tid"]), "{}", place());
    }
    check_activities(&name.to_string(), trace, &phase(&["X"]).collect::<Vec<_>>());
    check_ops(&name.to_string(), trace, &phase(&["X"]).collect::<Vec<_>>());
}

fn integer(value: &Value) -> MaybeI64 {
    value.as_i64().or(value.as_str().and_then(|text| text.parse().ok())).into()
}

fn check_activities(name: &str, trace: &Trace, slices: &[&Value]) {
    let on_device = |event: &&&Value| {
        matches!(
            event["cat"].as_str(),
            Some("kernel" | "Kernel" | "gpu_memcpy" | "gpu_memset" | "mtia_ccp_events")
        )
    };
    assert_eq!(trace.gpu.len(), slices.iter().filter(on_device).count(), "{name}: activities");
    for row in 0..trace.gpu.len() {
        let activity = trace.gpu.row(row);
        let arguments = &slices[activity.slice.index()]["args"];
        assert_eq!(activity.stream, integer(&arguments["stream"]), "{name}: {arguments}");
        assert_eq!(activity.correlation, integer(&arguments["correlation"]), "{name}: {arguments}");
        assert_eq!(activity.device.get().map(i64::from), arguments["device"].as_i64(), "{name}: {arguments}");
        assert_eq!(activity.bandwidth_gbps.get(), arguments["memory bandwidth (GB/s)"].as_f64(), "{name}");
        assert_eq!(activity.warps_per_sm.get(), arguments["warps per SM"].as_f64(), "{name}");
        let grid: Option<Vec<u32>> = serde_json::from_value(arguments["grid"].clone()).ok();
        assert_eq!(activity.grid.get().map(Vec::from), grid, "{name}: {arguments}");
    }
}

fn check_ops(name: &str, trace: &Trace, slices: &[&Value]) {
    for row in 0..trace.ops.len() {
        let op = trace.ops.row(row);
        let arguments = &slices[op.slice.index()]["args"];
        assert_eq!(op.external_id, integer(&arguments["External id"]), "{name}: {arguments}");
        assert_eq!(op.sequence_number, integer(&arguments["Sequence number"]), "{name}: {arguments}");
        for (text, key) in [
            (op.input_dims, "Input Dims"),
            (op.input_types, "Input type"),
            (op.input_strides, "Input Strides"),
            (op.concrete_inputs, "Concrete Inputs"),
        ] {
            let json = text.some().map(|text| serde_json::from_str(trace.strings.get(text)).unwrap());
            assert_eq!(json.unwrap_or(Value::Null), arguments[key], "{name}: {key}");
        }
    }
    let with_ids = slices
        .iter()
        .filter(|event| event["cat"] == "python_function" && event["args"]["Python id"].is_i64());
    assert_eq!(trace.python.len(), with_ids.count(), "{name}: python frames");
    let with_correlation = slices.iter().filter(|event| {
        matches!(event["cat"].as_str(), Some("cuda_runtime" | "cuda_driver" | "Runtime" | "mtia_runtime"))
    });
    let with_correlation = with_correlation.filter(|event| event["args"]["correlation"].is_i64());
    let recorded = trace.runtime.correlation.iter().filter(|correlation| correlation.is_some());
    assert_eq!(recorded.count(), with_correlation.count(), "{name}: calls with a correlation");
}

/// Bytes of each category after every entry of a timeline, in either form.
fn levels(document: &Value) -> Vec<Vec<i64>> {
    let integers = |list: &Value| -> Vec<i64> { serde_json::from_value(list.clone()).unwrap() };
    if document[1][0].is_array() {
        return document[1].as_array().unwrap().iter().map(|row| integers(row)[1..].to_vec()).collect();
    }
    let mut level = vec![0; 8];
    let mut after = |row: &Value| {
        let row = integers(row);
        level[row[3] as usize] += row[2];
        level.clone()
    };
    document.as_array().unwrap().iter().map(&mut after).collect()
}

fn check_timeline(path: &Path, document: &Value, trace: &Trace) {
    let expected = levels(document);
    assert_eq!(trace.events, expected.len() as u64, "{}", path.display());
    let mut rows = 0..trace.counters.len();
    let mut now = vec![0.0; 8];
    let mut categories: Vec<&str> = Vec::new();
    for levels in expected {
        // As many samples as there are changes, one at least in the raw form.
        while now != levels.iter().map(|&level| level as f64).collect::<Vec<_>>() {
            let row = rows.next().unwrap();
            let category = category_of(trace, row);
            categories.push(CATEGORIES[category]);
            now[category] = trace.counters.value[row].get().unwrap();
        }
    }
    // What is left changes nothing: entries of 0 bytes.
    assert!(rows.all(|row| trace.counters.value[row].get() == Some(now[category_of(trace, row)])));
    categories.sort_unstable();
    categories.dedup();
    assert!(categories.len() >= 4, "{}: {categories:?}", path.display());
}

const CATEGORIES: [&str; 8] = [
    "parameter",
    "optimizer_state",
    "input",
    "temporary",
    "activation",
    "gradient",
    "autograd_detail",
    "unknown",
];

fn category_of(trace: &Trace, row: usize) -> usize {
    CATEGORIES.iter().position(|name| *name == trace.strings.get(trace.counters.series[row])).unwrap()
}

#[test]
fn agrees_with_an_independent_reading() {
    let Some(traces) = traces() else { return };
    let (mut traces_checked, mut timelines_checked) = (0, 0);
    for path in traces {
        let content = content(&path);
        let document: Value = serde_json::from_slice(&content).unwrap();
        let result = read(std::slice::from_ref(&path), &Options::default());
        if document[0].is_array() {
            check_timeline(&path, &document, &result.unwrap().recordings[0].trace);
            timelines_checked += 1;
            continue;
        }
        if !document["traceEvents"].is_array() {
            assert!(result.is_err(), "{} is no trace", path.display());
            continue;
        }
        let run = result.unwrap();
        check(&path, &document, &run.recordings[0].trace);
        // From memory, and with other chunk boundaries (leading blanks), the same rows come out.
        let again = read_bytes("again", &content).unwrap().trace;
        assert_eq!(run.recordings[0].trace.difference(&again), None);
        traces_checked += 1;
    }
    println!("{traces_checked} traces, {timelines_checked} memory timelines");
    assert!(traces_checked >= 54, "{traces_checked}");
    assert_eq!(timelines_checked, 4);
}

#[test]
fn splitting_over_threads_changes_nothing() {
    let Some(traces) = traces() else { return };
    let mut checked = 0;
    for path in traces {
        let content = content(&path);
        if content.len() < 18 << 20 || read_bytes("x", &content).is_err() {
            continue;
        }
        let directory = tempfile::tempdir().unwrap();
        let plain = directory.path().join("trace.json");
        std::fs::write(&plain, &content).unwrap();
        let whole = read_bytes("whole", &content).unwrap().trace;
        for threads in [1, 2, 3, 7] {
            let options = Options { threads, ..Options::default() };
            let run = read(std::slice::from_ref(&plain), &options).unwrap();
            let split = &run.recordings[0].trace;
            assert_eq!(whole.difference(split), None, "{} on {threads} threads", path.display());
            assert_eq!(whole.slices.position, split.slices.position);
            assert_eq!(whole.diagnostics, split.diagnostics);
        }
        checked += 1;
    }
    assert!(checked >= 2, "{checked}");
}
