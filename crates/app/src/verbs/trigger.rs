//! `trigger`: records a program that runs under `eaves attach`, then reports.

use std::path::PathBuf;

use clap::Args;
use eaves_model::Ns;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::analysis::Closely;
use crate::verbs::Report;
use crate::{Answer, Context, Duration, Failure, HELP_TEMPLATE, Timeout, Verb};

/// Steps that are recorded unless a request says how many.
const STEPS: u32 = 3;

/// Record a program that runs under attach, then report
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves trigger eaves-attach
  eaves trigger --steps 5 --stacks eaves-attach
  eaves trigger --duration 2s 12345      the number of one of its processes"
)]
pub struct Trigger {
    /// Directory that `eaves attach` told, or number of a process of the program
    #[arg(value_name = "DIR|PID")]
    pub of: PathBuf,
    /// Steps of the optimizer to record, after one that passes [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "duration", help_heading = "What to record")]
    #[serde(default)]
    pub steps: Option<u32>,
    /// Begin at a step whose number is a multiple: all ranks record the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 1, conflicts_with = "duration", help_heading = "What to record")]
    #[serde(default = "one")]
    pub align: u32,
    /// Record for a time, whatever the program does: 2s
    #[arg(long, value_name = "TIME", help_heading = "What to record")]
    #[serde(default)]
    pub duration: Option<Duration>,
    /// Record Python functions and modules
    #[arg(long, help_heading = "What to record")]
    #[serde(default)]
    pub stacks: bool,
    /// Record shapes, which a roofline needs
    #[arg(long, help_heading = "What to record")]
    #[serde(default)]
    pub shapes: bool,
    /// Record what is allocated and freed
    #[arg(long, help_heading = "What to record")]
    #[serde(default)]
    pub memory: bool,
    /// Longest to wait for the traces of all processes
    #[arg(long, value_name = "TIME", default_value = "300s", help_heading = "Running")]
    #[serde(default = "five_minutes")]
    pub timeout: Timeout,
    /// The part of the recordings to look at, and how closely.
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
        Some("makes a program record itself")
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
                "start it with `eaves attach -- PROGRAM`, which tells the directory to name here",
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
        let recorded = ask(&sockets, &order, self.timeout.into(), waiting).map_err(|error| {
            Failure::new(format!("nothing was recorded: {error}"), "--timeout lets it take longer")
        })?;
        if !recorded.lost.is_empty() {
            let processes = counted(recorded.lost.len(), "process");
            context.progress.note(&format!("{processes} ended before there was a trace"));
        }
        if recorded.files.is_empty() {
            return Err(Failure::new("nothing was recorded: the program ended", "it must run long enough"));
        }
        for file in &recorded.files {
            context.progress.note(&format!("recorded {}", file.display()));
        }
        Ok(recorded.files)
    }

    #[cfg(not(unix))]
    fn record(&self, _: &Context<'_>) -> Result<Vec<PathBuf>, Failure> {
        Err(Failure::new(
            "trigger needs sockets that this system does not have",
            "`eaves profile -- PROGRAM` works here",
        ))
    }
}
