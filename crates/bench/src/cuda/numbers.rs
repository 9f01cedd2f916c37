//! Numbers that the matrix units multiply: how each is coded.

use eaves_roofline::Precision;

use crate::formats::minifloat::{BF16, E2M1, E4M3, E5M2, FP16};

/// A type of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Fp64,
    Fp32,
    Tf32,
    Fp16,
    Bf16,
    Int8,
    E4m3,
    E5m2,
    E2m1,
}

impl Number {
    /// The name that programs have it by.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Fp64 => "fp64",
            Self::Fp32 => "fp32",
            Self::Tf32 => "tf32",
            Self::Fp16 => "fp16",
            Self::Bf16 => "bf16",
            Self::Int8 => "int8",
            Self::E4m3 => "fp8_e4m3",
            Self::E5m2 => "fp8_e5m2",
            Self::E2m1 => "nvfp4",
        }
    }

    /// How it is stored.
    pub(super) fn precision(self) -> Precision {
        match self {
            Self::Fp64 => Precision::FP64,
            Self::Fp32 | Self::Tf32 => Precision::FP32,
            Self::Fp16 => Precision::FP16,
            Self::Bf16 => Precision::BF16,
            Self::Int8 => Precision::INT8,
            Self::E4m3 => Precision::FP8_E4M3,
            Self::E5m2 => Precision::FP8_E5M2,
            Self::E2m1 => Precision::FP4,
        }
    }

    /// Bits of an element.
    pub(super) fn bits(self) -> usize {
        match self {
            Self::Fp64 => 64,
            Self::Fp32 | Self::Tf32 => 32,
            Self::Fp16 | Self::Bf16 => 16,
            Self::Int8 | Self::E4m3 | Self::E5m2 => 8,
            Self::E2m1 => 4,
        }
    }

    /// The code of the nearest number.
    pub(super) fn encode(self, value: f64) -> u64 {
        u64::from(match self {
            Self::Fp64 => return value.to_bits(),
            Self::Fp32 => (value as f32).to_bits(),
            // The lower 13 bits of FP32 are not there.
            Self::Tf32 => (value as f32).to_bits() & 0xffff_e000,
            Self::Fp16 => FP16.encode(value),
            Self::Bf16 => BF16.encode(value),
            Self::Int8 => u32::from((value.round_ties_even() as i8).cast_unsigned()),
            Self::E4m3 => E4M3.encode(value),
            Self::E5m2 => E5M2.encode(value),
            Self::E2m1 => E2M1.encode(value),
        })
    }

    /// The number of a code.
    pub(super) fn decode(self, code: u64) -> f64 {
        let short = code as u32;
        match self {
            Self::Fp64 => f64::from_bits(code),
            Self::Fp32 | Self::Tf32 => f64::from(f32::from_bits(short)),
            Self::Fp16 => FP16.decode(short),
            Self::Bf16 => BF16.decode(short),
            Self::Int8 => f64::from(short as u8 as i8),
            Self::E4m3 => E4M3.decode(short),
            Self::E5m2 => E5M2.decode(short),
            Self::E2m1 => E2M1.decode(short),
        }
    }
}

/// Rows of numbers as they are stored, padded with zeros, and what they are.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    /// Bytes of all rows.
    pub(super) bytes: Vec<u8>,
    /// What is stored, without the padding.
    pub(super) values: Vec<f64>,
    columns: usize,
}

impl Matrix {
    /// Stores numbers made by `value`, in rows of a multiple of this many bytes.
    pub(super) fn new(
        number: Number,
        rows: usize,
        columns: usize,
        pitch: usize,
        mut value: impl FnMut() -> f64,
    ) -> Self {
        let row_bytes = Self::row_bytes(number, columns, pitch);
        let mut matrix =
            Self { bytes: vec![0; rows * row_bytes], values: Vec::with_capacity(rows * columns), columns };
        for row in matrix.bytes.chunks_mut(row_bytes.max(1)).take(rows) {
            for column in 0..columns {
                let code = number.encode(value());
                matrix.values.push(number.decode(code));
                let bit = column * number.bits();
                let code_bytes = (code << (bit % 8)).to_le_bytes();
                for (to, from) in
                    row.iter_mut().skip(bit / 8).zip(code_bytes.iter().take(number.bits().div_ceil(8)))
                {
                    *to |= from;
                }
            }
        }
        matrix
    }

    /// Bytes of a row.
    pub(super) fn row_bytes(number: Number, columns: usize, pitch: usize) -> usize {
        (columns * number.bits()).div_ceil(8).next_multiple_of(pitch.max(1))
    }

    /// A row.
    pub(super) fn row(&self, row: usize) -> &[f64] {
        self.values.get(row * self.columns..(row + 1) * self.columns).unwrap_or_default()
    }

    /// Copies a row.
    pub(super) fn copy_row(&self, row: usize, to: &mut [f64]) {
        for (to, from) in to.iter_mut().zip(self.row(row)) {
            *to = *from;
        }
    }
}
