//! The model as tables in files: flat tables, Arrow arrays, Parquet, and datasets of many ranks made of them.
//!
//! Nothing here knows a format of profilers, and nothing here computes a metric.

pub mod arrow;
mod backing;
pub mod dataset;
mod dataset_error;
mod decode;
mod encode;
mod layout;
mod leftovers;
mod names;
pub mod parquet;
mod rank_file;
pub mod staging;
pub mod tables;
#[cfg(test)]
mod tests;

pub use dataset::{Dataset, Part, StagedRank, is_address};
pub use dataset_error::Error;
pub use names::{is_run_name, run_name_of};
pub use rank_file::{FORMAT_VERSION, RankFile, Source, StoredTable, StoredWarning};
