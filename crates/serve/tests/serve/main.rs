//! The server by its socket: every route, every refusal, many clients.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers too")]

mod calculator;
mod client;
mod compat;
mod files;
mod hostile;
mod interface;
mod many;
mod packed;
mod published;
mod query;
mod runs;
mod verbs;
