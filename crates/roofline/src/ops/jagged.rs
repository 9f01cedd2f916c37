//! FBGEMM's operators on features of different lengths: permutations, conversions between jagged and padded, offsets.
//!
//! Signatures: `fbgemm_gpu/src/sparse_ops/sparse_ops_cpu.cpp`, `.../jagged_tensor_ops/jagged_tensor_ops_cpu.cpp` and
//! `.../permute_pooled_embedding_ops` in pytorch/FBGEMM. Jagged values are rows, one after another, with a list of
//! offsets. How many values a permutation with repetitions keeps depends on their lengths: where the number was not
//! recorded, every feature is taken to have the mean length.

use super::operands::stored;
use super::{Call, Formula, Input, NoFormula, Tensor, operations};
use crate::{Basis, Work};

const CATEGORY: &str = "jagged";

pub(super) const FORMULAS: &[Formula] = &[
    Formula { names: PERMUTED, category: CATEGORY, work: permuted, backward: None },
    Formula { names: POOLED, category: CATEGORY, work: pooled, backward: None },
    Formula { names: SUMS, category: CATEGORY, work: running_sum, backward: None },
    Formula {
        names: &["fbgemm::bounds_check_indices"],
        category: CATEGORY,
        work: bounds_check,
        backward: None,
    },
    Formula { names: PADDED, category: CATEGORY, work: padded, backward: None },
    Formula { names: UNPADDED, category: CATEGORY, work: unpadded, backward: None },
    Formula { names: ELEMENTWISE, category: CATEGORY, work: elementwise, backward: None },
    Formula { names: &["fbgemm::jagged_dense_bmm"], category: CATEGORY, work: product, backward: None },
];

const PERMUTED: &[&str] = &[
    "fbgemm::permute_1D_sparse_data",
    "fbgemm::permute_2D_sparse_data",
    "fbgemm::permute_sparse_data",
    "fbgemm::permute_sparse_features",
];
const POOLED: &[&str] = &[
    "fbgemm::permute_pooled_embs",
    "fbgemm::permute_pooled_embs_auto_grad",
    "fbgemm::permute_pooled_embs_auto_grad_split",
    "fbgemm::permute_pooled_embs_split",
];
const SUMS: &[&str] = &[
    "fbgemm::asynchronous_complete_cumsum",
    "fbgemm::asynchronous_exclusive_cumsum",
    "fbgemm::asynchronous_inclusive_cumsum",
];
const PADDED: &[&str] = &[
    "aten::_jagged_to_padded_dense_forward",
    "fbgemm::jagged_1d_to_dense",
    "fbgemm::jagged_2d_to_dense",
    "fbgemm::jagged_to_padded_dense",
    "fbgemm::jagged_to_padded_dense_forward",
];
const UNPADDED: &[&str] =
    &["aten::_padded_dense_to_jagged_forward", "fbgemm::dense_to_jagged", "fbgemm::dense_to_jagged_forward"];
const ELEMENTWISE: &[&str] =
    &["fbgemm::jagged_dense_elementwise_add_jagged_output", "fbgemm::jagged_dense_elementwise_mul"];

/// The formula of the backward of a permutation of pooled embeddings, which is the inverse one and has a name with the
/// type of its function in it.
pub(super) fn formula(name: &str) -> Option<&'static Formula> {
    const POOLED: &Formula = &Formula { names: &[], category: CATEGORY, work: pooled, backward: None };
    name.starts_with("torch::autograd::CppNode<fbgemm_gpu::PermutePooledEmbs").then_some(POOLED)
}

fn copied(work: Work, name: &'static str, tensor: &Tensor, elements: f64) -> Result<Work, NoFormula> {
    let precision = tensor.precision()?;
    Ok(work.reads(name, elements, precision).writes(name, elements, precision))
}

/// Assumed where the number of permuted values was not recorded.
const MEAN_LENGTH: &str = "that features with repetitions are as long as the mean";

