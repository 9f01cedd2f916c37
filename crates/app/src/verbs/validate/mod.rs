//! `validate`: predictions compared with measurements.

mod suite;

use std::path::{Path, PathBuf};

use clap::Args;
use eaves_assess::validate::{Baseline, Beside, Suite, Twin, section, twins};
use eaves_bench::roofs::{self, Effort};
use eaves_bench::running::{Code, KnownRoofs, Opened, Runner, Task};
use eaves_bench::{CacheState, Measurement, Options};
use eaves_present::{Document, saved};
use eaves_roofline::measured::{Ran, Roofs};
use eaves_roofline::{Device, device};
use eaves_section::{Outcome, Section};
use schemars::JsonSchema;
use serde::Deserialize;

pub use self::suite::{Shape, Which};
use super::bench::rooflines;
use crate::device::file_meant;
use crate::running::{Running, broken, measured_roofs, roofs_named, with_runner};
use crate::text_value::list;
use crate::{Answer, Context, Failure, Form, HELP_TEMPLATE, TooMuch, Verb, condition};

/// Compare predictions with measurements on this machine
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves validate
  eaves validate --device roofs.yaml --shape 1x4096x14336:mxfp4/int8
  eaves validate --fail-on 'median_error>25%' --fail-on 'error:gemm>40%'
  eaves validate --json -o today.json
  eaves validate --baseline today.json"
)]
#[serde(default)]
pub struct Validate {
    /// Add a matrix product: MxNxK, precisions after a colon; may be repeated
    #[arg(long, value_name = "SHAPE")]
    #[serde(deserialize_with = "list")]
    pub shape: Vec<Shape>,
    /// Kernels to run: full, quick, or none (only your shapes)
    #[arg(long, value_name = "WHICH", default_value = "full", hide_possible_values = true)]
    pub suite: Which,
    /// Measured roofs from `eaves device measure` [default: measure now]
    #[arg(long, value_name = "FILE")]
    pub device: Option<String>,
    /// Catalog device to predict from as well [default: found by name]
    #[arg(long, value_name = "NAME")]
    pub datasheet: Option<String>,
    /// Earlier --json output: exit with 1 if a kernel became slower than
    /// noise explains
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Allowed slowdown from the baseline, in percent
    #[arg(long, value_name = "PCT", default_value_t = Validate::default().slower_by)]
    pub slower_by: f64,
    /// Exit with 1 if a condition holds: error>25% (any kernel), error:gemm>15%,
    /// median_error>10%, p90_error>40%, inside<90; may be repeated
    #[arg(long, value_name = "CONDITION")]
    pub fail_on: Vec<String>,
    /// How kernels are run.
    #[command(flatten)]
    #[serde(flatten)]
    pub running: Running,
}

impl Default for Validate {
    fn default() -> Self {
        Self {
            shape: Vec::new(),
            suite: Which::default(),
            device: None,
            datasheet: None,
            baseline: None,
            slower_by: 5.0,
            fail_on: Vec::new(),
            running: Running::default(),
        }
    }
}

impl Verb for Validate {
    const NAME: &'static str = "validate";

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        let conditions = condition::parse_all(&self.fail_on)?;
        let baseline = self.baseline.as_deref().map(read_baseline).transpose()?;
        let mut opened = self.running.backend().open(None)?;
        let datasheet = self.datasheet(&opened.backend().device())?;
        let known = match &self.device {
            Some(name) => roofs_named(name)?,
            None => measured_roofs(&mut opened, Effort::Default, context)?,
        };
        let (mut section, ran) = self.judged(&opened, &known, datasheet.as_ref(), context)?;
        let mut too_much = condition::check_all(&conditions, &[&section])?;
        if let Some(baseline) = baseline {
            let compared = baseline.compare(&section, self.slower_by / 100.0);
            section.tables.insert(1, compared.table);
            section.findings.splice(0..0, compared.findings);
            too_much.extend(self.slower(compared.regressions));
        }
        let mut answer = Answer::new(document(section, &ran, &known.roofs())).with_top(0);
        answer.too_much = too_much;
        answer.fault = broken(&ran);
        Ok(answer)
    }

    fn files(&self) -> Vec<PathBuf> {
        let named = self.device.iter().chain(&self.datasheet);
        self.baseline.iter().cloned().chain(named.filter_map(|name| file_meant(name))).collect()
    }

    fn runs_kernels(&self) -> bool {
        true
    }

    fn has_form(&self, form: Form) -> bool {
        form.is_of_charts()
    }
}

