//! Rows of embedding tables that are looked up and pooled, and the update of those rows.
//!
//! FBGEMM's table-batched embeddings hold all tables in one tensor of weights. Signatures:
//! `fbgemm_gpu/codegen/training/backward/embedding_backward_split_host_template.cpp` and
//! `.../forward/embedding_forward_split_cpu.cpp` in pytorch/FBGEMM; they are generated for each optimizer, and versions
//! differ in what is around these arguments, which are always there in this order: weights, offsets of the tables in them,
//! offsets of the widths (one more than there are tables), indices, offsets of the bags.
//!
//! **Estimates.** How many indices each table has is not recorded, nor how often an index repeats: every index counts as
//! a row of the mean width that is touched once, never more than the tables have. Sorting indices for the update is a
//! choice of the implementation and counts nothing.

use super::operands::{Kind, count, kind, stored};
use super::{Call, Formula, Input, NoFormula, Tensor};
use crate::{Precision, Work};

const CATEGORY: &str = "embedding";

pub(super) const FORMULAS: &[Formula] = &[
    Formula { names: BAGS, category: CATEGORY, work: bag, backward: None },
    Formula {
        names: &["aten::_embedding_bag_dense_backward"],
        category: CATEGORY,
        work: bag_backward,
        backward: None,
    },
];

/// They call the above.
pub(super) const WRAPPERS: &[Formula] = &[
    Formula { names: &["aten::embedding_bag"], category: CATEGORY, work: bag, backward: None },
    Formula {
        names: &["aten::_embedding_bag_backward"],
        category: CATEGORY,
        work: bag_backward,
        backward: None,
    },
];

const BAGS: &[&str] = &["aten::_embedding_bag", "aten::_embedding_bag_forward_only"];

/// The formula of one of FBGEMM's generated operators.
pub(super) fn formula(name: &str) -> Option<&'static Formula> {
    const LOOKUP: &Formula =
        &Formula { names: &[], category: CATEGORY, work: lookup, backward: Some(lookup_backward) };
    const UPDATE: &Formula = &Formula { names: &[], category: CATEGORY, work: update, backward: None };
    const INDEX_WEIGHTS: &Formula =
        &Formula { names: &[], category: CATEGORY, work: index_weights, backward: None };
    let name = name.strip_prefix("fbgemm::")?;
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    if begins(&["split_embedding_codegen_grad_indice_weights", "dense_embedding_codegen_grad_indice_weights"])
    {
        Some(INDEX_WEIGHTS)
    } else if begins(&["split_embedding_backward_codegen", "dense_embedding_backward_codegen"]) {
        Some(UPDATE)
    } else if begins(&[
        "dense_embedding_codegen_forward",
        "dense_embedding_codegen_lookup",
        "split_embedding_codegen_forward",
        "split_embedding_codegen_lookup",
    ]) {
        Some(LOOKUP)
    } else {
        None
    }
}

/// What tables are asked for.
struct Tables<'a> {
    /// Elements of all tables.
    elements: f64,
    /// How they are stored.
    weights: Precision,
    indices: &'a Tensor,
    offsets: &'a Tensor,
    tables: f64,
    /// Elements of a row, on average.
    width: f64,
    /// A factor for each index, if the bags are weighted.
    factors: Option<&'a Tensor>,
}

