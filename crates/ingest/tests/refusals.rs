//! Archives, directories and damaged files of profilers: what is taken, and the reason that is given if nothing is.

use std::io::Write;
use std::path::Path;

use eaves_ingest::{Error, Options, read, read_bytes};
use eaves_model::{Run, WarningKind};

const KERNELS: &str =
    "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\",\"Kernel_Name\",\
\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\",\"Private_Segment_Size\",\"Group_Segment_Size\",\
\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"
\"KERNEL_DISPATCH\",4,1,77,1,9,\"add(float*)\",1,1000,1600,0,0,64,1,1,6400,1,1
\"KERNEL_DISPATCH\",4,1,77,2,9,\"add(float*)\",2,2000,2700,0,0,64,1,1,6400,1,1
";

const TRACE: &str = r#"{"schemaVersion":1,"traceEvents":[
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"device":0,"stream":7}}]}"#;

/// Size of the pages of the database in `rocpd/`.
const PAGE: usize = 512;

fn archive(path: &Path, members: &[(&str, &[u8])]) {
    let mut archive = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    for (name, content) in members {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap();
}

fn read_members(members: &[(&str, &[u8])]) -> Result<Run, Error> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("files.zip");
    archive(&path, members);
    read(&[path], &Options::default())
}

fn read_directory(files: &[(&str, &[u8])]) -> Result<Run, Error> {
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(directory.path().join(name), content).unwrap();
    }
    read(&[directory.path().to_owned()], &Options::default())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn files_of_profilers_are_found_in_archives() {
    let run = read_members(&[("out/1_kernel_trace.csv", KERNELS.as_bytes())]).unwrap();
    let recording = &run.recordings[0];
    assert_eq!((recording.container, recording.trace.slices.len()), ("zip", 2));
    assert!(recording.path.ends_with("files.zip!out/1_kernel_trace.csv"), "{}", recording.path);

    let mixed: [(&str, &[u8]); 4] = [
        ("1_kernel_trace.csv", KERNELS.as_bytes()),
        ("notes.txt", b"hello"),
        ("prices.csv", b"apples,pears\n1,2\n"),
        ("settings.json", b"{}"),
    ];
    let run = read_members(&mixed).unwrap();
    assert_eq!((run.recordings.len(), run.recordings[0].trace.slices.len()), (1, 2));
    assert_eq!(run.diagnostics.count(WarningKind::NotATrace), 1, "{:?}", run.diagnostics);
}

/// Whatever lies next to a single trace, the trace is what the user meant, and its fault is the answer.
#[test]
fn archives_of_traces_stay_as_they_are() {
    let run = read_members(&[("rank0.json", TRACE.as_bytes()), ("notes.txt", b"hello")]).unwrap();
    assert_eq!((run.recordings.len(), run.diagnostics.count(WarningKind::NotATrace)), (1, 0));
    let error = read_members(&[("rank0.json", b"hello"), ("prices.csv", b"a,b\n1,2\n")]).unwrap_err();
    assert!(matches!(error, Error::NotATrace { .. }), "{error}");
    let error = read_members(&[("notes.txt", b"hello")]).unwrap_err();
    assert!(error.to_string().contains("no trace among 1 file:"), "{error}");
}

#[test]
fn what_all_files_of_a_directory_were_refused_for_is_said() {
    // Reports in an archive are refused whether there is an `nsys` or not.
    let error = read_members(&[("a.nsys-rep", b"x"), ("b.nsys-rep", b"y")]).unwrap_err();
    assert!(error.to_string().contains("Nsight Systems report"), "{error}");
    assert!(error.hint().contains("nsys export"), "{}", error.hint());

    let error = read_members(&[("a.nsys-rep", b"x"), ("settings.json", b"{}")]).unwrap_err();
    assert!(error.to_string().contains("Nsight Systems report"), "{error}");

    let error = read_directory(&[("a.json", b""), ("b.json", b"")]).unwrap_err();
    assert!(matches!(error, Error::Empty { .. }), "{error}");
    let packed = [0xFD, b'7', b'z', b'X', b'Z', 0];
    let error = read_directory(&[("a.json", &packed), ("b.json", &packed)]).unwrap_err();
    assert!(matches!(error, Error::UnsupportedContainer { .. }), "{error}");
    let error = read_directory(&[("a.json", b""), ("b.json", b"hello")]).unwrap_err();
    assert!(error.to_string().contains("no trace among 2 files:"), "{error}");
}

