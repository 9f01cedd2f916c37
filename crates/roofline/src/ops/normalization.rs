//! Batch, layer, group and instance normalization, forward and backward.
//!
//! Counts are TraceLens': with n elements and c channels, forward 6c + 2n operations, 3n more if statistics are
//! computed; the input and the output, and for every channel the two statistics, scale and bias if there are any, and
//! two more statistics if they are computed. Unlike there, whether statistics are computed and whether there is a scale
//! and a bias is what the call says.

use super::operands::{count, extents, truth};
use super::shape::volume;
use super::{Call, Formula, NoFormula, Tensor};
use crate::Work;

const CATEGORY: &str = "normalization";

pub(super) const FORMULAS: &[Formula] = &[
    Formula { names: BATCH, category: CATEGORY, work: batch, backward: None },
    Formula { names: LAYER, category: CATEGORY, work: layer, backward: None },
    Formula { names: GROUP, category: CATEGORY, work: group, backward: None },
    Formula { names: NATIVE_GROUP, category: CATEGORY, work: native_group, backward: None },
    Formula { names: BATCH_BACKWARD, category: CATEGORY, work: batch_backward, backward: None },
    Formula { names: VENDOR_BATCH_BACKWARD, category: CATEGORY, work: vendor_batch_backward, backward: None },
    Formula { names: LAYER_BACKWARD, category: CATEGORY, work: layer_backward, backward: None },
    Formula { names: GROUP_BACKWARD, category: CATEGORY, work: group_backward, backward: None },
    Formula { names: &["primus::fused_ln_modulate"], category: CATEGORY, work: modulate, backward: None },
    Formula {
        names: &["primus::fused_ln_modulate_backward"],
        category: CATEGORY,
        work: modulate_backward,
        backward: None,
    },
];

const BATCH: &[&str] = &[
    "aten::batch_norm",
    "aten::cudnn_batch_norm",
    "aten::cudnn_instance_norm",
    "aten::instance_norm",
    "aten::miopen_batch_norm",
    "aten::miopen_instance_norm",
    "aten::native_batch_norm",
    "aten::native_instance_norm",
];
const LAYER: &[&str] =
    &["aten::cudnn_layer_norm", "aten::layer_norm", "aten::miopen_layer_norm", "aten::native_layer_norm"];
const GROUP: &[&str] = &["aiter::_groupnorm_run", "aten::group_norm"];
const NATIVE_GROUP: &[&str] =
    &["aten::cudnn_group_norm", "aten::miopen_group_norm", "aten::native_group_norm"];
const BATCH_BACKWARD: &[&str] = &[
    "aten::batch_norm_backward",
    "aten::cudnn_instance_norm_backward",
    "aten::instance_norm_backward",
    "aten::miopen_instance_norm_backward",
    "aten::native_batch_norm_backward",
    "aten::native_instance_norm_backward",
];
const VENDOR_BATCH_BACKWARD: &[&str] =
    &["aten::cudnn_batch_norm_backward", "aten::miopen_batch_norm_backward"];
const LAYER_BACKWARD: &[&str] = &[
    "aten::cudnn_layer_norm_backward",
    "aten::layer_norm_backward",
    "aten::miopen_layer_norm_backward",
    "aten::native_layer_norm_backward",
];
const GROUP_BACKWARD: &[&str] = &[
    "aten::cudnn_group_norm_backward",
    "aten::group_norm_backward",
    "aten::miopen_group_norm_backward",
    "aten::native_group_norm_backward",
];

/// What a forward pass has.
struct Forward<'a> {
    input: &'a Tensor,
    channels: f64,
    computes_statistics: bool,
    scale: Option<&'a Tensor>,
    bias: Option<&'a Tensor>,
}

