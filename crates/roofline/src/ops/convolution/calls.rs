//! Convolutions as recordings name them.

use super::Convolution;
use super::gradients::launched;
use crate::ops::{Call, Formula, NoFormula, Rule, Tensor};
use crate::{Basis, Work};

const CATEGORY: &str = "convolution";

const fn formula(names: &'static [&'static str], work: Rule) -> Formula {
    Formula { names, category: CATEGORY, work, backward: None }
}

/// Operators inside others are here too, so that whichever owns the time has a formula.
pub(in crate::ops) const FORMULAS: &[Formula] = &[
    formula(&["aten::_convolution", "aten::convolution", "aten::convolution_overrideable"], |call| {
        general(call).map(|found| found.forward())
    }),
    formula(&["aten::convolution_backward", "aten::convolution_backward_overrideable"], backward),
    formula(&["aten::cudnn_convolution"], |call| {
        forward(
            call,
            &Places { bias: None, padding: 2, stride: 3, dilation: Some(4), groups: Some(5), ..PLAIN },
        )
    }),
    formula(&["aten::cudnn_convolution_transpose"], |call| {
        let spread = Places { bias: None, padding: 2, output_padding: Some(3), stride: 4, ..PLAIN };
        forward(call, &Places { dilation: Some(5), groups: Some(6), ..spread })
    }),
    formula(
        &[
            "aten::miopen_convolution",
            "aten::miopen_depthwise_convolution",
            "aten::mkldnn_convolution",
            "mkldnn::_convolution_pointwise",
        ],
        |call| forward(call, &Places { padding: 3, stride: 4, ..PLAIN }),
    ),
    formula(&["aten::miopen_convolution_transpose"], |call| {
        let spread = Places { padding: 3, output_padding: Some(4), stride: 5, ..PLAIN };
        forward(call, &Places { dilation: Some(6), groups: Some(7), ..spread })
    }),
    formula(&["aten::cudnn_convolution_relu", "aten::miopen_convolution_relu"], |call| forward(call, &PLAIN)),
    formula(&["aten::cudnn_convolution_add_relu", "aten::miopen_convolution_add_relu"], added),
    formula(&["aten::_conv_depthwise2d", "aten::conv_depthwise3d"], |call| {
        let mut found =
            parsed(call, &Places { bias: Some(3), stride: 4, padding: 5, dilation: Some(6), ..SIZED })?;
        found.groups = found.in_channels;
        Ok(found.forward())
    }),
    formula(&["aten::slow_conv_dilated2d", "aten::slow_conv_dilated3d"], |call| {
        forward(call, &Places { dilation: Some(6), ..SIZED })
    }),
    formula(
        &[
            "aten::_slow_conv2d_forward",
            "aten::slow_conv3d_forward",
            "aten::thnn_conv2d",
            "aten::thnn_conv2d_forward",
        ],
        |call| forward(call, &SIZED),
    ),
    formula(&["aten::thnn_conv_depthwise2d", "aten::thnn_conv_depthwise2d_forward"], |call| {
        forward(call, &Places { dilation: Some(6), ..SIZED })
    }),
    // Names that are gone since PyTorch 1.11, which has `convolution_backward` for all (`native_functions.yaml` of 1.8).
    formula(LIBRARY_BACKWARD, |call| library_backward(call, mask(call)?)),
    formula(INPUT_GRADIENT, |call| library_backward(call, [true, false, false])),
    formula(WEIGHT_GRADIENT, |call| library_backward(call, [false, true, false])),
    formula(BIAS_GRADIENT, |call| library_backward(call, [false, false, true])),
    formula(GRADIENT_FIRST, |call| gradient_first(call, mask(call)?)),
    formula(&["aten::slow_conv_transpose2d", "aten::slow_conv_transpose3d"], |call| {
        forward(call, &Places { output_padding: Some(6), dilation: Some(7), ..SIZED })
    }),
    // Apex: one stride and one padding for all axes. Their backward is recorded without arguments.
    Formula {
        names: &["ConvBiasReLU_", "ConvBias_"],
        category: CATEGORY,
        work: |call| forward(call, &Places { dilation: None, groups: None, ..PLAIN }),
        backward: Some(|call| {
            let found = parsed(call, &Places { dilation: None, groups: None, ..PLAIN })?;
            Ok(found.backward([true, true, found.bias.is_some()]))
        }),
    },
];

