//! Big traces, made once and kept in `target/bench`.

use std::path::PathBuf;

use anyhow::Result;

use crate::generate::big;
use crate::project;

/// The folder for what benchmarks keep.
pub(super) fn folder() -> Result<PathBuf> {
    let folder = project::target().join("bench");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// A trace of this many bytes of JSON; `ending` is `json` or `json.gz`.
pub(super) fn big_trace(size: u64, ending: &str) -> Result<PathBuf> {
    let name = format!("big-{}MB-{:08x}.{ending}", size / 1_000_000, big::fingerprint()?);
    let path = folder()?.join(name);
    if !path.exists() {
        // The unfinished file has the same ending, because the ending decides how it is written.
        let unfinished = path.with_file_name(format!("unfinished.{ending}"));
        eprintln!("making {}", path.display());
        let made = big::write(&unfinished, size)?;
        std::fs::rename(&unfinished, &path)?;
        eprintln!("  {made}");
    }
    Ok(path)
}
