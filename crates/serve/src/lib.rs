//! The page and its interface over HTTP.
//!
//! [`Server::start`] listens. JSON becomes a request of `eaves_app` (`requests`), whose answer is the one that the command
//! line prints. Runs stay in memory under a bound (`runs`), answers are bytes with their hash (`answer`), routes are a
//! file a family (`routes`).
//!
//! Nothing here computes a metric.

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
