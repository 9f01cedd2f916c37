//! What a picture of recordings is drawn from: rows of slices, counters, steps and arrows.

use std::ops::{Deref, Range};
use std::sync::Arc;

use eaves_model::{Interval, IntervalSet, LevelOfDetail, Ns, Row, SliceId, Trace, TrackId};

use super::{Class, CounterTrack};

/// How the recordings of a picture stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clocks {
    /// There is one recording only.
    One,
    /// By the clocks of their machines, which say that they ran at the same time.
    Common,
    /// Each from its own start: their clocks do not say that they ran together.
    Own,
}

/// Recordings to draw above each other.
#[derive(Debug)]
pub struct Charts<'a> {
    /// The selected recordings that have something to draw.
    pub charts: Vec<Chart<'a>>,
    /// How they stand to each other.
    pub clocks: Clocks,
}

/// One recording to draw: its rows, and what was measured to draw them.
#[derive(Debug)]
pub struct Chart<'a> {
    /// Rank of the recording.
    pub rank: i64,
    /// The input it was read from.
    pub path: &'a str,
    /// The rows.
    pub trace: &'a Trace,
    /// What to add to the time of the trace for the time of the picture.
    pub offset: Ns,
    /// What is drawn of the rows.
    pub measured: Arc<RankChart>,
}

/// Drawing data of a recording, measured together with its numbers.
#[derive(Debug)]
pub struct RankChart {
    /// What to draw, in the time of the trace.
    pub window: Interval,
    /// Threads, then streams.
    pub tracks: Vec<ChartTrack>,
    /// Values over time.
    pub counters: Vec<CounterTrack>,
    /// Number and host time of the profiler steps in the window.
    pub steps: Vec<(u64, Interval)>,
    /// Pairs of a launching call and an activity that are both drawn, by activity.
    pub launches: Vec<(SliceId, SliceId)>,
    /// The slices at any zoom.
    pub slices: LevelOfDetail,
    /// The class of every slice.
    pub classes: Vec<Class>,
}

impl Deref for Chart<'_> {
    type Target = RankChart;

    fn deref(&self) -> &RankChart {
        &self.measured
    }
}

/// A thread or stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartTrack {
    /// The track of the trace.
    pub track: TrackId,
    /// The process or device.
    pub group: String,
    /// The thread or stream in it.
    pub name: String,
    /// True for a stream of a device.
    pub is_stream: bool,
    /// Its rows in [`LevelOfDetail::rows`].
    pub rows: Range<usize>,
    /// When it worked, as the numbers of the timeline count it.
    pub busy: IntervalSet,
}

impl Charts<'_> {
    /// What is drawn of all, in the time of the picture.
    pub fn window(&self) -> Option<Interval> {
        let windows = self.charts.iter().map(Chart::shifted_window);
        windows.reduce(|a, b| Interval::new(a.start.min(b.start), a.end.max(b.end)))
    }
}

impl Chart<'_> {
    /// Where the recording begins, in the time of the picture. Times of sections are counted from there.
    pub fn start(&self) -> Ns {
        self.trace.extent().map_or(self.window.start, |extent| extent.start) + self.offset
    }

    /// What is drawn, in the time of the picture.
    pub fn shifted_window(&self) -> Interval {
        Interval::new(self.window.start + self.offset, self.window.end + self.offset)
    }

    /// The class of a slice.
    pub fn class(&self, slice: SliceId) -> Class {
        self.classes[slice.index()]
    }

    /// The rows of a track, from top to bottom.
    pub fn rows(&self, track: &ChartTrack) -> &[Row] {
        &self.slices.rows()[track.rows.clone()]
    }
}
