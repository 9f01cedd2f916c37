//! Every file that belongs to the project.

use std::collections::BTreeMap;

use anyhow::Result;

use super::Problem;
use crate::project;

/// Longer files hide more than one thing.
const MAX_RUST_LINES: usize = 600;

/// Files by their path from the root, as git writes it.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// Text files; what is not UTF-8 is no text.
    pub(super) files: BTreeMap<String, String>,
}

impl Sources {
    /// Reads what git tracks and what it would track.
    pub(super) fn read() -> Result<Self> {
        let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let names = project::output(project::command("git").args(list))?;
        let mut files = BTreeMap::new();
        for name in names.split('\0').filter(|name| !name.is_empty()) {
            // A file that was deleted but not yet committed so is none.
            if let Ok(text) = std::fs::read_to_string(project::root().join(name)) {
                files.insert(name.to_owned(), text);
            }
        }
        Ok(Self { files })
    }

    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let owned = |&(name, text): &(&str, &str)| (name.to_owned(), text.to_owned());
        Self { files: files.iter().map(owned).collect() }
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }

    /// Files whose name ends so.
    pub(super) fn ending<'a>(&'a self, ending: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let pairs = self.files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        pairs.filter(move |(name, _)| name.ends_with(ending))
    }

    /// Folders of crates with their manifests.
    pub(super) fn crates(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.ending("/Cargo.toml").filter_map(|(name, text)| {
            let folder = name.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
            (!folder.contains('/')).then_some((folder, name, text))
        })
    }
}

/// Rust files are short enough to read.
pub(super) fn length(sources: &Sources) -> Vec<Problem> {
    let too_long = |(name, text): (&str, &str)| {
        let lines = text.lines().count();
        let message = format!("{lines} lines, more than {MAX_RUST_LINES}; split it by noun");
        (lines > MAX_RUST_LINES).then(|| Problem::new(name, MAX_RUST_LINES + 1, message))
    };
    sources.ending(".rs").filter_map(too_long).collect()
}
