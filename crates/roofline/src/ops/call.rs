//! A call of an operator as a recording describes it.

use serde_json::Value;

use super::{NoFormula, Step};
use crate::Precision;

/// Why a call has no work when the recording has no shapes at all. How to record them is said once, not for each call.
pub const NO_SHAPES: &str = "its shapes were not recorded";

/// A tensor argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Extents, outermost first; empty for a tensor of one element without dimensions.
    pub shape: Vec<u64>,
    /// Distances in elements, if recorded.
    pub strides: Option<Vec<u64>>,
    /// Element type as written.
    pub type_name: String,
    /// Element type, if it is known.
    pub precision: Option<Precision>,
}

impl Tensor {
    /// Number of elements.
    pub fn elements(&self) -> f64 {
        self.shape.iter().map(|extent| *extent as f64).product()
    }

    /// Elements that have their own place in memory: what is repeated along an axis with a stride of zero is there
    /// once.
    pub fn stored_elements(&self) -> f64 {
        let strides = self.strides.iter().flatten().copied().chain(std::iter::repeat(1));
        let extents = self.shape.iter().zip(strides);
        extents
            .map(|(extent, stride)| if stride == 0 { extent.min(&1) } else { extent })
            .map(|extent| *extent as f64)
            .product()
    }

    /// The extents, for a tensor that must have `RANK` of them.
    ///
    /// # Errors
    /// If it has another number of axes.
    pub fn extents<const RANK: usize>(&self) -> Result<[f64; RANK], NoFormula> {
        let extents: Vec<f64> = self.shape.iter().map(|extent| *extent as f64).collect();
        extents.try_into().map_err(|_| format!("a tensor of shape {:?} should have {RANK} axes", self.shape))
    }

    /// The extents as a matrix, all axes but the last taken together.
    ///
    /// # Errors
    /// If it has no axis.
    pub fn rows_and_columns(&self) -> Result<[f64; 2], NoFormula> {
        let (columns, rows) = self.shape.split_last().ok_or("a matrix is a single number")?;
        Ok([rows.iter().map(|extent| *extent as f64).product(), *columns as f64])
    }

    /// The element type.
    ///
    /// # Errors
    /// If it is not in the catalog.
    pub fn precision(&self) -> Result<Precision, NoFormula> {
        self.precision.ok_or_else(|| format!("the element type `{}` is unknown", self.type_name))
    }
}

/// One argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A tensor.
    Tensor(Tensor),
    /// A list of tensors.
    List(Vec<Tensor>),
    /// Anything else, as written; empty if nothing was recorded or the argument was skipped.
    Scalar(String),
}

/// A kernel that was launched for a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch<'a> {
    /// Its name.
    pub name: &'a str,
    /// Blocks in three dimensions.
    pub grid: [u64; 3],
}

impl Launch<'_> {
    /// All blocks.
    pub(super) fn blocks(&self) -> f64 {
        self.grid.iter().map(|blocks| *blocks as f64).product()
    }
}

/// A call of an operator.
#[derive(Clone, Debug, PartialEq)]
pub struct Call<'a> {
    /// The operator.
    pub name: &'a str,
    /// Arguments in order.
    pub inputs: Vec<Input>,
    /// The step of an inference server that it was called in, if one was recorded: what attention over a paged cache
    /// must do depends on lengths that are not among its arguments.
    pub step: Option<Step>,
    /// What it launched itself, in order, for [`crate::ops::NEED_LAUNCHES`]: kernels may say what
    /// arguments do not.
    pub launches: Vec<Launch<'a>>,
    /// Its result, if the shape is known from elsewhere: the backward function of an operator is given a gradient of the
    /// same shape and type.
    pub output: Option<Tensor>,
}

