//! Lookups and updates at given places: embeddings, gathers, scatters.
//!
//! What is looked up is read once, so never more than the whole table; indices are read, results written. Nothing is
//! computed, except where values are added up: one operation for each.

use super::operands::{count, dimension, list, stored};
use super::shape::{broadcast, volume};
use super::{Call, Formula, Input, NoFormula};
use crate::Work;

const CATEGORY: &str = "indexing";

pub(super) const FORMULAS: &[Formula] = &[
    Formula { names: &["aten::index_select"], category: CATEGORY, work: index_select, backward: None },
    Formula { names: &["aten::gather"], category: CATEGORY, work: gather, backward: None },
    Formula { names: &["aten::index"], category: CATEGORY, work: index, backward: None },
    Formula { names: &["aten::take"], category: CATEGORY, work: take, backward: None },
    Formula { names: SCATTERS, category: CATEGORY, work: scatter, backward: None },
    Formula { names: ADDITIONS, category: CATEGORY, work: scatter_add, backward: None },
    Formula { names: &["aten::_index_put_impl_"], category: CATEGORY, work: index_put, backward: None },
    Formula { names: &["aten::index_fill_"], category: CATEGORY, work: index_fill, backward: None },
    Formula {
        names: &["aten::embedding_dense_backward"],
        category: CATEGORY,
        work: embedding_backward,
        backward: None,
    },
];

/// They call the above.
pub(super) const WRAPPERS: &[Formula] = &[
    Formula { names: &["aten::embedding"], category: CATEGORY, work: embedding, backward: None },
    Formula {
        names: &["aten::index_put", "aten::index_put_"],
        category: CATEGORY,
        work: index_put,
        backward: None,
    },
    Formula {
        names: &["aten::embedding_backward"],
        category: CATEGORY,
        work: embedding_backward,
        backward: None,
    },
];

const SCATTERS: &[&str] = &["aten::index_copy", "aten::index_copy_", "aten::scatter", "aten::scatter_"];
const ADDITIONS: &[&str] = &[
    "aten::index_add",
    "aten::index_add_",
    "aten::scatter_add",
    "aten::scatter_add_",
    "aten::scatter_reduce",
    "aten::scatter_reduce_",
];

/// `outputs` elements of the tensor at `table`, found through the tensor at `indices`.
fn looked_up(call: &Call<'_>, table: usize, indices: usize, outputs: f64) -> Result<Work, NoFormula> {
    let (table, indices) = (call.tensor(table)?, call.tensor(indices)?);
    let precision = table.precision()?;
    Ok(Work::movement()
        .reads("table", outputs.min(table.elements()), precision)
        .reads("indices", indices.elements(), indices.precision()?)
        .writes("output", outputs, precision))
}

/// `embedding(weight, indices, ...)`.
fn embedding(call: &Call<'_>) -> Result<Work, NoFormula> {
    let width = call.tensor(0)?.shape.last().copied().unwrap_or(1) as f64;
    looked_up(call, 0, 1, call.tensor(1)?.elements() * width)
}

/// `index_select(self, dim, index)`.
fn index_select(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (table, index) = (call.tensor(0)?, call.tensor(2)?);
    // A tensor of one axis leaves no choice.
    let only = (table.shape.len() == 1).then_some(0);
    let chosen = call.integers(1).first().copied().or(only);
    if let (None, Some(output)) = (chosen, &call.output) {
        return looked_up(call, 0, 2, output.elements());
    }
    let chosen = chosen.ok_or_else(|| "argument 1, a dimension, was not recorded".to_owned())?;
    let chosen = dimension(chosen, table.shape.len())?;
    let others = table.shape.iter().enumerate().filter(|(at, _)| *at != chosen);
    let outputs = index.elements() * others.map(|(_, extent)| *extent as f64).product::<f64>();
    looked_up(call, 0, 2, outputs)
}

/// `gather(self, dim, index, ...)`: as many results as indices.
fn gather(call: &Call<'_>) -> Result<Work, NoFormula> {
    looked_up(call, 0, 2, call.tensor(2)?.elements())
}

fn take(call: &Call<'_>) -> Result<Work, NoFormula> {
    looked_up(call, 0, 1, call.tensor(1)?.elements())
}

/// Elements that indices for the first dimensions choose, and the work of reading those indices.
fn chosen(call: &Call<'_>) -> Result<(f64, Work), NoFormula> {
    let table = call.tensor(0)?;
    let indices = list(call, 1)?;
    let shape = indices.iter().try_fold(Vec::new(), |shape, index| broadcast(&shape, &index.shape))?;
    let rest = table.shape.get(indices.len()..).unwrap_or_default();
    let work = indices.iter().try_fold(Work::movement(), |work, index| {
        Ok::<_, NoFormula>(work.reads("indices", index.elements(), index.precision()?))
    })?;
    Ok((volume(&shape) * volume(rest), work))
}

