//! Rules about documents: they name what exists, and their links lead somewhere.

use super::Problem;
use super::sources::Sources;

/// The guides name every verb, section and warning, ARCHITECTURE every crate.
pub(super) fn mentions(sources: &Sources) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut require = |document: &str, name: &str, what: &str| {
        let text = sources.get(document).unwrap_or_default();
        if !text.contains(&format!("`{name}`")) && !text.contains(&format!("`{name} ")) {
            problems.push(Problem::new(document, 1, format!("does not name the {what} `{name}`")));
        }
    };
    for verb in verbs(sources) {
        require("docs/cli.md", &verb, "verb");
    }
    for (folder, ..) in sources.crates() {
        require("ARCHITECTURE.md", &format!("crates/{folder}"), "crate");
    }
    require("ARCHITECTURE.md", "xtask", "crate");
    let analyses = sources.ending(".rs").filter(|(name, _)| name.starts_with("crates/analyze/src/analyses/"));
    for (name, text) in analyses {
        // That of `eaves hta` is no part of the report.
        let document = if name.contains("/hta_summary") { "docs/hta.md" } else { "docs/report.md" };
        for id in text.lines().filter(|line| line.contains("const ID: &'static str =")).filter_map(quoted) {
            require(document, id, "section");
        }
    }
    let warnings = sources.get("crates/model/src/diagnostics.rs").unwrap_or_default();
    for id in
        warnings.lines().filter(|line| line.contains("=> \"")).filter_map(quoted).filter(|id| is_kebab(id))
    {
        require("docs/damaged-input.md", id, "warning");
    }
    problems
}

/// The first text in quotes of a line.
fn quoted(line: &str) -> Option<&str> {
    line.split('"').nth(1)
}

/// Identifiers are kebab-case, messages are sentences.
fn is_kebab(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-')
}

/// Verbs are the files and folders of the requests and of the command line's `commands`; `self_.rs` is `self`, a word of
/// Rust.
fn verbs(sources: &Sources) -> Vec<String> {
    let verb = |(name, _): (&str, &str)| {
        let folders = ["crates/app/src/verbs/", "crates/cli/src/commands/"];
        let file = folders.iter().find_map(|folder| name.strip_prefix(folder))?.strip_suffix(".rs")?;
        let verb = file.strip_suffix("/mod").unwrap_or(file);
        (verb != "mod" && !verb.contains('/')).then(|| verb.trim_end_matches('_').to_owned())
    };
    let mut verbs: Vec<String> = sources.ending(".rs").filter_map(verb).collect();
    verbs.sort();
    verbs.dedup();
    verbs
}

/// Links to files of the project lead to files that exist.
pub(super) fn links(sources: &Sources) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, text) in sources.ending(".md") {
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (index, line) in text.lines().enumerate() {
            for target in targets(line) {
                let path = resolve(folder, target);
                let exists = |file: &String| *file == path || file.starts_with(&format!("{path}/"));
                if !sources.files.keys().any(exists) && !crate::project::root().join(&path).exists() {
                    problems.push(Problem::new(name, index + 1, format!("`{target}` does not exist")));
                }
            }
        }
    }
    problems
}

/// Targets of the links in a line, without those to other places and to headings.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split([')', '#', ' ']).next()?;
        (!target.is_empty() && !target.contains("://") && !target.starts_with("mailto:")).then_some(target)
    })
}

/// The path from the root.
fn resolve(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_resolved_from_the_document() {
        let line = "See [one](../README.md#use), [two](https://example.org) and [three](json.md).";
        let found: Vec<String> = targets(line).map(|target| resolve("docs", target)).collect();
        assert_eq!(found, ["README.md", "docs/json.md"]);
    }

    #[test]
    fn verbs_are_named_after_their_files_and_folders() {
        let sources = Sources::of(&[
            ("crates/cli/src/commands/mod.rs", ""),
            ("crates/cli/src/commands/self_.rs", ""),
            ("crates/cli/src/commands/device/mod.rs", ""),
            ("crates/cli/src/commands/device/detect.rs", ""),
            ("crates/app/src/verbs/roofline/mod.rs", ""),
            ("crates/app/src/verbs/report.rs", ""),
            ("crates/analyze/src/analyses/idle.rs", "    const ID: &'static str = \"idle-time\";"),
            (
                "crates/model/src/diagnostics.rs",
                "Self::Garbage => \"garbage\",\nSelf::Garbage => \"bytes that are no event\",",
            ),
            ("docs/cli.md", "`report`"),
            ("ARCHITECTURE.md", "`xtask`"),
            ("docs/damaged-input.md", "`garbage`"),
        ]);
        let found: Vec<String> = mentions(&sources).iter().map(Problem::to_string).collect();
        assert_eq!(
            found,
            [
                "docs/cli.md:1: does not name the verb `device`",
                "docs/cli.md:1: does not name the verb `roofline`",
                "docs/cli.md:1: does not name the verb `self`",
                "docs/report.md:1: does not name the section `idle-time`",
            ]
        );
    }
}
