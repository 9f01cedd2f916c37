//! What the verbs that analyse share: which inputs, which part of them, how much of the answer.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use eaves_analyze::analyses::{self, Analysis, Shown};
use eaves_analyze::flame::{self, FlameOptions, Order, RankFlame};
use eaves_analyze::timeline::{Charts, TIMELINE};
use eaves_analyze::{Measured, Options, Outcome, Partial, SelectionError, assemble, measure};
use eaves_model::{Measurements, Ns, RankSource, Recording, Run};
use eaves_present::Document;
use eaves_present::page::{self, Parts};
use eaves_roofline::Device;

use crate::arguments::{OutputArguments, check_output};
use crate::commands::{read_with, read_with_sums};
use crate::destination::{Destination, Target};
use crate::failure::hinted;
use crate::flame::{Format as FlameFormat, Trees, View, measuring};
use crate::machine;
use crate::partial;
use crate::ray::Cluster;
use crate::selection::{self, SelectionArguments};

/// Inputs, the part to look at, and how much to show.
#[derive(Args, Clone, Debug)]
pub(crate) struct AnalysisArguments {
    /// Files, directories with one trace per rank, patterns, or - for stdin
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    how: AnalysisOptions,
}

/// The part to look at, and how much to show, of inputs that come from elsewhere.
#[derive(Args, Clone, Debug)]
pub(crate) struct AnalysisOptions {
    #[command(flatten)]
    selection: SelectionArguments,
    /// Make the long tables too: a row for each activity or point in time
    #[arg(long, help_heading = "Selection")]
    details: bool,
    /// Longest gap between launched kernels that counts as the device's own
    #[arg(long, value_name = "TIME", value_parser = selection::instant, default_value = "30us", help_heading = "Thresholds")]
    kernel_wait: Ns,
    /// Launches that a stream can hold before launching blocks
    #[arg(long, value_name = "N", default_value_t = 1024, help_heading = "Thresholds")]
    queue_limit: u32,
    /// Rows of each table in text and Markdown; 0 for all
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Selection")]
    top: usize,
}

impl AnalysisArguments {
    /// Analyses the inputs for the sections that are wanted, and writes what a verb shows.
    pub(crate) fn run(
        &self,
        verb: &'static str,
        wanted: impl Fn(&str) -> bool,
        output: &OutputArguments,
    ) -> anyhow::Result<()> {
        self.run_on(None, verb, wanted, output)
    }

    /// The same, with work held against this device rather than the one that the recording names.
    pub(crate) fn run_on(
        &self,
        device: Option<Device>,
        verb: &'static str,
        wanted: impl Fn(&str) -> bool,
        output: &OutputArguments,
    ) -> anyhow::Result<()> {
        let destination = output.destination(&self.inputs)?;
        self.how.run(&self.inputs, device, verb, wanted, output, destination)
    }

    /// The same of inputs that were measured on a cluster: a partial report, which is there as long as its folder.
    pub(crate) fn on_cluster(
        &self,
        address: &str,
        output: &OutputArguments,
    ) -> anyhow::Result<(Self, tempfile::TempDir)> {
        check_output(output.path(), &self.inputs)?;
        let selection = self.how.selection.selection();
        let cluster = Cluster::of(address)?;
        let (folder, file) = cluster.measure(&self.inputs, &selection, self.how.details, output.printer())?;
        Ok((Self { inputs: vec![file], how: self.how.clone() }, folder))
    }

    /// Measures the inputs and writes what was measured, for a report of many ranks.
    pub(crate) fn run_partial(&self, output: &OutputArguments) -> anyhow::Result<()> {
        let Some(path) = output.path() else {
            return Err(hinted(
                "a partial report is a file, and none is named",
                format!("add `-o NAME.{}`", partial::ENDING),
            ));
        };
        check_output(Some(path), &self.inputs)?;
        let target = Target::open(Some(path))?;
        let options = self.how.options(None);
        let (partials, recordings) = partial::split(&self.inputs);
        let partial = self.how.partial(&partials, &recordings, &options, output)?;
        let bytes = partial.to_bytes().map_err(partial::failed)?;
        let document = partial::document("report", &partial, &options, &[])?;
        output.finish_with(&document, false, |printer| target.write(&bytes, printer))
    }

