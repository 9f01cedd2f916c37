//! `roofline`: compares kernels, operators, commands and messages with a device's limits.

mod drawing;
mod inputs;
mod pair;

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use eaves_present::roofline::{ColourBy, Palette, Theme};
use eaves_roofline::Settings;
use schemars::JsonSchema;
use serde::Deserialize;

pub use self::pair::Pair;
use crate::device::file_meant;
use crate::npu_config::NpuConfig;
use crate::text_value::written_as_text;
use crate::{Against, Answer, Context, Failure, Form, HELP_TEMPLATE, Selected, Verb, condition};

/// Compare kernels, operators and messages with a device's limits
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves roofline kernels.csv --device h100-sxm --dtype bf16_tensor
  eaves roofline events.json --device peaks.yaml -o roofline.html
  eaves roofline commands.json --config npu.json --ops ops.rhai
  eaves roofline trace.json.gz                    uses the recorded device
  eaves roofline --pair peaks=a.yaml,input=a.csv --pair peaks=h200,input=b.csv
  eaves roofline kernels.csv --device h100-sxm --fail-on 'pct_of_roof<50'"
)]
#[serde(default)]
pub struct Roofline {
    /// Kernel tables, events, NPU commands, benchmarks or traces; - for stdin
    #[arg(value_name = "INPUT", required_unless_present = "pair")]
    pub inputs: Vec<PathBuf>,
    /// Input format, if not detected from the content: kernels-csv, events,
    /// commands, benchmark or trace
    #[arg(long, value_name = "FORM")]
    pub from: Option<InputForm>,
    /// Default data type of kernels: a precision, or the name of a peak
    #[arg(long, value_name = "KEY")]
    pub dtype: Option<String>,
    /// Default link of messages
    #[arg(long, value_name = "NAME")]
    pub link: Option<String>,
    /// Script with your own operator formulas [default: ops.rhai next to the
    /// input]
    #[arg(long, value_name = "FILE")]
    pub ops: Option<PathBuf>,
    /// Device and input, one tab per pair: peaks=FILE,input=FILE and
    /// optionally dtype=KEY,from=FORM; may be repeated
    #[arg(long, value_name = "PAIR")]
    #[serde(deserialize_with = "crate::text_value::several")]
    pub pair: Vec<Pair>,
    /// The device they are compared with.
    #[command(flatten)]
    #[serde(flatten)]
    pub device: Against,
    /// NPU peaks and thresholds: peak_tops, mem_bw, mem_thresh, comp_thresh
    /// [default: roofline_config.json next to the commands]
    #[arg(long, value_name = "FILE", help_heading = "Device")]
    pub config: Option<PathBuf>,
    /// Count NPU work as the format's original tool did: in multiply-adds,
    /// without outputs and biases
    #[arg(long, help_heading = "Device")]
    pub compat: bool,
    /// Count a kernel as bound by a roof from this percentage of it
    /// [default: 70]
    #[arg(long, value_name = "PCT", help_heading = "Thresholds")]
    pub bound_limit: Option<Percent>,
    /// Left of the knee, count a kernel as inefficient below this percentage
    /// of the bandwidth [default: 40]
    #[arg(long, value_name = "PCT", help_heading = "Thresholds")]
    pub memory_threshold: Option<Percent>,
    /// Right of the knee, count a kernel as inefficient below this percentage
    /// of the peak [default: 40]
    #[arg(long, value_name = "PCT", help_heading = "Thresholds")]
    pub compute_threshold: Option<Percent>,
    /// Count intensities within this factor of the knee as balanced; 1 for
    /// none
    #[arg(long, value_name = "FACTOR", default_value = "1.2", help_heading = "Thresholds")]
    pub balanced: Factor,
    /// Exit with 1 if a condition holds: pct_of_roof<50, above_roof>0,
    /// pct_of_roof:NAME<80, utilisation_pct<60; may be repeated
    #[arg(long, value_name = "CONDITION")]
    #[serde(deserialize_with = "crate::text_value::several")]
    pub fail_on: Vec<String>,
    /// Recordings of the capture of replayed graphs; may be repeated [default:
    /// capture_traces/ next to the replay]
    #[arg(long, value_name = "PATH", help_heading = "Selection")]
    #[serde(deserialize_with = "crate::text_value::paths")]
    pub capture: Vec<PathBuf>,
    /// The part of the recordings to look at.
    #[command(flatten)]
    #[serde(flatten)]
    pub selected: Selected,
    /// Page theme: auto, light or dark
    #[arg(
        long,
        value_name = "THEME",
        default_value = "auto",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub theme: ThemeName,
    /// Color points by status, kind or dtype
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "status",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub color_by: ColorBy,
    /// Status colors: safe for color-blind readers, or classic as in NPU
    /// tools
    #[arg(
        long,
        value_name = "PALETTE",
        default_value = "safe",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub palette: PaletteName,
}

