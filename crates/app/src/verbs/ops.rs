//! `ops`: operators with formulas, and scripts that define more.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use eaves_assess::operators::{self, Tried};
use eaves_model::suggestion::did_you_mean;
use eaves_present::Document;
use eaves_roofline::scripts::Script;
use eaves_section::Outcome;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::{Answer, Context, Failure, HELP_TEMPLATE, Verb};

/// List operators with formulas, or check a formula script
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves ops list --family normalization
  eaves ops check ops.rhai --input commands.json"
)]
pub struct Ops {
    /// Operation.
    #[command(subcommand)]
    #[serde(flatten)]
    pub op: OpsOp,
}

/// Operator operations.
#[derive(Clone, Debug, PartialEq, Subcommand, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum OpsOp {
    /// Check a formula script, and try it on NPU commands
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves ops check ops.rhai
  eaves ops check ops.rhai --input commands.json --json"
    )]
    Check(Check),
    /// List operators with formulas by family
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves ops list
  eaves ops list --family attention --csv"
    )]
    List(List),
}

/// A script, and what to try it on.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
pub struct Check {
    /// Formula script
    #[arg(value_name = "FILE")]
    pub script: PathBuf,
    /// NPU commands to try it on
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,
}

/// The operators that have a formula.
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct List {
    /// Only operators in this family
    #[arg(long, value_name = "NAME")]
    pub family: Option<String>,
}

impl Verb for Ops {
    const NAME: &'static str = "ops";

    fn run(&self, _: &Context<'_>) -> Result<Answer, Failure> {
        let section = match &self.op {
            OpsOp::Check(check) => {
                let script = Script::read(&check.script).map_err(failed)?;
                let tried = check.input.as_deref().map(|path| tried(&script, path)).transpose()?;
                operators::checked(&script, &tried.unwrap_or_default())
            }
            OpsOp::List(list) => operators::list(known(list)?),
        };
        let outcomes = vec![Outcome::Section(section)];
        Ok(Answer::new(Document { verb: Self::NAME, outcomes, ..Document::default() }).with_top(0))
    }

    fn files(&self) -> Vec<PathBuf> {
        match &self.op {
            OpsOp::Check(check) => check.input.iter().chain([&check.script]).cloned().collect(),
            OpsOp::List(_) => Vec::new(),
        }
    }
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::new(error.to_string(), "docs/ops-scripts.md has an example and the available functions")
}

/// The family that was asked for, if there is one of that name.
fn known(list: &List) -> Result<Option<&str>, Failure> {
    let Some(family) = list.family.as_deref() else { return Ok(None) };
    let families = operators::families();
    if families.contains(&family) {
        return Ok(Some(family));
    }
    let hint = match did_you_mean(family, families.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("families are {}", families.join(", ")),
    };
    Err(Failure::usage(format!("no operator family `{family}`"), hint))
}

/// Runs the script on the commands whose types it defines. Reports all failures together.
fn tried(script: &Script, path: &Path) -> Result<Vec<Tried>, Failure> {
    let named = |error: String| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::new(named(format!("cannot be read: {error}")), "name a file of NPU commands")
    })?;
    let commands: Vec<Value> = serde_json::from_str(&text)
        .map_err(|error| Failure::new(named(error.to_string()), "commands are a JSON list of objects"))?;
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
