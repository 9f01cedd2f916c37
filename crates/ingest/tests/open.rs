//! Whatever inputs are, alone, mixed or in a folder: they come back together, and each says what it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use eaves_ingest::{Contents, Error, Kind, Options, Wanted, open};

const TRACE: &str = r#"{"schemaVersion":1,"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2}]}"#;
const LOG: &str = "V1115 18:55:01.217000 6838 torch/_dynamo/utils.py:2473] {\"dynamo_start\": {\"stack\": []}, \"frame_id\": 0, \
                   \"frame_compile_id\": 0, \"attempt\": 0}\n";
const FILES: &[(&str, &str, Kind)] = &[
    ("bench.json", r#"[{"op": "gemm", "latency_ms": 1.0, "tflops": 2.0}]"#, Kind::BenchmarkResults),
    ("commands.json", r#"[{"type": "ID_CONV", "data_type": "INT8", "time_ns": 5}]"#, Kind::NpuCommands),
    ("compile.log", LOG, Kind::CompileLog),
    (
        "events.json",
        r#"{"events": [{"type": "compute", "name": "k", "flops": 1, "dram_bytes": 1, "dur_us": 1}]}"#,
        Kind::EventList,
    ),
    ("kernels.csv", "name,flops,dram_bytes,time_ms\nk,1,2,3\n", Kind::KernelTable),
    ("memory.raw.json", "[[10, 1, 100, 0]]", Kind::MemoryTimeline),
    (
        "page.html",
        "<!DOCTYPE html>\n<html><head><meta name=\"generator\" content=\"eaves 0.1.0\">",
        Kind::SavedReport,
    ),
    ("ranks.eaves-partial", "anything", Kind::Partial),
    ("rank0.json", TRACE, Kind::Recording),
    ("report.json", "{\"schema\":\"eaves.report/1\",\"sections\":[]}", Kind::SavedReport),
    (
        "sums.csv",
        "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n\"k\",2,20,10,100.0\n",
        Kind::ProfilerSums,
    ),
];

/// A folder with one file of each kind, and others that are none.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text, _) in FILES {
        fs::write(folder.path().join(name), text).unwrap();
    }
    for (name, text) in
        [("notes.txt", "nothing"), ("table.csv", "a,b\n1,2\n"), ("other.html", "<!DOCTYPE html>")]
    {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn kinds<R>(contents: &Contents<R>) -> Vec<(String, Kind)> {
    let name = |path: &str| Path::new(path).file_name().unwrap().to_string_lossy().into_owned();
    let mut kinds: Vec<_> = contents.inputs.iter().map(|input| (name(&input.path), input.kind)).collect();
    kinds.sort();
    kinds
}

fn expected() -> Vec<(String, Kind)> {
    let mut expected: Vec<_> = FILES.iter().map(|(name, _, kind)| ((*name).to_owned(), *kind)).collect();
    expected.sort();
    expected
}

#[test]
fn each_file_says_what_it_is() {
    let folder = folder();
    for (name, _, kind) in FILES {
        let contents = open(&[folder.path().join(name)], &Options::default(), |_| ()).unwrap();
        assert_eq!(kinds(&contents), [((*name).to_owned(), *kind)]);
        let is_read =
            contents.run.recordings.len() + contents.measurements.len() + contents.compile_logs.len();
        let is_recognized = matches!(kind, Kind::SavedReport | Kind::Partial);
        assert_eq!(is_read, usize::from(!is_recognized), "{name}");
    }
}

#[test]
fn mixed_inputs_come_back_together() {
    let folder = folder();
    let names: Vec<PathBuf> = FILES.iter().map(|(name, ..)| folder.path().join(name)).collect();
    for inputs in [names, vec![folder.path().to_owned()]] {
        let count = AtomicUsize::new(0);
        let work = |recording: &mut eaves_model::Recording| {
            count.fetch_add(1, Ordering::Relaxed);
            recording.format
        };
        let contents = open(&inputs, &Options::default(), work).unwrap();
        assert_eq!(kinds(&contents), expected());
        // The timeline of memory belongs to the trace and is not a rank.
        assert_eq!((contents.answers.as_slice(), count.into_inner()), (&["kineto"][..], 2));
        assert_eq!(
            contents.memory.iter().map(|(_, format)| *format).collect::<Vec<_>>(),
            ["memory-timeline"]
        );
        assert_eq!(contents.compile_logs.len(), 1);
        let reports = contents.paths(Kind::SavedReport);
        assert_eq!(reports, [folder.path().join("page.html"), folder.path().join("report.json")]);
        assert_eq!(contents.paths(Kind::Partial), [folder.path().join("ranks.eaves-partial")]);
        assert_eq!(contents.refused, [""; 0]);
    }
}

/// Those who want recordings alone get no more than they did.
#[test]
fn what_is_not_wanted_is_refused() {
    let folder = folder();
    let options = Options { wanted: Wanted::Recordings, ..Options::default() };
    for name in
        ["kernels.csv", "commands.json", "report.json", "page.html", "ranks.eaves-partial", "sums.csv"]
    {
        assert!(open(&[folder.path().join(name)], &options, |_| ()).is_err(), "{name}");
    }
    let contents = open(&[folder.path().to_owned()], &options, |_| ()).unwrap();
    assert_eq!(
        kinds(&contents),
        [("memory.raw.json".into(), Kind::MemoryTimeline), ("rank0.json".into(), Kind::Recording)]
    );
    assert_eq!(contents.run.recordings.len(), 1);
}

#[test]
fn what_is_nothing_is_an_error() {
    let folder = folder();
    let error = open(&[folder.path().join("notes.txt")], &Options::default(), |_| ()).unwrap_err();
    assert!(matches!(error, Error::NotATrace { .. }), "{error}");
    // A packed report cannot be opened by its path.
    let packed = folder.path().join("report.json.gz");
    let mut writer =
        flate2::write::GzEncoder::new(fs::File::create(&packed).unwrap(), flate2::Compression::fast());
    std::io::Write::write_all(&mut writer, b"{\"schema\":\"eaves.report/1\",\"sections\":[]}").unwrap();
    writer.finish().unwrap();
    assert!(matches!(open(&[packed], &Options::default(), |_| ()), Err(Error::NoEvents { .. })));
}
