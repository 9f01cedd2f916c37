//! One timed stretch of work, and whether something else ran in it.

/// Why a sample does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Contamination {
    /// The thread had the processor for less than the time that passed.
    LostProcessor,
    /// The thread was interrupted for another one.
    Switched,
    /// The hypervisor gave the processor to another machine.
    Stolen,
    /// The clock was lower than in other samples.
    SlowClock,
    /// Threads that should have worked together did not start together.
    Skewed,
    /// The device says that more time passed than the host's clock does.
    DeviceAboveHost,
    /// A timestamp is before the one it follows, or both are zero.
    Backwards,
}

impl Contamination {
    /// The name in files and on screen.
    pub fn id(self) -> &'static str {
        match self {
            Self::LostProcessor => "lost processor",
            Self::Switched => "switched",
            Self::Stolen => "stolen",
            Self::SlowClock => "slow clock",
            Self::Skewed => "skewed start",
            Self::DeviceAboveHost => "device time above host time",
            Self::Backwards => "backwards time stamps",
        }
    }
}

/// One timed stretch of work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Which piece of a call it timed. Calls that would last longer than a timeslice are timed in pieces.
    pub piece: u32,
    /// How many calls of the piece it holds.
    pub calls: u32,
    /// Nanoseconds that passed, of all its calls. On a GPU this is the device's own time.
    pub wall_ns: u64,
    /// Nanoseconds of processor time of the thread that had the least, where the system tells; on a GPU those that passed on the
    /// host.
    pub other_ns: Option<u64>,
    /// How often threads were interrupted for others, where the system tells.
    pub switches: Option<u32>,
    /// Clock ticks that the hypervisor took, where the system tells.
    pub steal: Option<u32>,
    /// Core clock next to the sample, in hertz, where it can be measured.
    pub clock: Option<f64>,
    /// Why it does not count, if so.
    pub contamination: Option<Contamination>,
}

impl Sample {
    /// True if it counts.
    pub fn is_clean(&self) -> bool {
        self.contamination.is_none()
    }

    /// Seconds of one call of the piece.
    pub fn seconds(&self) -> f64 {
        self.wall_ns as f64 * 1e-9 / f64::from(self.calls.max(1))
    }
}
