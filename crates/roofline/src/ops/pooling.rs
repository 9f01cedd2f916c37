//! Pooling of any rank: one operation for every element of a window, forward and backward; adaptive pooling adds up
//! every input once.

use super::operands::{extents, stored, truth};
use super::shape::volume;
use super::{Call, Formula, NoFormula};
use crate::Work;

const CATEGORY: &str = "pooling";

pub(super) const FORMULAS: &[Formula] = &[
    Formula { names: MAX, category: CATEGORY, work: max, backward: None },
    Formula { names: AVERAGE, category: CATEGORY, work: average, backward: None },
    Formula { names: ADAPTIVE, category: CATEGORY, work: adaptive, backward: None },
    Formula { names: MAX_BACKWARD, category: CATEGORY, work: max_backward, backward: None },
    Formula { names: AVERAGE_BACKWARD, category: CATEGORY, work: average_backward, backward: None },
    Formula { names: ADAPTIVE_BACKWARD, category: CATEGORY, work: adaptive_backward, backward: None },
];

/// They call the above, or `aten::mean`.
pub(super) const WRAPPERS: &[Formula] = &[
    Formula {
        names: &["aten::max_pool1d", "aten::max_pool2d", "aten::max_pool3d"],
        category: CATEGORY,
        work: max,
        backward: None,
    },
    Formula { names: &["aten::adaptive_avg_pool2d"], category: CATEGORY, work: adaptive, backward: None },
];

const MAX: &[&str] =
    &["aten::max_pool1d_with_indices", "aten::max_pool2d_with_indices", "aten::max_pool3d_with_indices"];
const AVERAGE: &[&str] = &["aten::avg_pool1d", "aten::avg_pool2d", "aten::avg_pool3d"];
const ADAPTIVE: &[&str] = &["aten::_adaptive_avg_pool2d", "aten::_adaptive_avg_pool3d"];
const MAX_BACKWARD: &[&str] =
    &["aten::max_pool2d_with_indices_backward", "aten::max_pool3d_with_indices_backward"];
const AVERAGE_BACKWARD: &[&str] = &["aten::avg_pool2d_backward", "aten::avg_pool3d_backward"];
const ADAPTIVE_BACKWARD: &[&str] =
    &["aten::_adaptive_avg_pool2d_backward", "aten::_adaptive_avg_pool3d_backward"];

/// The windows of `pool(self, kernel, stride, padding, ...)`: how many, and elements of one.
struct Windows {
    count: f64,
    size: f64,
}

impl Windows {
    /// Lists at `kernel` and behind it, a dilation if there is one, and whether extents are rounded up.
    fn new(call: &Call<'_>, kernel: usize, dilation: Option<usize>, ceil: usize) -> Result<Self, NoFormula> {
        let shape = &call.tensor(0)?.shape;
        let kernels = extents(call, kernel)?;
        // One number stands for all dimensions; no stride for that of the kernel.
        let rank = if kernels.len() == 1 { shape.len().saturating_sub(2).max(1) } else { kernels.len() };
        let spread = |list: Vec<u64>, default: &[u64]| {
            let list = if list.is_empty() { default.to_vec() } else { list };
            if list.len() == 1 { vec![list[0]; rank] } else { list }
        };
        let kernels = spread(kernels, &[1]);
        let strides = spread(extents(call, kernel + 1).unwrap_or_default(), &kernels);
        let padding = spread(extents(call, kernel + 2).unwrap_or_default(), &[0]);
        let dilation = dilation.and_then(|index| extents(call, index).ok()).unwrap_or_default();
        let dilation = spread(dilation, &[1]);
        let ceil = truth(call, ceil)?;
        let split = shape.len().checked_sub(rank);
        let same = [&strides, &padding, &dilation].iter().all(|list| list.len() == rank);
        let (Some(split), true) = (split, same) else {
            return Err(format!("a window of {rank} dimensions does not fit a tensor of {}", shape.len()));
        };
        let mut count = volume(&shape[..split]);
        for index in 0..rank {
            let reach = dilation[index].saturating_mul(kernels[index].saturating_sub(1)).saturating_add(1);
            let room = shape[split + index].saturating_add(padding[index].saturating_mul(2));
            let stride = strides[index].max(1);
            let steps = room.checked_sub(reach);
            let steps = steps.ok_or_else(|| "the window is larger than the input".to_owned())?;
            let mut along = if ceil { steps.div_ceil(stride) } else { steps / stride };
            // A window may not begin in the padding on the right.
            if ceil && along.saturating_mul(stride) >= shape[split + index].saturating_add(padding[index]) {
                along = along.saturating_sub(1);
            }
            count *= along as f64 + 1.0;
        }
        Ok(Self { count, size: volume(&kernels) })
    }
}

