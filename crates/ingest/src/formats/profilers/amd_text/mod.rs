//! What the text formats of AMD's profilers have in common: lines, cells, columns by name, and how a dispatch, a call
//! or a copy becomes rows of a trace.

// tidy-alphabetical-start
pub(super) mod arguments;
pub(super) mod cells;
pub(super) mod columns;
pub(super) mod devices;
pub(super) mod lines;
pub(super) mod marks;
pub(super) mod names;
pub(super) mod pairs;
pub(super) mod recorder;
pub(super) mod row;
pub(super) mod sums;
pub(super) mod table;
// tidy-alphabetical-end
