//! The packages that the program is made of, as `cargo metadata` lists them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

/// A crate inside the program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    /// An SPDX expression; older manifests separate alternatives by a slash.
    pub(super) license: Option<String>,
    pub(super) repository: Option<String>,
    /// Where its sources are.
    pub(super) folder: PathBuf,
    /// True for crates of this workspace.
    pub(super) is_ours: bool,
    /// SHA-256 of the archive that the registry serves, from the lock file.
    pub(super) checksum: Option<String>,
    /// Names and versions of the packages it is linked with.
    pub(super) needs: Vec<(String, String)>,
}

impl Package {
    /// Its license with today's operators.
    pub(super) fn expression(&self) -> Option<String> {
        self.license.as_ref().map(|license| license.replace(" / ", "/").replace('/', " OR "))
    }
}

/// The packages that are linked into the roots, in name order: neither tests, nor build scripts, nor macros, which run in
/// the compiler and stay there.
pub(super) fn linked(metadata: &Value, lock_file: &str, roots: &[&str]) -> Result<Vec<Package>> {
    let checksums = checksums(lock_file);
    let all: BTreeMap<&str, &Value> = list(metadata, "packages")?
        .iter()
        .map(|package| Ok((text(package, "id")?, package)))
        .collect::<Result<_>>()?;
    let nodes: BTreeMap<&str, &Value> = list(&metadata["resolve"], "nodes")?
        .iter()
        .map(|node| Ok((text(node, "id")?, node)))
        .collect::<Result<_>>()?;
    let is_root = |package: &Value| package["name"].as_str().is_some_and(|name| roots.contains(&name));
    let mut open: Vec<&str> = all.iter().filter(|(_, package)| is_root(package)).map(|(id, _)| *id).collect();
    let mut seen: BTreeSet<&str> = open.iter().copied().collect();
    let mut packages = Vec::new();
    while let Some(id) = open.pop() {
        let package = all.get(id).with_context(|| format!("`{id}` is not among the packages"))?;
        let node = nodes.get(id).with_context(|| format!("`{id}` is not in the graph"))?;
        let mut needs = Vec::new();
        for edge in list(node, "deps")?.iter().filter(|edge| is_linked(edge)) {
            let to = text(edge, "pkg")?;
            let other = all.get(to).with_context(|| format!("`{to}` is not among the packages"))?;
            if is_macro(other) {
                continue;
            }
            needs.push((text(other, "name")?.to_owned(), text(other, "version")?.to_owned()));
            if seen.insert(to) {
                open.push(to);
            }
        }
        needs.sort();
        packages.push(read(package, needs, &checksums)?);
    }
    packages.sort();
    Ok(packages)
}

/// The version of the workspace.
pub(super) fn version(metadata: &Value, package: &str) -> Result<String> {
    let found = list(metadata, "packages")?.iter().find(|other| other["name"] == package);
    Ok(text(found.with_context(|| format!("no package `{package}`"))?, "version")?.to_owned())
}

fn read(
    package: &Value,
    needs: Vec<(String, String)>,
    checksums: &BTreeMap<(String, String), String>,
) -> Result<Package> {
    let optional = |key: &str| package[key].as_str().map(str::to_owned);
    let manifest = PathBuf::from(text(package, "manifest_path")?);
    let (name, version) = (text(package, "name")?.to_owned(), text(package, "version")?.to_owned());
    Ok(Package {
        license: optional("license"),
        repository: optional("repository"),
        folder: manifest.parent().map(PathBuf::from).unwrap_or_default(),
        is_ours: package["source"].is_null(),
        checksum: checksums.get(&(name.clone(), version.clone())).cloned(),
        needs,
        name,
        version,
    })
}

/// True if one kind of the edge is a normal dependency, which has no name in the metadata.
fn is_linked(edge: &Value) -> bool {
    edge["dep_kinds"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
}

fn is_macro(package: &Value) -> bool {
    let targets = package["targets"].as_array().map_or(&[][..], Vec::as_slice);
    targets
        .iter()
        .any(|target| target["kind"].as_array().is_some_and(|kinds| kinds.contains(&"proc-macro".into())))
}

/// Checksums by name and version.
fn checksums(lock_file: &str) -> BTreeMap<(String, String), String> {
    let mut found = BTreeMap::new();
    let value = |line: &str, key: &str| {
        line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"').map(str::to_owned)
    };
    for block in lock_file.split("[[package]]").skip(1) {
        let field = |key: &str| block.lines().find_map(|line| value(line, key));
        if let (Some(name), Some(version), Some(sum)) = (field("name"), field("version"), field("checksum")) {
            found.insert((name, version), sum);
        }
    }
    found
}

fn list<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>> {
    value[key].as_array().with_context(|| format!("`cargo metadata` has no list `{key}`"))
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str> {
    value[key].as_str().with_context(|| format!("`cargo metadata` has no text `{key}`"))
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    /// A program with a library, which has a macro, a build script and tests.
    pub(in super::super) fn metadata() -> Value {
        let package = |name: &str, source: Option<&str>, kind: &str| {
            json!({
                "id": name, "name": name, "version": "1.0.0+x", "source": source, "license": "MIT/Apache-2.0",
                "repository": format!("https://example.org/{name}"),
                "manifest_path": format!("crates/{name}/Cargo.toml"), "targets": [{"kind": [kind]}],
            })
        };
        let edge = |to: &str, kind: Option<&str>| json!({"pkg": to, "dep_kinds": [{"kind": kind}]});
        json!({
            "packages": [
                package("program", None, "bin"), package("library", Some("registry"), "lib"),
                package("macro", Some("registry"), "proc-macro"), package("script", Some("registry"), "lib"),
                package("deep", Some("registry"), "lib"), package("elsewhere", None, "lib"),
            ],
            "resolve": {"nodes": [
                {"id": "program", "deps": [edge("library", None), edge("macro", None), edge("script", Some("dev"))]},
                {"id": "library", "deps": [edge("script", Some("build")), edge("deep", None)]},
                {"id": "macro", "deps": [edge("script", None)]},
                {"id": "script", "deps": []}, {"id": "deep", "deps": []}, {"id": "elsewhere", "deps": []},
            ]},
        })
    }

    pub(in super::super) const LOCK_FILE: &str = "version = 4\n\n[[package]]\nname = \"deep\"\nversion = \"1.0.0+x\"\n\
        source = \"registry\"\nchecksum = \"00ff\"\ndependencies = [\n \"name\",\n]\n\n[[package]]\nname = \"program\"\n\
        version = \"1.0.0+x\"\n";

    #[test]
    fn only_what_is_linked_counts() {
        let packages = linked(&metadata(), LOCK_FILE, &["program"]).unwrap();
        let names: Vec<&str> = packages.iter().map(|package| package.name.as_str()).collect();
        assert_eq!(names, ["deep", "library", "program"]);
        assert_eq!(packages[0].checksum.as_deref(), Some("00ff"));
        assert_eq!(packages[0].expression().as_deref(), Some("MIT OR Apache-2.0"));
        assert_eq!(packages[1].needs, [("deep".to_owned(), "1.0.0+x".to_owned())]);
        assert_eq!(packages[2].needs, [("library".to_owned(), "1.0.0+x".to_owned())]);
        assert!(packages[2].is_ours && !packages[1].is_ours);
        assert_eq!(packages[2].folder, PathBuf::from("crates/program"));
    }

    #[test]
    fn the_version_is_that_of_a_package() {
        assert_eq!(version(&metadata(), "program").unwrap(), "1.0.0+x");
        assert!(version(&metadata(), "nothing").is_err());
    }
}
