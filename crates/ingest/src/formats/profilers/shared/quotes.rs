//! Where some of the quotes behind a place are, told by how many stand between it and them.
//!
//! A table with hundreds of columns of which a dozen are wanted has hundreds of quotes in a row. To count them costs an
//! instruction for 64 bytes; to write down where each one is would cost more than all that is done with those wanted.
#![expect(unsafe_code, reason = "SIMD intrinsics")]

use crate::json::padded::Padded;

/// Finds quotes, with the widest instructions that exist.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Quotes {
    level: Level,
}

#[derive(Clone, Copy, Debug)]
enum Level {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl Default for Quotes {
    fn default() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
                return Self { level: Level::Avx512 };
            }
            if is_x86_feature_detected!("avx2") {
                return Self { level: Level::Avx2 };
            }
        }
        Self { level: Level::Portable }
    }
}

impl Quotes {
    /// The places of some quotes, told by how many stand between a position and them, in rising order. False if there
    /// are not as many. The block must be shorter than 4 GB.
    #[inline]
    pub(in super::super) fn find(
        self,
        block: Padded<'_>,
        position: usize,
        wanted: &[u32],
        places: &mut Vec<u32>,
    ) -> bool {
        places.clear();
        match self.level {
            // SAFETY: the features were detected.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { find_avx512(block, position, wanted, places) },
            // SAFETY: the features were detected.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { find_avx2(block, position, wanted, places) },
            Level::Portable => find(block, position, wanted, places, portable_quotes, portable_select),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,bmi1,bmi2,popcnt")]
fn find_avx512(block: Padded<'_>, position: usize, wanted: &[u32], places: &mut Vec<u32>) -> bool {
    find(block, position, wanted, places, avx512_quotes, |word, number| bmi2_select(word, number))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn find_avx2(block: Padded<'_>, position: usize, wanted: &[u32], places: &mut Vec<u32>) -> bool {
    find(block, position, wanted, places, avx2_quotes, |word, number| bmi2_select(word, number))
}

#[inline(always)]
fn find(
    block: Padded<'_>,
    position: usize,
    wanted: &[u32],
    places: &mut Vec<u32>,
    quotes: impl Fn(&[u8; 64]) -> u64,
    select: impl Fn(u64, u32) -> u32,
) -> bool {
    // Of the 64 bytes from `base` on: their quotes, and how many stand before and at the end of them.
    let (mut base, mut word, mut before, mut behind) = (position, 0, 0, 0);
    let mut next = position;
    for &number in wanted {
        while number >= behind {
            if next >= block.len() {
                return false;
            }
            // Behind the content are zeros, which are not quotes.
            (base, word, before) = (next, quotes(block.block(next)), behind);
            behind += word.count_ones();
            next += 64;
        }
        places.push(base as u32 + select(word, number - before));
    }
    true
}

/// The place of a set bit of that number.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2")]
fn bmi2_select(word: u64, number: u32) -> u32 {
    // The bit is put where the mask has its set bit of that number.
    std::arch::x86_64::_pdep_u64(1_u64 << number, word).trailing_zeros()
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn avx512_quotes(block: &[u8; 64]) -> u64 {
    use std::arch::x86_64::*;
    // SAFETY: only called from `find_avx512`; the load is unaligned and inside the block.
    unsafe {
        let bytes = _mm512_loadu_si512(block.as_ptr().cast());
        _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(b'"' as i8))
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn avx2_quotes(block: &[u8; 64]) -> u64 {
    use std::arch::x86_64::*;
    // SAFETY: only called from `find_avx2`; the loads are unaligned and inside the block.
    unsafe {
        let half = |at: usize| {
            let bytes = _mm256_loadu_si256(block.as_ptr().add(at).cast());
            let equal = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(b'"' as i8));
            u64::from(_mm256_movemask_epi8(equal) as u32)
        };
        half(0) | half(32) << 32
    }
}

fn portable_quotes(block: &[u8; 64]) -> u64 {
    let bit = |(place, &byte): (usize, &u8)| u64::from(byte == b'"') << place;
    block.iter().enumerate().map(bit).fold(0, |word, bit| word | bit)
}

fn portable_select(word: u64, number: u32) -> u32 {
    (0..number).fold(word, |word, _| word & word.wrapping_sub(1)).trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::padded::PADDING;

    /// Texts with none, some and nothing but quotes, of lengths around that of a word, against looking at each byte.
    #[test]
    fn quotes_are_found_where_they_are() {
        let mut levels = vec![Quotes::default(), Quotes { level: Level::Portable }];
        #[cfg(target_arch = "x86_64")]
        if !matches!(levels[0].level, Level::Portable) {
            levels.push(Quotes { level: Level::Avx2 });
        }
        for length in [0_usize, 1, 63, 64, 65, 130, 1_000] {
            for rare in [1, 2, 3, 7, 64, 100, 2_000] {
                let mut text: Vec<u8> =
                    (0..length).map(|at| if (at * 31 + 5) % rare == 0 { b'"' } else { b'x' }).collect();
                let expected: Vec<u32> = (0..length as u32).filter(|&at| text[at as usize] == b'"').collect();
                text.resize(length + PADDING, 0);
                let block = Padded::new(&text, length);
                for (position, quotes) in
                    (0..=length).step_by(7).flat_map(|position| levels.iter().map(move |it| (position, it)))
                {
                    let behind: Vec<u32> =
                        expected.iter().copied().filter(|&at| at as usize >= position).collect();
                    let count = behind.len() as u32;
                    let wanted: Vec<u32> = (0..count).filter(|number| number % 3 != 1).collect();
                    let places: Vec<u32> = wanted.iter().map(|&number| behind[number as usize]).collect();
                    let mut found = vec![7];
                    assert!(quotes.find(block, position, &wanted, &mut found));
                    assert_eq!(found, places, "{length} {rare} {position} {quotes:?}");
                    assert!(!quotes.find(block, position, &[count], &mut found));
                }
            }
        }
    }
}
