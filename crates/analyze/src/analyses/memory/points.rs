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

/// The events with the highest level of each of equal parts of the time in which anything happened. No peak is lost.
pub(super) fn highest(selected: &[usize], levels: &Levels) -> Vec<usize> {
    let event = |index: usize| &levels.events[index];
    let (Some(&first), Some(&last)) = (selected.first(), selected.last()) else { return Vec::new() };
    let start = event(first).time;
    let span = i128::from((event(last).time - start).0).max(1);
    let mut found: Vec<(i128, usize)> = Vec::new();
    for &index in selected {
        let part = i128::from((event(index).time - start).0) * (MOST as i128 - 1) / span;
        match found.last_mut() {
            Some((known, highest)) if *known == part => {
                if event(index).level > event(*highest).level {
                    *highest = index;
                }
            }
            _ => found.push((part, index)),
        }
    }
    found.into_iter().map(|(_, index)| index).collect()
}

/// The levels of some events.
pub(super) fn points(events: &[usize], levels: &Levels, zero: Ns) -> Vec<Point> {
    let point = |&index: &usize| {
        let event = &levels.events[index];
        Point { time: event.time - zero, bytes: event.level, reserved: event.reserved }
    };
    events.iter().map(point).collect()
}
