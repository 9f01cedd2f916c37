//! Where the quotes of a block of text are: a bit for each byte, and how many stand before each 64 of them.
//!
//! A table with hundreds of columns of which a dozen are wanted has hundreds of quotes in a row. To count them costs an
//! instruction for 64 bytes; to write down where each one is would cost more than all that is done with those wanted.
#![expect(unsafe_code, reason = "SIMD intrinsics")]

use crate::json::padded::Padded;

/// The quotes of a block.
#[derive(Default)]
pub(super) struct Quotes {
    /// 64 bytes each, the first one lowest.
    words: Vec<u64>,
    /// How many quotes stand before each word, and in all of them.
    before: Vec<u32>,
}

impl Quotes {
    /// Finds the quotes of a block, which must be shorter than 4 GB.
    pub(super) fn build(&mut self, block: Padded<'_>) {
        let words = block.len().div_ceil(64);
        self.words.clear();
        self.words.reserve(words);
        self.before.clear();
        self.before.reserve(words + 1);
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("popcnt") {
            // SAFETY: the features were just detected.
            return unsafe { self.build_avx512(block) };
        }
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
            // SAFETY: the features were just detected.
            return unsafe { self.build_avx2(block) };
        }
        self.scan(block, portable_quotes);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,popcnt")]
    fn build_avx512(&mut self, block: Padded<'_>) {
        self.scan(block, avx512_quotes);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt")]
    fn build_avx2(&mut self, block: Padded<'_>) {
        self.scan(block, avx2_quotes);
    }

    #[inline(always)]
    fn scan(&mut self, block: Padded<'_>, quotes: impl Fn(&[u8; 64]) -> u64) {
        let mut count = 0;
        for base in (0..block.len()).step_by(64) {
            // Behind the content are zeros, which are no quotes.
            let word = quotes(block.block(base));
            self.words.push(word);
            self.before.push(count);
            count += word.count_ones();
        }
        self.before.push(count);
    }

    /// Number of quotes.
    pub(super) fn count(&self) -> usize {
        self.before.last().map_or(0, |&count| count as usize)
    }

    /// How many quotes stand before a position.
    #[inline]
    pub(super) fn before(&self, position: usize) -> usize {
        let Some(&word) = self.words.get(position / 64) else { return self.count() };
        let within = (word & ((1 << (position % 64)) - 1)).count_ones();
        self.before.get(position / 64).map_or(0, |&before| (before + within) as usize)
    }

    /// The places of some quotes behind a position, told by how many stand between it and them, in rising order. False
    /// if there are not as many.
    #[inline]
    pub(super) fn find(&self, position: usize, wanted: &[u32], places: &mut Vec<u32>) -> bool {
        places.clear();
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2") {
            // SAFETY: the features were just detected.
            return unsafe { self.find_bmi2(position, wanted, places) };
        }
        self.select(position, wanted, places, portable_select)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi1,bmi2")]
    fn find_bmi2(&self, position: usize, wanted: &[u32], places: &mut Vec<u32>) -> bool {
        // The bit is put where the mask has its set bit of that number.
        let select = |word, number: u32| std::arch::x86_64::_pdep_u64(1_u64 << number, word).trailing_zeros();
        self.select(position, wanted, places, select)
    }

    #[inline(always)]
    fn select(
        &self,
        position: usize,
        wanted: &[u32],
        places: &mut Vec<u32>,
        select: impl Fn(u64, u32) -> u32,
    ) -> bool {
        let (first, count) = (self.before(position) as u32, self.count() as u32);
        let mut word = position / 64;
        for &number in wanted {
            let number = first.saturating_add(number);
            if number >= count {
                return false;
            }
            while self.before.get(word + 1).is_some_and(|&before| before <= number) {
                word += 1;
            }
            let (Some(&bits), Some(&before)) = (self.words.get(word), self.before.get(word)) else {
                return false;
            };
            places.push(64 * word as u32 + select(bits, number - before));
        }
        true
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn avx512_quotes(block: &[u8; 64]) -> u64 {
    use std::arch::x86_64::*;
    // SAFETY: only called from `build_avx512`; the load is unaligned and inside the block.
    unsafe {
        let bytes = _mm512_loadu_si512(block.as_ptr().cast());
        _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(b'"' as i8))
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn avx2_quotes(block: &[u8; 64]) -> u64 {
    use std::arch::x86_64::*;
    // SAFETY: only called from `build_avx2`; the loads are unaligned and inside the block.
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
        for length in [0_usize, 1, 63, 64, 65, 130, 1_000] {
            for rare in [1, 2, 3, 7, 64, 100, 2_000] {
                let mut text: Vec<u8> =
                    (0..length).map(|at| if (at * 31 + 5) % rare == 0 { b'"' } else { b'x' }).collect();
                let expected: Vec<u32> = (0..length as u32).filter(|&at| text[at as usize] == b'"').collect();
                text.resize(length + PADDING, 0);
                let (block, mut quotes) = (Padded::new(&text, length), Quotes::default());
                let check = |quotes: &Quotes| {
                    assert_eq!(quotes.count(), expected.len(), "{length} {rare}");
                    for position in (0..=length).step_by(7) {
                        let before = expected.iter().filter(|&&at| (at as usize) < position).count();
                        assert_eq!(quotes.before(position), before, "{length} {rare} {position}");
                        let wanted: Vec<u32> =
                            (0..(expected.len() - before) as u32).filter(|number| number % 3 != 1).collect();
                        let places: Vec<u32> =
                            wanted.iter().map(|&number| expected[before + number as usize]).collect();
                        let mut found = Vec::new();
                        assert!(quotes.find(position, &wanted, &mut found));
                        assert_eq!(found, places);
                        found.clear();
                        assert!(quotes.select(position, &wanted, &mut found, portable_select));
                        assert_eq!(found, places);
                        assert!(!quotes.find(position, &[(expected.len() - before) as u32], &mut found));
                    }
                };
                quotes.build(block);
                check(&quotes);
                quotes = Quotes::default();
                quotes.scan(block, portable_quotes);
                check(&quotes);
                #[cfg(target_arch = "x86_64")]
                if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
                    quotes = Quotes::default();
                    // SAFETY: the features were just detected.
                    unsafe { quotes.build_avx2(block) };
                    check(&quotes);
                }
            }
        }
    }
}
