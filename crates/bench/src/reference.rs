//! Results computed another way: one element after the other, in FP64, from the operands as they are stored. Every backend
//! is compared with the same code.

use eaves_roofline::measured::{Attend, Verification};

/// One line of an operand (a row of A, a column of B, a key) as what it stands for.
pub(crate) type Line<'a> = &'a dyn Fn(usize, &mut [f64]);

/// Products up to this many multiplications are compared whole.
const WHOLE: usize = 1 << 24;

/// Rows, and columns, that are compared of others.
const SAMPLED: usize = 8;

/// Holds a result (`m` rows of `n`) against the operands. All of a small one; of others rows and columns from every part, so
/// that each block of rows and of columns is seen. Errors are relative to the product of absolute values, which is what
/// rounding is proportional to (Higham 2002, section 3.5).
pub(crate) fn verify<C: Copy + Into<f64>>(
    (m, n, k): (usize, usize, usize),
    a: Line<'_>,
    b: Line<'_>,
    c: &[C],
    tolerance: f64,
) -> Verification {
    let whole = m.saturating_mul(n).saturating_mul(k) <= WHOLE;
    let mut error = 0.0;
    let rows = if whole { (0..m).collect() } else { sample(m) };
    let at = |row: usize, column: usize| c.get(row * n + column).copied().map_or(f64::NAN, Into::into);
    worst(k, a, &rows, b, n, at, &mut error);
    if !whole {
        worst(k, b, &sample(n), a, m, |column, row| at(row, column), &mut error);
    }
    let what = if whole { "all".to_owned() } else { format!("{SAMPLED} rows and {SAMPLED} columns of") };
    let against = format!("{what} dot products in fp64, relative to |a|.|b|");
    Verification { error, tolerance, against }
}

/// One from each of this many parts, and the last.
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
    some: Line<'_>,
    chosen: &[usize],
    other: Line<'_>,
    others: usize,
    result: impl Fn(usize, usize) -> f64,
    error: &mut f64,
) {
    let mut held = vec![0.0; chosen.len() * k];
    if k > 0 {
        for (line, out) in chosen.iter().zip(held.chunks_exact_mut(k)) {
            some(*line, out);
        }
    }
    let mut against = vec![0.0; k];
    for other_line in 0..others {
        other(other_line, &mut against);
        for (index, line) in chosen.iter().enumerate() {
            let one = held.get(index * k..(index + 1) * k).unwrap_or(&[]);
            let (mut sum, mut scale) = (0.0, 0.0);
            for (x, y) in one.iter().zip(&against) {
                sum += x * y;
                scale += (x * y).abs();
            }
            let difference = (result(*line, other_line) - sum).abs();
            let relative = if difference == 0.0 { 0.0 } else { difference / scale };
            *error = worse(*error, relative);
        }
    }
}

/// Holds the result of an attention against its operands: rows of every part of it, each with all scores at once. Queries
/// and results are rows by sequence, head and token, keys and values by sequence, head of keys and token. Errors are relative
/// to the same sum over the absolute values.
pub(crate) fn verify_attention<C: Copy + Into<f64>>(
    shape: &Attend,
    (queries, keys, values): (Line<'_>, Line<'_>, Line<'_>),
    result: &[C],
    tolerance: f64,
) -> Verification {
    let (heads, kv_heads, dimension) = (shape.heads, shape.kv_heads.max(1), shape.dimension);
    let rows = shape.batch * heads * shape.queries;
    let cost = rows.saturating_mul(shape.context).saturating_mul(dimension);
    let chosen: Vec<usize> = if cost <= WHOLE { (0..rows).collect() } else { sample(rows) };
    let mut error = 0.0;
    let (mut query, mut line) = (vec![0.0; dimension], vec![0.0; dimension]);
    let scale = 1.0 / (dimension.max(1) as f64).sqrt();
    for row in &chosen {
        let (token, head) = (row % shape.queries, row / shape.queries);
        let pair = head / heads * kv_heads + head % heads / (heads / kv_heads).max(1);
        let visible = if shape.causal {
            (shape.context + token + 1).saturating_sub(shape.queries)
        } else {
            shape.context
        };
        queries(*row, &mut query);
        let scores: Vec<f64> = (0..visible)
            .map(|key| {
                keys(pair * shape.context + key, &mut line);
                query.iter().zip(&line).map(|(one, other)| one * other).sum::<f64>() * scale
            })
            .collect();
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut sums, mut scales, mut total) = (vec![0.0; dimension], vec![0.0; dimension], 0.0);
        for (key, score) in scores.iter().enumerate() {
            let weight = (score - largest).exp();
            total += weight;
            values(pair * shape.context + key, &mut line);
            for ((sum, scale), value) in sums.iter_mut().zip(&mut scales).zip(&line) {
                *sum += weight * value;
                *scale += weight * value.abs();
            }
        }
        for (column, (sum, scale)) in sums.iter().zip(&scales).enumerate() {
            let found = result.get(row * dimension + column).copied().map_or(f64::NAN, Into::into);
            let right = if total > 0.0 { sum / total } else { 0.0 };
            let difference = (found - right).abs();
            let relative = if difference == 0.0 { 0.0 } else { difference * total / scale };
            error = worse(error, relative);
        }
    }
    let what = if chosen.len() == rows { "all".to_owned() } else { format!("{} of", chosen.len()) };
    let against = format!("{what} rows in fp64 with all scores at once, relative to p.|v|");
    Verification { error, tolerance, against }
}

/// The larger of two errors. What is not a number is the worst of all, and stays: `max` would hide it.
pub(crate) fn worse(one: f64, other: f64) -> f64 {
    if one.is_nan() || other.is_nan() { f64::NAN } else { one.max(other) }
}
