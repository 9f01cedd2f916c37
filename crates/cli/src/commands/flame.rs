//! `eaves flame`: the call tree of the inputs, as a picture or for other tools.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};
use eaves_analyze::Options;
use eaves_analyze::flame::{self, Flame, FlameOptions, Grouping, Metric, Order, Tree};
use eaves_model::{Ns, Run};
use eaves_present::flame::{Drawing, Error, d3, folded, html, speedscope, svg};
use eaves_present::{Document, Input, png, terminal};

use crate::arguments::{HELP_TEMPLATE, OutputArguments, check_output};
use crate::destination::{self, Destination, Target};
use crate::failure::hinted;
use crate::selection::{self, SelectionArguments};

/// Frames of each view of a page: more make it slow to open, and nobody looks at them.
const PAGE_FRAMES: usize = 20_000;
/// Frames of each rank that a page in order of time is made from.
const CHART_FRAMES: usize = 2 * PAGE_FRAMES;
/// The share, in millionths, that is a quarter of a pixel in a picture.
const PICTURE_SHARE: u32 = 250;

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
    format: Option<Format>,
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
enum Format {
    Html,
    Svg,
    Png,
    Folded,
    Speedscope,
    D3,
}

impl Format {
    /// The format that a file name asks for.
    fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let endings = [
            (".html", Self::Html),
            (".htm", Self::Html),
            (".png", Self::Png),
            (".svg", Self::Svg),
            (".folded", Self::Folded),
            (".speedscope.json", Self::Speedscope),
            (".d3.json", Self::D3),
        ];
        endings.into_iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, format)| format)
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
    let is_page = matches!(form, Form::Picture(Format::Html, _));
    let chart = match arguments.order {
        _ if arguments.diff.is_some() => None,
        _ if is_page => Some(CHART_FRAMES),
        OrderName::Time => Some(usize::MAX),
        _ => None,
    };
    let flame_options = FlameOptions { chart, merge_threads: arguments.diff.is_some() };
    let options = Options::default().with_selection(arguments.selection.selection());
    let work = Work { options, flame_options, output };
    let new = work.read(&arguments.inputs)?;
    let base = arguments.diff.as_ref().map(|base| work.read(std::slice::from_ref(base))).transpose()?;
    let by_rank =
        base.as_ref().is_some_and(|(base, _)| base.recordings.len().max(new.0.recordings.len()) > 1);
    let trees = Trees {
        new: work.assemble(&new, by_rank)?,
        base: base.as_ref().map(|base| work.assemble(base, by_rank)).transpose()?,
    };
    let mut document = Document::new("flame", &new.0, Vec::new());
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
    match (arguments.format, named) {
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

    fn assemble(&self, (run, parts): &Measured, by_rank: bool) -> Result<Flame> {
        flame::assemble(&run.recordings, parts, &self.options, by_rank).map_err(|error| {
            hinted(error.to_string(), "`eaves info` shows the ranks, steps and times of a recording")
        })
    }
}

/// The trees of what is drawn and of what it is compared with.
struct Trees {
    new: Flame,
    base: Option<Flame>,
}

impl Trees {
    fn has(&self, metric: Metric) -> bool {
        let base = self.base.iter().map(|base| base.merged.whole(metric));
        base.chain([self.new.merged.whole(metric)]).any(|amount| amount > 0)
    }

    /// The tree in an order, with its names.
    fn view(&self, order: Order, grouping: &Grouping<'_>) -> (Vec<String>, Tree) {
        let Some(base) = &self.base else {
            return (self.new.names.clone(), self.new.view(order, grouping));
        };
        let all = Grouping::default();
        let (before, now) = (base.view(order, &all), self.new.view(order, &all));
        let (names, tree) = flame::difference((&base.names, &before), (&self.new.names, &now));
        (names, tree.group(grouping))
    }
}