impl Validate {
    /// Runs the kernels, and those with large errors again.
    fn judged(
        &self,
        opened: &Opened,
        known: &KnownRoofs,
        datasheet: Option<&Device>,
        context: &Context<'_>,
    ) -> Result<(Section, Vec<Ran>), Failure> {
        let tasks = self.tasks(known);
        with_runner(context, opened.backend(), |runner| {
            let (ran, beside) = match opened {
                Opened::Cpu(cpu) => runner.run_beside(cpu, &tasks, known),
                _ => (runner.run(&tasks, known), Vec::new()),
            };
            let beside: Vec<Option<Beside>> = beside.into_iter().map(|roofs| roofs.map(seconds_of)).collect();
            let roofs = known.roofs();
            let mut judged = Suite { ran: &ran, roofs, beside: &beside, datasheet, twins: &[] };
            let twins = measured_twins(&judged, &tasks, runner, known);
            judged.twins = &twins;
            let section = section(&judged);
            (section, ran)
        })
    }

    /// Kernels that became slower.
    fn slower(&self, regressions: usize) -> Option<TooMuch> {
        let kernels = match regressions {
            0 => return None,
            1 => "1 kernel is".to_owned(),
            count => format!("{count} kernels are"),
        };
        let because = format!("{kernels} slower than in the baseline");
        Some(TooMuch { condition: format!("--slower-by {}", self.slower_by), because })
    }
}

/// The roofs of the seconds in which a kernel ran.
fn seconds_of(roofs: roofs::Beside) -> Beside {
    Beside { middle: roofs.middle, quick: roofs.quick, slow: roofs.slow }
}

/// Runs the kernels of rows with large errors with their operands in a cache.
fn measured_twins(
    suite: &Suite<'_>,
    tasks: &[Task],
    runner: &mut Runner<'_>,
    known: &KnownRoofs,
) -> Vec<Twin> {
    let wanted = twins(suite);
    let hot: Vec<Task> = wanted
        .iter()
        .filter_map(|(of, spec)| {
            let options = Options { state: CacheState::Hot, ..tasks.get(*of)?.options };
            Some(Task { spec: *spec, options, code: Code::Own })
        })
        .collect();
    let ran = runner.run(&hot, known);
    wanted
        .iter()
        .zip(ran)
        .filter_map(|((of, _), ran)| match ran {
            Ran::Measured(measurement) => Some(Twin { of: *of, measurement }),
            Ran::Refused { .. } => None,
        })
        .collect()
}

fn document(section: Section, ran: &[Ran], roofs: &Roofs<'_>) -> Document {
    // A roofline is over the bytes of main memory, which operands in a cache do not move.
    let is_cold = |measurement: &&Measurement| measurement.conditions.state == CacheState::Cold;
    let measured: Vec<&Measurement> = ran.iter().filter_map(Ran::measured).filter(is_cold).collect();
    let mut outcomes = vec![Outcome::Section(section)];
    outcomes.extend(rooflines(&measured, roofs));
    Document { verb: Validate::NAME, outcomes, ..Document::default() }
}

fn read_baseline(path: &Path) -> Result<Baseline, Failure> {
    let hint = "save one with `eaves validate --json -o FILE`";
    let report = saved::open(path).map_err(|error| Failure::new(error.to_string(), hint))?;
    let baseline = report.and_then(|report| Baseline::from_saved(&saved::tables(&report.document)));
    baseline.ok_or_else(|| Failure::new(format!("not an `eaves validate` result: {}", path.display()), hint))
}

impl Validate {
    /// The named device, or the catalog device with that name.
    fn datasheet(&self, reported: &str) -> Result<Option<Device>, Failure> {
        match &self.datasheet {
            Some(name) => crate::device::named(name).map(Some),
            None => Ok(device::find_reported(reported).ok()),
        }
    }

    fn tasks(&self, known: &KnownRoofs) -> Vec<Task> {
        let roofs = known.roofs();
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
