//! Levels over time, few enough to be drawn.

use eaves_model::{MaybeI64, Ns};
use serde::{Deserialize, Serialize};

use super::levels::Levels;

/// The most points of a device. A screen has hardly more columns, and browsers slow down long before all events are drawn.
pub(super) const MOST: usize = 500;

/// What was in use at the most in a part of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Point {
    /// When that was, counted from the start of the recording.
    pub(super) time: Ns,
    pub(super) bytes: i64,
    pub(super) reserved: MaybeI64,
}

/// The highest level of each of equal parts of the time in which anything happened. No peak is lost.
pub(super) fn thinned(selected: &[usize], levels: &Levels, zero: Ns) -> Vec<Point> {
    let time = |index: usize| levels.events[index].time;
    let (Some(&first), Some(&last)) = (selected.first(), selected.last()) else { return Vec::new() };
    let span = i128::from((time(last) - time(first)).0).max(1);
    let mut points: Vec<(i128, Point)> = Vec::new();
    for &index in selected {
        let event = &levels.events[index];
        let part = i128::from((event.time - time(first)).0) * (MOST as i128 - 1) / span;
        let point = Point { time: event.time - zero, bytes: event.level, reserved: event.reserved };
        match points.last_mut() {
            Some((known, highest)) if *known == part => {
                if point.bytes > highest.bytes {
                    *highest = point;
                }
            }
            _ => points.push((part, point)),
        }
    }
    points.into_iter().map(|(_, point)| point).collect()
}
