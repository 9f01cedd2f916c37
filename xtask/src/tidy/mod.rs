//! `cargo xtask tidy`: rules that compilers do not check. One function per rule.

use std::fmt;

use anyhow::{Result, bail};

use crate::options::Options;

mod alphabet;
mod crates;
mod devices;
mod documents;
mod manifest;
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

type Check = fn(&Sources) -> Vec<Problem>;

/// Every rule with what it is about.
const CHECKS: [(&str, Check); 9] = [
    // tidy-alphabetical-start
    ("crate edges", crates::edges),
    ("descriptions of crates", crates::descriptions),
    ("device sources", devices::cited),
    ("documents name what there is", documents::mentions),
    ("file length", sources::length),
    ("forbidden words", words::forbidden),
    ("links in documents", documents::links),
    ("lock file", crates::lock_file),
    ("ordered lists", alphabet::ordered),
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
