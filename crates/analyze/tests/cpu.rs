//! Recordings of the CPU against what PyTorch's own `key_averages` says of one of them, and against plain loops over the
//! events of real ones.

use crate::common;
use crate::common::sections::integer;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use eaves_analyze::section::{Section, Value};
use eaves_analyze::{Options, Outcome, report};
use eaves_model::{Ns, Run, SliceKind};

fn read(path: &Path) -> Run {
    eaves_ingest::read(&[path.to_owned()], &eaves_ingest::Options::default()).unwrap()
}

fn sections(run: &Run) -> Vec<Section> {
    let outcomes = report(run, &Options::default()).unwrap();
    outcomes.iter().filter_map(Outcome::section).cloned().collect()
}

fn section<'a>(sections: &'a [Section], id: &str) -> &'a Section {
    sections.iter().find(|section| section.id == id).unwrap_or_else(|| panic!("no section {id}"))
}

fn column(section: &Section, table: &str, id: &str) -> Vec<Value> {
    let table = section.tables.iter().find(|candidate| candidate.id == table).unwrap();
    let index = table.columns.iter().position(|column| column.id == id).unwrap();
    table.rows.iter().map(|row| row[index].clone()).collect()
}

fn text(value: &Value) -> &str {
    match value {
        Value::Text(text) => text,
        Value::Missing(_) => "",
        other => panic!("a text was expected, not {other:?}"),
    }
}

fn number(section: &Section, id: &str) -> i64 {
    integer(&section.numbers.iter().find(|number| number.id == id).unwrap().value)
}

/// `127.049ms` in nanoseconds, and how much of it is rounding.
fn time(text: &str) -> (i64, i64) {
    let (digits, unit) = [("ms", 1e6), ("us", 1e3), ("s", 1e9)]
        .iter()
        .find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, scale)))
        .unwrap();
    ((digits.parse::<f64>().unwrap() * unit).round() as i64, (unit / 2000.0) as i64 + 1)
}

/// PyTorch's table has self time, total time, calls and shapes of the 30 rows with most self time.
#[test]
fn operators_agree_with_key_averages() {
    let Some(root) = common::data("torch") else { return };
    let run = read(&root.join("a_transformer_train_cpu.pt.trace.json.gz"));
    let sections = sections(&run);
    let ours = section(&sections, "cpu-operators");
    let of = |id| column(ours, "by_shapes", id);
    let (names, shapes, calls) = (of("operator"), of("shapes"), of("calls"));
    let (own, total) = (of("cpu_self_ns"), of("cpu_total_ns"));
    let table = std::fs::read_to_string(root.join("a_key_averages.txt")).unwrap();
    let mut compared = 0;
    for line in table.lines().filter(|line| line.contains("::")) {
        let cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        let [name, _, self_time, _, total_time, _, _, _, count, dims, _] = cells.as_slice() else {
            panic!("another table: {cells:?}")
        };
        // `[[256, 64], [], [64]]` is `256x64, -, 64` here.
        let operand = |dims: &str| if dims.is_empty() { "-".to_owned() } else { dims.replace(", ", "x") };
        let inner = dims.strip_prefix("[[").and_then(|dims| dims.strip_suffix("]]")).unwrap();
        let tensors: Vec<String> = inner.split("], [").map(operand).collect();
        let row = (0..names.len())
            .find(|&row| text(&names[row]) == *name && text(&shapes[row]) == tensors.join(", "))
            .unwrap_or_else(|| panic!("no row of {name} {dims}"));
        for (found, expected) in [(&own[row], self_time), (&total[row], total_time)] {
            let (expected, rounding) = time(expected);
            assert!((integer(found) - expected).abs() <= rounding, "{name} {dims}: {found:?}, {expected}");
        }
        assert_eq!(integer(&calls[row]).to_string(), *count, "{name} {dims}");
        compared += 1;
    }
    assert_eq!(compared, 30);
    // PyTorch's total has what its profiler calls besides, 0.1 % of it.
    let whole = table.lines().find_map(|line| line.strip_prefix("Self CPU time total: ")).unwrap();
    let (whole, _) = time(whole);
    let found = number(ours, "cpu_self_ns");
    assert!(found <= whole && found as f64 > 0.998 * whole as f64, "{found} of {whole}");
}

fn recordings(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(".pt.trace.json.gz") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Twin: the time in which a thread is in any operator, by marking every interval.
#[test]
fn self_times_are_the_time_in_operators() {
    let Some(root) = common::data("torch") else { return };
    let recordings = recordings(&root);
    assert!(recordings.len() >= 8, "{recordings:?}");
    for path in recordings {
        let run = read(&path);
        let slices = &run.recordings[0].trace.slices;
        let mut threads: BTreeMap<usize, Vec<(Ns, Ns)>> = BTreeMap::new();
        for row in (0..slices.len()).filter(|&row| slices.kind[row] == SliceKind::Op) {
            threads.entry(slices.track[row].index()).or_default().push((slices.start[row], slices.end(row)));
        }
        let mut expected = Ns::ZERO;
        for spans in threads.values_mut() {
            spans.sort_unstable();
            let mut reached = Ns::MIN;
            for &(start, end) in spans.iter() {
                expected += (end - start.max(reached)).max(Ns::ZERO);
                reached = reached.max(end);
            }
        }
        let sections = sections(&run);
        assert_eq!(number(section(&sections, "cpu-operators"), "cpu_self_ns"), expected.0, "{path:?}");
        // What the main thread did adds up to the window, and so does how many threads were busy.
        let host = section(&sections, "cpu-time");
        let times = column(host, "by_cause", "time_ns");
        assert_eq!(times.iter().map(integer).sum::<i64>(), number(host, "window_ns"), "{path:?}");
        let at_once = column(section(&sections, "cpu-threads"), "at_once", "time_ns");
        assert_eq!(at_once.iter().map(integer).sum::<i64>(), number(host, "window_ns"), "{path:?}");
    }
}

/// Of three steps of two ranks, one of which sleeps for 20 ms in each, the other waits in the collectives.
#[test]
fn waiting_for_another_rank_is_communication() {
    let Some(root) = common::data("torch") else { return };
    let run = read(&root.join("gloo2"));
    let sections = sections(&run);
    let host = section(&sections, "cpu-time");
    let (ranks, causes) = (column(host, "by_cause", "rank"), column(host, "by_cause", "cause"));
    let times = column(host, "by_cause", "time_ns");
    let waited = |rank: i64| {
        (0..ranks.len())
            .filter(|&row| integer(&ranks[row]) == rank && text(&causes[row]) == "communication")
            .map(|row| integer(&times[row]))
            .sum::<i64>()
    };
    assert!(waited(0) > 60_000_000 && waited(1) < 30_000_000, "{} {}", waited(0), waited(1));
    let findings: Vec<_> = sections.iter().flat_map(|section| &section.findings).collect();
    let first = findings.iter().max_by_key(|finding| finding.gain.as_ref().map(|gain| gain.high)).unwrap();
    assert!(first.id == "straggler" && first.claim.contains("rank 1"), "{findings:?}");
}
