//! The shapes of points.

use std::f64::consts::PI;
use std::fmt::Write as _;

/// What a point looks like. The shape says what it is, as `symbol` in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    Circle,
    Square,
    Triangle,
    Diamond,
    Pentagon,
    Star,
    Cross,
    X,
}

impl Shape {
    pub(super) const ALL: [Self; 8] = [
        Self::Circle,
        Self::Square,
        Self::Triangle,
        Self::Diamond,
        Self::Pentagon,
        Self::Star,
        Self::Cross,
        Self::X,
    ];

    /// The shape of a symbol; an unknown one is a diamond, as everything else is.
    pub(super) fn of(symbol: &str) -> Self {
        match symbol {
            "circle" => Self::Circle,
            "square" => Self::Square,
            "triangle-up" => Self::Triangle,
            "pentagon" => Self::Pentagon,
            "star" => Self::Star,
            "cross" => Self::Cross,
            "x" => Self::X,
            _ => Self::Diamond,
        }
    }

    /// What it stands for.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::Circle => "matrix product",
            Self::Square => "convolution",
            Self::Triangle => "elementwise",
            Self::Diamond => "other",
            Self::Pentagon => "attention",
            Self::Star => "something wrong",
            Self::Cross => "custom (cross)",
            Self::X => "custom (x)",
        }
    }

    /// The outline with the area of a circle of that radius.
    pub(super) fn path(self, (x, y): (f64, f64), radius: f64) -> String {
        let corners = |count: usize, radius: f64, first: f64| {
            (0..count).map(move |corner| {
                let angle = first + 2.0 * PI * corner as f64 / count as f64;
                (radius * angle.cos(), radius * angle.sin())
            })
        };
        // A regular polygon of n corners on a circle of radius R has the area n/2 R² sin(2π/n).
        let even =
            |count: usize| radius * (2.0 * PI / (count as f64 * (2.0 * PI / count as f64).sin())).sqrt();
        let places: Vec<(f64, f64)> = match self {
            Self::Circle => {
                return format!(
                    "M{:.2} {y:.2}a{radius:.2} {radius:.2} 0 1 0 {:.2} 0a{radius:.2} {radius:.2} 0 1 0 {:.2} 0z",
                    x - radius,
                    2.0 * radius,
                    -2.0 * radius
                );
            }
            Self::Square => corners(4, even(4), PI / 4.0).collect(),
            Self::Triangle => corners(3, even(3), -PI / 2.0).collect(),
            Self::Diamond => corners(4, even(4), 0.0).collect(),
            Self::Pentagon => corners(5, even(5), -PI / 2.0).collect(),
            Self::Star => {
                // Inner corners at half the radius make the area of the ten triangles 5 R r sin(π/5).
                let outer = radius * (PI / (2.5 * (PI / 5.0).sin())).sqrt();
                let tips = corners(5, outer, -PI / 2.0);
                let inner = corners(5, outer / 2.0, -PI / 2.0 + PI / 5.0);
                tips.zip(inner).flat_map(|(tip, inner)| [tip, inner]).collect()
            }
            Self::Cross => beams(radius, 0.0),
            Self::X => beams(radius, PI / 4.0),
        };
        let mut path = String::new();
        for (index, (dx, dy)) in places.into_iter().enumerate() {
            let command = if index == 0 { 'M' } else { 'L' };
            write!(path, "{command}{:.2} {:.2}", x + dx, y + dy).ok();
        }
        path.push('z');
        path
    }
}

/// Two crossed beams, each three times as long as wide, turned by an angle: five squares of side a have the area 5 a².
fn beams(radius: f64, turn: f64) -> Vec<(f64, f64)> {
    let half = radius * (PI / 5.0).sqrt() / 2.0;
    let (short, long) = (half, 3.0 * half);
    // The corners of one arm; the other three are the same, a quarter of a turn further each.
    let arm = [(long, -short), (long, short), (short, short)];
    let turned = |(x, y): (f64, f64), angle: f64| {
        (x * angle.cos() - y * angle.sin(), x * angle.sin() + y * angle.cos())
    };
    let quarters = (0..4).map(|quarter| turn + f64::from(quarter) * PI / 2.0);
    quarters.flat_map(|angle| arm.map(|corner| turned(corner, angle))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(path: &str) -> f64 {
        let places: Vec<(f64, f64)> = path
            .trim_end_matches('z')
            .split(['M', 'L'])
            .filter_map(|place| place.split_once(' '))
            .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
            .collect();
        let next = places.iter().cycle().skip(1);
        places.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum::<f64>().abs() / 2.0
    }

    #[test]
    fn all_shapes_have_the_same_area() {
        for shape in Shape::ALL.into_iter().filter(|shape| *shape != Shape::Circle) {
            let found = area(&shape.path((50.0, 50.0), 20.0));
            assert!((found / (PI * 400.0) - 1.0).abs() < 1e-3, "{shape:?}: {found}");
        }
        assert!(Shape::Circle.path((50.0, 50.0), 20.0).starts_with("M30.00 50.00a20.00 20.00"));
    }
}