impl<'a> Tables<'a> {
    /// `pooled` is the result or its gradient, where the widths were not recorded as a number.
    fn of(call: &'a Call<'_>, pooled: Option<&Tensor>) -> Result<Self, NoFormula> {
        let places = Places::of(call).ok_or_else(|| "its indices are not where they should be".to_owned())?;
        let (indices, offsets) = (call.tensor(places.indices)?, call.tensor(places.indices + 1)?);
        let tables = call.tensor(places.widths)?.elements() - 1.0;
        if tables < 1.0 {
            return Err("it has no tables".to_owned());
        }
        let held = call.inputs[..places.widths].iter().flat_map(|input| match input {
            Input::Tensor(tensor) => std::slice::from_ref(tensor),
            Input::List(tensors) => tensors.as_slice(),
            Input::Scalar(_) => &[],
        });
        // A gradient and a cache have two axes, indices and offsets are integers.
        let held: Vec<&Tensor> = held
            .filter(|tensor| tensor.shape.len() == 1 && !tensor.precision.is_some_and(is_index))
            .collect();
        let largest = held.iter().max_by(|a, b| a.elements().total_cmp(&b.elements()));
        let largest = largest.ok_or_else(|| "its weights were not recorded".to_owned())?;
        let bags = (offsets.elements() - 1.0) / tables;
        let recorded = call.number(places.widths + 1).filter(|_| places.says_total);
        let total = recorded.or_else(|| {
            let [rows, columns] = pooled?.rows_and_columns().ok()?;
            // Without pooling there is a row for each index.
            if rows == bags {
                Some(columns)
            } else {
                (rows == indices.elements()).then_some(columns * tables)
            }
        });
        let total = total.ok_or_else(|| "table width not recorded".to_owned())?;
        Ok(Self {
            elements: held.iter().map(|tensor| tensor.elements()).sum(),
            weights: largest.precision()?,
            indices,
            offsets,
            tables,
            width: total / tables,
            factors: call.inputs[places.indices + 2..].iter().take(3).find_map(|input| match input {
                Input::Tensor(tensor) if tensor.elements() == indices.elements() => Some(tensor),
                _ => None,
            }),
        })
    }

    fn bags(&self) -> f64 {
        (self.offsets.elements() - 1.0) / self.tables
    }

    /// Elements of all rows that indices name.
    fn named(&self) -> f64 {
        self.indices.elements() * self.width
    }

    /// Of those, what is in the tables once.
    fn touched(&self) -> f64 {
        self.named().min(self.elements)
    }

    /// Reads indices, offsets and factors.
    fn asked(&self, mut work: Work) -> Result<Work, NoFormula> {
        for (name, tensor) in [("indices", self.indices), ("offsets", self.offsets)] {
            work = work.reads(name, tensor.elements(), tensor.precision()?);
        }
        match self.factors {
            Some(factors) => Ok(work.reads("factors", factors.elements(), factors.precision()?)),
            None => Ok(work),
        }
    }

    /// Sums rows, or weighted rows.
    fn forward(&self, pooled: Option<&Tensor>) -> Result<Work, NoFormula> {
        let operations = if self.factors.is_some() { 2.0 } else { 1.0 };
        let work = Work::vector(operations * self.named(), self.named(), stored("fp32")?).reads(
            "rows",
            self.touched(),
            self.weights,
        );
        let (elements, precision) = match pooled {
            Some(tensor) => (tensor.elements(), tensor.precision()?),
            // FBGEMM's default.
            None => (self.bags() * self.width * self.tables, stored("fp32")?),
        };
        Ok(self.asked(work)?.writes("output", elements, precision))
    }

    /// Adds up the gradients of each row, and updates it with the state of the optimizer: two operations for an element.
    fn update(&self, gradient: (f64, Precision), [elements, rows]: [f64; 2]) -> Result<Work, NoFormula> {
        let fp32 = stored("fp32")?;
        let operations = if self.factors.is_some() { 2.0 } else { 1.0 };
        let flops = operations * self.named() + 2.0 * self.touched();
        let mut work = Work::vector(flops, self.named(), fp32)
            .reads("gradient", gradient.0, gradient.1)
            .reads("rows", self.touched(), self.weights)
            .writes("rows", self.touched(), self.weights);
        let state = elements * self.touched() + rows * (self.touched() / self.width);
        if state > 0.0 {
            work = work.reads("optimizer state", state, fp32).writes("optimizer state", state, fp32);
        }
        self.asked(work)
    }

    /// The gradient of each factor: a product of the gradient with the row.
    fn factors_gradient(&self, gradient: (f64, Precision)) -> Result<Work, NoFormula> {
        let fp32 = stored("fp32")?;
        let work = Work::vector(2.0 * self.named(), self.named(), fp32)
            .reads("gradient", gradient.0, gradient.1)
            .reads("rows", self.touched(), self.weights)
            .reads("indices", self.indices.elements(), self.indices.precision()?)
            .reads("offsets", self.offsets.elements(), self.offsets.precision()?);
        Ok(work.writes("factors gradient", self.indices.elements(), fp32))
    }
}

/// Where the arguments are.
struct Places {
    /// Offsets of the widths.
    widths: usize,
    /// Whether the sum of the widths stands behind them.
    says_total: bool,
    indices: usize,
}

