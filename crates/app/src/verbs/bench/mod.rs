//! `bench`: runs and times kernels on this machine.

mod precisions;
mod shapes;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use eaves_assess::bench::{name, points, section};
use eaves_assess::roofline;
use eaves_bench::running::{BackendKind, Code, KnownRoofs, Task};
use eaves_bench::{CacheState, Measurement, Options, Spec};
use eaves_present::Document;
use eaves_roofline::Settings;
use eaves_roofline::measured::{Ran, Roofs};
use eaves_section::Outcome;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

pub use self::precisions::{ALL_PRECISIONS, Precisions, WIDE_PRECISIONS};
pub(super) use self::precisions::{Pair, pair};
pub(super) use self::shapes::Product;
pub use self::shapes::{ArithmeticName, Attention, CodeName, Fma, Gemm, Gemv, StreamName, Streams};
use crate::device::file_meant;
use crate::running::{Running, StateName, broken, roofs_named, with_runner};
use crate::{Answer, Context, Failure, Form, HELP_TEMPLATE, Verb};

/// More would run for days.
const MOST_KERNELS: usize = 100_000;

/// Benchmark kernels of any shape and precision on this machine
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(
    help_template = HELP_TEMPLATE,
    arg_required_else_help = true,
    before_help = "  eaves bench gemv --n 4096 --k 4096 --precision all
  eaves bench --preset decode --precision fp32,int8/int8,mxfp4/int8
  eaves bench gemm --n 4k --k 4k --precision fp32,mxfp4 --batch 1,2,4,8,16
  eaves bench stream --bytes 16k,256k,8m,192m
  eaves bench gemm --precision fp32 --device roofs.yaml -o gemm.png"
)]
pub struct Bench {
    /// Kernel; a preset if not given.
    #[command(subcommand)]
    pub op: Option<BenchOp>,
    /// Common shapes, if no kernel is named.
    #[command(flatten)]
    pub presets: Presets,
}

/// Common shapes.
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Presets {
    /// Common shapes: decode, ffn-up, prefill or sweep
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    pub preset: Option<Preset>,
    /// How operands are stored.
    #[command(flatten)]
    #[serde(flatten)]
    pub precisions: Precisions,
    /// How they run.
    #[command(flatten)]
    #[serde(flatten)]
    pub common: Common,
}

/// Options of every kernel.
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Common {
    /// What runs them.
    #[command(flatten)]
    #[serde(flatten)]
    pub running: Running,
    /// Operand location: hot, llc or cold [default: cold]
    #[arg(long, value_name = "STATE", hide_possible_values = true, help_heading = "Running")]
    pub state: Option<StateName>,
    /// Compile CUDA kernels for an architecture, such as sm_90, without
    /// running them
    #[arg(long, value_name = "ARCH", help_heading = "Running")]
    pub compile_for: Option<String>,
    /// Compare results with this device's roofs, or with a file from
    /// `eaves device measure`
    #[arg(long, value_name = "NAME|FILE")]
    pub device: Option<String>,
}

/// Kernels.
#[derive(Clone, Debug, PartialEq, Subcommand, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum BenchOp {
    /// Benchmark fused attention
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves bench attention --context 4k --queries 1 --kv-heads 8
  eaves bench attention --context 1k --causal --precision fp32,bf16"
    )]
    Attention(Of<Attention>),
    /// Benchmark multiply-adds in registers: the compute peak
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves bench fma
  eaves bench fma --types fp64,fp32,int8 --threads 1,2"
    )]
    Fma(Of<Fma>),
    /// Benchmark matrix products
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves bench gemm --m 1024 --n 1024 --k 1024 --implementation own,crate
  eaves bench gemm --n 4k --k 4k --precision fp32,mxfp4 --batch 1,2,4,8,16"
    )]
    Gemm(Of<Gemm>),
    /// Benchmark matrix-vector products
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves bench gemv --n 4096 --k 4096 --precision all
  eaves bench gemv --n 256 --k 4096 --precision mxfp4/int8 --state hot"
    )]
    Gemv(Of<Gemv>),
    /// Benchmark memory bandwidth
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves bench stream
  eaves bench stream --bytes 16k,256k,8m --state hot --kind read-4,triad"
    )]
    Stream(Of<Streams>),
}

/// A kernel with its shape and run options.
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
pub struct Of<S: Args> {
    /// Its shape.
    #[command(flatten)]
    #[serde(flatten)]
    pub shape: S,
    /// What it is run with.
    #[command(flatten)]
    #[serde(flatten)]
    pub common: Common,
}

/// Common shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// One token through a square layer.
    Decode,
    /// One token into the feed-forward block.
    FfnUp,
    /// A prompt.
    Prefill,
    /// Ten shapes from one token to thousands.
    Sweep,
}

