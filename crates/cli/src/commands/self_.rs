//! `eaves self`: shell completions, man pages and schemas.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Command, CommandFactory, Subcommand};
use clap_complete::Shell;
use serde_json::Value;

use crate::arguments::OutputArguments;
use crate::command_line;
use eaves_app::HELP_TEMPLATE;

/// Print shell completions, man pages and schemas
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves self schema > eaves.schema.json
  eaves self completions bash > ~/.local/share/bash-completion/completions/eaves
  eaves self man ~/.local/share/man/man1"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Print shell completions
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves self completions bash > ~/.local/share/bash-completion/completions/eaves
  eaves self completions zsh > ~/.zfunc/_eaves
  eaves self completions fish > ~/.config/fish/completions/eaves.fish"
    )]
    Completions {
        /// Shell: bash, elvish, fish, powershell or zsh
        #[arg(value_name = "SHELL", hide_possible_values = true)]
        shell: Shell,
    },
    /// Write man pages, one per verb
    #[command(help_template = HELP_TEMPLATE, before_help = "  eaves self man ~/.local/share/man/man1")]
    Man {
        /// Output directory; created if it does not exist
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
    /// Print the JSON Schema of --json output
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves self schema > eaves.schema.json
  eaves self schema --requests > requests.json
  eaves self schema --commands > commands.json"
    )]
    Schema {
        /// Print every verb with its options instead
        #[arg(long, conflicts_with = "requests")]
        commands: bool,
        /// Print the request schema of every verb instead
        #[arg(long)]
        requests: bool,
    },
}

/// Prints or writes it.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<()> {
    match &arguments.what {
        What::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut command(), "eaves", &mut text);
            output.write_text(&String::from_utf8_lossy(&text))
        }
        What::Man { directory } => manual(directory),
        What::Schema { commands: true, .. } => output.write_text(&pretty(&command_line::described())?),
        What::Schema { requests: true, .. } => output.write_text(&pretty(&eaves_app::catalog::requests())?),
        What::Schema { .. } => output.write_text(eaves_present::json::SCHEMA),
    }
}

fn pretty(value: &Value) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

/// The whole command line.
fn command() -> Command {
    crate::Arguments::command()
}

fn manual(directory: &Path) -> anyhow::Result<()> {
    let failed = || format!("cannot write manual pages to {}", directory.display());
    std::fs::create_dir_all(directory).with_context(failed)?;
    clap_mangen::generate_to(command(), directory).with_context(failed)
}
