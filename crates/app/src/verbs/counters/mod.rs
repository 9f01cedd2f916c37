//! `counters`: AMD hardware counters, and the counter files that profilers read.

mod names;
mod sections;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use eaves_capture::counters::{Architecture, Dialect, check, fit};
use eaves_present::Document;
use eaves_section::{Outcome, Section};
use schemars::JsonSchema;
use serde::Deserialize;

pub use self::names::{
    architecture_here, architecture_named, counter_names, problem_line, read_input, set_names,
};
use crate::{Answer, Context, Drawing, Failure, Form, HELP_TEMPLATE, Look, TooMuch, Verb};

/// List AMD hardware counters; check and write counter files
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves counters list --arch gfx942 --search TCC
  eaves counters check input.txt --arch gfx942
  eaves counters write --for roofline --arch gfx942 -o input.txt"
)]
pub struct Counters {
    /// Operation.
    #[command(subcommand)]
    #[serde(flatten)]
    pub op: CountersOp,
}

/// Counter operations.
#[derive(Clone, Debug, PartialEq, Subcommand, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum CountersOp {
    /// List counters by block
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves counters list --arch gfx90a
  eaves counters list --arch gfx942 --search mfma
  eaves counters list                     architectures and sets"
    )]
    List(List),
    /// Check the names, instances and passes in a counter file
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves counters check input.txt --arch gfx942
  eaves counters check input.txt --arch gfx90a --with rocprofv3"
    )]
    Check(Check),
    /// Write a counter file whose passes fit the device
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves counters write --for roofline --arch gfx942 -o input.txt
  eaves counters write --for SQ_WAVES,TCC_HIT_sum,FETCH_SIZE --arch gfx90a"
    )]
    Write(Write),
}

/// The counters of an architecture.
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct List {
    /// Architecture [default: this machine's]
    #[arg(long, value_name = "GFX")]
    pub arch: Option<String>,
    /// Only counters whose name contains this text
    #[arg(long, value_name = "TEXT")]
    pub search: Option<String>,
}

/// What collects counters.
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Collector {
    /// Architecture [default: this machine's]
    #[arg(long, value_name = "GFX")]
    pub arch: Option<String>,
    /// Profiler: rocprof, rocprofv2 or rocprofv3
    #[arg(long, value_name = "TOOL", default_value = "rocprof", hide_possible_values = true)]
    pub with: CounterTool,
}

/// An input file to check.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
pub struct Check {
    /// Counter file with `pmc: NAME NAME` lines, or - for stdin
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// What collects them.
    #[command(flatten)]
    #[serde(flatten)]
    pub collector: Collector,
}

/// A counter file to write.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
pub struct Write {
    /// Counter set or comma-separated counter names
    #[arg(long, value_name = "SET|NAMES", required = true, value_delimiter = ',')]
    #[serde(deserialize_with = "crate::text_value::names")]
    pub r#for: Vec<String>,
    /// What collects them.
    #[command(flatten)]
    #[serde(flatten)]
    pub collector: Collector,
}

/// A profiler that reads counters from a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CounterTool {
    /// The first generation.
    #[default]
    Rocprof,
    /// The second generation.
    Rocprofv2,
    /// The third generation.
    Rocprofv3,
}

impl CounterTool {
    /// Its naming rules.
    fn dialect(self) -> Dialect {
        Dialect::of_tool(match self {
            Self::Rocprof => "rocprof",
            Self::Rocprofv2 => "rocprofv2",
            Self::Rocprofv3 => "rocprofv3",
        })
    }
}

impl Verb for Counters {
    const NAME: &'static str = "counters";

    fn run(&self, _: &Context<'_>) -> Result<Answer, Failure> {
        match &self.op {
            CountersOp::List(list) => list.answer(),
            CountersOp::Check(check) => check.answer(),
            CountersOp::Write(write) => write.answer(),
        }
    }

    fn files(&self) -> Vec<PathBuf> {
        match &self.op {
            CountersOp::Check(check) => vec![check.file.clone()],
            CountersOp::List(_) | CountersOp::Write(_) => Vec::new(),
        }
    }
}

fn answer(section: Section) -> Answer {
    let outcomes = vec![Outcome::Section(section)];
    Answer::new(Document { verb: Counters::NAME, outcomes, ..Document::default() }).with_top(0)
}

impl List {
    fn answer(&self) -> Result<Answer, Failure> {
        let device = match &self.arch {
            Some(name) => Some(architecture_named(name)?),
            None => architecture_here(),
        };
        match device {
            Some(device) => Ok(answer(sections::counters(device, self.search.as_deref()))),
            None if self.search.is_some() => Err(no_architecture()),
            None => Ok(answer(sections::overview())),
        }
    }
}

impl Check {
    fn answer(&self) -> Result<Answer, Failure> {
        let input = read_input(&self.file)?;
        let device = chosen(self.collector.arch.as_deref())?;
        let checked = check(device, &input.request.passes, self.collector.with.dialect());
        let problems = checked.problems.len() + input.unknown.len();
        let mut answer = answer(sections::checked(device, &input, &checked));
        if problems > 0 {
            let because = format!("{}: {problems}", self.file.display());
            answer.too_much.push(TooMuch { condition: "problems>0".to_owned(), because });
        }
        Ok(answer)
    }
}

impl Write {
    fn answer(&self) -> Result<Answer, Failure> {
        let device = chosen(self.collector.arch.as_deref())?;
        let names = counter_names(&self.r#for, device, self.collector.with.dialect())?;
        let passes = fit(device, &names);
        let lines = passes.iter().map(|pass| format!("pmc: {}\n", pass.join(" "))).collect();
        Ok(answer(sections::written(device, &passes)).drawn_by(InputFile(lines)))
    }
}

/// A file of counters is what profilers read.
struct InputFile(String);

impl Drawing for InputFile {
    fn draw(&self, _: &Document, form: Form, _: Look) -> Result<Option<Vec<u8>>, Failure> {
        Ok((form == Form::Text).then(|| self.0.clone().into_bytes()))
    }
}

fn chosen(name: Option<&str>) -> Result<&'static Architecture, Failure> {
    match name {
        Some(name) => architecture_named(name),
        None => architecture_here().ok_or_else(no_architecture),
    }
}

fn no_architecture() -> Failure {
    let known = eaves_capture::counters::architectures().collect::<Vec<_>>().join(", ");
    Failure::usage(
        "this machine has no AMD device with known counters",
        format!("choose with --arch: {known}"),
    )
}
