//! What the verbs that analyze recordings share.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use eaves_analyze::analyses::{self, Analysis, Shown};
use eaves_analyze::{Measured, Options, Partial, RankView, assemble, measure};
use eaves_model::{Measurements, Run};
use eaves_present::Document;
use eaves_present::page::{self, Parts};
use eaves_roofline::Device;
use eaves_section::Outcome;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::flame::{Trees, View};
use crate::other_inputs::OtherInputs;
use crate::pictures::{Pictures, RankPictures};
use crate::{Answer, Context, Drawing, Duration, Failure, Form, Keep, Look, Reading, Recordings, Selected};
use crate::{machine, partial, saved_report};

/// What to analyze, and in how much detail.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Closely {
    /// What to analyze.
    #[command(flatten)]
    #[serde(flatten)]
    pub selected: Selected,
    /// Include per-activity tables
    #[arg(long, help_heading = "Selection")]
    pub details: bool,
    /// Longest gap between queued kernels to attribute to the device
    #[arg(long, value_name = "TIME", default_value = "30us", help_heading = "Thresholds")]
    pub kernel_wait: Duration,
    /// Launches a stream can queue before launching blocks
    #[arg(long, value_name = "N", default_value_t = 1024, help_heading = "Thresholds")]
    pub queue_limit: u32,
}

impl Default for Closely {
    fn default() -> Self {
        let usual = Options::default();
        Self {
            selected: Selected::default(),
            details: false,
            kernel_wait: Duration(usual.kernel_wait),
            queue_limit: usual.queue_limit,
        }
    }
}

impl Closely {
    /// How analyses look at recordings.
    pub fn options(&self, device: Option<Device>) -> Options {
        Options::default()
            .with_selection(self.selected.selection())
            .with_details(self.details)
            .with_kernel_wait(self.kernel_wait.0)
            .with_queue_limit(self.queue_limit)
            .with_device(device.map(Arc::new))
    }
}

/// Recordings, the part of them to look at, and how closely.
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Recorded {
    /// Files, directories with one trace per rank, patterns, or - for stdin
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// The part of the recordings to look at, and how closely.
    #[command(flatten)]
    #[serde(flatten)]
    pub closely: Closely,
}

/// A question about recordings: some sections of the report.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    /// The verb.
    pub(crate) verb: &'static str,
    pub(crate) inputs: &'a [PathBuf],
    pub(crate) options: Options,
    /// In the order of the report.
    pub(crate) analyses: Vec<&'static Analysis>,
    /// Whether its page has a timeline and a flame graph.
    pub(crate) is_whole: bool,
    /// How inputs are looked at that are no recordings; nothing if they are of no use.
    pub(crate) others: Option<OtherInputs<'a>>,
}

/// The sections of the report with some ids, in its order.
pub(crate) fn sections(wanted: impl Fn(&str) -> bool) -> Vec<&'static Analysis> {
    analyses::REPORT.iter().filter(|analysis| wanted(analysis.id)).collect()
}

impl<'a> Question<'a> {
    /// A question about sections that only recordings have.
    pub(crate) fn of(verb: &'static str, inputs: &'a [PathBuf], closely: &Closely, ids: &[&str]) -> Self {
        Self {
            verb,
            inputs,
            options: closely.options(None),
            analyses: sections(|id| ids.contains(&id)),
            is_whole: false,
            others: None,
        }
    }

    /// Reads, measures and answers.
    pub(crate) fn answer(mut self, context: &Context<'_>) -> Result<Answer, Failure> {
        self.options.selection = context.part(self.options.selection, self.inputs);
        let (partials, recordings) = partial::split(&context.files(self.inputs));
        if !partials.is_empty() || context.wants(Form::Partial) {
            return self.of_partials(&partials, &recordings, context);
        }
        if self.is_whole && context.wants(Form::Html) {
            return self.with_pictures(context);
        }
        let read = context.read(self.inputs, self.reading(), Keep::Nothing, |trace| {
            measure(&RankView::new(trace, &self.options), &self.analyses)
        })?;
        let measured = (read.answers.as_slice(), read.of_memory.as_slice());
        self.composed(&read.recordings, measured, context)
    }

    fn reading(&self) -> Reading {
        // Sums say something of kernels, and of nothing else.
        let is_of_kernels = self.analyses.iter().any(|analysis| analysis.id == "kernels");
        match self.others {
            Some(_) => Reading::Everything,
            None if is_of_kernels => Reading::WithSums,
            None => Reading::Traces,
        }
    }

    /// The same with what a page draws next to the sections.
    fn with_pictures(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        let keep = Keep::Selected(&self.options.selection);
        let read = context.read(self.inputs, self.reading(), keep, |trace| {
            let rank = RankView::new(trace, &self.options);
            (measure(&rank, &self.analyses), RankPictures::of(&rank, false))
        })?;
        let (measured, ranks): (Vec<Measured>, Vec<RankPictures>) = read.answers.into_iter().unzip();
        let of_memory: Vec<Measured> = read.of_memory.into_iter().map(|(measured, _)| measured).collect();
        let answer = self.composed(&read.recordings, (&measured, &of_memory), context)?;
        if answer.drawing.is_some() {
            return Ok(answer);
        }
        let (recordings, pictures) = (read.recordings, ranks.into_iter().collect());
        Ok(answer.drawn_by(Page { recordings, pictures, options: self.options.clone() }))
    }

