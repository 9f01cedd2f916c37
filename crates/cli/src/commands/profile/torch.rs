//! What PyTorch's profiler is asked for, and why it may have recorded nothing.

use clap::Args;
use eaves_capture::{Outcome, Tool, torch};

use crate::failure::hinted;
use eaves_app::Duration;

/// What to record of a program that uses PyTorch.
#[derive(Args, Debug)]
pub(crate) struct TorchArguments {
    /// Steps to record: of the optimizer, else calls of the model [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "What to record of PyTorch")]
    steps: Option<u32>,
    /// Steps that pass before, at least one [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "What to record of PyTorch")]
    warmup: Option<u32>,
    /// Record what is allocated and freed
    #[arg(long, help_heading = "What to record of PyTorch")]
    memory: bool,
    /// Record Python functions and modules
    #[arg(long, help_heading = "What to record of PyTorch")]
    stacks: bool,
    /// Record shapes, which a roofline needs; --device does too
    #[arg(long, help_heading = "What to record of PyTorch")]
    shapes: bool,
    /// How long to record a program that has no steps [default: 2s]
    #[arg(long, value_name = "TIME", help_heading = "What to record of PyTorch")]
    window: Option<Duration>,
}

impl TorchArguments {
    /// Refuses what only PyTorch's profiler understands if it is another that runs.
    pub(crate) fn check(&self, tool: &Tool) -> anyhow::Result<()> {
        if tool.command.is_none() {
            return Ok(());
        }
        let given = [
            ("--steps", self.steps.is_some()),
            ("--warmup", self.warmup.is_some()),
            ("--memory", self.memory),
            ("--stacks", self.stacks),
            ("--shapes", self.shapes),
            ("--window", self.window.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(hinted(
                format!("{} has no {option}", tool.id),
                "it is an option of PyTorch's profiler: leave --with out",
            )),
            None => Ok(()),
        }
    }

    /// The request. Work is held against a device by its shapes.
    pub(crate) fn request(&self, has_device: bool) -> torch::Request {
        let usual = torch::Request::default();
        torch::Request {
            steps: self.steps.unwrap_or(usual.steps),
            warmup: self.warmup.unwrap_or(usual.warmup),
            memory: self.memory,
            stacks: self.stacks,
            shapes: self.shapes || has_device,
            snapshot: false,
            categories: false,
            window: self.window.map_or(usual.window, Into::into),
        }
    }
}

/// Why there is nothing to report, if there is nothing.
pub(crate) fn nothing(outcome: &Outcome) -> Option<anyhow::Error> {
    if !outcome.readable.is_empty() {
        return None;
    }
    if outcome.told.nothing.is_empty() {
        return Some(hinted(
            "nothing was recorded: no process of the program imported torch",
            "a container or a shell that drops PYTHONPATH keeps us out; programs without PyTorch are recorded by \
             --with nsys, ncu or rocprofv3",
        ));
    }
    let why = outcome.told.nothing.join("; ");
    Some(hinted(
        format!("nothing was recorded: {why}"),
        "steps are those of an optimizer, or calls of an outermost module; --steps, --warmup and --window say how many",
    ))
}
