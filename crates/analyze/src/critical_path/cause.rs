//! Why a piece of the critical path took its time.

use serde::{Deserialize, Serialize};

use crate::KernelType;

/// Cause of a piece of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[repr(u8)]
pub enum Cause {
    /// A kernel that computes.
    Compute,
    /// A kernel that communicates.
    Communication,
    /// A copy or memset on the device.
    Memory,
    /// From the launching call to the start of the activity, on a stream that had nothing else to do.
    LaunchDelay,
    /// From the end of one activity to the start of the next one of the stream, which was launched already.
    KernelGap,
    /// An operator on the host, without what it calls.
    Operator,
    /// A call into the runtime or driver that waits for nothing.
    RuntimeCall,
    /// The main thread outside every operator and call: Python, and whatever else was not recorded.
    Outside,
    /// Waiting for the data loader.
    DataLoading,
    /// A synchronizing call after what it waited for had ended, and the hand-over between streams.
    Synchronisation,
    /// Time in which nothing that is known leads on.
    Unexplained,
}

impl Cause {
    /// Every cause, in the order of its number.
    pub const ALL: [Self; 11] = [
        Self::Compute,
        Self::Communication,
        Self::Memory,
        Self::LaunchDelay,
        Self::KernelGap,
        Self::Operator,
        Self::RuntimeCall,
        Self::Outside,
        Self::DataLoading,
        Self::Synchronisation,
        Self::Unexplained,
    ];

    /// The name in tables.
    pub fn id(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Communication => "communication",
            Self::Memory => "memory",
            Self::LaunchDelay => "launch delay",
            Self::KernelGap => "kernel gap",
            Self::Operator => "host operators",
            Self::RuntimeCall => "host runtime calls",
            Self::Outside => "host outside operators",
            Self::DataLoading => "data loading",
            Self::Synchronisation => "synchronisation",
            Self::Unexplained => "unexplained",
        }
    }

    /// True for time that a thread of the host spent.
    pub fn is_host(self) -> bool {
        matches!(self, Self::Operator | Self::RuntimeCall | Self::Outside | Self::DataLoading)
    }

    /// True for time that the device spent, including the gaps between activities that were launched already.
    pub fn is_gpu(self) -> bool {
        matches!(self, Self::Compute | Self::Communication | Self::Memory | Self::KernelGap)
    }

    /// True for time in which the slice it belongs to ran, false for time before it.
    pub fn is_inside_slice(self) -> bool {
        !matches!(self, Self::LaunchDelay | Self::KernelGap | Self::Outside | Self::Unexplained)
    }
}

impl From<KernelType> for Cause {
    fn from(kernel_type: KernelType) -> Self {
        match kernel_type {
            KernelType::Compute => Self::Compute,
            KernelType::Communication => Self::Communication,
            KernelType::Memory => Self::Memory,
        }
    }
}
