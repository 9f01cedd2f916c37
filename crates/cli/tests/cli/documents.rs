//! The `console` blocks of the README, the guides and the tutorials are what the program really prints, at 80 columns.
//! `[...]` on a line stands for any number of lines.

use std::path::{Path, PathBuf};

use crate::support::eaves;

const SKIP: &str = "[...]";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The README and everything below `docs` but the reference, which is generated.
fn documents() -> Vec<PathBuf> {
    let mut found = vec![root().join("README.md")];
    for folder in ["docs", "docs/tutorials"] {
        let entries = std::fs::read_dir(root().join(folder)).unwrap();
        let files = entries.map(|entry| entry.unwrap().path());
        found.extend(files.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    found.sort();
    found
}

/// The blocks of a document, each with its first line.
fn blocks(text: &str) -> Vec<(usize, Vec<&str>)> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if line == "```console" {
            found.push((
                at + 2,
                lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect(),
            ));
        }
    }
    found
}

/// Words as a shell takes them, without variables and patterns.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for letter in command.chars() {
        match (letter, quote) {
            (letter, Some(open)) if letter == open => quote = None,
            ('\'' | '"', None) => quote = Some(letter),
            (' ', None) => words.push(String::new()),
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What does not match: the first expected piece that does not follow the ones before.
fn mismatch(expected: &[&str], printed: &[&str]) -> Option<String> {
    let mut at = 0;
    let mut is_anywhere = false;
    let mut pieces = expected.split(|line| line.trim() == SKIP).peekable();
    while let Some(piece) = pieces.next() {
        let is_last = pieces.peek().is_none();
        let starts = match (is_anywhere, is_last) {
            (false, _) => at..=at,
            (true, true) => printed.len().saturating_sub(piece.len()).max(at)..=printed.len(),
            (true, false) => at..=printed.len(),
        };
        let place = starts.into_iter().find(|start| printed[*start..].starts_with(piece));
        match place {
            Some(start) if !is_last || start + piece.len() == printed.len() => at = start + piece.len(),
            _ => return Some(piece.join("\n")),
        }
        is_anywhere = true;
    }
    None
}

#[test]
fn pieces_are_found_in_order_and_at_the_ends() {
    let printed = ["a", "b", "c", "d"];
    for expected in [&["a", "b", "c", "d"][..], &[SKIP, "d"], &["a", SKIP], &["a", SKIP, "c", SKIP], &[SKIP]]
    {
        assert_eq!(mismatch(expected, &printed), None, "{expected:?}");
    }
    for expected in
        [&["a"][..], &["b", SKIP], &[SKIP, "c"], &[SKIP, "c", SKIP, "b", SKIP], &["a", SKIP, "b", "d"]]
    {
        assert!(mismatch(expected, &printed).is_some(), "{expected:?}");
    }
}

#[test]
fn documents_show_what_the_program_prints() {
    let mut wrong = Vec::new();
    let mut commands = 0;
    for path in documents() {
        let text = std::fs::read_to_string(&path).unwrap();
        for (line, block) in blocks(&text) {
            let name = path.strip_prefix(root()).unwrap().display();
            let Some((command, expected)) = block.split_first() else { continue };
            let typed =
                command.strip_prefix("$ ").unwrap_or_else(|| panic!("{name}:{line}: no command: {command}"));
            let typed = typed.strip_prefix("cargo run --release -- ").or(typed.strip_prefix("eaves "));
            let typed = typed.unwrap_or_else(|| panic!("{name}:{line}: another program: {command}"));
            let output = eaves(&root(), words(typed)).env("COLUMNS", "80").output().unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
            commands += 1;
            if let Some(piece) = mismatch(expected, &lines) {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                wrong
                    .push(format!("{name}:{line}: {command}\nexpected:\n{piece}\nprinted:\n{printed}{said}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(commands >= 20, "only {commands} commands");
}
