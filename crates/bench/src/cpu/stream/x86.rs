//! Streams in vectors of 256 and 512 bits: the same code with other registers.
#![expect(unsafe_code, reason = "aligned and non-temporal loads and stores take pointers")]

use eaves_roofline::measured::{Store, Stream};

use super::{Act, BLOCK, FACTOR, Pattern};

/// Has the compiler forget what is in memory, so that each pass really passes it.
#[inline(always)]
fn forget() {
    // SAFETY: no instruction at all.
    unsafe { std::arch::asm!("", options(nostack, preserves_flags)) }
}

macro_rules! streams {
    (
        $module:ident, $features:literal, $float:ident, $integer:ident,
        $load:ident, $store:ident, $past:ident, $fill:ident, $fma:ident, $load_integer:ident, $zero:ident, $add:ident
    ) => {
        pub(super) mod $module {
            use std::arch::x86_64::*;

            use super::*;

            const LANES: usize = size_of::<$float>() / size_of::<f32>();
            /// Vectors of a block.
            const VECTORS: usize = BLOCK / LANES;

            pub(in super::super) fn act(stream: Stream) -> Option<Act> {
                Some(match stream {
                    Stream::Read { streams: 1 } => Act::Read(read::<1>),
                    Stream::Read { streams: 4 } => Act::Read(read::<4>),
                    Stream::Read { .. } => return None,
                    Stream::Write(Store::Normal) => Act::Write(write::<false>),
                    Stream::Write(Store::NonTemporal) => Act::Write(write::<true>),
                    Stream::Copy(Store::Normal) => Act::Copy(copy::<false>),
                    Stream::Copy(Store::NonTemporal) => Act::Copy(copy::<true>),
                    Stream::Triad(Store::Normal) => Act::Triad(triad::<false>),
                    Stream::Triad(Store::NonTemporal) => Act::Triad(triad::<true>),
                })
            }

            /// Integer additions have a latency of one cycle and keep up with the loads everywhere, which floating ones do not.
            #[target_feature(enable = $features)]
            fn read<const STREAMS: usize>(words: &[f32], passes: usize) -> u32 {
                // Of each block every stream gives its share: all of it, or a line each.
                let share = BLOCK / STREAMS;
                let part = words.len() / STREAMS / share * share;
                let (bulk, rest) = words.split_at(part * STREAMS);
                let mut sums = [$zero(); VECTORS];
                for _ in 0..passes {
                    forget();
                    let mut at = 0;
                    while at < part {
                        for (vector, sum) in sums.iter_mut().enumerate() {
                            let stream = vector * LANES / share;
                            let offset = stream * part + at + vector * LANES % share;
                            // SAFETY: `at + share <= part`, so all of it is in the slice, whose address and offsets
                            // are multiples of a line.
                            let loaded = unsafe { $load_integer(bulk.as_ptr().add(offset).cast()) };
                            *sum = $add(*sum, loaded);
                        }
                        at += share;
                    }
                }
                let mut total = 0_u32;
                for sum in sums {
                    // SAFETY: a vector of integers is this many of them.
                    let lanes: [u32; LANES] = unsafe { std::mem::transmute::<$integer, [u32; LANES]>(sum) };
                    total = lanes.iter().fold(total, |total, lane| total.wrapping_add(*lane));
                }
                let tail = rest.iter().fold(0_u32, |tail, word| tail.wrapping_add(word.to_bits()));
                total.wrapping_add(tail.wrapping_mul(passes as u32))
            }

            /// # Safety
            /// There must be a whole vector at `to`, aligned.
            #[target_feature(enable = $features)]
            unsafe fn store<const PAST: bool>(to: *mut f32, value: $float) {
                // SAFETY: what callers promise.
                unsafe { if PAST { $past(to.cast(), value) } else { $store(to, value) } }
            }

            #[target_feature(enable = $features)]
            fn write<const PAST: bool>(to: &mut [f32], pattern: &Pattern, passes: usize) {
                // SAFETY: the pattern is a block.
                let values: [$float; VECTORS] = unsafe { std::mem::transmute::<Pattern, _>(*pattern) };
                for _ in 0..passes {
                    forget();
                    let (blocks, rest) = to.as_chunks_mut::<BLOCK>();
                    for block in blocks {
                        for (vector, value) in values.iter().enumerate() {
                            // SAFETY: blocks are whole vectors, and aligned.
                            unsafe { store::<PAST>(block[vector * LANES..].as_mut_ptr(), *value) };
                        }
                    }
                    for (to, from) in rest.iter_mut().zip(pattern) {
                        *to = *from;
                    }
                    if PAST {
                        _mm_sfence();
                    }
                }
            }

            #[target_feature(enable = $features)]
            fn copy<const PAST: bool>(to: &mut [f32], from: &[f32], passes: usize) {
                for _ in 0..passes {
                    forget();
                    let (blocks, rest) = to.as_chunks_mut::<BLOCK>();
                    let (sources, last) = from.as_chunks::<BLOCK>();
                    for (block, source) in blocks.iter_mut().zip(sources) {
                        for vector in 0..VECTORS {
                            // SAFETY: a vector of a block, which is aligned.
                            let value = unsafe { $load(source[vector * LANES..].as_ptr()) };
                            // SAFETY: blocks are whole vectors, and aligned.
                            unsafe { store::<PAST>(block[vector * LANES..].as_mut_ptr(), value) };
                        }
                    }
                    for (to, from) in rest.iter_mut().zip(last) {
                        *to = *from;
                    }
                    if PAST {
                        _mm_sfence();
                    }
                }
            }

            #[target_feature(enable = $features)]
            fn triad<const PAST: bool>(to: &mut [f32], b: &[f32], c: &[f32], passes: usize) {
                let factor = $fill(FACTOR);
                for _ in 0..passes {
                    forget();
                    let (blocks, rest) = to.as_chunks_mut::<BLOCK>();
                    let ((bs, b_rest), (cs, c_rest)) = (b.as_chunks::<BLOCK>(), c.as_chunks::<BLOCK>());
                    for (block, (b, c)) in blocks.iter_mut().zip(bs.iter().zip(cs)) {
                        for vector in 0..VECTORS {
                            let start = vector * LANES;
                            // SAFETY: vectors of blocks, which are aligned.
                            let (b, c) = unsafe { ($load(b[start..].as_ptr()), $load(c[start..].as_ptr())) };
                            // SAFETY: blocks are whole vectors, and aligned.
                            unsafe { store::<PAST>(block[start..].as_mut_ptr(), $fma(factor, c, b)) };
                        }
                    }
                    for (to, (b, c)) in rest.iter_mut().zip(b_rest.iter().zip(c_rest)) {
                        *to = b + FACTOR * c;
                    }
                    if PAST {
                        _mm_sfence();
                    }
                }
            }
        }
    };
}

streams!(
    avx2,
    "avx2,fma",
    __m256,
    __m256i,
    _mm256_load_ps,
    _mm256_store_ps,
    _mm256_stream_ps,
    _mm256_set1_ps,
    _mm256_fmadd_ps,
    _mm256_load_si256,
    _mm256_setzero_si256,
    _mm256_add_epi32
);
streams!(
    avx512,
    "avx512f",
    __m512,
    __m512i,
    _mm512_load_ps,
    _mm512_store_ps,
    _mm512_stream_ps,
    _mm512_set1_ps,
    _mm512_fmadd_ps,
    _mm512_load_si512,
    _mm512_setzero_si512,
    _mm512_add_epi32
);
