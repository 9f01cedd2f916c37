//! Products of matrices. A product of a matrix and a vector is one with `m` = 1.

use crate::{Arithmetic, Precision, Work};

mod calls;
mod packed;
mod quantised;
mod served;

pub(super) use calls::{FORMULAS, WRAPPERS};
pub(super) use packed::{sizes, words};
pub(super) use served::{FORMULAS as SERVED, WRAPPERS as SERVED_WRAPPERS};

/// `batch` products of an `m` x `k` matrix with a `k` x `n` matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gemm {
    /// How many products.
    pub batch: f64,
    /// Rows of the output; 1 for a matrix-vector product.
    pub m: f64,
    /// Columns of the output.
    pub n: f64,
    /// The extent summed over.
    pub k: f64,
    /// How the first operand, usually the activations, is stored.
    pub a: Precision,
    /// How the second operand, usually the weights, is stored.
    pub b: Precision,
    /// How the output is stored.
    pub output: Precision,
    /// How a vector of `n` elements that is added to every row is stored, if there is one.
    pub bias: Option<Precision>,
    /// What it is computed in, if not in the wider of the operands' types.
    pub compute: Option<Arithmetic>,
}

impl Gemm {
    /// What it must do: `2mnk` operations, and `mn` more for the bias; every operand is moved once. A multiply-add of
    /// complex numbers is four of real ones.
    pub fn work(&self) -> Work {
        let Self { batch, m, n, k, .. } = *self;
        self.work_on(batch * m * k, batch * k * n)
    }

    /// The work with this many elements of the operands, for operands that are broadcast over the batch.
    fn work_on(&self, a: f64, b: f64) -> Work {
        let Self { batch, m, n, k, .. } = *self;
        let real = if self.a.is_complex() { 4.0 } else { 1.0 };
        let mut work =
            Work::matrix(real * batch * m * n * k, self.a).reads("a", a, self.a).reads("b", b, self.b);
        if let Some(bias) = self.bias {
            work.flops += batch * m * n;
            work = work.reads("bias", batch * n, bias);
        }
        work.arithmetic = self.compute.or(self.a.product_arithmetic(&self.b));
        work.writes("output", batch * m * n, self.output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine;

    fn precision(name: &str) -> Precision {
        name.parse().expect(name)
    }

    fn square(m: f64, name: &str) -> Work {
        let (stored, fp16) = (precision(name), precision("fp16"));
        let gemm = Gemm {
            batch: 1.0,
            m,
            n: 4096.0,
            k: 4096.0,
            a: stored,
            b: stored,
            output: fp16,
            bias: None,
            compute: None,
        };
        gemm.work()
    }

    /// The table of the calculator roofline-hack. Its NVFP4 skips the 32-bit scale that each of the two stored tensors
    /// has: 8 bytes.
    #[test]
    fn matrix_vector_products_of_the_published_table() {
        for (name, bytes) in [
            ("fp32", 67_133_440.0),
            ("fp16", 33_570_816.0),
            ("fp8", 16_789_504.0),
            ("mxfp4", 8_923_264.0),
            ("int4", 8_398_848.0),
            ("nvfp4", 9_447_680.0 + 8.0),
            ("nvfp4_1024", 9_513_232.0),
        ] {
            let work = square(1.0, name);
            assert_eq!((work.bytes(), work.flops), (bytes, 33_554_432.0), "{name}");
        }
    }

    #[test]
    fn square_products_of_the_published_table() {
        for (name, intensity) in [("fp16", 1365.33), ("fp8", 2048.0), ("int4", 2730.67)] {
            let work = square(4096.0, name);
            assert_eq!((work.flops, work.macs), (137_438_953_472.0, 68_719_476_736.0));
            assert!((work.flops / work.bytes() - intensity).abs() < 0.005, "{name}");
            assert_eq!(work.engine, Engine::Matrix);
        }
    }

    #[test]
    fn narrow_weights_are_computed_in_the_type_of_the_activations() {
        let gemm = |a: &str, b: &str, compute| Gemm {
            batch: 1.0,
            m: 1.0,
            n: 2.0,
            k: 3.0,
            a: precision(a),
            b: precision(b),
            output: precision(a),
            bias: None,
            compute,
        };
        for (a, b, expected) in [
            ("fp16", "int4", Some(Arithmetic::Fp16)),
            ("bf16", "nf4", Some(Arithmetic::Bf16)),
            ("fp8", "mxfp4", Some(Arithmetic::Fp8)),
            ("mxfp4", "mxfp6", Some(Arithmetic::Fp6)),
            ("nf4", "nf4", None),
        ] {
            assert_eq!(gemm(a, b, None).work().arithmetic, expected, "{a} x {b}");
        }
        assert_eq!(gemm("int4", "int4", Some(Arithmetic::Int8)).work().arithmetic, Some(Arithmetic::Int8));
    }

    /// Five products of 2 x 3 with 3 x 4 and a bias, counted by hand: 5*24 multiply-adds, 5*8 additions.
    #[test]
    fn batches_and_biases_by_hand() {
        let gemm = Gemm {
            batch: 5.0,
            m: 2.0,
            n: 4.0,
            k: 3.0,
            a: precision("bf16"),
            b: precision("fp8"),
            output: precision("fp32"),
            bias: Some(precision("fp16")),
            compute: None,
        };
        let work = gemm.work();
        assert_eq!((work.macs, work.flops), (120.0, 280.0));
        assert_eq!(work.bytes(), 5.0 * (6.0 * 2.0 + 12.0 + 4.0 * 2.0 + 8.0 * 4.0));
    }
}
