//! What `eaves timeline` shows: when host and device worked, and the tracks to draw.

mod activity;
mod chart;
mod counters;
mod facts;
mod names;

pub use activity::{Activity, TrackActivity, is_host_work};
pub use chart::{assemble, charts, measure};
pub use eaves_section::timeline::{Chart, ChartTrack, Charts, Class, Clocks, CounterTrack, RankChart};
pub(crate) use names::Names;

use crate::Analysis;

/// The analysis behind the numbers of a timeline. No part of a report.
pub static TIMELINE: Analysis = Analysis::of::<facts::Timeline>();