impl<'a> Call<'a> {
    /// From the four lists that PyTorch records, as JSON; empty texts stand for lists that were not recorded.
    ///
    /// # Errors
    /// If no shapes were recorded, or a list is not what PyTorch writes.
    pub fn parse(
        name: &'a str,
        dims: &str,
        types: &str,
        strides: &str,
        concrete: &str,
    ) -> Result<Self, NoFormula> {
        if dims.is_empty() {
            return Err(NO_SHAPES.to_owned());
        }
        let dims = list(dims)?;
        let (types, strides, concrete) = (list(types)?, list(strides)?, list(concrete)?);
        let inputs = dims
            .iter()
            .enumerate()
            .skip(foreign(name, dims.len(), &types))
            .map(|(index, shape)| {
                let text =
                    |values: &[Value]| values.get(index).and_then(Value::as_str).unwrap_or("").to_owned();
                input(shape, &text(&types), strides.get(index), text(&concrete))
            })
            .collect();
        Ok(Self { name, inputs, step: None, launches: Vec::new(), output: None })
    }

    /// The tensor at this place.
    ///
    /// # Errors
    /// If there is none.
    pub fn tensor(&self, index: usize) -> Result<&Tensor, NoFormula> {
        match self.inputs.get(index) {
            Some(Input::Tensor(tensor)) => Ok(tensor),
            _ => Err(format!("argument {index} is not a tensor")),
        }
    }

    /// The tensor at this place, if there is one.
    pub fn optional(&self, index: usize) -> Option<&Tensor> {
        self.tensor(index).ok()
    }

    /// The text of the argument at this place; empty if it is a tensor or absent.
    pub fn scalar(&self, index: usize) -> &str {
        match self.inputs.get(index) {
            Some(Input::Scalar(text)) => text,
            _ => "",
        }
    }

    /// The truth value at this place; false unless it says `True` or `1`.
    pub fn flag(&self, index: usize) -> bool {
        matches!(self.scalar(index), "True" | "true" | "1")
    }

    /// The truth value at this place, which must have been recorded.
    ///
    /// # Errors
    /// If it was not.
    pub fn known_flag(&self, index: usize) -> Result<bool, NoFormula> {
        match self.scalar(index) {
            "True" | "true" | "1" => Ok(true),
            "False" | "false" | "0" => Ok(false),
            _ => Err(format!("argument {index} should be true or false")),
        }
    }

    /// The truth values of the list at this place: `[True, True, False]`.
    pub fn flags(&self, index: usize) -> Vec<bool> {
        let text = self.scalar(index).trim_matches(['[', ']', '(', ')', ' ']);
        text.split(',')
            .filter(|flag| !flag.is_empty())
            .map(|flag| matches!(flag.trim(), "True" | "true" | "1"))
            .collect()
    }

    /// The number at this place.
    pub fn number(&self, index: usize) -> Option<f64> {
        self.scalar(index).parse().ok()
    }

    /// The element type that the number at this place stands for.
    pub fn element_type(&self, index: usize) -> Option<Precision> {
        self.scalar(index).parse().ok().and_then(Precision::from_torch_number)
    }

    /// The whole numbers of the list or number at this place: `[2, 2]`, `2`. Empty if there are none.
    pub fn integers(&self, index: usize) -> Vec<i64> {
        let text = self.scalar(index).trim_matches(['[', ']', '(', ')', ' ']);
        text.split(',').filter_map(|number| number.trim().parse().ok()).collect()
    }

    /// All tensors, those of lists included.
    pub fn tensors(&self) -> impl Iterator<Item = &Tensor> {
        self.inputs.iter().flat_map(|input| match input {
            Input::Tensor(tensor) => std::slice::from_ref(tensor),
            Input::List(tensors) => tensors.as_slice(),
            Input::Scalar(_) => &[],
        })
    }
}

/// Operators with a fixed number of arguments, and that of their longest overload: the one with an `out` argument.
const ARGUMENTS: &[(&str, usize, usize)] = &[
    // tidy-alphabetical-start
    ("aten::abs", 1, 2),
    ("aten::add", 3, 4),
    ("aten::addmm", 5, 6),
    ("aten::baddbmm", 5, 6),
    ("aten::bmm", 2, 3),
    ("aten::cat", 2, 3),
    ("aten::exp", 1, 2),
    ("aten::linear", 3, 4),
    ("aten::log", 1, 2),
    ("aten::matmul", 2, 3),
    ("aten::mm", 2, 3),
    ("aten::mul", 2, 3),
    ("aten::neg", 1, 2),
    ("aten::pow", 2, 3),
    ("aten::relu", 1, 2),
    ("aten::rsqrt", 1, 2),
    ("aten::sigmoid", 1, 2),
    ("aten::sqrt", 1, 2),
    ("aten::stack", 2, 3),
    ("aten::sub", 3, 4),
    ("aten::tanh", 1, 2),
    ("aten::where", 3, 4),
    // tidy-alphabetical-end
];

