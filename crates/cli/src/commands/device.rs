//! `eaves device`: what devices can do, and which ones this machine has.

mod measure;

use clap::{Args, Subcommand};
use eaves_app::HELP_TEMPLATE;
use eaves_app::verbs::device::{Device, DeviceOp};

use crate::Status;
use crate::arguments::OutputArguments;

/// List and show devices, find and measure those of this machine
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves device list --vendor amd
  eaves device show h100-sxm
  eaves device detect -o peaks.yaml
  eaves device measure -o roofs.yaml"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    #[command(flatten)]
    Asked(DeviceOp),
    Measure(measure::Arguments),
}

/// Does it.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<Status> {
    match &arguments.what {
        What::Asked(op) => output.run(&Device { op: op.clone() }),
        What::Measure(arguments) => measure::run(arguments, output).map(|()| Status::Done),
    }
}
