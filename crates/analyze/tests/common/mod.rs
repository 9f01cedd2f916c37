//! What the comparisons share: traces, tables of other tools, and counted checks.

pub(crate) mod checks;
pub(crate) mod frame;
pub(crate) mod golden;
pub(crate) mod hta;
pub(crate) mod sections;
pub(crate) mod tracelens;

use std::path::Path;

use eaves_model::Run;
pub(crate) use eaves_testing::data;

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
