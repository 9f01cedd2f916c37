//! What can be wrong with a partial.

use crate::SelectionError;

/// A partial that cannot be read, merged or shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartialError {
    /// The bytes are something else.
    #[error("not a file from `eaves report --partial`")]
    Foreign,
    /// The bytes were changed since they were written, or cut.
    #[error("the partial report is damaged: {0}")]
    Damaged(&'static str),
    /// Another version of eaves wrote it, which may have measured otherwise.
    #[error("the partial report was written by eaves {found}; this is eaves {}", env!("CARGO_PKG_VERSION"))]
    Version {
        /// The version that wrote it.
        found: String,
    },
    /// It was measured with other options than the rest, or than what is asked for.
    #[error("the partial report was measured with different options: `{found}` instead of `{wanted}`")]
    Options {
        /// What it was measured with.
        found: String,
        /// What is wanted.
        wanted: String,
    },
    /// There is nothing to merge.
    #[error("no partial report given")]
    Nothing,
    /// The selection asks for something that is not there.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// What was measured cannot be written: a mistake of ours.
    #[error("cannot write partial results: {0}")]
    Unwritable(String),
}
