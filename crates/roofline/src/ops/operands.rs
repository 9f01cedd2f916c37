//! What formulas of vector families share: operands that may be numbers, types of results, arguments that must be there.

use super::{Call, Input, NoFormula, Tensor};
use crate::{Family, Precision};

/// A tensor or a number that takes part in elementwise work.
#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    /// Extents; a number has none.
    pub shape: &'a [u64],
    /// How it is stored.
    pub precision: Precision,
    /// Whether it is a tensor with dimensions, whose type wins over that of numbers.
    pub has_dimensions: bool,
}

/// The operand at this place. A number is one element of what recordings call `Scalar`, four bytes.
pub(super) fn value<'a>(call: &'a Call<'_>, index: usize) -> Result<Value<'a>, NoFormula> {
    match call.inputs.get(index) {
        Some(Input::Tensor(tensor)) => Ok(Value {
            shape: &tensor.shape,
            precision: tensor.precision()?,
            has_dimensions: !tensor.shape.is_empty(),
        }),
        Some(Input::Scalar(text)) => {
            let real = text.parse::<i64>().is_err() && text.parse::<f64>().is_ok();
            let precision = stored(if real { "fp32" } else { "int32" })?;
            Ok(Value { shape: &[], precision, has_dimensions: false })
        }
        Some(Input::List(_)) => Err(format!("argument {index} is a list")),
        None => Err(format!("argument {index} is missing")),
    }
}

/// The precision with this name of the catalog.
pub(super) fn stored(name: &str) -> Result<Precision, NoFormula> {
    name.parse().map_err(|error: crate::UnknownPrecision| error.to_string())
}

/// The type that PyTorch computes operands in: numbers and tensors without dimensions change it only if they are of a
/// higher kind (boolean, integer, float, complex).
pub(super) fn promoted(values: &[Value<'_>]) -> Result<Precision, NoFormula> {
    let join_all = |with_dimensions: bool| -> Result<Option<Precision>, NoFormula> {
        let mut chosen = values.iter().filter(|value| value.has_dimensions == with_dimensions);
        let Some(first) = chosen.next() else { return Ok(None) };
        chosen.try_fold(first.precision, |joined, value| join(joined, value.precision)).map(Some)
    };
    match (join_all(true)?, join_all(false)?) {
        (Some(tensor), Some(number)) if kind(number) > kind(tensor) => match kind(number) {
            // A number of Python's, recorded as a double, makes a tensor of integers one of the default type.
            Kind::Float if number.name == "fp64" => stored("fp32"),
            _ => Ok(number),
        },
        (Some(precision), _) | (None, Some(precision)) => Ok(precision),
        (None, None) => Err("there is no operand".to_owned()),
    }
}

/// Kinds of types in the order in which they win.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Boolean,
    Integer,
    Float,
    Complex,
}

pub(super) fn kind(precision: Precision) -> Kind {
    match precision.family {
        Family::Integer => Kind::Integer,
        Family::Plain if precision.name == "bool" => Kind::Boolean,
        Family::Plain if precision.name.starts_with("complex") => Kind::Complex,
        _ => Kind::Float,
    }
}

fn join(first: Precision, second: Precision) -> Result<Precision, NoFormula> {
    if kind(first) != kind(second) {
        return Ok(if kind(first) > kind(second) { first } else { second });
    }
    let (narrow, wide) =
        if first.element_bits <= second.element_bits { (first, second) } else { (second, first) };
    // Neither of FP16 and BF16 holds the other.
    if narrow.element_bits == wide.element_bits && narrow.name != wide.name && kind(wide) == Kind::Float {
        return stored("fp32");
    }
    Ok(wide)
}

/// The last tensor from this place on: where operators with an `out` argument put their result.
pub(super) fn output_argument<'a>(call: &'a Call<'_>, from: usize) -> Option<&'a Tensor> {
    call.inputs.iter().skip(from).rev().find_map(|input| match input {
        Input::Tensor(tensor) => Some(tensor),
        _ => None,
    })
}

/// The truth value at this place, which must be recorded.
pub(super) fn truth(call: &Call<'_>, index: usize) -> Result<bool, NoFormula> {
    match call.scalar(index) {
        "True" | "true" | "1" => Ok(true),
        "False" | "false" | "0" => Ok(false),
        _ => Err(format!("argument {index}, true or false, was not recorded")),
    }
}

/// The whole number at this place, which must be recorded and not negative.
pub(super) fn count(call: &Call<'_>, index: usize) -> Result<u64, NoFormula> {
    let number = call.scalar(index).trim().parse();
    number.map_err(|_| format!("argument {index}, a number, was not recorded"))
}

/// The list of extents at this place, which must be recorded.
pub(super) fn extents(call: &Call<'_>, index: usize) -> Result<Vec<u64>, NoFormula> {
    let found: Option<Vec<u64>> =
        call.integers(index).into_iter().map(|extent| u64::try_from(extent).ok()).collect();
    found
        .filter(|extents| !extents.is_empty())
        .ok_or_else(|| format!("argument {index}, a list of extents, was not recorded"))
}

