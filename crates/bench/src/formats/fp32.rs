//! FP32: IEEE 754 single precision.

use eaves_roofline::Precision;

use super::{Definition, Order};

pub(super) struct Fp32;

impl Definition for Fp32 {
    fn granule(&self, _order: Order) -> usize {
        16
    }

    fn precision(&self, _stride: usize) -> Precision {
        Precision::FP32
    }

    fn scale_bytes(&self, _stride: usize) -> usize {
        0
    }

    fn pack(&self, values: &[f64], _tensor: f64, _order: Order, codes: &mut [u8], _scales: &mut [u8]) {
        for (code, value) in codes.as_chunks_mut().0.iter_mut().zip(values) {
            *code = (*value as f32).to_le_bytes();
        }
    }

    fn unpack(&self, codes: &[u8], _scales: &[u8], _tensor: f64, _order: Order, values: &mut [f64]) {
        for (value, code) in values.iter_mut().zip(codes.as_chunks().0) {
            *value = f64::from(f32::from_le_bytes(*code));
        }
    }
}
