//! Hardware counters of AMD devices: which there are, which fit together, and the file that profilers read them from.

mod catalogue;
mod check;
mod input;
mod passes;
mod sets;

pub use catalogue::{Architecture, Counter, architecture, architectures};
pub use check::{Checked, Dialect, Fault, Problem, check};
pub use input::{Input, InputError};
pub use passes::{Load, fit, loads};
pub use sets::{SETS, Set};
