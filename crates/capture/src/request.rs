//! What to record, in words that every profiler understands or says it does not.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::torch;

/// Program, what to record, and the output directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// What of the program's run.
    pub record: Record,
    /// Hardware counters of AMD devices.
    pub counters: CounterRequest,
    /// Metrics of NVIDIA devices, as `ncu --metrics` takes them. None for those that a roofline needs.
    pub metrics: Vec<String>,
    /// What of a program that uses PyTorch.
    pub torch: torch::Request,
    /// The directory for everything that the profiler writes. Absolute, so that it means the same to everybody.
    pub directory: PathBuf,
    /// The program and its arguments.
    pub program: Vec<OsString>,
}

/// Part of a program run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Calls of the device's runtime: HIP or CUDA.
    pub runtime: bool,
    /// Calls of the layer below: HSA.
    pub hsa: bool,
    /// All that the profiler can trace.
    pub system: bool,
    /// Marks and ranges of the program: roctx or NVTX.
    pub markers: bool,
    /// Kernels.
    pub kernels: bool,
    /// Sums by name, next to the traces.
    pub stats: bool,
}

impl Record {
    /// True if nothing is asked for.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// True if a record for each launch or call is asked for.
    pub fn has_traces(self) -> bool {
        !Self { stats: false, ..self }.is_empty()
    }
}

/// Hardware counters: the program is run once for each pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CounterRequest {
    /// Names of counters that are counted together. A pass without names records times alone.
    pub passes: Vec<Vec<String>>,
    /// Parts of the kernel names to count; none for all.
    pub kernels: Vec<String>,
    /// Which launches: `3`, `3:9` or `3:`; none for all.
    pub ranges: Vec<String>,
    /// Indexes of the devices to count on; none for all.
    pub devices: Vec<String>,
}

impl CounterRequest {
    /// True if there is nothing to count.
    pub fn is_empty(&self) -> bool {
        self.passes.is_empty()
    }

    /// The input file of `rocprof` and `rocprofv2`. Nothing but the words that both know: comments would be run as
    /// passes by the latter if they name one.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        for pass in &self.passes {
            text.push_str(&format!("pmc: {}\n", pass.join(" ")));
        }
        for (feature, words) in [("range", &self.ranges), ("gpu", &self.devices), ("kernel", &self.kernels)] {
            if !words.is_empty() {
                text.push_str(&format!("{feature}: {}\n", words.join(" ")));
            }
        }
        text
    }
}