impl Forward<'_> {
    fn work(&self) -> Result<Work, NoFormula> {
        let (elements, channels) = (self.input.elements(), self.channels);
        let precision = self.input.precision()?;
        let statistics = if self.computes_statistics { 3.0 * elements } else { 0.0 };
        let mut work = Work::vector(6.0 * channels + 2.0 * elements + statistics, elements, precision)
            .reads("input", elements, precision)
            .reads("statistics", 2.0 * channels, precision);
        for (name, tensor) in [("scale", self.scale), ("bias", self.bias)] {
            if tensor.is_some() {
                work = work.reads(name, channels, precision);
            }
        }
        if self.computes_statistics {
            work = work.writes("new statistics", 2.0 * channels, precision);
        }
        Ok(work.writes("output", elements, precision))
    }
}

/// The second extent.
fn channels(input: &Tensor) -> Result<f64, NoFormula> {
    input.shape.get(1).map(|extent| *extent as f64).ok_or_else(|| "the input has no channels".to_owned())
}

/// `batch_norm(input, weight, bias, running_mean, running_var, training, ...)`; for instances the flag says whether
/// statistics are those of the input. Old recordings lack it: what has a backward function is taken to be training.
fn batch(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    Forward {
        input,
        channels: channels(input)?,
        computes_statistics: truth(call, 5)
            .or_else(|reason| call.output.as_ref().map(|_| true).ok_or(reason))?,
        scale: call.optional(1),
        bias: call.optional(2),
    }
    .work()
}

/// `layer_norm(input, normalized_shape, weight, bias, eps, ...)`. The scale has the normalized shape.
fn layer(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (scale, bias) = (call.optional(2), call.optional(3));
    let channels = extents(call, 1).map(|shape| volume(&shape));
    let channels = channels.or_else(|reason| scale.map(Tensor::elements).ok_or(reason))?;
    Forward { input: call.tensor(0)?, channels, computes_statistics: true, scale, bias }.work()
}

/// `group_norm(input, num_groups, weight, bias, eps, ...)`.
fn group(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    let (scale, bias) = (call.optional(2), call.optional(3));
    Forward { input, channels: channels(input)?, computes_statistics: true, scale, bias }.work()
}

/// `native_group_norm(input, weight, bias, N, C, HxW, group, eps)`.
fn native_group(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    let (scale, bias) = (call.optional(1), call.optional(2));
    Forward { input, channels: channels(input)?, computes_statistics: true, scale, bias }.work()
}

/// What a backward pass has: 4n operations; 5n more for the gradient of the input through the statistics, 2n if that
/// gradient is not wanted, 3c if statistics are constants.
struct Backward<'a> {
    input: &'a Tensor,
    channels: f64,
    computes_statistics: bool,
    has_scale: bool,
    /// Which gradients are wanted: of the input, the scale, the bias.
    wanted: [bool; 3],
}

impl Backward<'_> {
    fn work(&self) -> Result<Work, NoFormula> {
        let (elements, channels, precision) = (self.input.elements(), self.channels, self.input.precision()?);
        let [of_input, of_scale, of_bias] = self.wanted;
        let mut flops = 4.0 * elements;
        if !self.computes_statistics {
            flops += 3.0 * channels;
        }
        if !of_input {
            flops += 2.0 * elements;
        } else if self.computes_statistics {
            flops += 5.0 * elements;
        }
        let mut work = Work::vector(flops, elements, precision).reads("output gradient", elements, precision);
        if of_input && self.computes_statistics {
            work = work.reads("input", elements, precision);
        }
        if self.computes_statistics {
            work = work.reads("statistics", channels, precision);
        }
        if self.has_scale {
            work = work.reads("scale", channels, precision);
        }
        work = work.writes("input gradient", elements, precision);
        if self.computes_statistics && of_scale {
            work = work.writes("scale gradient", channels, precision);
        }
        if self.computes_statistics && of_bias {
            work = work.writes("bias gradient", channels, precision);
        }
        Ok(work)
    }
}

