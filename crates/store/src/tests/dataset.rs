//! Ranks written and read again: the same to the last bit, or an error that says what is wrong.

use std::fs;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt32Type};
use eaves_model::{
    Ident, MemoryBlock, MemoryEvent, MemoryFrame, MemorySegment, MemoryStack, Ns, Recording, WarningKind,
};
use eaves_model::{MaybeI64, MaybeU32, RankSource, Trace};

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::sample;
use crate::dataset::RANK_FILE;
use crate::decode::read_table;
use crate::encode::write_tables;
use crate::layout::{Marks, STRINGS, stored};
use crate::parquet::write_grouped;
use crate::tables::FlatTable;
use crate::{Dataset, Error, Source, StoredTable};

/// The recording made by hand, with everything besides that a trace can have.
fn recording(rank: i64) -> Recording {
    let mut recording = sample::recording(rank);
    recording.rank_source = RankSource::FileName;
    recording.bytes = u64::MAX;
    let trace = &mut recording.trace;
    trace.events = 77;
    trace.diagnostics.note_detail(WarningKind::Truncated, Some(9), "why");
    trace.diagnostics.note_many(WarningKind::Truncated, 4, Some(12));
    trace.diagnostics.note_many(WarningKind::Garbage, 3, None);
    trace.metadata.devices[0].numbers.push(("odd".to_owned(), f64::INFINITY));
    trace.metadata.devices[0].numbers.push(("small".to_owned(), 0.1 + 0.2));
    // A text that looks like a number, next to the number.
    let seven = Ident::text(trace.strings.intern("7"));
    trace.tracks.get_or_add(Ident::number(7), seven);
    trace.tracks.get_or_add(seven, Ident::number(7));
    trace.tracks.get_or_add(Ident::number(7), Ident::number(7));
    let text = trace.strings.intern("alloc");
    let snapshot = &mut trace.snapshot;
    (snapshot.has_times, snapshot.is_complete) = (true, false);
    snapshot.frames.push(MemoryFrame { name: text, file: text, line: -1 });
    snapshot.stacks.push(MemoryStack { frame: 0, caller: MaybeU32::NONE });
    snapshot.stacks.push(MemoryStack { frame: 0, caller: MaybeU32::new(0) });
    let stack = MaybeU32::new(1);
    snapshot.events.push(MemoryEvent {
        time: Ns(5),
        action: text,
        device_type: 1,
        device: 0,
        stream: MaybeI64::NONE,
        address: i64::MIN,
        bytes: 512,
        stack,
        category: text,
    });
    snapshot.segments.push(MemorySegment {
        device_type: 1,
        device: -1,
        address: 4096,
        bytes: 1 << 40,
        stream: MaybeI64::new(0),
        kind: text,
        pool: 3,
        expandable: 1,
        stack: MaybeU32::NONE,
    });
    snapshot.blocks.push(MemoryBlock {
        segment: 0,
        address: 4096,
        bytes: 512,
        requested: MaybeI64::new(500),
        state: text,
        stack,
    });
    recording
}

fn dataset(directory: &Path) -> Dataset {
    Dataset::create(&directory.join("dataset").display().to_string()).unwrap()
}

fn source() -> Source {
    Source { path: "rank-3.json".to_owned(), size: 9, modified_ns: Some(-1), etag: None }
}

/// Everything, cell by cell and to the bit, also what `same_content` passes over.
fn assert_same(left: &Recording, right: &Recording) {
    assert_eq!(left.trace.difference(&right.trace), None);
    let facts = |one: &Recording| {
        let Recording { path, format, container, bytes, rank, rank_source, .. } = one.clone();
        (path, format, container, bytes, rank, rank_source)
    };
    assert_eq!(facts(left), facts(right));
    let (left, right) = (&left.trace, &right.trace);
    assert!(left.strings.iter().eq(right.strings.iter()), "texts keep their numbers");
    assert_eq!(left.diagnostics, right.diagnostics);
    assert_eq!((left.events, &left.snapshot), (right.events, &right.snapshot));
    assert_eq!(left.tracks, right.tracks);
    assert_eq!((&left.slices, &left.gpu, &left.flows), (&right.slices, &right.gpu, &right.flows));
    assert_eq!((&left.ops, &left.counters, &left.asyncs), (&right.ops, &right.counters, &right.asyncs));
}

