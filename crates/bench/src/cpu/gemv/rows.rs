//! Weights as inner loops read them.

use crate::buffer::Buffer;
use crate::formats::Packed;

/// A whole matrix in memory.
#[derive(Debug)]
pub(super) struct Weights {
    codes: Buffer<u8>,
    scales: Buffer<u8>,
    code_stride: usize,
    scale_stride: usize,
    stride: usize,
    tensor: f32,
}

/// Some rows of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'a> {
    pub(super) codes: &'a [u8],
    pub(super) scales: &'a [u8],
    /// Bytes from one row to the next.
    pub(super) code_stride: usize,
    pub(super) scale_stride: usize,
    /// Columns that are stored.
    pub(super) stride: usize,
    /// The scale of the tensor; one if there is none.
    pub(super) tensor: f32,
}

impl Weights {
    /// A matrix of this many rows, which repeat those that are packed. `None` if there is not enough memory.
    pub(super) fn repeat(packed: &Packed, rows: usize) -> Option<Self> {
        let code_stride = packed.format.code_bytes(packed.stride);
        let scale_stride = packed.format.scale_bytes(packed.stride);
        let fill = |from: &[u8], stride: usize| {
            let mut buffer = Buffer::<u8>::zeroed(rows.checked_mul(stride)?)?;
            for chunk in buffer.chunks_mut(from.len().max(1)) {
                chunk.copy_from_slice(from.get(..chunk.len())?);
            }
            Some(buffer)
        };
        Some(Self {
            codes: fill(&packed.codes, code_stride)?,
            scales: fill(&packed.scales, scale_stride)?,
            code_stride,
            scale_stride,
            stride: packed.stride,
            tensor: packed.tensor_scale.unwrap_or(1.0),
        })
    }

    /// That many rows from this one on, as far as there are.
    pub(super) fn rows(&self, first: usize, count: usize) -> Rows<'_> {
        let part = |bytes: &'_ Buffer<u8>, stride: usize| {
            let to = ((first + count) * stride).min(bytes.len());
            (first * stride).min(to)..to
        };
        Rows {
            codes: self.codes.get(part(&self.codes, self.code_stride)).unwrap_or_default(),
            scales: self.scales.get(part(&self.scales, self.scale_stride)).unwrap_or_default(),
            code_stride: self.code_stride,
            scale_stride: self.scale_stride,
            stride: self.stride,
            tensor: self.tensor,
        }
    }

    pub(super) fn has_huge_pages(&self) -> Option<bool> {
        self.codes.has_huge_pages()
    }

    /// The codes, to seed an error.
    #[cfg(test)]
    pub(super) fn codes_mut(&mut self) -> &mut [u8] {
        &mut self.codes
    }
}

impl Rows<'_> {
    /// Rows that are whole. A matrix without columns has as many as anybody wants.
    pub(super) fn count(&self) -> usize {
        let whole = |bytes: usize, stride: usize| bytes.checked_div(stride).unwrap_or(usize::MAX);
        whole(self.codes.len(), self.code_stride).min(whole(self.scales.len(), self.scale_stride))
    }
}
