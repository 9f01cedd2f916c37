//! The product computed another way: one element after the other, in FP64, from the operands as they are stored.

use eaves_roofline::measured::Verification;

use super::pack::Operand;

/// Products up to this many multiplications are compared whole.
const WHOLE: usize = 1 << 24;

/// Rows, and columns, that are compared of others.
const SAMPLED: usize = 8;

/// Holds a result (`m` rows of `n`) against the operands. All of a small one; of others rows and columns from every part, so
/// that each block of rows and of columns is seen. Errors are relative to the product of absolute values, which is what
/// rounding is proportional to (Higham 2002, section 3.5).
pub(super) fn verify<C: Copy + Into<f64>>(
    (m, n, k): (usize, usize, usize),
    a: &dyn Operand,
    b: &dyn Operand,
    c: &[C],
    tolerance: f64,
) -> Verification {
    let whole = m.saturating_mul(n).saturating_mul(k) <= WHOLE;
    let mut error = 0.0;
    let rows = if whole { (0..m).collect() } else { sample(m) };
    let at = |row: usize, column: usize| c.get(row * n + column).copied().map_or(f64::NAN, Into::into);
    worst(k, a, &rows, b, n, |row, column| at(row, column), &mut error);
    if !whole {
        worst(k, b, &sample(n), a, m, |column, row| at(row, column), &mut error);
    }
    let what = if whole { "all".to_owned() } else { format!("{SAMPLED} rows and {SAMPLED} columns of") };
    let against = format!("{what} dot products in fp64, relative to |a|.|b|");
    Verification { error, tolerance, against }
}

/// One from each of so many parts, and the last.
fn sample(length: usize) -> Vec<usize> {
    let mut random = fastrand::Rng::with_seed(11);
    let mut lines: Vec<usize> = (0..SAMPLED.min(length))
        .map(|part| {
            let (from, to) = (part * length / SAMPLED, (part + 1) * length / SAMPLED);
            random.usize(from..to.max(from + 1).min(length).max(1))
        })
        .collect();
    if let Some(last) = lines.last_mut() {
        *last = length - 1;
    }
    lines
}

/// The worst error of some lines against all lines of the other operand.
fn worst(
    k: usize,
    some: &dyn Operand,
    chosen: &[usize],
    other: &dyn Operand,
    others: usize,
    result: impl Fn(usize, usize) -> f64,
    error: &mut f64,
) {
    let mut held = vec![0.0; chosen.len() * k];
    if k > 0 {
        for (line, out) in chosen.iter().zip(held.chunks_exact_mut(k)) {
            some.line(*line, out);
        }
    }
    let mut against = vec![0.0; k];
    for other_line in 0..others {
        other.line(other_line, &mut against);
        for (index, line) in chosen.iter().enumerate() {
            let one = held.get(index * k..(index + 1) * k).unwrap_or(&[]);
            let (mut sum, mut scale) = (0.0, 0.0);
            for (x, y) in one.iter().zip(&against) {
                sum += x * y;
                scale += (x * y).abs();
            }
            let difference = (result(*line, other_line) - sum).abs();
            let relative = if difference == 0.0 { 0.0 } else { difference / scale };
            // `max` would hide what is not a number.
            if !(relative <= *error) {
                *error = relative;
            }
        }
    }
}
