//! Which files were written, under names that do not depend on the process.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Deeper there is nothing of a profiler's.
const DEEPEST: usize = 8;

/// Every file below a directory, sorted. Links are not followed.
pub(crate) fn below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    visit(directory, DEEPEST, &mut found);
    found.sort_unstable();
    found
}

fn visit(directory: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            Ok(kind) if kind.is_dir() && depth > 0 => visit(&entry.path(), depth - 1, found),
            _ => {}
        }
    }
}

/// Where the number of the process stands in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcessIn {
    /// Nowhere.
    Nothing,
    /// `123_kernel_trace.csv`.
    Front,
    /// `results_123.csv`.
    Back,
}

/// Gives files of the same process names that are the same in every run: `run` in place of the number, `run-2` and so
/// on if there were several, in order of number. Files of one pass are then known to belong to those of another.
pub(crate) fn settle(directory: &Path, place: ProcessIn) -> io::Result<()> {
    if place == ProcessIn::Nothing {
        return Ok(());
    }
    let files = below(directory);
    let directories: BTreeSet<&Path> = files.iter().filter_map(|file| file.parent()).collect();
    for directory in directories {
        let inside = files.iter().filter(|file| file.parent() == Some(directory));
        let named: Vec<(u64, String, &PathBuf)> = inside
            .filter_map(|file| {
                let (process, rest) = taken_apart(file.file_name()?.to_str()?, place)?;
                Some((process, rest, file))
            })
            .collect();
        let processes: BTreeSet<u64> = named.iter().map(|(process, ..)| *process).collect();
        for (process, rest, file) in &named {
            let index = processes.iter().position(|known| known == process).unwrap_or_default();
            let run = if index == 0 { "run".to_owned() } else { format!("run-{}", index + 1) };
            let name = match place {
                ProcessIn::Back => rest.replacen('*', &run, 1),
                _ => format!("{run}_{rest}"),
            };
            let to = directory.join(name);
            if !to.exists() {
                fs::rename(file, to)?;
            }
        }
    }
    Ok(())
}

fn taken_apart(name: &str, place: ProcessIn) -> Option<(u64, String)> {
    match place {
        ProcessIn::Nothing => None,
        ProcessIn::Front => {
            let (process, rest) = name.split_once('_')?;
            Some((process.parse().ok()?, rest.to_owned()))
        }
        ProcessIn::Back => {
            let (stem, extension) = name.rsplit_once('.')?;
            let (kind, process) = stem.rsplit_once('_')?;
            Some((process.parse().ok()?, format!("{kind}_*.{extension}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let relative = |file: PathBuf| file.strip_prefix(directory).unwrap().display().to_string();
        below(directory).into_iter().map(relative).collect()
    }

    #[test]
    fn files_of_a_process_get_the_same_name_in_every_pass() {
        let directory = tempfile::tempdir().unwrap();
        for name in [
            "pass_1/99_counter_collection.csv",
            "pass_2/7_counter_collection.csv",
            "100_results.db",
            "99_results.db",
        ] {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        fs::write(directory.path().join("counters.json"), "").unwrap();
        settle(directory.path(), ProcessIn::Front).unwrap();
        let expected = [
            "counters.json",
            "pass_1/run_counter_collection.csv",
            "pass_2/run_counter_collection.csv",
            "run-2_results.db",
            "run_results.db",
        ];
        assert_eq!(names(directory.path()), expected);
        // By number, not by spelling.
        assert_eq!(fs::read_to_string(directory.path().join("run_results.db")).unwrap(), "99_results.db");
        settle(directory.path(), ProcessIn::Front).unwrap();
        assert_eq!(names(directory.path()), expected);
    }

    #[test]
    fn the_process_may_stand_at_the_end() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["results_12.csv", "hip_api_trace_12.csv", "results_13.csv", "counters.txt"] {
            fs::write(directory.path().join(name), "").unwrap();
        }
        settle(directory.path(), ProcessIn::Back).unwrap();
        let expected = ["counters.txt", "hip_api_trace_run.csv", "results_run-2.csv", "results_run.csv"];
        assert_eq!(names(directory.path()), expected);
    }
}