/// The truth values of a list such as `[True, False]`.
pub(super) fn mask<const COUNT: usize>(call: &Call<'_>, index: usize) -> Result<[bool; COUNT], NoFormula> {
    let text = call.scalar(index).trim_matches(['[', ']', ' ']);
    let flags: Vec<bool> = text.split(',').map(|flag| flag.trim() == "True").collect();
    let unrecorded = || format!("argument {index}, the gradients that are wanted, was not recorded");
    if text.is_empty() { Err(unrecorded()) } else { flags.try_into().map_err(|_| unrecorded()) }
}

/// `native_batch_norm_backward(grad, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps,
/// output_mask)`. Training has saved statistics.
fn batch_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(1)?;
    let saved = call.optional(5).map(|mean| mean.elements() > 0.0);
    let has_scale = call.optional(2).is_some();
    Backward {
        input,
        channels: channels(input)?,
        computes_statistics: truth(call, 7).or_else(|reason| saved.ok_or(reason))?,
        has_scale,
        wanted: mask(call, 9).unwrap_or([true, has_scale, has_scale]),
    }
    .work()
}

/// `miopen_batch_norm_backward(input, grad, weight, ...)`, for training only and all gradients.
fn vendor_batch_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    Backward {
        input,
        channels: channels(input)?,
        computes_statistics: true,
        has_scale: call.optional(2).is_some(),
        wanted: [true; 3],
    }
    .work()
}

/// `native_layer_norm_backward(grad, input, normalized_shape, mean, rstd, weight, bias, output_mask)`. There is a mean for
/// every row of the normalized shape.
fn layer_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(1)?;
    let rows = call.optional(3).map(Tensor::elements).filter(|rows| *rows > 0.0);
    let channels = extents(call, 2).map(|shape| volume(&shape));
    let (has_scale, has_bias) = (call.optional(5).is_some(), call.optional(6).is_some());
    Backward {
        input,
        channels: channels.or_else(|reason| rows.map(|rows| input.elements() / rows).ok_or(reason))?,
        computes_statistics: true,
        has_scale,
        wanted: mask(call, 7).unwrap_or([true, has_scale, has_bias]),
    }
    .work()
}

/// `native_group_norm_backward(grad, input, mean, rstd, weight, N, C, HxW, group, output_mask)`.
fn group_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    Backward {
        input: call.tensor(1)?,
        channels: count(call, 6)? as f64,
        computes_statistics: true,
        has_scale: call.optional(4).is_some(),
        wanted: mask(call, 9)?,
    }
    .work()
}

/// Layer normalization with a scale and a shift for every sample, `fused_ln_modulate(x (T, B, H), scale, shift, eps)`:
/// 12 operations for an element, as TraceLens counts.
fn modulate(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (input, rows, samples, precision) = modulated(call)?;
    Ok(Work::vector(12.0 * input, input, precision)
        .reads("input", input, precision)
        .reads("scale and shift", 2.0 * samples, precision)
        .writes("output", input, precision)
        .writes("statistics", 2.0 * rows, super::operands::stored("fp32")?))
}

/// 15 operations for an element.
fn modulate_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (input, rows, samples, precision) = modulated(call)?;
    Ok(Work::vector(15.0 * input, input, precision)
        .reads("output gradient and normalised input", 2.0 * input, precision)
        .reads("statistics", 2.0 * rows, super::operands::stored("fp32")?)
        .reads("modulation gradient", samples, precision)
        .writes("input gradient", input, precision)
        .writes("scale and shift gradients", 2.0 * samples, precision))
}

