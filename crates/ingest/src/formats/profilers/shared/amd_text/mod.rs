//! What the text formats of AMD's profilers have in common: lines, cells, columns by name, and how a dispatch, a call
//! or a copy becomes rows of a trace.

// tidy-alphabetical-start
pub(in super::super) mod arguments;
pub(in super::super) mod cells;
pub(in super::super) mod columns;
pub(in super::super) mod devices;
pub(in super::super) mod lines;
pub(in super::super) mod marks;
pub(in super::super) mod names;
pub(in super::super) mod pairs;
pub(in super::super) mod recorder;
pub(in super::super) mod row;
pub(in super::super) mod sums;
pub(in super::super) mod table;
// tidy-alphabetical-end
