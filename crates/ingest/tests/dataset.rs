//! Every sample available into a dataset and out of it: the same recording, to the last cell and the last number of a text.

use std::path::{Path, PathBuf};

use eaves_ingest::{Options, read, read_with};
use eaves_model::{Recording, Trace};
use eaves_store::{Dataset, Source};

/// Packed files beyond this are skipped: debug builds of the reader of Parquet take minutes for them.
const LARGEST: u64 = 4 << 20;

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            files(&entry, found);
        } else if entry.metadata().is_ok_and(|metadata| metadata.len() <= LARGEST) {
            found.push(entry);
        }
    }
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn assert_same(written: &Recording, found: &Recording) {
    let name = &written.path;
    assert_eq!(written.trace.difference(&found.trace), None, "{name}");
    let facts = |one: &Recording| (one.format, one.container, one.bytes, one.rank, one.rank_source);
    assert_eq!((facts(written), &written.path), (facts(found), &found.path));
    let (written, found) = (&written.trace, &found.trace);
    assert_eq!(written.diagnostics, found.diagnostics, "{name}");
    assert_eq!(written.events, found.events, "{name}");
    assert_eq!(written.snapshot, found.snapshot, "{name}");
    assert!(written.strings.iter().eq(found.strings.iter()), "{name}");
    assert_eq!(written.tracks, found.tracks, "{name}");
    macro_rules! same {
        ($($table:ident),*) => { $(assert_eq!(written.$table, found.$table, "{name}: {}", stringify!($table));)* };
    }
    same!(slices, ops, runtime, python, gpu, dispatches, syncs, collectives, range_counters, remarks);
    same!(flows, instants, counters, allocations, asyncs, legacy_ops, triton, runtime_arguments);
}

#[test]
fn every_example_survives_a_dataset() {
    let mut found = Vec::new();
    files(&examples(), &mut found);
    check_round_trips(found, 8);
}

#[test]
fn recordings_of_other_tools_survive_a_dataset() {
    let mut found = Vec::new();
    for folder in ["hta", "torch", "tracelens", "formats"] {
        let Some(folder) = eaves_testing::data(folder) else { return };
        files(&folder, &mut found);
    }
    check_round_trips(found, 100);
}

fn check_round_trips(files: Vec<PathBuf>, least: usize) {
    let directory = tempfile::tempdir().unwrap();
    let dataset = Dataset::create(&directory.path().join("dataset").display().to_string()).unwrap();
    let (mut recordings, mut tables) = (0, std::collections::BTreeSet::new());
    for (number, file) in files.into_iter().enumerate() {
        let Ok(run) = read(&[file], &Options::default()) else { continue };
        let name = format!("sample-{number}");
        for (rank, written) in run.recordings.iter().enumerate() {
            let written = &Recording { rank: rank as i64, ..written.clone() };
            let source = Source::of(&written.path);
            let file = dataset.stage(&name, written, source).unwrap().complete(written.rank).unwrap();
            tables.extend(file.tables.into_iter().map(|table| table.name));
            assert_same(written, &dataset.read(&name, written.rank).unwrap());
            recordings += 1;
        }
        std::fs::remove_dir_all(directory.path().join("dataset").join(format!("run={name}"))).unwrap();
    }
    println!("{recordings} recordings, {} tables: {tables:?}", tables.len());
    assert!(recordings >= least, "{recordings}");
}

#[test]
fn a_run_is_read_as_an_input_like_any_other() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("dataset");
    let dataset = Dataset::create(&path.display().to_string()).unwrap();
    let run = read(&[examples().join("training")], &Options::default()).unwrap();
    for name in ["a", "b"] {
        for recording in &run.recordings {
            dataset.stage(name, recording, None).unwrap().complete(recording.rank).unwrap();
        }
    }
    let several = read(std::slice::from_ref(&path), &Options::default()).unwrap_err();
    assert!(several.to_string().starts_with("2 runs in the dataset"), "{several}");
    assert!(several.hint().contains("run=a") && several.hint().contains("a, b"), "{}", several.hint());
    let work = |recording: &mut Recording| -> Trace { recording.trace.take_rows() };
    let (read_run, rows) = read_with(&[path.join("run=b")], &Options::default(), work).unwrap();
    assert_eq!(rows.len(), run.recordings.len());
    assert_eq!(read_run.diagnostics, run.diagnostics);
    for ((written, found), trace) in run.recordings.iter().zip(read_run.recordings).zip(rows) {
        assert_same(written, &Recording { trace, ..found });
    }
    let files = eaves_ingest::files(&[path.join("run=b")]).unwrap();
    assert_eq!(files, [path.join("run=b/rank=0"), path.join("run=b/rank=1")]);
    let one = read(&[path.join("run=a/rank=1")], &Options::default()).unwrap();
    assert_eq!((one.recordings.len(), one.recordings[0].rank), (1, 1));
    assert!(read(&[path.join("run=a/rank=9")], &Options::default()).is_err());
    std::fs::remove_file(path.join("run=a/rank=1/slices.parquet")).unwrap();
    let damaged = read(&[path.join("run=a")], &Options::default()).unwrap_err();
    assert!(damaged.to_string().ends_with("slices.parquet"), "{damaged}");
}
