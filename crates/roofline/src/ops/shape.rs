//! Arithmetic of shapes.

use super::NoFormula;

/// Number of elements.
pub(super) fn volume(shape: &[u64]) -> f64 {
    shape.iter().map(|extent| *extent as f64).product()
}

/// The shape that two shapes broadcast to: aligned at the last dimension, an extent of one fits every other.
pub(super) fn broadcast(first: &[u64], second: &[u64]) -> Result<Vec<u64>, NoFormula> {
    let rank = first.len().max(second.len());
    let extent =
        |shape: &[u64], index: usize| (index + shape.len()).checked_sub(rank).map_or(1, |index| shape[index]);
    (0..rank)
        .map(|index| match (extent(first, index), extent(second, index)) {
            (one, other) if one == other || other == 1 => Ok(one),
            (1, other) => Ok(other),
            (one, other) => {
                Err(format!("shapes {first:?} and {second:?} do not broadcast: {one} and {other}"))
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts elements by visiting every index of the result and looking both operands up.
    fn visited(first: &[u64], second: &[u64]) -> Option<u64> {
        let rank = first.len().max(second.len());
        let padded = |shape: &[u64]| [vec![1; rank - shape.len()], shape.to_vec()].concat();
        let (first, second) = (padded(first), padded(second));
        let mut count = 1;
        for (one, other) in first.iter().zip(&second) {
            let mut along = 0;
            // An index exists if both operands have it, or repeat their only one.
            while (along < *one || *one == 1) && (along < *other || *other == 1) {
                if *one == 1 && *other == 1 && along == 1 {
                    break;
                }
                along += 1;
            }
            if *one != 1 && *other != 1 && one != other {
                return None;
            }
            count *= along;
        }
        Some(count)
    }

    #[test]
    fn broadcasting_is_that_of_a_walk_over_all_indices() {
        let mut shapes = vec![vec![]];
        for a in 0..4 {
            shapes.push(vec![a]);
            for b in 0..4 {
                shapes.push(vec![a, b]);
                shapes.push(vec![2, a, b]);
            }
        }
        let mut agreed = 0;
        for first in &shapes {
            for second in &shapes {
                let found = broadcast(first, second).ok().map(|shape| volume(&shape));
                assert_eq!(found, visited(first, second).map(|count| count as f64), "{first:?} {second:?}");
                agreed += 1;
            }
        }
        assert_eq!(agreed, 37 * 37);
    }
}
