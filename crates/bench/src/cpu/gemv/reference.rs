//! What the result must be, and how near.

use eaves_roofline::measured::Verification;

use super::activations::Given;
use crate::formats::{Format, NF4_VALUES, Packed};

/// What NF4 values are multiplied as with INT8 activations: 127ths.
pub(super) fn nf4_as_integer(code: usize) -> i8 {
    // Values are at most one.
    NF4_VALUES.get(code).map_or(0, |value| (value * 127.0).round() as i8)
}

/// Holds a result against dot products in FP64 of what weights and activations mean.
pub(super) fn verify(distinct: &Packed, activations: &[f64], given: Given, result: &[f64]) -> Verification {
    let coarse = distinct.format == Format::Nf4 && given == Given::Quantised;
    let mut row = vec![0.0; distinct.stride];
    let right: Vec<(f64, f64)> = (0..distinct.rows)
        .map(|index| {
            distinct.dequantise_row(index, &mut row);
            if coarse {
                coarsen(distinct, index, &mut row);
            }
            let products = row.iter().zip(activations).map(|(weight, activation)| weight * activation);
            products
                .fold((0.0, 0.0), |(sum, scale): (f64, f64), product| (sum + product, scale + product.abs()))
        })
        .collect();
    let mut error: f64 = 0.0;
    for (got, (right, scale)) in result.iter().zip(right.iter().cycle()) {
        let away = (got - right).abs();
        let relative = if away == 0.0 { 0.0 } else { away / scale };
        // What is not a number must not be lost in a comparison.
        error = if relative.is_nan() { f64::INFINITY } else { error.max(relative) };
    }
    let weights = if coarse { " (NF4 values in 127ths)" } else { "" };
    let activations = if given == Given::Quantised { "quantised activations" } else { "activations" };
    Verification {
        error,
        tolerance: tolerance(distinct.stride, given),
        against: format!(
            "f64 dot products of dequantised weights{weights} and {activations}, over sum |w x|"
        ),
    }
}

/// Products and sums are rounded once each. A lane of eight adds up an eighth of the products, then lanes are added; scales
/// are a few roundings more (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 3.1).
fn tolerance(stride: usize, given: Given) -> f64 {
    let rounding = if given == Given::Fp64 { f64::EPSILON } else { f64::from(f32::EPSILON) } / 2.0;
    (stride as f64 / 8.0 + 16.0) * rounding
}

/// Replaces NF4 values by the 127ths that integer kernels use.
fn coarsen(distinct: &Packed, index: usize, row: &mut [f64]) {
    let scales = distinct.row_scales(index).as_chunks().0;
    for (block, bytes) in row.chunks_mut(64).zip(scales) {
        let scale = f64::from(f32::from_le_bytes(*bytes));
        for value in block.iter_mut().filter(|_| scale > 0.0) {
            // Exactly one code means this value.
            let code = NF4_VALUES.iter().position(|known| scale * f64::from(*known) == *value);
            *value = code.map_or(f64::NAN, |code| scale * f64::from(nf4_as_integer(code)) / 127.0);
        }
    }
}
