//! Weights that are dequantised while they are packed, and activations of 16 bits that are widened: the product is computed
//! in FP32.

use std::ops::Range;

use eaves_roofline::measured::{Chore, Spec};
use eaves_roofline::{Arithmetic, Precision};

use super::pack::{ColumnLines, Left, Matrix, Operand, Right, RowLines};
use super::plan;
use super::product::{Description, Product};
use super::{FLOAT_BLOCKING, Random, copies, f32_tile, memory, panels, work};
use crate::backend::BenchError;
use crate::buffer::Buffer;
use crate::cpu::Making;
use crate::formats::minifloat::{BF16, E2M1, E4M3, E5M2, FP16, Minifloat};
use crate::formats::{Format, NF4_VALUES, Order, Packed, magnitudes};
use crate::kernel::Kernel;

/// Rows that are made; the others repeat them. A prime, so that no stride of a power of two goes unnoticed.
const DISTINCT: usize = 251;

/// The rate at which packing widens weights of a format: other code than that of a product with a vector.
const WIDEN: &str = "widen ";

/// The kernel for a product of these formats.
pub(super) fn make(spec: &Spec, making: &Making) -> Result<Box<dyn Kernel>, BenchError> {
    let Spec::Gemm { m, n, k, weights, activations } = *spec else { return Err(memory(spec)) };
    let unsupported = |why: &str| BenchError::Unsupported {
        backend: "cpu".to_owned(),
        what: format!("gemm of {}", spec.precision()),
        why: why.to_owned(),
    };
    let format = Format::of(&weights).filter(|format| *format != Format::Fp64).ok_or_else(|| {
        let names = Format::ALL.map(Format::name).join(", ");
        unsupported(&format!("weights may be {names}; fp64 goes with fp64"))
    })?;
    let mut random = fastrand::Rng::with_seed(5);
    let float = match activations.name {
        "fp32" => None,
        "fp16" => Some(FP16),
        "bf16" => Some(BF16),
        _ => return Err(unsupported("activations may be fp32, fp16 or bf16, and int8 for int8 weights")),
    };
    let a: Box<dyn Left<f32>> = match float {
        None => {
            let a = Matrix::filled(m, k, 1, || f32::draw(&mut random));
            Box::new(RowLines(a.ok_or_else(|| memory(spec))?))
        }
        Some(float) => {
            let a = Matrix::filled(m, k, 1, || float.encode(random.f64() - 0.5) as u16);
            Box::new(Halves { matrix: a.ok_or_else(|| memory(spec))?, float })
        }
    };
    let (b, stored, elements): (Box<dyn Right<f32>>, Precision, usize) = if format == Format::Fp32 {
        let copies = copies(making, k.saturating_mul(n).saturating_mul(4));
        let b = Matrix::filled(k, n, copies, || f32::draw(&mut random)).ok_or_else(|| memory(spec))?;
        (Box::new(ColumnLines(b)), weights, k * n)
    } else {
        let b = Weights::random(format, n, k, making, &mut random).ok_or_else(|| memory(spec))?;
        let (stored, elements) = b.copies.first().map_or((weights, 0), |b| (b.precision(), b.elements()));
        (Box::new(b), stored, elements)
    };
    let mut work = work((m, n, k), stored, activations, Precision::FP32);
    work.arithmetic = Some(Arithmetic::Fp32);
    for operand in &mut work.operands {
        if operand.name == "weights" {
            // Rows are padded to whole blocks.
            operand.elements = elements as f64;
        }
    }
    let tile = f32_tile(making.instructions);
    let mut chores = panels((m, n, k), (tile.rows(), tile.columns), size_of::<f32>());
    if format != Format::Fp32 {
        // Each row of threads packs the columns of its own, so all of B once for each.
        let passes = plan::down(m, n, making.threads) as f64;
        let amount = passes * n as f64 * k as f64;
        chores.push(Chore { rate: format!("{WIDEN}{}", format.name()), amount });
    }
    let description = Description {
        spec: *spec,
        shape: (m, n, k),
        note: ", compute fp32".to_owned(),
        work,
        chores,
        state: making.state,
        blocking: FLOAT_BLOCKING,
        piece: 100e6,
        threads: making.threads,
        tolerance: super::tolerance(k, 0.5_f64.powi(24)),
    };
    let product = Product::new(description, tile, a, b);
    Ok(Box::new(product.ok_or_else(|| memory(spec))?))
}

