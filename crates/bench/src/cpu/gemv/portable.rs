//! Inner loops in plain Rust: what runs where there is nothing better, and the twin that everything better is tested against.
//! Weights of a chunk are decoded to an array, then multiplied.

use super::activations::{Arrangement, BLOCK, Prepared};
use super::choice::{Choice, Code};
use super::reference::nf4_as_integer;
use super::rows::Rows;
use crate::cpu::InstructionSet;
use crate::formats::minifloat::{E2M1, E4M3, E5M2, Minifloat, half};
use crate::formats::{Format, NF4_VALUES};

/// The choice for a format.
pub(super) fn choice(format: Format, quantised: bool) -> Option<Choice> {
    let code = match (format, quantised) {
        (Format::Fp64, false) => Code::Double(fp64),
        (Format::Fp32, false) => Code::Single(fp32),
        (Format::Fp16, false) => Code::Single(fp16),
        (Format::Bf16, false) => Code::Single(bf16),
        (Format::Int8, false) => Code::Single(int8),
        (Format::Fp8E4m3, false) => Code::Single(e4m3),
        (Format::Fp8E5m2, false) => Code::Single(e5m2),
        (Format::Int4, false) => Code::Single(int4),
        (Format::Mxfp4, false) => Code::Single(mxfp4),
        (Format::Nvfp4, false) => Code::Single(nvfp4),
        (Format::Nf4, false) => Code::Single(nf4),
        (Format::Int8, true) => Code::Single(int8_quantised),
        (Format::Int4, true) => Code::Single(int4_quantised),
        (Format::Mxfp4, true) => Code::Single(mxfp4_quantised),
        (Format::Nvfp4, true) => Code::Single(nvfp4_quantised),
        (Format::Nf4, true) => Code::Single(nf4_quantised),
        (_, true) => return None,
    };
    let how = if quantised { "integer loop" } else { "loop" };
    Some(Choice {
        instructions: InstructionSet::Portable,
        code,
        arrangement: Arrangement::Natural,
        offset: 0,
        how,
    })
}

fn fp64(rows: &Rows<'_>, x: &Prepared, y: &mut [f64]) {
    for (y, row) in
        y.iter_mut().zip(rows.codes.chunks(rows.code_stride.max(1)).chain(std::iter::repeat(&[][..])))
    {
        let mut lanes = [0.0; 8];
        for (weights, x) in row.as_chunks::<8>().0.as_chunks::<8>().0.iter().zip(x.doubles.as_chunks::<8>().0)
        {
            for ((lane, weight), x) in lanes.iter_mut().zip(weights).zip(x) {
                *lane += f64::from_le_bytes(*weight) * x;
            }
        }
        *y = lanes.iter().sum();
    }
}

/// Runs `dot` for every row, with its codes and scales.
fn by_row(rows: &Rows<'_>, y: &mut [f32], mut dot: impl FnMut(&[u8], &[u8]) -> f32) {
    for (index, y) in y.iter_mut().enumerate() {
        let codes = rows.codes.get(index * rows.code_stride..(index + 1) * rows.code_stride);
        let scales = rows.scales.get(index * rows.scale_stride..(index + 1) * rows.scale_stride);
        *y = dot(codes.unwrap_or_default(), scales.unwrap_or_default());
    }
}

/// A dot product in eight lanes of weights that are decoded one by one from `BYTES` bytes each.
#[inline(always)]
fn plain<const BYTES: usize>(codes: &[u8], x: &[f32], decode: impl Fn([u8; BYTES]) -> f32) -> f32 {
    let mut lanes = [0.0; 8];
    for (weights, x) in codes.as_chunks::<BYTES>().0.as_chunks::<8>().0.iter().zip(x.as_chunks::<8>().0) {
        for ((lane, weight), x) in lanes.iter_mut().zip(weights).zip(x) {
            *lane += decode(*weight) * x;
        }
    }
    lanes.iter().sum()
}

fn fp32(rows: &Rows<'_>, x: &Prepared, y: &mut [f32]) {
    by_row(rows, y, |codes, _| plain(codes, &x.floats, f32::from_le_bytes));
}

fn fp16(rows: &Rows<'_>, x: &Prepared, y: &mut [f32]) {
    by_row(rows, y, |codes, _| plain(codes, &x.floats, |code| half(u16::from_le_bytes(code))));
}

