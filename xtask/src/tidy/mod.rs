//! `cargo xtask tidy`: rules that compilers do not check. One function per rule.

use std::fmt;

use anyhow::{Result, bail};

use crate::options::Options;

mod alphabet;
mod crates;
mod devices;
mod documents;
pub(crate) mod links;
mod manifest;
pub(crate) mod markdown;
mod sources;
mod words;

use sources::Sources;

/// A place where a rule is broken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Problem {
    file: String,
    line: usize,
    message: String,
}

impl Problem {
    fn new(file: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.into(), line, message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.file, self.line, self.message)
    }
}

/// Documents made of definitions, which are checked where they stand.
const GENERATED: &str = "docs/reference/";

/// Documents that are not checked yet.
const LATER: [&str; 1] = ["ARCHITECTURE.md"];

/// What people read: not the expected results of tests.
fn documents(sources: &Sources) -> impl Iterator<Item = (&str, &str)> {
    sources.ending(".md").filter(|(name, _)| !name.contains("/tests/") && !LATER.contains(name))
}

type Check = fn(&Sources) -> Vec<Problem>;

/// Every rule with what it is about.
const CHECKS: [(&str, Check); 13] = [
    // tidy-alphabetical-start
    ("chapters of the book", documents::chapters),
    ("crate edges", crates::edges),
    ("descriptions of crates", crates::descriptions),
    ("device sources", devices::cited),
    ("documents name what there is", documents::mentions),
    ("file length", sources::length),
    ("forbidden words", words::forbidden),
    ("form of documents", markdown::form),
    ("links in documents", links::resolved),
    ("lock file", crates::lock_file),
    ("ordered lists", alphabet::ordered),
    ("phrases", words::phrases),
    ("repeated sentences", markdown::repetitions),
    // tidy-alphabetical-end
];

/// Runs the task.
pub(crate) fn run(options: Options) -> Result<()> {
    options.finish()?;
    let sources = Sources::read()?;
    let mut problems = Vec::new();
    for (name, check) in CHECKS {
        let found = check(&sources);
        println!("{:<29} {}", name, if found.is_empty() { "ok".to_owned() } else { found.len().to_string() });
        problems.extend(found);
    }
    if problems.is_empty() {
        return Ok(());
    }
    problems.sort();
    let list: Vec<String> = problems.iter().map(Problem::to_string).collect();
    let noun = if list.len() == 1 { "problem" } else { "problems" };
    bail!("{} {noun}\n{}", list.len(), list.join("\n"))
}
