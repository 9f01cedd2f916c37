//! Products of groups of rows with a matrix of weights each, as experts have.

use super::{Call, Formula, NoFormula, Rule, Tensor};
use crate::{Arithmetic, Precision, Work};

/// `m` rows in `groups` groups, each with its own `k` x `n` matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupedGemm {
    /// Matrices; all of them are read.
    pub groups: f64,
    /// Rows of all groups.
    pub m: f64,
    /// Columns of the output.
    pub n: f64,
    /// The extent summed over.
    pub k: f64,
    /// How the rows are stored.
    pub a: Precision,
    /// How the matrices are stored.
    pub b: Precision,
    /// How the output is stored.
    pub output: Precision,
    /// What it is computed in, if not in the wider of the operands' types.
    pub compute: Option<Arithmetic>,
}

impl GroupedGemm {
    /// What the forward pass must do.
    pub fn forward(&self) -> Work {
        self.matrix(1.0).reads("a", self.m * self.k, self.a).reads("b", self.matrices(), self.b).writes(
            "output",
            self.m * self.n,
            self.output,
        )
    }

    /// What the backward pass must do: the gradients of rows and of matrices, each its own pass.
    pub fn backward(&self) -> Work {
        self.matrix(2.0)
            .reads("output gradient", self.m * self.n, self.output)
            .reads("b", self.matrices(), self.b)
            .writes("a gradient", self.m * self.k, self.a)
            .reads("output gradient", self.m * self.n, self.output)
            .reads("a", self.m * self.k, self.a)
            .writes("b gradient", self.matrices(), self.b)
    }

    /// What the gradient of the matrices alone must do, which is a product by itself: rows are summed over within their
    /// group, so that every group gives a matrix.
    fn of_matrices(&self) -> Work {
        self.matrix(1.0).reads("a", self.m * self.k, self.a).reads("b", self.m * self.n, self.b).writes(
            "output",
            self.matrices(),
            self.output,
        )
    }

    fn matrices(&self) -> f64 {
        self.groups * self.k * self.n
    }

    fn matrix(&self, products: f64) -> Work {
        let arithmetic = self.compute.or(self.a.product_arithmetic(&self.b));
        Work { arithmetic, ..Work::matrix(products * self.m * self.k * self.n, self.a) }
    }
}

const fn formula(names: &'static [&'static str], work: Rule) -> Formula {
    Formula { names, category: "grouped gemm", work, backward: None }
}

pub(super) const FORMULAS: &[Formula] = &[
    formula(&["aten::_grouped_mm"], |call| any(call, 2, call.element_type(4))),
    formula(&["aten::_scaled_grouped_mm"], scaled),
    formula(
        &[
            "primus_turbo::grouped_gemm",
            "primus_turbo::grouped_gemm_impl",
            "primus_turbo_cpp_extension::ck_grouped_gemm",
            "primus_turbo_cpp_extension::grouped_gemm",
        ],
        |call| any(call, 2, None),
    ),
    formula(
        &[
            "primus_turbo::grouped_gemm_variable_k",
            "primus_turbo::grouped_gemm_variable_k_impl",
            "primus_turbo_cpp_extension::ck_grouped_gemm_variable_k",
            "primus_turbo_cpp_extension::grouped_gemm_variable_k",
        ],
        variable_k,
    ),
];

/// `(a, b, scale of a, scale of b, bounds, bias, scale of the output, type, ...)`; the output is bfloat16 by default.
fn scaled(call: &Call<'_>) -> Result<Work, NoFormula> {
    let mut work = any(call, 4, call.element_type(7).or(Some(Precision::BF16)))?;
    for scale in [2, 3].into_iter().filter_map(|place| call.optional(place)) {
        work = work.reads("scale", scale.stored_elements(), scale.precision()?);
    }
    Ok(work)
}

/// Two operands, of which either has groups as its first axis, both (a batch), or none (rows are summed over within
/// groups). The tensor at a place has one element per group.
fn any(call: &Call<'_>, bounds: usize, output: Option<Precision>) -> Result<Work, NoFormula> {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    let (stored, other) = (a.precision()?, b.precision()?);
    let group = GroupedGemm {
        groups: 1.0,
        m: 0.0,
        n: 0.0,
        k: 0.0,
        a: stored,
        b: other,
        output: output.unwrap_or(stored),
        compute: None,
    };
    match (a.shape.len(), b.shape.len()) {
        (2, 3) => {
            let ([m, k], [groups, rows, columns]) = (a.extents()?, b.extents()?);
            Ok(GroupedGemm { groups, m, n: other_extent(k, rows, columns)?, k, ..group }.forward())
        }
        // The groups are of columns: the same product, transposed.
        (3, 2) => {
            let ([groups, rows, k], [b_k, columns]) = (a.extents()?, b.extents()?);
            other_extent(k, b_k, b_k)?;
            Ok(GroupedGemm { groups, m: columns, n: rows, k, a: other, b: stored, ..group }.forward())
        }
        (3, 3) => {
            let ([groups, m, k], [_, rows, columns]) = (a.extents()?, b.extents()?);
            let n = other_extent(k, rows, columns)?;
            Ok(GroupedGemm { groups, m: groups * m, n, k, ..group }.forward())
        }
        (2, 2) => {
            let ([k, m], [rows, n]) = (a.extents()?, b.extents()?);
            // PyTorch has the axis that is summed over last in the first operand.
            let (summed, kept) = if m == rows { (m, k) } else { (k, m) };
            other_extent(summed, rows, rows)?;
            Ok(GroupedGemm { groups: groups_at(call, bounds)?, m: summed, n, k: kept, ..group }.of_matrices())
        }
        _ => Err(format!("shapes {:?} and {:?} are no groups", a.shape, b.shape)),
    }
}

/// The other of two extents, one of which must be the one summed over.
fn other_extent(k: f64, first: f64, second: f64) -> Result<f64, NoFormula> {
    if first == k {
        Ok(second)
    } else if second == k {
        Ok(first)
    } else {
        Err(format!("the matrices do not fit: {k} is neither {first} nor {second}"))
    }
}

fn groups_at(call: &Call<'_>, place: usize) -> Result<f64, NoFormula> {
    call.optional(place).map(Tensor::elements).ok_or_else(|| "number of groups not recorded".to_owned())
}

/// Rows (m, k) and (m, n), summed over rows within groups.
fn variable_k(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    let ([m, k], [rows, n]) = (a.extents()?, b.extents()?);
    other_extent(m, rows, rows)?;
    let (stored, other) = (a.precision()?, b.precision()?);
    let groups = groups_at(call, 2)?;
    Ok(GroupedGemm { groups, m, n, k, a: stored, b: other, output: stored, compute: None }.of_matrices())
}
