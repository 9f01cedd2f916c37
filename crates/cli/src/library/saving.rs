//! Answers as files, whole or not at all, in the form that the name asks for.

use std::path::Path;

use anstream::ColorChoice;
use eaves_analyze::RankView;
use eaves_present::{Document, roofline, terminal};

use super::{Failure, Recordings};
use crate::commands::export as export_verb;
use crate::destination::Target;
use crate::printer::Printer;
use eaves_app::analysis;
use eaves_app::pictures::{Pictures, RankPictures};
use eaves_app::{Answer, Form, Look, Outputs};

/// Nothing is printed where files are written.
const SILENT: Printer = Printer { quiet: true, color: ColorChoice::Never };

/// What the terminal shows of a document, without colours. `top` is how many rows of each table; 0 is all.
pub fn text(document: &Document, width: usize, top: usize) -> String {
    plain(&terminal::render(document, &terminal::Options { width, top }))
}

/// A text without its colours.
pub(super) fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// Writes a document: .html, .json, .csv, .md or .txt, a directory of tables if the name ends in `/`, and, if a section
/// has a chart, .svg and .png. `top` is how many rows of each table people see; 0 is all.
///
/// # Errors
/// If the name asks for nothing that can be made, or the file cannot be written.
pub fn save(document: &Document, path: &Path, top: usize) -> Result<(), Failure> {
    let has_chart = document.sections().any(roofline::has_chart);
    let has_form = |form: Form| Form::OF_DOCUMENTS.contains(&form) || has_chart && form.is_of_charts();
    let outputs = Outputs::new(None, &[path.to_owned()], has_form)?;
    let look = Look { width: terminal::Options::default().width, top, full: true };
    Ok(outputs.write(&Answer::new(document.clone()), look, &SILENT)?)
}

/// Writes the whole report of recordings as [`save`] does, but for a page, which has their timeline and their flame graph
/// too.
///
/// # Errors
/// As there.
pub fn save_report(
    recordings: &Recordings,
    document: &Document,
    path: &Path,
    top: usize,
) -> Result<(), Failure> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if !matches!(ending.to_ascii_lowercase().as_str(), "html" | "htm") || recordings.run.recordings.is_empty()
    {
        return save(document, path, top);
    }
    let options = recordings.options();
    let ranks = recordings.each(|trace| RankPictures::of(&RankView::new(trace, &options), false));
    let pictures: Pictures = ranks.into_iter().collect();
    save_bytes(path, || {
        let page = analysis::page_of_report(document, &recordings.run, &pictures, &options);
        Ok(page.into_bytes())
    })
}

/// Writes what is made once it is sure that it can be written.
pub(super) fn save_bytes(
    path: &Path,
    make: impl FnOnce() -> Result<Vec<u8>, Failure>,
) -> Result<(), Failure> {
    let target = Target::open(Some(path))?;
    Ok(target.write(&make()?, &SILENT)?)
}

/// Writes recordings in a format of other tools: `chrome`, `perfetto`, `parquet` or `csv`. The answer is the names of
/// the files.
///
/// # Errors
/// If there is no such format or table, or something cannot be written.
pub fn export(
    recordings: &Recordings,
    path: &Path,
    to: &str,
    table: Option<&str>,
) -> Result<Vec<String>, Failure> {
    let files = export_verb::write_run(&recordings.run, to, table, path)?;
    Ok(files.into_iter().map(|file| file.path.display().to_string()).collect())
}
