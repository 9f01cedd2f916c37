//! What the result must be, and how near: softmax as it is written, in FP64, for some rows.

use eaves_roofline::measured::Verification;

use super::Operands;
use super::plan::{group, visible};
use super::stored::key_place;

/// Heads that are looked at, spread over all.
const HEADS: usize = 16;

/// Products that may be computed for a head.
const PRODUCTS: usize = 2_000_000;

/// Numbers of `0..count`, at most this many, the first and the last among them.
fn spread(count: usize, most: usize) -> Vec<usize> {
    let wanted = count.min(most.max(2));
    let mut numbers: Vec<usize> =
        (0..wanted).map(|index| index * count.saturating_sub(1) / wanted.saturating_sub(1).max(1)).collect();
    numbers.dedup();
    numbers
}

/// Holds results against the reference.
pub(super) fn verify(operands: &Operands, results: &[f32]) -> Verification {
    let shape = &operands.shape;
    let (padded, rows) = (operands.padded, shape.queries * group(shape));
    let mut error: f64 = 0.0;
    // The largest sum of magnitudes of the products of a score.
    let mut magnitude: f64 = 0.0;
    for head in spread(shape.batch * shape.kv_heads, HEADS) {
        let (keys, values) = operands.head(head);
        for row in spread(rows, PRODUCTS / (shape.context * shape.dimension).max(1)) {
            let seen = visible(shape, row);
            let query = operands.query(head * rows + row);
            let mut scores = Vec::with_capacity(seen);
            for token in 0..seen {
                let products = (0..shape.dimension)
                    .map(|element| query[element] * keys[key_place(token, element, padded)]);
                let (sum, size) = products.fold((0.0, 0.0), |(sum, size): (f64, f64), product| {
                    (sum + product, size + product.abs())
                });
                let scale = 1.0 / (shape.dimension as f64).sqrt();
                magnitude = magnitude.max(size * scale);
                scores.push(sum * scale);
            }
            let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let weights: Vec<f64> = scores.iter().map(|score| (score - largest).exp()).collect();
            let total: f64 = weights.iter().sum();
            for element in 0..shape.dimension {
                let products = weights
                    .iter()
                    .enumerate()
                    .map(|(token, weight)| weight * values[token * padded + element]);
                let (sum, size) = products.fold((0.0, 0.0), |(sum, size): (f64, f64), product| {
                    (sum + product, size + product.abs())
                });
                let got = results
                    .get((head * rows + row) * padded + element)
                    .map_or(f64::NAN, |got| f64::from(*got));
                let away = (got - sum / total).abs();
                // A single value that is stored as zero has no size.
                let relative = if away == 0.0 { 0.0 } else { away / (size / total) };
                // What is not a number must not be lost in a comparison.
                error = if relative.is_nan() { f64::INFINITY } else { error.max(relative) };
            }
        }
    }
    Verification {
        error,
        tolerance: tolerance(shape.context, shape.dimension, magnitude),
        against: format!(
            "f64 softmax of some rows of at most {HEADS} heads of keys, over sum |weight value|"
        ),
    }
}

/// Rounding errors of a sum of `n` add up to `6 sqrt(n) u` with a probability of failure below 10^-7 (Higham and Mary, "A new
/// approach to probabilistic rounding error analysis", 2019). An error of a score is a relative error of its weight. Weights
/// are in the sum of values and in that which it is divided by; each exponential has its own error.
fn tolerance(context: usize, dimension: usize, magnitude: f64) -> f64 {
    let unit = f64::from(f32::EPSILON) / 2.0;
    let sum_of = |count: usize| 6.0 * ((count + 16) as f64).sqrt() * unit;
    2.0 * (magnitude * sum_of(dimension) + super::super::exp::RELATIVE_ERROR + sum_of(context))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_are_among_those_looked_at() {
        assert_eq!(spread(1, 5), [0]);
        assert_eq!(spread(2, 0), [0, 1]);
        assert_eq!(spread(9, 5), [0, 2, 4, 6, 8]);
        assert!(spread(0, 5).is_empty());
    }
}
