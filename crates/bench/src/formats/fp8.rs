//! FP8: OCP 8-bit Floating Point 1.0, E4M3 and E5M2, with one FP32 scale for the tensor that puts its largest weight on the
//! largest number of the format.

use eaves_roofline::Precision;

use super::minifloat::{self, Minifloat};
use super::{Definition, Order, with_tensor_scale};

/// Either form.
pub(super) struct Fp8 {
    float: Minifloat,
    precision: Precision,
}

pub(super) static E4M3: Fp8 = Fp8 { float: minifloat::E4M3, precision: Precision::FP8_E4M3 };
pub(super) static E5M2: Fp8 = Fp8 { float: minifloat::E5M2, precision: Precision::FP8_E5M2 };

impl Definition for Fp8 {
    fn granule(&self, _order: Order) -> usize {
        32
    }

    fn precision(&self, _stride: usize) -> Precision {
        with_tensor_scale(self.precision)
    }

    fn scale_bytes(&self, _stride: usize) -> usize {
        0
    }

    fn tensor_scale(&self, largest: f64) -> Option<f32> {
        let scale = (largest / self.float.largest()) as f32;
        Some(if scale.is_normal() { scale } else { 1.0 })
    }

    fn pack(&self, values: &[f64], tensor: f64, _order: Order, codes: &mut [u8], _scales: &mut [u8]) {
        for (code, value) in codes.iter_mut().zip(values) {
            *code = self.float.encode(value / tensor) as u8;
        }
    }

    fn unpack(&self, codes: &[u8], _scales: &[u8], tensor: f64, _order: Order, values: &mut [f64]) {
        for (value, code) in values.iter_mut().zip(codes) {
            *value = tensor * self.float.decode(u32::from(*code));
        }
    }
}
