//! Where the reference data lies and how its traces are read.

pub(crate) mod checks;
pub(crate) mod frame;
pub(crate) mod golden;
pub(crate) mod hta;
pub(crate) mod sections;
pub(crate) mod tracelens;

use std::path::{Path, PathBuf};

use eaves_model::Run;

/// A folder of the reference data beside the checkout, or nothing if it is not there.
pub(crate) fn data(folder: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(folder);
    if !root.is_dir() {
        println!("skipped: no reference data at {}", root.display());
        return None;
    }
    Some(root)
}

/// The sorted names of the folders in a folder.
pub(crate) fn folders(path: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(path).unwrap().map(Result::unwrap);
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Reads the traces of a folder.
pub(crate) fn read_run(folder: &Path) -> Run {
    eaves_ingest::read(&[folder.to_owned()], &eaves_ingest::Options::default()).unwrap()
}
