//! The product computed another way.

use eaves_roofline::measured::Verification;

use super::pack::Operand;

/// Holds a result against its operands; see [`crate::reference::verify`].
pub(super) fn verify<C: Copy + Into<f64>>(
    shape: (usize, usize, usize),
    a: &dyn Operand,
    b: &dyn Operand,
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