fn bf16(rows: &Rows<'_>, x: &Prepared, y: &mut [f32]) {
    let decode = |code| f32::from_bits(u32::from(u16::from_le_bytes(code)) << 16);
    by_row(rows, y, |codes, _| plain(codes, &x.floats, decode));
}

fn row_scale(scales: &[u8]) -> f32 {
    scales.first_chunk().map_or(0.0, |bytes| f32::from_le_bytes(*bytes))
}

fn int8(rows: &Rows<'_>, x: &Prepared, y: &mut [f32]) {
    let decode = |[code]: [u8; 1]| f32::from(code.cast_signed());
    by_row(rows, y, |codes, scales| row_scale(scales) * plain(codes, &x.floats, decode));
}

/// All 256 values.
fn table(float: Minifloat) -> [f32; 256] {
    std::array::from_fn(|code| float.decode(code as u32) as f32)
}

fn fp8(rows: &Rows<'_>, x: &Prepared, y: &mut [f32], table: &[f32; 256]) {
    // A byte is always within the table.
    let decode = |[code]: [u8; 1]| table.get(usize::from(code)).copied().unwrap_or(f32::NAN);
    by_row(rows, y, |codes, _| rows.tensor * plain(codes, &x.floats, decode));
}

fn e4m3(rows: &Rows<'_>, x: &Prepared, y: &mut [f32]) {
    fp8(rows, x, y, &table(E4M3));
}

fn e5m2(rows: &Rows<'_>, x: &Prepared, y: &mut [f32]) {
    fp8(rows, x, y, &table(E5M2));
}

/// Decodes a group of interleaved blocks of `BLOCK` elements with a table.
#[inline(always)]
fn group<const BLOCK: usize, T: Copy>(bytes: &[u8], table: &[T; 16], values: &mut [[T; BLOCK]; 8]) {
    for (vector, bytes) in bytes.as_chunks::<32>().0.iter().enumerate() {
        for ((four, lane), column) in
            bytes.as_chunks::<4>().0.iter().zip(values.iter_mut()).zip(std::iter::repeat(8 * vector))
        {
            for (element, byte) in four.iter().enumerate() {
                let low = table.get(usize::from(byte & 15));
                let high = table.get(usize::from(byte >> 4));
                if let (Some(low), Some(slot)) = (low, lane.get_mut(column + element)) {
                    *slot = *low;
                }
                if let (Some(high), Some(slot)) = (high, lane.get_mut(column + element + 4)) {
                    *slot = *high;
                }
            }
        }
    }
}

/// A row of 4-bit codes with floating-point activations. `scale` is that of a block of the row.
#[inline(always)]
fn nibbles<const BLOCK: usize>(
    rows: &Rows<'_>,
    x: &Prepared,
    y: &mut [f32],
    table: &[f32; 16],
    scale: impl Fn(&[u8], usize) -> f32,
) {
    let mut values = [[0.0; BLOCK]; 8];
    by_row(rows, y, |codes, scales| {
        let mut lanes = [0.0_f32; 8];
        for (index, (bytes, x)) in codes.chunks(4 * BLOCK).zip(x.floats.chunks(8 * BLOCK)).enumerate() {
            group(bytes, table, &mut values);
            for (block, (weights, x)) in values.iter().zip(x.as_chunks::<BLOCK>().0).enumerate() {
                let mut sums = [0.0; 8];
                for (weights, x) in weights.as_chunks::<8>().0.iter().zip(x.as_chunks::<8>().0) {
                    for ((sum, weight), x) in sums.iter_mut().zip(weights).zip(x) {
                        *sum += weight * x;
                    }
                }
                let scale = scale(scales, 8 * index + block);
                for (lane, sum) in lanes.iter_mut().zip(sums) {
                    *lane += scale * sum;
                }
            }
        }
        rows.tensor * lanes.iter().sum::<f32>()
    });
}

/// The same with INT8 activations.
#[inline(always)]
fn nibbles_quantised<const SIZE: usize>(
    rows: &Rows<'_>,
    x: &Prepared,
    y: &mut [f32],
    table: &[i32; 16],
    scale: impl Fn(&[u8], usize) -> f32,
) {
    let mut values = [[0; SIZE]; 8];
    by_row(rows, y, |codes, scales| {
        let mut lanes = [0.0_f32; 8];
        for (index, (bytes, x_codes)) in codes.chunks(4 * SIZE).zip(x.codes.chunks(8 * SIZE)).enumerate() {
            group(bytes, table, &mut values);
            for (block, (weights, x_codes)) in values.iter().zip(x_codes.as_chunks::<SIZE>().0).enumerate() {
                let sum: i32 = weights.iter().zip(x_codes).map(|(weight, x)| weight * i32::from(*x)).sum();
                let block_index = 8 * index + block;
                let x_scale = x.scales.get(block_index * SIZE / BLOCK).copied().unwrap_or_default();
                if let Some(lane) = lanes.get_mut(block) {
                    *lane += scale(scales, block_index) * (sum as f32 * x_scale);
                }
            }
        }
        rows.tensor * lanes.iter().sum::<f32>()
    });
}

