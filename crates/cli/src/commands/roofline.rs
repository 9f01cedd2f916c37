//! `eaves roofline`: how far kernels, operators, commands and messages are from what the device can do.

mod pair;
mod run;
mod write;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use eaves_ingest::Form;
use eaves_present::roofline::{ColourBy, Palette, Theme};
use eaves_roofline::Settings;

use self::pair::Pair;
pub(crate) use self::run::script;
use crate::Status;
use crate::arguments::OutputArguments;
use crate::failure::hinted;
use eaves_app::Against;
use eaves_app::HELP_TEMPLATE;
use eaves_app::Selected;
use eaves_app::{Form as OutputForm, condition};
use eaves_model::suggestion::did_you_mean;

/// Hold kernels, operators and messages against the roofs of a device
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves roofline kernels.csv --device h100-sxm --dtype bf16_tensor
  eaves roofline events.json --device peaks.yaml -o roofline.html
  eaves roofline commands.json --config npu.json --ops ops.rhai
  eaves roofline trace.json.gz                    the device it was recorded on
  eaves roofline --pair peaks=a.yaml,input=a.csv --pair peaks=h200,input=b.csv
  eaves roofline kernels.csv --device h100-sxm --fail-on 'pct_of_roof<50'"
)]
pub(crate) struct Arguments {
    /// Tables of kernels, events, NPU commands, benchmarks or traces; - for
    /// stdin
    #[arg(value_name = "INPUT", required_unless_present = "pair")]
    inputs: Vec<PathBuf>,
    /// What an input is, if its content is not to tell: kernels-csv, events,
    /// commands, benchmark or trace
    #[arg(long, value_name = "FORM", value_parser = form)]
    from: Option<Form>,
    /// The type of kernels that name none; one of the device's peaks or a
    /// precision
    #[arg(long, value_name = "KEY")]
    dtype: Option<String>,
    /// The link of messages that name none
    #[arg(long, value_name = "NAME")]
    link: Option<String>,
    /// Formulas of your own for types of operators; by default ops.rhai
    /// beside the input, if it is there
    #[arg(long, value_name = "FILE")]
    ops: Option<PathBuf>,
    /// A device and an input, each pair a tab of its own:
    /// peaks=FILE,input=FILE and, if wanted, dtype=KEY,from=FORM; repeatable
    #[arg(long, value_name = "PAIR", value_parser = pair::parse)]
    pair: Vec<Pair>,
    #[command(flatten)]
    device: Against,
    /// Peaks and thresholds of an NPU: peak_tops, mem_bw, mem_thresh,
    /// comp_thresh; by default roofline_config.json beside NPU commands
    #[arg(long, value_name = "FILE", help_heading = "Device")]
    config: Option<PathBuf>,
    /// Count NPU commands and peaks as the first tool of that format did: in
    /// multiply-adds, without outputs and biases
    #[arg(long, help_heading = "Device")]
    compat: bool,
    /// Above this share of its roof something is bound by it; 70 if not said
    #[arg(long, value_name = "PCT", value_parser = percent, help_heading = "Thresholds")]
    bound_limit: Option<f64>,
    /// Left of the knee, inefficient below this share of the bandwidth;
    /// 40 if not said
    #[arg(long, value_name = "PCT", value_parser = percent, help_heading = "Thresholds")]
    memory_threshold: Option<f64>,
    /// Right of the knee, inefficient below this share of the peak; 40 if not
    /// said
    #[arg(long, value_name = "PCT", value_parser = percent, help_heading = "Thresholds")]
    compute_threshold: Option<f64>,
    /// An intensity within this factor of the knee is balanced; 1 for none
    #[arg(long, value_name = "FACTOR", value_parser = factor, default_value = "1.2", help_heading = "Thresholds")]
    balanced: f64,
    /// Exit with 1 if it holds: pct_of_roof<50, above_roof>0,
    /// pct_of_roof:NAME<80, utilisation_pct<60; may be repeated
    #[arg(long, value_name = "CONDITION")]
    fail_on: Vec<String>,
    #[command(flatten)]
    selection: Selected,
    /// Colours of the page: auto, light or dark
    #[arg(
        long,
        value_name = "THEME",
        default_value = "auto",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    theme: ThemeArgument,
    /// What colours say: status, kind or dtype
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "status",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    color_by: ColorBy,
    /// Colours of statuses: safe for everybody, or classic as NPU tools have
    /// them
    #[arg(
        long,
        value_name = "PALETTE",
        default_value = "safe",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    palette: PaletteArgument,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ThemeArgument {
    Auto,
    Light,
    Dark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ColorBy {
    Status,
    Kind,
    Dtype,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PaletteArgument {
    Safe,
    Classic,
}

/// Holds the inputs against their devices.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> Result<Status> {
    let conditions = condition::parse_all(&arguments.fail_on)?;
    let config = arguments.config.as_deref().map(|path| Config::read(path, output)).transpose()?;
    let settings = arguments.settings(config.as_ref());
    let outputs = output.outputs(&arguments.files(), OutputForm::is_of_charts)?;
    let inputs = run::inputs(arguments, &settings, output)?;
    let mut answer = write::answer(arguments, inputs);
    answer.too_much = condition::check_all(&conditions, &answer.document.sections().collect::<Vec<_>>())?;
    output.answered(&answer, outputs)
}

impl Arguments {
    /// Every file that is read, so that none is replaced.
    fn files(&self) -> Vec<PathBuf> {
        let pairs = self.pair.iter().map(|pair| pair.input.clone());
        let others = self.config.iter().chain(&self.ops).cloned();
        self.inputs.iter().cloned().chain(pairs).chain(others).collect()
    }

    /// The limits: what was typed wins over what a file says.
    fn settings(&self, config: Option<&Config>) -> Settings {
        let usual = Settings::default();
        let pick = |typed: Option<f64>, said: Option<f64>, usual: f64| typed.or(said).unwrap_or(usual);
        let said = |read: fn(&Config) -> Option<f64>| config.and_then(read);
        Settings {
            bound_pct: pick(self.bound_limit, said(|config| config.bound), usual.bound_pct),
            compute_threshold_pct: pick(
                self.compute_threshold,
                said(|config| config.compute),
                usual.compute_threshold_pct,
            ),
            memory_threshold_pct: pick(
                self.memory_threshold,
                said(|config| config.memory),
                usual.memory_threshold_pct,
            ),
            balanced_factor: self.balanced,
        }
    }

    fn theme(&self) -> Theme {
        match self.theme {
            ThemeArgument::Auto => Theme::Auto,
            ThemeArgument::Light => Theme::Light,
            ThemeArgument::Dark => Theme::Dark,
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
            PaletteArgument::Safe => Palette::Safe,
            PaletteArgument::Classic => Palette::Classic,
        }
    }
}

/// The thresholds of a file that also says what the device can do.
struct Config {
    bound: Option<f64>,
    memory: Option<f64>,
    compute: Option<f64>,
}

/// Every key of such a file. The last ones are those of a dashboard that reads the same file; here they mean nothing.
const KEYS: [&str; 12] = [
    "name",
    "peak_tops",
    "mem_bw",
    "mem_thresh",
    "comp_thresh",
    "bound_thresh",
    "balanced",
    "counts",
    "peak_unit",
    "issue_eff_limit",
    "issue_waste_limit",
    "issue_perf_limit",
];

impl Config {
    fn read(path: &Path, output: &OutputArguments) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the configuration: {}", path.display()))?;
        let wrong = |what: String| {
            hinted(
                format!("the configuration {what}: {}", path.display()),
                r#"write {"peak_tops": 32, "mem_bw": 50, "mem_thresh": 40, "comp_thresh": 40}"#,
            )
        };
        let json: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| wrong(format!("is no JSON ({error})")))?;
        // Only of the dashboards' own form: any peaks file may be named here, and has keys of its own.
        let is_plain = json.get("peak_tops").is_some() || json.get("mem_bw").is_some();
        for key in json.as_object().into_iter().flat_map(|all| all.keys()) {
            if is_plain && !KEYS.contains(&key.as_str()) && !key.starts_with("rate.") {
                let known = match did_you_mean(key, KEYS) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("known are {}", KEYS.join(", ")),
                };
                output
                    .printer()
                    .note(&format!("warning: unknown key `{key}`; {known}: {}\n", path.display()));
            }
        }
        let limit = |key: &str| match json.get(key) {
            None => Ok(None),
            Some(value) => {
                let number = value.as_f64().filter(|number| (0.0..=100.0).contains(number));
                number.map(Some).ok_or_else(|| wrong(format!("has a `{key}` that is no percentage: {value}")))
            }
        };
        Ok(Self {
            bound: limit("bound_thresh")?,
            memory: limit("mem_thresh")?,
            compute: limit("comp_thresh")?,
        })
    }
}

fn form(text: &str) -> Result<Form, String> {
    Form::from_id(text).ok_or_else(|| {
        let known: Vec<&str> = Form::ALL.into_iter().map(Form::id).collect();
        format!("expected one of {}", known.join(", "))
    })
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').parse().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "expected a percentage from 0 to 100".to_owned())
}

fn factor(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 1.0);
    number.ok_or_else(|| "expected a factor of 1 or more".to_owned())
}
