//! Whoever runs kernels that are timed: threads of ours, or a device.

use eaves_roofline::measured::Contamination;

/// What to do next.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Order {
    /// Which kernel.
    pub(crate) kernel: usize,
    /// Which piece of its call.
    pub(crate) piece: usize,
    /// How many calls came before, which chooses the copy of the operands.
    pub(crate) turn: usize,
    /// How many calls to make.
    pub(crate) calls: u32,
}

/// What was seen while it was done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// Nanoseconds that passed; on a device, its own.
    pub(crate) wall_ns: u64,
    /// Processor time of the thread that had the least; for a device, nanoseconds that passed on the host.
    pub(crate) other_ns: Option<u64>,
    /// How often threads were interrupted for others.
    pub(crate) switches: Option<u32>,
    /// Clock ticks that the hypervisor took.
    pub(crate) steal: Option<u32>,
    /// Core clock next to it, in hertz.
    pub(crate) clock: Option<f64>,
    /// Why it does not count, if so.
    pub(crate) contamination: Option<Contamination>,
}

/// Runs kernels when told to.
pub(crate) trait Runner {
    /// Does this; `None` if the kernel failed and is not to be run again.
    fn run(&mut self, order: Order) -> Option<Outcome>;
}
