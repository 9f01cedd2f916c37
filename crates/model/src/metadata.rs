//! What a trace says about itself: where, on what, with which options it was recorded.

use serde::{Deserialize, Serialize};

use crate::Recorder;

/// The recording as its own header describes it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Metadata {
    /// Version of the trace schema.
    pub schema_version: Option<i64>,
    /// Wall-clock time of the trace's zero, in nanoseconds since 1970. Absolute time = this + `Ns`.
    pub base_time_ns: Option<i64>,
    /// Name given to the recording.
    pub trace_name: Option<String>,
    /// Identifier of the recording.
    pub trace_id: Option<String>,
    /// Unit the trace asks viewers to show; the values are microseconds regardless.
    pub display_time_unit: Option<String>,
    /// Machine.
    pub host_name: Option<String>,
    /// Who recorded.
    pub recorder: Recorder,
    /// The recorder with its version, as in `rocprofv3 1.0.0`.
    pub tool: Option<String>,
    /// Which clock the times are of, and how the clocks of several files were brought together.
    pub clock: Option<String>,
    /// Time base of slices.
    pub times: Times,
    /// Devices of the machine.
    pub devices: Vec<DeviceProperties>,
    /// This process among the others of the job.
    pub distributed: Option<DistributedInfo>,
    /// Recorder options that were on or off (`with_stack`, `record_shapes`, ...), sorted by name.
    pub options: Vec<(String, bool)>,
    /// Versions of drivers and libraries as written, sorted by name.
    pub versions: Vec<(String, String)>,
    /// Settings of the allocator as written, sorted by name.
    pub settings: Vec<(String, String)>,
}

/// Time base of slices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub enum Times {
    /// When things happened.
    #[default]
    Recorded,
    /// Durations alone were recorded: slices stand one after another in order of launch, and gaps mean nothing.
    InSequence,
    /// Neither starts nor durations were recorded: what slices have is 0 and means nothing.
    NotRecorded,
}

impl Times {
    /// True if slices say when they began.
    pub fn has_starts(self) -> bool {
        self == Self::Recorded
    }

    /// True if slices say how long they took.
    pub fn has_durations(self) -> bool {
        self != Self::NotRecorded
    }
}

impl Metadata {
    /// Whether a recorder option was on, if the trace says so.
    pub fn option(&self, name: &str) -> Option<bool> {
        self.options.iter().find(|(key, _)| key == name).map(|&(_, on)| on)
    }
}

/// One device as the recorder described it. Missing numbers were not recorded.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct DeviceProperties {
    /// Device number.
    pub id: Option<i64>,
    /// Product name.
    pub name: String,
    /// Architecture as compilers call it, `gfx942` or `sm_90`; empty if not recorded.
    pub architecture: String,
    /// Every numeric property as written, sorted by name.
    pub numbers: Vec<(String, f64)>,
}

impl DeviceProperties {
    /// A numeric property by the name the trace gives it.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.numbers.iter().find(|(key, _)| key == name).map(|&(_, value)| value)
    }
}

/// The place of a process in a distributed job.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct DistributedInfo {
    /// Communication library.
    pub backend: Option<String>,
    /// Rank of this process.
    pub rank: Option<i64>,
    /// Number of ranks.
    pub world_size: Option<i64>,
    /// Version of NCCL or RCCL.
    pub nccl_version: Option<String>,
    /// Process groups.
    pub groups: Vec<ProcessGroup>,
}

/// A group of ranks that communicate.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct ProcessGroup {
    /// Name.
    pub name: String,
    /// Description (older traces: the unique id).
    pub description: String,
    /// Backend configuration.
    pub backend_config: String,
    /// Number of ranks.
    pub size: Option<i64>,
    /// The ranks.
    pub ranks: Vec<i64>,
}
