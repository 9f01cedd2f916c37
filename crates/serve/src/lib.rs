//! The page and its interface over HTTP.
//!
//! [`Server::start`] listens; what it can say of recordings comes from [`Engine`], which the command line implements with
//! its own verbs, so that page and command line cannot say different things. Runs stay in memory under a bound
//! (`runs`), answers are bytes with their hash (`answer`), routes are a file a family (`routes`).
//!
//! Nothing here computes a metric.

mod access;
mod answer;
mod compressed;
mod engine;
mod files;
mod jobs;
pub mod live;
mod options;
mod problem;
mod routes;
mod runs;
mod server;
mod state;
mod watch;
mod words;

pub use engine::{Engine, Opened, Part, Recorded};
pub use options::{Options, UPLOAD_LIMIT};
pub use problem::Problem;
pub use server::{Server, StartError};
