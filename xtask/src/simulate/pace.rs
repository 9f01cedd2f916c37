//! How long the simulated device takes for what a kernel has to do.

/// Dense bfloat16 peak and memory bandwidth of the simulated device, and the share of each that kernels reach.
/// The peaks are those of the NVIDIA A100 80GB data sheet; the shares are what well tuned kernels show.
const PEAK_FLOP_PER_NANOSECOND: f64 = 312_000.0;
const PEAK_BYTES_PER_NANOSECOND: f64 = 2_039.0;
const COMPUTE_SHARE: f64 = 0.62;
const BANDWIDTH_SHARE: f64 = 0.78;
/// No kernel is shorter.
const FLOOR_NANOSECONDS: f64 = 1_700.0;

/// What a kernel costs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cost {
    /// Operations, bytes of elements of two bytes, and how fast its operations are, in thousandths of a well tuned
    /// bfloat16 kernel.
    Work { flop: u64, bytes: u64, rate: u64 },
    /// So many nanoseconds, whatever the device.
    Fixed(u64),
}

impl Cost {
    pub(crate) const TUNED: u64 = 1_000;
}

/// How fast a device is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Share of its peaks that well tuned kernels reach.
    pub(crate) compute_share: f64,
    pub(crate) bandwidth_share: f64,
    /// Size of an element.
    pub(crate) element_bytes: u64,
    /// How much longer everything takes, such as on a device that is hot; 1 if it is not.
    pub(crate) slowdown: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            compute_share: COMPUTE_SHARE,
            bandwidth_share: BANDWIDTH_SHARE,
            element_bytes: 2,
            slowdown: 1.0,
        }
    }
}

impl Pace {
    pub(crate) fn nanoseconds(&self, cost: Cost) -> u64 {
        let (flop, bytes, rate) = match cost {
            Cost::Fixed(nanoseconds) => return nanoseconds,
            Cost::Work { flop, bytes, rate } => (flop, bytes, rate),
        };
        let slower = Cost::TUNED as f64 / rate as f64;
        let compute = flop as f64 / (PEAK_FLOP_PER_NANOSECOND * self.compute_share) * slower;
        let bytes = bytes * self.element_bytes / 2;
        let memory = bytes as f64 / (PEAK_BYTES_PER_NANOSECOND * self.bandwidth_share);
        ((FLOOR_NANOSECONDS + compute.max(memory)) * self.slowdown) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slower_of_computing_and_moving_decides() {
        let pace = Pace::default();
        let of = |flop, bytes, rate| pace.nanoseconds(Cost::Work { flop, bytes, rate });
        assert_eq!(of(0, 0, 1_000), 1_700);
        // 312 Tflop/s of which 62 % are reached: 193.44 Gflop take a millisecond.
        assert_eq!(of(193_440_000_000, 0, 1_000), 1_001_700);
        assert_eq!(of(193_440_000_000, 0, 500), 2_001_700);
        // 2039 GB/s of which 78 % are reached.
        assert_eq!(of(0, 1_590_420_000, 1_000), 1_001_700);
        let hot = Pace { slowdown: 2.0, element_bytes: 4, ..pace };
        assert_eq!(hot.nanoseconds(Cost::Work { flop: 0, bytes: 1_590_420_000, rate: 1_000 }), 4_003_400);
        assert_eq!(hot.nanoseconds(Cost::Fixed(7)), 7);
    }
}