#[test]
fn a_rank_is_read_as_it_was_written() {
    let directory = tempfile::tempdir().unwrap();
    let dataset = dataset(directory.path());
    let written = recording(3);
    dataset.stage("a", &written, Some(source())).unwrap().complete(3).unwrap();
    assert_eq!((dataset.runs().unwrap(), dataset.ranks("a").unwrap()), (vec!["a".to_owned()], vec![3]));
    assert_same(&written, &dataset.read("a", 3).unwrap());
    assert_eq!(dataset.rank_file("a", 3).unwrap().source, Some(source()));
    // Nothing but the rank is there.
    let names = |path: PathBuf| fs::read_dir(path).unwrap().count();
    assert_eq!(names(directory.path().join("dataset/run=a")), 1);
    let tables = written.trace.tables().iter().filter(|table| table.rows > 0).count();
    assert_eq!(names(directory.path().join("dataset/run=a/rank=3")), tables + 2, "texts and rank.json");
}

#[test]
fn an_empty_trace_and_a_changed_rank_are_kept_too() {
    let directory = tempfile::tempdir().unwrap();
    let dataset = dataset(directory.path());
    let mut empty = recording(0);
    drop(empty.trace.take_rows());
    let staged = dataset.stage("a", &empty, None).unwrap();
    assert!(dataset.ranks("a").unwrap().is_empty(), "not before it is complete");
    staged.complete(-5).unwrap();
    empty.rank = -5;
    assert_same(&empty, &dataset.read("a", -5).unwrap());
    let full = recording(-5);
    dataset.stage("a", &full, None).unwrap().complete(-5).unwrap();
    assert_same(&full, &dataset.read("a", -5).unwrap());
    drop(dataset.stage("a", &full, None).unwrap());
    assert_eq!(fs::read_dir(directory.path().join("dataset/run=a")).unwrap().count(), 1);
}

#[test]
fn paths_name_datasets_runs_and_ranks() {
    let directory = tempfile::tempdir().unwrap();
    let made = dataset(directory.path());
    for (run, rank) in [("a", 0), ("b", 7)] {
        made.stage(run, &recording(rank), None).unwrap().complete(rank).unwrap();
    }
    let at = |path: &str| format!("{}/dataset{path}", directory.path().display());
    let part = |path: &str| Dataset::find(&at(path)).unwrap().map(|part| (part.run, part.rank));
    assert_eq!(part(""), Some((None, None)));
    assert_eq!(part("/"), Some((None, None)));
    assert_eq!(part("/run=a"), Some((Some("a".to_owned()), None)));
    assert_eq!(part("/run=b/rank=7/"), Some((Some("b".to_owned()), Some(7))));
    assert_eq!(part("/other"), None);
    assert_eq!(part("/../rank=3"), None);
    assert!(matches!(made.run(None), Err(Error::NotOneRun { known, .. }) if known == ["a", "b"]));
    assert!(matches!(made.run(Some("c")), Err(Error::NoRun { .. })));
    assert_eq!(made.run(Some("b")).unwrap(), "b");
    assert!(matches!(made.stage("a/b", &recording(0), None), Err(Error::RunName { .. })));
    assert!(matches!(Dataset::open(&at("/run=a")), Err(Error::NotADataset { .. })));
    fs::create_dir(directory.path().join("other")).unwrap();
    fs::write(directory.path().join("other/thesis.txt"), "mine").unwrap();
    let other = directory.path().join("other").display().to_string();
    assert!(
        matches!(Dataset::create(&other), Err(Error::Occupied { entry }) if entry.ends_with("thesis.txt"))
    );
}