const INT4: [i32; 16] = [-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7];

fn fp16_scale(scales: &[u8], block: usize) -> f32 {
    scales.as_chunks().0.get(block).map_or(0.0, |bytes| half(u16::from_le_bytes(*bytes)))
}

/// Codes 1 to 254 are the exponents of FP32.
fn power_scale(scales: &[u8], block: usize) -> f32 {
    scales.get(block).map_or(0.0, |code| f32::from_bits(u32::from(*code) << 23))
}

/// Scales of halves of blocks.
fn fp32_scale(scales: &[u8], block: usize) -> f32 {
    scales.as_chunks().0.get(block / 2).map_or(0.0, |bytes| f32::from_le_bytes(*bytes))
}

fn int4(rows: &Rows<'_>, x: &Prepared, y: &mut [f32]) {
    nibbles::<32>(rows, x, y, &INT4.map(|value| value as f32), fp16_scale);
}

fn int4_quantised(rows: &Rows<'_>, x: &Prepared, y: &mut [f32]) {
    nibbles_quantised::<32>(rows, x, y, &INT4, fp16_scale);
}

fn fp4_values() -> [f32; 16] {
    std::array::from_fn(|code| E2M1.decode(code as u32) as f32)
}

/// Twice the values, which are integers.
fn fp4_integers() -> [i32; 16] {
    fp4_values().map(|value| (2.0 * value) as i32)
}

fn mxfp4(rows: &Rows<'_>, x: &Prepared, y: &mut [f32]) {
    nibbles::<32>(rows, x, y, &fp4_values(), power_scale);
}

fn mxfp4_quantised(rows: &Rows<'_>, x: &Prepared, y: &mut [f32]) {
    nibbles_quantised::<32>(rows, x, y, &fp4_integers(), |scales, block| 0.5 * power_scale(scales, block));
}

fn nvfp4(rows: &Rows<'_>, x: &Prepared, y: &mut [f32]) {
    let table = table(E4M3);
    let scale = |scales: &[u8], block: usize| {
        scales.get(block).and_then(|code| table.get(usize::from(*code))).copied().unwrap_or_default()
    };
    nibbles::<16>(rows, x, y, &fp4_values(), scale);
}

fn nvfp4_quantised(rows: &Rows<'_>, x: &Prepared, y: &mut [f32]) {
    let table = table(E4M3).map(|value| 0.5 * value);
    let scale = |scales: &[u8], block: usize| {
        scales.get(block).and_then(|code| table.get(usize::from(*code))).copied().unwrap_or_default()
    };
    nibbles_quantised::<16>(rows, x, y, &fp4_integers(), scale);
}

fn nf4(rows: &Rows<'_>, x: &Prepared, y: &mut [f32]) {
    nibbles::<32>(rows, x, y, &NF4_VALUES, fp32_scale);
}

fn nf4_quantised(rows: &Rows<'_>, x: &Prepared, y: &mut [f32]) {
    let table = std::array::from_fn(|code| i32::from(nf4_as_integer(code)));
    nibbles_quantised::<32>(rows, x, y, &table, |scales, block| fp32_scale(scales, block) / 127.0);
}

fn int8_quantised(rows: &Rows<'_>, x: &Prepared, y: &mut [f32]) {
    by_row(rows, y, |codes, scales| {
        let blocks =
            codes.as_chunks::<BLOCK>().0.iter().zip(x.codes.as_chunks::<BLOCK>().0).zip(x.scales.iter());
        let sum: f32 = blocks
            .map(|((weights, x_codes), scale)| {
                let products = weights
                    .iter()
                    .zip(x_codes)
                    .map(|(weight, x)| i32::from(weight.cast_signed()) * i32::from(*x));
                products.sum::<i32>() as f32 * scale
            })
            .sum();
        row_scale(scales) * sum
    });
}
