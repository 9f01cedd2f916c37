//! The model as files: flat tables, Arrow arrays, Parquet, and datasets of many ranks.
//!
//! This crate knows no profiler formats and computes no metrics.

pub mod arrow;
mod backing;
#[cfg(feature = "cloud")]
mod bucket;
pub mod dataset;
mod dataset_error;
mod decode;
mod encode;
#[cfg(feature = "cloud")]
pub mod http;
mod layout;
mod leftovers;
mod names;
mod objects;
pub mod parquet;
mod rank_file;
pub mod staging;
pub mod tables;
#[cfg(test)]
mod tests;

pub use dataset::{Dataset, Part, StagedRank, is_address};
pub use dataset_error::Error;
pub use names::{is_run_name, run_name_of};
pub use objects::Object;
pub use rank_file::{FORMAT_VERSION, RankFile, Source, StoredTable, StoredWarning};
