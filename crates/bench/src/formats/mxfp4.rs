//! MXFP4: OCP Microscaling Formats 1.0, E2M1 elements of which 32 share a power of two (E8M0: code `e` is `2^(e - 127)`).

use eaves_roofline::Precision;

use super::minifloat::{E2M1, exponent_of, power_of_two};
use super::{Definition, Order, largest};

pub(super) struct Mxfp4;

const BLOCK: usize = 32;

/// Exponent of the largest power of two that E2M1 has: 4.
const LARGEST_EXPONENT: i32 = 2;

/// Codes of scales that are stored: 255 is NaN, and 0 is 2^-127, which is not a normal FP32 number.
const CODES: std::ops::RangeInclusive<i32> = 1..=254;

fn scale(code: u8) -> f64 {
    power_of_two(i32::from(code) - 127)
}

impl Definition for Mxfp4 {
    fn granule(&self, order: Order) -> usize {
        order.group(BLOCK)
    }

    fn precision(&self, _stride: usize) -> Precision {
        Precision::MXFP4
    }

    fn scale_bytes(&self, stride: usize) -> usize {
        stride / BLOCK
    }

    /// Section 6.3 of the specification: the power of two below the largest, over the largest power of two of the element.
    fn pack(&self, values: &[f64], _tensor: f64, order: Order, codes: &mut [u8], scales: &mut [u8]) {
        for (index, (block, byte)) in values.chunks(BLOCK).zip(scales).enumerate() {
            let exponent = exponent_of(largest(block)) - LARGEST_EXPONENT;
            *byte = (exponent + 127).clamp(*CODES.start(), *CODES.end()) as u8;
            for (element, value) in block.iter().enumerate() {
                let code = E2M1.encode(value / scale(*byte));
                order.put(BLOCK, index * BLOCK + element, codes, code);
            }
        }
    }

    fn unpack(&self, codes: &[u8], scales: &[u8], _tensor: f64, order: Order, values: &mut [f64]) {
        for (index, (block, byte)) in values.chunks_mut(BLOCK).zip(scales).enumerate() {
            for (element, value) in block.iter_mut().enumerate() {
                let code = order.get(BLOCK, index * BLOCK + element, codes);
                *value = scale(*byte) * E2M1.decode(u32::from(code));
            }
        }
    }
}
