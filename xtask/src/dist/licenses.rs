//! The licenses of everything inside the program. Most ask that their text goes wherever the program goes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::packages::Package;

/// Beginnings of the names of files that hold a license or what it demands to be kept.
const NAMES: [&str; 6] = ["copying", "copyright", "licence", "license", "notice", "unlicense"];

/// Something that is compiled in and is not a crate: its name, its license, the file with the text.
pub(super) const EMBEDDED: [(&str, &str, &str); 4] = [
    ("Inter (font)", "OFL-1.1", "crates/present/fonts/LICENSE"),
    ("Preact", "MIT", "crates/webui/licenses/preact.txt"),
    ("Preact Signals", "MIT", "crates/webui/licenses/preact-signals.txt"),
    ("uPlot", "MIT", "crates/webui/licenses/uplot.txt"),
];

/// The list: which package has which license, then every text once.
pub(super) fn list(root: &Path, packages: &[Package]) -> Result<String> {
    let mut rows = Vec::new();
    let mut texts = Texts::default();
    for (name, license, file) in EMBEDDED {
        rows.push((name.to_owned(), license.to_owned(), String::new()));
        let text = std::fs::read_to_string(root.join(file)).with_context(|| format!("cannot read {file}"))?;
        texts.add(name, &text);
    }
    for package in packages.iter().filter(|package| !package.is_ours) {
        let name = format!("{} {}", package.name, package.version);
        let Some(license) = package.expression() else { bail!("{name} names no license") };
        for text in texts_in(&package.folder)? {
            texts.add(&name, &text);
        }
        rows.push((name, license, package.repository.clone().unwrap_or_default()));
    }
    Ok(render(&rows, &texts))
}

/// Texts in order of appearance, each with those that have it.
#[derive(Debug, Default)]
struct Texts {
    order: Vec<String>,
    users: BTreeMap<String, Vec<String>>,
}

impl Texts {
    /// Texts that differ only in white space are one.
    fn add(&mut self, user: &str, text: &str) {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let text = lines.join("\n").trim_matches('\n').to_owned();
        if text.is_empty() {
            return;
        }
        let users = self.users.entry(text.clone()).or_default();
        if users.is_empty() {
            self.order.push(text);
        }
        if users.last().is_none_or(|last| last != user) {
            users.push(user.to_owned());
        }
    }
}

/// The license files of a package, in name order.
fn texts_in(folder: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if NAMES.iter().any(|beginning| name.starts_with(beginning)) && entry.path().is_file() {
            files.push(entry.path());
        }
    }
    files.sort();
    let read = |path| Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned());
    files.into_iter().map(read).collect()
}

fn render(rows: &[(String, String, String)], texts: &Texts) -> String {
    let mut text = String::from(
        "This program contains the packages below. Each is under its license; where a package offers a\n\
         choice, any of them applies. The texts that the packages ship follow the table. Packages without\n\
         a text of their own are under the standard text of the license that the table names.\n\n",
    );
    let width = |column: fn(&(String, String, String)) -> &String| {
        rows.iter().map(|row| column(row).chars().count()).max().unwrap_or_default()
    };
    let (names, licenses) = (width(|row| &row.0), width(|row| &row.1));
    for (name, license, place) in rows {
        let line = format!("{name:<names$}  {license:<licenses$}  {place}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    for body in &texts.order {
        let users = texts.users.get(body).map(|users| users.join(", ")).unwrap_or_default();
        let _ = write!(text, "\n{}\n{users}\n\n{body}\n", "=".repeat(80));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::packages::{linked, tests};
    use super::*;

    #[test]
    fn a_text_is_printed_once() {
        let mut texts = Texts::default();
        texts.add("a 1", "\nPermission is granted  \r\nto all\n");
        texts.add("b 1", "Permission is granted\nto all");
        texts.add("b 1", "Permission is granted\nto all");
        texts.add("c 1", "Nothing is granted");
        texts.add("d 1", " \n");
        let rows = [("a 1".to_owned(), "MIT".to_owned(), String::new())];
        let list = render(&rows, &texts);
        assert_eq!(list.matches("Permission is granted\nto all\n").count(), 1, "{list}");
        assert!(list.contains("\na 1, b 1\n\nPermission"), "{list}");
        assert!(list.contains("\nc 1\n\nNothing"), "{list}");
        assert!(list.contains("\na 1  MIT\n"), "{list}");
    }

    #[test]
    fn license_files_are_found_by_name() {
        let folder = std::env::temp_dir().join(format!("eaves-licenses-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("licenses")).unwrap();
        for name in ["LICENSE-MIT", "License.txt", "COPYING", "README.md"] {
            std::fs::write(folder.join(name), name).unwrap();
        }
        let texts = texts_in(&folder).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(texts, ["COPYING", "LICENSE-MIT", "License.txt"]);
    }

    #[test]
    fn a_package_without_license_is_refused() {
        let mut packages = linked(&tests::metadata(), tests::LOCK_FILE, &["library"]).unwrap();
        packages[0].license = None;
        let error = list(&crate::project::root(), &packages).unwrap_err();
        assert_eq!(error.to_string(), "deep 1.0.0+x names no license");
    }
}
