//! Tensors as a profiler sees them, and the inputs of operators as Kineto writes them.

use std::fmt::Write;

/// Element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    BFloat16,
    Float,
    Long,
}

impl Element {
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Self::BFloat16 => 2,
            Self::Float => 4,
            Self::Long => 8,
        }
    }

    /// The number PyTorch gives the type (`c10::ScalarType`), as operators receive it.
    pub(crate) fn number(self) -> &'static str {
        match self {
            Self::BFloat16 => "15",
            Self::Float => "6",
            Self::Long => "4",
        }
    }

    /// The name of the type in records of collectives.
    pub(crate) fn scalar_type(self) -> &'static str {
        match self {
            Self::BFloat16 => "BFloat16",
            Self::Float => "Float",
            Self::Long => "Long",
        }
    }

    /// The name PyTorch records under `Input type`.
    fn name(self) -> &'static str {
        match self {
            Self::BFloat16 => "c10::BFloat16",
            Self::Float => "float",
            Self::Long => "long int",
        }
    }
}

const MAX_RANK: usize = 4;

/// Shape, strides and element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tensor {
    dims: [u64; MAX_RANK],
    strides: [u64; MAX_RANK],
    rank: usize,
    pub(crate) element: Element,
}

impl Tensor {
    /// A contiguous tensor.
    pub(crate) fn new(element: Element, dims: &[u64]) -> Self {
        let mut tensor = Self { dims: [0; MAX_RANK], strides: [0; MAX_RANK], rank: dims.len(), element };
        tensor.dims[..dims.len()].copy_from_slice(dims);
        let mut stride = 1;
        for axis in (0..dims.len()).rev() {
            tensor.strides[axis] = stride;
            stride *= dims[axis];
        }
        tensor
    }

    pub(crate) fn dims(&self) -> &[u64] {
        &self.dims[..self.rank]
    }

    pub(crate) fn strides(&self) -> &[u64] {
        &self.strides[..self.rank]
    }

    pub(crate) fn count(&self) -> u64 {
        self.dims().iter().product()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.count() * self.element.bytes()
    }

    /// The same memory with two axes exchanged.
    pub(crate) fn transpose(mut self, first: usize, second: usize) -> Self {
        self.dims.swap(first, second);
        self.strides.swap(first, second);
        self
    }

    /// The last axis cut to `size`; the strides stay those of the whole.
    pub(crate) fn narrow_last(mut self, size: u64) -> Self {
        self.dims[self.rank - 1] = size;
        self
    }

    /// The last axis of a possibly narrowed tensor split in two.
    pub(crate) fn split_last(mut self, outer: u64, inner: u64) -> Self {
        let last = self.rank - 1;
        self.dims[last] = outer;
        self.dims[last + 1] = inner;
        self.strides[last] = inner;
        self.strides[last + 1] = 1;
        self.rank += 1;
        self
    }
}

/// One input of an operator.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input<'a> {
    Tensor(Tensor),
    Tensors(&'a [Tensor]),
    Scalar(&'a str),
    Number(u64),
    List(&'a [u64]),
    Nothing,
}

impl Input<'_> {
    fn concrete(&self, text: &mut String) {
        text.push('"');
        match self {
            Self::Scalar(value) => text.push_str(value),
            Self::Number(value) => push_number(text, *value),
            Self::List(values) => push_list(text, values),
            Self::Tensor(_) | Self::Tensors(_) | Self::Nothing => {}
        }
        text.push('"');
    }

    fn type_name(&self, text: &mut String) {
        text.push('"');
        text.push_str(match self {
            Self::Tensor(tensor) => tensor.element.name(),
            Self::Tensors(_) => "TensorList",
            Self::Scalar(_) | Self::Number(_) => "Scalar",
            Self::List(_) => "ScalarList",
            Self::Nothing => "",
        });
        text.push('"');
    }

    fn per_tensor(&self, text: &mut String, part: fn(&Tensor) -> &[u64]) {
        match self {
            Self::Tensor(tensor) => push_list(text, part(tensor)),
            Self::Tensors(tensors) => {
                text.push('[');
                for (index, tensor) in tensors.iter().enumerate() {
                    if index > 0 {
                        text.push_str(", ");
                    }
                    push_list(text, part(tensor));
                }
                text.push(']');
            }
            Self::Scalar(_) | Self::Number(_) | Self::List(_) | Self::Nothing => text.push_str("[]"),
        }
    }
}

/// Appends the four arguments that describe the inputs of an operator.
pub(crate) fn push_inputs(text: &mut String, inputs: &[Input<'_>]) {
    push_each(text, "\"Concrete Inputs\": [", inputs, |input, text| input.concrete(text));
    push_each(text, ", \"Input type\": [", inputs, |input, text| input.type_name(text));
    push_each(text, ", \"Input Strides\": [", inputs, |input, text| input.per_tensor(text, Tensor::strides));
    push_each(text, ", \"Input Dims\": [", inputs, |input, text| input.per_tensor(text, Tensor::dims));
}

fn push_each(text: &mut String, key: &str, inputs: &[Input<'_>], write: impl Fn(&Input<'_>, &mut String)) {
    text.push_str(key);
    for (index, input) in inputs.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        write(input, text);
    }
    text.push(']');
}

fn push_list(text: &mut String, values: &[u64]) {
    text.push('[');
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        push_number(text, *value);
    }
    text.push(']');
}

fn push_number(text: &mut String, value: u64) {
    // Writing to a string cannot fail.
    let _ = write!(text, "{value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_written_as_kineto_does() {
        let input = Tensor::new(Element::BFloat16, &[8, 32, 64]);
        let mut text = String::new();
        push_inputs(
            &mut text,
            &[Input::Tensor(input.transpose(0, 1)), Input::Scalar("1"), Input::List(&[8, 32])],
        );
        assert_eq!(
            text,
            r#""Concrete Inputs": ["", "1", "[8, 32]"], "Input type": ["c10::BFloat16", "Scalar", "ScalarList"], "Input Strides": [[64, 2048, 1], [], []], "Input Dims": [[32, 8, 64], [], []]"#
        );
    }

    #[test]
    fn a_slice_of_a_tensor_keeps_its_strides() {
        let query = Tensor::new(Element::BFloat16, &[2, 16, 96]).narrow_last(32).split_last(4, 8);
        assert_eq!(query.dims(), [2, 16, 4, 8]);
        assert_eq!(query.strides(), [1536, 96, 8, 1]);
    }
}
