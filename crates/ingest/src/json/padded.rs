//! A chunk of input with readable zero bytes behind it, so that the scanner may look ahead without asking.
#![expect(unsafe_code, reason = "the scanner's inner loops read bytes whose bounds the padding guarantees")]

/// Bytes that must be readable, and zero, behind the content.
pub(crate) const PADDING: usize = 64;

/// Content followed by at least [`PADDING`] zero bytes.
///
/// Every position handed out by the index is at most the length of the content, and every scan forward stops at
/// a zero byte, so no read reaches past the padding.
#[derive(Clone, Copy)]
pub(crate) struct Padded<'a> {
    bytes: &'a [u8],
    length: usize,
}

impl<'a> Padded<'a> {
    /// The first `length` bytes as content; the rest must be at least the padding.
    pub(crate) fn new(bytes: &'a [u8], length: usize) -> Self {
        assert!(bytes.len() >= length + PADDING, "no padding behind the content");
        Self { bytes, length }
    }

    /// Length of the content.
    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.length
    }

    /// The content.
    #[inline(always)]
    pub(crate) fn content(self) -> &'a [u8] {
        &self.bytes[..self.length]
    }

    /// The byte at a position up to 56 behind the content.
    #[inline(always)]
    pub(crate) fn at(self, position: usize) -> u8 {
        debug_assert!(position < self.length + PADDING);
        // SAFETY: `new` checked that `length + PADDING` bytes are there; positions come from the index or from
        // scans that stop at the first zero byte of the padding (see the type).
        unsafe { *self.bytes.get_unchecked(position) }
    }

    /// Eight bytes from a position up to 56 behind the content, the first one lowest.
    #[inline(always)]
    pub(crate) fn word(self, position: usize) -> u64 {
        debug_assert!(position + 8 <= self.length + PADDING);
        // SAFETY: as in `at`.
        let bytes = unsafe { self.bytes.as_ptr().add(position).cast::<[u8; 8]>().read_unaligned() };
        u64::from_le_bytes(bytes)
    }

    /// The first and the last eight bytes between two positions, both with zeros for what is not there. Up to 16
    /// bytes are known by these and their length.
    #[inline(always)]
    pub(crate) fn ends(self, start: usize, end: usize) -> (u64, u64) {
        let length = end - start;
        if length >= 8 {
            return (self.word(start), self.word(end - 8));
        }
        let short = self.word(start) & ((1 << (8 * length)) - 1);
        (short, short)
    }

    /// 64 bytes from a position before the end of the content.
    #[inline(always)]
    pub(crate) fn block(self, position: usize) -> &'a [u8; 64] {
        debug_assert!(position < self.length);
        // SAFETY: a block that begins inside the content ends inside the padding.
        unsafe { &*self.bytes.as_ptr().add(position).cast::<[u8; 64]>() }
    }

    /// Content between two positions of the index.
    #[inline(always)]
    pub(crate) fn slice(self, start: usize, end: usize) -> &'a [u8] {
        debug_assert!(start <= end && end <= self.length);
        // SAFETY: as in `at`; callers take both ends from the index in rising order.
        unsafe { self.bytes.get_unchecked(start..end) }
    }
}
