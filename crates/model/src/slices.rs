//! The slice table: everything that has a beginning and a duration on a track.

use crate::table::table;
use crate::{Interval, Ns, StringId, TrackId};

/// Kind of slice, decided once on reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum SliceKind {
    /// An operator of the framework on the host (`cpu_op`).
    Op,
    /// A call into the driver or runtime API on the host.
    Runtime,
    /// A kernel on the device.
    Kernel,
    /// A memory copy on the device.
    Memcpy,
    /// A memory set on the device.
    Memset,
    /// A synchronization record on a device track. Never GPU time.
    Sync,
    /// A range named by the user on the host, profiler steps included.
    Annotation,
    /// The same range as it appears on the device. Never GPU time.
    GpuAnnotation,
    /// A Python frame.
    Python,
    /// A range in which hardware counters were collected.
    CounterRange,
    /// Time the profiler itself took.
    Overhead,
    /// The recording as a whole.
    Span,
    /// Anything else.
    #[default]
    Other,
}

impl SliceKind {
    /// Every kind, in the order of its number.
    pub const ALL: [Self; 13] = [
        Self::Op,
        Self::Runtime,
        Self::Kernel,
        Self::Memcpy,
        Self::Memset,
        Self::Sync,
        Self::Annotation,
        Self::GpuAnnotation,
        Self::Python,
        Self::CounterRange,
        Self::Overhead,
        Self::Span,
        Self::Other,
    ];

    /// True for what occupies the device: kernels, copies and memsets, and nothing else.
    #[inline]
    pub fn is_gpu_activity(self) -> bool {
        matches!(self, Self::Kernel | Self::Memcpy | Self::Memset)
    }

    /// True for what takes part in a thread's call tree.
    #[inline]
    pub fn is_host_call(self) -> bool {
        matches!(self, Self::Op | Self::Runtime | Self::Annotation | Self::Python | Self::Other)
    }

    /// A stable lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Op => "op",
            Self::Runtime => "runtime",
            Self::Kernel => "kernel",
            Self::Memcpy => "memcpy",
            Self::Memset => "memset",
            Self::Sync => "sync",
            Self::Annotation => "annotation",
            Self::GpuAnnotation => "gpu_annotation",
            Self::Python => "python",
            Self::CounterRange => "counter_range",
            Self::Overhead => "overhead",
            Self::Span => "span",
            Self::Other => "other",
        }
    }
}

table! {
    /// All slices of a trace, in the order of the file.
    Slices / Slice {
        /// Beginning, from the trace's zero.
        start: Ns,
        /// Length. Readers pass negative ones on as recorded; a recording that was read has none.
        duration: Ns,
        /// What it is called.
        name: StringId,
        /// The category as written.
        category: StringId,
        /// Where it happened.
        track: TrackId,
        /// What it is.
        kind: SliceKind,
        /// Where its event begins in the decompressed file, to read the arguments that were not decoded.
        position: i64,
    }
}

impl Slices {
    /// The end of a slice.
    #[inline]
    pub fn end(&self, index: usize) -> Ns {
        self.start[index] + self.duration[index]
    }

    /// The time a slice covers.
    #[inline]
    pub fn interval(&self, index: usize) -> Interval {
        Interval::new(self.start[index], self.end(index))
    }
}
