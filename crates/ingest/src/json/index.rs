//! Stage one: the positions of quotes and of brackets outside strings.
//!
//! 64 bytes at a time: compare with each wanted byte, gather the answers in a 64 bit mask, remove escaped
//! quotes, and find what is inside strings by a running parity (a carry-less multiplication by ones). The method
//! is that of Langdale and Lemire, "Parsing Gigabytes of JSON per Second", VLDB Journal 28 (2019); commas and
//! colons are skipped because the walk does not need them.
#![expect(unsafe_code, reason = "SIMD intrinsics and the unchecked store of positions")]

use super::padded::Padded;

/// Sentinels behind the positions, so that the walk may look a few entries ahead.
const SENTINELS: usize = 8;

/// Positions of quotes and brackets in a chunk.
#[derive(Default)]
pub(crate) struct Index {
    positions: Vec<u32>,
    count: usize,
    /// True if the chunk has any backslash; only then texts need a look for escapes.
    pub(crate) has_backslash: bool,
}

/// What one block of 64 bytes holds, a bit per byte.
struct Masks {
    quotes: u64,
    backslashes: u64,
    brackets: u64,
}

impl Index {
    /// Indexes a chunk that starts outside of any string. The chunk must be shorter than 4 GB.
    pub(crate) fn build(&mut self, chunk: Padded<'_>) {
        self.positions.clear();
        // One entry per byte at worst; memory never written is never taken from the system.
        self.positions.reserve(chunk.len() + 64 + SENTINELS);
        self.has_backslash = false;
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("pclmulqdq")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
        {
            // SAFETY: the features were just detected.
            unsafe { self.build_avx512(chunk) };
            return self.seal(chunk.len());
        }
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("pclmulqdq")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
        {
            // SAFETY: the features were just detected.
            unsafe { self.build_avx2(chunk) };
            return self.seal(chunk.len());
        }
        self.scan(chunk, portable_masks, portable_parity, portable_store);
        self.seal(chunk.len());
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,pclmulqdq,bmi1,bmi2,popcnt")]
    fn build_avx512(&mut self, chunk: Padded<'_>) {
        self.scan(chunk, avx512_masks, clmul_parity, avx512_store);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,pclmulqdq,bmi1,bmi2,popcnt")]
    fn build_avx2(&mut self, chunk: Padded<'_>) {
        self.scan(chunk, avx2_masks, clmul_parity, portable_store);
    }

    #[inline(always)]
    fn scan(
        &mut self,
        chunk: Padded<'_>,
        masks: impl Fn(&[u8; 64]) -> Masks,
        parity: impl Fn(u64) -> u64,
        store: impl Fn(*mut u32, u32, u64),
    ) {
        let mut in_string = 0u64;
        let mut escaped = false;
        let mut count = 0;
        let mut base = 0;
        let mut any_backslash = 0;
        while base < chunk.len() {
            let mut masks = masks(chunk.block(base));
            any_backslash |= masks.backslashes;
            if masks.backslashes != 0 || escaped {
                masks.quotes &= !escaped_bytes(masks.backslashes, &mut escaped);
            }
            let strings = parity(masks.quotes) ^ in_string;
            in_string = ((strings as i64) >> 63) as u64;
            let bits = (masks.brackets & !strings) | masks.quotes;
            // SAFETY: `build` reserved an entry per byte of the chunk plus 64 + SENTINELS; `count` is at most the
            // number of bytes before this block, and a store writes at most 64 entries.
            store(unsafe { self.positions.as_mut_ptr().add(count) }, base as u32, bits);
            count += bits.count_ones() as usize;
            base += 64;
        }
        self.count = count;
        self.has_backslash = any_backslash != 0;
    }

    fn seal(&mut self, length: usize) {
        // SAFETY: `count` entries were written, and the reserve leaves room for the sentinels.
        unsafe {
            self.positions.set_len(self.count);
        }
        // The padding is zero, so no entry points behind the content.
        debug_assert!(self.positions.last().is_none_or(|&last| (last as usize) < length));
        self.positions.extend([length as u32; SENTINELS]);
    }

    /// Number of positions, sentinels not counted.
    #[inline(always)]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// A position; the length of the chunk for the first few entries behind the last.
    #[inline(always)]
    pub(crate) fn get(&self, entry: usize) -> usize {
        debug_assert!(entry < self.positions.len());
        // SAFETY: the walk stops at the first sentinel and looks at most `SENTINELS - 1` entries ahead.
        unsafe { *self.positions.get_unchecked(entry) as usize }
    }
}

/// Bytes that follow an active backslash. Rare, so one bit at a time.
fn escaped_bytes(mut backslashes: u64, carry: &mut bool) -> u64 {
    let mut escaped = u64::from(*carry);
    backslashes &= !escaped;
    *carry = false;
    while backslashes != 0 {
        let bit = backslashes.trailing_zeros();
        if bit == 63 {
            *carry = true;
            break;
        }
        escaped |= 2 << bit;
        // This backslash is used up, and so is a backslash right behind it.
        backslashes &= !(3 << bit);
    }
    escaped
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn avx2_masks(block: &[u8; 64]) -> Masks {
    use std::arch::x86_64::*;
    // SAFETY: only called from `build_avx2`, and the loads stay inside the block.
    unsafe {
        let low = _mm256_loadu_si256(block.as_ptr().cast());
        let high = _mm256_loadu_si256(block.as_ptr().add(32).cast());
        let gather = |low: __m256i, high: __m256i| {
            u64::from(_mm256_movemask_epi8(low) as u32) | u64::from(_mm256_movemask_epi8(high) as u32) << 32
        };
        let equal = |byte: u8| {
            let wanted = _mm256_set1_epi8(byte as i8);
            gather(_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted))
        };
        // Setting bit 5 folds `[` to `{` and `]` to `}`, and nothing else onto them.
        let fold = _mm256_set1_epi8(0x20);
        let (low_folded, high_folded) = (_mm256_or_si256(low, fold), _mm256_or_si256(high, fold));
        let (open, close) = (_mm256_set1_epi8(b'{' as i8), _mm256_set1_epi8(b'}' as i8));
        let bracket =
            |bytes: __m256i| _mm256_or_si256(_mm256_cmpeq_epi8(bytes, open), _mm256_cmpeq_epi8(bytes, close));
        Masks {
            quotes: equal(b'"'),
            backslashes: equal(b'\\'),
            brackets: gather(bracket(low_folded), bracket(high_folded)),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn clmul_parity(bits: u64) -> u64 {
    use std::arch::x86_64::*;
    // SAFETY: only called from `build_avx2`.
    unsafe {
        let product = _mm_clmulepi64_si128(_mm_set_epi64x(0, bits as i64), _mm_set1_epi8(-1), 0);
        _mm_cvtsi128_si64(product) as u64
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn avx512_masks(block: &[u8; 64]) -> Masks {
    use std::arch::x86_64::*;
    // SAFETY: only called from `build_avx512`; the load is unaligned and inside the block.
    unsafe {
        let bytes = _mm512_loadu_si512(block.as_ptr().cast());
        let equal = |bytes: __m512i, byte: u8| _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8));
        // As in `avx2_masks`: one fold for both kinds of bracket.
        let folded = _mm512_or_si512(bytes, _mm512_set1_epi8(0x20));
        Masks {
            quotes: equal(bytes, b'"'),
            backslashes: equal(bytes, b'\\'),
            brackets: equal(folded, b'{') | equal(folded, b'}'),
        }
    }
}

/// As [`portable_store`], sixteen positions at a time: the numbers 0 to 63 are compressed to those of set bits.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn avx512_store(out: *mut u32, base: u32, bits: u64) {
    use std::arch::x86_64::*;
    const NUMBERS: [u8; 64] = {
        let mut numbers = [0; 64];
        let mut at = 0;
        while at < 64 {
            numbers[at] = at as u8;
            at += 1;
        }
        numbers
    };
    // SAFETY: only called from `build_avx512`, with room for 64 entries.
    unsafe {
        let numbers = _mm512_loadu_si512(NUMBERS.as_ptr().cast());
        let places = _mm512_maskz_compress_epi8(bits, numbers);
        let bases = _mm512_set1_epi32(base as i32);
        let put = |at: usize, places: __m128i| {
            let positions = _mm512_add_epi32(_mm512_cvtepu8_epi32(places), bases);
            _mm512_storeu_si512(out.add(at).cast(), positions);
        };
        put(0, _mm512_castsi512_si128(places));
        let found = bits.count_ones();
        if found > 16 {
            put(16, _mm512_extracti32x4_epi32(places, 1));
        }
        if found > 32 {
            put(32, _mm512_extracti32x4_epi32(places, 2));
            put(48, _mm512_extracti32x4_epi32(places, 3));
        }
    }
}

fn portable_masks(block: &[u8; 64]) -> Masks {
    let mut masks = Masks { quotes: 0, backslashes: 0, brackets: 0 };
    for (bit, &byte) in block.iter().enumerate() {
        masks.quotes |= u64::from(byte == b'"') << bit;
        masks.backslashes |= u64::from(byte == b'\\') << bit;
        masks.brackets |= u64::from(matches!(byte, b'{' | b'}' | b'[' | b']')) << bit;
    }
    masks
}

/// Writes the positions of the set bits. Eight at a time without a branch in between: most blocks hold fewer, and
/// what is written too much is overwritten by the next block.
#[inline(always)]
fn portable_store(out: *mut u32, base: u32, mut bits: u64) {
    let found = bits.count_ones();
    // SAFETY: the caller has room for 64 entries.
    unsafe {
        for slot in 0..8 {
            *out.add(slot) = base + bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
        }
        if found > 8 {
            for slot in 8..16 {
                *out.add(slot) = base + bits.trailing_zeros();
                bits &= bits.wrapping_sub(1);
            }
        }
        let mut slot = 16;
        while bits != 0 {
            *out.add(slot) = base + bits.trailing_zeros();
            bits &= bits - 1;
            slot += 1;
        }
    }
}

/// Bit `i` of the answer is the parity of bits `0..=i`.
fn portable_parity(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::padded::PADDING;
    use super::*;

    /// The positions in every way that this machine can find them.
    fn positions(text: &[u8]) -> Vec<Vec<u32>> {
        let mut bytes = text.to_vec();
        bytes.resize(text.len() + PADDING, 0);
        let chunk = Padded::new(&bytes, text.len());
        let mut ways: Vec<fn(&mut Index, Padded<'_>)> = vec![Index::build, |index, chunk| {
            index.scan(chunk, portable_masks, portable_parity, portable_store)
        }];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("pclmulqdq") {
            // SAFETY: every processor with AVX2 has the small features.
            ways.push(|index, chunk| unsafe { index.build_avx2(chunk) });
        }
        let find = |way: fn(&mut Index, Padded<'_>)| {
            let mut index = Index::default();
            index.positions.reserve(text.len() + 64 + SENTINELS);
            way(&mut index, chunk);
            if index.positions.is_empty() {
                index.seal(text.len());
            }
            index.positions[..index.count()].to_vec()
        };
        ways.into_iter().map(find).collect()
    }

    fn check(text: &[u8]) {
        let expected = by_hand(text);
        for (way, found) in positions(text).into_iter().enumerate() {
            assert_eq!(found, expected, "way {way}");
        }
    }

    /// The twin: one byte at a time.
    fn by_hand(text: &[u8]) -> Vec<u32> {
        let (mut found, mut in_string, mut escaped) = (Vec::new(), false, false);
        for (position, &byte) in text.iter().enumerate() {
            if escaped {
                escaped = false;
                // An escaped bracket outside a string is still a bracket; only quotes can be escaped.
                if byte == b'"' || byte == b'\\' || in_string {
                    continue;
                }
            }
            match byte {
                b'\\' => escaped = true,
                b'"' => {
                    in_string = !in_string;
                    found.push(position as u32);
                }
                b'{' | b'}' | b'[' | b']' if !in_string => found.push(position as u32),
                _ => {}
            }
        }
        found
    }

    #[test]
    fn escapes_across_blocks() {
        for padding in 0..130 {
            let text = format!("{}{{\"a\\\\\\\"b\": \"\\\\\", \"c\": [1]}}", " ".repeat(padding));
            check(text.as_bytes());
        }
    }

    proptest! {
        #[test]
        fn every_way_agrees_with_one_byte_at_a_time(
            text in prop::collection::vec(prop::sample::select(b"\"\\{}[]a,: \n\xff".to_vec()), 0..400)
        ) {
            check(&text);
        }
    }
}