/// Page theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ThemeName {
    /// Those of the system.
    #[default]
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// What colors stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ColorBy {
    /// Distance from the roof.
    #[default]
    Status,
    /// What kind of operator it is.
    Kind,
    /// Its type.
    Dtype,
}

/// Status colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PaletteName {
    /// Safe for color-blind readers.
    #[default]
    Safe,
    /// Those of NPU tools.
    Classic,
}

impl Default for Roofline {
    fn default() -> Self {
        Self {
            inputs: Vec::new(),
            from: None,
            dtype: None,
            link: None,
            ops: None,
            pair: Vec::new(),
            device: Against::default(),
            config: None,
            compat: false,
            bound_limit: None,
            memory_threshold: None,
            compute_threshold: None,
            balanced: Factor(Settings::default().balanced_factor),
            fail_on: Vec::new(),
            capture: Vec::new(),
            selected: Selected::default(),
            theme: ThemeName::default(),
            color_by: ColorBy::default(),
            palette: PaletteName::default(),
        }
    }
}

impl Verb for Roofline {
    const NAME: &'static str = "roofline";

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        if self.inputs.is_empty() && self.pair.is_empty() {
            return Err(Failure::usage("no input", "name a file, or use --pair"));
        }
        let conditions = condition::parse_all(&self.fail_on)?;
        let config =
            self.config.as_deref().map(|path| NpuConfig::read(path, context.progress)).transpose()?;
        let context = &Context { captures: &self.capture, ..*context };
        let inputs = inputs::read(self, &self.settings(config.as_ref()), context)?;
        let mut answer = drawing::answer(self, inputs);
        answer.too_much = condition::check_all(&conditions, &answer.document.sections().collect::<Vec<_>>())?;
        Ok(answer)
    }

    fn files(&self) -> Vec<PathBuf> {
        let pairs = self.pair.iter().map(|pair| pair.input.clone());
        let peaks = self.pair.iter().filter_map(|pair| file_meant(pair.peaks.as_deref()?));
        let others = self.config.iter().chain(&self.ops).cloned().chain(self.device.files());
        self.inputs.iter().chain(&self.capture).cloned().chain(pairs).chain(peaks).chain(others).collect()
    }

    fn has_form(&self, form: Form) -> bool {
        form.is_of_charts()
    }
}

impl Roofline {
    /// The limits; options override files.
    fn settings(&self, config: Option<&NpuConfig>) -> Settings {
        let usual = Settings::default();
        let pick = |typed: Option<Percent>, said: fn(&NpuConfig) -> Option<f64>, usual: f64| {
            typed.map(|Percent(typed)| typed).or_else(|| config.and_then(said)).unwrap_or(usual)
        };
        Settings {
            bound_pct: pick(self.bound_limit, |config| config.bound, usual.bound_pct),
            compute_threshold_pct: pick(
                self.compute_threshold,
                |config| config.compute,
                usual.compute_threshold_pct,
            ),
            memory_threshold_pct: pick(
                self.memory_threshold,
                |config| config.memory,
                usual.memory_threshold_pct,
            ),
            balanced_factor: self.balanced.0,
        }
    }

    fn theme(&self) -> Theme {
        match self.theme {
            ThemeName::Auto => Theme::Auto,
            ThemeName::Light => Theme::Light,
            ThemeName::Dark => Theme::Dark,
        }
    }

    fn colour_by(&self) -> ColourBy {
        match self.color_by {
            ColorBy::Status => ColourBy::Status,
            ColorBy::Kind => ColourBy::Kind,
            ColorBy::Dtype => ColourBy::Dtype,
        }
    }

    fn palette(&self) -> Palette {
        match self.palette {
            PaletteName::Safe => Palette::Safe,
            PaletteName::Classic => Palette::Classic,
        }
    }
}

/// Input format: `kernels-csv`, `events`, `commands`, `benchmark` or `trace`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputForm(pub eaves_ingest::Form);

/// A share from 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percent(pub f64);

/// A factor of 1 or more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor(pub f64);

impl FromStr for InputForm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        eaves_ingest::Form::from_id(text).map(Self).ok_or_else(|| {
            let known: Vec<&str> = eaves_ingest::Form::ALL.into_iter().map(eaves_ingest::Form::id).collect();
            format!("expected one of {}", known.join(", "))
        })
    }
}

impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.trim_end_matches('%').parse().ok().filter(|number| (0.0..=100.0).contains(number));
        number.map(Self).ok_or_else(|| "expected a percentage from 0 to 100".to_owned())
    }
}

impl FromStr for Factor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 1.0);
        number.map(Self).ok_or_else(|| "expected a factor of 1 or more".to_owned())
    }
}

written_as_text!(InputForm, "InputForm", {"type": "string", "examples": ["events"]}, |_| None);
written_as_text!(Percent, "Percent", "70");
written_as_text!(Factor, "Factor", "1.2");
written_as_text!(Pair, "Pair", {"type": "string", "examples": ["peaks=a.yaml,input=a.csv"]}, |_| None);
