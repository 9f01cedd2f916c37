//! Why the GPU can be idle.

use serde::{Deserialize, Serialize};

/// What a thread did at an instant at which the GPU waited for it. Where several slices are open, the first of these
/// that any of them stands for counts, because it explains the others: a collection of garbage takes as long inside
/// an operator as outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[repr(u8)]
pub(crate) enum Cause {
    /// Python's garbage collector.
    GarbageCollection,
    /// The profiler itself.
    Profiler,
    /// Making code: `torch.compile`, Triton, the driver's compiler and loader.
    Compilation,
    /// Waiting for the device.
    Synchronisation,
    /// Calls that allocate or release device memory or pinned memory.
    Allocation,
    /// Fetching the next batch.
    DataLoading,
    /// Any other call into the runtime or driver: launches, and what goes with them.
    Launching,
    /// Operators of the framework between their calls into the runtime.
    Operators,
    /// Python code outside operators.
    Python,
    /// Nothing finer than a named range.
    Ranges,
    /// Nothing.
    Nothing,
    /// The way of a late launch to the device, once the call had returned.
    Latency,
    /// Beyond that: what was launched late waited for something else, such as an event of another stream.
    Held,
    /// What ended the gap had been launched: the host was not what the GPU waited for.
    Device,
    /// The launch of what ended the gap is not in the recording.
    Unknown,
}

impl Cause {
    /// Every cause, in the order of its number.
    pub(crate) const ALL: [Self; 15] = [
        Self::GarbageCollection,
        Self::Profiler,
        Self::Compilation,
        Self::Synchronisation,
        Self::Allocation,
        Self::DataLoading,
        Self::Launching,
        Self::Operators,
        Self::Python,
        Self::Ranges,
        Self::Nothing,
        Self::Latency,
        Self::Held,
        Self::Device,
        Self::Unknown,
    ];

    /// How many causes a slice can stand for; they are the first ones.
    pub(crate) const OF_SLICES: usize = Self::Ranges as usize + 1;

    /// The ordinary work of launching. It becomes less with fewer or cheaper launches, and it is hidden once the host
    /// runs ahead of the GPU.
    pub(crate) const HOST_WORK: [Self; 6] =
        [Self::Launching, Self::Operators, Self::Python, Self::Ranges, Self::Nothing, Self::Latency];

    /// A stable name.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::GarbageCollection => "garbage collection",
            Self::Profiler => "profiler overhead",
            Self::Compilation => "compilation",
            Self::Synchronisation => "synchronisation",
            Self::Allocation => "memory management",
            Self::DataLoading => "data loading",
            Self::Launching => "launching",
            Self::Operators => "operators",
            Self::Python => "Python",
            Self::Ranges => "named ranges",
            Self::Nothing => "nothing recorded",
            Self::Latency => "launch latency",
            Self::Held => "launched, not started",
            Self::Device => "launched already",
            Self::Unknown => "launch not recorded",
        }
    }

    /// True if the gap began before the launch of what ended it, which is what HTA calls waiting for the host.
    pub(crate) fn is_host(self) -> bool {
        self < Self::Device
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_in_the_order_of_their_numbers() {
        assert!(Cause::ALL.iter().enumerate().all(|(index, &cause)| cause as usize == index));
        assert!(Cause::ALL[..Cause::OF_SLICES].iter().all(|cause| cause.is_host()));
    }
}
