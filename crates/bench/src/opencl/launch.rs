//! A kernel with its operands on a device, ready to be run.

use eaves_roofline::Work;
use eaves_roofline::measured::{CacheState, Chore, Spec, Verification};

use super::driver::{Argument, Command, Driver, OwnKernel, Range};
use crate::backend::BenchError;

/// One compiled kernel with its arguments.
#[derive(Debug)]
pub(super) struct Stage {
    kernel: OwnKernel,
    #[expect(dead_code, reason = "the driver holds handles alone: this keeps their memory")]
    arguments: Vec<Argument>,
    /// Indices of arguments that choose the copy, and what they are for each.
    copies: Vec<(usize, Vec<Argument>)>,
    range: Range,
}

impl Stage {
    /// A kernel that is run with these arguments, over `groups` groups of `local` items.
    pub(super) fn new(
        driver: &Driver,
        kernel: OwnKernel,
        arguments: Vec<Argument>,
        groups: [usize; 2],
        local: [usize; 2],
    ) -> Result<Self, BenchError> {
        for (index, argument) in arguments.iter().enumerate() {
            driver.set(&kernel, index, argument)?;
        }
        // Nothing at all cannot be run; kernels see by their sizes that exists nothing to do.
        let size = |dimension: usize| groups[dimension].max(1) * local[dimension];
        let range = Range { offset: [0, 0], global: [size(0), size(1)], local };
        Ok(Self { kernel, arguments, copies: Vec::new(), range })
    }

    /// The argument of this index is another one from call to call; the first is that of copy 0.
    #[must_use]
    pub(super) fn rotating(mut self, index: usize, copies: Vec<Argument>) -> Self {
        if copies.len() > 1 {
            self.copies.push((index, copies));
        }
        self
    }

    fn run(&self, driver: &Driver, range: &Range, turn: usize) -> Result<Command, BenchError> {
        for (index, copies) in &self.copies {
            if let Some(copy) = copies.get(turn % copies.len().max(1)) {
                driver.set(&self.kernel, *index, copy)?;
            }
        }
        driver.enqueue(&self.kernel, range)
    }
}

/// Holds the result of a call on copy 0 against a reference.
pub(super) type Check = Box<dyn Fn(&Driver) -> Result<Verification, BenchError>>;

/// A kernel with its operands.
pub(super) struct Prepared {
    pub(super) spec: Spec,
    /// Which code runs.
    pub(super) implementation: String,
    pub(super) work: Work,
    pub(super) chores: Vec<Chore>,
    pub(super) state: CacheState,
    stages: Vec<Stage>,
    /// What is timed by itself: a stage and which of its items. A call is all of them in order.
    pieces: Vec<(usize, Range)>,
    pub(super) check: Check,
}

impl Prepared {
    /// A kernel that does its stages one after the other.
    pub(super) fn new(spec: Spec, state: CacheState, work: Work, stages: Vec<Stage>, check: Check) -> Self {
        let pieces = stages.iter().enumerate().map(|(index, stage)| (index, stage.range)).collect();
        Self { spec, implementation: String::new(), work, chores: Vec::new(), state, stages, pieces, check }
    }

    /// What to call the code.
    #[must_use]
    pub(super) fn called(mut self, implementation: impl Into<String>) -> Self {
        self.implementation = implementation.into();
        self
    }

    /// What it has to do next to arithmetic and movement.
    #[must_use]
    pub(super) fn with_chores(mut self, chores: Vec<Chore>) -> Self {
        self.chores = chores;
        self
    }

    /// Into how many pieces a call is cut.
    pub(super) fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// Puts one piece into the queue.
    pub(super) fn run(&self, driver: &Driver, piece: usize, turn: usize) -> Result<Command, BenchError> {
        let lost = || BenchError::Device { device: "OpenCL".to_owned(), cause: format!("no piece {piece}") };
        let (stage, range) = self.pieces.get(piece).ok_or_else(lost)?;
        self.stages.get(*stage).ok_or_else(lost)?.run(driver, range, turn)
    }

    /// Groups of a piece.
    pub(super) fn groups(&self, piece: usize) -> usize {
        self.pieces.get(piece).map_or(0, |(_, range)| {
            range.global.iter().zip(range.local).map(|(items, local)| items / local.max(1)).product()
        })
    }

    /// Cuts every stage into about this many pieces.
    pub(super) fn cut(&mut self, count: usize) {
        self.pieces = self
            .stages
            .iter()
            .enumerate()
            .flat_map(|(index, stage)| cut(&stage.range, count).into_iter().map(move |range| (index, range)))
            .collect();
    }
}

/// Parts of a range, cut between groups along the longer side. Kernels tell their place by global ids, for the ids of
/// groups begin at zero in each part.
fn cut(range: &Range, count: usize) -> Vec<Range> {
    let groups = |dimension: usize| range.global[dimension] / range.local[dimension].max(1);
    let along = usize::from(groups(1) > groups(0));
    let all = groups(along);
    let count = count.clamp(1, all.max(1));
    let bound = |piece: usize| all * piece / count;
    (0..count)
        .map(|piece| {
            let mut part = *range;
            part.offset[along] += bound(piece) * range.local[along];
            part.global[along] = (bound(piece + 1) - bound(piece)) * range.local[along];
            part
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_every_item_once() {
        for (groups, count) in [(7, 3), (1, 5), (12, 12), (100, 7)] {
            let whole = Range { offset: [0, 0], global: [3, groups * 4], local: [3, 4] };
            let parts = cut(&whole, count);
            let mut next = 0;
            for part in &parts {
                assert_eq!((part.offset, part.global[0], part.local), ([0, next], 3, [3, 4]));
                assert!(part.global[1] > 0 && part.global[1].is_multiple_of(4));
                next += part.global[1];
            }
            assert_eq!(next, groups * 4);
            assert_eq!(parts.len(), count.min(groups));
        }
    }
}