/// A writer that is killed leaves only what the next one removes, and a dataset without its file is about to be made.
#[test]
fn a_dataset_is_made_with_its_first_rank() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("dataset");
    let names = |folder: &Path| {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort_unstable();
        names
    };
    let dataset = dataset(directory.path());
    assert!(!root.exists());
    drop(dataset.stage("a", &recording(0), None).unwrap());
    assert_eq!(names(&root), ["eaves-dataset.json", "run=a"]);
    assert!(names(&root.join("run=a")).is_empty());
    fs::remove_file(root.join("eaves-dataset.json")).unwrap();
    let again = self::dataset(directory.path());
    again.stage("a", &recording(0), None).unwrap().complete(0).unwrap();
    assert_eq!(names(&root), ["eaves-dataset.json", "run=a"]);
    assert_eq!(Dataset::open(&root.display().to_string()).unwrap().ranks("a").unwrap(), [0]);
}

/// Slices are stored in time order, which readers are told, and read in the order of the recording.
#[test]
fn slices_are_stored_in_order_of_time() {
    let directory = tempfile::tempdir().unwrap();
    let dataset = dataset(directory.path());
    let mut written = recording(3);
    let slices = &mut written.trace.slices;
    let mut random = fastrand::Rng::with_seed(3);
    let mut row = slices.row(3);
    while slices.len() < 300_000 {
        row.start = Ns(random.i64(-1000..100_000));
        row.position = slices.len() as i64;
        slices.push(row);
    }
    dataset.stage("a", &written, None).unwrap().complete(3).unwrap();
    assert_same(&written, &dataset.read("a", 3).unwrap());

    let file = fs::File::open(directory.path().join("dataset/run=a/rank=3/slices.parquet")).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let groups = reader.metadata().row_groups();
    assert_eq!(groups.len(), 3);
    for group in groups {
        let sorting = group.sorting_columns().unwrap();
        let name = group.column(usize::try_from(sorting[0].column_idx).unwrap()).column_descr().name();
        assert_eq!((sorting.len(), name, sorting[0].descending), (1, "start_ns", false));
    }
    let mut rows: Vec<(i64, u32)> = Vec::new();
    for batch in reader.build().unwrap() {
        let batch = batch.unwrap();
        let starts = batch.column_by_name("start_ns").unwrap().as_primitive::<Int64Type>();
        let numbers = batch.column_by_name("slice").unwrap().as_primitive::<UInt32Type>();
        rows.extend(starts.values().iter().copied().zip(numbers.values().iter().copied()));
    }
    assert!(rows.is_sorted(), "by start, then by number");
    let start = |number: u32| written.trace.slices.start[number as usize];
    assert!(rows.iter().all(|&(time, number)| start(number) == Ns(time)));
}

/// Every file of a rank, damaged in every simple way: an error that names the file.
#[test]
fn damage_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let dataset = dataset(directory.path());
    let folder = directory.path().join("dataset/run=a/rank=3");
    dataset.stage("a", &recording(3), None).unwrap().complete(3).unwrap();
    let mut files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in &files {
        let content = fs::read(file).unwrap();
        let mut flipped = content.clone();
        flipped[content.len() / 2] ^= 1;
        let cases: [(&str, Option<&[u8]>); 5] = [
            ("missing", None),
            ("empty", Some(b"")),
            ("cut", Some(&content[..content.len() / 2])),
            ("foreign", Some(b"PAR1 and nothing else PAR1")),
            ("flipped", Some(&flipped)),
        ];
        for (case, damaged) in cases {
            let is_rank_file = file.ends_with(RANK_FILE);
            match damaged {
                None => fs::remove_file(file).unwrap(),
                Some(damaged) => fs::write(file, damaged).unwrap(),
            }
            match dataset.read("a", 3) {
                // A changed letter of a checksum accuses the file that it is of.
                Err(Error::Damaged { .. }) if is_rank_file && case == "flipped" => {}
                Err(Error::Damaged { place, what }) => {
                    assert_eq!(Path::new(&place), file, "{case}: {what}");
                }
                // A changed letter of a text is a text.
                Ok(_) if is_rank_file && case == "flipped" => {}
                other => panic!("{case}: {}: {other:?}", file.display()),
            }
            fs::write(file, &content).unwrap();
        }
    }
    dataset.read("a", 3).unwrap();
    let later = fs::read_to_string(folder.join(RANK_FILE))
        .unwrap()
        .replace("\"format_version\": 1", "\"format_version\": 2");
    fs::write(folder.join(RANK_FILE), later).unwrap();
    assert!(matches!(dataset.read("a", 3), Err(Error::Version { found: 2, known: 1, .. })));
}

