//! Traces as files of other tools: Chrome JSON and Perfetto for viewers, Parquet and CSV for data bases.
//!
//! Nothing is computed here: every writer puts out the tables of the model as they are. What an analysis found may be
//! drawn into a trace before.

// tidy-alphabetical-start
mod arguments;
pub mod chrome;
pub mod csv;
mod event;
pub mod files;
mod header;
mod json;
pub mod kernels;
mod lanes;
pub mod perfetto;
// tidy-alphabetical-end
#[cfg(test)]
mod tests;
