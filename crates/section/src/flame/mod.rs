//! Call trees as data: frames merged by name path, with the GPU time below the calls that launched it.
//!
//! Every metric adds up by itself: `total == own + total of the children`, in every view and after every grouping.

mod builder;
mod difference;
mod group;
mod invert;
mod names;
mod tree;
mod trees;

use std::ops::{AddAssign, Index, IndexMut};

use crate::Unit;

pub use builder::Builder;
pub use difference::difference;
pub use group::Grouping;
pub use names::{NOT_LAUNCHED, Names, SMALL};
pub use tree::{Base, Children, Node, NodeId, Tree, Visit};
pub use trees::Flame;

/// Metric of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Wall time on the host.
    Cpu,
    /// Durations of GPU activities, summed.
    Gpu,
    /// Calls on the host and activities on the device.
    Calls,
    /// Bytes allocated; releases do not count.
    Bytes,
}

impl Metric {
    /// Every metric, in the order of [`Values`].
    pub const ALL: [Self; 4] = [Self::Cpu, Self::Gpu, Self::Calls, Self::Bytes];

    /// A stable lower-case name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
            Self::Calls => "calls",
            Self::Bytes => "bytes",
        }
    }

    /// Display name.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cpu => "Host time",
            Self::Gpu => "GPU time",
            Self::Calls => "Calls",
            Self::Bytes => "Allocated bytes",
        }
    }

    /// Its unit.
    pub fn unit(self) -> Unit {
        match self {
            Self::Cpu | Self::Gpu => Unit::Nanoseconds,
            Self::Calls => Unit::Count,
            Self::Bytes => Unit::Bytes,
        }
    }
}

/// An amount of every metric. The sum of a whole tree always fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Values(pub [i64; Metric::ALL.len()]);

impl Values {
    /// True if there is nothing of any metric.
    pub fn is_zero(self) -> bool {
        self == Self::default()
    }
}

impl Index<Metric> for Values {
    type Output = i64;

    #[inline]
    fn index(&self, metric: Metric) -> &i64 {
        &self.0[metric as usize]
    }
}

impl IndexMut<Metric> for Values {
    #[inline]
    fn index_mut(&mut self, metric: Metric) -> &mut i64 {
        &mut self.0[metric as usize]
    }
}

impl AddAssign for Values {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        for (sum, value) in self.0.iter_mut().zip(other.0) {
            *sum = sum.saturating_add(value);
        }
    }
}

/// Kind of frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FrameKind {
    /// Everything, a rank, a thread, or what nothing recorded launched.
    Root,
    /// A range that the user or the framework named.
    Annotation,
    /// A Python function.
    Python,
    /// A framework operator.
    Op,
    /// A call into the runtime or driver.
    Runtime,
    /// Another call on the host.
    Other,
    /// A kernel that computes.
    Kernel,
    /// A kernel that exchanges data with other devices.
    Communication,
    /// A copy or memset on the device.
    Memory,
    /// Several small frames.
    Small,
}

impl FrameKind {
    /// Every kind, in order.
    pub const ALL: [Self; 10] = [
        Self::Root,
        Self::Annotation,
        Self::Python,
        Self::Op,
        Self::Runtime,
        Self::Other,
        Self::Kernel,
        Self::Communication,
        Self::Memory,
        Self::Small,
    ];

    /// A stable lower-case name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Annotation => "annotation",
            Self::Python => "python",
            Self::Op => "op",
            Self::Runtime => "runtime",
            Self::Other => "other",
            Self::Kernel => "kernel",
            Self::Communication => "communication",
            Self::Memory => "memory",
            Self::Small => "small",
        }
    }

    /// True for what ran on the device.
    pub fn is_gpu(self) -> bool {
        matches!(self, Self::Kernel | Self::Communication | Self::Memory)
    }
}

/// How the frames of a tree are distinguished and put in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Merged by name path, the heaviest first.
    LeftHeavy,
    /// Every call by itself, in time order.
    Time,
    /// What does the work first, its callers below it.
    Inverted,
}

impl Order {
    /// Every order.
    pub const ALL: [Self; 3] = [Self::LeftHeavy, Self::Time, Self::Inverted];

    /// A stable lower-case name.
    pub fn id(self) -> &'static str {
        match self {
            Self::LeftHeavy => "left-heavy",
            Self::Time => "time",
            Self::Inverted => "inverted",
        }
    }
}
