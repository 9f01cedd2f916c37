//! The page and its HTTP API.
//!
//! [`Server::start`] listens. JSON becomes a request of `eaves_app` (`requests`), with the same answer as on the command
//! line. Runs share a memory budget (`runs`), answers are cached with their hash (`answer`), and each route family has one
//! file (`routes`).
//!
//! This crate computes no metrics.

mod access;
mod answer;
mod compressed;
mod files;
mod jobs;
pub mod live;
mod options;
mod problem;
mod requests;
mod routes;
mod runs;
mod server;
mod state;
mod watch;

pub use options::{Options, UPLOAD_LIMIT};
pub use problem::Problem;
pub use server::{Server, StartError};
