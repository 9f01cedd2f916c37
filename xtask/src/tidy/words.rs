//! Words and paths that have no place in the project.

use super::Problem;
use super::sources::Sources;

/// The list, which of course contains them.
const LIST: &str = include_str!("forbidden.txt");
const LIST_FILE: &str = "xtask/src/tidy/forbidden.txt";

/// No file contains a word of the list, in upper or lower case.
pub(super) fn forbidden(sources: &Sources) -> Vec<Problem> {
    let words: Vec<String> = LIST
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_lowercase)
        .collect();
    let mut problems = Vec::new();
    for (name, text) in &sources.files {
        if name == LIST_FILE {
            continue;
        }
        for (index, line) in text.to_lowercase().lines().enumerate() {
            for word in words.iter().filter(|word| contains(line, word)) {
                problems.push(Problem::new(
                    name,
                    index + 1,
                    format!("`{word}` is on the list in {LIST_FILE}"),
                ));
            }
        }
    }
    problems
}

/// A path begins at its slash: it is none in the middle of another one.
fn contains(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !word.starts_with('/') || !before.is_some_and(|before| before.is_alphanumeric() || before == '.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_begins_at_its_slash() {
        assert!(contains("see /some/where", "/some/"));
        assert!(contains("\"/some/where\"", "/some/"));
        assert!(!contains("see docs/some/where", "/some/"));
        assert!(!contains("see ../some/where", "/some/"));
    }
}