/// `(self, grad_output, weight, ..., output_mask)`.
const LIBRARY_BACKWARD: &[&str] = &[
    "aten::cudnn_convolution_backward",
    "aten::cudnn_convolution_transpose_backward",
    "aten::miopen_convolution_backward",
    "aten::miopen_convolution_transpose_backward",
    "aten::miopen_depthwise_convolution_backward",
    "aten::mkldnn_convolution_backward",
];
/// Inside those, with the arguments of the one around: see [`crate::ops::is_told_by`].
const INPUT_GRADIENT: &[&str] = &[
    "aten::cudnn_convolution_backward_input",
    "aten::cudnn_convolution_transpose_backward_input",
    "aten::miopen_convolution_backward_input",
    "aten::miopen_convolution_transpose_backward_input",
    "aten::miopen_depthwise_convolution_backward_input",
    "aten::mkldnn_convolution_backward_input",
];
const WEIGHT_GRADIENT: &[&str] = &[
    "aten::cudnn_convolution_backward_weight",
    "aten::cudnn_convolution_transpose_backward_weight",
    "aten::miopen_convolution_backward_weight",
    "aten::miopen_convolution_transpose_backward_weight",
    "aten::miopen_depthwise_convolution_backward_weight",
    "aten::mkldnn_convolution_backward_weights",
];
const BIAS_GRADIENT: &[&str] = &["aten::miopen_convolution_backward_bias"];
/// `(grad_output, self, weight, ..., output_mask)`.
const GRADIENT_FIRST: &[&str] = &[
    "aten::_slow_conv2d_backward",
    "aten::conv_depthwise3d_backward",
    "aten::slow_conv3d_backward",
    "aten::slow_conv_dilated2d_backward",
    "aten::slow_conv_dilated3d_backward",
    "aten::thnn_conv2d_backward",
    "aten::thnn_conv_depthwise2d_backward",
];

pub(in crate::ops) const WRAPPERS: &[Formula] = &[
    formula(&["aten::conv1d", "aten::conv2d", "aten::conv3d"], |call| forward(call, &PLAIN)),
    formula(&["aten::conv_transpose1d", "aten::conv_transpose2d", "aten::conv_transpose3d"], |call| {
        let spread = Places { output_padding: Some(5), groups: Some(6), dilation: Some(7), ..PLAIN };
        forward(call, &spread)
    }),
];

/// Places of what follows input and weights.
struct Places {
    bias: Option<usize>,
    stride: usize,
    padding: usize,
    dilation: Option<usize>,
    groups: Option<usize>,
    /// A transposed convolution has one.
    output_padding: Option<usize>,
}

/// `(input, weight, bias, stride, padding, dilation, groups)`.
const PLAIN: Places =
    Places { bias: Some(2), stride: 3, padding: 4, dilation: Some(5), groups: Some(6), output_padding: None };

/// `(input, weight, kernel, bias, stride, padding)`.
const SIZED: Places =
    Places { bias: Some(3), stride: 4, padding: 5, dilation: None, groups: None, output_padding: None };

fn forward(call: &Call<'_>, places: &Places) -> Result<Work, NoFormula> {
    Ok(parsed(call, places)?.forward())
}

fn parsed(call: &Call<'_>, places: &Places) -> Result<Convolution, NoFormula> {
    let integers = |place: usize| call.integers(place);
    let settings = Settings {
        stride: integers(places.stride),
        padding: integers(places.padding),
        dilation: places.dilation.map(integers).unwrap_or_default(),
        output_padding: places.output_padding.map(integers).unwrap_or_default(),
        transposed: places.output_padding.is_some(),
        groups: places.groups.and_then(|place| call.number(place)),
    };
    let mut found = settings.convolution(call, 0, call.output.as_ref())?;
    if let Some(bias) = places.bias.and_then(|place| call.optional(place)) {
        found.bias = Some(bias.precision()?);
    }
    Ok(found)
}

