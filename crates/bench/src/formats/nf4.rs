//! NF4: quantiles of the normal distribution (Dettmers et al., "QLoRA", 2023; values as bitsandbytes has them), 64 of which
//! share the largest magnitude as FP32.

use eaves_roofline::Precision;

use super::{Definition, Order, largest};

pub(super) struct Nf4;

const BLOCK: usize = 64;

/// What is interleaved are halves of blocks, so that a group has 256 elements.
const HALF: usize = 32;

/// Meaning of each code.
pub const CODEBOOK: [f32; 16] = [
    -1.0,
    -0.696_192_8,
    -0.525_073_05,
    -0.394_917_5,
    -0.284_441_38,
    -0.184_773_43,
    -0.091_050_036,
    0.0,
    0.079_580_3,
    0.160_930_2,
    0.246_112_3,
    0.337_915_24,
    0.440_709_83,
    0.562_617,
    0.722_956_84,
    1.0,
];

/// The nearest; of two equally near ones the lower, as bitsandbytes compares with the middles.
fn encode(value: f64) -> u32 {
    let above = CODEBOOK.windows(2).filter(|pair| match pair {
        [low, high] => value > f64::midpoint(f64::from(*low), f64::from(*high)),
        _ => false,
    });
    above.count() as u32
}

impl Definition for Nf4 {
    fn granule(&self, order: Order) -> usize {
        order.group(HALF).next_multiple_of(BLOCK)
    }

    fn precision(&self, _stride: usize) -> Precision {
        Precision::NF4
    }

    fn scale_bytes(&self, stride: usize) -> usize {
        stride / BLOCK * size_of::<f32>()
    }

    fn pack(&self, values: &[f64], _tensor: f64, order: Order, codes: &mut [u8], scales: &mut [u8]) {
        for (index, (block, bytes)) in values.chunks(BLOCK).zip(scales.as_chunks_mut().0).enumerate() {
            let scale = largest(block) as f32;
            *bytes = scale.to_le_bytes();
            for (element, value) in block.iter().enumerate() {
                let relative = if scale > 0.0 { value / f64::from(scale) } else { 0.0 };
                order.put(HALF, index * BLOCK + element, codes, encode(relative));
            }
        }
    }

    fn unpack(&self, codes: &[u8], scales: &[u8], _tensor: f64, order: Order, values: &mut [f64]) {
        for (index, (block, bytes)) in values.chunks_mut(BLOCK).zip(scales.as_chunks().0).enumerate() {
            let scale = f64::from(f32::from_le_bytes(*bytes));
            for (element, value) in block.iter_mut().enumerate() {
                let code = order.get(HALF, index * BLOCK + element, codes);
                *value = scale * CODEBOOK.get(usize::from(code)).map_or(0.0, |value| f64::from(*value));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The normal distribution function by its power series.
    fn normal(x: f64) -> f64 {
        let (mut term, mut sum, mut odd) = (x, x, 1.0);
        while term.abs() > 1e-18 {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        0.5 + sum * (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt()
    }

    fn quantile(probability: f64) -> f64 {
        let (mut low, mut high) = (-4.0, 4.0);
        for _ in 0..80 {
            let middle = f64::midpoint(low, high);
            if normal(middle) < probability { low = middle } else { high = middle }
        }
        low
    }

    /// `create_normal_map` of bitsandbytes: 8 quantiles above zero and 7 below, evenly spaced in probability from
    /// 0.9677083 to a half, over the largest.
    #[test]
    fn values_are_quantiles_of_the_normal_distribution() {
        const OFFSET: f64 = 0.967_708_3;
        let evenly =
            |count: u32, index: u32| quantile(OFFSET + (0.5 - OFFSET) * f64::from(index) / f64::from(count));
        let mut values: Vec<f64> = (0..8).map(|index| evenly(8, index)).collect();
        values.extend((0..7).map(|index| -evenly(7, index)));
        values.push(0.0);
        values.sort_by(f64::total_cmp);
        let most = values[15];
        for (found, value) in CODEBOOK.iter().zip(values) {
            assert!((f64::from(*found) - value / most).abs() < 2e-7, "{found} is not {}", value / most);
        }
    }

    #[test]
    fn codes_are_the_nearest() {
        for step in -1100..=1100 {
            let value = f64::from(step) / 1000.0;
            let code = encode(value) as usize;
            let away = |code: usize| (value - f64::from(CODEBOOK[code])).abs();
            assert!((0..16).all(|other| away(code) <= away(other)), "{value}");
        }
    }
}
