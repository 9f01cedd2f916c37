//! The packed product: the loops around the micro-kernel, and the kernel that timing sees.

use std::ops::Range;

use eaves_roofline::Work;
use eaves_roofline::measured::{CacheState, Chore, Spec, Verification};

use super::pack::{Left, Right};
use super::plan::{self, Blocking, Step};
use super::reference;
use super::tile::{Run, Tile};
use crate::buffer::{Buffer, Plain};
use crate::kernel::{Kernel, Worker};

/// Elements of a result.
pub(super) trait Sum: Plain + Default + Into<f64> + std::ops::Add<Output = Self> {}
impl<T: Plain + Default + Into<f64> + std::ops::Add<Output = T>> Sum for T {}

/// What is known of a product next to its operands.
pub(super) struct Description {
    pub(super) spec: Spec,
    /// Rows, columns, depth.
    pub(super) shape: (usize, usize, usize),
    /// What follows the name of the micro-kernel: `, compute fp32`.
    pub(super) note: String,
    pub(super) work: Work,
    pub(super) chores: Vec<Chore>,
    pub(super) state: CacheState,
    pub(super) blocking: Blocking,
    /// Operations that are about a piece.
    pub(super) piece: f64,
    pub(super) threads: usize,
    /// The largest error that is allowed, as [`reference::verify`] has it.
    pub(super) tolerance: f64,
}

/// A product whose operands are packed while it runs.
pub(super) struct Product<A: Plain, B: Plain, C: Sum> {
    description: Description,
    tile: &'static Tile<A, B, C>,
    a: Box<dyn Left<A>>,
    b: Box<dyn Right<B>>,
    c: Buffer<C>,
    /// For each thread, its steps and which of them are each piece.
    shares: Vec<(Vec<Step>, Vec<Range<usize>>)>,
}

impl<A: Plain, B: Plain, C: Sum> Product<A, B, C> {
    /// A product of these operands; `None` if there is not enough memory for the result.
    pub(super) fn new(
        description: Description,
        tile: &'static Tile<A, B, C>,
        a: Box<dyn Left<A>>,
        b: Box<dyn Right<B>>,
    ) -> Option<Self> {
        let (m, n, k) = description.shape;
        let c = Buffer::zeroed(m.checked_mul(n)?)?;
        let units = (tile.rows(), tile.columns, tile.group);
        let steps: Vec<Vec<Step>> = plan::rectangles(m, n, description.threads, (units.0, units.1))
            .iter()
            .map(|(rows, columns)| plan::steps(rows, columns, k, description.blocking, units))
            .collect();
        let most = steps.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let all = description.work.flops / description.threads.max(1) as f64;
        let pieces = ((all / description.piece).round() as usize).clamp(1, most);
        let shares = steps
            .into_iter()
            .map(|steps| {
                let at = |piece: usize| (piece * most / pieces).min(steps.len());
                let pieces = (0..pieces).map(|piece| at(piece)..at(piece + 1)).collect();
                (steps, pieces)
            })
            .collect();
        Some(Self { description, tile, a, b, c, shares })
    }
}

impl<A: Plain, B: Plain, C: Sum> Kernel for Product<A, B, C> {
    fn spec(&self) -> Spec {
        self.description.spec
    }

    fn implementation(&self) -> String {
        format!("{} packed{}", self.tile.name, self.description.note)
    }

    fn work(&self) -> Work {
        self.description.work.clone()
    }

    fn chores(&self) -> Vec<Chore> {
        self.description.chores.clone()
    }

    fn state(&self) -> CacheState {
        self.description.state
    }

    fn huge_pages(&self) -> Option<bool> {
        self.b.huge_pages()
    }

    fn pieces(&self) -> usize {
        self.shares.iter().map(|(_, pieces)| pieces.len()).max().unwrap_or(1)
    }

    fn workers(&mut self, _threads: usize) -> Vec<Box<dyn Worker + '_>> {
        let stride = self.description.shape.1;
        let start = self.c.as_mut_ptr();
        let (tile, a, b) = (self.tile, &*self.a, &*self.b);
        self.shares
            .iter()
            .map(|(steps, pieces)| {
                let room = |size: fn(&Tile<A, B, C>, &Step) -> usize| {
                    steps.iter().map(|step| size(tile, step)).max().unwrap_or(0)
                };
                let a_room = room(|tile, step| tile.reach * step.rows.len());
                let b_room = room(|tile, step| {
                    tile.b_panel(step.depth.len()) * step.columns.len().div_ceil(tile.columns)
                });
                let (Some(packed_a), Some(packed_b)) = (Buffer::zeroed(a_room), Buffer::zeroed(b_room))
                else {
                    // The result stays zero, which verification will say.
                    return Box::new(Idle) as Box<dyn Worker>;
                };
                let c = Target { start, stride };
                Box::new(Share { tile, a, b, c, steps, pieces, packed_a, packed_b }) as Box<dyn Worker>
            })
            .collect()
    }

    fn verify(&self) -> Verification {
        let description = &self.description;
        reference::verify(description.shape, &*self.a, &*self.b, &self.c, description.tolerance)
    }
}

