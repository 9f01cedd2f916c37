//! `cargo xtask docs`: the documents as a book that opens from disk, built by mdBook.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::options::Options;
use crate::project;
use crate::tidy::links::{Link, resolve};
use crate::tool::Tool;

const MDBOOK: Tool = Tool {
    name: "mdbook",
    options: &["--version", "0.5.4", "--no-default-features", "--features", "search"],
};

/// The folder of the documents.
const DOCS: &str = "docs";

/// Settings and style of the book.
const CONFIGURATION: &str = include_str!("book/book.toml");
const STYLE: &str = include_str!("book/book.css");

/// Runs the task.
pub(crate) fn run(options: Options) -> Result<()> {
    options.finish()?;
    let Some(book) = build(true)? else { bail!("mdBook is not installed") };
    println!("{}", book.join("index.html").display());
    Ok(())
}

/// Builds the book and follows its links. Nothing is built if mdBook is missing and must not be installed.
pub(crate) fn build(install: bool) -> Result<Option<PathBuf>> {
    let Some(mdbook) = MDBOOK.find(install)? else { return Ok(None) };
    let target = std::path::absolute(project::target())?;
    let (work, book) = (target.join("book"), target.join(DOCS));
    stage(&work)?;
    let mut command = project::command(&mdbook.to_string_lossy());
    project::run(command.arg("build").arg(&work).arg("--dest-dir").arg(&book).env("RUST_LOG", "warn"))?;
    let broken = broken_links(&book)?;
    if !broken.is_empty() {
        bail!("{} broken links in the book\n{}", broken.len(), broken.join("\n"));
    }
    Ok(Some(book))
}

/// Copies the documents, and the files elsewhere in the project that they link to, which the book then holds too.
fn stage(work: &Path) -> Result<()> {
    if work.exists() {
        std::fs::remove_dir_all(work)?;
    }
    let source = work.join("src");
    std::fs::create_dir_all(&source)?;
    std::fs::write(work.join("book.toml"), CONFIGURATION)?;
    std::fs::write(work.join("book.css"), STYLE)?;
    let mut outside = BTreeSet::new();
    for path in files(&project::root().join(DOCS))? {
        let name = path.strip_prefix(project::root().join(DOCS))?;
        let copy = source.join(name);
        if let Some(parent) = copy.parent() {
            std::fs::create_dir_all(parent)?;
        }
        if path.extension().is_some_and(|extension| extension == "md") {
            let text = std::fs::read_to_string(&path)?;
            let name = name.to_string_lossy().replace('\\', "/");
            std::fs::write(copy, with_links_inside(&name, &text, &mut outside))?;
        } else {
            std::fs::copy(&path, copy)?;
        }
    }
    for name in outside {
        let copy = source.join(&name);
        if let Some(parent) = copy.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::copy(project::root().join(&name), copy).with_context(|| name.clone())?;
    }
    Ok(())
}

/// A document whose links to files outside of `docs/` lead to copies inside the book.
fn with_links_inside(name: &str, text: &str, outside: &mut BTreeSet<String>) -> String {
    let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
    let up = "../".repeat(folder.split('/').filter(|part| !part.is_empty()).count());
    let mut result = String::with_capacity(text.len());
    let mut end = 0;
    for link in Link::all(text).into_iter().filter(Link::is_inside) {
        let path = resolve(&format!("{DOCS}/{folder}"), link.path);
        if !link.path.is_empty() && !path.starts_with("docs/") {
            result.push_str(&text[end..link.at]);
            result.push_str(&up);
            result.push_str(&path);
            end = link.at + link.path.len();
            outside.insert(path);
        }
    }
    result.push_str(&text[end..]);
    result
}

/// Every file below a folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Links that lead nowhere when the book is opened from disk: to files or headings it lacks, or to the root of a server.
fn broken_links(book: &Path) -> Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    for path in files(book)? {
        let name = path.strip_prefix(book)?.to_string_lossy().replace('\\', "/");
        // The page of all chapters and the one of a server's missing addresses are made of the others.
        if name.ends_with(".html") && !["404.html", "print.html", "toc.html"].contains(&name.as_str()) {
            pages.insert(name, std::fs::read_to_string(&path)?);
        }
    }
    let mut broken = Vec::new();
    for (name, text) in &pages {
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        for target in ["href=\"", "src=\""].into_iter().flat_map(|attribute| attributes(text, attribute)) {
            if target.contains("://") || target.starts_with("data:") || target.starts_with("mailto:") {
                continue;
            }
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if path.is_empty() { name.clone() } else { resolve(folder, path) };
            let has_heading = heading.is_empty()
                || pages.get(&path).is_none_or(|page| page.contains(&format!("id=\"{heading}\"")));
            if target.starts_with('/') || !book.join(&path).is_file() || !has_heading {
                broken.push(format!("{name}: {target}"));
            }
        }
    }
    Ok(broken)
}

/// The values of an attribute.
fn attributes<'a>(text: &'a str, attribute: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(attribute).skip(1).filter_map(|rest| rest.split('"').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_out_of_the_documents_lead_to_copies() {
        let mut outside = BTreeSet::new();
        let text = "[a](../../schema/a.json#x), [b](../json.md), [c](https://example.org/../d)";
        let staged = with_links_inside("tutorials/t.md", text, &mut outside);
        assert_eq!(staged, "[a](../schema/a.json#x), [b](../json.md), [c](https://example.org/../d)");
        assert_eq!(outside, BTreeSet::from(["schema/a.json".to_owned()]));
    }
}
