//! Call trees of recordings in memory, drawn in every format there is.

use anyhow::Result;
use eaves_analyze::flame::{self, Flame, FlameOptions, Grouping, Metric, Order, RankFlame, Tree};
use eaves_analyze::section::Outcome;
use eaves_analyze::{Options, RankView};
use eaves_model::{Interval, Ns, Run, Trace};
use eaves_present::flame::{Drawing, Error, d3, data, folded, speedscope, svg};
use eaves_present::page::{self, Parts};
use eaves_present::{Document, Input, terminal};

use crate::answer::painted;
use crate::{Failure, Form, Recordings, each, hinted};

/// Frame limit per page view: more make it slow to open.
pub const PAGE_FRAMES: usize = 20_000;
/// Frames of the table in a page; the picture has more.
const PAGE_ROWS: usize = 2_000;
/// Frames of each rank that a page in time order is made from.
const CHART_FRAMES: usize = 2 * PAGE_FRAMES;
/// The share, in millionths, that is a quarter pixel in a picture.
const PICTURE_SHARE: u32 = 250;

/// How a tree is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// What is drawn; by default host time if recorded, else GPU time.
    pub metric: Option<Metric>,
    /// The order.
    pub order: Order,
    /// Frames with less than this share of all, in millionths, are combined.
    pub least_share: Option<u32>,
    /// Frames with less host and GPU time are combined.
    pub least_duration: Ns,
    /// Levels of calls below a thread.
    pub most_levels: Option<u32>,
}

impl View {
    /// How a page shows it first.
    pub const OF_PAGE: Self = Self {
        metric: None,
        order: Order::LeftHeavy,
        least_share: None,
        least_duration: Ns::ZERO,
        most_levels: None,
    };
}

/// How recordings are measured for what will be drawn.
pub fn measuring(order: Order, format: Option<Form>, compares: bool) -> FlameOptions {
    let chart = match order {
        _ if compares => None,
        _ if format == Some(Form::Html) => Some(CHART_FRAMES),
        Order::Time => Some(usize::MAX),
        _ => None,
    };
    FlameOptions { chart, merge_threads: compares }
}

/// How recordings are measured for a page, which may compare two runs.
pub(crate) fn measuring_for_page(compares: bool) -> FlameOptions {
    measuring(Order::LeftHeavy, Some(Form::Html), compares)
}

/// A run and what was measured of each of its recordings.
pub type Measured<'a> = (&'a Run, &'a [RankFlame]);

/// The trees of what is drawn and of what it is compared with.
#[derive(Clone, Debug)]
pub struct Trees {
    new: Flame,
    base: Option<Flame>,
    title: String,
    /// What was read, a line each.
    inputs: Vec<String>,
}