/// `max_pool2d_with_indices(self, kernel, stride, padding, dilation, ceil_mode)`, which writes places too.
fn max(call: &Call<'_>) -> Result<Work, NoFormula> {
    let windows = Windows::new(call, 1, Some(4), 5)?;
    let input = call.tensor(0)?;
    let precision = input.precision()?;
    Ok(Work::vector(windows.count * windows.size, windows.count, precision)
        .reads("input", input.elements(), precision)
        .writes("output", windows.count, precision)
        .writes("indices", windows.count, stored("int64")?))
}

/// `avg_pool2d(self, kernel, stride, padding, ceil_mode, ...)`.
fn average(call: &Call<'_>) -> Result<Work, NoFormula> {
    let windows = Windows::new(call, 1, None, 4)?;
    let input = call.tensor(0)?;
    let precision = input.precision()?;
    Ok(Work::vector(windows.count * windows.size, windows.count, precision)
        .reads("input", input.elements(), precision)
        .writes("output", windows.count, precision))
}

/// `_adaptive_avg_pool2d(self, output_size)`.
fn adaptive(call: &Call<'_>) -> Result<Work, NoFormula> {
    let input = call.tensor(0)?;
    let precision = input.precision()?;
    let size = extents(call, 1)?;
    let kept = input.shape.len().checked_sub(size.len());
    let kept = kept.ok_or_else(|| "the size has more dimensions than the input".to_owned())?;
    let outputs = volume(&input.shape[..kept]) * volume(&size);
    Ok(Work::vector(input.elements(), outputs, precision)
        .reads("input", input.elements(), precision)
        .writes("output", outputs, precision))
}

/// `max_pool2d_with_indices_backward(grad, self, ..., indices)`: each gradient is added to one place.
fn max_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (gradient, input) = (call.tensor(0)?, call.tensor(1)?);
    let indices = call.tensor(7)?;
    let elements = gradient.elements();
    Ok(Work::vector(elements, elements, gradient.precision()?)
        .reads("gradient", elements, gradient.precision()?)
        .reads("indices", indices.elements(), indices.precision()?)
        .writes("input gradient", input.elements(), input.precision()?))
}

/// `avg_pool2d_backward(grad, self, kernel, ...)`: each gradient is added to every element of its window.
fn average_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (gradient, input) = (call.tensor(0)?, call.tensor(1)?);
    let kernel = extents(call, 2)?;
    let rank = if kernel.len() == 1 { input.shape.len().saturating_sub(2).max(1) } else { 1 };
    let size = volume(&kernel).powi(i32::try_from(rank).unwrap_or(1));
    let elements = gradient.elements();
    Ok(Work::vector(elements * size, elements, gradient.precision()?)
        .reads("gradient", elements, gradient.precision()?)
        .writes("input gradient", input.elements(), input.precision()?))
}