/// Whether it may be of indices or offsets.
fn is_index(precision: Precision) -> bool {
    kind(precision) == Kind::Integer && precision.element_bits >= 32.0
}

impl Places {
    fn of(call: &Call<'_>) -> Option<Self> {
        let says_total = !call.name.contains("backward");
        // `..._pt2(placeholder, weights[], D_offsets, total_D, max_D, hash_size_cumsum, hash_size_bits, indices, ...)`.
        if matches!(call.inputs.get(1), Some(Input::List(_))) {
            return Some(Self { widths: 2, says_total, indices: 7 });
        }
        let is_integers = |input: &Input| matches!(input, Input::Tensor(tensor) if tensor.shape.len() == 1 && tensor.precision.is_some_and(is_index));
        // Runs of two and more such tensors: places and offsets of tables, offsets of widths; indices, offsets of bags.
        let mut runs = Vec::new();
        let mut start = 0;
        for (index, input) in call.inputs.iter().enumerate() {
            if !is_integers(input) {
                start = index + 1;
            } else if index + 1 == call.inputs.len() || !is_integers(&call.inputs[index + 1]) {
                if index > start {
                    runs.push((start, index));
                }
                start = index + 1;
            }
        }
        match runs.as_slice() {
            [(first, last), ..] if last - first >= 3 => {
                Some(Self { widths: last - 2, says_total: false, indices: last - 1 })
            }
            [(_, widths), (_, last), ..] => Some(Self { widths: *widths, says_total, indices: last - 1 }),
            _ => None,
        }
    }
}

/// Values of state that the optimizer in a name has for an element and for a row, as
/// `fbgemm_gpu/codegen/genscript/optimizers.py` defines them.
fn state(name: &str) -> [f64; 2] {
    let has = |word: &str| name.contains(word);
    match () {
        () if has("partial_rowwise") => [1.0, 1.0],
        () if has("rowwise") => [0.0, 1.0],
        () if has("adam") || has("lamb") => [2.0, 0.0],
        () if has("adagrad") || has("lars") => [1.0, 0.0],
        () => [0.0, 0.0],
    }
}

fn lookup(call: &Call<'_>) -> Result<Work, NoFormula> {
    Tables::of(call, call.output.as_ref())?.forward(call.output.as_ref())
}

/// From the arguments of the lookup. Weighted bags need the gradients of their factors, too.
fn lookup_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let tables = Tables::of(call, call.output.as_ref())?;
    let gradient = match &call.output {
        Some(gradient) => (gradient.elements(), gradient.precision()?),
        None => (tables.bags() * tables.width * tables.tables, stored("fp32")?),
    };
    let work = tables.update(gradient, state(call.name))?;
    if tables.factors.is_none() {
        return Ok(work);
    }
    let factors = tables.factors_gradient(gradient)?;
    let operands = [work.operands, factors.operands].concat();
    Ok(Work { flops: work.flops + factors.flops, macs: work.macs + factors.macs, operands, ..factors })
}

/// `(grad_output, weights, ..., indices, offsets, ...)`.
fn update(call: &Call<'_>) -> Result<Work, NoFormula> {
    let gradient = call.tensor(0)?;
    let tables = Tables::of(call, Some(gradient))?;
    tables.update((gradient.elements(), gradient.precision()?), state(call.name))
}

fn index_weights(call: &Call<'_>) -> Result<Work, NoFormula> {
    let gradient = call.tensor(0)?;
    Tables::of(call, Some(gradient))?.factors_gradient((gradient.elements(), gradient.precision()?))
}

/// `_embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset,
/// padding_idx)`. Also writes the bag of each index, and the size of each bag.
fn bag(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (table, indices, offsets) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let [rows, width] = table.extents()?;
    let precision = table.precision()?;
    let bags = offsets.elements() - f64::from(u8::from(call.flag(7)));
    let named = indices.elements() * width;
    let index = indices.precision()?;
    let mut work = Work::vector(named, named, precision)
        .reads("rows", named.min(rows * width), precision)
        .reads("indices", indices.elements(), index)
        .reads("offsets", offsets.elements(), offsets.precision()?);
    if let Some(factors) = call.optional(6) {
        work.flops *= 2.0;
        work = work.reads("factors", factors.elements(), factors.precision()?);
    }
    Ok(work
        .writes("output", bags * width, precision)
        .writes("bag of each index", indices.elements(), index)
        .writes("sizes", bags, index))
}

