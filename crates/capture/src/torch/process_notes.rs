//! What the processes of a program said of their recordings.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::{NOTE, ending};

/// Distinct messages of all processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessNotes {
    /// What to know about recordings that are there.
    pub notes: Vec<String>,
    /// Why there are none of some processes.
    pub nothing: Vec<String>,
}

/// Reads it from among the files that were written.
pub fn process_notes(files: &[PathBuf]) -> ProcessNotes {
    let (mut notes, mut nothing) = (BTreeMap::new(), BTreeMap::new());
    for file in ending(files, NOTE) {
        for line in fs::read_to_string(file).unwrap_or_default().lines() {
            let (counts, text) = match line.split_once(": ") {
                Some(("note", text)) => (&mut notes, text),
                Some(("nothing", text)) => (&mut nothing, text),
                _ => continue,
            };
            *counts.entry(text.to_owned()).or_insert(0_u32) += 1;
        }
    }
    ProcessNotes { notes: listed(notes), nothing: listed(nothing) }
}

fn listed(counts: BTreeMap<String, u32>) -> Vec<String> {
    let line = |(text, count)| if count == 1 { text } else { format!("{text} (in {count} processes)") };
    counts.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_processes_say_is_said_once() {
        let directory = tempfile::tempdir().unwrap();
        let files: Vec<PathBuf> = [
            ("rank0_pid1.note.txt", "note: 2 of 3 steps\n"),
            ("rank1_pid2.note.txt", "note: 2 of 3 steps\nnothing: no: step\nodd line\n"),
            ("torch.log", "note: not one of ours\n"),
        ]
        .into_iter()
        .map(|(name, text)| {
            let path = directory.path().join(name);
            fs::write(&path, text).unwrap();
            path
        })
        .collect();
        let expected = ProcessNotes {
            notes: vec!["2 of 3 steps (in 2 processes)".to_owned()],
            nothing: vec!["no: step".to_owned()],
        };
        assert_eq!(process_notes(&files), expected);
    }
}