/// Operators whose first argument is a list of tensors.
const OF_LISTS: &[&str] = &["aten::cat", "aten::stack"];

/// How many of the first recorded arguments are not the operator's: TorchScript records operators with everything on its
/// stack, and their own arguments are the last.
fn foreign(name: &str, recorded: usize, types: &[Value]) -> usize {
    match ARGUMENTS.binary_search_by_key(&name, |(name, ..)| name) {
        Ok(place) if recorded > ARGUMENTS[place].2 => recorded - ARGUMENTS[place].1,
        Ok(_) if OF_LISTS.contains(&name) => {
            types.iter().position(|kind| kind.as_str() == Some("TensorList")).unwrap_or(0)
        }
        _ => 0,
    }
}

fn list(json: &str) -> Result<Vec<Value>, NoFormula> {
    if json.is_empty() {
        return Ok(Vec::new());
    }
    serde_json::from_str(json).map_err(|error| format!("its arguments cannot be read: {error}"))
}

/// An argument without its own type is a scalar or was skipped; lists of tensors carry a list of shapes.
fn input(shape: &Value, type_name: &str, strides: Option<&Value>, concrete: String) -> Input {
    let Some(entries) = shape.as_array() else { return Input::Scalar(concrete) };
    if entries.first().is_some_and(Value::is_array) {
        let strides = strides.and_then(Value::as_array);
        let tensors = entries
            .iter()
            .enumerate()
            .map(|(index, entry)| tensor(entry, type_name, strides.and_then(|strides| strides.get(index))));
        return Input::List(tensors.collect());
    }
    let scalar = matches!(type_name, "" | "Scalar" | "ScalarList" | "TensorList" | "GenericList");
    if entries.is_empty() && (scalar || !concrete.is_empty()) {
        return Input::Scalar(concrete);
    }
    Input::Tensor(tensor(shape, type_name, strides))
}

fn tensor(shape: &Value, type_name: &str, strides: Option<&Value>) -> Tensor {
    Tensor {
        shape: extents(shape),
        strides: strides.filter(|strides| strides.is_array()).map(extents),
        type_name: type_name.to_owned(),
        precision: Precision::from_torch(type_name),
    }
}

fn extents(list: &Value) -> Vec<u64> {
    list.as_array().into_iter().flatten().map(|extent| extent.as_u64().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_stack_the_last_arguments_count() {
        assert!(ARGUMENTS.is_sorted_by_key(|(name, ..)| name));
        let dims = "[[256,6948],[256],[2048,3474],[2048,3474],[]]";
        let types = r#"["float","float","float","float","Scalar"]"#;
        let power = Call::parse("aten::pow", dims, types, "", "").unwrap();
        assert_eq!(power.inputs.len(), 2);
        assert_eq!((power.tensor(0).unwrap().elements(), power.scalar(1)), (2048.0 * 3474.0, ""));
        // As many as an overload has are its own: the third is where the result goes.
        let out = r#"["float","float","float"]"#;
        assert_eq!(Call::parse("aten::mul", "[[4],[4],[4]]", out, "", "").unwrap().inputs.len(), 3);
        // A list is the first argument of its operator.
        let list = r#"["float","TensorList","Scalar"]"#;
        let cat = Call::parse("aten::cat", "[[2048,160,606],[],[]]", list, "", "").unwrap();
        assert_eq!(cat.inputs, [Input::Scalar(String::new()), Input::Scalar(String::new())]);
        // Nothing is known of the arguments of others.
        assert_eq!(Call::parse("my::op", dims, types, "", "").unwrap().inputs.len(), 5);
    }
}