impl Preset {
    fn shapes(self) -> Vec<Product> {
        let product = |(m, n, k)| Product { m, n, k };
        let list: &[(usize, usize, usize)] = match self {
            Self::Decode => &[(1, 4096, 4096)],
            Self::FfnUp => &[(1, 4096, 14336)],
            Self::Prefill => &[(2048, 4096, 4096)],
            Self::Sweep => &[
                (1, 4096, 4096),
                (1, 4096, 14336),
                (1, 14336, 4096),
                (16, 4096, 4096),
                (128, 4096, 4096),
                (512, 4096, 4096),
                (1024, 4096, 4096),
                (2048, 4096, 4096),
                (2048, 4096, 14336),
                (4096, 4096, 4096),
            ],
        };
        list.iter().copied().map(product).collect()
    }
}

/// The presets by name, with their shapes: rows, columns, and what is summed over.
pub fn presets() -> Vec<(String, Vec<[usize; 3]>)> {
    let named = |preset: &Preset| {
        let name = preset.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        (name, preset.shapes().iter().map(|shape| [shape.m, shape.n, shape.k]).collect())
    };
    Preset::value_variants().iter().map(named).collect()
}

/// Benchmark kernels on this machine: `op` selects a kernel; without it, `preset` selects common shapes.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "it describes what is read")]
enum Asked {
    Kernel(BenchOp),
    Preset(Presets),
}

impl<'de> Deserialize<'de> for Bench {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let fields = Map::deserialize(from)?;
        let is_kernel = fields.contains_key("op");
        let fields = Value::Object(fields);
        if is_kernel {
            let op = BenchOp::deserialize(fields).map_err(D::Error::custom)?;
            return Ok(Self { op: Some(op), presets: Presets::default() });
        }
        let presets = Presets::deserialize(fields).map_err(D::Error::custom)?;
        Ok(Self { op: None, presets })
    }
}

impl JsonSchema for Bench {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Bench".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Asked::json_schema(generator)
    }
}

/// One kernel of a request: one shape in one precision. Progress shows each as it finishes.
#[derive(Debug)]
pub struct BenchKernel {
    common: Common,
    wanted: Wanted,
}

impl BenchKernel {
    /// Display name.
    pub fn label(&self) -> String {
        let spec = self.wanted.specs.first();
        let named = spec.map(|spec| format!("{} {}", name(spec), spec.precision()));
        let code = self.wanted.codes.iter().find(|code| **code != Code::Own);
        let code = code.map(|code| format!(" {}", CodeName(*code))).unwrap_or_default();
        format!("{}{code}", named.as_deref().unwrap_or_default().trim_end())
    }

    /// Runs it and answers as the whole request does.
    ///
    /// # Errors
    /// If it cannot run, or its result is impossible.
    pub fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        self.common.answer(&self.wanted, context)?.sound()
    }
}

/// What to run, whose code, and the default operand location.
#[derive(Debug)]
struct Wanted {
    specs: Vec<Spec>,
    codes: Vec<Code>,
    usual_state: CacheState,
}

impl Wanted {
    fn of(specs: Vec<Spec>) -> Self {
        Self { specs, codes: vec![Code::Own], usual_state: CacheState::Cold }
    }
}

impl Verb for Bench {
    const NAME: &'static str = "bench";

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        let (common, wanted) = self.wanted()?;
        common.answer(&wanted, context)
    }

    fn files(&self) -> Vec<PathBuf> {
        self.common().device.as_deref().and_then(file_meant).into_iter().collect()
    }

    fn runs_kernels(&self) -> bool {
        true
    }

    fn has_form(&self, form: Form) -> bool {
        form.is_of_charts()
    }
}

fn nothing_ran(ran: &[Ran]) -> Option<Failure> {
    if ran.iter().any(|ran| ran.measured().is_some()) {
        return None;
    }
    let why = ran.iter().find_map(|ran| match ran {
        Ran::Refused { why, .. } => Some(why.as_str()),
        Ran::Measured(_) => None,
    });
    Some(Failure::new(
        format!("no kernel could be run: {}", why.unwrap_or("none requested")),
        "`eaves bench --help` lists the kernels",
    ))
}

/// The section, and a roofline where roofs are known.
fn document(ran: &[Ran], known: &KnownRoofs) -> Document {
    let roofs = known.roofs();
    let mut outcomes = vec![Outcome::Section(section(ran, &roofs))];
    let measured: Vec<&Measurement> = ran.iter().filter_map(Ran::measured).collect();
    outcomes.extend(rooflines(&measured, &roofs));
    Document { verb: Bench::NAME, outcomes, ..Document::default() }
}