impl Trees {
    /// Puts ranks together.
    pub fn new(new: Measured<'_>, base: Option<(Measured<'_>, &str)>, options: &Options) -> Result<Self> {
        let by_rank =
            base.as_ref().is_some_and(|((base, _), _)| base.recordings.len().max(new.0.recordings.len()) > 1);
        let assemble = |(run, parts): Measured<'_>| {
            flame::assemble(&run.recordings, parts, options, by_rank)
                .map_err(|error| anyhow::Error::from(Failure::from(error)))
        };
        let document = Document::new("flame", new.0, Vec::new());
        let selected: Vec<&Input> =
            document.inputs.iter().filter(|input| options.selection.has_rank(input.rank)).collect();
        let title = title(&selected, base.as_ref().map(|(_, name)| *name));
        let inputs = match base {
            Some(_) => vec![title.clone()],
            None => selected.iter().map(|input| format!("rank {}: {}", input.rank, input.path)).collect(),
        };
        let base = base.map(|(base, _)| assemble(base)).transpose()?;
        Ok(Self { new: assemble(new)?, base, title, inputs })
    }

    /// What they are of.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What to draw.
    pub fn metric(&self, view: &View) -> Metric {
        let usual = || [Metric::Cpu, Metric::Gpu].into_iter().find(|&metric| self.has(metric));
        view.metric.or_else(usual).unwrap_or(Metric::Cpu)
    }

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

    /// The frames as a section.
    pub fn outcome(&self, view: &View) -> Outcome {
        self.outcome_of(view, None)
    }

    fn outcome_of(&self, view: &View, most_rows: Option<usize>) -> Outcome {
        let (names, tree) = self.view(view.order, &grouping(view, &Metric::ALL, 0, most_rows));
        flame::outcome(&names, &tree, self.metric(view))
    }

    /// The heaviest frames as text for people, with colors.
    pub fn text(&self, view: &View, document: &Document, options: &terminal::Options) -> Result<String> {
        let metric = self.something(view)?;
        let (names, tree) = self.view(view.order, &grouping(view, &[metric], 0, None));
        let drawing = self.drawing(view.order, metric, &names, &tree);
        Ok(terminal::flame::render(document, &drawing, options))
    }

    /// The tree as a picture or for other tools; `document` is what a page has next to it.
    pub fn render(&self, view: &View, format: Form, document: &Document) -> Result<Vec<u8>> {
        let metric = self.something(view)?;
        let one = [metric];
        let grouping = match format {
            Form::Html => return Ok(self.page(view, document)?.into_bytes()),
            Form::Svg | Form::Png => grouping(view, &one, PICTURE_SHARE, None),
            _ => grouping(view, &one, 0, None),
        };
        let (names, tree) = self.view(view.order, &grouping);
        let drawing = self.drawing(view.order, metric, &names, &tree);
        let content = match format {
            Form::Png => {
                let svg = svg::render(&drawing).map_err(not_written)?;
                Ok(painted(&String::from_utf8_lossy(&svg))?)
            }
            Form::Folded => folded::render(&drawing),
            Form::Speedscope => speedscope::render(&drawing),
            Form::D3 => d3::render(&drawing),
            _ => svg::render(&drawing),
        };
        content.map_err(not_written)
    }

    /// The tree as frames in frames, for JSON; nothing if there is nothing to draw.
    pub fn nested(&self, view: &View) -> Option<String> {
        String::from_utf8(self.render(view, Form::D3, &Document::default()).ok()?).ok()
    }

    /// The metric, if there is anything of it.
    fn something(&self, view: &View) -> Result<Metric> {
        let metric = self.metric(view);
        if self.has(metric) { Ok(metric) } else { Err(nothing(metric)) }
    }

    fn drawing<'a>(
        &'a self,
        order: Order,
        metric: Metric,
        names: &'a [String],
        tree: &'a Tree,
    ) -> Drawing<'a> {
        Drawing { title: &self.title, names, tree, order, metric }
    }

    /// What a page draws, with at most this many frames of each view.
    pub fn data(&self, view: &View, frames: usize) -> Result<Vec<u8>> {
        let metric = self.something(view)?;
        let grouping = grouping(view, &Metric::ALL, 0, Some(frames));
        let (names, tree) = self.view(view.order, &grouping);
        let drawing = self.drawing(view.order, metric, &names, &tree);
        self.pages(&drawing, &grouping).map_err(not_written)
    }

    /// A page with every order, the requested one first.
    fn page(&self, view: &View, document: &Document) -> Result<String> {
        let outcomes = vec![self.outcome_of(view, Some(PAGE_ROWS))];
        let document = Document { outcomes, ..document.clone() };
        // A page has its data without a drawing, too.
        let drawing = self.render(view, Form::Svg, &document).unwrap_or_default();
        let drawing = String::from_utf8_lossy(&drawing);
        let frames = |most| self.data(view, most).ok();
        let parts = Parts { flame: Some(&frames), drawing: Some(&drawing), ..Parts::default() };
        Ok(page::offline(&document, &parts, page::BUDGET))
    }

    /// Every order as data, the requested one first.
    fn pages(&self, first: &Drawing<'_>, grouping: &Grouping<'_>) -> Result<Vec<u8>, Error> {
        let others = Order::ALL
            .into_iter()
            .filter(|&order| order != first.order && (order != Order::Time || self.new.chart.is_some()));
        let others: Vec<(Order, Vec<String>, Tree)> = others
            .map(|order| {
                let (names, tree) = self.view(order, grouping);
                (order, names, tree)
            })
            .collect();
        let mut views = vec![*first];
        views.extend(others.iter().map(|(order, names, tree)| Drawing {
            order: *order,
            names,
            tree,
            ..*first
        }));
        data::render(&data::Page { inputs: &self.inputs, views: &views })
    }
}

