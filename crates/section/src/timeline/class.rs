//! What slices are distinguished by in a picture.

use eaves_model::SliceKind;

/// Visual class of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Class {
    /// An operator of the framework.
    Operator,
    /// A call into the runtime or driver.
    Runtime,
    /// A Python frame.
    Python,
    /// A range named by the user.
    Range,
    /// Computation on a device.
    Compute,
    /// Communication of a device.
    Communication,
    /// A copy or fill on a device.
    Memory,
    /// What was recorded next to the work: synchronization, counter ranges, time of the profiler.
    Record,
    /// Anything else.
    Other,
}

impl Class {
    /// Every class, in the order of its number.
    pub const ALL: [Self; 9] = [
        Self::Operator,
        Self::Runtime,
        Self::Python,
        Self::Range,
        Self::Compute,
        Self::Communication,
        Self::Memory,
        Self::Record,
        Self::Other,
    ];

    /// The name in legends.
    pub fn name(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Runtime => "runtime call",
            Self::Python => "Python",
            Self::Range => "named range",
            Self::Compute => "compute",
            Self::Communication => "communication",
            Self::Memory => "memory",
            Self::Record => "wait or profiler",
            Self::Other => "other",
        }
    }

    /// The class of a kind of slice. Kernels that communicate are distinguished by their names.
    pub fn of_kind(kind: SliceKind) -> Self {
        match kind {
            SliceKind::Op => Self::Operator,
            SliceKind::Runtime => Self::Runtime,
            SliceKind::Python => Self::Python,
            SliceKind::Annotation | SliceKind::GpuAnnotation => Self::Range,
            SliceKind::Kernel => Self::Compute,
            SliceKind::Memcpy | SliceKind::Memset => Self::Memory,
            SliceKind::Sync | SliceKind::CounterRange | SliceKind::Overhead | SliceKind::Span => Self::Record,
            SliceKind::Other => Self::Other,
        }
    }
}