/// Columns may be added to a table at its end; files of before have no values of them.
#[test]
fn columns_that_an_older_file_lacks_are_unknown() {
    let trace = sample::trace();
    let marks = Marks::default();
    let table = trace.tables().into_iter().find(|table| table.name == "collectives").unwrap();
    let mut table = stored(table, &trace.strings, &marks);
    let (rows, columns) = (table.rows as u64, table.columns.len());
    let read = |table: FlatTable<'_>| {
        let mut bytes = Vec::new();
        write_grouped(&[table], 100, &mut bytes).unwrap();
        let mut read = Trace::default();
        read_table(&mut read, "collectives", rows, bytes.into()).map(|()| read.collectives.row(0))
    };
    let whole = read(table.clone()).unwrap();
    assert_eq!((whole.sequence.get(), whole.is_asynchronous.get()), (Some(41), Some(1)));
    table.columns.truncate(columns - 2);
    let older = read(table.clone()).unwrap();
    assert_eq!((older.sequence.get(), older.is_asynchronous.get()), (None, None));
    assert_eq!((older.group_size, older.global_rank_stride), (whole.group_size, whole.global_rank_stride));
    // One that is missing in the middle is damage.
    table.columns.remove(3);
    assert_eq!(read(table).unwrap_err(), "column `dtype` where `out_elements` belongs");
}

/// Random damage of tables behind the checksum, as a hostile writer could do: never a panic, and what is read is sound.
#[test]
fn random_damage_is_an_error_or_a_sound_trace() {
    let directory = tempfile::tempdir().unwrap();
    let dataset = dataset(directory.path());
    let folder = directory.path().join("dataset/run=a/rank=3");
    dataset.stage("a", &recording(3), None).unwrap().complete(3).unwrap();
    let file = dataset.rank_file("a", 3).unwrap();
    let mut random = fastrand::Rng::with_seed(7);
    let (mut refused, mut sound) = (0, 0);
    let rounds = 400;
    // What rows of other tables point to.
    let others = [STRINGS, "tracks", "slices"];
    let written = |name: &str| fs::read(folder.join(format!("{name}.parquet"))).unwrap();
    for _ in 0..rounds {
        let table = &file.tables[random.usize(..file.tables.len())];
        let mut content = written(&table.name);
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..content.len());
            content[at] = random.u8(..);
        }
        if random.u8(..8) == 0 {
            content.truncate(random.usize(..content.len()));
        }
        let mut wanted: Vec<&StoredTable> = file.tables.iter().collect();
        wanted.retain(|one| one.name == table.name || others.contains(&one.name.as_str()));
        wanted.sort_by_key(|one| one.name != STRINGS);
        let mut trace = Trace::default();
        let read = wanted.iter().try_for_each(|one| {
            let content = if one.name == table.name { content.clone() } else { written(&one.name) };
            read_table(&mut trace, &one.name, one.rows, content.into())
        });
        refused += usize::from(read.is_err());
        if read.is_err() || trace.check_rows().is_err() {
            continue;
        }
        sound += 1;
        // Whatever it is by now, it is kept like any other.
        let copy = tempfile::tempdir().unwrap();
        let mut tables = write_tables(&trace, copy.path()).unwrap();
        tables.sort_by_key(|one| one.name != STRINGS);
        let mut again = Trace::default();
        for one in &tables {
            let content = fs::read(copy.path().join(format!("{}.parquet", one.name))).unwrap();
            read_table(&mut again, &one.name, one.rows, content.into()).unwrap();
        }
        assert_eq!(trace.difference(&again), None, "{}", table.name);
    }
    assert!(refused > rounds / 10 && sound > 0, "{refused} {sound}");
}
