//! Memory for operands: aligned to huge pages, asked to be huge pages, filled with random numbers.
#![expect(
    unsafe_code,
    reason = "memory that is aligned to pages and asked to be huge has no safe type in the standard library"
)]

use std::alloc::Layout;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use crate::system;

/// Alignment of every large buffer: a huge page of x86-64 and of most others.
const HUGE_PAGE: usize = 2 << 20;
/// What the smallest buffer takes, and where it begins.
pub(crate) const PAGE: usize = 4096;

/// Numbers of which every pattern of bits is one.
///
/// # Safety
/// All-zero bytes must be a value, and there must be no padding.
pub unsafe trait Plain: Copy + Send + Sync + 'static {}

macro_rules! plain {
    ($($type:ty),*) => {
        $(
            // SAFETY: a primitive number.
            unsafe impl Plain for $type {}
        )*
    };
}
plain!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

/// A slice in memory of its own.
#[derive(Debug)]
pub struct Buffer<T: Plain> {
    start: NonNull<T>,
    length: usize,
    layout: Layout,
}

// SAFETY: it owns its memory, and `T` may be sent and shared.
unsafe impl<T: Plain> Send for Buffer<T> {}
// SAFETY: as above.
unsafe impl<T: Plain> Sync for Buffer<T> {}

impl<T: Plain> Buffer<T> {
    /// That many zeros; `None` if there is not that much memory. Zeros are not operands: fill them.
    pub fn zeroed(length: usize) -> Option<Self> {
        let bytes = length.checked_mul(size_of::<T>())?.max(1);
        let align = if bytes >= HUGE_PAGE { HUGE_PAGE } else { PAGE };
        let layout = Layout::from_size_align(bytes.checked_next_multiple_of(align)?, align).ok()?;
        // Huge pages are asked for before the first touch: `alloc_zeroed` of a large alignment writes the zeros itself.
        // SAFETY: the layout is not empty.
        let start = NonNull::new(unsafe { std::alloc::alloc(layout) })?;
        if bytes >= HUGE_PAGE {
            system::ask_for_huge_pages(start, layout.size());
        }
        // SAFETY: this many bytes were allocated.
        unsafe { start.write_bytes(0, layout.size()) };
        Some(Self { start: start.cast(), length, layout })
    }

    /// That many numbers, each made by `make` from its index.
    pub fn filled(length: usize, mut make: impl FnMut(usize) -> T) -> Option<Self> {
        let mut buffer = Self::zeroed(length)?;
        for (index, element) in buffer.iter_mut().enumerate() {
            *element = make(index);
        }
        Some(buffer)
    }

    /// Whether the system gave huge pages for all of it but the edges, if it says and a page fits. Asked after it was filled.
    pub fn has_huge_pages(&self) -> Option<bool> {
        if self.layout.size() < HUGE_PAGE {
            return None;
        }
        system::huge_bytes(self.start.as_ptr() as usize).map(|huge| huge + HUGE_PAGE > self.layout.size())
    }
}

impl<T: Plain> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: this many elements were allocated, zeroed, and every pattern of bits is one.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl<T: Plain> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }
}

impl<T: Plain> Drop for Buffer<T> {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { std::alloc::dealloc(self.start.as_ptr().cast(), self.layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_holds_what_it_was_filled_with_and_is_aligned() {
        for length in [0, 1, 5000, 3 << 20] {
            let buffer = Buffer::filled(length, |index| index as u32).unwrap();
            assert_eq!(buffer.len(), length);
            assert!(buffer.iter().enumerate().all(|(index, element)| *element == index as u32));
            assert_eq!(buffer.as_ptr() as usize % 4096, 0);
        }
        assert_eq!(Buffer::<u8>::zeroed(4 << 20).unwrap().as_ptr() as usize % HUGE_PAGE, 0);
        assert!(Buffer::<u64>::zeroed(usize::MAX).is_none());
        assert_eq!(Buffer::<u8>::zeroed(4096).unwrap().has_huge_pages(), None);
    }
}
