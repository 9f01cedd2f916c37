//! What a change reaches: `cargo xtask test --changed`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::project;

/// Crates whose tests read files of a folder outside of all crates.
const READERS: [(&str, &[&str]); 7] = [
    ("README.md", &["eaves-cli"]),
    ("docs/", &["eaves-app", "eaves-query"]),
    ("examples/", &["eaves-ingest"]),
    ("fuzz/", &["eaves-ingest"]),
    ("schema/", &["eaves-serve"]),
    ("ui/", &["eaves-present"]),
    ("xtask/", &["xtask"]),
];

/// Files and folders that no crate reads: `tidy` checks them, or a part of the test command is theirs.
const UNREAD: [&str; 10] = [
    ".ci/",
    ".github/",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE-",
    "peers/",
    "pyproject.toml",
    "python/",
];

/// What the current branch changed since it left `main`, with what is not committed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reach {
    files: BTreeSet<String>,
    /// The crates of these files, and those that depend on them.
    crates: BTreeSet<String>,
}

impl Reach {
    /// Asks git and cargo.
    pub(super) fn find() -> Result<Self> {
        let metadata =
            project::output(project::cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
        let metadata = serde_json::from_str(&metadata).context("cannot read `cargo metadata`")?;
        Self::of(changed_files()?, &Workspace::read(&metadata, &project::root())?)
    }

    fn of(files: BTreeSet<String>, workspace: &Workspace) -> Result<Self> {
        let mut reached = BTreeSet::new();
        for file in &files {
            let reader = READERS.iter().find(|(place, _)| file.starts_with(place));
            if let Some(own) = workspace.crate_of(file) {
                reached.insert(own.to_owned());
            } else if let Some((_, readers)) = reader {
                reached.extend(readers.iter().map(|&reader| reader.to_owned()));
            } else if !UNREAD.iter().any(|place| file.starts_with(place)) {
                // Settings of the workspace, and whatever nobody thought of.
                reached.extend(workspace.needs.keys().cloned());
            }
        }
        Ok(Self { crates: workspace.with_dependents(reached), files })
    }

    /// True if a file changed that has this name or is in this folder, one of several.
    pub(super) fn has_file(&self, places: &[&str]) -> bool {
        self.files.iter().any(|file| places.iter().any(|place| file.starts_with(place)))
    }

    /// True if a crate changed, or one that it depends on.
    pub(super) fn has_crate(&self, name: &str) -> bool {
        self.crates.contains(name)
    }

    /// The size of the change, for people.
    pub(super) fn description(&self) -> String {
        let crates: Vec<&str> = self.crates.iter().map(String::as_str).collect();
        let crates = if crates.is_empty() { "no crate".to_owned() } else { crates.join(", ") };
        format!("{} changed files reach {crates}", self.files.len())
    }
}

/// The crates of the workspace.
struct Workspace {
    /// By folder, such as `crates/model/`.
    folders: BTreeMap<String, String>,
    /// Those that each depends on, its tests too.
    needs: BTreeMap<String, BTreeSet<String>>,
}

impl Workspace {
    fn read(metadata: &Value, root: &Path) -> Result<Self> {
        let mut workspace = Self { folders: BTreeMap::new(), needs: BTreeMap::new() };
        for package in metadata["packages"].as_array().context("`cargo metadata` lists no packages")? {
            let text = |key: &str| package[key].as_str().with_context(|| format!("a package has no {key}"));
            let name = text("name")?.to_owned();
            let folder =
                Path::new(text("manifest_path")?).parent().and_then(|folder| folder.strip_prefix(root).ok());
            let folder = folder.with_context(|| format!("{name} is outside of the workspace"))?;
            workspace.folders.insert(folder.to_string_lossy().replace('\\', "/") + "/", name.clone());
            let dependencies = package["dependencies"].as_array().map_or(&[][..], Vec::as_slice);
            let ours = dependencies.iter().filter(|dependency| !dependency["path"].is_null());
            let needs =
                ours.filter_map(|dependency| dependency["name"].as_str()).map(str::to_owned).collect();
            workspace.needs.insert(name, needs);
        }
        Ok(workspace)
    }

