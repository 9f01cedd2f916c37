//! Activations as the inner loops want them: widened or quantized, and in the order of the weights.
//!
//! Done in every call by every thread, since that is what it costs to multiply by activations that were just computed.

use eaves_roofline::Precision;

use crate::buffer::Buffer;
use crate::formats::minifloat::{BF16, FP16, half};

/// Elements of a quantized vector that share a scale.
pub(super) const BLOCK: usize = 32;

/// How activations are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    Fp64,
    Fp32,
    Fp16,
    Bf16,
    /// Given as FP32, quantized to INT8 with an FP32 scale for [`BLOCK`] elements.
    Quantised,
}

impl Given {
    pub(super) fn of(precision: &Precision) -> Option<Self> {
        let quantised = Precision::INT8.with_scale(BLOCK as f64, 32.0);
        [
            (Precision::FP64, Self::Fp64),
            (Precision::FP32, Self::Fp32),
            (Precision::FP16, Self::Fp16),
            (Precision::BF16, Self::Bf16),
            (Precision::INT8, Self::Quantised),
            (quantised, Self::Quantised),
        ]
        .into_iter()
        .find(|(known, _)| known == precision)
        .map(|(_, given)| given)
    }

    /// How they are stored before the call.
    pub(super) fn stored(self) -> Precision {
        match self {
            Self::Fp64 => Precision::FP64,
            Self::Fp32 | Self::Quantised => Precision::FP32,
            Self::Fp16 => Precision::FP16,
            Self::Bf16 => Precision::BF16,
        }
    }
}

/// The vector as it is given.
#[derive(Debug)]
pub(super) enum Vector {
    Fp64(Buffer<f64>),
    Fp32(Buffer<f32>),
    Fp16(Buffer<u16>),
    Bf16(Buffer<u16>),
}

impl Vector {
    /// Random numbers, and zeros up to `stride`.
    pub(super) fn random(
        given: Given,
        columns: usize,
        stride: usize,
        random: &mut fastrand::Rng,
    ) -> Option<Self> {
        let mut next = |index: usize| if index < columns { random.f64() - 0.5 } else { 0.0 };
        Some(match given {
            Given::Fp64 => Self::Fp64(Buffer::filled(stride, next)?),
            Given::Fp32 | Given::Quantised => Self::Fp32(Buffer::filled(stride, |index| next(index) as f32)?),
            Given::Fp16 => Self::Fp16(Buffer::filled(stride, |index| FP16.encode(next(index)) as u16)?),
            Given::Bf16 => Self::Bf16(Buffer::filled(stride, |index| BF16.encode(next(index)) as u16)?),
        })
    }

    /// What it means: the reference.
    pub(super) fn values(&self, given: Given) -> Vec<f64> {
        let values: Vec<f64> = match self {
            Self::Fp64(values) => values.to_vec(),
            Self::Fp32(values) => values.iter().map(|value| f64::from(*value)).collect(),
            Self::Fp16(codes) => codes.iter().map(|code| FP16.decode(u32::from(*code))).collect(),
            Self::Bf16(codes) => codes.iter().map(|code| BF16.decode(u32::from(*code))).collect(),
        };
        if given == Given::Quantised { quantised_by_definition(&values) } else { values }
    }
}

/// What quantized activations mean, one by one: the nearest multiple of a 127th of the largest of 32, even ones if two are
/// equally near; the quotient and the scale are FP32.
fn quantised_by_definition(values: &[f64]) -> Vec<f64> {
    let mut result = Vec::with_capacity(values.len());
    for block in values.chunks(BLOCK) {
        let largest = block.iter().fold(0.0, |largest: f64, value| largest.max(value.abs())) as f32;
        let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
        let scale = f64::from(largest / 127.0);
        result
            .extend(block.iter().map(|value| scale * f64::from((*value as f32 * inverse).round_ties_even())));
    }
    result
}

/// In which order the inner loop reads activations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(dead_code, reason = "plain loops take activations as they are")
)]
pub(super) enum Arrangement {
    /// As they are.
    Natural,
    /// Of 16 the 8 even ones, then the 8 odd ones: halves of 32-bit lanes.
    EvenOdd,
    /// Of 32 every fourth from the first, from the second, from the third, from the last: bytes of 32-bit lanes.
    Planes,
    /// Eight blocks of this many side by side ([`crate::formats::Order::Interleaved`]); of each four elements of every block
    /// what unpacking bytes to 16 bits leaves in even and odd halves: blocks 0, 1, 4, 5, then 2, 3, 6, 7.
    Pairs(usize),
    /// As above, what unpacking bytes to 32 bits leaves: blocks 0 and 4, 1 and 5, 2 and 6, 3 and 7.
    Quads(usize),
    /// Eight blocks of this many side by side, four elements of each: what 32 bytes of codes hold.
    Interleaved(usize),
}