/// `(input, weight, bias, stride, padding, dilation, transposed, output padding, groups)`.
fn general(call: &Call<'_>) -> Result<Convolution, NoFormula> {
    let mut found = Settings::from(call, 3).convolution(call, 0, call.output.as_ref())?;
    found.bias = call.optional(2).map(|bias| bias.precision()).transpose()?;
    Ok(found)
}

/// `(input, weight, summand, factor, bias, stride, padding, dilation, groups)`: the summand has the output's shape.
fn added(call: &Call<'_>) -> Result<Work, NoFormula> {
    let places = Places { bias: Some(4), stride: 5, padding: 6, dilation: Some(7), groups: Some(8), ..PLAIN };
    let summand = call.tensor(2)?;
    let mut work = forward(call, &places)?;
    work.flops += summand.elements();
    Ok(work.reads("summand", summand.stored_elements(), summand.precision()?))
}

/// `(output gradient, input, weight, bias sizes, stride, padding, dilation, transposed, output padding, groups, mask)`.
fn backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (gradient, weight) = (call.tensor(0)?, call.tensor(2)?);
    let mut settings = Settings::from(call, 4);
    // PyTorch records scalars from 2.1 on. Weights begin with the channels of the output, transposed with those of the input.
    if call.scalar(7).is_empty() {
        settings.transposed = gradient.shape.get(1) != weight.shape.first();
    }
    let mut found = settings.convolution(call, 1, Some(gradient))?;
    found.output = gradient.precision()?;
    match mask(call) {
        Ok(mask) => Ok(found.backward(mask)),
        Err(reason) => {
            let mask = launched(&call.launches).ok_or(reason)?;
            Ok(found.backward(mask).on(BY_KERNELS))
        }
    }
}

const BY_KERNELS: Basis = Basis::Estimated("requested gradients inferred from kernel names");

/// Which gradients are asked for, of input, weights and bias: the last argument.
fn mask(call: &Call<'_>) -> Result<[bool; 3], NoFormula> {
    let flags = call.inputs.len().checked_sub(1).map(|last| call.flags(last)).unwrap_or_default();
    match flags.as_slice() {
        [input, weight] => Ok([*input, *weight, false]),
        [input, weight, bias] => Ok([*input, *weight, *bias]),
        _ => Err("requested gradients not recorded".to_owned()),
    }
}

/// `(self, grad_output, weight, ...)`.
fn library_backward(call: &Call<'_>, mask: [bool; 3]) -> Result<Work, NoFormula> {
    by_shapes([call.tensor(0)?, call.tensor(1)?, call.tensor(2)?], call.name.contains("transpose"), mask)
}

/// `(grad_output, self, weight, ...)`.
fn gradient_first(call: &Call<'_>, mask: [bool; 3]) -> Result<Work, NoFormula> {
    by_shapes([call.tensor(1)?, call.tensor(0)?, call.tensor(2)?], false, mask)
}

/// All that the work needs of strides and padding is what they make of the extents.
fn by_shapes(
    [x, gradient, weight]: [&Tensor; 3],
    transposed: bool,
    mask: [bool; 3],
) -> Result<Work, NoFormula> {
    let settings = Settings { transposed, ..Settings::default() };
    let mut found = settings.of(x, weight, Some(gradient))?;
    found.output = gradient.precision()?;
    Ok(found.backward(mask))
}

#[derive(Default)]
struct Settings {
    stride: Vec<i64>,
    padding: Vec<i64>,
    dilation: Vec<i64>,
    output_padding: Vec<i64>,
    transposed: bool,
    groups: Option<f64>,
}

