//! `eaves predict model`: whole transformers.

use std::path::Path;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use eaves_analyze::Outcome;
use eaves_analyze::section::Section;
use eaves_assess::predict::{Swept, model as predicted, sweep as put_together};
use eaves_present::Document;
use eaves_roofline::Device;
use eaves_roofline::predict::{
    Pass, Phase, Position, Precisions, Transformer, configurations, models, transformer,
};

use super::number::size;
use super::sweep::Sweep;
use super::{arithmetic, precision};
use crate::arguments::OutputArguments;
use crate::failure::hinted;
use eaves_app::Against;
use eaves_app::HELP_TEMPLATE;
use eaves_model::suggestion::did_you_mean;

/// The parameters that can be swept.
const PARAMETERS: &[&str] = &["batch", "context", "tensor-parallel"];

/// Predict a whole transformer: prompt and next token
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves predict model llama-3-8b --device h100-sxm
  eaves predict model llama-3-70b --tensor-parallel 8 --batch 32 --device h100-sxm
  eaves predict model ./config.json --config w4a16-awq --device gb10
  eaves predict model qwen3-8b --phase decode --sweep context=1k..128k:x2 --device mi300x"
)]
pub(crate) struct Arguments {
    /// A known model, or the config.json of a Hugging Face model
    #[arg(value_name = "NAME|FILE")]
    model: String,
    /// Prompt (prefill), next token (decode), or both
    #[arg(long, value_name = "PHASE", default_value = "both")]
    phase: PhaseArgument,
    /// Sequences at once
    #[arg(long, value_parser = size, default_value = "1")]
    batch: u64,
    /// Tokens of a sequence
    #[arg(long, value_parser = size, default_value = "4096")]
    context: u64,
    /// Devices that share every layer
    #[arg(long, value_parser = size, default_value = "1", value_name = "N")]
    tensor_parallel: u64,
    /// Attention scores go through memory
    #[arg(long)]
    unfused: bool,
    /// Tokens see those after them too
    #[arg(long)]
    not_causal: bool,
    /// Prefill computes the output of every token, not of the last
    #[arg(long)]
    all_logits: bool,
    /// A usual combination of precisions: bf16, fp8, w4a16-awq, nvfp4-w4a4
    #[arg(long, value_name = "NAME", default_value = "fp16", help_heading = "Precisions")]
    config: String,
    /// Of weights
    #[arg(long, value_name = "NAME", help_heading = "Precisions")]
    weights: Option<String>,
    /// Of activations
    #[arg(long, value_name = "NAME", help_heading = "Precisions")]
    activations: Option<String>,
    /// Of cached keys and values
    #[arg(long, value_name = "NAME", help_heading = "Precisions")]
    cache: Option<String>,
    /// What products are computed in
    #[arg(long, value_name = "TYPE", help_heading = "Precisions")]
    compute: Option<String>,
    #[command(flatten)]
    device: Against,
    /// Take batch, context or tensor-parallel through values: context=1k..128k:x2
    #[arg(long, value_name = "NAME=VALUES")]
    sweep: Option<String>,
    /// Rows of each table in text and Markdown; 0 for all
    #[arg(long, value_name = "N", default_value_t = 0)]
    top: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PhaseArgument {
    Prefill,
    Decode,
    Both,
}

impl Arguments {
    fn phases(&self) -> &'static [Phase] {
        match self.phase {
            PhaseArgument::Prefill => &[Phase::Prefill],
            PhaseArgument::Decode => &[Phase::Decode],
            PhaseArgument::Both => &[Phase::Prefill, Phase::Decode],
        }
    }

    fn pass(&self, phase: Phase) -> Pass {
        Pass {
            phase,
            batch: self.batch,
            context: self.context,
            fused: !self.unfused,
            causal: !self.not_causal,
            all_logits: self.all_logits,
            devices: self.tensor_parallel,
        }
    }

    fn precisions(&self) -> Result<Precisions> {
        let mut precisions = configurations::configuration(&self.config).ok_or_else(|| {
            let near = did_you_mean(&self.config, configurations::keys());
            let known: Vec<&str> = configurations::keys().collect();
            let hint = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            hinted(
                format!("unknown configuration `{}`", self.config),
                format!(
                    "{hint}known are {}; or use --weights, --activations, --cache, --compute",
                    known.join(", ")
                ),
            )
        })?;
        if let Some(name) = &self.weights {
            precisions.weights = precision(name)?;
        }
        if let Some(name) = &self.activations {
            precisions.activations = precision(name)?;
            precisions.compute = precisions.activations.arithmetic();
        }
        if let Some(name) = &self.cache {
            precisions.cache = precision(name)?;
        }
        if let Some(name) = &self.compute {
            precisions.compute = Some(arithmetic(name)?);
        }
        Ok(precisions)
    }
}

/// Predicts a model.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> Result<()> {
    let model = find(&arguments.model)?;
    let precisions = arguments.precisions()?;
    let device = arguments.device.resolve_named()?;
    let destination = output.destination(&[])?;
    let sweep = arguments.sweep.as_deref().map(|text| Sweep::parse(text, PARAMETERS)).transpose()?;
    let longest = sweep.iter().filter(|sweep| sweep.parameter == "context");
    let longest = longest.flat_map(|sweep| sweep.values.iter().copied()).max().unwrap_or(arguments.context);
    if let Position::Learned(positions) = model.position
        && longest > positions
    {
        return Err(hinted(
            format!("{} has {positions} positions, not {longest}", model.name),
            format!("use `--context {positions}` or less"),
        ));
    }
    let sections = match &sweep {
        None => {
            let phases = arguments.phases().iter();
            phases.map(|phase| predicted(&model, &arguments.pass(*phase), &precisions, &device)).collect()
        }
        Some(sweep) => swept(arguments, sweep, &model, &precisions, &device),
    };
    let outcomes = sections.into_iter().map(Outcome::Section).collect();
    let document = Document { verb: "predict", outcomes, ..Document::default() };
    output.finish(&document, destination, arguments.top)
}

fn swept(
    arguments: &Arguments,
    sweep: &Sweep,
    model: &Transformer,
    precisions: &Precisions,
    device: &Device,
) -> Vec<Section> {
    let of_phase = |phase: &Phase| {
        let points = sweep.values.iter().map(|value| {
            let mut pass = arguments.pass(*phase);
            match sweep.parameter {
                "batch" => pass.batch = *value,
                "context" => pass.context = *value,
                _ => pass.devices = *value,
            }
            Swept { value: *value, section: predicted(model, &pass, precisions, device) }
        });
        put_together(sweep.parameter, points.collect())
    };
    arguments.phases().iter().map(of_phase).collect()
}

/// The preset of this name, or what the file says.
fn find(name: &str) -> Result<Transformer> {
    let presets = models::all();
    if let Some((_, model)) = presets.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)) {
        return Ok(model.clone());
    }
    let path = Path::new(name);
    if !path.exists() {
        let keys: Vec<&str> = presets.iter().map(|(key, _)| *key).collect();
        let near = did_you_mean(&name.to_ascii_lowercase(), keys.iter().copied());
        let hint = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        return Err(hinted(
            format!("no known model and no file: {name}"),
            format!("{hint}known are {}; or give a config.json", keys.join(", ")),
        ));
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    transformer(&text).map_err(|error| {
        hinted(
            format!("{name}: {error}"),
            "give the config.json of a decoder that Hugging Face transformers loads",
        )
    })
}