/// `_embedding_bag_dense_backward(grad, indices, offset2bag, bag_size, maximum_indices, num_weights, ...)`; with
/// `_embedding_bag_backward(grad, indices, offsets, offset2bag, bag_size, maximum_indices, num_weights, ...)` around it.
fn bag_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (gradient, indices) = (call.tensor(0)?, call.tensor(1)?);
    let rows = count(call, if call.name.ends_with("dense_backward") { 5 } else { 6 })? as f64;
    let width = gradient.shape.last().copied().unwrap_or(1) as f64;
    let (named, precision) = (indices.elements() * width, gradient.precision()?);
    Ok(Work::vector(named, named, precision)
        .reads("gradient", gradient.elements(), precision)
        .reads("indices", indices.elements(), indices.precision()?)
        .reads("bag of each index", indices.elements(), indices.precision()?)
        .writes("weight gradient", rows * width, precision))
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::{Example, call, check};
    use super::*;

    const NONE: (&str, &str) = ("", "");

    /// Two tables of 100 rows of 8 in one tensor, 30 indices for 5 bags of each.
    fn gpu<'a>(total: &'a str, factors: (&'a str, &'a str)) -> Vec<(&'a str, &'a str)> {
        let half = "c10::Half";
        vec![
            ("[0]", "float"),
            ("[1600]", half),
            ("[0]", half),
            ("[0,0]", half),
            ("[2]", "int"),
            ("[2]", "long"),
            ("[3]", "int"),
            (total, "Scalar"),
            ("8", "Scalar"),
            ("[3]", "long"),
            ("8", "Scalar"),
            ("[30]", "long"),
            ("[11]", "long"),
            ("0", "Scalar"),
            factors,
            NONE,
            ("[0]", "int"),
            ("False", "Scalar"),
            ("[200]", "float"),
            ("[0]", "float"),
            ("[2]", "int"),
            ("[2]", "long"),
        ]
    }

    const NAME: &str = "fbgemm::split_embedding_codegen_lookup_rowwise_adagrad_function";
    /// Indices and offsets.
    const ASKED: f64 = 8.0 * 41.0;

    #[test]
    fn table_batched_embeddings_by_hand() {
        // 240 halves are read and summed to 5 rows of 16 floats.
        let work = lookup(&call(NAME, &gpu("16", NONE))).unwrap();
        assert_eq!((work.flops, work.bytes()), (240.0, 480.0 + ASKED + 320.0));
        let work = lookup(&call(NAME, &gpu("16", ("[30]", "float")))).unwrap();
        assert_eq!((work.flops, work.bytes()), (480.0, 480.0 + ASKED + 120.0 + 320.0));
        // 320 bytes of gradients; rows are read and written, and a float for each of 30 rows.
        let work = lookup_backward(&call(NAME, &gpu("16", NONE))).unwrap();
        assert_eq!((work.flops, work.bytes()), (240.0 + 480.0, 320.0 + 960.0 + 240.0 + ASKED));
        // Factors are read, and the rows once more for their gradients.
        let work = lookup_backward(&call(NAME, &gpu("16", ("[30]", "float")))).unwrap();
        let update = 320.0 + 960.0 + 240.0 + ASKED + 120.0;
        assert_eq!(
            (work.flops, work.bytes()),
            (480.0 + 480.0 + 480.0, update + 320.0 + 480.0 + ASKED + 120.0)
        );
        // More indices than rows.
        let mut many = gpu("16", NONE);
        many[11].0 = "[300]";
        assert_eq!(lookup(&call(NAME, &many)).unwrap().bytes(), 3200.0 + 8.0 * 311.0 + 320.0);
    }

    #[test]
    fn widths_that_were_not_recorded_come_from_the_gradient() {
        let mut unknown = call(NAME, &gpu("", NONE));
        assert!(lookup(&unknown).unwrap_err().contains("not recorded"));
        unknown.output = call("x", &[("[5,16]", "float")]).tensors().next().cloned();
        assert_eq!(lookup(&unknown).unwrap().bytes(), 480.0 + ASKED + 320.0);
        assert_eq!(lookup_backward(&unknown).unwrap().bytes(), 320.0 + 960.0 + 240.0 + ASKED);
        // Without pooling there is a row for each index.
        unknown.output = call("x", &[("[30,8]", "float")]).tensors().next().cloned();
        assert_eq!(lookup(&unknown).unwrap().bytes(), 480.0 + ASKED + 960.0);
    }

    /// Arguments as a training run records them.
    #[test]
    fn operators_inside_have_their_own_arguments() {
        let (half, long, scalar) = ("c10::Half", "long", "Scalar");
        let backward = [
            ("[1024,128]", "float"),
            ("[1280]", half),
            ("[1]", "int"),
            ("[1]", long),
            ("[2]", "int"),
            ("128", scalar),
            ("[2]", long),
            ("4", scalar),
            ("[39288]", long),
            ("[1025]", long),
            ("0", scalar),
            ("[39288]", "float"),
        ];
        let name = "fbgemm::split_embedding_backward_codegen_rowwise_adagrad_cpu";
        let work = (formula(name).unwrap().work)(&call(name, &backward)).unwrap();
        // All of the ten rows, and ten floats of state.
        let moved = 4.0 * 131_072.0 + 2.0 * 2560.0 + 80.0 + 8.0 * (39288.0 + 1025.0) + 4.0 * 39288.0;
        assert_eq!((work.flops, work.bytes()), (2.0 * 39288.0 * 128.0 + 2560.0, moved));
        let weights = [
            ("[1024,128]", "float"),
            ("[1280]", half),
            ("[1]", long),
            ("[2]", "int"),
            ("[39288]", long),
            ("[1025]", long),
            ("", ""),
        ];
        let name = "fbgemm::split_embedding_codegen_grad_indice_weights_cpu";
        let work = (formula(name).unwrap().work)(&call(name, &weights)).unwrap();
        let moved = 4.0 * 131_072.0 + 2560.0 + 8.0 * (39288.0 + 1025.0) + 4.0 * 39288.0;
        assert_eq!((work.flops, work.bytes()), (2.0 * 39288.0 * 128.0, moved));
        let forward = [
            ("[6480]", half),
            ("[6]", long),
            ("[7]", "int"),
            ("648", scalar),
            ("[7]", long),
            ("[73087]", long),
            ("[6145]", long),
            ("0", scalar),
        ];
        let name = "fbgemm::split_embedding_codegen_forward_cpu";
        let work = (formula(name).unwrap().work)(&call(name, &forward)).unwrap();
        // 1024 bags of tables that are 108 wide on average.
        let moved = 2.0 * 6480.0 + 8.0 * (73087.0 + 6145.0) + 4.0 * 1024.0 * 648.0;
        assert_eq!((work.flops, work.bytes()), (73087.0 * 108.0, moved));
    }

    #[test]
    fn names_of_generated_operators_are_known() {
        for known in [
            "fbgemm::dense_embedding_codegen_lookup_function",
            "fbgemm::split_embedding_backward_codegen_adam_unweighted_exact_cuda",
            "fbgemm::split_embedding_codegen_forward_unweighted_cuda",
            "fbgemm::split_embedding_codegen_lookup_sgd_function_pt2",
        ] {
            assert!(formula(known).is_some(), "{known}");
        }
        assert!(formula("fbgemm::int_nbit_split_embedding_codegen_lookup_function").is_none());
        assert_eq!(
            ["sgd", "adam", "rowwise_adagrad", "partial_rowwise_lamb"].map(state),
            [[0.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
        );
    }

    #[test]
    fn bags_by_hand() {
        let (table, long) = (("[100,8]", "float"), "long int");
        let no = ("False", "Scalar");
        let table_test: &[Example<'_>] = &[
            // 30 rows of 8 floats to 5 bags; 30 bags of indices and 5 sizes.
            (
                bag,
                &[table, ("[30]", long), ("[5]", long), no, ("0", "Scalar"), no, NONE, no, ("-1", "Scalar")],
                240.0,
                960.0 + 240.0 + 40.0 + 160.0 + 240.0 + 40.0,
            ),
        ];
        check(table_test);
        let backward = call(
            "aten::_embedding_bag_dense_backward",
            &[
                ("[5,8]", "float"),
                ("[30]", long),
                ("[30]", long),
                ("[5]", long),
                ("[5]", long),
                ("100", "Scalar"),
            ],
        );
        let work = bag_backward(&backward).unwrap();
        assert_eq!((work.flops, work.bytes()), (240.0, 160.0 + 480.0 + 3200.0));
    }
}