struct Idle;

impl Worker for Idle {
    fn run(&mut self, _piece: usize, _turn: usize) {}
}

/// Where the result is.
#[derive(Clone, Copy)]
struct Target<C> {
    start: *mut C,
    stride: usize,
}

// SAFETY: threads write rectangles that do not overlap, while the product, which owns the memory, is borrowed.
unsafe impl<C: Send> Send for Target<C> {}

/// What one thread does.
struct Share<'a, A: Plain, B: Plain, C: Sum> {
    tile: &'static Tile<A, B, C>,
    a: &'a dyn Left<A>,
    b: &'a dyn Right<B>,
    c: Target<C>,
    steps: &'a [Step],
    pieces: &'a [Range<usize>],
    packed_a: Buffer<A>,
    packed_b: Buffer<B>,
}

impl<A: Plain, B: Plain, C: Sum> Worker for Share<'_, A, B, C> {
    fn run(&mut self, piece: usize, turn: usize) {
        let steps = self.pieces.get(piece).and_then(|range| self.steps.get(range.clone()));
        for step in steps.unwrap_or(&[]) {
            self.step(step, turn);
        }
    }
}

impl<A: Plain, B: Plain, C: Sum> Share<'_, A, B, C> {
    fn step(&mut self, step: &Step, turn: usize) {
        let tile = self.tile;
        if step.packs {
            let copy = turn % self.b.copies();
            let size = tile.b_panel(step.depth.len()) * step.columns.len().div_ceil(tile.columns);
            if let Some(out) = self.packed_b.get_mut(..size) {
                self.b.pack(copy, step.columns.clone(), step.depth.clone(), tile.columns, out);
            }
        }
        let copy = turn % self.a.copies();
        self.a.pack(copy, step.rows.clone(), step.depth.clone(), tile.reach, &mut self.packed_a);
        self.multiply(step);
    }

    /// The packed block of A times that of B.
    fn multiply(&mut self, step: &Step) {
        let (tile, stride) = (self.tile, self.c.stride);
        let groups = step.depth.len().div_ceil(tile.group);
        let b_panel = tile.b_panel(step.depth.len());
        let accumulate = step.depth.start > 0;
        for (j, column) in step.columns.clone().step_by(tile.columns).enumerate() {
            let columns = tile.columns.min(step.columns.end - column);
            // SAFETY: this many panels were packed.
            let b = unsafe { self.packed_b.as_ptr().add(j * b_panel) };
            for row in step.rows.clone().step_by(tile.rows()) {
                let rows = tile.rows().min(step.rows.end - row);
                let Some(run) = tile.run.get(rows - 1) else { continue };
                // SAFETY: the panels are packed, the tile is inside the rectangle of this thread, and the instructions
                // were found when the micro-kernel was chosen.
                unsafe {
                    let a = self.packed_a.as_ptr().add((row - step.rows.start) * tile.reach);
                    let c = self.c.start.add(row * stride + column);
                    if columns == tile.columns {
                        run(groups, a, b, c, stride, accumulate);
                    } else {
                        edge(*run, groups, a, b, c, stride, accumulate, (rows, columns, tile.columns));
                    }
                }
            }
        }
    }
}

/// Room for a tile of which not all columns are wanted.
const ROOM: usize = 1024;

/// A tile of which only `columns` of `width` are wanted, by way of the stack.
///
/// # Safety
/// As the micro-kernel asks, but for a result of `rows` times `columns`.
#[expect(clippy::too_many_arguments, reason = "those of the micro-kernel and the size of the tile")]
unsafe fn edge<A, B, C: Sum>(
    run: Run<A, B, C>,
    groups: usize,
    a: *const A,
    b: *const B,
    c: *mut C,
    stride: usize,
    accumulate: bool,
    (rows, columns, width): (usize, usize, usize),
) {
    let mut room = [C::default(); ROOM];
    // SAFETY: the room holds a whole tile of any micro-kernel, the result what is wanted.
    unsafe {
        run(groups, a, b, room.as_mut_ptr(), width, false);
        for row in 0..rows {
            for column in 0..columns {
                let to = c.add(row * stride + column);
                let sum = *room.as_ptr().add(row * width + column);
                *to = if accumulate { *to + sum } else { sum };
            }
        }
    }
}
