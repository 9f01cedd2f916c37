//! Snapshots of PyTorch's allocator against a replay that works the other way round, and against numbers that CPython's
//! own reader of pickles and a replay in Python came to.

use crate::common;
use crate::common::sections::integer;
use std::collections::HashMap;

use eaves_analyze::section::{Section, Value};
use eaves_analyze::{Options, Outcome, report};
use eaves_model::{Run, Trace};

const CUDA: &str = "memory/wedsonlin_medium_128_training_memory_snapshot_MIT.pickle";
const CPU: &str = "memory/cpu_profile_to_snapshot_2.15.pickle";

fn read(file: &str) -> Option<Run> {
    let root = common::data("torch")?;
    Some(eaves_ingest::read(&[root.join(file)], &eaves_ingest::Options::default()).unwrap())
}

fn section(run: &Run) -> Section {
    let outcomes = report(run, &Options::default()).unwrap();
    let found = outcomes.iter().find(|outcome| outcome.id() == "memory").and_then(Outcome::section);
    found.unwrap().clone()
}

/// The rows of a table by the ids of the columns.
fn rows(section: &Section, table: &str) -> Vec<HashMap<&'static str, Value>> {
    let table = section.tables.iter().find(|candidate| candidate.id == table);
    let Some(table) = table else { return Vec::new() };
    let ids = table.columns.iter().map(|column| column.id);
    table.rows.iter().map(|row| ids.clone().zip(row.iter().cloned()).collect()).collect()
}

fn number(section: &Section, id: &str) -> i64 {
    integer(&section.numbers.iter().find(|number| number.id == id).unwrap().value)
}

/// What a replay comes to.
#[derive(Debug, PartialEq, Eq)]
struct Replayed {
    start: i64,
    peak: i64,
    /// Blocks in use then, and those of them that were there from the start.
    blocks: usize,
    older: (usize, i64),
    end: i64,
}

/// Forwards: what was there in the beginning is what is freed without having been allocated, and what is there at the end
/// without any event. Everything in use is added up again behind each event.
fn replay(trace: &Trace) -> Replayed {
    let snapshot = &trace.snapshot;
    let events = &snapshot.events;
    let text = |id| trace.strings.get(id);
    let mut first: HashMap<i64, usize> = HashMap::new();
    for row in 0..events.len() {
        if ["alloc", "free_completed"].contains(&text(events.action[row])) {
            first.entry(events.address[row]).or_insert(row);
        }
    }
    let mut live: HashMap<i64, i64> = HashMap::new();
    for (&address, &row) in &first {
        if text(events.action[row]) == "free_completed" {
            live.insert(address, events.bytes[row]);
        }
    }
    for row in 0..snapshot.blocks.len() {
        let block = snapshot.blocks.row(row);
        if text(block.state).starts_with("active") && !first.contains_key(&block.address) {
            live.insert(block.address, block.requested.unwrap_or(block.bytes));
        }
    }
    let mut older = live.clone();
    let sum = |live: &HashMap<i64, i64>| live.values().sum::<i64>();
    let start = sum(&live);
    let mut found =
        Replayed { start, peak: start, blocks: live.len(), older: (older.len(), sum(&older)), end: 0 };
    for row in 0..events.len() {
        match text(events.action[row]) {
            "alloc" => {
                live.insert(events.address[row], events.bytes[row]);
                older.remove(&events.address[row]);
            }
            "free_completed" => {
                live.remove(&events.address[row]).unwrap();
                older.remove(&events.address[row]);
            }
            _ => continue,
        }
        if sum(&live) > found.peak {
            found.peak = sum(&live);
            (found.blocks, found.older) = (live.len(), (older.len(), sum(&older)));
        }
    }
    found.end = sum(&live);
    found
}

fn check(file: &str, expected: &Replayed) -> Option<Section> {
    let run = read(file)?;
    let trace = &run.recordings[0].trace;
    assert!(trace.diagnostics.warnings().is_empty(), "{:?}", trace.diagnostics);
    assert_eq!(&replay(trace), expected, "{file}");
    let section = section(&run);
    let device = &rows(&section, "by_device")[0];
    assert_eq!(integer(&device["start_bytes"]), expected.start);
    assert_eq!(integer(&device["peak_bytes"]), expected.peak);
    assert_eq!(integer(&device["end_bytes"]), expected.end);
    assert_eq!(number(&section, "peak_bytes"), expected.peak);
    assert_eq!(number(&section, "before_recording_bytes"), expected.older.1);
    let allocator = &rows(&section, "allocator")[0];
    assert_eq!(integer(&allocator["before_blocks"]), expected.older.0 as i64);
    // By whatever it is told, all of it is told.
    for table in ["at_peak_by_stack", "at_peak", "at_peak_by_category", "at_peak_by_size"] {
        let parts: Vec<i64> = rows(&section, table).iter().map(|row| integer(&row["bytes"])).collect();
        assert_eq!(parts.iter().sum::<i64>(), expected.peak, "{file} {table}: {parts:?}");
    }
    let blocks: i64 = rows(&section, "at_peak_by_size").iter().map(|row| integer(&row["allocations"])).sum();
    assert_eq!(blocks, expected.blocks as i64);
    // The chart loses no peak.
    let points: Vec<i64> = rows(&section, "timeline").iter().map(|row| integer(&row["bytes"])).collect();
    assert!(points.len() <= 500);
    assert_eq!(points.iter().max(), Some(&expected.peak));
    println!("{file}: {} events", trace.snapshot.events.len());
    Some(section)
}

#[test]
fn the_peak_of_a_cuda_snapshot_is_that_of_a_replay() {
    // By `pickle.load` of CPython 3.11 and a replay forwards in Python.
    let expected = Replayed {
        start: 5_095_321_600,
        peak: 7_013_335_044,
        blocks: 890,
        older: (664, 5_095_321_600),
        end: 6_808_535_044,
    };
    let Some(section) = check(CUDA, &expected) else { return };
    let device = &rows(&section, "by_device")[0];
    assert_eq!(device["device"], Value::from("cuda:0"));
    // No segment came or went, so that of the end is that of the peak.
    assert_eq!(integer(&device["peak_reserved_bytes"]), 7_235_174_400);
    assert_eq!(number(&section, "unused_at_peak_bytes"), 7_235_174_400 - expected.peak);
    let allocator = &rows(&section, "allocator")[0];
    assert_eq!(integer(&allocator["end_in_blocks_bytes"]), 6_816_891_392);
    assert_eq!(integer(&allocator["end_requested_bytes"]), expected.end);
    assert_eq!(integer(&allocator["end_unused_bytes"]), 418_283_008);
    assert_eq!(integer(&rows(&section, "largest_at_peak")[0]["bytes"]), 40_960_000);
    assert_eq!(integer(&device["peak_at_ns"]), (1_783_874_495_960_056 - 1_783_874_495_854_988) * 1000);
}

#[test]
fn the_peak_of_a_profile_of_the_host_is_that_of_a_replay() {
    let expected =
        Replayed { start: 657_664, peak: 3_679_260, blocks: 24, older: (3, 133_376), end: 1_973_008 };
    let Some(section) = check(CPU, &expected) else { return };
    let device = &rows(&section, "by_device")[0];
    assert_eq!(device["device"], Value::from("cpu"));
    assert!(matches!(device["peak_at_ns"], Value::Missing(_)));
    let categories: Vec<Value> =
        rows(&section, "at_peak_by_category").iter().map(|row| row["category"].clone()).collect();
    assert!(categories.contains(&Value::from("activation")), "{categories:?}");
}
