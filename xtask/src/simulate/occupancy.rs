//! How a launch fills a multiprocessor, as Kineto estimates it.

use super::events::Launch;

/// Properties of the simulated device, as Kineto writes them and as occupancy depends on them.
pub(crate) const MULTIPROCESSORS: u64 = 108;
pub(crate) const WARP: u64 = 32;
pub(crate) const MAX_THREADS: u64 = 2_048;
pub(crate) const REGISTERS: u64 = 65_536;
pub(crate) const SHARED_MEMORY: u64 = 167_936;
/// Most blocks that a multiprocessor of compute capability 8.0 holds.
const MAX_BLOCKS: u64 = 32;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Occupancy {
    pub(crate) blocks_per_multiprocessor: f64,
    pub(crate) warps_per_multiprocessor: f64,
    pub(crate) percent: u64,
}

impl Occupancy {
    pub(crate) fn of(launch: Launch) -> Self {
        let blocks: u64 = launch.grid.iter().product();
        let threads: u64 = launch.block.iter().product();
        let warps = threads.div_ceil(WARP);
        let blocks_per_multiprocessor = blocks as f64 / MULTIPROCESSORS as f64;
        let warps_per_multiprocessor = blocks_per_multiprocessor * warps as f64;
        // Registers are given out to whole warps, 256 at a time.
        let registers = (launch.registers * WARP).next_multiple_of(256) * warps;
        let fitting = [
            MAX_BLOCKS,
            MAX_THREADS / (warps * WARP),
            REGISTERS / registers.max(1),
            SHARED_MEMORY / launch.shared_memory.max(1),
        ];
        let limit = fitting.into_iter().min().unwrap_or(0) * warps;
        let active = warps_per_multiprocessor.min(limit as f64);
        let percent = (100.0 * active / (MAX_THREADS / WARP) as f64 + 0.5) as u64;
        Self { blocks_per_multiprocessor, warps_per_multiprocessor, percent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_limit_a_full_grid() {
        let launch = Launch { grid: [1024, 1, 1], block: [256, 1, 1], registers: 128, shared_memory: 0 };
        // 128 registers x 256 threads: two blocks of eight warps, of 64 possible ones.
        assert_eq!(Occupancy::of(launch).percent, 25);
        let single = Launch { grid: [1, 1, 1], block: [32, 1, 1], registers: 16, shared_memory: 0 };
        assert_eq!(Occupancy::of(single).percent, 0);
    }
}
