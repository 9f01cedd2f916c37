//! How weights are stored: codes and scales as they lie in memory, and what they mean.
//!
//! One file a format. [`Packed`] is a matrix of weights; its [`Precision`] counts exactly the bytes that it has.
//! [`Packed::dequantise_row`] is the reference of every kernel: slow, from the definition of the format.

mod bf16;
mod fp16;
mod fp32;
mod fp64;
mod fp8;
mod int4;
mod int8;
pub mod minifloat;
mod mxfp4;
mod nf4;
mod nibbles;
mod nvfp4;

use eaves_roofline::{Every, Precision, Scale};

use crate::buffer::Buffer;

pub use nf4::CODEBOOK as NF4_VALUES;
pub use nibbles::Order;

/// A format that weights are stored in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Double precision.
    Fp64,
    /// Single precision.
    Fp32,
    /// Half precision.
    Fp16,
    /// Brain float.
    Bf16,
    /// 8-bit integers, symmetric, one FP32 scale a row.
    Int8,
    /// 8-bit floats with 4 bits of exponent, one FP32 scale for the tensor.
    Fp8E4m3,
    /// 8-bit floats with 5 bits of exponent, one FP32 scale for the tensor.
    Fp8E5m2,
    /// 4-bit integers, symmetric, one FP16 scale for 32.
    Int4,
    /// 4-bit floats, one power of two for 32.
    Mxfp4,
    /// 4-bit floats, one E4M3 scale for 16, one FP32 scale for the tensor.
    Nvfp4,
    /// Quantiles of the normal distribution, the largest of 64 as FP32.
    Nf4,
}

/// Definition of a format. Row lengths are multiples of [`Definition::granule`]: the caller pads with zeros.
trait Definition: Sync {
    /// A row has a multiple of this many elements.
    fn granule(&self, order: Order) -> usize;

    /// The precision of a matrix whose rows have `stride` elements: its bytes are those that are stored.
    fn precision(&self, stride: usize) -> Precision;

    /// Bytes of the scales of a row.
    fn scale_bytes(&self, stride: usize) -> usize;

    /// The scale of the tensor, whose largest magnitude is given.
    fn tensor_scale(&self, _largest: f64) -> Option<f32> {
        None
    }

    /// Stores a row; `codes` and `scales` are zeros.
    fn pack(&self, values: &[f64], tensor: f64, order: Order, codes: &mut [u8], scales: &mut [u8]);

    /// What a row is.
    fn unpack(&self, codes: &[u8], scales: &[u8], tensor: f64, order: Order, values: &mut [f64]);
}

impl Format {
    /// All of them, widest first.
    pub const ALL: [Self; 11] = [
        Self::Fp64,
        Self::Fp32,
        Self::Fp16,
        Self::Bf16,
        Self::Int8,
        Self::Fp8E4m3,
        Self::Fp8E5m2,
        Self::Int4,
        Self::Mxfp4,
        Self::Nvfp4,
        Self::Nf4,
    ];

    fn definition(self) -> &'static dyn Definition {
        match self {
            Self::Fp64 => &fp64::Fp64,
            Self::Fp32 => &fp32::Fp32,
            Self::Fp16 => &fp16::Fp16,
            Self::Bf16 => &bf16::Bf16,
            Self::Int8 => &int8::Int8,
            Self::Fp8E4m3 => &fp8::E4M3,
            Self::Fp8E5m2 => &fp8::E5M2,
            Self::Int4 => &int4::Int4,
            Self::Mxfp4 => &mxfp4::Mxfp4,
            Self::Nvfp4 => &nvfp4::Nvfp4,
            Self::Nf4 => &nf4::Nf4,
        }
    }

    /// The format that stores such numbers. A precision without scales may be stored with those that the format needs;
    /// one with other scales than the format's is none of them.
    pub fn of(precision: &Precision) -> Option<Self> {
        Self::ALL.into_iter().find(|format| {
            let inner = precision.scales[0];
            let own = format.precision(1).scales[0];
            let same_scales = inner.is_none()
                || inner == own
                // A scale a row: whatever the row's length.
                || *format == Self::Int8
                    && matches!(inner, Some(Scale { bits: 32.0, every: Every::Elements(count) }) if count > 64.0);
            precision.name == format.name() && same_scales
        })
    }

    /// The name of its precision.
    pub fn name(self) -> &'static str {
        self.precision(1).name
    }

    /// The precision of a matrix whose rows are stored as `stride` elements, scales included.
    pub fn precision(self, stride: usize) -> Precision {
        self.definition().precision(stride.max(1))
    }

    /// Elements that a row of `columns` is stored as.
    pub fn stride(self, columns: usize, order: Order) -> usize {
        columns.next_multiple_of(self.definition().granule(order))
    }

    /// Bytes of the codes of a row.
    pub fn code_bytes(self, stride: usize) -> usize {
        (self.precision(stride).element_bits * stride as f64 / 8.0) as usize
    }

    /// Bytes of the scales of a row.
    pub fn scale_bytes(self, stride: usize) -> usize {
        self.definition().scale_bytes(stride)
    }
}

