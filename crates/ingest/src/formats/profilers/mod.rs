//! What the profilers of vendors write, one module per format. To add one: a file, a `mod` line, an entry in the
//! ordered list [`ALL`](super::ALL).
//!
//! A reader makes a [`Trace`] wherever the file has a record for each launch: kernels are slices of kind
//! [`Kernel`](eaves_model::SliceKind::Kernel) with a row in [`Trace::gpu`], whose grid is in blocks whatever the
//! profiler counts; hardware counters are rows of [`Trace::range_counters`] at the slice of their kernel, in base units.
//! A file that has sums alone becomes [`Measurement`]s.

// tidy-alphabetical-start
pub(crate) mod ncu;
pub(crate) mod nsys;
pub(crate) mod nvprof;
pub(crate) mod pftrace;
mod rocpd;
pub(crate) mod rocprof;
pub(crate) mod rocprof_compute;
mod rocprof_db;
pub(crate) mod rocprofv2;
pub(crate) mod rocprofv3_csv;
pub(crate) mod rocprofv3_json;
mod shared;
pub(crate) mod sqlite;
// tidy-alphabetical-end

use eaves_model::{Diagnostics, Measurement, Recorder, Trace};

use super::{Detect, Document, Format, Input};
use crate::refusal::Refused;

/// A map for what is looked up once a row.
type Map<K, V> = hashbrown::HashMap<K, V, foldhash::fast::RandomState>;

/// A path as a shell takes it literally, for commands in hints.
fn quoted(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+=:,@%".contains(&byte);
    if !path.is_empty() && path.bytes().all(is_plain) {
        return path.to_owned();
    }
    format!("'{}'", path.replace('\'', r"'\''"))
}

/// One of several files of the same run.
#[derive(Debug)]
pub(crate) struct Part {
    /// Name of the format.
    pub(crate) format: &'static str,
    /// What the files of one run have in common: the directory without `pmc_1` or `pass_1`, and the name without the
    /// suffix that says the kind of file. Parts with equal names are combined.
    pub(crate) set: String,
    /// What it adds to the set.
    pub(crate) role: Role,
    /// The rows. Times count from [`base_time_ns`](eaves_model::Metadata::base_time_ns), the file's own first time.
    pub(crate) trace: Trace,
    /// Number of bytes it had.
    pub(crate) bytes: u64,
}

/// What a file adds to the others of its set, in the order they are taken: of what two files say of the same, the
/// first counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// Everything the run recorded but counters: kernels, calls, copies, markers.
    Whole,
    /// Kernels, one row each.
    Kernels,
    /// Hardware counters of kernels: merged by kernel name, ordinal among the kernels of that name, and grid.
    Counters,
    /// Calls, copies, allocations, markers: what has no kernels.
    Others,
    /// What is known about the machine.
    Device,
}

/// A document of one whole trace.
pub(crate) fn whole(trace: Trace, bytes: u64, format: &'static str) -> Document {
    Document::Trace { trace: Box::new(trace), bytes, format }
}

/// A document of one whole trace that other files of the same run may add to: counters, kernel tables.
pub(crate) fn part_of_run(path: &str, trace: Trace, bytes: u64, format: &'static str) -> Document {
    let set = crate::place::set_of(path);
    Document::Part(Box::new(Part { format, set, role: Role::Whole, trace, bytes }))
}

/// A document of sums.
pub(crate) fn sums(
    format: &'static str,
    device: Option<String>,
    records: Vec<Measurement>,
    diagnostics: Diagnostics,
    bytes: u64,
) -> Document {
    Document::Measurements(super::measurements::Content { format, device, records, diagnostics, bytes })
}
