//! INT8: symmetric, -127 to 127, one FP32 scale a row that puts its largest weight on 127.

use eaves_roofline::Precision;

use super::{Definition, Order, largest};

pub(super) struct Int8;

impl Definition for Int8 {
    fn granule(&self, _order: Order) -> usize {
        32
    }

    fn precision(&self, stride: usize) -> Precision {
        Precision::INT8.with_scale(stride as f64, 32.0)
    }

    fn scale_bytes(&self, stride: usize) -> usize {
        if stride > 0 { size_of::<f32>() } else { 0 }
    }

    fn pack(&self, values: &[f64], _tensor: f64, _order: Order, codes: &mut [u8], scales: &mut [u8]) {
        let exact = (largest(values) / 127.0) as f32;
        let scale = if exact.is_normal() { exact } else { 1.0 };
        for (code, value) in codes.iter_mut().zip(values) {
            let rounded = (value / f64::from(scale)).round_ties_even().clamp(-127.0, 127.0);
            *code = (rounded as i8).cast_unsigned();
        }
        if let Some(bytes) = scales.first_chunk_mut() {
            *bytes = scale.to_le_bytes();
        }
    }

    fn unpack(&self, codes: &[u8], scales: &[u8], _tensor: f64, _order: Order, values: &mut [f64]) {
        let scale = scales.first_chunk().map_or(0.0, |bytes| f64::from(f32::from_le_bytes(*bytes)));
        for (value, code) in values.iter_mut().zip(codes) {
            *value = scale * f64::from(code.cast_signed());
        }
    }
}
