//! Where the points of a roofline stand in the picture, and how large they are.

use super::plot::Plot;
use crate::roofline::canvas::Rect;
use crate::roofline::data::{Place, Point};

/// A point in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    /// Its place among the points of the section.
    pub(super) index: usize,
    pub(super) at: (f64, f64),
    pub(super) radius: f64,
    /// False if it stands at its roof because it has no time.
    pub(super) measured: bool,
}

/// Radii by how many points there are: the least, the largest, and that of a point with all the time.
pub(super) fn radii(count: usize) -> (f64, f64, f64) {
    match count {
        0..=24 => (4.5, 15.0, 27.0),
        25..=200 => (3.4, 13.0, 30.0),
        201..=800 => (2.4, 11.0, 32.0),
        _ => (1.9, 10.0, 34.0),
    }
}

/// The parts of the picture that points can stand in.
pub(super) struct Areas<'a> {
    pub(super) plot: &'a Plot,
    /// For points without arithmetic, with an axis of bandwidths.
    pub(super) copies: Option<&'a Plot>,
    /// For points that move nothing, with the axis of the plot.
    pub(super) still: Option<Rect>,
}

/// The points that can be drawn, the largest first, so that none hides another.
pub(super) fn spots(points: &[Point<'_>], areas: &Areas<'_>) -> Vec<Spot> {
    let total: f64 = points.iter().filter_map(|point| point.time).filter(|time| *time > 0.0).sum();
    let (least, most, whole) = radii(points.len());
    let mut spots = Vec::with_capacity(points.len());
    for (index, point) in points.iter().enumerate() {
        let share = point.time.filter(|_| total > 0.0).map_or(0.0, |time| (time / total).clamp(0.0, 1.0));
        let radius = (whole * share.sqrt()).clamp(least, most);
        let spot = |at, measured| Spot { index, at, radius, measured };
        spots.extend(match point.place() {
            Place::Measured(intensity, achieved) => Some(spot(areas.plot.at(intensity, achieved), true)),
            Place::AtRoof(intensity, roof) => Some(spot(areas.plot.at(intensity, roof), false)),
            Place::Bandwidth(bandwidth) => areas.copies.map(|copies| {
                let middle = (copies.area.left + copies.area.right) / 2.0;
                spot((middle, copies.y.at(bandwidth)), true)
            }),
            Place::Achieved(achieved) => areas
                .still
                .map(|still| spot(((still.left + still.right) / 2.0, areas.plot.y.at(achieved)), true)),
            Place::Nowhere => None,
        });
    }
    spots.sort_by(|a, b| b.radius.total_cmp(&a.radius).then(a.index.cmp(&b.index)));
    for area in [areas.copies.map(|copies| copies.area), areas.still].into_iter().flatten() {
        spread(&mut spots, area);
    }
    spots
}

/// Moves what stands in a strip to its sides, so that points of the same height lie next to each other. Across a strip
/// there is no scale.
fn spread(spots: &mut [Spot], strip: Rect) {
    let middle = (strip.left + strip.right) / 2.0;
    let mut placed: Vec<Spot> = Vec::new();
    for spot in spots.iter_mut().filter(|spot| spot.at.0 == middle) {
        let room = strip.width() / 2.0 - spot.radius - 2.0;
        let free = |x: f64| {
            placed.iter().all(|other| {
                let (dx, dy) = (other.at.0 - x, other.at.1 - spot.at.1);
                dx.hypot(dy) >= other.radius + spot.radius + 0.5
            })
        };
        let steps = (0..40).map(|step| f64::from((step + 1) / 2) * if step % 2 == 0 { 3.0 } else { -3.0 });
        let offset = steps.filter(|offset| offset.abs() <= room).find(|offset| free(middle + offset));
        // Where everything is taken, the number of the point decides, so that the picture is always the same.
        let crowded = || (spot.index as f64 * 0.618_034).fract() * 2.0 - 1.0;
        spot.at.0 = middle + offset.unwrap_or_else(|| crowded() * room.max(0.0));
        placed.push(*spot);
    }
}
