//! Questions about recordings in memory.

use std::path::Path;
use std::sync::Arc;

use eaves_analyze::analyses::{self, Analysis};
use eaves_analyze::compare::{self, Comparison, Profile};
use eaves_analyze::{Options, RankView, Selection, measure};
use eaves_present::Document;

use super::{Failure, Recordings};
use eaves_app::verbs::Roofline;
use eaves_app::{Against, Context, Selected, Session, Verb, analysis, device};

fn document(
    recordings: &Recordings,
    verb: &'static str,
    options: &Options,
    analyses: &[&'static Analysis],
) -> Result<Document, Failure> {
    let measured = recordings.each(|trace| measure(&RankView::new(trace, options), analyses));
    analysis::document(verb, &recordings.run, &measured, &recordings.sums, options, analyses)
}

/// The report: all sections, or those named, held against a device other than the one recorded on if one is named.
///
/// # Errors
/// If there is no such section or device, or nothing of what is selected.
pub fn report(
    recordings: &Recordings,
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
    let options = recordings.options().with_details(details).with_device(device.map(Arc::new));
    document(recordings, "report", &options, &analyses)
}

/// The answers of Holistic Trace Analysis.
///
/// # Errors
/// If there is nothing of what is selected.
pub fn hta(recordings: &Recordings) -> Result<Document, Failure> {
    document(recordings, "hta", &recordings.options(), &eaves_app::verbs::hta_sections())
}

/// What was recorded and what was not.
pub fn info(recordings: &Recordings) -> Document {
    Document::new("info", &recordings.run, eaves_analyze::info(&recordings.run))
}

/// The roofline of operators and messages. `ops` are formulas of the user, by default those beside the input.
///
/// # Errors
/// If there is no such device, none is named by anybody, or there is nothing of what is selected.
pub fn roofline(
    recordings: &Arc<Recordings>,
    device: Option<&str>,
    sparse: bool,
    link: Option<&str>,
    ops: Option<&Path>,
) -> Result<Document, Failure> {
    let request = Roofline {
        inputs: recordings.inputs.clone(),
        device: Against::default().or_named(device.map(str::to_owned)).with_sparse(sparse),
        link: link.map(str::to_owned),
        ops: ops.map(Path::to_owned),
        selected: Selected::of(&recordings.selection),
        ..Roofline::default()
    };
    Ok(request.run(&Context::new(&Session::of(recordings)))?.document)
}

/// What changed from one run to another.
///
/// # Errors
/// If there is nothing of what is selected.
pub fn diff(base: &Recordings, new: &Recordings) -> Result<Document, Failure> {
    let side = |recordings: &Recordings, role| -> Result<(Profile, Document), Failure> {
        let options = recordings.options();
        let measured = recordings.each(|trace| compare::measure(&RankView::new(trace, &options)));
        let selection: &Selection = &recordings.selection;
        let profile = Profile::of_run(&recordings.run.recordings, measured, selection)?;
        let mut document = Document::new("diff", &recordings.run, Vec::new());
        document.inputs.iter_mut().for_each(|input| input.role = Some(role));
        Ok((profile, document))
    };
    let (base, mut document) = side(base, "base")?;
    let (new, other) = side(new, "new")?;
    document.inputs.extend(other.inputs);
    document.warnings.extend(other.warnings);
    document.outcomes = Comparison::new(&base, &new).outcomes(&[]);
    Ok(document)
}
