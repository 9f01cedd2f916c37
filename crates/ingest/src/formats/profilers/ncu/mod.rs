//! Nsight Compute: the table of `ncu --csv`, and the report that `ncu -o` writes.

mod csv;
mod facts;
mod header;
mod keep;
mod labels;
mod launches;
mod noise;
mod number;
mod passes;
mod quick;
mod report;
mod results;
mod rows;
mod unit;

use super::Profiler;

pub(super) use noise::ALLOW;

/// The table.
pub(super) const CSV: Profiler = Profiler { id: csv::FORMAT, is_it: csv::is_it, read: csv::read };

/// The report.
pub(super) const REPORT: Profiler = Profiler { id: report::FORMAT, is_it: report::is_it, read: report::read };

#[cfg(test)]
mod tests;
