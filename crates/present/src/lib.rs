//! Renders sections as terminal text, JSON, CSV, Markdown and HTML, and recordings as pictures and exports.
//!
//! This crate renders a [`Document`] and computes no metrics: every number on screen is in a section.

pub mod arrow;
mod colours;
pub mod csv;
mod document;
pub mod export;
pub mod flame;
pub mod html;
pub mod json;
pub mod markdown;
mod markup;
pub mod memory;
pub mod names;
mod packed;
pub mod page;
pub mod png;
pub mod roofline;
pub mod saved;
pub mod terminal;
pub mod timeline;
mod verdict;

pub use document::{Document, Input, InputWarning};
pub use verdict::{VerdictLine, verdict};
