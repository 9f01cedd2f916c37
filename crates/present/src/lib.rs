//! Sections as terminal text, JSON, CSV, Markdown and HTML.
//!
//! Everything here draws a [`Document`]; nothing here computes a metric. A number on screen exists in a section.

pub mod csv;
mod document;
pub mod export;
pub mod html;
pub mod human;
pub mod json;
pub mod markdown;
pub mod names;
pub mod saved;
pub mod terminal;

pub use document::{Document, Input, InputWarning};
