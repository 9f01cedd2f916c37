//! Names next to points, none over another. Names that find no place are skipped.

use super::canvas::Rect;

/// A name that wants to stand near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wish {
    /// The point.
    pub(super) at: (f64, f64),
    /// How large it is drawn.
    pub(super) radius: f64,
    /// How wide and high the name is.
    pub(super) size: (f64, f64),
}

/// Where a name stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placed {
    /// The room of the name.
    pub(super) area: Rect,
    /// A line from the point to a name that stands far from it.
    pub(super) leader: Option<((f64, f64), (f64, f64))>,
}

/// What names keep away from.
#[derive(Default)]
pub(super) struct Surroundings {
    /// Other texts, which are never covered.
    pub(super) texts: Vec<Rect>,
    /// Points with their radius.
    pub(super) marks: Vec<((f64, f64), f64)>,
    /// Lines of roofs.
    pub(super) lines: Vec<((f64, f64), (f64, f64))>,
    /// How many points a name may cover, where there are too many to avoid them all.
    pub(super) may_cover: usize,
}

/// Room between names.
const GAP: f64 = 2.0;
/// Distances from the edge of the point, in pixels.
const DISTANCES: [f64; 6] = [4.0, 13.0, 26.0, 44.0, 68.0, 100.0];
/// Directions in alternation of a twelfth, the best first: right, left, above, below, between them.
const DIRECTIONS: [u8; 12] = [0, 6, 11, 1, 7, 5, 9, 3, 10, 2, 8, 4];

/// Places names one after the other, so that the first have the best places.
pub(super) fn place(wishes: &[Wish], around: &Surroundings, bounds: Rect) -> Vec<Option<Placed>> {
    let mut placed: Vec<Option<Placed>> = Vec::with_capacity(wishes.len());
    for wish in wishes {
        let taken: Vec<Placed> = placed.iter().flatten().copied().collect();
        let mut best: Option<(f64, Placed)> = None;
        for (ring, distance) in DISTANCES.into_iter().enumerate() {
            // A place further away is never better than a good one near.
            if best.is_some_and(|(cost, _)| cost <= ring as f64 * RING) {
                break;
            }
            for (preference, direction) in DIRECTIONS.into_iter().enumerate() {
                let candidate = candidate(wish, distance, direction, bounds);
                let cost = ring as f64 * RING + preference as f64 * 0.1;
                let Some(covered) = covered(wish, &candidate, &taken, around, bounds) else { continue };
                let cost = cost + covered;
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, candidate));
                }
            }
        }
        placed.push(best.map(|(_, candidate)| candidate));
    }
    placed
}

/// What a ring further away costs; a covered line costs more than two, a covered point less than one.
const RING: f64 = 1.0;

fn candidate(wish: &Wish, distance: f64, direction: u8, bounds: Rect) -> Placed {
    let angle = f64::from(direction) * std::f64::consts::PI / 6.0;
    let (width, height) = wish.size;
    let reach = wish.radius + distance;
    let (x, y) = (wish.at.0 + angle.cos() * reach, wish.at.1 + angle.sin() * reach);
    // The name begins or ends where the direction points to, or is centred above and below.
    let left = match angle.cos() {
        right if right > 0.1 => x,
        left if left < -0.1 => x - width,
        // At an edge a name above or below its point moves inwards.
        _ => (x - width / 2.0).min(bounds.right - width).max(bounds.left),
    };
    let top = match angle.sin() {
        below if below > 0.9 => y,
        above if above < -0.9 => y - height,
        slope => y - height / 2.0 + slope * height / 2.0,
    };
    let area = Rect::new(left, top, width, height);
    let leader = (distance > DISTANCES[1]).then(|| {
        let edge =
            (wish.at.0 + angle.cos() * (wish.radius + 1.0), wish.at.1 + angle.sin() * (wish.radius + 1.0));
        (edge, (x.clamp(area.left, area.right), y.clamp(area.top, area.bottom)))
    });
    Placed { area, leader }
}