impl Arrangement {
    /// Which element is at this place; for floats.
    fn source(self, place: usize) -> usize {
        match self {
            Self::Natural | Self::Interleaved(_) => place,
            Self::EvenOdd => place / 16 * 16 + place % 8 * 2 + place / 8 % 2,
            Self::Planes => place / 32 * 32 + place % 8 * 4 + place / 8 % 4,
            Self::Pairs(block) => {
                let (base, column, vector, lane) = self.parts(block, place);
                let (half, pair) = (lane / 4, lane % 4);
                let owner = 4 * half + pair / 2 + vector / 2 * 2;
                base + owner * block + 4 * column + pair % 2 * 2 + vector % 2
            }
            Self::Quads(block) => {
                let (base, column, vector, lane) = self.parts(block, place);
                base + (lane / 4 * 4 + vector) * block + 4 * column + lane % 4
            }
        }
    }

    /// First element of the group, column in it (32 elements), vector in that (8 elements), lane.
    fn parts(self, block: usize, place: usize) -> (usize, usize, usize, usize) {
        let group = 8 * block;
        (place / group * group, place % group / 32, place % 32 / 8, place % 8)
    }
}

/// Activations as the inner loop reads them. What a kernel does not use is empty.
#[derive(Debug)]
pub(super) struct Prepared {
    given: Given,
    arrangement: Arrangement,
    /// Where the elements of `floats` come from.
    sources: Vec<u32>,
    /// Room for natural order.
    natural: Buffer<f32>,
    pub(super) floats: Buffer<f32>,
    pub(super) doubles: Buffer<f64>,
    /// Quantised.
    pub(super) codes: Buffer<i8>,
    /// A scale for each block of the weights, or for each [`BLOCK`] where they have none.
    pub(super) scales: Buffer<f32>,
    /// Minus the sum of codes for each block of the weights, times `offset`.
    pub(super) corrections: Buffer<i32>,
    offset: i32,
}

impl Prepared {
    /// Room for `stride` activations. `offset` is what weights are stored too large by.
    pub(super) fn new(given: Given, arrangement: Arrangement, stride: usize, offset: i32) -> Option<Self> {
        let (quantised, double) = (given == Given::Quantised, given == Given::Fp64);
        let count = |wanted: bool, count: usize| if wanted { count } else { 0 };
        let block = match arrangement {
            Arrangement::Interleaved(block) => block,
            _ => BLOCK,
        };
        let moved = !quantised && !double && arrangement != Arrangement::Natural;
        Some(Self {
            given,
            arrangement,
            sources: (0..count(moved, stride))
                .map(|place| u32::try_from(arrangement.source(place)).unwrap_or_default())
                .collect(),
            natural: Buffer::zeroed(count(!double, stride))?,
            floats: Buffer::zeroed(count(!quantised && !double, stride))?,
            doubles: Buffer::zeroed(count(double, stride))?,
            codes: Buffer::zeroed(count(quantised, stride))?,
            scales: Buffer::zeroed(count(quantised, stride / block))?,
            corrections: Buffer::zeroed(count(quantised, stride / block))?,
            offset,
        })
    }

    /// Whether it was made for rows of this length.
    pub(super) fn fits(&self, stride: usize) -> bool {
        self.floats.len().max(self.doubles.len()).max(self.codes.len()) == stride
    }

    /// Prepares the vector. Inlined into functions that may use more instructions.
    #[inline(always)]
    pub(super) fn prepare(&mut self, vector: &Vector) {
        match vector {
            Vector::Fp64(values) => copy(&mut self.doubles, values),
            Vector::Fp32(values) if self.given == Given::Quantised => self.quantise(values),
            Vector::Fp32(values) if self.arrangement == Arrangement::Natural => {
                copy(&mut self.floats, values)
            }
            Vector::Fp32(values) => arrange(&mut self.floats, values, &self.sources),
            Vector::Fp16(codes) => {
                for (to, code) in self.natural.iter_mut().zip(codes.iter()) {
                    *to = half(*code);
                }
                self.arrange_natural();
            }
            Vector::Bf16(codes) => {
                for (to, code) in self.natural.iter_mut().zip(codes.iter()) {
                    *to = f32::from_bits(u32::from(*code) << 16);
                }
                self.arrange_natural();
            }
        }
    }

    #[inline(always)]
    fn arrange_natural(&mut self) {
        if self.arrangement == Arrangement::Natural {
            copy(&mut self.floats, &self.natural);
        } else {
            arrange(&mut self.floats, &self.natural, &self.sources);
        }
    }

