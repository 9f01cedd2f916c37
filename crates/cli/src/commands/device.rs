//! `eaves device`: what devices can do, and which ones this machine has.

mod detect;
mod measure;

use clap::{Args, Subcommand};
use eaves_analyze::section::{Outcome, Section};
use eaves_assess::devices;
use eaves_present::Document;
use eaves_roofline::Device;
use eaves_roofline::device::catalogue;

use crate::arguments::OutputArguments;
use crate::failure::hinted;
use eaves_app::HELP_TEMPLATE;
use eaves_model::suggestion::did_you_mean;

/// List and show devices, find and measure those of this machine
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves device list --vendor amd
  eaves device show h100-sxm
  eaves device detect -o peaks.yaml
  eaves device measure -o roofs.yaml"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    List(List),
    Show(Show),
    Detect(detect::Arguments),
    Measure(measure::Arguments),
}

/// List the devices of the catalogue
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves device list
  eaves device list --vendor nvidia --csv"
)]
struct List {
    /// Only those of a vendor
    #[arg(long, value_name = "NAME")]
    vendor: Option<String>,
}

/// Show peaks, memory, links and knees, each with its source
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves device show mi300x
  eaves device show \"NVIDIA A100-SXM4-40GB\" --json
  eaves device show peaks.yaml"
)]
struct Show {
    /// A device of the catalogue, or a peaks file; FILE#ID for one of several
    #[arg(required = true, value_name = "NAME|FILE")]
    device: String,
}

/// Does it.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<()> {
    match &arguments.what {
        What::List(list) => write(devices::list(&listed(list)?), output),
        What::Show(show) => write(devices::show(&eaves_app::device::named(&show.device)?), output),
        What::Detect(arguments) => detect::run(arguments, output),
        What::Measure(arguments) => measure::run(arguments, output),
    }
}

fn write(section: Section, output: &OutputArguments) -> anyhow::Result<()> {
    let destination = output.destination(&[])?;
    let outcomes = vec![Outcome::Section(section)];
    let document = Document { verb: "device", outcomes, ..Document::default() };
    output.finish(&document, destination, 0)
}

fn listed(list: &List) -> anyhow::Result<Vec<Device>> {
    let Some(vendor) = &list.vendor else { return Ok(catalogue().to_vec()) };
    let known =
        |device: &Device| device.vendor.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(vendor));
    let found: Vec<Device> = catalogue().iter().filter(|device| known(device)).cloned().collect();
    if found.is_empty() {
        let lower = |device: &Device| Some(device.vendor.as_ref()?.to_lowercase());
        let mut vendors: Vec<String> = catalogue().iter().filter_map(lower).collect();
        vendors.sort_unstable();
        vendors.dedup();
        let hint = match did_you_mean(&vendor.to_lowercase(), vendors.iter().map(String::as_str)) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("vendors are {}", vendors.join(", ")),
        };
        return Err(hinted(format!("no device of `{vendor}` is in the catalogue"), hint));
    }
    Ok(found)
}
