//! Which launch a range with counters belongs to.
//!
//! The profiler gives ranges no number of their launch, and their times are not times of kernels: it divides the whole
//! recording evenly. What is left is the order, and the kernel names where kernels were recorded too. HTA pairs by
//! position and gives up when there are not as many launches as ranges.

/// Pairs two lists in order. `None` is an unknown name, which may be any; names that are known on both sides must be
/// equal. As many pairs as possible; where there is a choice, the earlier ones: a profiler that runs out of room for
/// ranges stops recording them, so what lacks a range is at the end. Answers places in both lists, ascending.
///
/// This is the greedy algorithm of E. Myers, "An O(ND) difference algorithm and its variations" (1986). Lists that
/// differ in more than [`MOST_DIFFERENCES`] places behind their common beginning are paired up to that point only.
pub(super) fn pair(ranges: &[Option<u32>], launches: &[Option<u32>]) -> Vec<(usize, usize)> {
    let same = |range: usize, launch: usize| match (ranges[range], launches[launch]) {
        (Some(range), Some(launch)) => range == launch,
        _ => true,
    };
    let shorter = ranges.len().min(launches.len());
    let first = (0..shorter).take_while(|&place| same(place, place)).count();
    let mut pairs: Vec<(usize, usize)> = (0..first).map(|place| (place, place)).collect();
    let rest = (ranges.len() - first, launches.len() - first);
    if rest.0 > 0 && rest.1 > 0 {
        let behind = |range: usize, launch: usize| same(first + range, first + launch);
        let found = longest_common(rest, behind);
        pairs.extend(found.into_iter().map(|(range, launch)| (first + range, first + launch)));
    }
    pairs
}

/// More differences than this mean that the lists are not of the same program; and the cost grows with the square.
const MOST_DIFFERENCES: usize = 1000;

/// The longest list of pairs, ascending in both, of places that are the same.
fn longest_common(lengths: (usize, usize), same: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    // On diagonal `x - y = k` the furthest `x` that this many differences can reach. `reach[d]` has those of k = -d,
    // -d + 2, ..., d at places 0, 1, ..., d.
    let mut reach: Vec<Vec<usize>> = Vec::new();
    for differences in 0..=MOST_DIFFERENCES.min(lengths.0 + lengths.1) {
        let mut row = Vec::with_capacity(differences + 1);
        for place in 0..=differences {
            let mut x = from_before(reach.last(), differences, place);
            // k = 2 place - differences; no diagonal is reached before its first `y`.
            let mut y = (x + differences).saturating_sub(2 * place);
            while x < lengths.0 && y < lengths.1 && same(x, y) {
                (x, y) = (x + 1, y + 1);
            }
            row.push(x);
            if x >= lengths.0 && y >= lengths.1 {
                reach.push(row);
                return walk_back(&reach, lengths);
            }
        }
        reach.push(row);
    }
    Vec::new()
}

/// How far one difference more leads onto a diagonal before anything is compared: from the diagonal above by leaving
/// out a launch, or from the one below by leaving out a range.
fn from_before(before: Option<&Vec<usize>>, differences: usize, place: usize) -> usize {
    let Some(before) = before else { return 0 };
    // The row before has one diagonal less; its place p is the diagonal between our places p and p + 1.
    let above = (place < differences).then(|| before[place]);
    let below = place.checked_sub(1).map(|below| before[below] + 1);
    above.max(below).unwrap_or(0)
}

fn walk_back(reach: &[Vec<usize>], (mut x, mut y): (usize, usize)) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for differences in (0..reach.len()).rev() {
        // k = x - y and k = 2 place - differences.
        let place = (x + differences - y) / 2;
        let before = differences.checked_sub(1).map(|before| &reach[before]);
        let began = from_before(before, differences, place);
        while x > began {
            (x, y) = (x - 1, y - 1);
            pairs.push((x, y));
        }
        if let Some(before) = before {
            let below = place.checked_sub(1).map(|below| before[below] + 1);
            // The difference itself: a range or a launch that has no partner.
            if below == Some(x) { x -= 1 } else { y -= 1 }
        }
    }
    pairs.reverse();
    pairs
}