fn draw(
    arguments: &Arguments,
    output: &OutputArguments,
    form: Form,
    trees: &Trees,
    mut document: Document,
) -> Result<()> {
    let order = Order::from(arguments.order);
    let metric = match arguments.metric {
        Some(metric) => metric.into(),
        None => {
            [Metric::Cpu, Metric::Gpu].into_iter().find(|&metric| trees.has(metric)).unwrap_or(Metric::Cpu)
        }
    };
    let picture = matches!(form, Form::Picture(Format::Svg | Format::Png, _));
    let page = matches!(form, Form::Picture(Format::Html, _));
    let one = [metric];
    let grouping = Grouping {
        metrics: if page || matches!(form, Form::Document(_)) { &Metric::ALL } else { &one },
        least_share: arguments.min_share.unwrap_or(if picture { PICTURE_SHARE } else { 0 }),
        least_duration: arguments.min_duration.unwrap_or(Ns::ZERO),
        most_levels: arguments.max_depth,
        most_nodes: page.then_some(PAGE_FRAMES),
    };
    let (names, tree) = trees.view(order, &grouping);
    let selection = arguments.selection.selection();
    let inputs = document.inputs.clone();
    let selected: Vec<&Input> = inputs.iter().filter(|input| selection.has_rank(input.rank)).collect();
    let title = title(&selected, arguments.diff.as_deref());
    let drawing = Drawing { title: &title, names: &names, tree: &tree, order, metric };
    if !matches!(form, Form::Document(_)) && !trees.has(metric) {
        return Err(nothing(metric));
    }
    match form {
        Form::Document(destination) => {
            document.outcomes = vec![flame::outcome(&names, &tree, metric)];
            output.finish(&document, destination, arguments.top)
        }
        Form::Text(target) => {
            let shows_warnings = matches!(target, Target::Stdout);
            output.finish_with(&document, shows_warnings, |printer| {
                let options = terminal::Options { width: target.width(printer), top: arguments.top };
                target.write_styled(&terminal::flame::render(&document, &drawing, &options), printer)
            })
        }
        Form::Picture(format, target) => {
            let content = match format {
                Format::Html => self::page(trees, &drawing, &grouping, &selected),
                Format::Png => {
                    let svg = svg::render(&drawing).map_err(not_written)?;
                    Ok(png::render(&String::from_utf8_lossy(&svg), png::SCREEN)?)
                }
                Format::Svg => svg::render(&drawing),
                Format::Folded => folded::render(&drawing),
                Format::Speedscope => speedscope::render(&drawing),
                Format::D3 => d3::render(&drawing),
            };
            let content = content.map_err(not_written)?;
            output.finish_with(&document, false, |printer| target.write(&content, printer))
        }
    }
}

/// A page with every view there is, the one asked for first.
fn page(
    trees: &Trees,
    first: &Drawing<'_>,
    grouping: &Grouping<'_>,
    selected: &[&Input],
) -> Result<Vec<u8>, Error> {
    let others = Order::ALL
        .into_iter()
        .filter(|&order| order != first.order && (order != Order::Time || trees.new.chart.is_some()));
    let others: Vec<(Order, Vec<String>, Tree)> = others
        .map(|order| {
            let (names, tree) = trees.view(order, grouping);
            (order, names, tree)
        })
        .collect();
    let mut views = vec![*first];
    views.extend(others.iter().map(|(order, names, tree)| Drawing { order: *order, names, tree, ..*first }));
    let input = |input: &&Input| format!("rank {}: {}", input.rank, input.path);
    let mut inputs: Vec<String> = selected.iter().map(input).collect();
    if trees.base.is_some() {
        inputs = vec![first.title.to_owned()];
    }
    html::render(&html::Page {
        title: &format!("Flame graph of {}", first.title),
        inputs: &inputs,
        views: &views,
    })
}

fn title(selected: &[&Input], base: Option<&Path>) -> String {
    let more = match selected.len() {
        0 | 1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let title = format!("{}{more}", selected.first().map_or("", |input| input.path.as_str()));
    match base {
        Some(base) => format!("{title} compared with {}", base.display()),
        None => title,
    }
}

fn nothing(metric: Metric) -> anyhow::Error {
    let (what, hint) = match metric {
        Metric::Cpu => (
            "no time in calls on the host was recorded or selected",
            "record the host too (`ProfilerActivity.CPU`), or use --metric gpu",
        ),
        Metric::Gpu => (
            "no GPU activity was recorded or selected",
            "record the device too (`ProfilerActivity.CUDA`), or use --metric cpu",
        ),
        Metric::Calls => ("no call was recorded or selected", "`eaves info` shows what a recording holds"),
        Metric::Bytes => (
            "no allocation was recorded or selected",
            "record memory: `torch.profiler.profile(profile_memory=True)`",
        ),
    };
    hinted(format!("nothing to draw: {what}"), hint)
}

fn not_written(error: Error) -> anyhow::Error {
    match &error {
        Error::TooDeep(_) => hinted(error.to_string(), "use --max-depth, or another format"),
        Error::NoDifference(_) => hinted(error.to_string(), "use html, svg, folded or d3"),
        _ => error.into(),
    }
}

/// A share in percent as millionths, exactly: `0.1` is 1000.
fn millionths(text: &str) -> Result<u32, String> {
    let wrong = || "expected a share in percent such as `0.1`, with four decimals at most".to_owned();
    let number = text.trim_end_matches('%');
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    if whole.is_empty() || fraction.len() > 4 || !is_number(whole) || !is_number(fraction) {
        return Err(wrong());
    }
    let millionths = format!("{whole}{fraction:0<4}").parse().map_err(|_| wrong())?;
    if millionths > 1_000_000 { Err(wrong()) } else { Ok(millionths) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_exact() {
        assert_eq!(millionths("0.1"), Ok(1_000));
        assert_eq!(millionths("0.0001%"), Ok(1));
        assert_eq!(millionths("100"), Ok(1_000_000));
        for wrong in ["", ".", "1.00001", "101", "-1", "a", "1e2", "+1"] {
            assert!(millionths(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_say_the_format() {
        let of = |name: &str| Format::of(Path::new(name));
        assert_eq!(of("a/Flame.HTML"), Some(Format::Html));
        assert_eq!(of("x.d3.json"), Some(Format::D3));
        assert_eq!(of("x.speedscope.json"), Some(Format::Speedscope));
        assert_eq!(of("x.json"), None);
        assert_eq!(of("folded"), None);
    }
}