    #[inline(always)]
    fn quantise(&mut self, values: &[f32]) {
        let Arrangement::Interleaved(block) = self.arrangement else {
            let blocks = values.as_chunks().0.iter().zip(self.codes.as_chunks_mut().0);
            for ((from, to), scale) in blocks.zip(self.scales.iter_mut()) {
                *scale = quantise_block(from, to);
            }
            return;
        };
        let per_quantised = BLOCK / block;
        for (index, from) in values.as_chunks::<BLOCK>().0.iter().enumerate() {
            let mut codes = [0; BLOCK];
            let scale = quantise_block(from, &mut codes);
            for (part, own) in codes.chunks_exact(block).enumerate() {
                let lane = index * per_quantised + part;
                if let Some(slot) = self.scales.get_mut(lane) {
                    *slot = scale;
                }
                let sum: i32 = own.iter().map(|code| i32::from(*code)).sum();
                if let Some(slot) = self.corrections.get_mut(lane) {
                    *slot = -self.offset * sum;
                }
                // Group, column, lane: four codes at a time.
                let start = lane / 8 * 8 * block + lane % 8 * 4;
                for (column, four) in own.as_chunks::<4>().0.iter().enumerate() {
                    if let Some(slot) =
                        self.codes.get_mut(start + 32 * column..).and_then(|rest| rest.first_chunk_mut())
                    {
                        *slot = *four;
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn copy<T: Copy>(to: &mut [T], from: &[T]) {
    let count = to.len().min(from.len());
    if let (Some(to), Some(from)) = (to.get_mut(..count), from.get(..count)) {
        to.copy_from_slice(from);
    }
}

#[inline(always)]
fn arrange(to: &mut [f32], from: &[f32], sources: &[u32]) {
    for (to, source) in to.iter_mut().zip(sources) {
        *to = from.get(*source as usize).copied().unwrap_or_default();
    }
}

/// Quantises a block; the answer is its scale.
#[inline(always)]
fn quantise_block(from: &[f32; BLOCK], to: &mut [i8; BLOCK]) -> f32 {
    /// Added to a small number, it leaves the nearest even integer in the lowest bits: 1.5 * 2^23.
    const ROUND: f32 = 12_582_912.0;
    let mut lanes = [0.0_f32; 8];
    for eight in from.as_chunks::<8>().0 {
        for (lane, value) in lanes.iter_mut().zip(eight) {
            let magnitude = value.abs();
            *lane = if magnitude > *lane { magnitude } else { *lane };
        }
    }
    // In halves, which are vectors; one after the other is a chain of eight comparisons, longer than all the rest.
    let [a, b, c, d, e, f, g, h] = lanes;
    let larger = |one: f32, other: f32| if other > one { other } else { one };
    let [a, b, c, d] = [larger(a, e), larger(b, f), larger(c, g), larger(d, h)];
    let largest = larger(larger(a, c), larger(b, d));
    let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    for (to, value) in to.iter_mut().zip(from) {
        *to = (value * inverse + ROUND).to_bits() as i8;
    }
    largest / 127.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrangements_are_permutations() {
        for arrangement in [
            Arrangement::EvenOdd,
            Arrangement::Planes,
            Arrangement::Pairs(32),
            Arrangement::Pairs(16),
            Arrangement::Quads(32),
        ] {
            let mut places: Vec<usize> = (0..1024).map(|place| arrangement.source(place)).collect();
            places.sort_unstable();
            assert!(places.into_iter().eq(0..1024), "{arrangement:?}");
        }
    }

    /// Vectors are quantized as defined one by one, in either order.
    #[test]
    fn quantised_activations_are_those_of_the_definition() {
        let mut random = fastrand::Rng::with_seed(3);
        let vector = Vector::random(Given::Quantised, 1000, 1024, &mut random).unwrap();
        let right = vector.values(Given::Quantised);
        let exact = vector.values(Given::Fp32);
        let mut prepared = Prepared::new(Given::Quantised, Arrangement::Natural, 1024, 0).unwrap();
        prepared.prepare(&vector);
        for (index, code) in prepared.codes.iter().enumerate() {
            let scale = f64::from(prepared.scales[index / BLOCK]);
            assert_eq!(scale * f64::from(*code), right[index]);
            // Half a unit, and the rounding of the scale.
            assert!((right[index] - exact[index]).abs() <= 0.500_01 * scale);
        }
        for block in [16, 32] {
            let mut other =
                Prepared::new(Given::Quantised, Arrangement::Interleaved(block), 1024, 12).unwrap();
            other.prepare(&vector);
            for (index, code) in prepared.codes.iter().enumerate() {
                let (lane, element) = (index / block, index % block);
                let place = lane / 8 * 8 * block + element / 4 * 32 + lane % 8 * 4 + element % 4;
                assert_eq!(other.codes[place], *code);
                assert_eq!(other.scales[lane], prepared.scales[index / BLOCK]);
            }
            for (lane, codes) in prepared.codes.chunks(block).enumerate() {
                let sum: i32 = codes.iter().map(|code| i32::from(*code)).sum();
                assert_eq!(other.corrections[lane], -12 * sum);
            }
        }
    }
}
