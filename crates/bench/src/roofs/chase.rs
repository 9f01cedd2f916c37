//! Going through memory by lines of which each says where the next is. Nothing can be fetched ahead, so that caches differ by
//! their latencies, which are factors apart, where streams through them may be equally quick.

use eaves_roofline::measured::{CacheState, Spec, Stream, Verification};
use eaves_roofline::{Precision, Work};

use crate::buffer::Buffer;
use crate::kernel::{Kernel, Worker};

/// Words of a line.
const LINE: usize = 16;

/// Lines that are visited in random order before those of the next block: few enough for the first table of addresses.
const BLOCK: usize = 1024;

/// Steps of a call.
pub(super) const STEPS: usize = 2048;

/// A way through all lines of a set.
pub(super) struct Chase {
    /// The first word of each line is the number of the next.
    lines: Buffer<u32>,
    /// Lines in the order of the way.
    order: Vec<u32>,
    /// Which line of the order the last call began and ended at.
    began: usize,
    ended: u32,
    /// Steps so far.
    steps: usize,
}

impl Chase {
    /// Through a set of this many bytes; `None` if there is no memory for it.
    pub(super) fn new(bytes: usize) -> Option<Self> {
        let count = (bytes / LINE / size_of::<u32>()).max(1);
        let mut random = fastrand::Rng::with_seed(41);
        let mut order: Vec<u32> = (0..u32::try_from(count).ok()?).collect();
        let mut blocks: Vec<&mut [u32]> = order.chunks_mut(BLOCK).collect();
        for block in &mut blocks {
            random.shuffle(block);
        }
        random.shuffle(&mut blocks);
        let order = blocks.concat();
        // At least a huge page, as streams have.
        let mut lines = Buffer::zeroed((count * LINE).max((2 << 20) / size_of::<u32>()))?;
        for (index, line) in order.iter().enumerate() {
            let next = order.get(index + 1).or_else(|| order.first()).copied()?;
            *lines.get_mut(*line as usize * LINE)? = next;
        }
        let first = order.first().copied()?;
        Some(Self { lines, order, began: 0, ended: first, steps: 0 })
    }
}

struct Chaser<'a>(&'a mut Chase);

impl Kernel for Chase {
    fn spec(&self) -> Spec {
        Spec::Stream {
            stream: Stream::Read { streams: 1 },
            bytes: self.order.len() * LINE * size_of::<u32>(),
        }
    }

    fn implementation(&self) -> String {
        "chase: each line says where the next is".to_owned()
    }

    fn work(&self) -> Work {
        Work::movement().reads("lines", (STEPS * LINE) as f64, Precision::FP32)
    }

    fn state(&self) -> CacheState {
        CacheState::Hot
    }

    fn huge_pages(&self) -> Option<bool> {
        self.lines.has_huge_pages()
    }

    fn workers(&mut self, threads: usize) -> Vec<Box<dyn Worker + '_>> {
        struct Idle;
        impl Worker for Idle {
            fn run(&mut self, _piece: usize, _turn: usize) {}
        }
        let mut workers: Vec<Box<dyn Worker + '_>> = vec![Box::new(Chaser(self))];
        workers.extend((1..threads).map(|_| Box::new(Idle) as Box<dyn Worker>));
        workers
    }

    fn verify(&self) -> Verification {
        let expected = self.order.get((self.began + STEPS) % self.order.len());
        let wrong = expected != Some(&self.ended);
        let against = "the line that so many steps of the way lead to".to_owned();
        Verification { error: f64::from(u8::from(wrong)), tolerance: 0.0, against }
    }
}

impl Worker for Chaser<'_> {
    fn run(&mut self, _piece: usize, _turn: usize) {
        let Chase { lines, order, began, ended, steps } = &mut *self.0;
        *began = *steps % order.len();
        let mut at = *ended;
        for _ in 0..STEPS {
            // Every line is in the buffer; the check costs nothing next to the latency.
            at = lines.get(at as usize * LINE).copied().unwrap_or(0);
        }
        *ended = at;
        *steps += STEPS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_passes_every_line_once() {
        for bytes in [1, 64, 4096, 100_000, 300_000] {
            let chase = Chase::new(bytes).unwrap();
            let count = (bytes / 64).max(1);
            let mut seen = vec![false; count];
            let mut at = chase.order[0] as usize;
            for _ in 0..count {
                assert!(!std::mem::replace(&mut seen[at], true));
                at = chase.lines[at * LINE] as usize;
            }
            assert_eq!(at, chase.order[0] as usize);
        }
    }

    #[test]
    fn a_way_that_went_wrong_is_caught() {
        let mut chase = Chase::new(100_000).unwrap();
        for _ in 0..3 {
            chase.workers(1)[0].run(0, 0);
            assert!(chase.verify().holds());
        }
        let line = chase.order[(chase.steps + 5) % chase.order.len()] as usize;
        chase.lines[line * LINE] = chase.order[0];
        chase.workers(1)[0].run(0, 0);
        assert!(!chase.verify().holds());
    }
}
