//! Tables of reports that were saved earlier, whose names are not constants of this program.

use crate::Value;

/// A table of a saved report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedTable {
    /// The section it stands in.
    pub section: String,
    /// Its name.
    pub id: String,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<Value>>,
}
