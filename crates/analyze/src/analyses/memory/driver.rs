//! Calls that take memory from the device or give it back. PyTorch keeps what it once took, so a step that repeats
//! makes none of them, unless memory runs out and the cache has to be emptied.

use eaves_model::{Ns, SliceId, SliceKind, StringId};
use serde::{Deserialize, Serialize};

use crate::RankView;
use crate::constants::{self, Constant};

/// The functions: plain memory, and pages of virtual memory (`expandable_segments`). Functions that take from a pool
/// in order of a stream (`cudaMallocAsync`) are made to be called often.
const FUNCTIONS: [&str; 12] = [
    "cudaFree",
    "cudaMalloc",
    "cuMemCreate",
    "cuMemMap",
    "cuMemRelease",
    "cuMemUnmap",
    "hipFree",
    "hipMalloc",
    "hipMemCreate",
    "hipMemMap",
    "hipMemRelease",
    "hipMemUnmap",
];

/// Calls of one function.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Function {
    #[serde(deserialize_with = "constants::read")]
    pub(super) name: Constant,
    pub(super) calls: u64,
    pub(super) time: Ns,
}

/// Calls in selected steps but the first of the recording, in which a program may still be taking what it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct DriverCalls {
    /// Functions that were called.
    pub(super) functions: Vec<Function>,
    /// Length of these steps together.
    pub(super) steps_time: Ns,
}

impl DriverCalls {
    /// Number of calls.
    pub(super) fn calls(&self) -> u64 {
        self.functions.iter().map(|function| function.calls).sum()
    }

    /// Time the host spent in them.
    pub(super) fn time(&self) -> Ns {
        self.functions.iter().map(|function| function.time).sum()
    }
}

/// Finds the calls of a recording.
pub(super) fn driver_calls(rank: &RankView<'_>) -> DriverCalls {
    let trace = rank.trace;
    let known: Vec<(StringId, &'static str)> =
        FUNCTIONS.iter().filter_map(|&name| Some((trace.strings.find(name)?, name))).collect();
    if known.is_empty() || rank.steps.len() < 2 {
        return DriverCalls::default();
    }
    let steady = rank.steps.iter().skip(1).filter(|(_, window)| rank.selects(window.start));
    let mut found = DriverCalls {
        functions: known.iter().map(|&(_, name)| Function { name, calls: 0, time: Ns::ZERO }).collect(),
        steps_time: steady.map(|(_, window)| window.length()).sum(),
    };
    let slices = &trace.slices;
    for row in 0..slices.len() {
        if slices.kind[row] != SliceKind::Runtime {
            continue;
        }
        let Some(at) = known.iter().position(|&(name, _)| name == slices.name[row]) else { continue };
        let start = slices.start[row];
        let is_steady = rank.steps.at(start).is_some_and(|step| step > 0);
        if is_steady && rank.selects(start) && !trace.is_quarantined(SliceId::from(row)) {
            found.functions[at].calls += 1;
            found.functions[at].time += slices.duration[row];
        }
    }
    found.functions.retain(|function| function.calls > 0);
    found
}