/// Activations of 16 bits.
struct Halves {
    matrix: Matrix<u16>,
    float: Minifloat,
}

impl Operand for Halves {
    fn line(&self, line: usize, out: &mut [f64]) {
        for (to, from) in out.iter_mut().zip(self.matrix.row(0, line, 0..self.matrix.stride())) {
            *to = self.float.decode(u32::from(*from));
        }
    }

    fn copies(&self) -> usize {
        self.matrix.copies()
    }

    fn huge_pages(&self) -> Option<bool> {
        self.matrix.huge_pages()
    }
}

impl Left<f32> for Halves {
    fn pack(&self, copy: usize, rows: Range<usize>, depth: Range<usize>, reach: usize, out: &mut [f32]) {
        for (to, row) in out.chunks_exact_mut(reach).zip(rows) {
            let from = self.matrix.row(copy, row, depth.clone()).iter().copied();
            if self.float == BF16 { widen(from, brain, to) } else { widen(from, half, to) }
        }
    }
}

fn widen(from: impl Iterator<Item = u16>, float: impl Fn(u16) -> f32, to: &mut [f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = float(from);
    }
}

/// A brain float, exactly.
fn brain(code: u16) -> f32 {
    f32::from_bits(u32::from(code) << 16)
}

/// A finite half, exactly: the exponent is off by 112, which a product with a power of two puts right for subnormals too.
fn half(code: u16) -> f32 {
    let magnitude = f32::from_bits(u32::from(code & 0x7fff) << 13) * f32::from_bits((127 + 112) << 23);
    f32::from_bits(magnitude.to_bits() | u32::from(code & 0x8000) << 16)
}

/// Weights that are dequantised at once: whole blocks of every format, and little enough that a panel of them stays in the
/// first cache.
const CHUNK: usize = 128;

/// Weights, a row for each column of B.
struct Weights {
    copies: Vec<Packed>,
    /// What each code means, without scales of blocks and rows.
    table: Vec<f32>,
}

impl Weights {
    fn random(
        format: Format,
        n: usize,
        k: usize,
        making: &Making,
        random: &mut fastrand::Rng,
    ) -> Option<Self> {
        let rows = n.min(DISTINCT);
        let values: Vec<f32> =
            magnitudes(5).take(rows.checked_mul(k)?).map(|magnitude| magnitude * f32::draw(random)).collect();
        let distinct = Packed::pack(format, Order::Sequential, &values, rows, k)?;
        let count = copies(making, distinct.bytes() / rows.max(1) * n);
        let copies: Option<Vec<Packed>> = (0..count).map(|_| repeated(&distinct, n)).collect();
        let tensor = distinct.tensor_scale.unwrap_or(1.0);
        let decode =
            |float: Minifloat, codes: u32| (0..codes).map(|code| float.decode(code) as f32).collect();
        let table: Vec<f32> = match format {
            Format::Fp8E4m3 => decode(E4M3, 256),
            Format::Fp8E5m2 => decode(E5M2, 256),
            Format::Mxfp4 | Format::Nvfp4 => decode(E2M1, 16),
            Format::Int4 => (0_u8..16).map(|code| f32::from(code) - 8.0).collect(),
            Format::Nf4 => NF4_VALUES.to_vec(),
            _ => Vec::new(),
        };
        let table = if matches!(format, Format::Fp8E4m3 | Format::Fp8E5m2) {
            table.into_iter().map(|value| value * tensor).collect()
        } else {
            table
        };
        Some(Self { copies: copies?, table })
    }

