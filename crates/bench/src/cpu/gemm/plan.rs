//! How a product is cut: among threads, into blocks that caches hold, into pieces that are shorter than a timeslice.

use std::ops::Range;

/// Sizes of blocks, at most: a block of A of `rows x depth` stays in the second cache, one of B of `depth x columns` in the
/// last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Blocking {
    pub(super) rows: usize,
    pub(super) depth: usize,
    pub(super) columns: usize,
}

/// One block of A times one of B.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) rows: Range<usize>,
    pub(super) depth: Range<usize>,
    pub(super) columns: Range<usize>,
    /// True if B was not packed by the step before.
    pub(super) packs: bool,
}

/// A length in parts that are as even as multiples of `unit` allow, none longer than `most`, which holds a unit at least.
pub(super) fn even(range: Range<usize>, most: usize, unit: usize) -> Vec<Range<usize>> {
    let length = range.len();
    let unit = unit.max(1);
    let most = (most / unit * unit).max(unit);
    let parts = length.div_ceil(most).max(1);
    let size = length.div_ceil(parts).next_multiple_of(unit).max(1);
    let mut starts = range.clone().step_by(size).peekable();
    let mut cut = Vec::with_capacity(parts);
    while let Some(start) = starts.next() {
        cut.push(start..starts.peek().copied().unwrap_or(range.end));
    }
    cut
}

/// A length in this many parts, as even as multiples of `unit` allow; later ones may be empty.
fn parts(length: usize, count: usize, unit: usize) -> Vec<Range<usize>> {
    let units = length.div_ceil(unit.max(1));
    let at = |part: usize| (part * units / count * unit).min(length);
    (0..count).map(|part| at(part)..at(part + 1)).collect()
}

/// How many parts of the rows there are in the grid of threads.
pub(super) fn down(m: usize, n: usize, threads: usize) -> usize {
    let threads = threads.max(1);
    (1..=threads)
        .filter(|down| threads.is_multiple_of(*down))
        .min_by_key(|down| m.div_ceil(*down) + n.div_ceil(threads / down))
        .unwrap_or(1)
}

/// The rectangle of the result (rows, columns) of each thread. Each packs the rows and the columns of its own, so the
/// grid is the one in which a thread has the fewest of both.
pub(super) fn rectangles(
    m: usize,
    n: usize,
    threads: usize,
    (unit_rows, unit_columns): (usize, usize),
) -> Vec<(Range<usize>, Range<usize>)> {
    let threads = threads.max(1);
    let down = down(m, n, threads);
    let rows = parts(m, down, unit_rows);
    let columns = parts(n, threads / down, unit_columns);
    rows.iter().flat_map(|rows| columns.iter().map(|columns| (rows.clone(), columns.clone()))).collect()
}

/// The steps of a rectangle, in order. A product of no depth still has its zeros to write.
pub(super) fn steps(
    rows: &Range<usize>,
    columns: &Range<usize>,
    k: usize,
    blocking: Blocking,
    (unit_rows, unit_columns, unit_depth): (usize, usize, usize),
) -> Vec<Step> {
    let depths =
        if k == 0 { std::iter::once(0..0).collect() } else { even(0..k, blocking.depth, unit_depth) };
    let rows = even(rows.clone(), blocking.rows, unit_rows);
    let mut steps = Vec::new();
    for columns in even(columns.clone(), blocking.columns, unit_columns) {
        for depth in &depths {
            for (index, rows) in rows.iter().enumerate() {
                steps.push(Step {
                    rows: rows.clone(),
                    depth: depth.clone(),
                    columns: columns.clone(),
                    packs: index == 0,
                });
            }
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_even_and_cover() {
        assert_eq!(even(0..10, 4, 1), [0..4, 4..8, 8..10]);
        assert_eq!(even(5..517, 144, 14), [5..145, 145..285, 285..425, 425..517]);
        assert_eq!(even(3..3, 4, 1), []);
        assert_eq!(parts(10, 3, 4), [0..4, 4..8, 8..10]);
        assert_eq!(parts(4, 3, 4), [0..0, 0..0, 0..4]);
    }

    #[test]
    fn every_product_is_done_once_by_one_thread() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..200 {
            let (m, n, k) = (random.usize(0..40), random.usize(0..40), random.usize(0..40));
            let blocking = Blocking {
                rows: random.usize(1..20),
                depth: random.usize(1..20),
                columns: random.usize(1..20),
            };
            let threads = random.usize(1..9);
            let mut seen = vec![0; m * n * k];
            let rectangles = rectangles(m, n, threads, (6, 8));
            assert_eq!(rectangles.len(), threads);
            for (rows, columns) in rectangles {
                for step in steps(&rows, &columns, k, blocking, (6, 8, 4)) {
                    for row in step.rows {
                        for column in step.columns.clone() {
                            for depth in step.depth.clone() {
                                seen[(row * n + column) * k + depth] += 1;
                            }
                        }
                    }
                }
            }
            assert!(seen.iter().all(|times| *times == 1));
        }
    }

    #[test]
    fn a_grid_packs_the_least() {
        let grid = |m, n, threads| rectangles(m, n, threads, (1, 1))[0].clone();
        assert_eq!(grid(100, 100, 4), (0..50, 0..50));
        assert_eq!(grid(10, 1000, 4), (0..10, 0..250));
        assert_eq!(grid(1000, 10, 4), (0..250, 0..10));
    }
}
