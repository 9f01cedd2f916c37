//! Partial reports: what `--partial` writes, and what reads it again.

use std::path::{Path, PathBuf};

use eaves_analyze::analyses::Analysis;
use eaves_analyze::{Measured, Options, Partial, PartialError, RankView};
use eaves_model::{Run, WarningKind};
use eaves_present::{Document, InputWarning};

use crate::analysis::as_overview;
use crate::{Failure, hinted};

/// How names of files of partial reports end.
pub const ENDING: &str = "eaves-partial";

/// Tells partial reports among inputs from recordings. A folder or pattern that has any stands for those.
pub fn split(inputs: &[PathBuf]) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut partials, mut others) = (Vec::new(), Vec::new());
    for input in inputs {
        let found = if input.is_dir() {
            let entries = std::fs::read_dir(input).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).filter(|path| is_partial(path)).collect()
        } else if is_partial(input) && !input.exists() {
            glob::glob(&input.to_string_lossy()).into_iter().flatten().flatten().collect()
        } else if is_partial(input) {
            vec![input.clone()]
        } else {
            Vec::new()
        };
        match found.is_empty() {
            true => others.push(input.clone()),
            false => partials.extend(found),
        }
    }
    // In the order of names, so that of several that cannot be read it is always the same that is named.
    partials.sort();
    partials.dedup();
    (partials, others)
}

fn is_partial(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == ENDING)
}

/// Reads partial reports and puts them together, with what was measured in this process besides.
pub fn read(paths: &[PathBuf], measured: Option<Partial>) -> anyhow::Result<Partial> {
    let mut all: Vec<Partial> = measured.into_iter().collect();
    for path in paths {
        let bytes = std::fs::read(path)
            .map_err(|error| hinted(format!("{error}: {}", path.display()), "check the file name"))?;
        let partial = Partial::from_bytes(bytes)
            .map_err(|error| hinted(format!("{error}: {}", path.display()), hint(&error)))?;
        // Here, so that the one that does not go with the others is named.
        let goes_with = all.first().map_or(Ok(()), |first| partial.goes_with(first));
        goes_with.map_err(|error| hinted(format!("{error}: {}", path.display()), hint(&error)))?;
        all.push(partial);
    }
    Partial::merge_all(all).map_err(failed)
}

/// Measurements of recordings as a partial report.
pub fn of(run: &Run, measured: &[Measured], options: &Options) -> anyhow::Result<Partial> {
    Partial::of(run, measured, options).map_err(failed)
}

/// The files that inputs stand for, in order: each can be measured by another process.
///
/// # Errors
/// If there is nothing of a name.
pub fn files(inputs: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    Ok(eaves_ingest::files(inputs)?)
}

/// Measures recordings one after the other and gives what was measured as bytes. A single input may be shown under another
/// name than that it is found under here.
///
/// # Errors
/// If an input cannot be read.
pub fn measure(
    inputs: &[PathBuf],
    shown: Option<&str>,
    options: &Options,
    threads: Option<usize>,
) -> Result<Vec<u8>, Failure> {
    let mut reading = eaves_ingest::Options::default();
    if let Some(threads) = threads {
        reading.threads = threads.max(1);
    }
    let analyses = Partial::analyses();
    let (mut run, measured) = eaves_ingest::read_with(inputs, &reading, |recording| {
        let trace = recording.trace.take_rows();
        eaves_analyze::measure(&RankView::new(&trace, options), &analyses)
    })?;
    if let ([input], Some(shown)) = (inputs, shown) {
        let here = input.display().to_string();
        for recording in &mut run.recordings {
            // A member of an archive keeps its own name behind that.
            if let Some(member) = recording.path.strip_prefix(&here) {
                recording.path = format!("{shown}{member}");
            }
        }
    }
    Ok(of(&run, &measured, options)?.to_bytes().map_err(failed)?)
}

/// Combines what was measured, and notes the inputs that could not be read, each with its reason.
///
/// # Errors
/// If bytes are not what was measured, or were measured with other options.
pub fn merge(parts: Vec<Vec<u8>>, unreadable: Vec<(String, String)>) -> Result<Vec<u8>, Failure> {
    let parts = parts.into_iter().map(|bytes| Partial::from_bytes(bytes).map_err(failed));
    let mut all = Partial::merge_all(parts.collect::<anyhow::Result<Vec<Partial>>>()?).map_err(failed)?;
    for (path, why) in unreadable {
        all.note_unreadable(path, why);
    }
    Ok(all.to_bytes().map_err(failed)?)
}

/// The document of a partial report.
pub fn document(
    verb: &'static str,
    partial: &Partial,
    options: &Options,
    analyses: &[&'static Analysis],
) -> anyhow::Result<Document> {
    let (run, outcomes) = partial.assemble(options, analyses).map_err(failed)?;
    let mut document = Document::new(verb, &run, outcomes);
    document.warnings.extend(partial.unreadable().map(|(path, why)| InputWarning {
        kind: WarningKind::Unreadable,
        count: 1,
        first_offset: None,
        path: Some(path.to_owned()),
        detail: Some(why.to_owned()),
    }));
    Ok(as_overview(document, analyses))
}

/// A partial report error with its hint.
pub fn failed(error: PartialError) -> anyhow::Error {
    match error {
        PartialError::Selection(error) => Failure::from(error).into(),
        other => {
            let hint = hint(&other);
            hinted(other.to_string(), hint)
        }
    }
}

fn hint(error: &PartialError) -> &'static str {
    match error {
        PartialError::Version { .. } => "measure all ranks again with the same eaves version",
        PartialError::Options { .. } => {
            "use the options it was measured with, or measure it again; `--rank` and `--device` may differ"
        }
        PartialError::Damaged(_) | PartialError::Foreign => {
            "write it again: `eaves report INPUT --partial -o FILE.eaves-partial`"
        }
        _ => "measure the ranks again",
    }
}
