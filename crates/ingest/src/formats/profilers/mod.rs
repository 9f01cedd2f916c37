//! What the profilers of vendors write, one module per format. To add one: a file, a `mod` line, a line in [`OF_JSON`] or
//! [`OTHERS`].
//!
//! A reader makes a [`Trace`] wherever the file has a record for each launch: kernels are slices of kind
//! [`Kernel`](eaves_model::SliceKind::Kernel) with a row in [`Trace::gpu`], whose grid is in blocks whatever the
//! profiler counts; hardware counters are rows of [`Trace::range_counters`] at the slice of their kernel, in base units.
//! A file that has sums alone becomes [`Measurement`]s.

// tidy-alphabetical-start
mod amd;
mod amd_text;
mod cells;
mod ncu;
mod nsys;
mod nvprof;
mod pftrace;
mod quotes;
mod rocpd;
mod rocprof;
mod rocprof_compute;
mod rocprof_db;
mod rocprofv2;
mod rocprofv3_csv;
mod rocprofv3_json;
mod sqlite;
mod unicode;
// tidy-alphabetical-end

use std::io::Read;

use eaves_model::{Diagnostics, Measurement, Trace};

use super::Document;
use super::kineto::Source;

pub(crate) use nsys::is_export_of;

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

/// A format of a profiler.
pub(crate) struct Profiler {
    /// The name in outputs: `ncu-csv`, `rocpd`.
    pub(crate) id: &'static str,
    /// Tells it by the first bytes, as they are in the file: a byte order mark or UTF-16 included.
    pub(crate) is_it: fn(first: &[u8]) -> bool,
    /// Reads it.
    pub(crate) read: fn(Input<'_>) -> Result<Document, Refused>,
}

/// A file to be read.
pub(crate) struct Input<'a> {
    /// The input as the user named it, with the member of an archive after `!`.
    pub(crate) path: &'a str,
    /// Its first bytes, 64 KB if it has as many.
    pub(crate) first: &'a [u8],
    /// All of its bytes, from the beginning, once.
    pub(crate) rest: Box<dyn Read + Send + 'a>,
    /// The same, for what must be read from several places.
    pub(crate) source: &'a dyn Source,
    /// Threads that may work.
    pub(crate) threads: usize,
}

/// Why nothing can be made of a file that a profiler wrote.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// Offset of the fault in the decompressed file.
    pub(crate) offset: u64,
    /// What is wrong, with what the profiler itself said.
    pub(crate) what: String,
    /// What to do about it, with the exact command where there is one.
    pub(crate) hint: String,
}

/// One of several files of the same run.
#[derive(Debug)]
pub(crate) struct Part {
    /// Name of the format.
    pub(crate) format: &'static str,
    /// What the files of one run have in common: the directory without `pmc_1` or `pass_1`, and the name without the
    /// suffix that says the kind of file. Parts with equal names are put together.
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
    /// Hardware counters of kernels: merged by name of the kernel, ordinal among the kernels of that name, and grid.
    Counters,
    /// Calls, copies, allocations, markers: what has no kernels.
    Others,
    /// What is known about the machine.
    Device,
}

/// Name of the format of Perfetto's traces.
pub(crate) const PERFETTO: &str = pftrace::PFTRACE.id;

/// Formats in JSON.
const OF_JSON: &[Profiler] = &[rocprofv3_json::ROCPROFV3_JSON, rocprof::JSON];

/// All others, those with the surest signs first.
const OTHERS: &[Profiler] = &[
    sqlite::FORMAT,
    ncu::REPORT,
    pftrace::PFTRACE,
    ncu::CSV,
    nvprof::CSV,
    nsys::CSV,
    rocprofv3_csv::TABLES,
    rocprofv3_csv::AGENTS,
    rocprofv3_csv::SUMS,
    rocprofv3_csv::SAMPLES,
    rocprof_compute::MACHINE,
    rocprof_compute::ROOFS,
    rocprof_compute::DISPATCHES,
    rocprof_compute::TABLES,
    rocprof::TABLES,
    rocprof::DISPATCHES,
    rocprof::EVENTS,
    rocprofv2::TABLES,
    rocprofv2::LINES,
];

/// The format of a file by its first bytes.
pub(crate) fn find(first: &[u8]) -> Option<&'static Profiler> {
    // Traces in JSON are not shown to every reader of tables. A program may print JSON before the table of its profiler.
    let text = first.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(first).trim_ascii_start();
    let is_json =
        matches!(text.first(), Some(b'{' | b'[')) && memchr::memmem::find(first, b"\n\"ID\",\"").is_none();
    let among = if is_json { OF_JSON } else { OTHERS };
    among.iter().find(|profiler| (profiler.is_it)(first))
}

/// The format of a file by its name, for those whose first bytes tell nothing.
pub(crate) fn find_named(path: &str) -> Option<&'static Profiler> {
    nsys::is_report(path).then_some(&nsys::REPORT)
}

/// A document of one whole trace.
pub(crate) fn whole(trace: Trace, bytes: u64, format: &'static str) -> Document {
    Document::Trace { trace: Box::new(trace), bytes, format }
}

/// A document of one whole trace that other files of the same run may add to: counters, tables of kernels.
pub(crate) fn part_of_run(path: &str, trace: Trace, bytes: u64, format: &'static str) -> Document {
    let set = crate::parts::set_of(path);
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
