//! Which thread does what in which piece.

use std::ops::Range;

use eaves_roofline::measured::Attend;

use super::tile::BLOCK;

/// Rows that are done together: as long as a block of keys and values stays in the caches near the core.
const ROWS: usize = 48;

/// Seconds of a piece, about.
const PIECE: f64 = 1e-3;

/// Steps of a piece, at least, so that a piece is as long for every thread: the time of a call is the sum of its pieces, each
/// as long as the slowest thread takes.
const STEPS: f64 = 16.0;

/// Rows of one head of keys and values. The rows of a head are its queries, each with all heads of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// Head of keys and values, over all sequences.
    pub(super) head: usize,
    /// First row of the head.
    pub(super) first: usize,
    /// Rows.
    pub(super) rows: usize,
}

/// Some blocks for one unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) unit: Unit,
    pub(super) blocks: Range<usize>,
    /// Whether nothing was done for the unit before.
    pub(super) begins: bool,
    /// Whether nothing is to be done for it after.
    pub(super) ends: bool,
}

/// What is done, by thread and piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Steps of each piece of each thread.
    pub(super) threads: Vec<Vec<Vec<Step>>>,
    /// Rows of each thread, over all heads.
    pub(super) rows: Vec<usize>,
}

/// Heads of queries that share keys and values.
pub(super) fn group(shape: &Attend) -> usize {
    shape.heads / shape.kv_heads.max(1)
}

/// Tokens that a row sees.
pub(super) fn visible(shape: &Attend, row: usize) -> usize {
    if shape.causal { (shape.context - shape.queries) + row / group(shape).max(1) + 1 } else { shape.context }
}

/// All units of a shape, in order.
pub(super) fn units(shape: &Attend) -> impl Iterator<Item = Unit> {
    let rows = shape.queries * group(shape);
    (0..shape.batch * shape.kv_heads).flat_map(move |head| {
        (0..rows).step_by(ROWS).map(move |first| Unit { head, first, rows: ROWS.min(rows - first) })
    })
}

/// Blocks that any row of a unit sees.
pub(super) fn blocks(shape: &Attend, unit: &Unit) -> usize {
    visible(shape, unit.first + unit.rows - 1).div_ceil(BLOCK)
}

impl Plan {
    /// A plan for this many threads, with pieces of about a millisecond if a block takes a row `seconds_per_row` and is read in
    /// `seconds_per_block`.
    pub(super) fn new(shape: &Attend, threads: usize, seconds_per_row: f64, seconds_per_block: f64) -> Self {
        let cost = |unit: &Unit| unit.rows as f64 * seconds_per_row + seconds_per_block;
        let mut steps = Vec::new();
        for unit in units(shape) {
            let blocks = blocks(shape, &unit);
            let most = ((PIECE / STEPS / cost(&unit)) as usize).max(1);
            for from in (0..blocks).step_by(most) {
                let to = (from + most).min(blocks);
                steps.push(Step { unit, blocks: from..to, begins: from == 0, ends: to == blocks });
            }
        }
        let seconds = |step: &Step| step.blocks.len() as f64 * cost(&step.unit);
        let total: f64 = steps.iter().map(seconds).sum();
        let threads = threads.max(1);
        let pieces = (total / threads as f64 / PIECE).ceil().max(1.0) as usize;
        let mut plan = Self { threads: vec![vec![Vec::new(); pieces]; threads], rows: vec![0; threads] };
        let (mut before, mut thread) = (0.0, 0);
        let share = total / threads as f64;
        for step in steps {
            // A unit stays with its thread. Rounding must not make one more.
            if step.begins {
                thread = ((before / share) as usize).clamp(thread, threads - 1);
            }
            // Where the middle of the step falls.
            let middle = before + seconds(&step) / 2.0 - thread as f64 * share;
            let piece = (middle / share * pieces as f64) as usize;
            before += seconds(&step);
            if let (true, Some(rows)) = (step.begins, plan.rows.get_mut(thread)) {
                *rows += step.unit.rows;
            }
            if let Some(steps) =
                plan.threads.get_mut(thread).and_then(|steps| steps.get_mut(piece.min(pieces - 1)))
            {
                steps.push(step);
            }
        }
        plan
    }

    /// Pieces of a call.
    pub(super) fn pieces(&self) -> usize {
        self.threads.first().map_or(1, Vec::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(heads: usize, kv_heads: usize, queries: usize, context: usize, causal: bool) -> Attend {
        Attend { batch: 2, heads, kv_heads, queries, context, dimension: 64, causal }
    }

    #[test]
    fn every_row_and_every_block_is_done_once_in_order() {
        for shape in [shape(8, 2, 1, 5000, true), shape(4, 4, 100, 130, true), shape(6, 1, 7, 9, false)] {
            for threads in [1, 2, 5] {
                for cost in [1e-9, 1e-5, 1.0] {
                    let plan = Plan::new(&shape, threads, cost, cost);
                    let mut done = Vec::new();
                    for (pieces, rows) in plan.threads.iter().zip(&plan.rows) {
                        let steps: Vec<&Step> = pieces.iter().flatten().collect();
                        let mut next = 0;
                        for step in &steps {
                            assert_eq!(step.blocks.start, next);
                            assert_eq!(step.begins, next == 0);
                            next = if step.ends { 0 } else { step.blocks.end };
                            if step.ends {
                                assert_eq!(step.blocks.end, blocks(&shape, &step.unit));
                                done.push(step.unit);
                            }
                        }
                        assert_eq!(next, 0);
                        let own: usize =
                            steps.iter().filter(|step| step.begins).map(|step| step.unit.rows).sum();
                        assert_eq!(own, *rows);
                    }
                    assert!(done.into_iter().eq(units(&shape)));
                    let rows: usize = units(&shape).map(|unit| unit.rows).sum();
                    assert_eq!(rows, 2 * shape.heads * shape.queries);
                }
            }
        }
    }

    /// Prompts of which later rows see more: no thread has much more than its share of any piece.
    #[test]
    fn pieces_are_as_long_for_every_thread() {
        for (heads, tokens, cost) in [(8, 512, 4e-6), (8, 2048, 2e-6), (2, 512, 1e-6)] {
            let shape = shape(heads, heads, tokens, tokens, true);
            for threads in [2, 4] {
                let plan = Plan::new(&shape, threads, cost, 0.0);
                let cost = |steps: &Vec<Step>| -> f64 {
                    steps.iter().map(|step| (step.blocks.len() * step.unit.rows) as f64 * cost).sum()
                };
                let all: f64 = plan.threads.iter().flatten().map(cost).sum();
                let slowest =
                    |piece: usize| plan.threads.iter().map(|pieces| cost(&pieces[piece])).fold(0.0, f64::max);
                let call: f64 = (0..plan.pieces()).map(slowest).sum();
                let share = all / threads as f64;
                assert!(call < 1.1 * share, "{heads} {tokens} {threads}: {call} of {share}");
            }
        }
    }

    #[test]
    fn new_tokens_see_those_before_them() {
        // Three new tokens after four, two heads for each: 5, 5, 6, 6, 7, 7.
        let shape = shape(4, 2, 3, 7, true);
        assert!((0..6).map(|row| visible(&shape, row)).eq([5, 5, 6, 6, 7, 7]));
    }
}
