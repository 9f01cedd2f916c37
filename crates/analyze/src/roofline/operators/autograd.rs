//! Forward operators and backward functions: what the one does not say, the other may.

use eaves_model::{Ns, SliceId, StringId, Trace};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// How the engine of PyTorch's autograd names the evaluation of a backward function.
pub(super) const EVALUATION: &str = "autograd::engine::evaluate_function: ";

/// What a backward function was given: the gradient of each result of its forward operator, with the shape and type of
/// that result.
#[derive(Clone, Copy)]
struct Gradient {
    function: StringId,
    shapes: StringId,
    types: StringId,
}

/// Links between forward and backward, by sequence number. Made when first asked for: most operators have formulas that
/// need neither.
pub(super) struct Autograd {
    /// Forward operators that have a formula for their backward.
    forwards: HashMap<i64, SliceId, FixedState>,
    gradients: HashMap<i64, Gradient, FixedState>,
    /// Numbers of forward operators that were recorded without one.
    numbers: HashMap<SliceId, i64, FixedState>,
}

impl Autograd {
    /// `has_backward` says whether an operator's formula says what its backward does.
    pub(super) fn of(trace: &Trace, mut has_backward: impl FnMut(StringId) -> bool) -> Self {
        let (ops, slices) = (&trace.ops, &trace.slices);
        let mut found =
            Self { forwards: HashMap::default(), gradients: HashMap::default(), numbers: HashMap::default() };
        let (mut numbered, mut unnumbered) = (Vec::new(), Vec::new());
        for row in 0..ops.len() {
            let slice = ops.slice[row];
            let name = slices.name[slice.index()];
            let place = (slices.track[slice.index()], slices.start[slice.index()]);
            let number = ops.sequence_number[row].get();
            if ops.forward_thread[row].get().is_some_and(|thread| thread != 0) {
                if let Some(number) = number.filter(|_| ops.input_dims[row] != StringId::NONE) {
                    let (shapes, types) = (ops.input_dims[row], ops.input_types[row]);
                    found.gradients.entry(number).or_insert(Gradient { function: name, shapes, types });
                }
                continue;
            }
            match number {
                Some(number) => {
                    numbered.push((place, number));
                    if has_backward(name) {
                        found.add(trace, number, slice);
                    }
                }
                None if has_backward(name) => unnumbered.push((place, slice)),
                None => {}
            }
        }
        if !unnumbered.is_empty() {
            numbered.sort_unstable();
        }
        // Functions of C++ extensions are recorded without the number, which is the counter's at that time: the
        // operator before on the thread, if it makes no node of the graph itself, has the same.
        for (place, slice) in unnumbered {
            let before = numbered.partition_point(|(other, _)| *other < place).checked_sub(1);
            let before = before.map(|index| numbered[index]).filter(|((track, _), _)| *track == place.0);
            if let Some((_, number)) = before {
                found.numbers.insert(slice, number);
                found.add(trace, number, slice);
            }
        }
        found
    }

    /// Of several forward operators with one number the last is the one that made the node of the graph; here, the last
    /// with a formula for its backward.
    fn add(&mut self, trace: &Trace, number: i64, slice: SliceId) {
        let start = |slice: SliceId| -> Ns { trace.slices.start[slice.index()] };
        let kept = self.forwards.entry(number).or_insert(slice);
        if start(slice) >= start(*kept) {
            *kept = slice;
        }
    }

    /// The forward operator of a backward function.
    pub(super) fn forward(&self, number: i64) -> Option<SliceId> {
        self.forwards.get(&number).copied()
    }

    /// The number of a forward operator that was recorded without one.
    pub(super) fn number(&self, slice: SliceId) -> Option<i64> {
        self.numbers.get(&slice).copied()
    }

    /// Shapes and types of the gradients that the backward function of this operator was given.
    pub(super) fn gradient(&self, trace: &Trace, number: i64, operator: &str) -> Option<[StringId; 2]> {
        let gradient = self.gradients.get(&number)?;
        is_backward_of(trace.strings.get(gradient.function), operator)
            .then_some([gradient.shapes, gradient.types])
    }
}

/// Whether a backward function is of this operator, by name: `CatBackward0` is of `aten::cat`. Operators that make no node
/// of the graph have the number of one that does.
fn is_backward_of(function: &str, operator: &str) -> bool {
    if function.contains("SplitLookupFunction") || function.contains("LookupFunction_") {
        return operator.contains("embedding_codegen_lookup");
    }
    let Some((function, _)) = function.split_once("Backward") else { return false };
    let operator = operator.rsplit_once("::").map_or(operator, |(_, name)| name);
    // Neither underscores nor capitals are in both.
    let letters = |name: &str| -> String {
        name.chars().filter(|letter| *letter != '_').map(|letter| letter.to_ascii_lowercase()).collect()
    };
    let (function, operator) = (letters(function), letters(operator));
    function == operator
        || operator.starts_with("conv") && function.ends_with("convolution")
        || operator.ends_with("norm") && function.ends_with(&operator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_of_the_operators_they_are_named_after() {
        for (function, operator, expected) in [
            ("CatBackward0", "aten::cat", true),
            ("CatBackward", "aten::cat", true),
            ("CudnnConvolutionBackward", "aten::cudnn_convolution", true),
            ("CudnnConvolutionBackward", "aten::conv2d", true),
            ("ConvolutionBackward0", "aten::_convolution", true),
            ("NativeLayerNormBackward0", "aten::native_layer_norm", true),
            ("CudnnBatchNormBackward", "aten::batch_norm", true),
            ("SumBackward1", "aten::sum", true),
            ("SumBackward1", "aten::mean", false),
            ("AddmmBackward0", "aten::add", false),
            ("torch::autograd::AccumulateGrad", "aten::add", false),
            (
                "torch::autograd::CppNode<SplitLookupFunction_rowwise_adagrad_Op>",
                "fbgemm::split_embedding_codegen_lookup_rowwise_adagrad_function",
                true,
            ),
            ("torch::autograd::CppNode<SplitLookupFunction_sgd_Op>", "aten::cat", false),
        ] {
            assert_eq!(is_backward_of(function, operator), expected, "{function} {operator}");
        }
    }
}