/// `index(self, indices)`, a list with an index for each of the first dimensions. Lists of optional tensors are recorded
/// without shapes: then they count nothing, and the result says how much is read; or the kernel says how many rows.
fn index(call: &Call<'_>) -> Result<Work, NoFormula> {
    let table = call.tensor(0)?;
    let (outputs, work) = match (call.inputs.get(1), &call.output) {
        (Some(Input::Scalar(_)), Some(output)) => (output.elements(), Work::movement()),
        (Some(Input::Scalar(_)), None) => match gathered_rows(call) {
            Some((rows, index)) => {
                let row = volume(table.shape.get(1..).unwrap_or_default());
                (rows * row, Work::movement().reads("indices", rows, stored(index)?))
            }
            None => chosen(call)?,
        },
        _ => chosen(call)?,
    };
    let precision = table.precision()?;
    Ok(work.reads("table", outputs.min(table.elements()), precision).writes("output", outputs, precision))
}

/// Rows of the first dimension and the type of their indices, by the kernel that copies whole rows: it has a row of
/// blocks for each (`vectorized_gather_kernel_launch` in `aten/src/ATen/native/cuda/IndexKernelUtils.cu`).
fn gathered_rows(call: &Call<'_>) -> Option<(f64, &'static str)> {
    let [launch] = call.launches.as_slice() else { return None };
    let (_, arguments) = launch.name.split_once("vectorized_gather_kernel<")?;
    let index = if arguments.split('>').next()?.contains("long") { "int64" } else { "int32" };
    Some((launch.grid[0] as f64, index))
}

/// `_index_put_impl_(self, indices, values, accumulate, ...)`.
fn index_put(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (places, mut work) = chosen(call)?;
    let (target, values) = (call.tensor(0)?, call.tensor(2)?);
    let precision = target.precision()?;
    if call.scalar(3) == "True" {
        work = Work { operands: work.operands, ..Work::vector(places, places, precision) }.reads(
            "target",
            places.min(target.elements()),
            precision,
        );
    }
    Ok(work.reads("values", values.elements(), values.precision()?).writes(
        "target",
        places.min(target.elements()),
        precision,
    ))
}

/// `index_fill_(self, dim, index, value)`.
fn index_fill(call: &Call<'_>) -> Result<Work, NoFormula> {
    let work = index_select(call)?;
    let (index, target) = (call.tensor(2)?, call.tensor(0)?);
    let written = work.operands.last().map_or(0.0, |operand| operand.elements);
    Ok(Work::movement().reads("indices", index.elements(), index.precision()?).writes(
        "target",
        written.min(target.elements()),
        target.precision()?,
    ))
}

/// `scatter_(self, dim, index, src or value)`. Out of place, the rest is copied.
fn scatter(call: &Call<'_>) -> Result<Work, NoFormula> {
    scattered(call, false)
}

fn scatter_add(call: &Call<'_>) -> Result<Work, NoFormula> {
    scattered(call, true)
}

fn scattered(call: &Call<'_>, adds: bool) -> Result<Work, NoFormula> {
    let (target, index) = (call.tensor(0)?, call.tensor(2)?);
    let precision = target.precision()?;
    // Rows are chosen by `index_*`, elements by `scatter*`.
    let places = call.optional(3).map_or(index.elements(), super::Tensor::elements);
    let touched = places.min(target.elements());
    let mut work = if adds { Work::vector(places, places, precision) } else { Work::movement() };
    work = work.reads("indices", index.elements(), index.precision()?);
    if let Some(source) = call.optional(3) {
        work = work.reads("source", source.elements(), source.precision()?);
    }
    let in_place = call.name.ends_with('_');
    if !in_place {
        return Ok(work.reads("self", target.elements(), precision).writes(
            "output",
            target.elements(),
            precision,
        ));
    }
    if adds {
        work = work.reads("target", touched, precision);
    }
    Ok(work.writes("target", touched, precision))
}

/// `embedding_dense_backward(grad, indices, num_weights, ...)`: gradients are added up in a table that starts at zero.
fn embedding_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (gradient, indices) = (call.tensor(0)?, call.tensor(1)?);
    let precision = gradient.precision()?;
    let width = gradient.shape.last().copied().unwrap_or(1) as f64;
    let elements = gradient.elements();
    Ok(Work::vector(elements, elements, precision)
        .reads("gradient", elements, precision)
        .reads("indices", indices.elements(), indices.precision()?)
        .writes("weight gradient", count(call, 2)? as f64 * width, precision))
}

