//! Hardware limits, and how close measured work comes to them.
//!
//! [`Work`] is what an operator must do: operations and bytes per operand, each operand in its own [`Precision`].
//! A [`Device`] is what a machine can do. [`Roof`] combines the two, and [`assess`] returns the best possible time of the
//! work, its bound, and the headroom of a measured time.
//!
//! ```
//! use eaves_roofline::Precision;
//!
//! let nvfp4: Precision = "nvfp4".parse()?;
//! // 4 bits per element, an 8-bit scale per 16 elements, a 32-bit scale per tensor.
//! assert_eq!(nvfp4.bytes(4096.0), 4096.0 * 4.5 / 8.0 + 4.0);
//! # Ok::<(), eaves_roofline::UnknownPrecision>(())
//! ```

mod arithmetic;
pub mod counters;
pub mod device;
pub mod measured;
pub mod operand_text;
pub mod ops;
mod precision;
pub mod predict;
mod roof;
pub mod scripts;
mod work;

pub use arithmetic::{Arithmetic, Engine};
pub use device::Device;
pub use precision::{Every, Family, Precision, Scale, UnknownPrecision};
pub use roof::{Assessment, Ceiling, Class, Flag, Level, Roof, Settings, Status, assess};
pub use work::{Access, Basis, Counts, Operand, Work};
