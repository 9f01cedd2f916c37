//! Nsight Compute: the table of `ncu --csv`, and the report that `ncu -o` writes.

mod cells;
mod csv;
mod header;
mod keep;
mod labels;
mod launches;
mod noise;
mod number;
mod unit;

use super::Profiler;

/// The table.
pub(super) const CSV: Profiler = Profiler { id: csv::FORMAT, is_it: csv::is_it, read: csv::read };