#[cfg(test)]
mod tests {
    use super::super::Launch;
    use super::super::operands::testing::{Example, call, check};
    use super::*;

    #[test]
    fn by_hand() {
        let bf16 = "c10::BFloat16";
        let zero = ("0", "Scalar");
        let table: &[Example<'_>] = &[
            // 8944 rows of 1024: read, written, and 8944 indices of eight bytes.
            (
                index_select,
                &[("[151936,1024]", bf16), zero, ("[8944]", "long int")],
                0.0,
                2.0 * 2.0 * 8944.0 * 1024.0 + 8.0 * 8944.0,
            ),
            // A table of one axis: the axis need not be recorded.
            (index_select, &[("[9]", "float"), ("", "Scalar"), ("[2]", "int")], 0.0, 8.0 + 8.0 + 8.0),
            // Ten lookups in a table of three rows: the table is read once.
            (embedding, &[("[3,4]", "float"), ("[10]", "long int")], 0.0, 48.0 + 80.0 + 160.0),
            (gather, &[("[9,4]", bf16), zero, ("[2,4]", "long int")], 0.0, 16.0 + 64.0 + 16.0),
            (take, &[("[9]", bf16), ("[2]", "long int")], 0.0, 4.0 + 16.0 + 4.0),
            (
                scatter,
                &[("[2,8]", "float"), zero, ("[1,8]", "long int"), ("[1,8]", "float")],
                0.0,
                64.0 + 32.0 + 64.0 + 64.0,
            ),
            (
                scatter_add,
                &[("[2,8]", "float"), zero, ("[1,8]", "long int"), ("[1,8]", "float")],
                8.0,
                64.0 + 32.0 + 64.0 + 64.0,
            ),
            (
                embedding_backward,
                &[("[8,32,64]", "float"), ("[8,32]", "long int"), ("512", "Scalar"), ("-1", "Scalar")],
                16384.0,
                65536.0 + 2048.0 + 131_072.0,
            ),
        ];
        check(table);
    }

    #[test]
    fn in_place_only_what_is_touched_moves() {
        let arguments = [("[50]", "float"), ("0", "Scalar"), ("[8]", "long int"), ("[8]", "float")];
        assert_eq!(scatter(&call("aten::scatter_", &arguments)).unwrap().bytes(), 64.0 + 32.0 + 32.0);
        assert_eq!(
            scatter_add(&call("aten::scatter_add_", &arguments)).unwrap().bytes(),
            64.0 + 32.0 + 32.0 + 32.0
        );
        let fill = [("[5,4]", "float"), ("0", "Scalar"), ("[2]", "long int"), ("1", "Scalar")];
        assert_eq!(index_fill(&call("aten::index_fill_", &fill)).unwrap().bytes(), 16.0 + 32.0);
    }

    #[test]
    fn a_kernel_says_how_many_rows_are_picked() {
        let unknown = call("aten::index", &[("[32,2880]", "c10::BFloat16"), ("", "")]);
        let launch = |name| Launch { name, grid: [5, 2, 1] };
        let rows =
            launch("void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int, long)");
        let known = Call { launches: vec![rows.clone()], ..unknown.clone() };
        // Five rows of 2880, read and written, and five indices of eight bytes.
        assert_eq!(index(&known).unwrap().bytes(), 8.0 * 5.0 + 2.0 * 2.0 * 5.0 * 2880.0);
        for launches in [vec![launch("index_elementwise_kernel<128, 4>")], vec![rows.clone(), rows]] {
            assert!(index(&Call { launches, ..unknown.clone() }).is_err());
        }
    }

    #[test]
    fn lists_of_indices() {
        let indices = ("[[3,1],[2]]", "TensorList");
        let unknown = call("aten::index", &[("[9,9,4]", "float"), indices]);
        assert!(index(&unknown).unwrap_err().contains("TensorList"));
        let known = unknown.with_list_precision("int64".parse().unwrap());
        // 3*2 chosen, rows of 4.
        assert_eq!(index(&known).unwrap().bytes(), 8.0 * 5.0 + 2.0 * 4.0 * 24.0);
        let put = call(
            "aten::index_put_",
            &[("[9,9,4]", "float"), indices, ("[3,2,4]", "float"), ("True", "Scalar")],
        )
        .with_list_precision("int64".parse().unwrap());
        let work = index_put(&put).unwrap();
        assert_eq!((work.flops, work.bytes()), (24.0, 8.0 * 5.0 + 3.0 * 4.0 * 24.0));
        assert!(
            index(&call("aten::index", &[("[9]", "float"), ("", "")])).unwrap_err().contains("not recorded")
        );
    }
}