/// Label of the base run.
pub fn name_of(run: &Run) -> &str {
    run.recordings.first().map_or("", |first| first.path.as_str())
}

/// The call trees that a page draws, as JSON: of one rank, or of a window of time for each recording, counted from its
/// start; compared with the same rank of another run if there is one.
///
/// # Errors
/// If there is nothing to draw.
pub fn page_data(
    recordings: &Recordings,
    rank: Option<i64>,
    windows: Option<&[Interval]>,
    base: Option<&Run>,
) -> Result<Vec<u8>, Failure> {
    let mut selection = recordings.selection.clone();
    if let Some(rank) = rank {
        selection = selection.with_ranks(vec![rank]);
    }
    let how = measuring_for_page(base.is_some());
    let parts = each(&recordings.run, |at, trace| {
        let window = windows.and_then(|windows| windows.get(at));
        let own = window.map_or_else(|| selection.clone(), |&window| selection.clone().with_time(window));
        flame::measure(&RankView::new(trace, &Options::default().with_selection(own)), &how)
    });
    let options = Options::default().with_selection(selection);
    let measure = |_, trace: &Trace| flame::measure(&RankView::new(trace, &options), &how);
    let base = base.map(|run| (run, each(run, measure)));
    let compared = base.as_ref().map(|(run, parts)| ((*run, parts.as_slice()), name_of(run)));
    Ok(Trees::new((&recordings.run, &parts), compared, &options)?.data(&View::OF_PAGE, PAGE_FRAMES)?)
}

fn grouping<'a>(
    view: &View,
    metrics: &'a [Metric],
    least_share: u32,
    most_nodes: Option<usize>,
) -> Grouping<'a> {
    Grouping {
        metrics,
        least_share: view.least_share.unwrap_or(least_share),
        least_duration: view.least_duration,
        most_levels: view.most_levels,
        most_nodes,
    }
}

fn title(selected: &[&Input], base: Option<&str>) -> String {
    let more = match selected.len() {
        0 | 1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let title = format!("{}{more}", selected.first().map_or("", |input| input.path.as_str()));
    match base {
        Some(base) => format!("{title} compared with {base}"),
        None => title,
    }
}

fn nothing(metric: Metric) -> anyhow::Error {
    let (what, hint) = match metric {
        Metric::Cpu => (
            "no host calls recorded or selected",
            "record the host too (`ProfilerActivity.CPU`), or use --metric gpu",
        ),
        Metric::Gpu => (
            "no GPU activity recorded or selected",
            "record the device too (`ProfilerActivity.CUDA`), or use --metric cpu",
        ),
        Metric::Calls => ("no calls recorded or selected", "`eaves info` shows what a recording contains"),
        Metric::Bytes => (
            "no allocations recorded or selected",
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

/// A share in percent, as millionths: `0.1` is 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share(pub u32);

impl std::str::FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        millionths(text).map(Self)
    }
}

crate::text_value::written_as_text!(Share, "Share", "0.1");

/// A share in percent as millionths, exactly: `0.1` is 1000.
///
/// # Errors
/// If it is not a share, or has more than four decimals.
pub fn millionths(text: &str) -> Result<u32, String> {
    let wrong = || "expected a percentage such as `0.1`, with at most four decimals".to_owned();
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
}
