//! A run in memory: its report, and what is drawn of it when somebody asks.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use eaves_analyze::section::Section;
use eaves_analyze::timeline::Charts;
use eaves_analyze::{Options, Selection};
use eaves_app::{Context, Recordings, Session, Verb, flame, verbs};
use eaves_model::{Interval, Ns};
use eaves_present::Document;
use eaves_present::timeline::{ChartLookup, Scope, overview, payload};

use super::Opening;
use crate::Problem;
use crate::answer::Answer;
use crate::requests::printed;

/// Entries of a timeline that is asked for whole: about four megabytes.
const MOST_ENTRIES: usize = 1_000_000;
/// Windows that are kept because somebody may come back to them.
const KEPT_WINDOWS: usize = 32;
/// Parts whose flame graphs are kept.
const KEPT_FLAMES: usize = 8;
/// What a timeline is drawn from.
pub(crate) struct Drawn<'a> {
    pub(crate) charts: Charts<'a>,
    lookup: ChartLookup,
    section: Option<Section>,
}

self_cell::self_cell!(
    struct Timeline {
        owner: Arc<Recordings>,
        #[covariant]
        dependent: Drawn,
    }
);

/// A window of a timeline and the pixels it is drawn on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) interval: Interval,
    pub(crate) pixels: u32,
}

/// Sides that nobody gave are those of the recording, or a pixel would be a part of eternity.
fn bounded(window: Interval, charts: &Charts<'_>) -> Interval {
    let whole = charts.window().unwrap_or(window);
    let start = if window.start == Window::OPEN.start { whole.start } else { window.start };
    // The end is open, and something without a length may be at the very end.
    let end = if window.end == Window::OPEN.end { whole.end + Ns(1) } else { window.end };
    Interval::new(start, end.max(start))
}

impl Window {
    /// Wider than any recording, and narrow enough that sums of its times are numbers.
    pub(crate) const OPEN: Interval = Interval { start: Ns(-(1 << 60)), end: Ns(1 << 60) };
}

/// A part of recordings; the default is all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Part {
    rank: Option<i64>,
    /// A window of time for each recording, counted from its start.
    windows: Option<Vec<Interval>>,
}

/// What a flame graph is of: a part, and the run that it is compared with. A run that was read again is another one.
#[derive(Clone)]
struct FlameKey {
    part: Part,
    base: Option<Weak<Loaded>>,
}

impl PartialEq for FlameKey {
    fn eq(&self, other: &Self) -> bool {
        let is_same_base = match (&self.base, &other.base) {
            (Some(one), Some(other)) => one.ptr_eq(other),
            (one, other) => one.is_none() && other.is_none(),
        };
        is_same_base && self.part == other.part
    }
}

/// A run that was read.
pub(crate) struct Loaded {
    pub(crate) report: Answer,
    pub(crate) document: Document,
    recordings: Arc<Recordings>,
    timeline: OnceLock<Timeline>,
    whole: OnceLock<Arc<Answer>>,
    windows: Mutex<VecDeque<(Window, Arc<Answer>)>>,
    flame: OnceLock<Result<Arc<Answer>, Problem>>,
    flames: Mutex<VecDeque<(FlameKey, Arc<Answer>)>>,
    /// Bytes, roughly.
    pub(crate) size: u64,
}

impl Loaded {
    /// Reads inputs and reports on them. The session finds them by the name from now on.
    pub(super) fn read(
        inputs: &[PathBuf],
        name: &Path,
        session: &Session,
        opening: &Opening,
    ) -> Result<Self, Problem> {
        let recordings = Arc::new(Recordings::read(inputs, Selection::default(), None)?);
        session.add_as(name, &recordings);
        let request = verbs::Report {
            inputs: vec![name.to_owned()],
            // A saved report keeps the device that it was made for.
            device: opening.device.clone().filter(|_| recordings.saved.is_none()),
            config: opening.config_file(),
            ops: opening.ops_file(recordings.has_traces()),
            ..verbs::Report::default()
        };
        let answer = request.run(&Context::new(session))?;
        let json = printed(&answer)?;
        let size = recordings.size().saturating_add(3 * json.len() as u64);
        Ok(Self {
            report: Answer::json(json),
            document: answer.document,
            recordings,
            timeline: OnceLock::new(),
            whole: OnceLock::new(),
            windows: Mutex::default(),
            flame: OnceLock::new(),
            flames: Mutex::default(),
            size,
        })
    }