/// `(permute, lengths, values, weights, permuted_lengths_sum)`: all values, or as many as the sum says. Without the sum,
/// a permutation that repeats features or leaves some out keeps as many values as that number of mean features has.
fn permuted(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (permute, lengths, values) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let features = lengths.shape.first().copied().unwrap_or(0) as f64;
    let (kept, basis) = match call.number(4) {
        Some(kept) => (kept, Basis::Recorded),
        None if permute.elements() == features => (values.elements(), Basis::Recorded),
        None if features > 0.0 => {
            (values.elements() * permute.elements() / features, Basis::Estimated(MEAN_LENGTH))
        }
        None => return Err("how many values it keeps was not recorded".to_owned()),
    };
    // A feature has as many lengths as the batch has samples.
    let samples = if features > 0.0 { lengths.elements() / features } else { 0.0 };
    let mut work = Work::movement()
        .on(basis)
        .reads("permutation", permute.elements(), permute.precision()?)
        .reads("lengths", lengths.elements(), lengths.precision()?)
        .writes("lengths", permute.elements() * samples, lengths.precision()?);
    work = copied(work, "values", values, kept)?;
    match call.optional(3) {
        Some(weights) => copied(work, "weights", weights, kept),
        None => Ok(work),
    }
}

/// `(pooled_embs, offset_dim_list, permute_list, inverse offsets, inverse permutation)`.
fn pooled(call: &Call<'_>) -> Result<Work, NoFormula> {
    let values = call.tensor(0)?;
    copied(Work::movement(), "embeddings", values, values.elements())
}

/// One addition for each length; a complete sum has one more result.
fn running_sum(call: &Call<'_>) -> Result<Work, NoFormula> {
    let lengths = call.tensor(0)?;
    let (elements, precision) = (lengths.elements(), lengths.precision()?);
    let more = f64::from(u8::from(call.name.contains("complete")));
    Ok(Work::vector(elements, elements, precision).reads("lengths", elements, precision).writes(
        "offsets",
        elements + more,
        precision,
    ))
}

/// `(rows_per_table, indices, offsets, mode, warning, weights, ...)`: everything is read, what is wrong is written.
fn bounds_check(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (indices, offsets) = (call.tensor(1)?, call.tensor(2)?);
    let elements = indices.elements();
    Ok(Work::vector(elements, elements, indices.precision()?)
        .reads("indices", elements, indices.precision()?)
        .reads("offsets", offsets.elements(), offsets.precision()?))
}

/// Rows of values, and the offsets of them, which are a tensor or a list of one for each jagged dimension.
fn offsets_of<'a>(call: &'a Call<'_>, place: usize) -> Result<&'a Tensor, NoFormula> {
    let found = match call.inputs.get(place) {
        Some(Input::Tensor(tensor)) => Some(tensor),
        Some(Input::List(tensors)) if tensors.len() == 1 => tensors.first(),
        _ => None,
    };
    found.ok_or_else(|| "the shape of its offsets was not recorded".to_owned())
}

/// Reads offsets. Lists have no type; those of FBGEMM are 64 bits wide.
fn reads_offsets(work: Work, offsets: &Tensor) -> Result<Work, NoFormula> {
    Ok(work.reads("offsets", offsets.elements(), offsets.precision.map_or_else(|| stored("int64"), Ok)?))
}

/// `(values, offsets, max_lengths, padding_value)`: as many padded rows as the longest may have.
fn padded(call: &Call<'_>) -> Result<Work, NoFormula> {
    let values = call.tensor(0)?;
    let offsets = offsets_of(call, 1)?;
    let precision = values.precision()?;
    let written = match (&call.output, call.integers(2).as_slice()) {
        (_, [longest]) if *longest >= 0 => {
            let width: f64 =
                values.shape.get(1..).unwrap_or_default().iter().map(|extent| *extent as f64).product();
            (offsets.elements() - 1.0).max(0.0) * *longest as f64 * width
        }
        (Some(output), _) => output.elements(),
        _ => return Err("the longest length was not recorded".to_owned()),
    };
    let read = values.elements().min(written);
    let work = Work::movement().reads("values", read, precision).writes("output", written, precision);
    reads_offsets(work, offsets)
}

/// `(dense, offsets, total_L)`.
fn unpadded(call: &Call<'_>) -> Result<Work, NoFormula> {
    let dense = call.tensor(0)?;
    let offsets = offsets_of(call, 1)?;
    let width = dense.shape.get(2..).unwrap_or_default().iter().map(|extent| *extent as f64).product::<f64>();
    let kept = call.number(2).map(|rows| rows * width).or(call.output.as_ref().map(Tensor::elements));
    let kept = kept.ok_or_else(|| "how many rows it keeps was not recorded".to_owned())?;
    reads_offsets(copied(Work::movement(), "values", dense, kept.max(0.0))?, offsets)
}

