//! Timelines as data: recordings to draw above each other.

mod chart;
mod class;
mod counters;

pub use chart::{Chart, ChartTrack, Charts, Clocks, RankChart};
pub use class::Class;
pub use counters::CounterTrack;
