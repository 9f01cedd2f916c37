//! `eaves predict model`: whole transformers.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use eaves_assess::predict::{Swept, model as predicted, sweep as put_together};
use eaves_model::suggestion::did_you_mean;
use eaves_roofline::Device;
use eaves_roofline::predict::{
    Pass, Phase, Position, Precisions, Transformer, configurations, models, transformer,
};
use eaves_section::Section;
use schemars::JsonSchema;
use serde::Deserialize;

use super::precisions::{arithmetic, precision};
use super::sweep::Sweep;
use crate::{Against, Extent, Failure};

/// The parameters that can be swept.
const PARAMETERS: &[&str] = &["batch", "context", "tensor-parallel"];

/// A transformer, a pass through it, and how it is stored.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
pub struct Model {
    /// Known model, or the config.json of a Hugging Face model
    #[arg(value_name = "NAME|FILE")]
    pub model: String,
    /// Phase: prefill, decode or both
    #[arg(long, value_name = "PHASE", default_value = "both", hide_possible_values = true)]
    #[serde(default)]
    pub phase: Phases,
    /// Batch size in sequences
    #[arg(long, default_value_t = one())]
    #[serde(default = "one")]
    pub batch: Extent,
    /// Tokens per sequence
    #[arg(long, default_value_t = usual_context())]
    #[serde(default = "usual_context")]
    pub context: Extent,
    /// Devices that share each layer
    #[arg(long, default_value_t = one(), value_name = "N")]
    #[serde(default = "one")]
    pub tensor_parallel: Extent,
    /// Unfused attention: write scores to memory
    #[arg(long)]
    #[serde(default)]
    pub unfused: bool,
    /// No causal mask
    #[arg(long)]
    #[serde(default)]
    pub not_causal: bool,
    /// Compute logits for every prompt token, not just the last
    #[arg(long)]
    #[serde(default)]
    pub all_logits: bool,
    /// Precision preset: bf16, fp8, w4a16-awq, nvfp4-w4a4
    #[arg(long, value_name = "NAME", default_value_t = usual_config(), help_heading = "Precisions")]
    #[serde(default = "usual_config")]
    pub config: String,
    /// Weight precision
    #[arg(long, value_name = "NAME", help_heading = "Precisions")]
    pub weights: Option<String>,
    /// Activation precision
    #[arg(long, value_name = "NAME", help_heading = "Precisions")]
    pub activations: Option<String>,
    /// KV cache precision
    #[arg(long, value_name = "NAME", help_heading = "Precisions")]
    pub cache: Option<String>,
    /// Data type of the arithmetic
    #[arg(long, value_name = "TYPE", help_heading = "Precisions")]
    pub compute: Option<String>,
    /// The device that is predicted.
    #[command(flatten)]
    #[serde(flatten)]
    pub device: Against,
    /// Sweep batch, context or tensor-parallel over values: context=1k..128k:x2
    #[arg(long, value_name = "NAME=VALUES")]
    pub sweep: Option<String>,
}

fn one() -> Extent {
    Extent(1)
}

fn usual_context() -> Extent {
    Extent(4096)
}

fn usual_config() -> String {
    "fp16".to_owned()
}

/// Which passes of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Phases {
    /// The prompt.
    Prefill,
    /// The next token.
    Decode,
    /// Both.
    #[default]
    Both,
}

impl Model {
    fn phases(&self) -> &'static [Phase] {
        match self.phase {
            Phases::Prefill => &[Phase::Prefill],
            Phases::Decode => &[Phase::Decode],
            Phases::Both => &[Phase::Prefill, Phase::Decode],
        }
    }

    fn pass(&self, phase: Phase) -> Pass {
        Pass {
            phase,
            batch: self.batch.0,
            context: self.context.0,
            fused: !self.unfused,
            causal: !self.not_causal,
            all_logits: self.all_logits,
            devices: self.tensor_parallel.0,
        }
    }

    fn precisions(&self) -> Result<Precisions, Failure> {
        let mut precisions = configurations::configuration(&self.config).ok_or_else(|| {
            let near = did_you_mean(&self.config, configurations::keys());
            let known: Vec<&str> = configurations::keys().collect();
            let hint = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            Failure::usage(
                format!("unknown configuration `{}`", self.config),
                format!(
                    "{hint}configurations are {}; or use --weights, --activations, --cache, --compute",
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

    /// A section for each phase.
    pub(super) fn predicted(&self) -> Result<Vec<Section>, Failure> {
        let model = find(&self.model)?;
        let precisions = self.precisions()?;
        let device = self.device.resolve_named()?;
        let sweep = self.sweep.as_deref().map(|text| Sweep::parse(text, PARAMETERS)).transpose()?;
        let swept = sweep.iter().filter(|sweep| sweep.parameter == "context");
        let longest = swept.flat_map(|sweep| sweep.values.iter().copied()).max().unwrap_or(self.context);
        if let Position::Learned(positions) = model.position
            && longest.0 > positions
        {
            return Err(Failure::usage(
                format!("{} has {positions} positions, not {longest}", model.name),
                format!("use `--context {positions}` or less"),
            ));
        }
        let phases = self.phases().iter();
        Ok(match &sweep {
            None => phases.map(|phase| predicted(&model, &self.pass(*phase), &precisions, &device)).collect(),
            Some(sweep) => {
                phases.map(|phase| self.swept(*phase, sweep, &model, &precisions, &device)).collect()
            }
        })
    }

    fn swept(
        &self,
        phase: Phase,
        sweep: &Sweep,
        model: &Transformer,
        precisions: &Precisions,
        device: &Device,
    ) -> Section {
        let points = sweep.values.iter().map(|Extent(value)| {
            let mut pass = self.pass(phase);
            match sweep.parameter {
                "batch" => pass.batch = *value,
                "context" => pass.context = *value,
                _ => pass.devices = *value,
            }
            Swept { value: *value, section: predicted(model, &pass, precisions, device) }
        });
        put_together(sweep.parameter, points.collect())
    }

    pub(super) fn files(&self) -> Vec<PathBuf> {
        let file = preset(&self.model).is_none().then(|| PathBuf::from(&self.model));
        self.device.files().into_iter().chain(file).collect()
    }
}

fn preset(name: &str) -> Option<Transformer> {
    let presets = models::all();
    presets.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, model)| model.clone())
}

/// The preset of this name, or what the file says.
fn find(name: &str) -> Result<Transformer, Failure> {
    if let Some(model) = preset(name) {
        return Ok(model);
    }
    let path = Path::new(name);
    if !path.exists() {
        let presets = models::all();
        let keys: Vec<&str> = presets.iter().map(|(key, _)| *key).collect();
        let near = did_you_mean(&name.to_ascii_lowercase(), keys.iter().copied());
        let hint = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        return Err(Failure::usage(
            format!("neither a known model nor a file: {name}"),
            format!("{hint}models are {}; or pass a config.json", keys.join(", ")),
        ));
    }
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::new(format!("cannot read {name}: {error}"), "pass a config.json"))?;
    transformer(&text).map_err(|error| {
        Failure::new(
            format!("{name}: {error}"),
            "pass the config.json of a decoder that Hugging Face transformers loads",
        )
    })
}