    fn crate_of(&self, file: &str) -> Option<&str> {
        let found = self.folders.iter().find(|(folder, _)| file.starts_with(folder.as_str()));
        found.map(|(_, name)| name.as_str())
    }

    fn with_dependents(&self, mut reached: BTreeSet<String>) -> BTreeSet<String> {
        loop {
            let needs_one = |needs: &BTreeSet<String>| needs.iter().any(|name| reached.contains(name));
            let more: Vec<String> = self
                .needs
                .iter()
                .filter(|(name, needs)| !reached.contains(*name) && needs_one(needs))
                .map(|(name, _)| name.clone())
                .collect();
            if more.is_empty() {
                return reached;
            }
            reached.extend(more);
        }
    }
}

fn changed_files() -> Result<BTreeSet<String>> {
    let git = |arguments: &[&str]| project::output(project::command("git").args(arguments));
    let base = git(&["merge-base", "HEAD", "main"]).or_else(|_| git(&["merge-base", "HEAD", "origin/main"]));
    let base = base.context("neither `main` nor `origin/main` is a branch here")?;
    let changed = git(&["diff", "--name-only", "--no-renames", "-z", base.trim()])?;
    let new = git(&["ls-files", "--others", "--exclude-standard", "-z"])?;
    let names = changed.split('\0').chain(new.split('\0')).filter(|name| !name.is_empty());
    Ok(names.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A program that needs a library for its tests alone, and a tool that needs nothing.
    fn workspace() -> Workspace {
        let package = |name: &str, folder: &str, needs: &[&str]| {
            let needs: Vec<Value> =
                needs.iter().map(|need| json!({"name": need, "path": "/w", "kind": "dev"})).collect();
            json!({"name": name, "manifest_path": format!("/w/{folder}/Cargo.toml"), "dependencies": needs})
        };
        let metadata = json!({"packages": [
            package("eaves-cli", "crates/cli", &["eaves-ingest"]),
            package("eaves-ingest", "crates/ingest", &[]),
            package("xtask", "xtask", &[]),
        ]});
        Workspace::read(&metadata, Path::new("/w")).unwrap()
    }

    fn crates(files: &[&str]) -> Vec<String> {
        let files = files.iter().map(|&file| file.to_owned()).collect();
        Reach::of(files, &workspace()).unwrap().crates.into_iter().collect()
    }

    #[test]
    fn a_change_reaches_what_depends_on_it() {
        assert_eq!(crates(&["crates/ingest/src/lib.rs"]), ["eaves-cli", "eaves-ingest"]);
        assert_eq!(crates(&["crates/cli/src/lib.rs"]), ["eaves-cli"]);
        assert_eq!(crates(&["examples/training/rank0.json.gz"]), ["eaves-cli", "eaves-ingest"]);
        assert_eq!(crates(&["xtask/src/main.rs", "README.md"]), ["eaves-cli", "xtask"]);
        assert_eq!(crates(&["python/eaves/__init__.py", "CHANGELOG.md"]), [] as [&str; 0]);
        assert_eq!(crates(&["Cargo.lock"]), ["eaves-cli", "eaves-ingest", "xtask"]);
        assert_eq!(crates(&["something/new"]).len(), 3);
    }

    #[test]
    fn files_are_found_by_folder() {
        let reach = Reach::of(["ui/src/main.ts".to_owned()].into(), &workspace()).unwrap();
        assert!(reach.has_file(&["python/", "ui/"]) && !reach.has_file(&["python/"]));
    }

    /// A crate that is not in the workspace would reach nothing.
    #[test]
    fn readers_are_crates_of_this_workspace() {
        let metadata =
            project::output(project::cargo().args(["metadata", "--no-deps", "--format-version", "1"]));
        let metadata = serde_json::from_str(&metadata.unwrap()).unwrap();
        let workspace = Workspace::read(&metadata, &project::root()).unwrap();
        for reader in READERS.iter().flat_map(|(_, readers)| *readers) {
            assert!(workspace.needs.contains_key(*reader), "{reader}");
        }
    }
}
