//! A JSON scanner for one purpose: event lists of any size, healthy or damaged, into columns.
//!
//! Stage one ([`index`]) finds the quotes and brackets of a chunk with SIMD; stage two ([`cursor`]) walks these
//! positions and never looks at bytes in between unless it wants a value. No tree is built, no text is copied
//! unless it is new. General JSON (headers) goes to `serde_json`; nothing else does, because it stops at the
//! first odd byte and we must not.

pub(crate) mod cursor;
pub(crate) mod index;
pub(crate) mod number;
pub(crate) mod padded;
pub(crate) mod text;
pub(crate) mod walk;
pub(crate) mod window;
