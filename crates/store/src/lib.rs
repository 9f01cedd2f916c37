//! The model as tables in files: flat tables, Arrow arrays, Parquet.
//!
//! Nothing here knows a format of profilers, and nothing here computes a metric.

pub mod arrow;
pub mod parquet;
pub mod staging;
pub mod tables;
#[cfg(test)]
mod tests;
