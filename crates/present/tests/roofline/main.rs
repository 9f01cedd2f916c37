//! Roofline charts: what is drawn is where it should be, readable and harmless whatever the names.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

mod page;
mod pictures;
mod sample;
mod svg;
mod terminal;