    /// Analyses the inputs and writes the page with all its parts.
    pub(crate) fn run_page(
        &self,
        device: Option<Device>,
        verb: &'static str,
        output: &OutputArguments,
    ) -> anyhow::Result<()> {
        check_output(output.path(), &self.inputs)?;
        let target = Target::open(output.path())?;
        let (document, page) = self.how.page(&self.inputs, device, verb, output)?;
        output.finish_with(&document, false, |printer| target.write(page.as_bytes(), printer))
    }
}

impl AnalysisOptions {
    /// Analyses inputs, with the answer going where it was made sure before that it can.
    pub(crate) fn run(
        &self,
        inputs: &[PathBuf],
        device: Option<Device>,
        verb: &'static str,
        wanted: impl Fn(&str) -> bool,
        output: &OutputArguments,
        destination: Destination,
    ) -> anyhow::Result<()> {
        let document = self.document(inputs, device, verb, wanted, output)?;
        output.finish(&document, destination, self.top)
    }

    /// Rows of each table for people; 0 for all.
    pub(crate) fn top(&self) -> usize {
        self.top
    }

    /// Analyses inputs and writes nothing yet.
    pub(crate) fn document(
        &self,
        inputs: &[PathBuf],
        device: Option<Device>,
        verb: &'static str,
        wanted: impl Fn(&str) -> bool,
        output: &OutputArguments,
    ) -> anyhow::Result<Document> {
        let analyses: Vec<&'static Analysis> =
            analyses::in_report_order().into_iter().filter(|analysis| wanted(analysis.id)).collect();
        let options = self.options(device);
        let (partials, recordings) = partial::split(inputs);
        if !partials.is_empty() {
            let partial = self.partial(&partials, &recordings, &options, output)?;
            return partial::document(verb, &partial, &options, &analyses);
        }
        let work = |recording: &mut Recording| measure(&recording.trace.take_rows(), &options, &analyses);
        let (run, measured, sums) = if analyses.iter().any(|analysis| analysis.id == "kernels") {
            let contents = read_with_sums(inputs, output, work)?;
            (contents.run, contents.answers, contents.measurements)
        } else {
            let (run, measured) = read_with(inputs, output, work)?;
            (run, measured, Vec::new())
        };
        document(verb, &run, &measured, &sums, &options, &analyses)
    }
}

impl AnalysisOptions {
    fn options(&self, device: Option<Device>) -> Options {
        Options::default()
            .with_selection(self.selection.selection())
            .with_details(self.details)
            .with_kernel_wait(self.kernel_wait)
            .with_queue_limit(self.queue_limit)
            .with_device(device.map(Arc::new))
    }

    /// What is measured of recordings, together with partial reports.
    fn partial(
        &self,
        partials: &[PathBuf],
        recordings: &[PathBuf],
        options: &Options,
        output: &OutputArguments,
    ) -> anyhow::Result<Partial> {
        let analyses = Partial::analyses();
        let measured = match recordings {
            [] => None,
            named => {
                let (run, measured) = read_with(named, output, |recording| {
                    measure(&recording.trace.take_rows(), options, &analyses)
                })?;
                Some(partial::of(&run, &measured, options)?)
            }
        };
        partial::read(partials, measured)
    }

