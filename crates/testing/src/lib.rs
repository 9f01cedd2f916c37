//! Reference data and skipped tests.
//!
//! libtest cannot skip a test that has started, so a test that lacks its data or its tool calls [`skip`] and returns.
//! `cargo xtask test` collects these calls and counts the tests as skipped; plain `cargo test` prints the reasons.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Names the folder of reference data. Relative paths start at the workspace.
pub const DATA: &str = "EAVES_TEST_DATA";

/// Names the file that collects skipped tests: one line per call, with the test program, the test and the reason
/// separated by tabs.
pub const SKIPPED: &str = "EAVES_SKIPPED";

/// A file or folder of the reference data. If it does not exist, the running test counts as skipped and must return.
#[must_use]
pub fn data(name: &str) -> Option<PathBuf> {
    let path = place(std::env::var_os(DATA), name);
    if !path.exists() {
        skip(format_args!("no reference data at {}; {DATA} names the folder", path.display()));
        return None;
    }
    Some(path)
}

/// Where a file of the reference data should be. The default is next to the checkout.
fn place(folder: Option<OsString>, name: &str) -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = folder.map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    // Without a name this is the folder itself, not the folder with a slash behind it.
    workspace.join(folder).components().chain(Path::new(name).components()).collect()
}

/// Every file below a folder, with its content.
///
/// # Errors
/// If one cannot be read.
pub fn contents(folder: &Path) -> io::Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap_or(&path).to_owned();
                found.insert(name, std::fs::read(&path)?);
            }
        }
    }
    Ok(found)
}

/// Records that the running test is skipped. The test must return at once.
pub fn skip(reason: impl Display) {
    let test = std::thread::current().name().unwrap_or("a thread").to_owned();
    let Some(file) = std::env::var_os(SKIPPED) else {
        // libtest hides what tests print with `eprintln!`, but not what they write to the stream.
        let _ = writeln!(io::stderr(), "test {test} is skipped: {reason}");
        return;
    };
    if let Err(error) = record(Path::new(&file), &test, &reason.to_string()) {
        unrecorded(Path::new(&file), &error);
    }
}

#[expect(clippy::panic, reason = "a skip that nobody counts would look like a test that passed")]
fn unrecorded(file: &Path, error: &io::Error) -> ! {
    panic!("cannot record in {} that the test is skipped: {error}", file.display())
}

fn record(file: &Path, test: &str, reason: &str) -> io::Result<()> {
    let program = std::env::current_exe()?;
    let program = program.file_stem().unwrap_or_default().to_string_lossy();
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    // One write, because other threads and programs append to the same file.
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(file)?;
    file.write_all(format!("{program}\t{test}\t{reason}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_beside_the_checkout_or_where_the_variable_says() {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let joined = |path: &str| workspace.join(path);
        assert_eq!(place(None, ""), joined("../shared/data"));
        assert_eq!(place(None, "hta/traces"), joined("../shared/data/hta/traces"));
        assert_eq!(place(Some("data".into()), "hta"), joined("data/hta"));
        let absolute = std::env::temp_dir();
        assert_eq!(place(Some(absolute.clone().into()), "hta"), absolute.join("hta"));
    }

    #[test]
    fn a_record_is_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("skipped");
        record(&file, "one::test", "no data\nat all").unwrap();
        record(&file, "other", "no tool").unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
        assert_eq!((lines[0][1], lines[0][2]), ("one::test", "no data at all"));
        assert_eq!((lines[1][1], lines[1][2]), ("other", "no tool"));
        assert!(lines[0][0].starts_with("eaves_testing-"), "{text}");
        assert!(record(folder.path(), "one", "not a file").is_err());
    }
}