/// `(x_values, x_offsets, y)`: the dense operand is read where there are values.
fn elementwise(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (values, dense) = (call.tensor(0)?, call.tensor(2)?);
    let (elements, precision) = (values.elements(), values.precision()?);
    let work = Work::vector(operations::of(call) * elements, elements, precision)
        .reads("x", elements, precision)
        .reads("y", elements.min(dense.elements()), dense.precision()?)
        .writes("output", elements, precision);
    reads_offsets(work, offsets_of(call, 1)?)
}

/// `(x_values, x_offsets, y, max_L)`: rows of values times the matrix of their sample.
fn product(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (values, dense) = (call.tensor(0)?, call.tensor(2)?);
    let ([rows, inner], [_, expected, columns]) = (values.extents()?, dense.extents()?);
    if inner != expected {
        return Err(format!("shapes {:?} and {:?} do not multiply", values.shape, dense.shape));
    }
    let precision = values.precision()?;
    let work = Work::matrix(rows * inner * columns, precision)
        .reads("x", values.elements(), precision)
        .reads("y", dense.elements(), dense.precision()?)
        .writes("output", rows * columns, precision);
    reads_offsets(work, offsets_of(call, 1)?)
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::{Example, call, check};
    use super::*;

    #[test]
    fn by_hand() {
        let (int, long) = ("int", "long");
        let none = ("", "");
        let table: &[Example<'_>] = &[
            // 3 features of 4 samples, 50 values: all are moved.
            (permuted, &[("[3]", int), ("[3,4]", int), ("[50]", int), none], 0.0, 12.0 + 48.0 + 48.0 + 400.0),
            // One feature of three, whose 20 values and weights are kept.
            (
                permuted,
                &[("[1]", int), ("[3,4]", int), ("[50]", long), ("[50]", "float"), ("20", "Scalar")],
                0.0,
                4.0 + 48.0 + 16.0 + 320.0 + 160.0,
            ),
            (pooled, &[("[8,10]", "float"), ("[4]", long), ("[3]", long)], 0.0, 640.0),
            (running_sum, &[("[10]", int)], 10.0, 80.0),
            (bounds_check, &[("[2]", long), ("[50]", long), ("[9]", long), ("1", "Scalar")], 50.0, 472.0),
            // 20 rows of 8 in 4 samples, padded to 10 rows each.
            (
                padded,
                &[("[20,8]", "float"), ("[[5]]", "TensorList"), ("[10]", "ScalarList"), ("0.", "Scalar")],
                0.0,
                640.0 + 1280.0 + 40.0,
            ),
            (padded, &[("[20,8]", "float"), ("[5]", int), ("10", "Scalar")], 0.0, 640.0 + 1280.0 + 20.0),
            (
                unpadded,
                &[("[4,10,8]", "float"), ("[[5]]", "TensorList"), ("20", "Scalar")],
                0.0,
                2.0 * 640.0 + 40.0,
            ),
            (
                elementwise,
                &[("[20,8]", "float"), ("[[5]]", "TensorList"), ("[4,10,8]", "float")],
                160.0,
                3.0 * 640.0 + 40.0,
            ),
            (
                product,
                &[("[20,8]", "float"), ("[5]", long), ("[4,8,3]", "float"), ("10", "Scalar")],
                960.0,
                640.0 + 384.0 + 240.0 + 40.0,
            ),
        ];
        check(table);
        let complete = call("fbgemm::asynchronous_complete_cumsum", &[("[10]", int)]);
        assert_eq!(running_sum(&complete).unwrap().bytes(), 84.0);
        // Six features out of three: 100 values of 50, as long as the mean.
        let repeated = call("fbgemm::permute_2D_sparse_data", &[("[6]", int), ("[3,4]", int), ("[50]", int)]);
        let work = permuted(&repeated).unwrap();
        assert_eq!((work.bytes(), work.basis), (24.0 + 48.0 + 96.0 + 800.0, Basis::Estimated(MEAN_LENGTH)));
        let empty = call("fbgemm::permute_2D_sparse_data", &[("[6]", int), ("[0,4]", int), ("[0]", int)]);
        assert!(permuted(&empty).unwrap_err().contains("not recorded"));
        let node = "torch::autograd::CppNode<fbgemm_gpu::PermutePooledEmbsFunction<&fbgemm_gpu::permute_pooled_embs_gpu> >";
        assert_eq!((formula(node).unwrap().work)(&call("x", &[("[8,10]", "float")])).unwrap().bytes(), 640.0);
    }
}