    /// What was measured as an answer.
    fn composed(
        &self,
        recordings: &Arc<Recordings>,
        (measured, of_memory): (&[Measured], &[Measured]),
        context: &Context<'_>,
    ) -> Result<Answer, Failure> {
        if recordings.saved.is_some() {
            return saved_report::answer(recordings, &self.options, &self.analyses, self.others);
        }
        let document = document(self.verb, recordings, measured, &self.options, &self.analyses)?;
        let document = match &self.others {
            Some(others) => others.add(document, recordings, of_memory, (&self.options, context))?,
            None => document,
        };
        Ok(Answer::new(document))
    }

    /// What is measured of recordings, together with partial reports.
    fn of_partials(
        &self,
        partials: &[PathBuf],
        recordings: &[PathBuf],
        context: &Context<'_>,
    ) -> Result<Answer, Failure> {
        let analyses = Partial::analyses();
        let measured = match recordings {
            [] => None,
            named => {
                let read = context.read(named, Reading::Traces, Keep::Nothing, |trace| {
                    measure(&RankView::new(trace, &self.options), &analyses)
                })?;
                Some(partial::of(&read.recordings.run, &read.answers, &self.options)?)
            }
        };
        let partial = partial::read(partials, measured)?;
        let document = partial::document(self.verb, &partial, &self.options, &self.analyses)?;
        Ok(Answer::new(document).drawn_by(PartialReport { partial, is_whole: self.is_whole }))
    }
}

/// The page of a report: the rows of recordings, and what was measured to draw them.
struct Page {
    recordings: Arc<Recordings>,
    pictures: Pictures,
    options: Options,
}

impl Drawing for Page {
    fn draw(&self, document: &Document, form: Form, _: Look) -> Result<Option<Vec<u8>>, Failure> {
        let run = &self.recordings.run;
        let is_drawn = form == Form::Html && !run.recordings.is_empty();
        Ok(is_drawn.then(|| page_of_report(document, run, &self.pictures, &self.options).into_bytes()))
    }
}

/// What was measured of ranks, some of them elsewhere.
struct PartialReport {
    partial: Partial,
    is_whole: bool,
}

impl Drawing for PartialReport {
    fn draw(&self, document: &Document, form: Form, _: Look) -> Result<Option<Vec<u8>>, Failure> {
        match form {
            Form::Partial => Ok(Some(self.partial.to_bytes().map_err(partial::failed)?)),
            // The rows stayed where they were measured, so there is nothing to draw.
            Form::Html if self.is_whole => {
                Ok(Some(page::offline(document, &Parts::default(), page::BUDGET).into_bytes()))
            }
            _ => Ok(None),
        }
    }
}

/// The report of a run as a page, with its timeline and its flame graph by what was measured for them.
pub fn page_of_report(document: &Document, run: &Run, pictures: &Pictures, options: &Options) -> String {
    let facts = pictures.facts(run, options);
    let section = facts.iter().find_map(Outcome::section);
    let charts = pictures.charts(run, options);
    let trees = Trees::new((run, pictures.flame()), None, options).ok();
    // A recording without calls has no flame graph, and still a report.
    let drawn = |frames| trees.as_ref()?.data(&View::OF_PAGE, frames).ok();
    let timeline = (!charts.charts.is_empty()).then_some((&charts, section));
    let flame: Option<&dyn Fn(usize) -> Option<Vec<u8>>> = Some(&drawn);
    page::offline(document, &Parts { timeline, flame, ..Parts::default() }, page::BUDGET)
}

/// The document of what was measured of recordings, and of sums that profilers wrote.
///
/// # Errors
/// If there is nothing of what is selected.
pub fn document(
    verb: &'static str,
    recordings: &Recordings,
    measured: &[Measured],
    options: &Options,
    analyses: &[&'static Analysis],
) -> Result<Document, Failure> {
    let run = &recordings.run;
    let document = if recordings.has_traces() {
        let options = machine::with_machine(options, run, analyses);
        let outcomes = assemble(&run.recordings, measured, &options, analyses)?;
        as_overview(Document::new(verb, run, outcomes), analyses)
    } else {
        let sums: Vec<Measurements> = recordings.sums().cloned().collect();
        let outcomes = (!sums.is_empty()).then(|| Outcome::Section(eaves_assess::sums(&sums)));
        Document { verb, outcomes: outcomes.into_iter().collect(), ..Document::default() }
    };
    // A recording has what sums next to it say, and more.
    Ok(recordings.sums().fold(document, Document::with_measurements))
}

/// The overview, if a document has all sections: what was asked for by name is shown whole.
pub fn as_overview(document: Document, analyses: &[&'static Analysis]) -> Document {
    if analyses.len() != analyses::REPORT.len() {
        return document;
    }
    let without_gpu = document.sections().any(|section| section.id == "cpu-time");
    let is_hidden = |analysis: &&&Analysis| match analysis.shown {
        Shown::Always => false,
        Shown::WithoutGpu => !without_gpu,
        Shown::WhenAsked => true,
    };
    let hidden = analyses.iter().filter(is_hidden).map(|analysis| analysis.id).collect();
    document.with_overview(hidden)
}
