//! `eaves timeline`: the inputs over time, as a page, a drawing, or lines of text.

use std::path::{Path, PathBuf};

use clap::Args;
use eaves_analyze::timeline::{Charts, TIMELINE};
use eaves_analyze::{Options, assemble, measure};
use eaves_model::RankSource;
use eaves_present::timeline::svg;
use eaves_present::{Document, page, png, terminal};

use crate::arguments::{HELP_TEMPLATE, OutputArguments, check_output};
use crate::destination::{Destination, Format, Target};
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
    /// Pixels of an .svg or .png, or columns of the text
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Picture {
    Html,
    Png,
    Svg,
}

impl Picture {
    /// The picture that a file name asks for.
    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "html" | "htm" => Some(Self::Html),
            "png" => Some(Self::Png),
            "svg" => Some(Self::Svg),
            _ => None,
        }
    }
}

/// What is made, and where it goes.
enum Form {
    Picture(Picture, Target),
    Text(Target),
    Document(Destination),
}

/// Found out before the work, so that a wrong name costs no time.
fn form(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<Form> {
    let path = output.path();
    check_output(path, &arguments.inputs)?;
    match (path.and_then(Picture::of), output.format()) {
        (Some(_), Some(_)) => Err(hinted(
            "--json, --csv and --markdown do not go with a picture".to_owned(),
            "give one of the two",
        )),
        (Some(picture), None) => Ok(Form::Picture(picture, Target::open(path)?)),
        (None, None) if path.is_none_or(|path| Format::of(path) == Some(Format::Terminal)) => {
            Ok(Form::Text(Target::open(path)?))
        }
        _ => Ok(Form::Document(output.destination(&arguments.inputs)?)),
    }
}

/// Draws the inputs.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<()> {
    let form = form(arguments, output)?;
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
    let charts = || Charts::new(&run.recordings, &options);
    match form {
        Form::Document(destination) => output.finish(&document, destination, arguments.top),
        Form::Text(target) => {
            let shows_warnings = matches!(target, Target::Stdout);
            output.finish_with(&document, shows_warnings, |printer| {
                let width = arguments.width.map_or(target.width(printer), |width| width as usize);
                let options = terminal::Options { width, top: arguments.top };
                target.write_styled(&terminal::render_timeline(&document, &charts(), &options), printer)
            })
        }
        Form::Picture(picture, target) => {
            let section = document.sections().next();
            let drawing = || svg(&charts(), section, arguments.width.unwrap_or(USUAL_WIDTH));
            let content = match picture {
                Picture::Html => page::timeline(&document, &charts()).into_bytes(),
                Picture::Png => png::render(&drawing(), png::SCREEN)?,
                Picture::Svg => drawing().into_bytes(),
            };
            output.finish_with(&document, false, |printer| target.write(&content, printer))
        }
    }
}
