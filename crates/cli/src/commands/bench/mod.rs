//! `eaves bench`: kernels that really run, timed honestly.

mod precisions;
mod shapes;

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use eaves_analyze::Outcome;
use eaves_assess::bench::{Ran, points, section};
use eaves_assess::roofline;
use eaves_bench::cpu::gemm::Implementation;
use eaves_bench::{CacheState, Measurement, Options, Spec};
use eaves_present::Document;
use eaves_roofline::Settings;

use self::precisions::PrecisionArguments;
use crate::arguments::OutputArguments;
use crate::failure::hinted;
use crate::measuring::{self, Against, BackendName, Code, Runner, RunningArguments, StateArgument, Task};
use eaves_app::Form;
use eaves_app::HELP_TEMPLATE;

pub(crate) use precisions::{ALL as ALL_PRECISIONS, Pair, pair};
pub(crate) use shapes::Product;

/// Run kernels of any shape and precision here, timed honestly
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    arg_required_else_help = true,
    before_help = "  eaves bench gemv --n 4096 --k 4096 --precision all
  eaves bench --preset decode --precision fp32,int8/int8,mxfp4/int8
  eaves bench gemm --n 4k --k 4k --precision fp32,mxfp4 --batch 1,2,4,8,16
  eaves bench stream --bytes 16k,256k,8m,192m
  eaves bench gemm --precision fp32 --device roofs.yaml -o gemm.png"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
    /// Shapes that are asked for often: decode, ffn-up, prefill or sweep
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    preset: Option<Preset>,
    #[command(flatten)]
    precisions: PrecisionArguments,
    #[command(flatten)]
    common: Common,
}

/// What every kind of kernel is run with.
#[derive(Args, Debug)]
struct Common {
    #[command(flatten)]
    running: RunningArguments,
    /// Where operands are: hot, llc or cold; cold if not said
    #[arg(long, value_name = "STATE", hide_possible_values = true, help_heading = "Running")]
    state: Option<StateArgument>,
    /// Compile kernels of CUDA for an architecture, such as sm_90, and run
    /// nothing
    #[arg(long, value_name = "ARCH", help_heading = "Running")]
    compile_for: Option<String>,
    /// Roofs to hold results against: a device or a file of `eaves device
    /// measure`
    #[arg(long, value_name = "NAME|FILE")]
    device: Option<String>,
    /// Rows of each table in text and Markdown; 0 for all
    #[arg(long, value_name = "N")]
    top: Option<usize>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Run fused attention
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves bench attention --context 4k --queries 1 --kv-heads 8
  eaves bench attention --context 1k --causal --precision fp32,bf16"
    )]
    Attention(Of<shapes::Attention>),
    /// Run multiply-adds in registers: the peaks
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves bench fma
  eaves bench fma --types fp64,fp32,int8 --threads 1,2"
    )]
    Fma(Of<shapes::Fma>),
    /// Run products of matrices
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves bench gemm --m 1024 --n 1024 --k 1024 --implementation own,crate
  eaves bench gemm --n 4k --k 4k --precision fp32,mxfp4 --batch 1,2,4,8,16"
    )]
    Gemm(Of<shapes::Gemm>),
    /// Run products of a matrix and a vector
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves bench gemv --n 4096 --k 4096 --precision all
  eaves bench gemv --n 256 --k 4096 --precision mxfp4/int8 --state hot"
    )]
    Gemv(Of<shapes::Gemv>),
    /// Run streams through memory
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves bench stream
  eaves bench stream --bytes 16k,256k,8m --state hot --kind read-4,triad"
    )]
    Stream(Of<shapes::Streams>),
}

#[derive(Args, Debug)]
struct Of<S: Args> {
    #[command(flatten)]
    shape: S,
    #[command(flatten)]
    common: Common,
}

/// Shapes that are asked for often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Preset {
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
pub(crate) fn presets() -> Vec<(String, Vec<[usize; 3]>)> {
    let named = |preset: &Preset| {
        let name = preset.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        (name, preset.shapes().iter().map(|shape| [shape.m, shape.n, shape.k]).collect())
    };
    Preset::value_variants().iter().map(named).collect()
}

/// What to run, whose code, and where operands are if nobody says.
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

