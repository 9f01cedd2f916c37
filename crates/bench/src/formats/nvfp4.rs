//! NVFP4: E2M1 elements of which 16 share an E4M3 scale, and the tensor an FP32 one, which puts the largest scale on the
//! largest E4M3 number (NVIDIA, "Introducing NVFP4 for Efficient and Accurate Low-Precision Inference").

use eaves_roofline::Precision;

use super::minifloat::{E2M1, E4M3};
use super::{Definition, Order, largest};

pub(super) struct Nvfp4;

const BLOCK: usize = 16;

impl Definition for Nvfp4 {
    fn granule(&self, order: Order) -> usize {
        order.group(BLOCK)
    }

    fn precision(&self, _stride: usize) -> Precision {
        Precision::NVFP4
    }

    fn scale_bytes(&self, stride: usize) -> usize {
        stride / BLOCK
    }

    fn tensor_scale(&self, largest: f64) -> Option<f32> {
        let scale = (largest / (E2M1.largest() * E4M3.largest())) as f32;
        Some(if scale.is_normal() { scale } else { 1.0 })
    }

    fn pack(&self, values: &[f64], tensor: f64, order: Order, codes: &mut [u8], scales: &mut [u8]) {
        for (index, (block, byte)) in values.chunks(BLOCK).zip(scales).enumerate() {
            *byte = E4M3.encode(largest(block) / E2M1.largest() / tensor) as u8;
            let scale = tensor * E4M3.decode(u32::from(*byte));
            for (element, value) in block.iter().enumerate() {
                let code = if scale > 0.0 { E2M1.encode(value / scale) } else { 0 };
                order.put(BLOCK, index * BLOCK + element, codes, code);
            }
        }
    }

    fn unpack(&self, codes: &[u8], scales: &[u8], tensor: f64, order: Order, values: &mut [f64]) {
        for (index, (block, byte)) in values.chunks_mut(BLOCK).zip(scales).enumerate() {
            let scale = tensor * E4M3.decode(u32::from(*byte));
            for (element, value) in block.iter_mut().enumerate() {
                let code = order.get(BLOCK, index * BLOCK + element, codes);
                *value = scale * E2M1.decode(u32::from(code));
            }
        }
    }
}
