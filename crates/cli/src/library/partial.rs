//! Ranks that are measured in one process and put together in another.

use std::path::PathBuf;
use std::sync::Arc;

use eaves_analyze::analyses::{self, Analysis};
use eaves_analyze::{Options, Partial, RankView, Selection, measure};
use eaves_present::Document;

use super::Failure;
use eaves_app::{device, partial};

/// The files that inputs stand for, in order: each can be measured by another process.
///
/// # Errors
/// If there is nothing of a name.
pub fn files(inputs: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    eaves_ingest::files(inputs).map_err(|error| Failure::new(error.to_string(), error.hint()))
}

/// Measures recordings one after the other and gives what was measured as bytes. A single input may be shown under another
/// name than that it is found under here.
///
/// # Errors
/// If an input cannot be read.
pub fn measured(
    inputs: &[PathBuf],
    shown: Option<&str>,
    selection: Selection,
    details: bool,
    threads: Option<usize>,
) -> Result<Vec<u8>, Failure> {
    let mut reading = eaves_ingest::Options::default();
    if let Some(threads) = threads {
        reading.threads = threads.max(1);
    }
    let options = Options::default().with_selection(selection).with_details(details);
    let analyses = Partial::analyses();
    let (mut run, measured) = eaves_ingest::read_with(inputs, &reading, |recording| {
        let trace = recording.trace.take_rows();
        measure(&RankView::new(&trace, &options), &analyses)
    })
    .map_err(|error| Failure::new(error.to_string(), error.hint()))?;
    if let ([input], Some(shown)) = (inputs, shown) {
        let here = input.display().to_string();
        for recording in &mut run.recordings {
            // A member of an archive keeps its own name behind that.
            if let Some(member) = recording.path.strip_prefix(&here) {
                recording.path = format!("{shown}{member}");
            }
        }
    }
    let partial = partial::of(&run, &measured, &options)?;
    Ok(partial.to_bytes().map_err(partial::failed)?)
}

/// Puts together what was measured, and notes the inputs that could not be read, each with its reason.
///
/// # Errors
/// If bytes are not what was measured, or were measured with other options.
pub fn merged(parts: Vec<Vec<u8>>, unreadable: Vec<(String, String)>) -> Result<Vec<u8>, Failure> {
    let read = |bytes| Partial::from_bytes(bytes).map_err(partial::failed);
    let parts = parts.into_iter().map(read).collect::<anyhow::Result<Vec<Partial>>>()?;
    let mut all = Partial::merge_all(parts).map_err(partial::failed)?;
    for (path, why) in unreadable {
        all.note_unreadable(path, why);
    }
    Ok(all.to_bytes().map_err(partial::failed)?)
}

/// The report of what was measured: the same that reading all recordings together gives.
///
/// # Errors
/// If bytes are not what was measured, were measured with other options, or have nothing of what is selected.
pub fn report_of(
    bytes: Vec<u8>,
    selection: Selection,
    sections: &[String],
    device: Option<&str>,
    details: bool,
) -> Result<Document, Failure> {
    eaves_app::verbs::check_sections(sections)?;
    let wanted = |analysis: &&'static Analysis| {
        sections.is_empty() || sections.iter().any(|section| section == analysis.id)
    };
    let analyses: Vec<_> = analyses::REPORT.iter().filter(wanted).collect();
    let device = device.map(device::named).transpose()?;
    let options =
        Options::default().with_selection(selection).with_details(details).with_device(device.map(Arc::new));
    let partial = Partial::from_bytes(bytes).map_err(partial::failed)?;
    Ok(partial::document("report", &partial, &options, &analyses)?)
}