/// A roofline of those that have the same roofs as the first.
pub(super) fn rooflines(measured: &[&Measurement], roofs: &Roofs<'_>) -> Vec<Outcome> {
    let mut drawn: Vec<Outcome> = Vec::new();
    for device in roofs.all.into_iter().chain(roofs.one) {
        let own: Vec<&Measurement> = measured
            .iter()
            .copied()
            .filter(|measurement| roofs.over(measurement).is_some_and(|over| std::ptr::eq(over, device)))
            .collect();
        let points = points(&own);
        if !points.is_empty() {
            drawn.push(Outcome::Section(roofline::section(&points, device, &Settings::default())));
        }
    }
    drawn
}

impl Bench {
    /// The kernels of the request, in order.
    ///
    /// # Errors
    /// If there are none, or too many.
    pub fn kernels(&self) -> Result<Vec<BenchKernel>, Failure> {
        let (common, wanted) = self.wanted()?;
        let kernel = |spec: &Spec, code: &Code| BenchKernel {
            common: common.clone(),
            wanted: Wanted { specs: vec![*spec], codes: vec![*code], usual_state: wanted.usual_state },
        };
        let (specs, codes) = (&wanted.specs, &wanted.codes);
        Ok(specs.iter().flat_map(|spec| codes.iter().map(move |code| kernel(spec, code))).collect())
    }

    fn common(&self) -> &Common {
        match &self.op {
            Some(BenchOp::Attention(of)) => &of.common,
            Some(BenchOp::Fma(of)) => &of.common,
            Some(BenchOp::Gemm(of)) => &of.common,
            Some(BenchOp::Gemv(of)) => &of.common,
            Some(BenchOp::Stream(of)) => &of.common,
            None => &self.presets.common,
        }
    }

    fn wanted(&self) -> Result<(&Common, Wanted), Failure> {
        if self.op.is_some() && self.presets != Presets::default() {
            return Err(Failure::usage(
                "preset options cannot be combined with a kernel",
                "put options after the kernel, as in `eaves bench gemv --precision all`",
            ));
        }
        let wanted = match &self.op {
            Some(BenchOp::Attention(of)) => of.shape.wanted()?,
            Some(BenchOp::Fma(of)) => of.shape.wanted()?,
            Some(BenchOp::Gemm(of)) => of.shape.wanted()?,
            Some(BenchOp::Gemv(of)) => of.shape.wanted()?,
            Some(BenchOp::Stream(of)) => of.shape.wanted()?,
            None => self.presets.wanted()?,
        };
        let count = wanted.specs.len().saturating_mul(wanted.codes.len());
        if count > MOST_KERNELS {
            return Err(Failure::usage(
                format!("{count} kernels exceed the limit of {MOST_KERNELS}"),
                "request fewer shapes, precisions or implementations at once",
            ));
        }
        Ok((self.common(), wanted))
    }
}

impl Presets {
    fn wanted(&self) -> Result<Wanted, Failure> {
        let Some(preset) = self.preset else {
            return Err(Failure::usage(
                "nothing to run",
                "name a kernel, such as `eaves bench gemv`, or a --preset",
            ));
        };
        let pairs = self.precisions.pairs()?;
        let shapes = preset.shapes();
        let specs = shapes.iter().flat_map(|shape| pairs.iter().map(|pair| shape.spec(pair)));
        Ok(Wanted::of(specs.collect()))
    }
}

impl Common {
    fn answer(&self, wanted: &Wanted, context: &Context<'_>) -> Result<Answer, Failure> {
        let roofs = self.device.as_deref().map(roofs_named).transpose()?.unwrap_or_default();
        let opened = self.running.backend().open(self.compile_for.as_deref())?;
        let tasks = self.tasks(wanted);
        let ran = with_runner(context, opened.backend(), |runner| runner.run(&tasks, &roofs))?;
        let mut answer = Answer::new(document(&ran, &roofs)).with_top(0);
        answer.fault = broken(&ran).or_else(|| nothing_ran(&ran));
        Ok(answer)
    }

    /// Tasks in the order of the table: conditions outermost, so that kernels to be compared run in alternation.
    fn tasks(&self, wanted: &Wanted) -> Vec<Task> {
        let state = self.state.map_or(wanted.usual_state, CacheState::from);
        let mut tasks = Vec::new();
        for threads in self.running.thread_counts() {
            let options = Options { threads, state, protocol: self.running.protocol() };
            for spec in &wanted.specs {
                for code in &wanted.codes {
                    let is_product = matches!(spec, Spec::Gemm { .. });
                    if *code == Code::Own || (is_product && self.running.backend() == BackendKind::Cpu) {
                        tasks.push(Task { spec: *spec, options, code: *code });
                    }
                }
            }
        }
        tasks
    }
}

#[cfg(test)]
mod tests;
