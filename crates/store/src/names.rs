//! Names of runs and folders, and names that live as long as the program.

use std::sync::{Mutex, PoisonError};

/// The most letters of the name of a run; a folder of any system can have them.
const MOST: usize = 128;

/// True for a name that a folder can have in every system and that no reader of Hive-style folders takes apart.
pub fn is_run_name(name: &str) -> bool {
    let is_allowed = |letter: char| letter.is_alphanumeric() || "-_. +".contains(letter);
    name.len() <= MOST
        && name.starts_with(char::is_alphanumeric)
        && name.chars().all(is_allowed)
        && !name.ends_with([' ', '.'])
}

/// The nearest name that a run can have; `run` if nothing is left of it.
pub fn run_name_of(text: &str) -> String {
    let is_allowed = |letter: char| letter.is_alphanumeric() || "-_. +".contains(letter);
    let name: String = text.chars().map(|letter| if is_allowed(letter) { letter } else { '_' }).collect();
    let mut name = name.trim_start_matches(|first: char| !first.is_alphanumeric()).to_owned();
    while name.len() > MOST {
        name.pop();
    }
    let name = name.trim_end_matches([' ', '.']);
    if name.is_empty() { "run".to_owned() } else { name.to_owned() }
}

/// The folder of a run.
pub(crate) fn run_folder(run: &str) -> String {
    format!("run={run}")
}

/// The folder of a rank in that of its run.
pub(crate) fn rank_folder(rank: i64) -> String {
    format!("rank={rank}")
}

/// The run that a folder is of.
pub(crate) fn run_of_folder(folder: &str) -> Option<&str> {
    folder.strip_prefix("run=").filter(|name| is_run_name(name))
}

/// The rank that a folder is of. Other ways to write a number are not ranks, so that none is there twice.
pub(crate) fn rank_of_folder(folder: &str) -> Option<i64> {
    let rank = folder.strip_prefix("rank=")?.parse().ok()?;
    (rank_folder(rank) == folder).then_some(rank)
}

/// The same text for as long as the program runs: names of formats are few and all of them are in programs, but here they
/// come from files. A file that makes up names gets no more than a bound of them.
pub(crate) fn lasting(name: &str) -> Option<&'static str> {
    static KNOWN: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    const LONGEST: usize = 64;
    const NAMES: usize = 1024;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(same) = known.iter().find(|same| **same == name) {
        return Some(same);
    }
    if name.len() > LONGEST || known.len() == NAMES {
        return None;
    }
    let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    known.push(name);
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_folders_everywhere() {
        for name in ["a", "2026-11-16 night", "job.7_b", "größe+1"] {
            assert!(is_run_name(name), "{name}");
            assert_eq!(run_of_folder(&run_folder(name)), Some(name));
            assert_eq!(run_name_of(name), name);
        }
        for name in ["", ".", "..", "a/b", "a\\b", "-a", "a=b", "a ", "a.", "a%2f", "a*"] {
            assert!(!is_run_name(name), "{name}");
            assert!(is_run_name(&run_name_of(name)), "{name}: {}", run_name_of(name));
        }
        assert!(is_run_name(&run_name_of(&"ö".repeat(300))));
    }

    #[test]
    fn a_rank_has_one_folder() {
        for rank in [0, 7, -1, i64::MAX, i64::MIN] {
            assert_eq!(rank_of_folder(&rank_folder(rank)), Some(rank));
        }
        for folder in ["rank=07", "rank=+1", "rank=", "rank=1.2", "rank", ".rank=1", "rank=-0"] {
            assert_eq!(rank_of_folder(folder), None, "{folder}");
        }
    }

    #[test]
    fn made_up_names_are_bounded() {
        let first = lasting("kineto").unwrap();
        assert!(std::ptr::eq(first, lasting("kineto").unwrap()));
        assert_eq!(lasting(&"x".repeat(65)), None);
    }
}
