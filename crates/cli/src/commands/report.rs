//! `eaves report`: every analysis of the inputs.

use clap::Args;
use eaves_analyze::analyses;

use crate::analysis::AnalysisArguments;
use crate::arguments::{HELP_TEMPLATE, OutputArguments};
use crate::device;
use crate::failure::{did_you_mean, hinted};

/// Show where the time of a recorded program went
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves report trace.json.gz
  eaves report traces/ --rank 0,3-5       some ranks of a job
  eaves report trace.json --step 3-7      some steps
  eaves report trace.json --section kernels --top 0 --csv
  eaves report trace.json --section roofline --device h100-sxm
  eaves report trace.json -o report.html  a page with timeline and flame graph
  eaves report trace.json -o report.md
  eaves report rank7.json --partial -o 7.eaves-partial   one rank of many
  eaves report parts/                     the job that parts were measured of
  eaves report s3://bucket/job --ray http://HEAD:8265    on a Ray cluster"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    analysis: AnalysisArguments,
    /// Show this section only; may be given several times
    #[arg(long, value_name = "ID", help_heading = "Selection")]
    section: Vec<String>,
    /// Hold operators against this device or peaks file rather than the one that the recording names
    #[arg(long, value_name = "NAME|FILE", help_heading = "Device")]
    device: Option<String>,
    /// Write what was measured to -o FILE.eaves-partial, to be put together with other ranks
    #[arg(long, conflicts_with_all = ["csv", "device", "json", "markdown", "section"], help_heading = "Output")]
    partial: bool,
    /// Measure the ranks on this cluster of Ray: HOST:PORT, `auto`, or http://HOST:8265
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["kernel_wait", "queue_limit"], help_heading = "Cluster")]
    ray: Option<String>,
}

/// Analyses the inputs.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<()> {
    let on_cluster = match &arguments.ray {
        Some(address) => Some(arguments.analysis.on_cluster(address, output)?),
        None => None,
    };
    let analysis = on_cluster.as_ref().map_or(&arguments.analysis, |(analysis, _)| analysis);
    if arguments.partial {
        return analysis.run_partial(output);
    }
    let wanted = &arguments.section;
    check_sections(wanted)?;
    let is_wanted = |id: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == id);
    let device = arguments.device.as_deref().map(device::named).transpose()?;
    // A part of the report is tables alone; the whole of it is the page.
    if wanted.is_empty() && output.is_page() {
        return analysis.run_page(device, "report", output);
    }
    analysis.run_on(device, "report", is_wanted, output)
}

/// Makes sure that there are such sections.
pub(crate) fn check_sections(wanted: &[String]) -> anyhow::Result<()> {
    match wanted.iter().find(|id| analyses::find(id).is_none()) {
        Some(unknown) => Err(unknown_section(unknown)),
        None => Ok(()),
    }
}

fn unknown_section(id: &str) -> anyhow::Error {
    let known = || analyses::ALL.iter().map(|analysis| analysis.id);
    let hint = match did_you_mean(id, known()) {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => format!("there are: {}", known().collect::<Vec<_>>().join(", ")),
    };
    hinted(format!("no section `{id}`"), hint)
}
