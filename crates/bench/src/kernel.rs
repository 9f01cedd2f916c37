//! What timing needs to know of a kernel.

use eaves_roofline::Work;
use eaves_roofline::measured::{CacheState, Chore, Spec, Verification};

/// A kernel whose operands are made.
pub trait Kernel {
    /// What it is.
    fn spec(&self) -> Spec;

    /// Which code runs: `avx2 6x16 packed`.
    fn implementation(&self) -> String;

    /// What one call must do, all threads together. Bytes are those of the operands as they are stored here.
    fn work(&self) -> Work;

    /// What one call must do next to arithmetic and movement: dequantising, exponentials.
    fn chores(&self) -> Vec<Chore> {
        Vec::new()
    }

    /// Where the operands of a call are.
    fn state(&self) -> CacheState;

    /// Whether the system gave huge pages for the operands, if it says.
    fn huge_pages(&self) -> Option<bool> {
        None
    }

    /// Into how many pieces a call is cut, so that each is shorter than a timeslice. Pieces are run in order; the call is
    /// all of them.
    fn pieces(&self) -> usize {
        1
    }

    /// One worker for each thread, which together do the whole call. Asked once, before timing.
    fn workers(&mut self, threads: usize) -> Vec<Box<dyn Worker + '_>>;

    /// Holds the result of the last call, all pieces of it on copy 0, against a reference that was computed another way.
    fn verify(&self) -> Verification;
}

/// The share of a kernel that one thread does. It owns what it writes.
pub trait Worker: Send {
    /// Does its share of this piece. `turn` counts the calls: a cold kernel takes copy `turn % copies` of its operands,
    /// others the same one every time. Turn 0 is copy 0.
    fn run(&mut self, piece: usize, turn: usize);
}

/// Parts that belong to no thread in particular, dealt to this many of them in turn.
pub(crate) fn dealt<T>(parts: &mut [T], threads: usize) -> Vec<Vec<&mut T>> {
    let threads = threads.max(1);
    let mut shares: Vec<Vec<&mut T>> = (0..threads).map(|_| Vec::new()).collect();
    for (index, part) in parts.iter_mut().enumerate() {
        shares[index % threads].push(part);
    }
    shares
}
