//! What the units of a device compute in, which is not always how operands are stored.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A type of arithmetic that a device has a peak for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub enum Arithmetic {
    /// Double precision.
    Fp64,
    /// Single precision.
    Fp32,
    /// Tensor float: single-precision operands rounded to 19 bits inside the matrix unit.
    Tf32,
    /// Half precision.
    Fp16,
    /// Brain float.
    Bf16,
    /// 8-bit floats of either form.
    Fp8,
    /// 6-bit floats.
    Fp6,
    /// 4-bit floats.
    Fp4,
    /// 32-bit integers.
    Int32,
    /// 16-bit integers.
    Int16,
    /// 8-bit integers.
    Int8,
    /// 4-bit integers.
    Int4,
    /// 2-bit integers.
    Int2,
    /// Single bits.
    Int1,
}

impl Arithmetic {
    /// All of them, widest float first.
    pub const ALL: [Self; 14] = [
        Self::Fp64,
        Self::Fp32,
        Self::Tf32,
        Self::Fp16,
        Self::Bf16,
        Self::Fp8,
        Self::Fp6,
        Self::Fp4,
        Self::Int32,
        Self::Int16,
        Self::Int8,
        Self::Int4,
        Self::Int2,
        Self::Int1,
    ];

    /// The name in files and on screen.
    pub fn id(self) -> &'static str {
        match self {
            Self::Fp64 => "fp64",
            Self::Fp32 => "fp32",
            Self::Tf32 => "tf32",
            Self::Fp16 => "fp16",
            Self::Bf16 => "bf16",
            Self::Fp8 => "fp8",
            Self::Fp6 => "fp6",
            Self::Fp4 => "fp4",
            Self::Int32 => "int32",
            Self::Int16 => "int16",
            Self::Int8 => "int8",
            Self::Int4 => "int4",
            Self::Int2 => "int2",
            Self::Int1 => "int1",
        }
    }

    /// True for integers, whose operations are not FLOPs.
    pub fn is_integer(self) -> bool {
        matches!(self, Self::Int32 | Self::Int16 | Self::Int8 | Self::Int4 | Self::Int2 | Self::Int1)
    }

    /// The type with this name, in any case.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|arithmetic| arithmetic.id().eq_ignore_ascii_case(id))
    }
}

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// Which units of a device do the arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub enum Engine {
    /// Lanes that work on one element each: CUDA cores, VALU, SIMD.
    Vector,
    /// Units that multiply small matrices: tensor cores, MFMA, AMX, an NPU's array.
    Matrix,
}

impl Engine {
    /// The name in files and on screen.
    pub fn id(self) -> &'static str {
        match self {
            Self::Vector => "vector",
            Self::Matrix => "matrix",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
