//! Predictions: what a device needs at best for a whole model.

mod config;
pub mod configurations;
mod estimate;
mod forward;
pub mod models;
mod transformer;

pub use config::{ConfigError, transformer};
pub use estimate::{Estimate, Footprint, Row, estimate};
pub use forward::{Pass, Phase, Precisions, Step, steps};
pub use transformer::{Attending, Feeding, Normalising, Position, Transformer, Window};
