//! Reopens a saved report.

use std::sync::Arc;

use eaves_analyze::analyses::Analysis;
use eaves_analyze::{Options, Selection};
use eaves_present::Document;
use eaves_section::Outcome;

use crate::analysis::as_overview;
use crate::other_inputs::OtherInputs;
use crate::{Answer, Drawing, Failure, Form, Look, Recordings};

/// The report again, or some of its sections.
///
/// # Errors
/// If something is asked for that takes the recording.
pub(crate) fn answer(
    recordings: &Arc<Recordings>,
    options: &Options,
    analyses: &[&'static Analysis],
    others: Option<OtherInputs<'_>>,
) -> Result<Answer, Failure> {
    let Some(saved) = &recordings.saved else {
        return Err(Failure::new("no saved report", "name one"));
    };
    let path = &saved.input.path;
    if options.selection != Selection::default() {
        return Err(Failure::usage(
            format!("saved reports do not support selection: {path}"),
            "drop --step, --time and --rank, or use the recording",
        ));
    }
    if options.device.is_some() {
        return Err(Failure::usage(
            format!("a saved report keeps its device: {path}"),
            "drop --device, or use the recording",
        ));
    }
    let mut document = saved.document.clone();
    let wanted = others.map_or(&[][..], |others| others.sections);
    if wanted.is_empty() {
        let document = if document.verb == "report" { as_overview(document, analyses) } else { document };
        return Ok(Answer::new(document).drawn_by(AsSaved(recordings.clone())));
    }
    document.outcomes.retain(|outcome: &Outcome| wanted.iter().any(|id| id == outcome.id()));
    Ok(Answer::new(document))
}

/// The whole report is what was saved, to the last byte.
struct AsSaved(Arc<Recordings>);

impl Drawing for AsSaved {
    fn draw(&self, _: &Document, form: Form, _: Look) -> Result<Option<Vec<u8>>, Failure> {
        let saved = self.0.saved.as_ref();
        Ok(match form {
            Form::Json => saved.map(|saved| saved.json.clone().into_bytes()),
            Form::Html => saved.and_then(|saved| saved.page.clone()),
            _ => None,
        })
    }
}