#[test]
fn directories_of_packed_reports_are_looked_into() {
    let pack =
        |bytes: &[u8]| ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest);
    let error = read_directory(&[("a.ncu-repz", &pack(b"NVR\0"))]).unwrap_err();
    assert!(error.to_string().contains("a Nsight Compute report"), "{error}");
}

#[test]
fn tar_archives_are_refused() {
    for mark in [b"ustar\0", b"ustar "] {
        let mut tar = vec![0; 512];
        tar[..22].copy_from_slice(b"out/1_kernel_trace.csv");
        tar[257..263].copy_from_slice(mark);
        tar.extend_from_slice(KERNELS.as_bytes());
        let error = read_bytes("out.tar", &tar).unwrap_err();
        assert!(error.to_string().contains("a tar archive"), "{error}");
        assert!(error.hint().contains("extract"), "{}", error.hint());
        let error = read_directory(&[("out.tar.gz", &gzip(&tar))]).unwrap_err();
        assert!(error.to_string().contains("a tar archive"), "{error}");
    }
}

#[test]
fn rocprof_json_cut_anywhere_says_so() {
    let text = include_bytes!("../../../fuzz/corpus/rocprof_json/results.json").trim_ascii_end();
    let warnings = |bytes: &[u8]| read_bytes("results.json", bytes).map(|one| one.trace.diagnostics);
    assert_eq!(warnings(text).unwrap().count(WarningKind::Truncated), 0);
    let mut kept = 0;
    for end in 0..text.len() {
        match warnings(&text[..end]) {
            Ok(diagnostics) => {
                kept += 1;
                assert_eq!(diagnostics.count(WarningKind::Truncated), 1, "cut at {end}");
            }
            Err(Error::Profiler { what, .. }) => {
                assert!(
                    what.contains("cut off") || what.contains("without an event list"),
                    "cut at {end}: {what}"
                );
            }
            Err(_) => {}
        }
    }
    assert!(kept > 0);
}

#[test]
fn a_damaged_file_is_not_called_empty() {
    let json = include_bytes!("../../../fuzz/corpus/rocprofv3_json/everything.json").trim_ascii_end();
    let mut refused = 0;
    for end in 0..json.len() {
        if let Err(Error::Profiler { what, .. }) = read_bytes("1_results.json", &json[..end]) {
            refused += 1;
            assert!(what.contains("JSON of rocprofv3 that is cut off"), "cut at {end}: {what}");
        }
    }
    assert!(refused > 0);

    let mut database = include_bytes!("rocpd/two_runs.db").to_vec();
    // The first pages of the tables of both runs that hold events.
    for page in (17..=29).step_by(2).chain((46..=58).step_by(2)) {
        database[(page - 1) * PAGE] = 0;
    }
    let refusal = |bytes: &[u8]| match read_bytes("1_results.db", bytes) {
        Err(Error::Profiler { what, offset, .. }) => (what, offset),
        other => panic!("{other:?}"),
    };
    let (what, offset) = refusal(&database);
    assert!(what.contains("a rocpd database that is damaged"), "{what}");
    assert!(offset >= 16 * PAGE as u64, "{offset}");
    let end = database.len() - PAGE;
    let (what, offset) = refusal(&database[..end]);
    assert!(what.contains("a rocpd database that is cut off"), "{what}");
    assert_eq!(offset, end as u64);
}