    /// What a chunk of a row means.
    fn dequantise(&self, packed: &Packed, row: usize, start: usize, out: &mut [f32; CHUNK]) {
        let (codes, scales) = (packed.row_codes(row), packed.row_scales(row));
        let bytes = |bits: usize| codes.get(start * bits / 8..).unwrap_or_default();
        match packed.format {
            Format::Bf16 => widen(words(bytes(16)), brain, out),
            Format::Fp16 => widen(words(bytes(16)), half, out),
            Format::Int8 => {
                let scale = scales.first_chunk().map_or(0.0, |bytes| f32::from_le_bytes(*bytes));
                for (to, code) in out.iter_mut().zip(bytes(8)) {
                    *to = scale * f32::from(code.cast_signed());
                }
            }
            Format::Fp8E4m3 | Format::Fp8E5m2 => {
                if let Some(table) = self.table.first_chunk::<256>() {
                    for (to, code) in out.iter_mut().zip(bytes(8)) {
                        *to = table[usize::from(*code)];
                    }
                }
            }
            Format::Int4 => {
                let scales = scales.as_chunks().0.iter().map(|bytes| half(u16::from_le_bytes(*bytes)));
                self.nibbles::<32>(bytes(4), scales.skip(start / 32), out);
            }
            Format::Mxfp4 => {
                let scales = scales.iter().map(|code| f32::from_bits(u32::from(*code) << 23));
                self.nibbles::<32>(bytes(4), scales.skip(start / 32), out);
            }
            Format::Nvfp4 => {
                let tensor = packed.tensor_scale.unwrap_or(1.0);
                // An E4M3 number is a half whose exponent is off by 8.
                let scale = |code: &u8| half(u16::from(*code & 0x7f) << 7) * 256.0 * tensor;
                self.nibbles::<16>(bytes(4), scales.iter().map(scale).skip(start / 16), out);
            }
            Format::Nf4 => {
                let scales = scales.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
                self.nibbles::<64>(bytes(4), scales.skip(start / 64), out);
            }
            Format::Fp64 | Format::Fp32 => out.fill(f32::NAN),
        }
    }

    /// Blocks of 4-bit codes, each with its scale.
    fn nibbles<const BLOCK: usize>(
        &self,
        codes: &[u8],
        scales: impl Iterator<Item = f32>,
        out: &mut [f32; CHUNK],
    ) {
        let Some(table) = self.table.first_chunk::<16>() else { return };
        for ((to, codes), scale) in out.chunks_exact_mut(BLOCK).zip(codes.chunks(BLOCK / 2)).zip(scales) {
            let scaled = table.map(|value| value * scale);
            for (to, code) in to.as_chunks_mut::<2>().0.iter_mut().zip(codes) {
                *to = [scaled[usize::from(*code & 15)], scaled[usize::from(*code >> 4)]];
            }
        }
    }
}

/// Little-endian words.
fn words(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.as_chunks().0.iter().map(|bytes| u16::from_le_bytes(*bytes))
}

/// A matrix of this many rows that repeat those of another, each stored.
fn repeated(distinct: &Packed, rows: usize) -> Option<Packed> {
    let repeat = |from: &Buffer<u8>| {
        let each = from.len() / distinct.rows.max(1);
        let mut to = Buffer::zeroed(each.checked_mul(rows)?)?;
        if !from.is_empty() {
            for to in to.chunks_mut(from.len()) {
                to.copy_from_slice(from.get(..to.len())?);
            }
        }
        Some(to)
    };
    let (codes, scales) = (repeat(&distinct.codes)?, repeat(&distinct.scales)?);
    let Packed { format, order, columns, stride, tensor_scale, .. } = *distinct;
    Some(Packed { format, order, rows, columns, stride, codes, scales, tensor_scale })
}

impl Operand for Weights {
    fn line(&self, line: usize, out: &mut [f64]) {
        if let Some(packed) = self.copies.first() {
            packed.dequantise_row(line, out);
        }
    }

    fn copies(&self) -> usize {
        self.copies.len().max(1)
    }

    fn huge_pages(&self) -> Option<bool> {
        self.copies.first()?.codes.has_huge_pages()
    }
}

impl Right<f32> for Weights {
    fn pack(&self, copy: usize, columns: Range<usize>, depth: Range<usize>, width: usize, out: &mut [f32]) {
        let Some(packed) = self.copies.get(copy) else { return };
        let mut chunk = [0.0; CHUNK];
        let panel = (depth.len() * width).max(1);
        for (panel, first) in out.chunks_exact_mut(panel).zip(columns.clone().step_by(width)) {
            let inside = width.min(columns.end - first);
            if inside < width {
                panel.fill(0.0);
            }
            // Chunks lie where blocks do, wherever the depth starts.
            for start in (depth.start / CHUNK * CHUNK..depth.end).step_by(CHUNK) {
                let wanted = depth.start.max(start)..depth.end.min(start + CHUNK);
                let rows = panel.get_mut((wanted.start - depth.start) * width..).unwrap_or_default();
                for column in 0..inside {
                    self.dequantise(packed, first + column, start, &mut chunk);
                    let values = chunk.get(wanted.start - start..wanted.end - start).unwrap_or_default();
                    for (to, value) in rows.chunks_exact_mut(width).zip(values) {
                        if let Some(to) = to.get_mut(column) {
                            *to = *value;
                        }
                    }
                }
            }
        }
    }
}
