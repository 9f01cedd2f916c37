//! One block of keys and values for some rows: scores, softmax so far, weighted values.
//!
//! Keys are stored so that eight tokens lie side by side for each element of the head: a vector holds the scores of eight
//! tokens, and no lanes are ever added. The largest score so far is subtracted before the exponential; when it grows, what
//! was summed is scaled down (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018).

use super::super::exp::exp;
use super::lanes::{Element, Lanes};

/// Tokens of a block.
pub(super) const BLOCK: usize = 64;

/// Elements of a head are stored as a multiple of this.
pub(super) const GRANULE: usize = 16;

/// What is known of a row so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// The largest score.
    largest: f32,
    /// Sums of exponentials, in lanes.
    sums: [f32; 8],
}

impl State {
    pub(super) const EMPTY: Self = Self { largest: f32::NEG_INFINITY, sums: [0.0; 8] };

    /// What weighted values are divided by.
    pub(super) fn sum(&self) -> f32 {
        self.sums.iter().sum()
    }
}

/// Some rows: queries times scale, results so far, and how many tokens each sees.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    pub(super) queries: &'a [f32],
    pub(super) results: &'a mut [f32],
    pub(super) states: &'a mut [State],
    pub(super) visible: &'a [usize],
    /// Room for scores: [`BLOCK`] for each row.
    pub(super) scores: &'a mut [f32],
    /// Elements of a head, padded.
    pub(super) dimension: usize,
}

/// A block of keys and values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'a> {
    pub(super) keys: &'a [u8],
    pub(super) values: &'a [u8],
    /// Its first token.
    pub(super) first: usize,
}

/// Adds one block to all rows.
pub(super) type Add = unsafe fn(&mut Rows<'_>, &Block<'_>);

/// The function for eight lanes of `L` and elements `E`. Inlined into functions that may use the instructions.
///
/// # Safety
/// The instructions must be there.
#[inline(always)]
pub(super) unsafe fn add<L: Lanes, E: Element<L>>(rows: &mut Rows<'_>, block: &Block<'_>) {
    let (count, dimension) = (rows.states.len(), rows.dimension);
    let whole = rows.queries.len() >= count * dimension
        && rows.results.len() >= count * dimension
        && rows.scores.len() >= count * BLOCK
        && rows.visible.len() >= count
        && dimension.is_multiple_of(GRANULE)
        && block.keys.len().min(block.values.len()) >= BLOCK * dimension * E::BYTES;
    if !whole {
        return;
    }
    let mut first = 0;
    while first < count {
        // SAFETY: lengths were compared.
        first += unsafe {
            match count - first {
                6.. => group::<L, E, 6, 2>(rows, block, first),
                4.. => group::<L, E, 4, 2>(rows, block, first),
                2.. => group::<L, E, 2, 4>(rows, block, first),
                _ => group::<L, E, 1, 8>(rows, block, first),
            }
        };
    }
}

/// Does `R` rows with `V` vectors each at a time; the answer is `R`.
#[inline(always)]
unsafe fn group<L: Lanes, E: Element<L>, const R: usize, const V: usize>(
    rows: &mut Rows<'_>,
    block: &Block<'_>,
    first: usize,
) -> usize {
    let dimension = rows.dimension;
    // SAFETY: the caller compared lengths: there are `R` rows from `first` on, and a whole block.
    unsafe {
        let queries = rows.queries.as_ptr().add(first * dimension);
        let weights = rows.scores.as_mut_ptr().add(first * BLOCK);
        let results = rows.results.as_mut_ptr().add(first * dimension);
        for token in (0..BLOCK).step_by(8 * V) {
            let at = token * dimension * E::BYTES;
            let (keys, ahead) = (block.keys.as_ptr().add(at), block.values.as_ptr().add(at));
            scores::<L, E, R, V>(queries, keys, ahead, dimension, weights.add(token));
        }
        let mut corrections = [0.0; R];
        for (row, correction) in corrections.iter_mut().enumerate() {
            let visible =
                rows.visible.get(first + row).map_or(0, |visible| visible.saturating_sub(block.first));
            if let Some(state) = rows.states.get_mut(first + row) {
                *correction = soften::<L>(state, weights.add(row * BLOCK), visible);
            }
        }
        // The keys of the next block.
        let next = block.keys.as_ptr().wrapping_add(BLOCK * dimension * E::BYTES);
        let mut column = 0;
        while column + 8 * V <= dimension {
            weigh::<L, E, R, V>(
                block.values.as_ptr(),
                next,
                weights,
                &corrections,
                dimension,
                column,
                results,
            );
            column += 8 * V;
        }
        while column < dimension {
            weigh::<L, E, R, 2>(
                block.values.as_ptr(),
                next,
                weights,
                &corrections,
                dimension,
                column,
                results,
            );
            column += 16;
        }
    }
    R
}

