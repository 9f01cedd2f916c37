//! `flame`: the inputs' call tree, as a picture or for other tools.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use eaves_analyze::flame::{self, Metric, Order};
use eaves_analyze::{Options, RankView};
use eaves_model::Ns;
use eaves_present::{Document, terminal};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::flame::{Share, Trees, View, measuring};
use crate::session::name_of;
use crate::{
    Answer, Caption, Context, Drawing, Duration, Failure, Form, HELP_TEMPLATE, Keep, Look, Reading, Selected,
    Verb,
};

/// Frames shown as text by default.
const ROWS: usize = 30;

/// Draw the call tree with its GPU time as a flame graph
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves flame trace.json.gz                        the heaviest calls
  eaves flame trace.json -o flame.html             a page to explore
  eaves flame traces/ --metric gpu --rank 0 -o flame.svg
  eaves flame trace.json --order time -o trace.speedscope.json
  eaves flame new.json --diff base.json -o diff.html"
)]
#[serde(default)]
pub struct Flame {
    /// Files, directories with one trace per rank, patterns, or - for stdin
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Frame width: cpu, gpu, calls or bytes [default: cpu, else gpu]
    #[arg(long, value_name = "METRIC", hide_possible_values = true)]
    pub metric: Option<MetricName>,
    /// Frame order: left-heavy, time or inverted
    #[arg(long, value_name = "ORDER", default_value = "left-heavy", hide_possible_values = true)]
    pub order: OrderName,
    /// Compare with this recording: red frames grew, blue ones shrank
    #[arg(long, value_name = "BASE")]
    pub diff: Option<PathBuf>,
    /// The part of the recordings to look at.
    #[command(flatten)]
    #[serde(flatten)]
    pub selected: Selected,
    /// Group frames with less host and GPU time than this, such as 10us
    #[arg(long, value_name = "TIME", help_heading = "Selection")]
    pub min_duration: Option<Duration>,
    /// Group frames below this percentage of the total
    #[arg(long, value_name = "PERCENT", help_heading = "Selection")]
    pub min_share: Option<Share>,
    /// Call depth below a thread; deeper calls count for their callers
    #[arg(long, value_name = "N", help_heading = "Selection")]
    pub max_depth: Option<u32>,
}

/// What to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MetricName {
    /// Time on the host.
    Cpu,
    /// Time on the GPU.
    Gpu,
    /// Number of calls.
    Calls,
    /// Bytes allocated.
    Bytes,
}

impl From<MetricName> for Metric {
    fn from(name: MetricName) -> Self {
        match name {
            MetricName::Cpu => Self::Cpu,
            MetricName::Gpu => Self::Gpu,
            MetricName::Calls => Self::Calls,
            MetricName::Bytes => Self::Bytes,
        }
    }
}

/// The order of frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OrderName {
    /// Merged by name path, the heaviest first.
    #[default]
    LeftHeavy,
    /// Every call by itself, in time order.
    Time,
    /// What does the work first, its callers below it.
    Inverted,
}

impl From<OrderName> for Order {
    fn from(name: OrderName) -> Self {
        match name {
            OrderName::LeftHeavy => Self::LeftHeavy,
            OrderName::Time => Self::Time,
            OrderName::Inverted => Self::Inverted,
        }
    }
}

impl Flame {
    fn view(&self) -> View {
        View {
            metric: self.metric.map(Metric::from),
            order: self.order.into(),
            least_share: self.min_share.map(|Share(millionths)| millionths),
            least_duration: self.min_duration.map_or(Ns::ZERO, |Duration(least)| least),
            most_levels: self.max_depth,
        }
    }
}

impl Verb for Flame {
    const NAME: &'static str = "flame";

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        if self.diff.is_some() && self.order == OrderName::Time {
            return Err(Failure::usage(
                "a comparison cannot be in time order",
                "use the left-heavy or inverted order",
            ));
        }
        let view = self.view();
        let options =
            Options::default().with_selection(context.part(self.selected.selection(), &self.inputs));
        let drawn = context.wants(Form::Html).then_some(Form::Html);
        let how = measuring(view.order, drawn, self.diff.is_some());
        let read = |inputs: &[PathBuf], options: &Options| {
            context.read(inputs, Reading::Traces, Keep::Nothing, |trace| {
                flame::measure(&RankView::new(trace, options), &how)
            })
        };
        let new = read(&self.inputs, &options)?;
        let base = self.diff.as_ref().map(std::slice::from_ref);
        let name = base.map(|base| name_of(&context.files(base))).unwrap_or_default();
        let base = base.map(|base| {
            let part = context.part(self.selected.selection(), base);
            read(base, &Options::default().with_selection(part))
        });
        let base = base.transpose()?;
        let compared =
            base.as_ref().map(|base| ((&base.recordings.run, base.answers.as_slice()), name.as_str()));
        let run = &new.recordings.run;
        let trees = Trees::new((run, &new.answers), compared, &options)?;
        let mut document = Document::new(Self::NAME, run, vec![trees.outcome(&view)]);
        document.tree = trees.nested(&view);
        if let Some(base) = &base {
            document.warnings.extend(Document::new(Self::NAME, &base.recordings.run, Vec::new()).warnings);
        }
        Ok(Answer::new(document).with_top(ROWS).drawn_by(Frames { trees, view }))
    }

    fn files(&self) -> Vec<PathBuf> {
        self.inputs.iter().chain(&self.diff).cloned().collect()
    }

    fn has_form(&self, form: Form) -> bool {
        !matches!(form, Form::Parquet | Form::Partial | Form::Yaml)
    }

    // A page has every order, and calls in time order are many.
    fn is_prepared_for(&self, form: Form) -> bool {
        form == Form::Html
    }
}

struct Frames {
    trees: Trees,
    view: View,
}

impl Drawing for Frames {
    fn caption(&self) -> Option<Caption> {
        Some(Caption {
            title: self.trees.title().to_owned(),
            metric: self.trees.metric(&self.view).id(),
            order: self.view.order.id(),
        })
    }

    fn draw(&self, document: &Document, form: Form, look: Look) -> Result<Option<Vec<u8>>, Failure> {
        Ok(match form {
            Form::Json | Form::Csv | Form::Markdown | Form::Parquet | Form::Partial | Form::Yaml => None,
            Form::Text => {
                let options = terminal::Options { width: look.width, top: look.top };
                Some(self.trees.text(&self.view, document, &options)?.into_bytes())
            }
            _ => {
                // The page has the tree as its own data.
                let document = Document { tree: None, ..document.clone() };
                Some(self.trees.render(&self.view, form, &document)?)
            }
        })
    }
}
