//! Convolutions of any rank.

use crate::{Arithmetic, Precision, Work};

mod calls;
mod gradients;

pub(super) use calls::{FORMULAS, WRAPPERS};

/// A convolution over any number of spatial axes.
///
/// Multiply-adds are counted densely, as is usual: those with the zeros of the padding too. Lists have one entry per
/// spatial axis, or one for all of them; an empty list of strides or dilations stands for ones, of paddings for zeros.
#[derive(Clone, Debug, PartialEq)]
pub struct Convolution {
    /// Inputs.
    pub batch: f64,
    /// Channels of the input.
    pub in_channels: f64,
    /// Channels of the output.
    pub out_channels: f64,
    /// Groups of channels that are convolved apart; as many as channels for a depthwise convolution.
    pub groups: f64,
    /// Spatial extents of the input.
    pub input: Vec<f64>,
    /// Spatial extents of the kernel.
    pub kernel: Vec<f64>,
    /// Steps.
    pub stride: Vec<f64>,
    /// Zeros at both ends.
    pub padding: Vec<f64>,
    /// Distances between elements of the kernel.
    pub dilation: Vec<f64>,
    /// Whether it is the transposed one, the gradient of a convolution.
    pub transposed: bool,
    /// What a transposed one adds to an end of its output.
    pub output_padding: Vec<f64>,
    /// How the input is stored.
    pub x: Precision,
    /// How the weights are stored.
    pub weight: Precision,
    /// How the output is stored.
    pub output: Precision,
    /// How the bias, one element per output channel, is stored, if there is one.
    pub bias: Option<Precision>,
    /// What it is computed in, if not in the wider of the operands' types.
    pub compute: Option<Arithmetic>,
}

impl Convolution {
    /// Spatial extents of the output; zero where the kernel does not fit.
    pub fn output_extents(&self) -> Vec<f64> {
        let at = |list: &[f64], axis: usize, usual: f64| match list {
            [one] => *one,
            _ => list.get(axis).copied().unwrap_or(usual),
        };
        let extent = |(axis, input): (usize, &f64)| {
            let kernel = at(&self.kernel, axis, 1.0);
            let stride = at(&self.stride, axis, 1.0);
            let padding = at(&self.padding, axis, 0.0);
            let reach = at(&self.dilation, axis, 1.0) * (kernel - 1.0);
            let extent: f64 = if self.transposed {
                (input - 1.0) * stride - 2.0 * padding + reach + at(&self.output_padding, axis, 0.0) + 1.0
            } else {
                ((input + 2.0 * padding - reach - 1.0) / stride).floor() + 1.0
            };
            extent.max(0.0)
        };
        self.input.iter().enumerate().map(extent).collect()
    }

    /// What the forward pass must do.
    pub fn forward(&self) -> Work {
        let mut work = self.matrix(self.macs()).reads("x", self.inputs(), self.x).reads(
            "weight",
            self.weights(),
            self.weight,
        );
        if let Some(bias) = self.bias {
            work.flops += self.outputs();
            work = work.reads("bias", self.out_channels, bias);
        }
        work.writes("output", self.outputs(), self.output)
    }

    /// What the backward pass must do for the gradients asked for: of the input, of the weights and of the bias.
    ///
    /// Each gradient is its own pass that reads the gradient of the output: none of the libraries computes two of
    /// them at once.
    pub fn backward(&self, mask: [bool; 3]) -> Work {
        let [input, weight, bias] = mask;
        let products = f64::from(u8::from(input)) + f64::from(u8::from(weight));
        let mut work = self.matrix(products * self.macs());
        if input {
            work = work
                .reads("output gradient", self.outputs(), self.output)
                .reads("weight", self.weights(), self.weight)
                .writes("x gradient", self.inputs(), self.x);
        }
        if weight {
            work = work
                .reads("output gradient", self.outputs(), self.output)
                .reads("x", self.inputs(), self.x)
                .writes("weight gradient", self.weights(), self.weight);
        }
        if bias {
            work.flops += self.outputs();
            work = work.reads("output gradient", self.outputs(), self.output).writes(
                "bias gradient",
                self.out_channels,
                self.bias.unwrap_or(self.weight),
            );
        }
        work
    }

    /// Every element of the output is a sum over the kernel and a group's input channels. A transposed one is the same
    /// seen from its input: every element of it is spread over the kernel and a group's output channels.
    fn macs(&self) -> f64 {
        let kernel: f64 = self.kernel_elements();
        if self.transposed {
            self.inputs() * kernel * (self.out_channels / self.groups)
        } else {
            self.outputs() * kernel * (self.in_channels / self.groups)
        }
    }

    fn matrix(&self, macs: f64) -> Work {
        let arithmetic = self.compute.or(self.x.product_arithmetic(&self.weight));
        Work { arithmetic, ..Work::matrix(macs, self.x) }
    }

    fn kernel_elements(&self) -> f64 {
        match self.kernel.as_slice() {
            [one] => (0..self.input.len()).map(|_| one).product(),
            list => list.iter().product(),
        }
    }

    fn inputs(&self) -> f64 {
        self.batch * self.in_channels * self.input.iter().product::<f64>()
    }

    fn outputs(&self) -> f64 {
        self.batch * self.out_channels * self.output_extents().iter().product::<f64>()
    }

