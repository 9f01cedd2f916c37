//! Convolutions as recordings name them.

use super::Convolution;
use crate::Work;
use crate::ops::{Call, Formula, Rule, Unmodelled};

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
    formula(&["aten::_slow_conv2d_forward", "aten::slow_conv3d_forward", "aten::thnn_conv2d"], |call| {
        forward(call, &SIZED)
    }),
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

fn forward(call: &Call<'_>, places: &Places) -> Result<Work, Unmodelled> {
    Ok(parsed(call, places)?.forward())
}

fn parsed(call: &Call<'_>, places: &Places) -> Result<Convolution, Unmodelled> {
    let integers = |place: usize| call.integers(place);
    let settings = Settings {
        stride: integers(places.stride),
        padding: integers(places.padding),
        dilation: places.dilation.map(integers).unwrap_or_default(),
        output_padding: places.output_padding.map(integers).unwrap_or_default(),
        transposed: places.output_padding.is_some(),
        groups: places.groups.and_then(|place| call.number(place)),
    };
    let mut found = settings.convolution(call, 0)?;
    if let Some(bias) = places.bias.and_then(|place| call.optional(place)) {
        found.bias = Some(bias.precision()?);
    }
    Ok(found)
}

/// `(input, weight, bias, stride, padding, dilation, transposed, output padding, groups)`.
fn general(call: &Call<'_>) -> Result<Convolution, Unmodelled> {
    let mut found = Settings::from(call, 3).convolution(call, 0)?;
    found.bias = call.optional(2).map(|bias| bias.precision()).transpose()?;
    Ok(found)
}

/// `(input, weight, summand, factor, bias, stride, padding, dilation, groups)`: the summand has the output's shape.
fn added(call: &Call<'_>) -> Result<Work, Unmodelled> {
    let places = Places { bias: Some(4), stride: 5, padding: 6, dilation: Some(7), groups: Some(8), ..PLAIN };
    let summand = call.tensor(2)?;
    let mut work = forward(call, &places)?;
    work.flops += summand.elements();
    Ok(work.reads("summand", summand.stored_elements(), summand.precision()?))
}

/// `(output gradient, input, weight, bias sizes, stride, padding, dilation, transposed, output padding, groups, mask)`.
fn backward(call: &Call<'_>) -> Result<Work, Unmodelled> {
    let mut found = Settings::from(call, 4).convolution(call, 1)?;
    found.output = call.tensor(0)?.precision()?;
    let mask: [bool; 3] =
        call.flags(10).try_into().map_err(|_| "which gradients are asked for was not recorded".to_owned())?;
    Ok(found.backward(mask))
}

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
    fn convolution(self, call: &Call<'_>, place: usize) -> Result<Convolution, Unmodelled> {
        let (x, weight) = (call.tensor(place)?, call.tensor(place + 1)?);
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
        let groups = self.groups.unwrap_or(1.0);
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
        let stored = x.precision()?;
        Ok(Convolution {
            batch: batch as f64,
            in_channels: channels as f64,
            out_channels,
            groups,
            input: extents(input),
            kernel: extents(kernel),
            stride: known("a stride of", &self.stride, 1)?,
            padding: known("a padding of", &self.padding, 0)?,
            dilation: optional("a dilation of", &self.dilation, 1)?,
            transposed: self.transposed,
            output_padding: optional("an output padding of", &self.output_padding, 0)?,
            x: stored,
            weight: weight.precision()?,
            output: stored,
            bias: None,
            compute: None,
        })
    }
}
