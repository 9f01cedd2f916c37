//! Optimizers over lists of tensors: `aten::_foreach_*` and `aten::_fused_*`.
//!
//! Operations for an element, by what is computed. Adam: first moment 3 (difference, product, sum), second 4, its root
//! over the correction and epsilon 3, update 3; decay 1 in AdamW, where it scales the parameter, and 2 in Adam, where it
//! is added to the gradient; 1 for the largest second moment (AMSGrad). SGD: update 2, momentum 2, decay 2. Adagrad:
//! square and sum 2, root, epsilon and update 4, decay 2.

use super::operands::{list, stored};
use super::operations;
use super::{Call, Formula, Input, NoFormula, Tensor};
use crate::Work;

const CATEGORY: &str = "optimizer";

pub(super) const FORMULAS: &[Formula] = &[
    Formula { names: UNARY, category: CATEGORY, work: each::<1>, backward: None },
    Formula { names: BINARY, category: CATEGORY, work: each::<2>, backward: None },
    Formula { names: FUSED, category: CATEGORY, work: each::<3>, backward: None },
    Formula { names: COPIED, category: CATEGORY, work: copy, backward: None },
    Formula { names: &["aten::_foreach_zero_"], category: CATEGORY, work: zero, backward: None },
    Formula { names: &["aten::_foreach_norm"], category: CATEGORY, work: norm, backward: None },
    Formula { names: &["aten::_fused_adam_"], category: CATEGORY, work: adam::<15>, backward: None },
    Formula { names: &["aten::_fused_adamw_"], category: CATEGORY, work: adam::<14>, backward: None },
    Formula { names: &["aten::_fused_sgd_"], category: CATEGORY, work: sgd, backward: None },
    Formula { names: &["aten::_fused_adagrad_"], category: CATEGORY, work: adagrad, backward: None },
    Formula {
        names: &["aten::_amp_foreach_non_finite_check_and_unscale_"],
        category: CATEGORY,
        work: each::<1>,
        backward: None,
    },
];

const UNARY: &[&str] = &[
    "aten::_foreach_abs",
    "aten::_foreach_abs_",
    "aten::_foreach_clamp_max",
    "aten::_foreach_clamp_max_",
    "aten::_foreach_clamp_min",
    "aten::_foreach_clamp_min_",
    "aten::_foreach_exp",
    "aten::_foreach_exp_",
    "aten::_foreach_log",
    "aten::_foreach_log_",
    "aten::_foreach_neg",
    "aten::_foreach_neg_",
    "aten::_foreach_reciprocal",
    "aten::_foreach_reciprocal_",
    "aten::_foreach_rsqrt",
    "aten::_foreach_rsqrt_",
    "aten::_foreach_sigmoid",
    "aten::_foreach_sigmoid_",
    "aten::_foreach_sign",
    "aten::_foreach_sign_",
    "aten::_foreach_sqrt",
    "aten::_foreach_sqrt_",
    "aten::_foreach_tanh",
    "aten::_foreach_tanh_",
];
const BINARY: &[&str] = &[
    "aten::_foreach_add",
    "aten::_foreach_add_",
    "aten::_foreach_div",
    "aten::_foreach_div_",
    "aten::_foreach_maximum",
    "aten::_foreach_maximum_",
    "aten::_foreach_minimum",
    "aten::_foreach_minimum_",
    "aten::_foreach_mul",
    "aten::_foreach_mul_",
    "aten::_foreach_pow",
    "aten::_foreach_pow_",
    "aten::_foreach_sub",
    "aten::_foreach_sub_",
];
const FUSED: &[&str] = &[
    "aten::_foreach_addcdiv",
    "aten::_foreach_addcdiv_",
    "aten::_foreach_addcmul",
    "aten::_foreach_addcmul_",
    "aten::_foreach_lerp",
    "aten::_foreach_lerp_",
];
const COPIED: &[&str] = &["aten::_foreach_copy", "aten::_foreach_copy_"];

const NAMES: [&str; 3] = ["x", "y", "z"];

fn elements(tensors: &[Tensor]) -> f64 {
    tensors.iter().map(Tensor::elements).sum()
}

/// With the tensors of a list read or written.
fn moves(work: Work, name: &'static str, tensors: &[Tensor], written: bool) -> Result<Work, NoFormula> {
    tensors.iter().try_fold(work, |work, tensor| {
        let precision = tensor.precision()?;
        Ok(if written {
            work.writes(name, tensor.elements(), precision)
        } else {
            work.reads(name, tensor.elements(), precision)
        })
    })
}

/// The operations of the function for each element of the first list; up to `LISTS` lists are read, numbers are not
/// counted.
fn each<const LISTS: usize>(call: &Call<'_>) -> Result<Work, NoFormula> {
    let first = list(call, 0)?;
    let precision = first.first().ok_or_else(|| "the list of tensors is empty".to_owned())?.precision()?;
    let count = elements(first);
    let mut work = Work::vector(operations::of(call) * count, count, precision);
    for (index, name) in (0..LISTS).zip(NAMES) {
        if let Some(Input::List(tensors)) = call.inputs.get(index) {
            work = moves(work, name, tensors, false)?;
        }
    }
    moves(work, "output", first, true)
}

