//! The directory that rocprof-compute (Omniperf before) writes of a workload: `pmc_perf.csv`, `timestamps.csv`,
//! `SQ_*_LEVEL.csv`, `sysinfo.csv`, `roofline.csv`. All files of a directory are one set.

use super::shared::amd_text::columns::{Columns, Field};
use super::shared::amd_text::devices;
use super::shared::amd_text::table::{self, Rows, Style};
use super::{Detect, Format, Input, Part, Recorder, Refused, Role};
use crate::formats::Document;
use crate::place::directory_of;

/// Tables of dispatches with counters, wide or long.
pub(crate) const TABLES: Format = Format {
    id: "rocprof-compute",
    recorder: Recorder::RocprofCompute,
    detect: Detect::NotJson(is_table),
    read: |input| Ok(read(input)?),
    ..Format::PROFILER
};

/// `sysinfo.csv`.
pub(crate) const MACHINE: Format = Format {
    id: "rocprof-compute-sysinfo",
    recorder: Recorder::RocprofCompute,
    detect: Detect::NotJson(is_machine),
    read: |input| Ok(read_machine(input)?),
    ..Format::PROFILER
};

/// `roofline.csv`: what the devices reached in benchmarks.
pub(crate) const ROOFS: Format = Format {
    id: "rocprof-compute-roofline",
    recorder: Recorder::RocprofCompute,
    detect: Detect::NotJson(is_roofs),
    read: |input| Ok(read_roofs(input)?),
    ..Format::PROFILER
};

/// `pmc_dispatch_info.csv`: names of dispatches, which the other files have too.
pub(crate) const DISPATCHES: Format = Format {
    id: "rocprof-compute-dispatches",
    recorder: Recorder::RocprofCompute,
    detect: Detect::NotJson(is_list),
    read: |input| Ok(read_list(input)?),
    ..Format::PROFILER
};

const STYLE: Style = Style {
    tool: "rocprof-compute",
    clock: "nanoseconds of the system clock, as written by the profiler that rocprof-compute runs",
    names_accumulators: true,
};

fn is_table(first: &[u8]) -> bool {
    let Some(columns) = table::header(first) else { return false };
    let rows = Rows::of(&columns);
    // Its own table has no processes; the files of passes have those of rocprof under the names of rocprofv2.
    let is_merged = !columns.has(Field::Process) || columns.has_name("queueindex");
    let is_of_dispatches = matches!(rows, Some(Rows::Dispatches | Rows::Counters));
    is_of_dispatches && columns.has_name("gpuid") && columns.has_name("gridsize") && is_merged
}

/// True for a file that rocprofv2 wrote for rocprof-compute.
pub(super) fn is_of_workload(path: &str) -> bool {
    let name = path.rsplit(['/', '\\', '!']).next().unwrap_or(path);
    name.starts_with("timestamps.csv") || name.starts_with("pmc_perf") || name.starts_with("SQ_")
}

/// Reads a table of dispatches of a workload.
pub(super) fn read(input: Input<'_>) -> Result<Document, Refused> {
    let set = set_of(input.path);
    let reading = table::read(input, STYLE)?;
    let part =
        Part { format: TABLES.id, set, role: reading.role, trace: reading.trace, bytes: reading.bytes };
    Ok(Document::Part(Box::new(part)))
}

fn set_of(path: &str) -> String {
    format!("{}/workload", directory_of(path))
}

fn is_machine(first: &[u8]) -> bool {
    let is_it = |columns: &Columns| columns.has_name("workloadname") && columns.has_name("hostname");
    table::header(first).is_some_and(|columns| is_it(&columns))
}

fn read_machine(input: Input<'_>) -> Result<Document, Refused> {
    let set = set_of(input.path);
    let (trace, bytes) = devices::sysinfo(input)?;
    Ok(Document::Part(Box::new(Part { format: TABLES.id, set, role: Role::Device, trace, bytes })))
}

fn is_roofs(first: &[u8]) -> bool {
    table::header(first).is_some_and(|columns| columns.has_name("device") && columns.has_name("hbmbw"))
}

fn read_roofs(input: Input<'_>) -> Result<Document, Refused> {
    let set = set_of(input.path);
    let (trace, bytes) = devices::roofline(input)?;
    Ok(Document::Part(Box::new(Part { format: TABLES.id, set, role: Role::Device, trace, bytes })))
}

fn is_list(first: &[u8]) -> bool {
    let is_it = |columns: &Columns| columns.names == ["dispatchid", "kernelname", "gpuid"];
    table::header(first).is_some_and(|columns| is_it(&columns))
}

/// Knows nothing that the other files do not, so it adds nothing.
fn read_list(mut input: Input<'_>) -> Result<Document, Refused> {
    let set = set_of(input.path);
    let bytes = std::io::copy(&mut input.rest, &mut std::io::sink()).unwrap_or(input.first.len() as u64);
    let trace = eaves_model::Trace::default();
    Ok(Document::Part(Box::new(Part { format: TABLES.id, set, role: Role::Device, trace, bytes })))
}
