//! `eaves validate`: predictions held against measurements.

mod suite;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use eaves_analyze::Outcome;
use eaves_analyze::section::Section;
use eaves_assess::bench::Ran;
use eaves_assess::validate::{Baseline, Suite, Twin, section, twins};
use eaves_bench::roofs::Effort;
use eaves_bench::{CacheState, Measurement, Options};
use eaves_present::{Document, saved};
use eaves_roofline::{Device, device};

use super::bench::{Pair, pair, rooflines};
use crate::Status;
use crate::arguments::OutputArguments;
use crate::failure::hinted;
use crate::measuring::{self, Against, Code, Opened, Runner, RunningArguments, Task};
use eaves_app::HELP_TEMPLATE;
use eaves_app::{Form, condition};

/// See how far predictions are from what this machine does
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves validate
  eaves validate --device roofs.yaml --shape 1x4096x14336:mxfp4/int8
  eaves validate --fail-on 'median_error>25%' --fail-on 'error:gemm>40%'
  eaves validate --json -o today.json
  eaves validate --baseline today.json"
)]
pub(crate) struct Arguments {
    /// A product of your own as well: MxNxK, with precisions behind a colon;
    /// repeatable
    #[arg(long, value_name = "SHAPE", value_parser = suite::shape)]
    shape: Vec<suite::Own>,
    /// Which kernels: full, quick or none but your own
    #[arg(long, value_name = "WHICH", default_value = "full", hide_possible_values = true)]
    suite: suite::Which,
    /// Measured roofs, a file of `eaves device measure`; measured now if not
    /// said
    #[arg(long, value_name = "FILE")]
    device: Option<String>,
    /// The device of the catalogue to predict from too; found by its name if
    /// not said
    #[arg(long, value_name = "NAME")]
    datasheet: Option<String>,
    /// An earlier answer of --json: exit with 1 if a kernel is slower than
    /// noise explains
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// How much slower than the baseline is too slow, in percent
    #[arg(long, value_name = "PCT", default_value_t = 5.0)]
    slower_by: f64,
    /// Exit with 1 if it holds: error>25% (any kernel), error:gemm>15%,
    /// median_error>10%, p90_error>40%, inside<90; may be repeated
    #[arg(long, value_name = "CONDITION")]
    fail_on: Vec<String>,
    #[command(flatten)]
    running: RunningArguments,
    /// Rows of each table in text and Markdown; 0 for all
    #[arg(long, value_name = "N", default_value_t = 0)]
    top: usize,
}

/// Predicts and measures.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> Result<Status> {
    let conditions = condition::parse_all(&arguments.fail_on)?;
    let baseline = arguments.baseline.as_deref().map(read_baseline).transpose()?;
    let inputs: Vec<PathBuf> = arguments.baseline.iter().cloned().collect();
    let destination = output.outputs(&inputs, Form::is_of_charts)?;
    let mut opened = measuring::open(arguments.running.backend(), None)?;
    let datasheet = arguments.datasheet(&opened.backend().device())?;
    let against = match &arguments.device {
        Some(name) => Against::named(name)?,
        None => Against::measure(&mut opened, Effort::Default, output)?,
    };
    let roofs = against.roofs();
    let tasks = arguments.tasks(&against);
    let runner = Runner::new(opened.backend(), output);
    let (ran, beside) = match &opened {
        Opened::Cpu(cpu) => runner.run_beside(cpu, &tasks, &against),
        _ => (runner.run(&tasks, &against), Vec::new()),
    };
    let mut judged = Suite { ran: &ran, roofs, beside: &beside, datasheet: datasheet.as_ref(), twins: &[] };
    let twins = measured_twins(&judged, &tasks, &runner, &against);
    judged.twins = &twins;
    let mut section = section(&judged);
    let regressions = baseline.map_or(0, |baseline| {
        let compared = baseline.compare(&section, arguments.slower_by / 100.0);
        section.tables.insert(1, compared.table);
        section.findings.splice(0..0, compared.findings);
        compared.regressions
    });
    let held = condition::check_all(&conditions, &[&section])?;
    output.finish(&document(section, &ran, &roofs), destination, arguments.top)?;
    measuring::fail_on_broken(&ran)?;
    if regressions > 0 {
        let kernels = if regressions == 1 { "kernel is" } else { "kernels are" };
        output.printer().message(&format!("failed: {regressions} {kernels} slower than in the baseline\n"));
    }
    match (output.tell(&held), regressions) {
        (Status::Done, 0) => Ok(Status::Done),
        _ => Ok(Status::ConditionHolds),
    }
}

/// Runs the kernels of rows with large errors with their operands in a cache.
fn measured_twins(suite: &Suite<'_>, tasks: &[Task], runner: &Runner<'_>, against: &Against) -> Vec<Twin> {
    let wanted = twins(suite);
    let hot: Vec<Task> = wanted
        .iter()
        .filter_map(|(of, spec)| {
            let options = Options { state: CacheState::Hot, ..tasks.get(*of)?.options };
            Some(Task { spec: *spec, options, code: Code::Own })
        })
        .collect();
    let ran = runner.run(&hot, against);
    wanted
        .iter()
        .zip(ran)
        .filter_map(|((of, _), ran)| match ran {
            Ran::Measured(measurement) => Some(Twin { of: *of, measurement }),
            Ran::Refused { .. } => None,
        })
        .collect()
}

fn document(section: Section, ran: &[Ran], roofs: &eaves_assess::bench::Roofs<'_>) -> Document {
    // A roofline is over the bytes of main memory, which operands in a cache do not move.
    let is_cold = |measurement: &&Measurement| measurement.conditions.state == CacheState::Cold;
    let measured: Vec<&Measurement> = ran.iter().filter_map(Ran::measured).filter(is_cold).collect();
    let mut outcomes = vec![Outcome::Section(section)];
    outcomes.extend(rooflines(&measured, roofs));
    Document { verb: "validate", outcomes, ..Document::default() }
}

fn read_baseline(path: &Path) -> Result<Baseline> {
    let hint = "save one with `eaves validate --json -o FILE`";
    let report = saved::read(path).map_err(|error| hinted(error.to_string(), hint))?;
    let baseline = report.and_then(|report| Baseline::from_saved(&report.tables));
    baseline.ok_or_else(|| hinted(format!("no saved answer of `eaves validate`: {}", path.display()), hint))
}

impl Arguments {
    /// The device that was named, or the one of the catalogue that calls itself so.
    fn datasheet(&self, reported: &str) -> Result<Option<Device>> {
        match &self.datasheet {
            Some(name) => Ok(Some(eaves_app::device::named(name)?)),
            None => Ok(device::find_reported(reported).ok()),
        }
    }

    fn tasks(&self, against: &Against) -> Vec<Task> {
        let roofs = against.roofs();
        let counts = match self.running.threads.is_empty() {
            // One core and all of them.
            true => {
                let mut counts = vec![1];
                counts.extend(self.running.thread_counts().into_iter().filter(|count| *count > 1));
                counts
            }
            false => self.running.thread_counts(),
        };
        let mut tasks = Vec::new();
        for threads in counts {
            let device = match threads {
                1 => roofs.one.or(roofs.all),
                _ => roofs.all,
            };
            let mut kernels = suite::kernels(self.suite, device);
            kernels.extend(self.shape.iter().map(|own| (own.spec(), CacheState::Cold)));
            let protocol = self.running.protocol();
            tasks.extend(kernels.into_iter().map(|(spec, state)| Task {
                spec,
                options: Options { threads, state, protocol },
                code: Code::Own,
            }));
        }
        tasks
    }
}
