//! Where a point stands by the bytes of each memory level: the same performance at other intensities.

use std::fmt::Write as _;

use super::plot::Plot;
use crate::roofline::canvas::{Anchor, Canvas};
use crate::roofline::colours::Categories;
use crate::roofline::data::{Point, Roofline};
use crate::roofline::marks::Shape;
use crate::roofline::scale::ratio;

/// Points whose levels are drawn, those of most time; more could not be distinguished.
const MOST: usize = 40;
/// Up to this many, marks have the names of their levels.
const NAMED: usize = 10;
const RADIUS: f64 = 3.4;

/// A point with its places by level, main memory not among them.
pub(super) struct Spread<'a> {
    index: usize,
    point: &'a Point<'a>,
    /// Name of the level, intensity, place.
    places: Vec<(&'static str, f64, (f64, f64))>,
}

/// The points that have levels.
pub(super) fn spreads<'a>(data: &'a Roofline<'a>, plot: &Plot) -> Vec<Spread<'a>> {
    let mut found: Vec<Spread<'a>> = data
        .points
        .iter()
        .enumerate()
        .filter_map(|(index, point)| {
            let achieved = point.achieved.filter(|rate| *rate > 0.0)?;
            let place =
                |&(name, intensity): &(&'static str, f64)| (name, intensity, plot.at(intensity, achieved));
            let places: Vec<_> = point.levels.iter().map(place).collect();
            (!places.is_empty()).then_some(Spread { index, point, places })
        })
        .collect();
    found.sort_by(|a, b| b.point.time.unwrap_or(0.0).total_cmp(&a.point.time.unwrap_or(0.0)));
    found.truncate(MOST);
    found
}

impl Spread<'_> {
    /// The marks with their radii, for texts to keep away from.
    pub(super) fn marks(&self) -> impl Iterator<Item = ((f64, f64), f64)> {
        self.places.iter().map(|(.., at)| (*at, RADIUS))
    }
}

/// Lines through the places of a point, and hollow marks at them.
pub(super) fn draw(
    canvas: &mut Canvas,
    spreads: &[Spread<'_>],
    categories: &Categories,
    plot: &Plot,
    counts: &str,
) {
    for spread in spreads {
        let main =
            spread.point.intensity.filter(|intensity| *intensity > 0.0).map(|intensity| plot.x.at(intensity));
        let across = || spread.places.iter().map(|(.., (x, _))| *x).chain(main);
        let (left, right) =
            (across().fold(f64::INFINITY, f64::min), across().fold(f64::NEG_INFINITY, f64::max));
        if let Some((.., (_, y))) = spread.places.first().filter(|_| left < right) {
            canvas.line("joined", (left, *y), (right, *y));
        }
    }
    writeln!(canvas.body, "<g>").ok();
    for spread in spreads {
        let category = categories.of.get(spread.index).copied().unwrap_or(0);
        let shape = Shape::of(spread.point.symbol);
        for (name, intensity, at) in &spread.places {
            canvas.mark(&format!("c{category} open level"), &shape.path(*at, RADIUS), || {
                format!("{} by the bytes of {name}: {} {counts}/B", spread.point.name, ratio(*intensity))
            });
        }
    }
    canvas.body.push_str("</g>\n");
    for spread in spreads.iter().filter(|_| spreads.len() <= NAMED) {
        let main =
            spread.point.intensity.filter(|intensity| *intensity > 0.0).map(|intensity| plot.x.at(intensity));
        let mut taken: Vec<f64> = main.into_iter().collect();
        for (name, _, (x, y)) in &spread.places {
            // Names of places that are nearly one would cover each other.
            if taken.iter().all(|other| (other - x).abs() > 14.0) {
                canvas.text("tiny", (*x, y + 13.0), Anchor::Middle, name);
                taken.push(*x);
            }
        }
    }
}
