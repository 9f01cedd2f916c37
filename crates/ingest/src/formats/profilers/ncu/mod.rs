//! Nsight Compute: the table of `ncu --csv`, and the report that `ncu -o` writes.

mod csv;
mod facts;
mod header;
mod kept_metrics;
mod labels;
mod launches;
mod noise;
mod number;
mod passes;
mod report;
mod results;
mod rows;
mod unit;
mod wide_rows;

use super::{Detect, Format, Recorder};

pub(super) use noise::ALLOW;

/// The table.
pub(crate) const CSV: Format = Format {
    id: csv::FORMAT,
    recorder: Recorder::NsightCompute,
    detect: Detect::NotJson(csv::is_it),
    read: |input| Ok(csv::read(input)?),
    ..Format::PROFILER
};

/// The report.
pub(crate) const REPORT: Format = Format {
    id: report::FORMAT,
    recorder: Recorder::NsightCompute,
    detect: Detect::NotJson(report::is_it),
    read: |input| Ok(report::read(input)?),
    ..Format::PROFILER
};

#[cfg(test)]
mod tests;
