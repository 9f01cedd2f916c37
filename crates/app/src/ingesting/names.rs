//! Default names of runs.

use std::path::PathBuf;

use eaves_store::{is_address, run_name_of};

/// The name of the directory or file; of several, that of the directory of the first.
pub fn default_run(inputs: &[PathBuf]) -> String {
    let [first, others @ ..] = inputs else { return run_name_of("") };
    let text = first.to_string_lossy();
    if is_address(&text) {
        let last = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        return run_name_of(last.strip_prefix("run=").unwrap_or(last));
    }
    let whole = std::fs::canonicalize(first).unwrap_or_else(|_| first.clone());
    let named =
        if others.is_empty() && whole.exists() { whole.as_path() } else { whole.parent().unwrap_or(&whole) };
    let name = named.file_name().unwrap_or_default().to_string_lossy();
    let name = if named.is_file() { stem(&name) } else { &name };
    run_name_of(name.strip_prefix("run=").unwrap_or(name))
}

/// A name without the endings that traces have.
fn stem(name: &str) -> &str {
    let mut stem = name;
    while let Some((before, ending)) = stem.rsplit_once('.') {
        let is_ending = ["json", "gz", "zst", "zip", "csv", "pt", "trace", "db", "sqlite"].contains(&ending);
        if !is_ending || before.is_empty() {
            break;
        }
        stem = before;
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_named_after_what_they_are_of() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir(at("monday night")).unwrap();
        for name in ["monday night/rank0.json.gz", "monday night/trace.v2.json"] {
            std::fs::write(at(name), "").unwrap();
        }
        let run = |names: &[&str]| default_run(&names.iter().map(|name| at(name)).collect::<Vec<_>>());
        assert_eq!(run(&["monday night"]), "monday night");
        assert_eq!(run(&["monday night/"]), "monday night");
        assert_eq!(run(&["monday night/rank0.json.gz"]), "rank0");
        assert_eq!(run(&["monday night/trace.v2.json"]), "trace.v2");
        assert_eq!(run(&["monday night/rank0.json.gz", "monday night/trace.v2.json"]), "monday night");
        assert_eq!(run(&["monday night/*.json"]), "monday night");
        assert_eq!(default_run(&[PathBuf::from("s3://bucket/jobs/7/")]), "7");
        assert_eq!(stem(".json"), ".json");
    }
}
