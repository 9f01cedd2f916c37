//! Tests of the whole crate. One program for all of them, because each one more has to be linked.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

#[cfg(feature = "cuda")]
mod cuda_compiles;
mod roofs;
mod timing;
