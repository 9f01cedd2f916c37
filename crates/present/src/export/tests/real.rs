//! Real traces, where this machine has them: they are other people's and not part of the project.

use std::path::{Path, PathBuf};

use super::round_trip;
use crate::export::files::TraceFormat;

fn traces() -> Vec<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let mut paths = Vec::new();
    for folder in ["hta/traces", "tracelens/cases"] {
        let Ok(cases) = std::fs::read_dir(data.join(folder)) else { continue };
        for case in cases.flatten() {
            let Ok(files) = std::fs::read_dir(case.path()) else { continue };
            paths.extend(files.flatten().map(|file| file.path()));
        }
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "gz" || extension == "json"));
    paths.sort();
    paths
}

#[test]
fn real_traces_survive() {
    let paths = traces();
    if paths.is_empty() {
        println!("skipped: no folder with real traces beside the project");
        return;
    }
    let (mut read, mut losses) = (0, Vec::new());
    for path in &paths {
        // Some files of these folders are no traces.
        let options = eaves_ingest::Options::default();
        let Ok(run) = eaves_ingest::read(std::slice::from_ref(path), &options) else { continue };
        read += 1;
        let trace = &run.recordings[0].trace;
        for format in [TraceFormat::Chrome, TraceFormat::Perfetto] {
            losses.extend(round_trip::loss(trace, format).map(|loss| format!("{}: {loss}", path.display())));
        }
    }
    assert!(losses.is_empty(), "{} of {read}:\n{}", losses.len(), losses.join("\n"));
    assert!(read > 0, "none of {} files is a trace", paths.len());
}
