//! INT4: symmetric, codes 0 to 15 mean -8 to 7, one FP16 scale for 32 that puts the largest of them on 7.

use eaves_roofline::Precision;

use super::minifloat::FP16;
use super::{Definition, Order, largest};

pub(super) struct Int4;

const BLOCK: usize = 32;

/// What code 0 means, negated.
const OFFSET: f64 = 8.0;

impl Definition for Int4 {
    fn granule(&self, order: Order) -> usize {
        order.group(BLOCK)
    }

    fn precision(&self, _stride: usize) -> Precision {
        Precision::INT4.with_scale(BLOCK as f64, 16.0)
    }

    fn scale_bytes(&self, stride: usize) -> usize {
        stride / BLOCK * size_of::<u16>()
    }

    fn pack(&self, values: &[f64], _tensor: f64, order: Order, codes: &mut [u8], scales: &mut [u8]) {
        for (index, (block, bytes)) in values.chunks(BLOCK).zip(scales.as_chunks_mut().0).enumerate() {
            let code = FP16.encode(largest(block) / 7.0) as u16;
            *bytes = code.to_le_bytes();
            let scale = FP16.decode(u32::from(code));
            for (element, value) in block.iter().enumerate() {
                let rounded = if scale > 0.0 { (value / scale).round_ties_even() } else { 0.0 };
                let code = rounded.clamp(-OFFSET, 7.0) + OFFSET;
                order.put(BLOCK, index * BLOCK + element, codes, code as u32);
            }
        }
    }

    fn unpack(&self, codes: &[u8], scales: &[u8], _tensor: f64, order: Order, values: &mut [f64]) {
        for (index, (block, bytes)) in values.chunks_mut(BLOCK).zip(scales.as_chunks().0).enumerate() {
            let scale = FP16.decode(u32::from(u16::from_le_bytes(*bytes)));
            for (element, value) in block.iter_mut().enumerate() {
                let code = order.get(BLOCK, index * BLOCK + element, codes);
                *value = scale * (f64::from(code) - OFFSET);
            }
        }
    }
}
