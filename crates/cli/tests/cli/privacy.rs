//! What a recording holds that is nobody's business stays in the recording.

use std::fs;
use std::path::Path;

use super::support::run;

/// A database of rocprofv3, which stores the environment and the command line of the program. Both have a secret.
const DATABASE: &str = "../ingest/tests/rocpd/two_runs.db";

const SECRET: &[u8] = b"hunter2";

fn has_secret(bytes: &[u8]) -> bool {
    bytes.windows(SECRET.len()).any(|window| window == SECRET)
}

/// Every file below a directory.
fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push((path.display().to_string(), fs::read(&path).unwrap()));
        }
    }
    found
}

#[test]
fn the_environment_of_a_program_is_in_no_output() {
    let database = Path::new(env!("CARGO_MANIFEST_DIR")).join(DATABASE).canonicalize().unwrap();
    assert!(has_secret(&fs::read(&database).unwrap()));
    let database = database.display().to_string();
    let directory = tempfile::tempdir().unwrap();
    let commands: [&[&str]; 12] = [
        &["info", &database],
        &["info", &database, "--json"],
        &["report", &database],
        &["report", &database, "--json"],
        &["report", &database, "-o", "report.html"],
        &["report", &database, "-o", "report.md"],
        &["report", &database, "-o", "report.csv"],
        &["timeline", &database, "-o", "timeline.html"],
        &["export", &database, "--to", "chrome", "-o", "chrome.json"],
        &["export", &database, "--to", "perfetto", "-o", "perfetto.json"],
        &["export", &database, "--to", "parquet", "-o", "parquet"],
        &["export", &database, "--to", "csv", "-o", "csv"],
    ];
    for arguments in commands {
        let answer = run(directory.path(), arguments);
        assert_eq!(answer.code, Some(0), "{arguments:?}: {answer:?}");
        assert!(!has_secret(answer.stdout.as_bytes()), "{arguments:?}");
        assert!(!has_secret(answer.stderr.as_bytes()), "{arguments:?}");
    }
    let written = files(directory.path());
    assert!(written.len() > 8, "{}", written.len());
    for (path, bytes) in written {
        assert!(!has_secret(&bytes), "{path}");
    }
}