/// What a place covers that it may, or nothing if it covers what it must not.
fn covered(
    wish: &Wish,
    candidate: &Placed,
    taken: &[Placed],
    around: &Surroundings,
    bounds: Rect,
) -> Option<f64> {
    let area = candidate.area;
    if !bounds.holds(&area) {
        return None;
    }
    let wide = area.grown(GAP);
    let texts = || around.texts.iter().copied().chain(taken.iter().map(|other| other.area));
    let crosses = |text: Rect| candidate.leader.is_some_and(|(from, to)| text.is_crossed(from, to));
    if texts().any(|text| text.overlaps(&wide) || crosses(text)) {
        return None;
    }
    if taken.iter().filter_map(|other| other.leader).any(|(from, to)| area.is_crossed(from, to)) {
        return None;
    }
    let is_own = |at: (f64, f64)| at == wish.at;
    let covers = |&&(at, radius): &&((f64, f64), f64)| {
        let (x, y) = at;
        !is_own(at)
            && x + radius > area.left
            && x - radius < area.right
            && y + radius > area.top
            && y - radius < area.bottom
    };
    let marks = around.marks.iter().filter(covers).take(around.may_cover + 1).count();
    if marks > around.may_cover {
        return None;
    }
    let lines = around.lines.iter().filter(|(from, to)| area.is_crossed(*from, *to)).count();
    let crossed = |(from, to): ((f64, f64), (f64, f64))| {
        let leader = Rect {
            left: from.0.min(to.0),
            top: from.1.min(to.1),
            right: from.0.max(to.0),
            bottom: from.1.max(to.1),
        };
        around.lines.iter().filter(|(from, to)| leader.is_crossed(*from, *to)).count()
    };
    let by_leader = candidate.leader.map_or(0, crossed);
    Some(2.6 * lines as f64 + 0.8 * (marks + by_leader) as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BOUNDS: Rect = Rect { left: 0.0, top: 0.0, right: 800.0, bottom: 500.0 };

    fn wish(x: f64, y: f64, width: f64) -> Wish {
        Wish { at: (x, y), radius: 5.0, size: (width, 13.0) }
    }

    #[test]
    fn a_lonely_name_stands_right_of_its_point() {
        let placed = place(&[wish(100.0, 100.0, 60.0)], &Surroundings::default(), BOUNDS);
        let area = placed[0].unwrap().area;
        assert_eq!((area.left, area.top), (109.0, 93.5));
        assert_eq!(placed[0].unwrap().leader, None);
    }

    #[test]
    fn at_the_right_edge_it_stands_left() {
        let placed = place(&[wish(790.0, 100.0, 60.0)], &Surroundings::default(), BOUNDS);
        assert_eq!(placed[0].unwrap().area.right, 781.0);
    }

    #[test]
    fn a_name_without_a_place_is_left_out() {
        let texts = vec![BOUNDS];
        let around = Surroundings { texts, ..Surroundings::default() };
        assert_eq!(place(&[wish(100.0, 100.0, 60.0)], &around, BOUNDS), [None]);
        assert_eq!(place(&[wish(100.0, 100.0, 900.0)], &Surroundings::default(), BOUNDS), [None]);
    }

    proptest! {
        #[test]
        fn names_never_touch_each_other_or_points(
            points in proptest::collection::vec((0.0..800.0, 0.0..500.0, 10.0..140.0), 0..80),
        ) {
            let wishes: Vec<Wish> = points.iter().map(|&(x, y, width)| wish(x, y, width)).collect();
            let marks = wishes.iter().map(|wish| (wish.at, wish.radius)).collect();
            let around = Surroundings { marks, ..Surroundings::default() };
            let placed = place(&wishes, &around, BOUNDS);
            prop_assert_eq!(placed.len(), wishes.len());
            let areas: Vec<Rect> = placed.iter().flatten().map(|placed| placed.area).collect();
            for (index, area) in areas.iter().enumerate() {
                prop_assert!(BOUNDS.holds(area));
                prop_assert!(areas[..index].iter().all(|other| !other.overlaps(area)));
            }
            for (wish, placed) in wishes.iter().zip(&placed) {
                let Some(placed) = placed else { continue };
                let covered = wishes.iter().filter(|other| other.at != wish.at && {
                    let (x, y) = other.at;
                    placed.area.holds(&Rect::new(x, y, 0.0, 0.0))
                });
                prop_assert_eq!(covered.count(), 0);
            }
        }
    }
}