/// `_foreach_copy_(self, src)`: one operation for an element, as for `aten::copy_`.
fn copy(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (target, source) = (list(call, 0)?, list(call, 1)?);
    let precision = target.first().ok_or_else(|| "the list of tensors is empty".to_owned())?.precision()?;
    let count = elements(target);
    let work = moves(Work::vector(count, count, precision), "source", source, false)?;
    moves(work, "destination", target, true)
}

fn zero(call: &Call<'_>) -> Result<Work, NoFormula> {
    moves(Work::movement(), "output", list(call, 0)?, true)
}

/// One number for each tensor.
fn norm(call: &Call<'_>) -> Result<Work, NoFormula> {
    let tensors = list(call, 0)?;
    let precision = tensors.first().ok_or_else(|| "the list of tensors is empty".to_owned())?.precision()?;
    let count = elements(tensors);
    let work = moves(Work::vector(count, count, precision), "input", tensors, false)?;
    Ok(work.writes("output", tensors.len() as f64, precision))
}

/// What every element of the parameters takes, and the lists that are read and those that are written too.
fn updated(
    call: &Call<'_>,
    operations: f64,
    read: &[(&'static str, usize)],
    updated: &[(&'static str, usize)],
) -> Result<Work, NoFormula> {
    let parameters = list(call, 0)?;
    let precision =
        parameters.first().ok_or_else(|| "the list of tensors is empty".to_owned())?.precision()?;
    let count = elements(parameters);
    let mut work = Work::vector(operations * count, count, precision);
    for (name, index) in read.iter().chain(updated) {
        work = moves(work, name, list(call, *index)?, false)?;
    }
    for (name, index) in updated {
        work = moves(work, name, list(call, *index)?, true)?;
    }
    Ok(work)
}

/// `_fused_adam_(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, ...)`.
fn adam<const OPERATIONS: u32>(call: &Call<'_>) -> Result<Work, NoFormula> {
    let mut states = vec![("parameters", 0), ("first moments", 2), ("second moments", 3)];
    let mut operations = f64::from(OPERATIONS);
    // An empty list records no shapes.
    if matches!(call.inputs.get(4), Some(Input::List(largest)) if !largest.is_empty()) {
        states.push(("largest second moments", 4));
        operations += 1.0;
    }
    let work = updated(call, operations, &[("gradients", 1)], &states)?;
    Ok(work.reads("steps", list(call, 0)?.len() as f64, stored("fp32")?))
}

/// `_fused_sgd_(params, grads, momentum_buffers, weight_decay, momentum, lr, ...)`.
fn sgd(call: &Call<'_>) -> Result<Work, NoFormula> {
    let mut states = vec![("parameters", 0)];
    let mut operations = 2.0;
    if matches!(call.inputs.get(2), Some(Input::List(buffers)) if !buffers.is_empty()) {
        states.push(("momenta", 2));
        operations += 2.0;
    }
    let decay: f64 =
        call.scalar(3).parse().map_err(|_| "argument 3, the decay, was not recorded".to_owned())?;
    if decay != 0.0 {
        operations += 2.0;
    }
    updated(call, operations, &[("gradients", 1)], &states)
}

/// `_fused_adagrad_(params, grads, state_sums, state_steps, ...)`.
fn adagrad(call: &Call<'_>) -> Result<Work, NoFormula> {
    let work = updated(call, 8.0, &[("gradients", 1)], &[("parameters", 0), ("sums", 2)])?;
    Ok(work.reads("steps", list(call, 0)?.len() as f64, stored("fp32")?))
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::{Example, call};
    use super::*;

    #[test]
    fn by_hand() {
        let x = ("[[3,4],[8]]", "TensorList");
        let (none, number) = (("", "TensorList"), ("0.1", "Scalar"));
        // 20 elements in two tensors, of two bytes.
        let table: &[Example<'_>] = &[
            (each::<1>, &[x], 20.0, 80.0),
            (each::<2>, &[x, x, number], 20.0, 120.0),
            (each::<2>, &[x, number], 20.0, 80.0),
            (each::<3>, &[x, x, x, number], 20.0, 160.0),
            (copy, &[x, x], 20.0, 80.0),
            (zero, &[x], 0.0, 40.0),
            (norm, &[x, number], 20.0, 44.0),
            (adam::<14>, &[x, x, x, x, none, ("[[],[]]", "TensorList")], 280.0, 7.0 * 40.0 + 8.0),
            (adam::<15>, &[x, x, x, x, x, ("[[],[]]", "TensorList")], 320.0, 9.0 * 40.0 + 8.0),
            (sgd, &[x, x, none, ("0.", "Scalar"), number, number], 40.0, 3.0 * 40.0),
            (sgd, &[x, x, x, number, number, number], 120.0, 5.0 * 40.0),
            (adagrad, &[x, x, x], 160.0, 5.0 * 40.0 + 8.0),
        ];
        for (rule, arguments, flops, bytes) in table {
            let call = call("aten::test", arguments).with_list_precision("bf16".parse().unwrap());
            let work = rule(&call).unwrap();
            assert_eq!((work.flops, work.bytes()), (*flops, *bytes), "{arguments:?}");
        }
        let unrecorded = call("aten::_foreach_add_", &[none, none, number]);
        assert!(each::<2>(&unrecorded).unwrap_err().contains("not recorded"));
    }
}
