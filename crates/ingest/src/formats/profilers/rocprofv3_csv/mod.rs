//! The CSV files of rocprofv3, of rocprofiler-sdk 0.5 (ROCm 6.3) as of 1.0 (ROCm 7.0), and those that `rocpd convert`
//! makes: a file for each kind of record, told by its columns.

use super::shared::amd_text::columns::{Columns, Field};
use super::shared::amd_text::table::{self, Rows, Style};
use super::shared::amd_text::{devices, sums};
use super::{Detect, Format, Input, Part, Recorder, Refused};
use crate::formats::Document;
use crate::place::set_of;

/// Tables of records.
pub(crate) const TABLES: Format = Format {
    id: "rocprofv3-csv",
    recorder: Recorder::Rocprofv3,
    detect: Detect::NotJson(is_table),
    read: |input| Ok(read_table(input)?),
    ..Format::PROFILER
};

/// What `agent_info.csv` says of the machine.
pub(crate) const AGENTS: Format = Format {
    id: "rocprofv3-agents",
    recorder: Recorder::Rocprofv3,
    detect: Detect::NotJson(is_agents),
    read: |input| Ok(read_agents(input)?),
    ..Format::PROFILER
};

/// `*_stats.csv`, of rocprofv3 and of rocprof alike.
pub(crate) const SUMS: Format = Format {
    id: "rocprof-stats",
    recorder: Recorder::Unknown,
    detect: Detect::NotJson(is_sums),
    read: |input| Ok(read_sums(input)?),
    ..Format::PROFILER
};

/// What is known and not read.
pub(crate) const SAMPLES: Format = Format {
    id: "rocprofv3-samples",
    recorder: Recorder::Rocprofv3,
    detect: Detect::NotJson(is_samples),
    read: |input| Ok(read_samples(input)?),
    ..Format::PROFILER
};

const STYLE: Style = Style {
    tool: "rocprofv3",
    clock: "nanoseconds of the system clock, for host and device, as written by rocprofv3",
    names_accumulators: false,
};

fn is_table(first: &[u8]) -> bool {
    let Some(columns) = table::header(first) else { return false };
    let of_agents = columns.has_name("agentid") || columns.has(Field::Kind);
    let of_threads =
        columns.has(Field::Domain) && (columns.has(Field::Process) || columns.has(Field::Thread));
    Rows::of(&columns).is_some() && (of_agents || of_threads)
}

fn read_table(input: Input<'_>) -> Result<Document, Refused> {
    let set = set_of(input.path);
    let reading = table::read(input, STYLE)?;
    let part =
        Part { format: TABLES.id, set, role: reading.role, trace: reading.trace, bytes: reading.bytes };
    Ok(Document::Part(Box::new(part)))
}

fn is_agents(first: &[u8]) -> bool {
    table::header(first).is_some_and(|columns| columns.has_name("agenttype") && columns.has_name("nodeid"))
}

fn read_agents(input: Input<'_>) -> Result<Document, Refused> {
    let set = set_of(input.path);
    let (trace, bytes) = devices::agents(input)?;
    Ok(Document::Part(Box::new(Part { format: AGENTS.id, set, role: super::Role::Device, trace, bytes })))
}

fn is_sums(first: &[u8]) -> bool {
    table::header(first).is_some_and(|columns| sums::is_it(&columns))
}

fn read_sums(input: Input<'_>) -> Result<Document, Refused> {
    sums::read(input, SUMS.id)
}

fn is_samples(first: &[u8]) -> bool {
    let is_known = |columns: &Columns| {
        columns.has_name("sampletimestamp") && columns.has_name("execmask")
            || columns.has_name("codeobj") && columns.has_name("hitcount")
    };
    table::header(first).is_some_and(|columns| is_known(&columns))
}

fn read_samples(_: Input<'_>) -> Result<Document, Refused> {
    Err(Refused {
        offset: 0,
        what: "instruction samples, without kernel times or counters".to_owned(),
        hint: "use the `kernel_trace` or `counter_collection` file of the same run".to_owned(),
    })
}
