//! Predictions: what a device needs at best for a shape, or for a whole model.

mod config;
pub mod models;
mod transformer;

pub use config::{ConfigError, transformer};
pub use transformer::{Attending, Feeding, Normalising, Position, Transformer};
