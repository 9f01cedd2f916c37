//! The archive: the program with its completions, manual pages and licenses.

use std::fs::File;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::{Outcome, Release, THIRD_PARTY, megabytes, source, tar};
use crate::project;

/// Shells with the names that each expects of a file with completions.
pub(super) const COMPLETIONS: [(&str, &str); 4] =
    [("bash", "eaves.bash"), ("fish", "eaves.fish"), ("powershell", "_eaves.ps1"), ("zsh", "_eaves")];

const DOCUMENTS: [&str; 5] = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", THIRD_PARTY, "README.md"];

/// Writes the archive.
pub(super) fn write(release: &Release) -> Result<Outcome> {
    let program = release.program();
    if !program.exists() {
        return Ok(Outcome::Skipped(format!("{} is not built", program.display())));
    }
    let program = std::path::absolute(program)?;
    let stem = release.stem();
    let name = format!("{stem}.tar.gz");
    let path = release.output.join(&name);
    let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut archive = tar::Archive::new(GzEncoder::new(file, Compression::best()), release.time);
    for document in DOCUMENTS {
        archive.add(&format!("{stem}/{document}"), &std::fs::read(release.source.join(document))?, false)?;
    }
    for (shell, file) in COMPLETIONS {
        let text = project::output(project::command(&program.to_string_lossy()).args([
            "self",
            "completions",
            shell,
        ]))?;
        archive.add(&format!("{stem}/completions/{file}"), text.as_bytes(), false)?;
    }
    let name_of_program = format!("{stem}/eaves{}", std::env::consts::EXE_SUFFIX);
    archive.add(&name_of_program, &std::fs::read(&program)?, true)?;
    let pages = manual(release, &program.to_string_lossy())?;
    for (page, text) in &pages {
        archive.add(&format!("{stem}/man/man1/{page}"), text, false)?;
    }
    archive.finish()?.finish()?;
    Ok(Outcome::Done(format!("{name}: {}, {} manual pages", megabytes(&path)?, pages.len())))
}

/// Manual pages by name.
fn manual(release: &Release, program: &str) -> Result<Vec<(String, Vec<u8>)>> {
    let folder = project::target().join("dist-man");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    project::run(project::command(program).args(["self", "man"]).arg(std::path::absolute(&folder)?))
        .with_context(|| format!("the program of {} writes no manual", release.version))?;
    let mut paths = Vec::new();
    source::files(&folder, &mut paths)?;
    paths.sort();
    let name = |path: &std::path::Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    paths.iter().map(|path| Ok((name(path).unwrap_or_default(), std::fs::read(path)?))).collect()
}
