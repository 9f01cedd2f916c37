//! `device`: device limits, and this machine's devices.

mod detect;
mod measure;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use eaves_assess::devices;
use eaves_model::suggestion::did_you_mean;
use eaves_present::Document;
use eaves_roofline::device::{self, catalogue};
use eaves_section::{Outcome, Section};
use schemars::JsonSchema;
use serde::Deserialize;

pub use self::detect::Detect;
pub use self::measure::Measure;
use crate::device::{file_meant, named};
use crate::{Answer, Context, Failure, Form, HELP_TEMPLATE, Verb};

/// List and show devices; detect and measure this machine's
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves device list --vendor amd
  eaves device show h100-sxm
  eaves device detect -o peaks.yaml
  eaves device measure -o roofs.yaml"
)]
pub struct Device {
    /// Operation.
    #[command(subcommand)]
    #[serde(flatten)]
    pub op: DeviceOp,
}

/// Device operations.
#[derive(Clone, Debug, PartialEq, Subcommand, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum DeviceOp {
    /// List the device catalog
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves device list
  eaves device list --vendor nvidia --csv"
    )]
    List(List),
    /// Show a device's peaks, memory, links and knees, with sources
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves device show mi300x
  eaves device show \"NVIDIA A100-SXM4-40GB\" --json
  eaves device show peaks.yaml"
    )]
    Show(Show),
    /// Detect this machine's devices and write a peaks file
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves device detect
  eaves device detect -o peaks.yaml
  tprof peaks --json > tprof.json
  eaves device detect --from tprof.json -o peaks.yaml"
    )]
    Detect(Detect),
    /// Measure this machine's roofs and save them for CPU recordings
    #[command(
        help_template = HELP_TEMPLATE,
        before_help = "  eaves device measure
  eaves device measure -o roofs.yaml
  eaves device measure --thorough --sustained -o roofs.yaml
  eaves device measure -o roofs.png"
    )]
    Measure(Measure),
}

/// The catalog.
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct List {
    /// Only devices by this vendor
    #[arg(long, value_name = "NAME")]
    pub vendor: Option<String>,
}

/// One device.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
pub struct Show {
    /// Catalog device, or a peaks file; FILE#ID for one of several
    #[arg(required = true, value_name = "NAME|FILE")]
    pub device: String,
}

impl Verb for Device {
    const NAME: &'static str = "device";

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        match &self.op {
            DeviceOp::List(list) => Ok(answer(devices::list(&list.devices()?))),
            DeviceOp::Show(show) => Ok(answer(devices::show(&named(&show.device)?))),
            DeviceOp::Detect(detect) => detect.answer(context),
            DeviceOp::Measure(measure) => measure.answer(context),
        }
    }

    fn files(&self) -> Vec<PathBuf> {
        match &self.op {
            DeviceOp::Detect(detect) => detect.from.iter().chain(&detect.root).cloned().collect(),
            DeviceOp::List(_) => Vec::new(),
            DeviceOp::Measure(measure) => {
                measure.datasheet.as_deref().and_then(file_meant).into_iter().collect()
            }
            DeviceOp::Show(show) => file_meant(&show.device).into_iter().collect(),
        }
    }

    fn effect(&self) -> Option<&'static str> {
        matches!(self.op, DeviceOp::Measure(_)).then_some("saves its measurements for later reports")
    }

    fn runs_kernels(&self) -> bool {
        matches!(self.op, DeviceOp::Measure(_))
    }

    fn has_form(&self, form: Form) -> bool {
        match self.op {
            DeviceOp::List(_) | DeviceOp::Show(_) => Form::OF_DOCUMENTS.contains(&form),
            DeviceOp::Detect(_) => Form::OF_DOCUMENTS.contains(&form) || form == Form::Yaml,
            DeviceOp::Measure(_) => form.is_of_charts() || form == Form::Yaml,
        }
    }
}

fn answer(section: Section) -> Answer {
    let outcomes = vec![Outcome::Section(section)];
    Answer::new(Document { verb: Device::NAME, outcomes, ..Document::default() }).with_top(0)
}

impl List {
    fn devices(&self) -> Result<Vec<device::Device>, Failure> {
        let Some(vendor) = &self.vendor else { return Ok(catalogue().to_vec()) };
        let is_of_vendor = |device: &&device::Device| {
            device.vendor.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(vendor))
        };
        let found: Vec<device::Device> = catalogue().iter().filter(is_of_vendor).cloned().collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let lower = |device: &device::Device| Some(device.vendor.as_ref()?.to_lowercase());
        let mut vendors: Vec<String> = catalogue().iter().filter_map(lower).collect();
        vendors.sort_unstable();
        vendors.dedup();
        let hint = match did_you_mean(&vendor.to_lowercase(), vendors.iter().map(String::as_str)) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("vendors are {}", vendors.join(", ")),
        };
        Err(Failure::usage(format!("the catalog has no device by `{vendor}`"), hint))
    }
}