/// Runs kernels.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> Result<()> {
    let (common, wanted) = arguments.wanted()?;
    let destination = output.outputs(&[], Form::is_of_charts)?;
    let against = common.device.as_deref().map(Against::named).transpose()?.unwrap_or_default();
    let opened = measuring::open(common.running.backend(), common.compile_for.as_deref())?;
    let runner = Runner::new(opened.backend(), output);
    let ran = runner.run(&common.tasks(&wanted), &against);
    output.finish(&document(&ran, &against), destination, common.top.unwrap_or(0))?;
    measuring::fail_on_broken(&ran)?;
    if ran.iter().all(|ran| ran.measured().is_none()) {
        return Err(nothing_ran(&ran));
    }
    Ok(())
}

fn nothing_ran(ran: &[Ran]) -> anyhow::Error {
    let why = ran.iter().find_map(|ran| match ran {
        Ran::Refused { why, .. } => Some(why.as_str()),
        Ran::Measured(_) => None,
    });
    hinted(
        format!("no kernel could be run: {}", why.unwrap_or("none was asked for")),
        "`eaves bench --help` shows what can be",
    )
}

/// The section, and a roofline where roofs are known.
fn document(ran: &[Ran], against: &Against) -> Document {
    let roofs = against.roofs();
    let mut outcomes = vec![Outcome::Section(section(ran, &roofs))];
    let measured: Vec<&Measurement> = ran.iter().filter_map(Ran::measured).collect();
    outcomes.extend(rooflines(&measured, &roofs));
    Document { verb: "bench", outcomes, ..Document::default() }
}

/// A roofline of those that have the same roofs as the first.
pub(super) fn rooflines(measured: &[&Measurement], roofs: &eaves_assess::bench::Roofs<'_>) -> Vec<Outcome> {
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

impl Arguments {
    fn wanted(&self) -> Result<(&Common, Wanted)> {
        let is_silent = self.preset.is_none() && self.precisions.is_silent() && self.common.is_silent();
        if self.what.is_some() && !is_silent {
            return Err(hinted(
                "options of a preset do not go with a kind of kernel",
                "write options behind the kind, as in `eaves bench gemv --precision all`",
            ));
        }
        Ok(match (&self.what, self.preset) {
            (Some(What::Attention(of)), _) => (&of.common, of.shape.wanted()?),
            (Some(What::Fma(of)), _) => (&of.common, of.shape.wanted()?),
            (Some(What::Gemm(of)), _) => (&of.common, of.shape.wanted()?),
            (Some(What::Gemv(of)), _) => (&of.common, of.shape.wanted()?),
            (Some(What::Stream(of)), _) => (&of.common, of.shape.wanted()?),
            (None, Some(preset)) => {
                let pairs = self.precisions.pairs()?;
                let shapes = preset.shapes();
                let specs =
                    shapes.iter().flat_map(|shape| pairs.iter().map(|pair| shape.spec(pair))).collect();
                (&self.common, Wanted::of(specs))
            }
            (None, None) => {
                return Err(hinted(
                    "there is nothing to run",
                    "name a kind of kernel, such as `eaves bench gemv`, or a --preset",
                ));
            }
        })
    }
}

impl Common {
    /// True if nothing was typed.
    fn is_silent(&self) -> bool {
        let said =
            [self.compile_for.is_some(), self.device.is_some(), self.top.is_some(), self.state.is_some()];
        self.running.is_silent() && !said.contains(&true)
    }

    /// Tasks in the order of the table: conditions outermost, so that kernels to be compared run in turns.
    fn tasks(&self, wanted: &Wanted) -> Vec<Task> {
        let state = self.state.map_or(wanted.usual_state, CacheState::from);
        let mut tasks = Vec::new();
        for threads in self.running.thread_counts() {
            let options = Options { threads, state, protocol: self.running.protocol() };
            for spec in &wanted.specs {
                for code in &wanted.codes {
                    let is_product = matches!(spec, Spec::Gemm { .. });
                    if *code == Code::Own || (is_product && self.running.backend() == BackendName::Cpu) {
                        tasks.push(Task { spec: *spec, options, code: *code });
                    }
                }
            }
        }
        tasks
    }
}

/// The code of a name.
fn code(name: &str) -> Result<Code, String> {
    let name = match name {
        "vendor" => "openblas",
        name => name,
    };
    match Implementation::from_id(name) {
        Some(Implementation::Own) => Ok(Code::Own),
        Some(other) if !other.has_pool() => Ok(Code::Product(other)),
        _ => Err("one of own, crate, vendor, openblas and blis".to_owned()),
    }
}

#[cfg(test)]
mod tests;