    /// The whole report and its page. The rows of the selected ranks stay in memory, to be drawn.
    fn page(
        &self,
        inputs: &[PathBuf],
        device: Option<Device>,
        verb: &'static str,
        output: &OutputArguments,
    ) -> anyhow::Result<(Document, String)> {
        let analyses = analyses::in_report_order();
        let options = self.options(device);
        let (partials, recordings) = partial::split(inputs);
        if !partials.is_empty() {
            // Nothing to draw: the rows are where they were measured.
            let partial = self.partial(&partials, &recordings, &options, output)?;
            let document = partial::document(verb, &partial, &options, &analyses)?;
            let page = page::offline(&document, &Parts::default(), page::BUDGET);
            return Ok((document, page));
        }
        let how = flame_of_page(false);
        let contents = read_with_sums(inputs, output, |recording| {
            let measured = measure(&recording.trace, &options, &analyses);
            let of_timeline = measure(&recording.trace, &options, &[&TIMELINE]);
            let of_flame = flame::measure(&recording.trace, &options, &how);
            // What will not be drawn need not stay. An assumed rank may still change.
            if recording.rank_source != RankSource::Assumed && !options.selection.has_rank(recording.rank) {
                drop(recording.trace.take_rows());
            }
            (measured, of_timeline, of_flame)
        })?;
        let (mut measured, mut of_timeline, mut of_flame) = (Vec::new(), Vec::new(), Vec::new());
        for (one, timeline, flame) in contents.answers {
            measured.push(one);
            of_timeline.push(timeline);
            of_flame.push(flame);
        }
        let run = &contents.run;
        let document = document(verb, run, &measured, &contents.measurements, &options, &analyses)?;
        let page = drawn(&document, run, (&of_timeline, &of_flame), &options);
        Ok((document, page))
    }
}

/// How calls are measured for the page, which may compare two runs.
pub(crate) fn flame_of_page(compares: bool) -> FlameOptions {
    measuring(Order::LeftHeavy, Some(FlameFormat::Html), compares)
}

/// The report of a run as a page, with its timeline and its flame graph by what was measured for them.
pub(crate) fn drawn(
    document: &Document,
    run: &Run,
    (of_timeline, of_flame): (&[Measured], &[RankFlame]),
    options: &Options,
) -> String {
    let facts = assemble(&run.recordings, of_timeline, options, &[&TIMELINE]).unwrap_or_default();
    let section = facts.iter().find_map(Outcome::section);
    let charts = Charts::new(&run.recordings, options);
    let trees = Trees::new((run, of_flame), None, options).ok();
    // A recording without calls has no flame graph, and still a report.
    let drawn = |frames| trees.as_ref()?.data(&View::OF_PAGE, frames).ok();
    let timeline = (!charts.charts.is_empty()).then_some((&charts, section));
    let flame: Option<&dyn Fn(usize) -> Option<Vec<u8>>> = Some(&drawn);
    page::offline(document, &Parts { timeline, flame, ..Parts::default() }, page::BUDGET)
}

/// The document of what was measured of a run, and of sums that profilers wrote.
pub(crate) fn document(
    verb: &'static str,
    run: &Run,
    measured: &[Measured],
    sums: &[Measurements],
    options: &Options,
    analyses: &[&'static Analysis],
) -> anyhow::Result<Document> {
    if run.recordings.is_empty() && !sums.is_empty() {
        let outcomes = vec![Outcome::Section(eaves_analyze::sums(sums))];
        let document = Document { verb, outcomes, ..Document::default() };
        return Ok(sums.iter().fold(document, Document::with_measurements));
    }
    let options = machine::with_machine(options, run, analyses);
    let outcomes = assemble(&run.recordings, measured, &options, analyses).map_err(not_selected)?;
    let mut document = Document::new(verb, run, outcomes);
    // A recording has what sums beside it say, and more.
    document = sums.iter().fold(document, Document::with_measurements);
    Ok(as_overview(document, analyses))
}

/// The overview, if a document has all sections: what was asked for by name is shown whole.
pub(crate) fn as_overview(document: Document, analyses: &[&'static Analysis]) -> Document {
    if analyses.len() != analyses::ALL.len() {
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

/// What to do about a part that is not there.
pub(crate) fn not_selected(error: SelectionError) -> anyhow::Error {
    hinted(error.to_string(), "`eaves info` shows the ranks, steps and times of a recording")
}
