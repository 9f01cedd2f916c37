//! Rules about documents: they name what exists, and the book has all of them.

use super::Problem;
use super::links::{Link, resolve};
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

/// Every document has its place in the book.
pub(super) fn chapters(sources: &Sources) -> Vec<Problem> {
    const SUMMARY: &str = "docs/SUMMARY.md";
    let listed: Vec<String> = Link::all(sources.get(SUMMARY).unwrap_or_default())
        .iter()
        .map(|link| resolve("docs", link.path))
        .collect();
    let documents = sources.ending(".md").map(|(name, _)| name);
    documents
        .filter(|name| {
            name.starts_with("docs/") && *name != SUMMARY && !listed.iter().any(|path| path == name)
        })
        .map(|name| Problem::new(name, 1, format!("is not in {SUMMARY}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_outside_of_the_book_is_found() {
        let sources = Sources::of(&[
            ("README.md", ""),
            ("docs/SUMMARY.md", "- [A](a.md)\n- [B](more/b.md)\n"),
            ("docs/a.md", ""),
            ("docs/more/b.md", ""),
            ("docs/more/c.md", ""),
        ]);
        let found: Vec<String> = chapters(&sources).iter().map(Problem::to_string).collect();
        assert_eq!(found, ["docs/more/c.md:1: is not in docs/SUMMARY.md"]);
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
