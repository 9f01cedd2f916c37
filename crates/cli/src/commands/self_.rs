//! `eaves self`: what eaves knows about itself.

use clap::{Args, Subcommand};

use crate::arguments::{HELP_TEMPLATE, OutputArguments};

/// Things made from eaves itself
#[derive(Args, Debug)]
#[command(help_template = HELP_TEMPLATE, before_help = "  eaves self schema > eaves.schema.json")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Print the JSON Schema of what --json prints
    #[command(help_template = HELP_TEMPLATE, before_help = "  eaves self schema > eaves.schema.json")]
    Schema,
}

/// Prints it.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<()> {
    match arguments.what {
        What::Schema => output.write_text(eaves_present::json::SCHEMA),
    }
}