impl Settings {
    /// `(stride, padding, dilation, transposed, output padding, groups)` from a place on.
    fn from(call: &Call<'_>, place: usize) -> Self {
        Self {
            stride: call.integers(place),
            padding: call.integers(place + 1),
            dilation: call.integers(place + 2),
            transposed: call.flag(place + 3),
            output_padding: call.integers(place + 4),
            groups: call.number(place + 5),
        }
    }

    /// The convolution of the input at a place and the weights after it.
    fn convolution(
        self,
        call: &Call<'_>,
        place: usize,
        output: Option<&Tensor>,
    ) -> Result<Convolution, NoFormula> {
        self.of(call.tensor(place)?, call.tensor(place + 1)?, output)
    }

    /// Strides and padding that were not recorded follow from the result, if that is known: all that they are needed for
    /// is its extents, and a stride of one with the right padding gives them.
    fn of(self, x: &Tensor, weight: &Tensor, output: Option<&Tensor>) -> Result<Convolution, NoFormula> {
        let extents = |shape: &[u64]| shape.iter().map(|extent| *extent as f64).collect::<Vec<f64>>();
        let [first, second, kernel @ ..] = weight.shape.as_slice() else {
            return Err(format!("weights of shape {:?} have no channels", weight.shape));
        };
        // An input without a batch is one input.
        let (batch, channels, input) = match x.shape.as_slice() {
            [batch, channels, input @ ..] if input.len() == kernel.len() => (*batch, *channels, input),
            [channels, input @ ..] if input.len() == kernel.len() => (1, *channels, input),
            shape => {
                return Err(format!("an input of shape {shape:?} does not fit weights {:?}", weight.shape));
            }
        };
        let is_recorded = !self.stride.is_empty() && !self.padding.is_empty();
        let result = output.filter(|_| !is_recorded).map(|output| output.shape.as_slice());
        let result = result.map(|shape| shape.split_at(shape.len().saturating_sub(kernel.len())));
        let groups = match (self.groups, self.transposed, result) {
            (Some(groups), ..) => groups,
            // Each output channel is made of this many input channels, each input channel goes to this many of the output.
            (None, false, _) if *second > 0 => channels as f64 / *second as f64,
            (None, true, Some(([.., made], _))) if *second > 0 => *made as f64 / *second as f64,
            _ => 1.0,
        };
        if groups.is_nan() || groups < 1.0 {
            return Err(format!("{groups} groups are none"));
        }
        let out_channels = if self.transposed { *second as f64 * groups } else { *first as f64 };
        let known = |name: &str, list: &[i64], least: i64| {
            let fits = matches!(list.len(), 1) || list.len() == kernel.len();
            if fits && list.iter().all(|number| *number >= least) {
                Ok(list.iter().map(|number| *number as f64).collect())
            } else {
                Err(format!("{name} {list:?} is none for {} axes", kernel.len()))
            }
        };
        let optional = |name: &str, list: &[i64], least: i64| {
            if list.is_empty() { Ok(Vec::new()) } else { known(name, list, least) }
        };
        let [stride, padding, dilation, output_padding] = match result {
            Some((outer, made)) => {
                if made.len() != kernel.len() || outer.last().is_none_or(|made| *made as f64 != out_channels)
                {
                    return Err(format!("a result of {outer:?} and {made:?} does not fit its weights"));
                }
                let axes = input.iter().zip(kernel).zip(made);
                let padding = axes.map(|((input, kernel), made)| {
                    let reach = *kernel as f64 - 1.0;
                    let wider = *made as f64 - *input as f64;
                    if self.transposed { (reach - wider) / 2.0 } else { (reach + wider) / 2.0 }
                });
                [vec![1.0], padding.collect(), Vec::new(), Vec::new()]
            }
            None => [
                known("a stride of", &self.stride, 1)?,
                known("a padding of", &self.padding, 0)?,
                optional("a dilation of", &self.dilation, 1)?,
                optional("an output padding of", &self.output_padding, 0)?,
            ],
        };
        let stored = x.precision()?;
        Ok(Convolution {
            batch: batch as f64,
            in_channels: channels as f64,
            out_channels,
            groups,
            input: extents(input),
            kernel: extents(kernel),
            stride,
            padding,
            dilation,
            transposed: self.transposed,
            output_padding,
            x: stored,
            weight: weight.precision()?,
            output: stored,
            bias: None,
            compute: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::operands::testing::call;

    fn counted(name: &'static str, arguments: &[(&str, &str)]) -> Result<(f64, f64), NoFormula> {
        let formula = crate::ops::formula(name).or_else(|| crate::ops::wrapper(name)).expect(name);
        (formula.work)(&call(name, arguments)).map(|work| (work.flops, work.bytes()))
    }

    /// The first layer of ResNet-50, a picture: 118 013 952 multiply-adds.
    #[test]
    fn names_of_old_recordings() {
        let (x, y, w) = (("[1,3,224,224]", "float"), ("[1,64,112,112]", "float"), ("[64,3,7,7]", "float"));
        let bytes = 4.0 * (150_528.0 + 802_816.0 + 9408.0);
        let (empty, mask) = (("", ""), ("[False, True]", ""));
        // Strides are not recorded; the gradient says what they made.
        for name in ["aten::cudnn_convolution_backward_input", "aten::cudnn_convolution_backward_weight"] {
            assert_eq!(counted(name, &[x, y, w, empty, empty]), Ok((236_027_904.0, bytes)), "{name}");
            assert!(crate::ops::is_told_by(name, "aten::cudnn_convolution_backward"));
        }
        let both = [x, y, w, empty, empty, ("[True, True]", "")];
        assert_eq!(counted("aten::cudnn_convolution_backward", &both), Ok((472_055_808.0, 2.0 * bytes)));
        assert_eq!(
            counted("aten::miopen_convolution_backward", &[x, y, w, empty, mask]),
            Ok((236_027_904.0, bytes))
        );
        assert_eq!(
            counted("aten::thnn_conv2d_backward", &[y, x, w, empty, mask]),
            Ok((236_027_904.0, bytes))
        );
        let unknown = counted("aten::cudnn_convolution_backward", &[x, y, w, empty, empty]);
        assert!(unknown.unwrap_err().contains("not recorded"));
        let bias = counted("aten::miopen_convolution_backward_bias", &[x, y, w]);
        assert_eq!(bias, Ok((802_816.0, 4.0 * (802_816.0 + 64.0))));
        assert!(!crate::ops::is_told_by("aten::convolution_backward", "aten::convolution"));
    }

    #[test]
    fn a_result_says_what_strides_and_padding_would() {
        for (name, arguments, result, flops) in [
            // By a stride of two, with zeros around.
            (
                "aten::conv2d",
                vec![("[1,3,224,224]", "float"), ("[64,3,7,7]", "float")],
                "[1,64,112,112]",
                236_027_904.0,
            ),
            // In groups: 4 of 8 channels each, to 2 of 8.
            (
                "aten::cudnn_convolution",
                vec![("[2,32,5,5]", "float"), ("[8,8,3,3]", "float")],
                "[2,8,3,3]",
                2.0 * 144.0 * 72.0,
            ),
            // Transposed, every element of the input is spread over 3 channels of 4x4.
            (
                "aten::conv_transpose2d",
                vec![("[1,6,5,5]", "float"), ("[6,3,4,4]", "float")],
                "[1,3,10,10]",
                2.0 * 150.0 * 48.0,
            ),
        ] {
            let mut recorded = call(name, &arguments);
            let formula = crate::ops::formula(name).or_else(|| crate::ops::wrapper(name)).expect(name);
            assert!((formula.work)(&recorded).is_err(), "{name}");
            recorded.output = call("x", &[(result, "float")]).tensors().next().cloned();
            let work = (formula.work)(&recorded).expect(name);
            assert_eq!(work.flops, flops, "{name}");
            let moved = recorded.tensors().chain(&recorded.output).map(|tensor| 4.0 * tensor.elements());
            assert_eq!(work.bytes(), moved.sum::<f64>(), "{name}");
        }
    }
}
