//! `timeline`: host and GPU activity over time, as a page, a picture or text.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use eaves_analyze::timeline::{self, RankChart, TIMELINE};
use eaves_analyze::{Measured, Options, RankView, assemble, measure};
use eaves_present::timeline::svg;
use eaves_present::{Document, page, terminal};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::painted;
use crate::{
    Answer, Context, Drawing, Failure, Form, HELP_TEMPLATE, Keep, Look, Reading, Recordings, Selected, Verb,
};

/// Draw host and GPU activity over time
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves timeline trace.json.gz                       text
  eaves timeline trace.json -o timeline.html         an interactive page
  eaves timeline traces/ --step 3-4 -o timeline.svg  a drawing
  eaves timeline trace.json --json                   the numbers"
)]
#[serde(default)]
pub struct Timeline {
    /// Files, directories with one trace per rank, patterns, or - for stdin
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// The part of the recordings to look at.
    #[command(flatten)]
    #[serde(flatten)]
    pub selected: Selected,
    /// Width in pixels of an .svg or .png, or in columns of text
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(40..=20_000),
        help_heading = "Output"
    )]
    pub width: Option<u32>,
}

/// Default picture width in pixels: one screen.
const USUAL_WIDTH: u32 = 1600;

impl Verb for Timeline {
    const NAME: &'static str = "timeline";

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        let options =
            Options::default().with_selection(context.part(self.selected.selection(), &self.inputs));
        let keep = Keep::Selected(&options.selection);
        let read = context.read(&self.inputs, Reading::Traces, keep, |trace| {
            let rank = RankView::new(trace, &options);
            (measure(&rank, &[&TIMELINE]), timeline::measure(&rank))
        })?;
        let (measured, charts): (Vec<Measured>, Vec<_>) = read.answers.into_iter().unzip();
        let run = &read.recordings.run;
        let outcomes = assemble(&run.recordings, &measured, &options, &[&TIMELINE])?;
        let document = Document::new(Self::NAME, run, outcomes);
        let tracks = Tracks { recordings: read.recordings, charts, options, width: self.width };
        Ok(Answer::new(document).drawn_by(tracks))
    }

    fn files(&self) -> Vec<PathBuf> {
        self.inputs.clone()
    }

    fn has_form(&self, form: Form) -> bool {
        Form::OF_DOCUMENTS.contains(&form) || matches!(form, Form::Svg | Form::Png)
    }
}

struct Tracks {
    recordings: Arc<Recordings>,
    charts: Vec<Option<Arc<RankChart>>>,
    options: Options,
    width: Option<u32>,
}

impl Drawing for Tracks {
    fn draw(&self, document: &Document, form: Form, look: Look) -> Result<Option<Vec<u8>>, Failure> {
        let charts = || timeline::assemble(&self.recordings.run.recordings, &self.charts, &self.options);
        let section = document.sections().next();
        let drawing = || svg(&charts(), section, self.width.unwrap_or(USUAL_WIDTH));
        Ok(match form {
            Form::Html => Some(page::timeline(document, &charts()).into_bytes()),
            Form::Svg => Some(drawing().into_bytes()),
            Form::Png => Some(painted(&drawing())?),
            Form::Text => {
                let width = self.width.map_or(look.width, |width| width as usize);
                let options = terminal::Options { width, top: look.top };
                Some(terminal::render_timeline(document, &charts(), &options).into_bytes())
            }
            _ => None,
        })
    }
}
