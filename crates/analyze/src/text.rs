//! Quantities in sentences.

pub(crate) use eaves_section::quantity::{duration, percentage, share as percent, shortened, size};
