//! `eaves flame`: the call tree of the inputs, as a picture or for other tools.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};
use eaves_analyze::Options;
use eaves_analyze::flame::{self, FlameOptions, Metric, Order};
use eaves_model::{Ns, Run};
use eaves_present::{Document, terminal};

use crate::arguments::{HELP_TEMPLATE, OutputArguments, check_output};
use crate::destination::{self, Destination, Target};
use crate::failure::hinted;
use crate::flame::{self as trees, Format, Trees, View, millionths};
use crate::selection::{self, SelectionArguments};

/// Draw the calls of a program with the GPU time they launched
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves flame trace.json.gz                        the heaviest calls
  eaves flame trace.json -o flame.html             a page to explore
  eaves flame traces/ --metric gpu --rank 0 -o flame.svg
  eaves flame trace.json --order time -o trace.speedscope.json
  eaves flame new.json --diff base.json -o diff.html"
)]
pub(crate) struct Arguments {
    /// Files, directories with one trace per rank, patterns, or - for stdin
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// What is drawn: cpu, gpu, calls or bytes [default: cpu, else gpu]
    #[arg(long, value_name = "METRIC", hide_possible_values = true)]
    metric: Option<MetricName>,
    /// Order: left-heavy, time or inverted
    #[arg(long, value_name = "ORDER", default_value = "left-heavy", hide_possible_values = true)]
    order: OrderName,
    /// Compare with this recording: red has more than it, blue has less
    #[arg(long, value_name = "BASE")]
    diff: Option<PathBuf>,
    #[command(flatten)]
    selection: SelectionArguments,
    /// Put together frames with less host and GPU time than this: 10us
    #[arg(long, value_name = "TIME", value_parser = selection::instant, help_heading = "Selection")]
    min_duration: Option<Ns>,
    /// Put together frames with less than this share of all, in percent
    #[arg(long, value_name = "PERCENT", value_parser = millionths, help_heading = "Selection")]
    min_share: Option<u32>,
    /// Levels of calls below a thread; deeper ones count as their callers
    #[arg(long, value_name = "N", help_heading = "Selection")]
    max_depth: Option<u32>,
    /// Frames in text; 0 for all
    #[arg(long, value_name = "N", default_value_t = 30, help_heading = "Selection")]
    top: usize,
    /// What to make: html, svg, png, folded, speedscope or d3
    #[arg(
        long,
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Output",
        conflicts_with_all = ["json", "csv", "markdown"]
    )]
    format: Option<FormatName>,
    /// Write to a file: .html, .svg, .png, .folded, .speedscope.json, .d3.json,
    /// .json, .csv, .md or .txt
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MetricName {
    Cpu,
    Gpu,
    Calls,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OrderName {
    LeftHeavy,
    Time,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatName {
    Html,
    Svg,
    Png,
    Folded,
    Speedscope,
    D3,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Html => Self::Html,
            FormatName::Svg => Self::Svg,
            FormatName::Png => Self::Png,
            FormatName::Folded => Self::Folded,
            FormatName::Speedscope => Self::Speedscope,
            FormatName::D3 => Self::D3,
        }
    }
}

/// What is made of the tree, and where it goes.
enum Form {
    Picture(Format, Target),
    Text(Target),
    Document(Destination),
}

/// Draws the inputs.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> Result<()> {
    if arguments.diff.is_some() && arguments.order == OrderName::Time {
        return Err(hinted("a comparison has no order of time", "use --order left-heavy or inverted"));
    }
    let form = form(arguments, output)?;
    let format = match form {
        Form::Picture(format, _) => Some(format),
        _ => None,
    };
    let options = Options::default().with_selection(arguments.selection.selection());
    let flame_options = trees::measuring(arguments.order.into(), format, arguments.diff.is_some());
    let work = Work { options, flame_options, output };
    let (run, parts) = work.read(&arguments.inputs)?;
    let base = arguments.diff.as_ref().map(|base| work.read(std::slice::from_ref(base))).transpose()?;
    let name = arguments.diff.as_ref().map(|base| base.display().to_string()).unwrap_or_default();
    let compared = base.as_ref().map(|(run, parts)| ((run, parts.as_slice()), name.as_str()));
    let trees = Trees::new((&run, &parts), compared, &work.options)?;
    let mut document = Document::new("flame", &run, Vec::new());
    if let Some((base, _)) = &base {
        document.warnings.extend(Document::new("flame", base, Vec::new()).warnings);
    }
    draw(arguments, output, form, &trees, document)
}

/// Where the answer goes and in which form; found out before the work.
fn form(arguments: &Arguments, output: &OutputArguments) -> Result<Form> {
    let path = arguments.output.as_deref().filter(|path| *path != Path::new("-"));
    let inputs: Vec<PathBuf> = arguments.inputs.iter().chain(&arguments.diff).cloned().collect();
    check_output(path, &inputs)?;
    let asked = output.format();
    let named = path.and_then(Format::of);
    match (arguments.format.map(Format::from), named) {
        (Some(format), Some(named)) if format != named => {
            Err(hinted("--format does not go with the name of the file", "give one of the two"))
        }
        (Some(format), _) | (None, Some(format)) if asked.is_none() => {
            Ok(Form::Picture(format, Target::open(path)?))
        }
        _ => match (asked, path.map(destination::Format::of)) {
            (None, None | Some(Some(destination::Format::Terminal))) => Ok(Form::Text(Target::open(path)?)),
            (None, Some(None)) => Err(hinted(
                format!("the name does not say what to make: {}", path.unwrap_or(Path::new("")).display()),
                "end it in .html, .svg, .png, .folded, .speedscope.json, .d3.json, .json, .csv, .md or .txt, \
                 or add --format html, svg, png, folded, speedscope or d3",
            )),
            _ => Ok(Form::Document(Destination::new(asked, path)?)),
        },
    }
}

/// How the recordings are read.
struct Work<'a> {
    options: Options,
    flame_options: FlameOptions,
    output: &'a OutputArguments,
}

type Measured = (Run, Vec<flame::RankFlame>);

impl Work<'_> {
    fn read(&self, inputs: &[PathBuf]) -> Result<Measured> {
        super::read_with(inputs, self.output, |recording| {
            flame::measure(&recording.trace.take_rows(), &self.options, &self.flame_options)
        })
    }
}

fn draw(
    arguments: &Arguments,
    output: &OutputArguments,
    form: Form,
    trees: &Trees,
    mut document: Document,
) -> Result<()> {
    let view = View {
        metric: arguments.metric.map(Metric::from),
        order: arguments.order.into(),
        least_share: arguments.min_share,
        least_duration: arguments.min_duration.unwrap_or(Ns::ZERO),
        most_levels: arguments.max_depth,
    };
    match form {
        Form::Document(destination) => {
            document.outcomes = vec![trees.outcome(&view)];
            output.finish(&document, destination, arguments.top)
        }
        Form::Text(target) => {
            let shows_warnings = matches!(target, Target::Stdout);
            let options = terminal::Options { width: target.width(&output.printer()), top: arguments.top };
            let text = trees.text(&view, &document, &options)?;
            output.finish_with(&document, shows_warnings, |printer| target.write_styled(&text, printer))
        }
        Form::Picture(format, target) => {
            let content = trees.render(&view, format, &document)?;
            output.finish_with(&document, false, |printer| target.write(&content, printer))
        }
    }
}
