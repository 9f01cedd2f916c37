//! The product computed another way.

use eaves_roofline::measured::Verification;

use super::pack::Lines;

/// Holds a result against its operands; see [`crate::reference::verify`].
pub(super) fn verify<A, B, C: Copy + Into<f64>>(
    shape: (usize, usize, usize),
    a: &dyn Lines<A>,
    b: &dyn Lines<B>,
    c: &[C],
    tolerance: f64,
) -> Verification {
    crate::reference::verify(
        shape,
        &|line, out| a.line(line, out),
        &|line, out| b.line(line, out),
        c,
        tolerance,
    )
}