/// Elements, rows, elements of one scale, type.
fn modulated(call: &Call<'_>) -> Result<(f64, f64, f64, crate::Precision), NoFormula> {
    let input = call.tensor(0)?;
    let [steps, batch, width] = input.shape.as_slice() else {
        return Err("the input has not three dimensions".to_owned());
    };
    let (steps, batch, width) = (*steps as f64, *batch as f64, *width as f64);
    Ok((input.elements(), steps * batch, batch * width, input.precision()?))
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::{Example, call, check};
    use super::*;

    const X: (&str, &str) = ("[8,16,32,32]", "float");
    const C: (&str, &str) = ("[16]", "float");
    const NONE: (&str, &str) = ("", "");
    const EPS: (&str, &str) = ("1e-05", "Scalar");
    const N: f64 = 131_072.0;

    #[test]
    fn by_hand() {
        let yes = ("True", "Scalar");
        let no = ("False", "Scalar");
        let all = ("[True, True, True]", "ScalarList");
        let first = ("[True, False, False]", "ScalarList");
        let table: &[Example<'_>] = &[
            // 6*16 + 5n; 2n and six values for a channel.
            (batch, &[X, C, C, C, C, yes, EPS, EPS], 96.0 + 5.0 * N, 4.0 * (2.0 * N + 96.0)),
            // Statistics are given: 2n, and four values.
            (batch, &[X, C, C, C, C, no, EPS, EPS], 96.0 + 2.0 * N, 4.0 * (2.0 * N + 64.0)),
            (batch, &[X, NONE, NONE, C, C, no, EPS, EPS], 96.0 + 2.0 * N, 4.0 * (2.0 * N + 32.0)),
            (
                layer,
                &[X, ("[16, 32, 32]", "ScalarList"), ("[16,32,32]", "float"), ("[16,32,32]", "float"), EPS],
                6.0 * 16384.0 + 5.0 * N,
                4.0 * (2.0 * N + 6.0 * 16384.0),
            ),
            (
                layer,
                &[X, ("[16, 32, 32]", "ScalarList"), NONE, NONE, EPS],
                6.0 * 16384.0 + 5.0 * N,
                4.0 * (2.0 * N + 4.0 * 16384.0),
            ),
            (group, &[X, ("4", "Scalar"), C, C, EPS, yes], 96.0 + 5.0 * N, 4.0 * (2.0 * N + 96.0)),
            (native_group, &[X, C, C], 96.0 + 5.0 * N, 4.0 * (2.0 * N + 96.0)),
            (batch_backward, &[X, X, C, C, C, C, C, yes, EPS, all], 9.0 * N, 4.0 * (3.0 * N + 64.0)),
            // Constant statistics: 4n + 3c; the gradient in, the gradient out, the scale.
            (batch_backward, &[X, X, C, C, C, C, C, no, EPS, first], 4.0 * N + 48.0, 4.0 * (2.0 * N + 16.0)),
            (vendor_batch_backward, &[X, X, C, NONE, NONE, C, C, EPS], 9.0 * N, 4.0 * (3.0 * N + 64.0)),
            (
                layer_backward,
                &[X, X, ("[16, 32, 32]", "ScalarList"), C, C, ("[16,32,32]", "float"), NONE, all],
                9.0 * N,
                4.0 * (3.0 * N + 4.0 * 16384.0),
            ),
            (
                layer_backward,
                &[X, X, ("[16, 32, 32]", "ScalarList"), C, C, NONE, NONE, first],
                9.0 * N,
                4.0 * (3.0 * N + 16384.0),
            ),
            (
                group_backward,
                &[X, X, C, C, C, ("8", "Scalar"), ("16", "Scalar"), ("1024", "Scalar"), ("4", "Scalar"), all],
                9.0 * N,
                4.0 * (3.0 * N + 64.0),
            ),
            (modulate, &[("[3,2,8]", "c10::BFloat16")], 12.0 * 48.0, 2.0 * (96.0 + 2.0 * 16.0) + 4.0 * 12.0),
            (
                modulate_backward,
                &[("[3,2,8]", "c10::BFloat16")],
                15.0 * 48.0,
                2.0 * (3.0 * 48.0 + 3.0 * 16.0) + 4.0 * 12.0,
            ),
        ];
        check(table);
    }

    #[test]
    fn a_flag_that_was_not_recorded_is_not_guessed() {
        let error = batch(&call("aten::batch_norm", &[X, C, C, C, C, NONE, NONE, NONE])).unwrap_err();
        assert!(error.contains("not recorded"), "{error}");
    }
}
