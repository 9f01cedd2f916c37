//! What readers of several formats share: rows of AMD's profilers, tables in text, quotes, encodings.

// tidy-alphabetical-start
pub(super) mod amd;
pub(super) mod amd_text;
pub(super) mod cells;
pub(super) mod quotes;
#[cfg(test)]
pub(super) mod testing;
pub(super) mod unicode;
// tidy-alphabetical-end