    fn drawn(&self) -> Result<&Drawn<'_>, Problem> {
        let recordings = self.to_draw()?;
        let timeline = self.timeline.get_or_init(|| {
            Timeline::new(recordings.clone(), |recordings| {
                let charts = eaves_analyze::timeline::charts(&recordings.run.recordings, &Options::default());
                let lookup = ChartLookup::new(&charts);
                Drawn { charts, lookup, section: facts(recordings) }
            })
        });
        let drawn = timeline.borrow_dependent();
        if drawn.charts.charts.is_empty() {
            return Err(Problem::missing("nothing in this run has a duration, so there is no timeline")
                .hint("record a trace, such as with `eaves profile`"));
        }
        Ok(drawn)
    }

    /// The charts that the timeline is drawn from.
    pub(crate) fn charts(&self) -> Result<&Charts<'_>, Problem> {
        Ok(&self.drawn()?.charts)
    }

    /// The recordings, or why nothing can be drawn.
    fn to_draw(&self) -> Result<&Arc<Recordings>, Problem> {
        if !self.recordings.run.recordings.is_empty() {
            return Ok(&self.recordings);
        }
        Err(Problem::missing("this run has no recording: it is a report or a summary table")
            .hint("open the trace itself for its timeline and flame graph"))
    }

    /// What was read.
    pub(crate) fn recordings(&self) -> &Recordings {
        &self.recordings
    }

    /// The numbers of the timeline.
    pub(crate) fn timeline_facts(&self) -> Result<Option<&Section>, Problem> {
        Ok(self.drawn()?.section.as_ref())
    }

    /// The timeline, whole or of a window.
    pub(crate) fn timeline(&self, window: Option<Window>) -> Result<Arc<Answer>, Problem> {
        const KIND: &str = "application/octet-stream";
        let drawn = self.drawn()?;
        let packed = |scope| payload(&drawn.charts, &drawn.lookup, drawn.section.as_ref(), scope);
        let Some(window) = window else {
            let make = || Arc::new(Answer::new(KIND, packed(overview(&drawn.charts, MOST_ENTRIES))));
            return Ok(self.whole.get_or_init(make).clone());
        };
        let windows = || self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = windows().iter().find(|(known, _)| *known == window) {
            return Ok(known.clone());
        }
        let scope = Scope::of_pixels(bounded(window.interval, &drawn.charts), window.pixels);
        let answer = Arc::new(Answer::fleeting(KIND, packed(scope)));
        let mut windows = windows();
        windows.truncate(KEPT_WINDOWS - 1);
        windows.push_front((window, answer.clone()));
        Ok(answer)
    }

    /// The data of the flame graph, of a rank and of a window in the time of the timeline if asked for, compared with
    /// another run if there is one.
    pub(crate) fn flame(
        &self,
        rank: Option<i64>,
        window: Option<Interval>,
        base: Option<&Arc<Self>>,
    ) -> Result<Arc<Answer>, Problem> {
        let recordings = self.to_draw()?;
        let windows = window.map(|window| self.own_windows(window)).transpose()?;
        let part = Part { rank, windows };
        let compared = base.map(|base| base.to_draw()).transpose()?.map(|base| &base.run);
        let make = || {
            let data = flame::page_data(recordings, part.rank, part.windows.as_deref(), compared)?;
            Ok(Arc::new(Answer::json(data)))
        };
        if part == Part::default() && base.is_none() {
            return self.flame.get_or_init(make).clone();
        }
        let key = FlameKey { part: part.clone(), base: base.map(Arc::downgrade) };
        let flames = || self.flames.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = flames().iter().find(|(known, _)| *known == key) {
            return Ok(known.clone());
        }
        let answer: Arc<Answer> = make()?;
        let mut flames = flames();
        flames.truncate(KEPT_FLAMES - 1);
        flames.push_front((key, answer.clone()));
        Ok(answer)
    }

    /// A window in the time of the timeline as each recording has it, counted from its start.
    fn own_windows(&self, window: Interval) -> Result<Vec<Interval>, Problem> {
        let charts = self.charts()?;
        let own = self.recordings.run.recordings.iter().map(|recording| {
            let chart = charts.charts.iter().find(|chart| std::ptr::eq(chart.trace, &recording.trace));
            let start = chart.map_or(Ns::ZERO, |chart| chart.start());
            Interval::new(window.start - start, window.end - start)
        });
        Ok(own.collect())
    }

    /// How much memory it takes, roughly.
    pub(crate) fn memory(&self) -> u64 {
        let windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let flames = self.flames.lock().unwrap_or_else(PoisonError::into_inner);
        let answers = windows.iter().map(|(_, answer)| answer.size()).sum::<usize>()
            + flames.iter().map(|(_, answer)| answer.size()).sum::<usize>()
            + self.whole.get().map_or(0, |answer| answer.size())
            + self.flame.get().and_then(|flame| flame.as_ref().ok()).map_or(0, |answer| answer.size());
        self.size + answers as u64
    }
}

/// The numbers of the timeline of recordings.
fn facts(recordings: &Arc<Recordings>) -> Option<Section> {
    let request = verbs::Timeline { inputs: recordings.inputs.clone(), ..verbs::Timeline::default() };
    let answer = request.run(&Context::new(&Session::of(recordings))).ok()?;
    answer.document.sections().next().cloned()
}
