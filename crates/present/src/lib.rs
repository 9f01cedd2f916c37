//! Sections as terminal text, JSON, CSV and Markdown.
//!
//! Everything here draws a [`Document`]; nothing here computes a metric. A number on screen exists in a section.

pub mod csv;
mod document;
pub mod export;
pub mod flame;
pub mod human;
pub mod json;
pub mod markdown;
pub mod names;
pub mod terminal;

pub use document::{Document, Input, InputWarning};