fn adaptive_backward(call: &Call<'_>) -> Result<Work, NoFormula> {
    let (gradient, input) = (call.tensor(0)?, call.tensor(1)?);
    Ok(Work::vector(input.elements(), input.elements(), gradient.precision()?)
        .reads("gradient", gradient.elements(), gradient.precision()?)
        .writes("input gradient", input.elements(), input.precision()?))
}

#[cfg(test)]
mod tests {
    use super::super::operands::testing::{Example, call, check};
    use super::*;

    #[test]
    fn by_hand() {
        let bf16 = "c10::BFloat16";
        let (three, two, one) =
            (("[3, 3]", "ScalarList"), ("[2, 2]", "ScalarList"), ("[1, 1]", "ScalarList"));
        let no = ("False", "Scalar");
        let outputs = 10.0 * 64.0 * 56.0 * 56.0;
        let inputs = 4.0 * outputs;
        let table: &[Example<'_>] = &[
            (
                max,
                &[("[10,64,112,112]", bf16), three, two, one, one, no],
                9.0 * outputs,
                2.0 * inputs + 10.0 * outputs,
            ),
            (
                average,
                &[("[1,1,4,4]", "float"), two, ("[]", "ScalarList"), ("[0]", "ScalarList"), no],
                16.0,
                80.0,
            ),
            (adaptive, &[("[2,3,8,8]", "float"), one], 384.0, 4.0 * (384.0 + 6.0)),
            (
                max_backward,
                &[
                    ("[10,64,56,56]", bf16),
                    ("[10,64,112,112]", bf16),
                    three,
                    two,
                    one,
                    one,
                    no,
                    ("[10,64,56,56]", "long int"),
                ],
                outputs,
                10.0 * outputs + 2.0 * inputs,
            ),
            (average_backward, &[("[1,1,2,2]", "float"), ("[1,1,4,4]", "float"), two], 16.0, 80.0),
            (adaptive_backward, &[("[1,1,1,1]", "float"), ("[1,1,4,4]", "float")], 16.0, 68.0),
        ];
        check(table);
    }

    /// Places windows one by one, as the definition of PyTorch's documentation says.
    fn placed(extent: i64, kernel: i64, stride: i64, padding: i64, dilation: i64, ceil: bool) -> u64 {
        let mut count = 0;
        let mut start = -padding;
        loop {
            let end = start + dilation * (kernel - 1);
            let fits = end < extent + padding;
            // Rounding up lets a window reach over the end, if it begins in the input or the left padding.
            let begins = start < extent && start - stride + dilation * (kernel - 1) < extent + padding - 1;
            if !(fits || ceil && count > 0 && begins) {
                return count;
            }
            count += 1;
            start += stride;
        }
    }

    #[test]
    fn windows_are_those_of_a_walk() {
        for extent in 3..12 {
            for (kernel, stride, padding, dilation) in
                [(2, 2, 0, 1), (3, 2, 1, 1), (3, 1, 0, 1), (2, 3, 1, 1), (2, 1, 0, 2), (3, 3, 1, 1)]
            {
                for ceil in [false, true] {
                    let (shape, kernels) = (format!("[1,1,{extent}]"), format!("[{kernel}]"));
                    let (strides, paddings) = (format!("[{stride}]"), format!("[{padding}]"));
                    let (dilations, flag) = (format!("[{dilation}]"), if ceil { "True" } else { "False" });
                    let call = call(
                        "aten::max_pool1d_with_indices",
                        &[
                            (&shape, "float"),
                            (&kernels, "ScalarList"),
                            (&strides, "ScalarList"),
                            (&paddings, "ScalarList"),
                            (&dilations, "ScalarList"),
                            (flag, "Scalar"),
                        ],
                    );
                    let found = Windows::new(&call, 1, Some(4), 5).unwrap().count;
                    let walked = placed(extent, kernel, stride, padding, dilation, ceil);
                    assert_eq!(
                        found, walked as f64,
                        "{extent} {kernel} {stride} {padding} {dilation} {ceil}"
                    );
                }
            }
        }
    }
}
