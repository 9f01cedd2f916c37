//! Links in documents lead to files and headings that exist.

use super::Problem;
use super::markdown::{Kind, lines};
use super::sources::Sources;

/// A link in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link<'a> {
    /// Where `path` begins in the document, in bytes.
    pub(crate) at: usize,
    pub(crate) path: &'a str,
    /// Empty for the beginning of the file.
    pub(crate) heading: &'a str,
}

impl<'a> Link<'a> {
    /// Every link of a document, without those in code.
    pub(crate) fn all(text: &'a str) -> Vec<Self> {
        let mut found = Vec::new();
        for line in lines(text).into_iter().filter(|line| line.kind != Kind::Code) {
            let start = line.text.as_ptr() as usize - text.as_ptr() as usize;
            let mut is_code = false;
            for (at, letter) in line.text.char_indices() {
                is_code ^= letter == '`';
                let rest = line.text.get(at..).and_then(|rest| rest.strip_prefix("]("));
                let Some(target) = rest.filter(|_| !is_code).and_then(|rest| rest.split([')', ' ']).next())
                else {
                    continue;
                };
                let (path, heading) = target.split_once('#').unwrap_or((target, ""));
                found.push(Self { at: start + at + 2, path, heading });
            }
        }
        found
    }

    /// True for a link to this project.
    pub(crate) fn is_inside(&self) -> bool {
        !self.path.contains("://") && !self.path.starts_with("mailto:")
    }
}

/// The path from the root.
pub(crate) fn resolve(folder: &str, target: &str) -> String {
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

/// Checks every link to the project.
pub(super) fn resolved(sources: &Sources) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, text) in sources.ending(".md") {
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        for link in Link::all(text).into_iter().filter(Link::is_inside) {
            let line = text[..link.at].matches('\n').count() + 1;
            let path = if link.path.is_empty() { name.to_owned() } else { resolve(folder, link.path) };
            let is_there = |file: &String| *file == path || file.starts_with(&format!("{path}/"));
            if !sources.files.keys().any(is_there) && !crate::project::root().join(&path).exists() {
                problems.push(Problem::new(name, line, format!("`{}` does not exist", link.path)));
            } else if !link.heading.is_empty()
                && let Some(linked) = sources.get(&path).filter(|_| path.ends_with(".md"))
                && !anchors(linked).contains(&link.heading.to_owned())
            {
                problems.push(Problem::new(name, line, format!("`{path}` has no `#{}`", link.heading)));
            }
        }
    }
    problems
}

/// What links can name in a document, as both mdBook and GitHub derive it from headings.
fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for line in lines(text) {
        if let Kind::Heading(_) = line.kind {
            let heading = line.text.trim_start_matches('#').trim();
            let slug: String = heading
                .chars()
                .filter_map(|letter| match letter {
                    letter if letter.is_alphanumeric() || matches!(letter, '_' | '-') => {
                        Some(letter.to_ascii_lowercase())
                    }
                    letter if letter.is_whitespace() => Some('-'),
                    _ => None,
                })
                .collect();
            let earlier = anchors.iter().filter(|anchor| **anchor == slug).count();
            anchors.push(if earlier == 0 { slug } else { format!("{slug}-{earlier}") });
        }
    }
    anchors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_resolved_from_the_document() {
        let text = "See [one](../README.md#use), [two](https://example.org) and [three](json.md).\n\
                    `[four](a.md)`\n```text\n[five](b.md)\n```\n";
        let links: Vec<Link<'_>> = Link::all(text).into_iter().filter(Link::is_inside).collect();
        let found: Vec<String> = links.iter().map(|link| resolve("docs", link.path)).collect();
        assert_eq!(found, ["README.md", "docs/json.md"]);
        assert_eq!(links[0].heading, "use");
        assert!(text[links[1].at..].starts_with("json.md"));
    }

    #[test]
    fn a_link_to_a_heading_that_is_missing_is_found() {
        let sources = Sources::of(&[
            ("docs/a.md", "# A\n\n[here](#a), [there](b.md#what-is-b), [nowhere](b.md#c), [none](z.md)\n"),
            ("docs/b.md", "# What is `b`?\n\n```text\n# C\n```\n"),
        ]);
        let found: Vec<String> = resolved(&sources).iter().map(Problem::to_string).collect();
        assert_eq!(found, ["docs/a.md:3: `docs/b.md` has no `#c`", "docs/a.md:3: `z.md` does not exist"]);
    }
}
