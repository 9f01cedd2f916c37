//! Words and paths that have no place in the project, and phrases that have none in what people read.

use serde_json::Value;

use super::Problem;
use super::markdown::paragraphs;
use super::sources::Sources;

/// The list, which of course contains them.
const LIST: &str = include_str!("forbidden.txt");
const LIST_FILE: &str = "xtask/src/tidy/forbidden.txt";

/// Phrases that native writers do not use.
const PHRASES: &str = include_str!("phrases.txt");
const PHRASES_FILE: &str = "xtask/src/tidy/phrases.txt";

/// Endings of verbs.
const ENDINGS: [&str; 9] = ["able", "ation", "ations", "e", "ed", "er", "ers", "es", "ing"];

/// Files of help texts and descriptions.
const HELP_TEXTS: [&str; 4] =
    ["schema/commands.json", "schema/eaves.schema.json", "schema/openapi.json", "schema/requests.json"];

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

/// A phrase that is searched for, and what to write instead.
#[derive(Clone, Copy, Debug)]
struct Phrase {
    text: &'static str,
    better: &'static str,
}

impl Phrase {
    fn all() -> Vec<Self> {
        let lines = PHRASES.lines().filter(|line| !line.starts_with('#'));
        let pairs = lines.filter_map(|line| line.split_once(" = "));
        pairs.map(|(text, better)| Self { text, better }).collect()
    }

    /// Where it begins in a text of lower case.
    fn find(self, text: &str) -> Vec<usize> {
        let stem = self.text.trim_end_matches(['$', '*', '-']);
        let matches = |&(at, _): &(usize, &str)| {
            let before = text[..at].chars().next_back();
            let rest = &text[at + stem.len()..];
            let end = rest.find(|letter| !is_of_word(letter)).unwrap_or(rest.len());
            let ends = match self.text.as_bytes().last() {
                Some(b'*') => true,
                Some(b'$') => end == 0 && !rest.starts_with(' '),
                Some(b'-') => ENDINGS.contains(&&rest[..end]),
                _ => end == 0,
            };
            ends && !before.is_some_and(is_of_word)
        };
        text.match_indices(stem).filter(matches).map(|(at, _)| at).collect()
    }
}

/// Letters of words and identifiers.
fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-')
}

/// Documents and help texts contain no listed phrase.
pub(super) fn phrases(sources: &Sources) -> Vec<Problem> {
    let phrases = Phrase::all();
    let mut problems = Vec::new();
    let documents = super::documents(sources).filter(|(name, _)| !name.starts_with(super::GENERATED));
    for (name, text) in documents {
        for (line, paragraph) in paragraphs(text) {
            for phrase in found(&phrases, &paragraph) {
                let message = format!("`{}`: write `{}`, or rephrase", phrase.text, phrase.better);
                problems.push(Problem::new(name, line, message));
            }
        }
    }
    for name in HELP_TEXTS {
        let Some(Ok(schema)) = sources.get(name).map(serde_json::from_str::<Value>) else { continue };
        for text in descriptions_in(&schema) {
            for phrase in found(&phrases, text) {
                let message = format!("`{}` in \"{text}\", see {PHRASES_FILE}", phrase.text);
                problems.push(Problem::new(name, 1, message));
            }
        }
    }
    problems
}

/// Phrases in a text, without what stands in backquotes or is the target of a link.
fn found(phrases: &[Phrase], text: &str) -> Vec<Phrase> {
    let prose: String = text
        .split('`')
        .step_by(2)
        .map(|prose| {
            let parts = prose.split("](").enumerate();
            parts
                .map(
                    |(index, part)| {
                        if index == 0 { part } else { part.split_once(')').map_or("", |(_, rest)| rest) }
                    },
                )
                .collect::<String>()
        })
        .collect::<Vec<String>>()
        .join("`")
        .to_lowercase();
    phrases.iter().flat_map(|phrase| vec![*phrase; phrase.find(&prose).len()]).collect()
}

/// The descriptions and titles in a schema.
fn descriptions_in(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(values) => values.iter().flat_map(descriptions_in).collect(),
        Value::Object(values) => values
            .iter()
            .flat_map(|(key, value)| match value {
                Value::String(text) if matches!(key.as_str(), "about" | "description" | "summary") => {
                    vec![text.as_str()]
                }
                value => descriptions_in(value),
            })
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_across_lines_but_not_in_code() {
        let text = "# Licences\n\nThis is held\nagainst it. `held against` is not, nor is\n\
                    [this](catalogue.md), `dequantise`, x_colour or optimistic.\n\n```text\ncolour\n```\n\nOptimised.\n";
        let sources = Sources::of(&[("a.md", text)]);
        let found: Vec<String> = phrases(&sources).iter().map(Problem::to_string).collect();
        assert_eq!(
            found,
            [
                "a.md:1: `licence*`: write `license`, or rephrase",
                "a.md:3: `held against`: write `compared with`, or rephrase",
                "a.md:11: `optimis-`: write `optimiz-`, or rephrase",
            ]
        );
    }

    #[test]
    fn descriptions_are_searched_in_schemas() {
        let schema = r#"{"a": {"description": "A colour", "default": "colour"}, "b": [{"about": "Anew"}]}"#;
        let schema = serde_json::from_str(schema).unwrap();
        let texts = descriptions_in(&schema);
        let found: Vec<Phrase> = texts.iter().flat_map(|text| found(&Phrase::all(), text)).collect();
        let found: Vec<&str> = found.iter().map(|phrase| phrase.text).collect();
        assert_eq!(found, ["colour*", "anew"]);
    }

    #[test]
    fn a_path_begins_at_its_slash() {
        assert!(contains("see /some/where", "/some/"));
        assert!(contains("\"/some/where\"", "/some/"));
        assert!(!contains("see docs/some/where", "/some/"));
        assert!(!contains("see ../some/where", "/some/"));
    }
}