/// Scores of `R` rows and `8 V` tokens. Meanwhile values are fetched, which are needed next.
#[inline(always)]
unsafe fn scores<L: Lanes, E: Element<L>, const R: usize, const V: usize>(
    queries: *const f32,
    keys: *const u8,
    ahead: *const u8,
    dimension: usize,
    to: *mut f32,
) {
    // SAFETY: the caller has `R` rows of queries, `V` tiles of keys, and room for scores.
    unsafe {
        let mut sums = [[L::splat(0.0); V]; R];
        for element in 0..dimension {
            let mut tile = [L::splat(0.0); V];
            for (index, vector) in tile.iter_mut().enumerate() {
                let at = 8 * (index * dimension + element) * E::BYTES;
                if at.is_multiple_of(64) {
                    L::fetch(ahead.wrapping_add(at));
                }
                *vector = E::load(keys.add(at));
            }
            for (row, sums) in sums.iter_mut().enumerate() {
                let query = L::splat(*queries.add(row * dimension + element));
                for (sum, keys) in sums.iter_mut().zip(tile) {
                    *sum = query.multiply_add(keys, *sum);
                }
            }
        }
        for (row, sums) in sums.into_iter().enumerate() {
            for (index, sum) in sums.into_iter().enumerate() {
                sum.store(to.add(row * BLOCK + 8 * index));
            }
        }
    }
}

/// Turns the scores of a row into exponentials; the answer is what its results so far are multiplied by.
#[inline(always)]
pub(super) unsafe fn soften<L: Lanes>(state: &mut State, scores: *mut f32, visible: usize) -> f32 {
    // SAFETY: the caller has a block of scores.
    unsafe {
        for token in visible..BLOCK {
            *scores.add(token) = f32::NEG_INFINITY;
        }
        let mut lanes = L::load(scores);
        for token in (8..BLOCK).step_by(8) {
            lanes = lanes.larger(L::load(scores.add(token)));
        }
        let mut each = [0.0; 8];
        lanes.store(each.as_mut_ptr());
        let largest =
            each.into_iter().fold(state.largest, |one, other| if other > one { other } else { one });
        // A row that has seen nothing yet, and does not here.
        let shift = if largest == f32::NEG_INFINITY { 0.0 } else { largest };
        let correction = if largest == state.largest { 1.0 } else { exp(state.largest - shift) };
        state.largest = largest;
        let shift = L::splat(shift);
        let mut sums = L::load(state.sums.as_ptr()).multiply_add(L::splat(correction), L::splat(0.0));
        for token in (0..BLOCK).step_by(8) {
            let weights = L::load(scores.add(token)).exp_less(shift);
            weights.store(scores.add(token));
            sums = weights.multiply_add(L::splat(1.0), sums);
        }
        sums.store(state.sums.as_mut_ptr());
        correction
    }
}

/// Adds the weighted values of a block to `8 V` columns of `R` rows. Meanwhile keys are fetched, which are needed next.
#[inline(always)]
unsafe fn weigh<L: Lanes, E: Element<L>, const R: usize, const V: usize>(
    values: *const u8,
    ahead: *const u8,
    weights: *const f32,
    corrections: &[f32; R],
    dimension: usize,
    column: usize,
    results: *mut f32,
) {
    // SAFETY: the caller has a block of values, of weights for `R` rows, and as many results.
    unsafe {
        let mut sums = [[L::splat(0.0); V]; R];
        for (row, sums) in sums.iter_mut().enumerate() {
            for (index, sum) in sums.iter_mut().enumerate() {
                let so_far = L::load(results.add(row * dimension + column + 8 * index));
                *sum = so_far.multiply_add(L::splat(corrections[row]), *sum);
            }
        }
        for token in 0..BLOCK {
            let mut tile = [L::splat(0.0); V];
            for (index, vector) in tile.iter_mut().enumerate() {
                let at = (token * dimension + column + 8 * index) * E::BYTES;
                if at.is_multiple_of(64) {
                    L::fetch(ahead.wrapping_add(at));
                }
                *vector = E::load(values.add(at));
            }
            for (row, sums) in sums.iter_mut().enumerate() {
                let weight = L::splat(*weights.add(row * BLOCK + token));
                for (sum, values) in sums.iter_mut().zip(tile) {
                    *sum = weight.multiply_add(values, *sum);
                }
            }
        }
        for (row, sums) in sums.into_iter().enumerate() {
            for (index, sum) in sums.into_iter().enumerate() {
                sum.store(results.add(row * dimension + column + 8 * index));
            }
        }
    }
}

/// How often a block is read for this many rows.
pub(super) fn passes(rows: usize) -> usize {
    // As `add` does it: sixes, then a four, a two, a one.
    rows / 6 + [0, 1, 1, 2, 1, 2].get(rows % 6).copied().unwrap_or_default()
}
