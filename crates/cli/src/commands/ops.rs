//! `eaves ops`: operators with formulas, and scripts that define more.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Subcommand};
use eaves_analyze::section::{Outcome, Section};
use eaves_assess::operators::{self, Tried};
use eaves_present::Document;
use eaves_roofline::scripts::Script;
use serde_json::Value;

use crate::arguments::OutputArguments;
use crate::failure::hinted;
use eaves_app::HELP_TEMPLATE;
use eaves_model::suggestion::did_you_mean;

/// List operators with formulas, or check a script that defines more
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves ops list --family normalization
  eaves ops check ops.rhai --input commands.json"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Check(Check),
    List(List),
}

/// Check a script of operators, and try it on commands
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves ops check ops.rhai
  eaves ops check ops.rhai --input commands.json --json"
)]
struct Check {
    /// The script
    #[arg(value_name = "FILE")]
    script: PathBuf,
    /// Commands to try it on: those of the types that it defines
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
}

/// List operators with a formula by family
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves ops list
  eaves ops list --family attention --csv"
)]
struct List {
    /// Only those of a family
    #[arg(long, value_name = "NAME")]
    family: Option<String>,
}

/// Does it.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<()> {
    match &arguments.what {
        What::Check(check) => {
            let inputs: Vec<PathBuf> = check.input.iter().chain([&check.script]).cloned().collect();
            let script = Script::read(&check.script).map_err(failed)?;
            let tried = check.input.as_deref().map(|path| tried(&script, path)).transpose()?;
            write(operators::checked(&script, &tried.unwrap_or_default()), &inputs, output)
        }
        What::List(list) => write(operators::list(known(list)?), &[], output),
    }
}

fn write(section: Section, inputs: &[PathBuf], output: &OutputArguments) -> anyhow::Result<()> {
    let destination = output.destination(inputs)?;
    let outcomes = vec![Outcome::Section(section)];
    output.finish(&Document { verb: "ops", outcomes, ..Document::default() }, destination, 0)
}

fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    hinted(error.to_string(), "docs/ops-scripts.md has an example and what a script may use")
}

/// The family that was asked for, if there is one of that name.
fn known(list: &List) -> anyhow::Result<Option<&str>> {
    let Some(family) = list.family.as_deref() else { return Ok(None) };
    let families = operators::families();
    if families.contains(&family) {
        return Ok(Some(family));
    }
    let hint = match did_you_mean(family, families.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("families are {}", families.join(", ")),
    };
    Err(hinted(format!("no family of operators is called `{family}`"), hint))
}

/// What the script says of the commands of its types. All that it fails on are told together.
fn tried(script: &Script, path: &Path) -> anyhow::Result<Vec<Tried>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let commands: Vec<Value> = serde_json::from_str(&text).map_err(|error| {
        hinted(format!("{}: {error}", path.display()), "commands are a JSON list of objects")
    })?;
    let (mut tried, mut errors) = (Vec::new(), Vec::new());
    for (index, command) in commands.iter().enumerate() {
        let text = |field: &str| command.get(field).and_then(Value::as_str);
        let Some(kind) = text("type").filter(|kind| script.defines(kind)) else { continue };
        let name = text("name").map_or_else(|| format!("#{index}"), str::to_owned);
        let precision = eaves_roofline::ops::npu::precision(command);
        let work = precision.map_err(|reason| format!("{}: {kind}: {reason}", script.name())).and_then(
            |precision| {
                let size = precision.element_bits / 8.0;
                script.work(kind, command, size).map_err(|error| error.to_string())
            },
        );
        match work {
            Ok(work) => tried.push(Tried { name, kind: kind.to_owned(), work }),
            Err(error) => errors.push(format!("{error} (command {name})")),
        }
    }
    if errors.is_empty() { Ok(tried) } else { Err(failed(errors.join("\n"))) }
}
