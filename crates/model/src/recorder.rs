//! Who recorded.

use serde::{Deserialize, Serialize};

/// The program that made a recording. Advice on what else to record names its options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub enum Recorder {
    /// PyTorch's profiler, its allocator and its compiler.
    Torch,
    /// Nsight Systems: `nsys`.
    NsightSystems,
    /// Nsight Compute: `ncu`.
    NsightCompute,
    /// `nvprof`.
    Nvprof,
    /// The first `rocprof`.
    Rocprof,
    /// `rocprofv2`.
    Rocprofv2,
    /// `rocprofv3`, and what else is built on ROCm's rocprofiler-sdk.
    Rocprofv3,
    /// `rocprof-compute`.
    RocprofCompute,
    /// Something that writes Perfetto's format and does not say what it is.
    Perfetto,
    /// Nothing tells.
    #[default]
    Unknown,
}

impl Recorder {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Torch,
        Self::NsightSystems,
        Self::NsightCompute,
        Self::Nvprof,
        Self::Rocprof,
        Self::Rocprofv2,
        Self::Rocprofv3,
        Self::RocprofCompute,
        Self::Perfetto,
        Self::Unknown,
    ];

    /// The name in files.
    pub fn id(self) -> &'static str {
        match self {
            Self::Torch => "torch",
            Self::NsightSystems => "nsys",
            Self::NsightCompute => "ncu",
            Self::Nvprof => "nvprof",
            Self::Rocprof => "rocprof",
            Self::Rocprofv2 => "rocprofv2",
            Self::Rocprofv3 => "rocprofv3",
            Self::RocprofCompute => "rocprof-compute",
            Self::Perfetto => "perfetto",
            Self::Unknown => "unknown",
        }
    }

    /// The recorder with this name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|recorder| recorder.id() == id)
    }

    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Torch => "PyTorch's profiler",
            Self::NsightSystems => "Nsight Systems",
            Self::NsightCompute => "Nsight Compute",
            Self::Nvprof => "nvprof",
            Self::Rocprof => "rocprof",
            Self::Rocprofv2 => "rocprofv2",
            Self::Rocprofv3 => "rocprofv3",
            Self::RocprofCompute => "rocprof-compute",
            Self::Perfetto => "the recorder of this Perfetto trace",
            Self::Unknown => "the recorder",
        }
    }

    /// This one, or the other if nothing tells this one.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self == Self::Unknown { other } else { self }
    }
}