    fn weights(&self) -> f64 {
        self.in_channels * self.out_channels / self.groups * self.kernel_elements()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One spatial axis by loops: (outputs, multiply-adds of one input and one output channel), the zeros of the padding
    /// counted as elements.
    fn counted([input, kernel, stride, padding, dilation]: [i32; 5]) -> (f64, f64) {
        let (mut outputs, mut macs) = (0, 0);
        let mut start = -padding;
        while start + dilation * (kernel - 1) < input + padding {
            outputs += 1;
            macs += kernel;
            start += stride;
        }
        (outputs.into(), macs.into())
    }

    /// The transposed one spreads every element of the input over the kernel: the last place it reaches is the extent.
    fn counted_transposed([input, kernel, stride, padding, dilation]: [i32; 5]) -> (f64, f64) {
        let places = (0..input).flat_map(|at| (0..kernel).map(move |tap| at * stride + tap * dilation));
        let furthest = places.clone().max().unwrap_or(-1);
        ((furthest + 1 - 2 * padding).max(0).into(), (places.count() as f64))
    }

    fn convolution(axes: &[[i32; 5]], transposed: bool) -> Convolution {
        let list = |index: usize| axes.iter().map(|axis| f64::from(axis[index])).collect();
        let fp32: Precision = "fp32".parse().expect("known");
        Convolution {
            batch: 2.0,
            in_channels: 6.0,
            out_channels: 9.0,
            groups: 3.0,
            input: list(0),
            kernel: list(1),
            stride: list(2),
            padding: list(3),
            dilation: list(4),
            transposed,
            output_padding: Vec::new(),
            x: fp32,
            weight: fp32,
            output: fp32,
            bias: None,
            compute: None,
        }
    }

    /// Every small shape of one axis, and pairs of neighboring ones as two axes.
    #[test]
    fn multiply_adds_and_extents_are_those_counted_by_loops() {
        let mut axes = Vec::new();
        for input in 1..7 {
            for kernel in 1..4 {
                for stride in 1..4 {
                    for padding in 0..3 {
                        for dilation in 1..3 {
                            axes.push([input, kernel, stride, padding, dilation]);
                        }
                    }
                }
            }
        }
        type Count = fn([i32; 5]) -> (f64, f64);
        for (transposed, count) in [(false, counted as Count), (true, counted_transposed)] {
            for pair in axes.windows(2) {
                for axes in [&pair[..1], pair] {
                    let found = convolution(axes, transposed);
                    let counts: Vec<(f64, f64)> = axes.iter().map(|axis| count(*axis)).collect();
                    let extents: Vec<f64> = counts.iter().map(|count| count.0).collect();
                    assert_eq!(found.output_extents(), extents, "{axes:?}");
                    // 2 inputs, 3 groups of 2 x 3 channels.
                    let macs: f64 =
                        2.0 * 3.0 * 2.0 * 3.0 * counts.iter().map(|count| count.1).product::<f64>();
                    assert_eq!(found.forward().macs, macs, "{axes:?}");
                    assert_eq!(found.backward([true, true, false]).macs, 2.0 * macs, "{axes:?}");
                }
            }
        }
    }

    /// The first layer of ResNet-50: 118 013 952 multiply-adds an image, as published for it.
    #[test]
    fn the_first_layer_of_a_known_network() {
        let fp16: Precision = "fp16".parse().expect("known");
        let mut first = Convolution {
            batch: 1.0,
            in_channels: 3.0,
            out_channels: 64.0,
            groups: 1.0,
            x: fp16,
            weight: fp16,
            output: fp16,
            ..convolution(&[[224, 7, 2, 3, 1], [224, 7, 2, 3, 1]], false)
        };
        let (x, weight, output) = (3.0 * 224.0 * 224.0, 64.0 * 3.0 * 49.0, 64.0 * 112.0 * 112.0);
        assert_eq!((first.forward().macs, first.forward().flops), (118_013_952.0, 236_027_904.0));
        assert_eq!(first.forward().bytes(), 2.0 * (x + weight + output));
        // No gradient of the picture is asked for.
        assert_eq!(first.backward([false, true, false]).flops, 236_027_904.0);
        assert_eq!(first.backward([false, true, false]).bytes(), 2.0 * (x + weight + output));
        first.bias = Some(fp16);
        assert_eq!(first.forward().flops, 236_027_904.0 + output);
        assert_eq!(first.forward().bytes(), 2.0 * (x + weight + output + 64.0));
        let bias = first.backward([false, false, true]);
        assert_eq!((bias.flops, bias.macs, bias.bytes()), (output, 0.0, 2.0 * (output + 64.0)));
        assert_eq!(first.backward([false; 3]).bytes(), 0.0);
    }

    #[test]
    fn lists_of_one_hold_for_all_axes() {
        let long = convolution(&[[5, 3, 2, 1, 1], [5, 3, 2, 1, 1]], false);
        let short = Convolution {
            kernel: vec![3.0],
            stride: vec![2.0],
            padding: vec![1.0],
            dilation: Vec::new(),
            ..long.clone()
        };
        assert_eq!(short.forward(), long.forward());
        let transposed = Convolution { transposed: true, output_padding: vec![1.0], ..long };
        assert_eq!(transposed.output_extents(), [10.0, 10.0]);
    }
}