/// A matrix of weights as it is stored: the codes of all rows, behind them nothing; the scales of all rows apart.
#[derive(Debug)]
pub struct Packed {
    /// How.
    pub format: Format,
    /// Where 4-bit codes are.
    pub order: Order,
    /// Rows.
    pub rows: usize,
    /// Columns that mean something.
    pub columns: usize,
    /// Columns that are stored; what is beyond `columns` is zero.
    pub stride: usize,
    /// Codes, row after row, little-endian.
    pub codes: Buffer<u8>,
    /// Scales, row after row, little-endian.
    pub scales: Buffer<u8>,
    /// The scale of the tensor, if the format has one.
    pub tensor_scale: Option<f32>,
}

impl Packed {
    /// Stores a matrix, row after row. What is missing is zero. `None` if there is not enough memory.
    pub fn pack<T: Copy + Into<f64>>(
        format: Format,
        order: Order,
        values: &[T],
        rows: usize,
        columns: usize,
    ) -> Option<Self> {
        let (definition, stride) = (format.definition(), format.stride(columns, order));
        let (code_bytes, scale_bytes) = (format.code_bytes(stride), format.scale_bytes(stride));
        let largest = values.iter().fold(0.0, |largest: f64, value| largest.max((*value).into().abs()));
        let mut packed = Self {
            format,
            order,
            rows,
            columns,
            stride,
            codes: Buffer::zeroed(code_bytes.checked_mul(rows)?)?,
            scales: Buffer::zeroed(scale_bytes.checked_mul(rows)?)?,
            tensor_scale: definition.tensor_scale(largest),
        };
        let tensor = packed.tensor();
        let mut row = vec![0.0; stride];
        for index in 0..rows {
            let from = values.get(index * columns..).unwrap_or_default();
            let count = columns.min(from.len());
            row.fill(0.0);
            for (to, value) in row.iter_mut().zip(from.iter().take(count)) {
                *to = (*value).into();
            }
            let codes = packed.codes.get_mut(index * code_bytes..(index + 1) * code_bytes)?;
            let scales = packed.scales.get_mut(index * scale_bytes..(index + 1) * scale_bytes)?;
            definition.pack(&row, tensor, order, codes, scales);
        }
        Some(packed)
    }

    /// What a row means, from the definition of the format: `values` has up to `stride` elements.
    pub fn dequantise_row(&self, row: usize, values: &mut [f64]) {
        let mut whole = vec![0.0; self.stride];
        let (codes, scales) = (self.row_codes(row), self.row_scales(row));
        self.format.definition().unpack(codes, scales, self.tensor(), self.order, &mut whole);
        for (to, from) in values.iter_mut().zip(whole) {
            *to = from;
        }
    }

    /// Codes of a row.
    pub fn row_codes(&self, row: usize) -> &[u8] {
        let bytes = self.format.code_bytes(self.stride);
        self.codes.get(row * bytes..(row + 1) * bytes).unwrap_or_default()
    }

    /// Scales of a row.
    pub fn row_scales(&self, row: usize) -> &[u8] {
        let bytes = self.format.scale_bytes(self.stride);
        self.scales.get(row * bytes..(row + 1) * bytes).unwrap_or_default()
    }

    /// How it is stored: of `rows * stride` elements it has [`Packed::bytes`].
    pub fn precision(&self) -> Precision {
        self.format.precision(self.stride)
    }

    /// Elements that are stored, padding included.
    pub fn elements(&self) -> usize {
        self.rows * self.stride
    }

    /// Bytes that are stored, scales included.
    pub fn bytes(&self) -> usize {
        let tensor = if self.elements() > 0 && self.tensor_scale.is_some() { size_of::<f32>() } else { 0 };
        self.codes.len() + self.scales.len() + tensor
    }

    fn tensor(&self) -> f64 {
        self.tensor_scale.map_or(1.0, f64::from)
    }
}

/// The precision with one FP32 scale for the tensor.
fn with_tensor_scale(mut precision: Precision) -> Precision {
    precision.scales[0] = Some(Scale { bits: 32.0, every: Every::Tensor });
    precision
}

/// The largest magnitude.
fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| largest.max(value.abs()))
}

/// Factors for random weights, one for each, that change from block to block: were all blocks alike, a kernel that takes the
/// scale of another block would be right.
pub(crate) fn magnitudes(seed: u64) -> impl Iterator<Item = f32> {
    const SMALLEST_BLOCK: usize = 16;
    const MAGNITUDES: [f32; 5] = [0.25, 0.5, 1.0, 2.0, 3.0];
    let mut random = fastrand::Rng::with_seed(seed);
    std::iter::repeat_with(move || MAGNITUDES[random.usize(..MAGNITUDES.len())])
        .flat_map(|magnitude| std::iter::repeat_n(magnitude, SMALLEST_BLOCK))
}

#[cfg(test)]
mod tests;