/// A dimension of a tensor of this rank, counted from the end if it is negative.
pub(super) fn dimension(number: i64, rank: usize) -> Result<usize, NoFormula> {
    let rank_signed = i64::try_from(rank).unwrap_or(i64::MAX);
    let counted = if number < 0 { number + rank_signed } else { number };
    usize::try_from(counted)
        .ok()
        // A tensor without dimensions may be asked for its first.
        .filter(|dimension| *dimension < rank.max(1))
        .ok_or_else(|| format!("there is no dimension {number} in a tensor of {rank}"))
}

/// The tensors of the list at this place, whose shapes must be recorded.
pub(super) fn list<'a>(call: &'a Call<'_>, index: usize) -> Result<&'a [Tensor], NoFormula> {
    match call.inputs.get(index) {
        Some(Input::List(tensors)) => Ok(tensors),
        _ => Err(format!("the shapes of the list of tensors, argument {index}, were not recorded")),
    }
}

impl Call<'_> {
    /// With this element type for the tensors of lists, of which PyTorch records the shapes only. What copies or
    /// updates them says it: [`crate::ops::element_type_of_kernel`].
    #[must_use]
    pub fn with_list_precision(mut self, precision: Precision) -> Self {
        for input in &mut self.inputs {
            if let Input::List(tensors) = input {
                tensors.iter_mut().for_each(|tensor| {
                    tensor.precision.get_or_insert(precision);
                });
            }
        }
        self
    }
}

#[cfg(test)]
pub(super) mod testing {
    use serde_json::Value;

    use super::*;
    use crate::Work;
    use crate::ops::{Rule, formula, wrapper};

    /// A call from what PyTorch would record, in one text: `[2,3] float, 1 Scalar`; lists are `[[2],[3]] TensorList`.
    pub(crate) fn call(name: &'static str, arguments: &[(&str, &str)]) -> Call<'static> {
        let mut columns = [Vec::new(), Vec::new(), Vec::new()];
        for (value, type_name) in arguments {
            let parsed: Option<Value> = serde_json::from_str(value).ok();
            let tensor = !matches!(*type_name, "Scalar" | "ScalarList" | "");
            let (dims, concrete) = match parsed {
                Some(shape) if tensor => (shape, ""),
                _ => (Value::Array(Vec::new()), *value),
            };
            columns[0].push(dims);
            columns[1].push(Value::from(*type_name));
            columns[2].push(Value::from(concrete));
        }
        let [dims, types, concrete] = columns.map(|column| Value::Array(column).to_string());
        Call::parse(name, &dims, &types, "", &concrete).unwrap()
    }

    /// A rule, arguments, and the FLOPs and bytes of that call.
    pub(crate) type Example<'a> = (Rule, &'a [(&'a str, &'a str)], f64, f64);

    /// Compares all of them.
    pub(crate) fn check(examples: &[Example<'_>]) {
        for (rule, arguments, flops, bytes) in examples {
            assert_eq!(counted(*rule, arguments), (*flops, *bytes), "{arguments:?}");
        }
    }

    /// An operator, arguments, and the FLOPs and bytes of that call.
    pub(crate) type Named<'a> = (&'static str, &'a [(&'a str, &'a str)], f64, f64);

    /// Compares all of them, by the formulas that go by these names.
    pub(crate) fn check_named(examples: &[Named<'_>]) {
        for (name, arguments, flops, bytes) in examples {
            let found = formula(name).or_else(|| wrapper(name)).unwrap_or_else(|| panic!("{name}"));
            let work = (found.work)(&call(name, arguments)).unwrap_or_else(|why| panic!("{name}: {why}"));
            assert_eq!((work.flops, work.bytes()), (*flops, *bytes), "{name} {arguments:?}");
        }
    }

    /// FLOPs and bytes of a call.
    pub(crate) fn counted(rule: Rule, arguments: &[(&str, &str)]) -> (f64, f64) {
        let work: Work = rule(&call("aten::test", arguments)).unwrap();
        (work.flops, work.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::testing::call;
    use super::*;

    #[test]
    fn types_are_promoted_as_pytorch_does() {
        // torch.result_type of tensors made so; numbers and tensors without dimensions are marked by `[]`.
        for (first, second, expected) in [
            (("[2]", "float"), ("[2]", "c10::Half"), "fp32"),
            (("[2]", "c10::BFloat16"), ("[2]", "c10::Half"), "fp32"),
            (("[2]", "c10::BFloat16"), ("[]", "double"), "bf16"),
            (("[2]", "c10::BFloat16"), ("[]", "float"), "bf16"),
            (("[]", "float"), ("[2]", "c10::Half"), "fp16"),
            (("[2]", "long int"), ("[2]", "c10::Half"), "fp16"),
            (("[2]", "long int"), ("0.5", "Scalar"), "fp32"),
            (("[2]", "int"), ("3", "Scalar"), "int32"),
            (("[2]", "bool"), ("3", "Scalar"), "int32"),
            (("[2]", "bool"), ("[2]", "unsigned char"), "uint8"),
            (("[2]", "int"), ("[2]", "long int"), "int64"),
            (("[2]", "float"), ("[2]", "complex<float>"), "complex64"),
            (("[]", "float"), ("[]", "double"), "fp64"),
        ] {
            let call = call("aten::add", &[first, second]);
            let values = [value(&call, 0).unwrap(), value(&call, 1).unwrap()];
            assert_eq!(promoted(&values).unwrap().name, expected, "{first:?} {second:?}");
        }
    }
}
