//! Running kernels: on what, how often, with progress, and held against physical limits.

mod backends;
mod beside;
mod guards;
mod progress;
mod roofs;
#[cfg(test)]
pub(crate) mod stand_in;

use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};
use eaves_assess::bench::Ran;
use eaves_bench::{Backend, BenchError, CacheState, Measurement, Options, Protocol, Spec};

use crate::arguments::OutputArguments;
use crate::failure::hinted;

pub(crate) use backends::{BackendName, Opened, backends, open};
pub(crate) use progress::Steps;
pub(crate) use roofs::{Against, sustained};

/// Operands of kernels that are run in turns may take so much memory together, or half of what is free if that is more.
const MOST_MEMORY: usize = 1 << 30;

/// How kernels are run.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Running")]
pub(crate) struct RunningArguments {
    /// What runs them: cpu, opencl or cuda; cpu if not said
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    backend: Option<BackendName>,
    /// How many threads, or several numbers; as many as cores if not said
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = threads)]
    pub(crate) threads: Vec<usize>,
    /// Seconds that one kernel may take at most; 2 if not said
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<f64>,
}

/// Where operands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StateArgument {
    Hot,
    Llc,
    Cold,
}

impl From<StateArgument> for CacheState {
    fn from(state: StateArgument) -> Self {
        match state {
            StateArgument::Hot => Self::Hot,
            StateArgument::Llc => Self::LastLevel,
            StateArgument::Cold => Self::Cold,
        }
    }
}

impl RunningArguments {
    /// What runs kernels.
    pub(crate) fn backend(&self) -> BackendName {
        self.backend.unwrap_or_default()
    }

    /// True if nothing was typed.
    pub(crate) fn is_silent(&self) -> bool {
        self.backend.is_none() && self.threads.is_empty() && self.seconds.is_none()
    }

    /// Numbers of threads to run with, each once.
    pub(crate) fn thread_counts(&self) -> Vec<usize> {
        if self.backend() != BackendName::Cpu {
            return vec![1];
        }
        if self.threads.is_empty() {
            return vec![eaves_bench::timing::cores()];
        }
        let mut counts = Vec::new();
        for count in &self.threads {
            if !counts.contains(count) {
                counts.push(*count);
            }
        }
        counts
    }

    /// How samples are taken.
    pub(crate) fn protocol(&self) -> Protocol {
        let limit = Duration::from_secs_f64(self.seconds.unwrap_or(2.0));
        let usual = Protocol::default();
        Protocol { limit, warm_up: usual.warm_up.min(limit), ..usual }
    }
}

fn threads(text: &str) -> Result<usize, String> {
    let most = eaves_bench::timing::processors();
    let count = text.trim().parse().ok().filter(|count| (1..=most).contains(count));
    count.ok_or_else(|| format!("a number from 1 to {most}, the processors that may be used"))
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| (0.001..=3600.0).contains(seconds));
    seconds.ok_or_else(|| "seconds from 0.001 to 3600".to_owned())
}

/// One kernel to be run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Task {
    pub(crate) spec: Spec,
    pub(crate) options: Options,
    /// Whose code, where it is not the backend's own.
    pub(crate) code: Code,
}

/// Whose code runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Code {
    /// That of the backend.
    #[default]
    Own,
    /// Another for products of matrices.
    Product(eaves_bench::cpu::gemm::Implementation),
}

/// Runs tasks and tells how far it is.
pub(crate) struct Runner<'a> {
    backend: &'a dyn Backend,
    steps: Steps,
}

impl<'a> Runner<'a> {
    pub(crate) fn new(backend: &'a dyn Backend, output: &OutputArguments) -> Self {
        Self { backend, steps: Steps::new(&output.printer()) }
    }

    /// Runs them, neighbours under the same conditions in turns, and checks each against what the roofs allow.
    pub(crate) fn run(&self, tasks: &[Task], against: &Against) -> Vec<Ran> {
        let mut ran = Vec::with_capacity(tasks.len());
        let mut rest = tasks;
        let room = eaves_bench::cpu::available_memory().map_or(0, |bytes| (bytes / 2.0) as usize);
        while let Some(first) = rest.first() {
            let (group, others) = rest.split_at(together(rest, first, room.max(MOST_MEMORY)));
            rest = others;
            self.steps.show(ran.len(), tasks.len(), &described(first, group.len()));
            let answers = if group.iter().all(|task| task.code == Code::Own) {
                let specs: Vec<Spec> = group.iter().map(|task| task.spec).collect();
                self.backend.measure(&specs, &first.options)
            } else {
                backends::in_turns(group, &first.options)
            };
            ran.extend(group.iter().zip(answers).map(|(task, answer)| checked(task, answer, against)));
        }
        self.steps.finish();
        ran
    }
}

/// How many of the first tasks are run in turns: the same conditions, and operands that fit in so much memory together.
fn together(tasks: &[Task], first: &Task, room: usize) -> usize {
    let mut memory = 0_usize;
    let fits = |task: &&Task| {
        memory = memory.saturating_add(backends::operand_bytes(task));
        task.options == first.options && memory <= room
    };
    tasks.iter().take_while(fits).count().max(1)
}

fn described(task: &Task, count: usize) -> String {
    let name = eaves_assess::bench::name(&task.spec);
    let more = if count > 1 { format!(" and {} more in turns", count - 1) } else { String::new() };
    format!("{name} {}{more}, {} threads", task.spec.precision(), task.options.threads)
}

fn checked(task: &Task, answer: Result<Measurement, BenchError>, against: &Against) -> Ran {
    match answer {
        Err(error) => Ran::Refused { spec: task.spec, why: error.to_string() },
        Ok(mut measurement) => {
            guards::check(&mut measurement, against);
            Ran::Measured(measurement)
        }
    }
}

/// An error if a measurement breaks a physical limit or is wrong: what was written is not to be believed.
pub(crate) fn fail_on_broken(ran: &[Ran]) -> Result<()> {
    let broken: Vec<&Measurement> = ran
        .iter()
        .filter_map(Ran::measured)
        .filter(|measurement| !measurement.violations.is_empty())
        .collect();
    let Some(first) = broken.first() else { return Ok(()) };
    let what: Vec<String> = first.violations.iter().map(ToString::to_string).collect();
    let more = if broken.len() > 1 { format!(", and {} more", broken.len() - 1) } else { String::new() };
    Err(hinted(
        format!(
            "{} in {}: {}{more}",
            eaves_assess::bench::name(&first.spec),
            first.spec.precision(),
            what.join("; ")
        ),
        "these numbers cannot be true; findings and --json say more",
    ))
}

#[cfg(test)]
mod tests;
