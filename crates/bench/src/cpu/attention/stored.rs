//! How keys and values are stored.

use eaves_roofline::{Every, Precision, Scale};

use super::lanes::{self, Element, Portable};
use super::tile::{Add, BLOCK, Block, add};
use crate::buffer::Buffer;
use crate::cpu::InstructionSet;
use crate::formats::minifloat::{BF16, E4M3, E5M2, FP16, Minifloat};

/// Keys and values are random numbers up to this.
pub(super) const LARGEST: f64 = 0.5;

/// A way to store keys and values. Those of eight bits share an FP32 scale for all keys, and one for all values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    Fp32,
    Fp16,
    Bf16,
    Int8,
    E4m3,
    E5m2,
}

impl Stored {
    pub(super) const ALL: [Self; 6] =
        [Self::Fp32, Self::Fp16, Self::Bf16, Self::Int8, Self::E4m3, Self::E5m2];

    pub(super) fn of(precision: &Precision) -> Option<Self> {
        Self::ALL.into_iter().find(|stored| {
            precision.name == stored.precision().name
                && (precision.scales[0].is_none() || precision.scales == stored.precision().scales)
        })
    }

    /// The precision, scale included.
    pub(super) fn precision(self) -> Precision {
        let scaled = |mut precision: Precision| {
            precision.scales[0] = Some(Scale { bits: 32.0, every: Every::Tensor });
            precision
        };
        match self {
            Self::Fp32 => Precision::FP32,
            Self::Fp16 => Precision::FP16,
            Self::Bf16 => Precision::BF16,
            Self::Int8 => scaled(Precision::INT8),
            Self::E4m3 => scaled(Precision::FP8_E4M3),
            Self::E5m2 => scaled(Precision::FP8_E5M2),
        }
    }

    /// How queries are stored: as keys are, unless these have eight bits.
    pub(super) fn queries(self) -> Precision {
        match self {
            Self::Fp16 => Precision::FP16,
            Self::Bf16 => Precision::BF16,
            Self::Fp32 | Self::Int8 | Self::E4m3 | Self::E5m2 => Precision::FP32,
        }
    }

    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Fp32 => 4,
            Self::Fp16 | Self::Bf16 => 2,
            Self::Int8 | Self::E4m3 | Self::E5m2 => 1,
        }
    }

    fn float(self) -> Option<Minifloat> {
        match self {
            Self::Fp16 => Some(FP16),
            Self::Bf16 => Some(BF16),
            Self::E4m3 => Some(E4M3),
            Self::E5m2 => Some(E5M2),
            Self::Fp32 | Self::Int8 => None,
        }
    }

    /// The scale of a tensor, which puts [`LARGEST`] on the largest number.
    pub(super) fn scale(self) -> f32 {
        let largest = match self {
            Self::Fp32 | Self::Fp16 | Self::Bf16 => return 1.0,
            Self::Int8 => 127.0,
            Self::E4m3 => E4M3.largest(),
            Self::E5m2 => E5M2.largest(),
        };
        (LARGEST / largest) as f32
    }

    /// Stores one number at this place.
    pub(super) fn put(self, to: &mut [u8], index: usize, value: f64) {
        let Some(slot) = to.get_mut(index * self.bytes()..(index + 1) * self.bytes()) else { return };
        let scaled = value / f64::from(self.scale());
        let code = match (self, self.float()) {
            (_, Some(float)) => float.encode(scaled),
            (Self::Int8, None) => (scaled.round_ties_even() as i8).cast_unsigned().into(),
            (_, None) => (scaled as f32).to_bits(),
        };
        for (slot, byte) in slot.iter_mut().zip(code.to_le_bytes()) {
            *slot = byte;
        }
    }

    /// What the number at this place means: the reference.
    pub(super) fn get(self, from: &[u8], index: usize) -> f64 {
        let bytes = from.get(index * self.bytes()..(index + 1) * self.bytes()).unwrap_or_default();
        let code = bytes.iter().rev().fold(0, |code, byte| code << 8 | u32::from(*byte));
        let value = match (self, self.float()) {
            (_, Some(float)) => float.decode(code),
            (Self::Int8, None) => f64::from((code as u8).cast_signed()),
            (_, None) => f64::from(f32::from_bits(code)),
        };
        f64::from(self.scale()) * value
    }

    /// What tiles must be multiplied by to be what they mean.
    pub(super) fn factor(self) -> f32 {
        let factor = match self {
            Self::E4m3 => <lanes::E4m3 as Element<Portable>>::FACTOR,
            Self::Fp32 | Self::Fp16 | Self::Bf16 | Self::Int8 | Self::E5m2 => 1.0,
        };
        factor * self.scale()
    }

    /// The function that adds a block, and the instructions it uses.
    pub(super) fn code(self, instructions: InstructionSet) -> (InstructionSet, Add) {
        #[cfg(target_arch = "x86_64")]
        if instructions >= InstructionSet::Avx2 {
            let add: Add = match self {
                Self::Fp32 => x86::fp32,
                Self::Fp16 => x86::fp16,
                Self::Bf16 => x86::bf16,
                Self::Int8 => x86::int8,
                Self::E4m3 => x86::e4m3,
                Self::E5m2 => x86::e5m2,
            };
            return (InstructionSet::Avx2, add);
        }
        let _no_code_of_their_own = instructions;
        let add: Add = match self {
            Self::Fp32 => add::<Portable, lanes::Fp32>,
            Self::Fp16 => add::<Portable, lanes::Fp16>,
            Self::Bf16 => add::<Portable, lanes::Bf16>,
            Self::Int8 => add::<Portable, lanes::Int8>,
            Self::E4m3 => add::<Portable, lanes::E4m3>,
            Self::E5m2 => add::<Portable, lanes::E5m2>,
        };
        (InstructionSet::Portable, add)
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::avx2::Avx2;
    use super::super::tile::Rows;
    use super::{Block, add, lanes};

    macro_rules! adds {
        ($($name:ident, $element:ident;)*) => {
            $(
                #[target_feature(enable = "avx2,fma,f16c")]
                pub(super) unsafe fn $name(rows: &mut Rows<'_>, block: &Block<'_>) {
                    // SAFETY: compiled for the instructions.
                    unsafe { add::<Avx2, lanes::$element>(rows, block) }
                }
            )*
        };
    }
    adds!(fp32, Fp32; fp16, Fp16; bf16, Bf16; int8, Int8; e4m3, E4m3; e5m2, E5m2;);
}

/// Keys and values of all heads. A head has `tokens` tokens, a multiple of [`BLOCK`].
#[derive(Debug)]
pub(super) struct Cache {
    pub(super) keys: Buffer<u8>,
    pub(super) values: Buffer<u8>,
}

/// Where element `element` of token `token` is among the keys of a head.
pub(super) fn key_place(token: usize, element: usize, dimension: usize) -> usize {
    token / 8 * 8 * dimension + 8 * element + token % 8
}

impl Cache {
    /// Block `block` of head `head`.
    pub(super) fn block(
        &self,
        head_bytes: usize,
        block_bytes: usize,
        head: usize,
        block: usize,
    ) -> Block<'_> {
        let range = head * head_bytes + block * block_bytes..head * head_bytes + (block + 1) * block_bytes;
        Block {
            keys: self.keys.get(range.clone()).unwrap_or_default(),
            values: self.values.get(range).unwrap_or_default(),
            first: block * BLOCK,
        }
    }
}
