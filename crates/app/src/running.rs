//! Running kernels: shared by `bench`, `validate` and `device measure`.

use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use eaves_assess::bench;
use eaves_bench::roofs::{Effort, Progress};
use eaves_bench::running::{BackendKind, KnownRoofs, Opened, Runner, Step, Unavailable};
use eaves_bench::{Backend, CacheState, Measurement, Protocol, timing};
use eaves_roofline::measured::Ran;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text_value::{list, written_as_text};
use crate::{Context, Failure, device};

/// Backend and time budget.
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[command(next_help_heading = "Running")]
#[serde(default)]
pub struct Running {
    /// Backend: cpu, opencl or cuda [default: cpu]
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    pub backend: Option<BackendName>,
    /// Number of threads; comma-separated list [default: all cores]
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    #[serde(deserialize_with = "list")]
    pub threads: Vec<Threads>,
    /// Time budget per kernel [default: 2]
    #[arg(long, value_name = "SECONDS")]
    pub seconds: Option<Seconds>,
}

/// Backend and options for running kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BackendName {
    /// The processor.
    #[default]
    Cpu,
    /// A device of OpenCL.
    Opencl,
    /// An NVIDIA GPU.
    Cuda,
}

impl From<BackendName> for BackendKind {
    fn from(name: BackendName) -> Self {
        match name {
            BackendName::Cpu => Self::Cpu,
            BackendName::Opencl => Self::OpenCl,
            BackendName::Cuda => Self::Cuda,
        }
    }
}

/// Where operands are before a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StateName {
    /// In whatever cache they fit.
    Hot,
    /// In the last cache.
    Llc,
    /// In memory.
    Cold,
}

impl From<StateName> for CacheState {
    fn from(state: StateName) -> Self {
        match state {
            StateName::Hot => Self::Hot,
            StateName::Llc => Self::LastLevel,
            StateName::Cold => Self::Cold,
        }
    }
}

/// A number of threads, at most as many as there are processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads(pub usize);

/// A limit from a millisecond to an hour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seconds(pub f64);

impl FromStr for Threads {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let most = timing::processors();
        let count = text.trim().parse().ok().filter(|count| (1..=most).contains(count));
        count
            .map(Self)
            .ok_or_else(|| format!("expected a number from 1 to {most}, the processors of this machine"))
    }
}

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let seconds = text.parse().ok().filter(|seconds| (0.001..=3600.0).contains(seconds));
        seconds.map(Self).ok_or_else(|| "expected 0.001 to 3600 seconds".to_owned())
    }
}

written_as_text!(Threads, "Threads", "4");
written_as_text!(Seconds, "Seconds", "0.5");

impl Running {
    /// Backend and options for running kernels.
    pub(crate) fn backend(&self) -> BackendKind {
        self.backend.unwrap_or_default().into()
    }

    /// Numbers of threads to run with, each once.
    pub(crate) fn thread_counts(&self) -> Vec<usize> {
        if self.backend() != BackendKind::Cpu {
            return vec![1];
        }
        if self.threads.is_empty() {
            return vec![timing::cores()];
        }
        let mut counts = Vec::new();
        for Threads(count) in &self.threads {
            if !counts.contains(count) {
                counts.push(*count);
            }
        }
        counts
    }

    /// How samples are taken.
    pub(crate) fn protocol(&self) -> Protocol {
        let limit = Duration::from_secs_f64(self.seconds.map_or(2.0, |Seconds(seconds)| seconds));
        let usual = Protocol::default();
        Protocol { limit, warm_up: usual.warm_up.min(limit), ..usual }
    }
}

impl From<Unavailable> for Failure {
    fn from(error: Unavailable) -> Self {
        Self::new(error.message, error.hint)
    }
}

/// The backends, with why one cannot be used here, if it cannot.
pub fn backends() -> Vec<(&'static str, Option<String>)> {
    BackendKind::ALL.map(|kind| (kind.id(), kind.open(None).err().map(|error| error.message))).to_vec()
}

/// The roofs of a name, or of a file, which may have several devices.
pub(crate) fn roofs_named(name: &str) -> Result<KnownRoofs, Failure> {
    let path = std::path::Path::new(name);
    if !path.is_file() {
        return Ok(KnownRoofs::of(vec![device::named(name)?]));
    }
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::new(format!("cannot read {name}: {error}"), "name a file from `eaves device measure`")
    })?;
    let devices = eaves_roofline::device::parse(&text, path)
        .map_err(|error| Failure::new(error.to_string(), error.hint))?;
    Ok(KnownRoofs::of(devices))
}

/// Does something with a runner that tells whoever waits what it runs.
pub(crate) fn with_runner<R>(
    context: &Context<'_>,
    backend: &dyn Backend,
    work: impl FnOnce(&mut Runner<'_>) -> R,
) -> Result<R, Failure> {
    context.steps(|tell| {
        let mut say = |step: Step<'_>| tell(step.done, step.total, &described(&step));
        work(&mut Runner::new(backend, &mut say))
    })
}

/// Does something that measures roofs and says what is next.
pub(crate) fn roof_steps<R>(
    context: &Context<'_>,
    work: impl FnOnce(&mut dyn FnMut(Progress<'_>)) -> R,
) -> Result<R, Failure> {
    context.steps(|tell| {
        work(&mut |progress: Progress<'_>| {
            let percent = (progress.share.clamp(0.0, 1.0) * 100.0) as usize;
            tell(percent, 100, progress.what);
        })
    })
}

/// The roofs of a backend, measured now.
pub(crate) fn measured_roofs(
    opened: &mut Opened,
    effort: Effort,
    context: &Context<'_>,
) -> Result<KnownRoofs, Failure> {
    Ok(roof_steps(context, |tell| KnownRoofs::measure(opened, effort, tell))??)
}

fn described(step: &Step<'_>) -> String {
    let Some(task) = step.group.first() else { return String::new() };
    let name = bench::name(&task.spec);
    let more = match step.group.len() {
        0 | 1 => String::new(),
        count => format!(" and {} more in alternation", count - 1),
    };
    format!("{name} {}{more}, {} threads", task.spec.precision(), task.options.threads)
}

/// Why the numbers are not to be believed, if one breaks a physical limit or comes of a wrong result.
pub(crate) fn broken(ran: &[Ran]) -> Option<Failure> {
    let broken: Vec<&Measurement> = ran
        .iter()
        .filter_map(Ran::measured)
        .filter(|measurement| !measurement.violations.is_empty())
        .collect();
    let first = broken.first()?;
    let what: Vec<String> = first.violations.iter().map(ToString::to_string).collect();
    let more = if broken.len() > 1 { format!(", and {} more", broken.len() - 1) } else { String::new() };
    let (name, precision) = (bench::name(&first.spec), first.spec.precision());
    Some(Failure::new(
        format!("{name} in {precision}: {}{more}", what.join("; ")),
        "impossible numbers; see the findings or --json",
    ))
}
