//! `eaves cluster`: a local Ray cluster.

use anyhow::Context;
use clap::{Args, Subcommand};

use crate::Status;
use eaves_app::{HELP_TEMPLATE, ray};

/// Try `report --ray` on a local Ray cluster
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves cluster try               a Ray cluster on this machine
  eaves cluster try --nodes 4
  eaves report traces/ --ray 127.0.0.1:6379"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Try(Try),
}

/// Start a Ray cluster on this machine and print its address
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves cluster try
  eaves cluster try --nodes 4"
)]
struct Try {
    /// Number of nodes, sharing the processors
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=64))]
    nodes: u32,
}

/// Runs the verb.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let What::Try(Try { nodes }) = &arguments.what;
    let mut command = ray::module()?;
    let status = command.arg("try").arg("--nodes").arg(nodes.to_string()).status();
    let code = status.context("cannot start Python")?.code().and_then(|code| u8::try_from(code).ok());
    Ok(Status::Program(code.unwrap_or(crate::FAILED)))
}
