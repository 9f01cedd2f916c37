//! A rectangle with two axes.

use crate::roofline::canvas::{Anchor, Canvas, Rect};
use crate::roofline::scale::{Log, Tick};

/// Where values become places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plot {
    pub(super) area: Rect,
    pub(super) x: Log,
    pub(super) y: Log,
}

impl Plot {
    pub(super) fn new(area: Rect, x: Log, y: Log) -> Self {
        Self { area, x: x.between(area.left, area.right), y: y.between(area.bottom, area.top) }
    }

    /// The place of two positive values.
    pub(super) fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (self.x.at(x), self.y.at(y))
    }

    /// Lines across, and the numbers of both axes.
    pub(super) fn grid(&self, canvas: &mut Canvas, across: &[Tick], upwards: &[Tick]) {
        let Rect { left, top, right, bottom } = self.area;
        for labelled in [false, true] {
            let class = if labelled { "grid" } else { "minor" };
            let is_drawn = |tick: &&Tick| tick.label.is_empty() != labelled;
            let mut path = String::new();
            for tick in across.iter().filter(is_drawn) {
                path.push_str(&format!("M{:.1} {top:.1}V{bottom:.1}", self.x.at(tick.value)));
            }
            for tick in upwards.iter().filter(is_drawn) {
                path.push_str(&format!("M{left:.1} {:.1}H{right:.1}", self.y.at(tick.value)));
            }
            canvas.path(class, &path);
        }
        for tick in across.iter().filter(|tick| !tick.label.is_empty()) {
            canvas.text("quiet", (self.x.at(tick.value), bottom + 16.0), Anchor::Middle, &tick.label);
        }
        for tick in upwards.iter().filter(|tick| !tick.label.is_empty()) {
            canvas.text("quiet", (left - 7.0, self.y.at(tick.value) + 4.0), Anchor::End, &tick.label);
        }
        canvas.path("frame", &format!("M{left:.1} {top:.1}H{right:.1}V{bottom:.1}H{left:.1}z"));
    }

    /// What the axes show.
    pub(super) fn names(&self, canvas: &mut Canvas, across: &str, upwards: &str, from_left: f64) {
        let middle = (self.area.left + self.area.right) / 2.0;
        canvas.text("axis", (middle, self.area.bottom + 35.0), Anchor::Middle, across);
        let middle = (self.area.top + self.area.bottom) / 2.0;
        canvas.turned("axis", (self.area.left - from_left, middle), -90.0, Anchor::Middle, upwards);
    }
}
