//! Roofline charts: what is drawn is where it should be, readable and harmless whatever the names.

mod page;
mod sample;
mod svg;
mod terminal;
