//! `trigger`: records a program that runs under `eaves attach`, then reports.

use std::path::PathBuf;

use clap::Args;
use eaves_model::Ns;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::analysis::Closely;
use crate::verbs::Report;
use crate::{Answer, Context, Duration, Failure, HELP_TEMPLATE, Timeout, Verb};

/// Default number of steps.
const STEPS: u32 = 3;

/// Record a program running under `attach`, then report
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves trigger eaves-attach
  eaves trigger --steps 5 --stacks eaves-attach
  eaves trigger --duration 2s 12345      PID of one of its processes"
)]
pub struct Trigger {
    /// Directory printed by `eaves attach`, or the PID of one of its processes
    #[arg(value_name = "DIR|PID")]
    pub of: PathBuf,
    /// Optimizer steps to record, after letting one pass [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "duration", help_heading = "What to record")]
    #[serde(default)]
    pub steps: Option<u32>,
    /// Start at a multiple of N, so that all ranks record the same steps
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 1, conflicts_with = "duration", help_heading = "What to record")]
    #[serde(default = "one")]
    pub align: u32,
    /// Record for a fixed time instead, such as 2s
    #[arg(long, value_name = "TIME", help_heading = "What to record")]
    #[serde(default)]
    pub duration: Option<Duration>,
    /// Record Python functions and modules
    #[arg(long, help_heading = "What to record")]
    #[serde(default)]
    pub stacks: bool,
    /// Record input shapes, which rooflines need
    #[arg(long, help_heading = "What to record")]
    #[serde(default)]
    pub shapes: bool,
    /// Record allocations
    #[arg(long, help_heading = "What to record")]
    #[serde(default)]
    pub memory: bool,
    /// Longest wait for all traces
    #[arg(long, value_name = "TIME", default_value = "300s", help_heading = "Running")]
    #[serde(default = "five_minutes")]
    pub timeout: Timeout,
    /// What to analyze, and in how much detail.
    #[command(flatten)]
    #[serde(flatten)]
    pub closely: Closely,
}

fn one() -> u32 {
    1
}

fn five_minutes() -> Timeout {
    Timeout(Ns(300_000_000_000))
}

impl Verb for Trigger {
    const NAME: &'static str = "trigger";

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        let request =
            Report { inputs: self.record(context)?, closely: self.closely.clone(), ..Report::default() };
        let mut answer = request.run(context)?;
        answer.document.verb = Self::NAME;
        Ok(answer)
    }

    fn effect(&self) -> Option<&'static str> {
        Some("makes a running program record")
    }
}

impl Trigger {
    /// Asks the program for a recording and waits for its files.
    #[cfg(unix)]
    fn record(&self, context: &Context<'_>) -> Result<Vec<PathBuf>, Failure> {
        use eaves_capture::ondemand::{Extent, Order, ask, find};
        use eaves_section::quantity::counted;

        let Some(sockets) = find(&self.of) else {
            return Err(Failure::new(
                format!("no program runs under `eaves attach` there: {}", self.of.display()),
                "start it with `eaves attach -- PROGRAM`, which prints the directory to name here",
            ));
        };
        let order = Order {
            extent: match self.duration {
                Some(time) => Extent::Duration(time.into()),
                None => Extent::Steps(self.steps.unwrap_or(STEPS)),
            },
            align: self.align,
            stacks: self.stacks,
            shapes: self.shapes,
            memory: self.memory,
        };
        let waiting = |text: &str| context.progress.note(&format!("waiting: {text}"));
        let recorded = ask(&sockets, &order, self.timeout.into(), waiting)
            .map_err(|error| Failure::new(format!("nothing was recorded: {error}"), "increase --timeout"))?;
        if !recorded.lost.is_empty() {
            let processes = counted(recorded.lost.len(), "process");
            context.progress.note(&format!("{processes} exited before writing a trace"));
        }
        if recorded.files.is_empty() {
            return Err(Failure::new(
                "nothing was recorded: the program ended",
                "it must keep running until the traces are written",
            ));
        }
        for file in &recorded.files {
            context.progress.note(&format!("recorded {}", file.display()));
        }
        Ok(recorded.files)
    }

    #[cfg(not(unix))]
    fn record(&self, _: &Context<'_>) -> Result<Vec<PathBuf>, Failure> {
        Err(Failure::new(
            "`trigger` needs Unix sockets, which this system does not have",
            "use `eaves profile -- PROGRAM`",
        ))
    }
}
