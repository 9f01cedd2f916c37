//! Numbers of the device catalog name a document with an address, or say that there is none.

use std::collections::{BTreeMap, BTreeSet};

use super::Problem;
use super::sources::Sources;

const FOLDER: &str = "crates/roofline/devices/";
/// What numbers without a document have for a source.
const UNVERIFIED: &str = "unverified";

/// Every device has a source, which holds for the numbers that have none of their own; every source is an entry of
/// `sources` with title, place and address, or `unverified`; every entry is used.
pub(super) fn cited(sources: &Sources) -> Vec<Problem> {
    let files = sources.ending(".yaml").filter(|(name, _)| name.starts_with(FOLDER));
    files.flat_map(|(name, text)| file(name, text)).collect()
}

fn file(name: &str, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut problem = |line: usize, message: String| problems.push(Problem::new(name, line, message));
    let mut entries: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    let mut used: BTreeSet<&str> = BTreeSet::new();
    let mut device: Option<(usize, &str, bool)> = None;
    let mut in_sources = false;
    for (line, content) in (1..).zip(text.lines()) {
        if !content.starts_with(' ') && !content.is_empty() {
            in_sources = content == "sources:";
        } else if in_sources {
            match content
                .strip_prefix("  ")
                .filter(|rest| !rest.starts_with(' '))
                .and_then(|rest| rest.split_once(": "))
            {
                Some((id, rest)) => drop(entries.insert(id, (line, rest.to_owned()))),
                // An entry may go over several lines.
                None => {
                    if let Some((_, last)) = entries.values_mut().max_by_key(|(line, _)| *line) {
                        last.push_str(content);
                    }
                }
            }
            continue;
        }
        if let Some(id) = content.strip_prefix("  - id: ") {
            if let Some((line, id, false)) = device {
                problem(line, format!("`{id}` has no source"));
            }
            device = Some((line, id, false));
        }
        if content.starts_with("    source: ") {
            device = device.map(|(line, id, _)| (line, id, true));
        }
        for rest in content.split("source: ").skip(1) {
            let id = rest.split([',', '}']).next().unwrap_or(rest).trim();
            if id != UNVERIFIED && !entries.contains_key(id) {
                problem(line, format!("the source `{id}` is none of those above, nor `{UNVERIFIED}`"));
            }
            used.insert(id);
        }
    }
    if let Some((line, id, false)) = device {
        problem(line, format!("`{id}` has no source"));
    }
    for (id, (line, entry)) in &entries {
        for part in ["title: ", "where: ", "address: \"http"] {
            if !entry.contains(part) {
                problem(*line, format!("the source `{id}` lacks `{}`", part.trim_end()));
            }
        }
        if !used.contains(id) {
            problem(*line, format!("no number has the source `{id}`"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "sources:
  a: {title: A, where: table 1,
     address: \"https://example.org\"}

devices:
  - id: x
    source: a
    units: {value: 1, source: unverified}
";

    fn messages(text: &str) -> Vec<String> {
        file("x.yaml", text).into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn a_number_without_a_document_is_found() {
        assert!(messages(GOOD).is_empty(), "{:?}", messages(GOOD));
        assert_eq!(
            messages(&GOOD.replace("    source: a\n", "")),
            ["`x` has no source", "no number has the source `a`"]
        );
        let unknown = messages(&GOOD.replace("source: unverified", "source: my memory"));
        assert_eq!(unknown, ["the source `my memory` is none of those above, nor `unverified`"]);
        assert_eq!(messages(&GOOD.replace("where: table 1,", "")), ["the source `a` lacks `where:`"]);
        assert_eq!(messages(&GOOD.replace("https", "ftp")), ["the source `a` lacks `address: \"http`"]);
    }
}
