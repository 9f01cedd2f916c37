//! A copy of what git tracks: what is built from it needs no file that only this machine has.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::project;

/// Copies the tracked files, and removes what is no longer tracked. Files that are equal stay untouched, so that cargo does not
/// compile them again.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    let names = project::output(project::command("git").args(["ls-files", "-z"]))?;
    let names: BTreeSet<&str> = names.split('\0').filter(|name| !name.is_empty()).collect();
    for name in &names {
        // Deleted here and not yet committed.
        let Ok(content) = std::fs::read(from.join(name)) else { continue };
        write(&to.join(name), &content)?;
    }
    let mut present = Vec::new();
    files(to, &mut present)?;
    for path in present {
        let name = path.strip_prefix(to)?.to_string_lossy().replace('\\', "/");
        if !names.contains(name.as_str()) {
            std::fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

/// Writes a file unless it says that already.
pub(super) fn write(path: &Path, content: &[u8]) -> Result<()> {
    if std::fs::read(path).is_ok_and(|present| present == content) {
        return Ok(());
    }
    let failed = || format!("cannot write {}", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(failed)?;
    }
    std::fs::write(path, content).with_context(failed)
}

/// All files below a folder.
pub(super) fn files(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files(&path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}
