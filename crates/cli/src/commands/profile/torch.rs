//! What PyTorch's profiler is asked for, and why it may have recorded nothing.

use clap::Args;
use eaves_capture::{Outcome, Tool, torch};

use crate::failure::hinted;
use eaves_app::Duration;

/// What to record of a program that uses PyTorch.
#[derive(Args, Debug)]
pub(crate) struct TorchArguments {
    /// Optimizer steps to record, or model calls without one [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "What to record with PyTorch")]
    steps: Option<u32>,
    /// Warm-up steps before, at least 1 [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "What to record with PyTorch")]
    warmup: Option<u32>,
    /// Record allocations
    #[arg(long, help_heading = "What to record with PyTorch")]
    memory: bool,
    /// Record Python functions and modules
    #[arg(long, help_heading = "What to record with PyTorch")]
    stacks: bool,
    /// Record input shapes, which rooflines need; implied by --device
    #[arg(long, help_heading = "What to record with PyTorch")]
    shapes: bool,
    /// Recording time for programs without steps [default: 2s]
    #[arg(long, value_name = "TIME", help_heading = "What to record with PyTorch")]
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
                format!("{} does not support {option}", tool.id),
                "it is an option of PyTorch's profiler: drop --with",
            )),
            None => Ok(()),
        }
    }

    /// The request. Work is compared with a device by its shapes.
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
            "nothing was recorded: no process imported torch",
            "check that no container or shell drops PYTHONPATH; record programs without PyTorch \
             --with nsys, ncu or rocprofv3",
        ));
    }
    let why = outcome.told.nothing.join("; ");
    Some(hinted(
        format!("nothing was recorded: {why}"),
        "a step is an optimizer step or a call of the outermost module; adjust --steps, --warmup or --window",
    ))
}
