//! Real traces. They are other people's and not part of the project.

use std::path::PathBuf;

use super::round_trip;
use crate::export::files::TraceFormat;

fn traces() -> Option<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for folder in ["hta/traces", "tracelens/cases"] {
        for case in std::fs::read_dir(eaves_testing::data(folder)?).unwrap().flatten() {
            let Ok(files) = std::fs::read_dir(case.path()) else { continue };
            paths.extend(files.flatten().map(|file| file.path()));
        }
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "gz" || extension == "json"));
    paths.sort();
    Some(paths)
}

#[test]
fn real_traces_survive() {
    let Some(paths) = traces() else { return };
    let (mut read, mut losses) = (0, Vec::new());
    for path in &paths {
        // Some files of these folders are not traces.
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
