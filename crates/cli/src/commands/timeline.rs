//! `eaves timeline`: the inputs over time, as a page, a drawing, or lines of text.

use std::path::PathBuf;

use clap::Args;
use eaves_analyze::timeline::{Charts, TIMELINE};
use eaves_analyze::{Options, assemble, measure};
use eaves_model::RankSource;
use eaves_present::timeline::{Page, page, svg};
use eaves_present::{Document, terminal};

use crate::arguments::{HELP_TEMPLATE, OutputArguments};
use crate::failure::hinted;
use crate::selection::SelectionArguments;

/// Draw what host and GPU did over time
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves timeline trace.json.gz                       lines of text
  eaves timeline trace.json -o timeline.html         a page to look around in
  eaves timeline traces/ --step 3-4 -o timeline.svg  a drawing
  eaves timeline trace.json --json                   the numbers"
)]
pub(crate) struct Arguments {
    /// Files, directories with one trace per rank, patterns, or - for stdin
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    selection: SelectionArguments,
    /// Pixels of an .svg, or columns of the text
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(40..=20_000),
        help_heading = "Output"
    )]
    width: Option<u32>,
    /// Tracks of each rank and rows of each table in text; 0 for all
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
}

/// Pixels of a drawing for which no width is given: a screen.
const USUAL_WIDTH: u32 = 1600;

/// Draws the inputs.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<()> {
    let picture = output.picture(&arguments.inputs, &["html", "svg"])?;
    let destination = match picture {
        Some(_) => None,
        None => Some(output.destination(&arguments.inputs)?),
    };
    let options = Options::default().with_selection(arguments.selection.selection());
    let (run, measured) = super::read_with(&arguments.inputs, output, |recording| {
        let measured = measure(&recording.trace, &options, &[&TIMELINE]);
        // What will not be drawn need not stay. An assumed rank may still change.
        if recording.rank_source != RankSource::Assumed && !options.selection.has_rank(recording.rank) {
            drop(recording.trace.take_rows());
        }
        measured
    })?;
    let outcomes = assemble(&run.recordings, &measured, &options, &[&TIMELINE]).map_err(|error| {
        hinted(error.to_string(), "`eaves info` shows the ranks, steps and times of a recording")
    })?;
    let document = Document::new("timeline", &run, outcomes);
    let section = document.sections().next();
    let charts = || Charts::new(&run.recordings, &options);
    match (picture, destination) {
        (Some((file, "svg")), _) => {
            let width = arguments.width.unwrap_or(USUAL_WIDTH);
            output.finish_picture(&document, file, &svg(&charts(), section, width))
        }
        (Some((file, _)), _) => {
            output.finish_picture(&document, file, &page(&charts(), section, Page::default()))
        }
        (None, destination) => {
            let Some(destination) = destination else { return Ok(()) };
            output.finish_as(&document, destination, arguments.top, &|options| {
                let width = arguments.width.map_or(options.width, |width| width as usize);
                terminal::render_timeline(&document, &charts(), &terminal::Options { width, ..*options })
            })
        }
    }
}
