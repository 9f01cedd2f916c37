//! `report`: every analysis.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use eaves_analyze::{Partial, analyses};
use eaves_present::Document;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::analysis::{Closely, Question, sections};
use crate::measurements::script;
use crate::other_inputs::{self, OtherInputs};
use crate::ray::Cluster;
use crate::{Against, Answer, Context, Failure, Form, HELP_TEMPLATE, Verb, device, partial};

/// Show where the time went, and what to fix first
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves report trace.json.gz
  eaves report traces/ --rank 0,3-5       selected ranks
  eaves report trace.json --step 3-7      selected steps
  eaves report trace.json --section kernels --top 0 --csv
  eaves report trace.json --section roofline --device h100-sxm
  eaves report trace.json -o report.html  a page with timeline and flame graph
  eaves report trace.json -o report.md -o report.json
  eaves report rank7.json -o 7.eaves-partial             one rank of a job
  eaves report parts/                     the job, from partial results
  eaves report s3://bucket/job --ray http://HEAD:8265    on a Ray cluster"
)]
#[serde(default)]
pub struct Report {
    /// Files, directories with one trace per rank, patterns, or - for stdin:
    /// traces, measurements, compile logs, memory snapshots, saved reports
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// The part of the recordings to look at, and how closely.
    #[command(flatten)]
    #[serde(flatten)]
    pub closely: Closely,
    /// Show only this section; may be repeated
    #[arg(long, value_name = "ID", help_heading = "Selection")]
    #[serde(deserialize_with = "crate::text_value::names")]
    pub section: Vec<String>,
    /// Compare operators with this device or peaks file, not the recorded device
    #[arg(long, value_name = "NAME|FILE", help_heading = "Device")]
    pub device: Option<String>,
    /// Peaks and thresholds for NPU commands [default: roofline_config.json
    /// next to them, else 32 TOPS and 50 GB/s]
    #[arg(long, value_name = "FILE", help_heading = "Device")]
    pub config: Option<PathBuf>,
    /// Script with your own operator formulas [default: ops.rhai next to
    /// measurements]
    #[arg(long, value_name = "FILE", help_heading = "Device")]
    pub ops: Option<PathBuf>,
    /// Recordings of the capture of replayed graphs; may be repeated [default:
    /// capture_traces/ next to the replay]
    #[arg(long, value_name = "PATH", conflicts_with = "ray", help_heading = "Selection")]
    #[serde(deserialize_with = "crate::text_value::paths")]
    pub capture: Vec<PathBuf>,
    /// Measure the ranks on this Ray cluster: HOST:PORT, `auto`, or http://HOST:8265
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["kernel_wait", "queue_limit"], help_heading = "Cluster")]
    pub ray: Option<String>,
}

impl Verb for Report {
    const NAME: &'static str = "report";

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        check_sections(&self.section)?;
        if let Some(address) = &self.ray {
            return self.on_cluster(address, context);
        }
        let device = self.device.as_deref().map(device::named).transpose()?;
        let formulas = self.ops.as_deref().map(|ops| script(Some(ops), ops)).transpose()?.flatten();
        let others = OtherInputs {
            device: &Against::default().or_named(self.device.clone()),
            config: self.config.as_deref(),
            ops: self.ops.as_deref(),
            sections: &self.section,
        };
        let question = Question {
            verb: Self::NAME,
            inputs: &self.inputs,
            options: self.closely.options(device).with_formulas(formulas.map(Arc::new)),
            analyses: sections(|id| self.wants(id)),
            // A part of the report is tables alone; the whole of it is the page.
            is_whole: self.section.is_empty(),
            others: Some(others),
        };
        question.answer(&Context { captures: &self.capture, ..*context })
    }

    fn files(&self) -> Vec<PathBuf> {
        let device = self.device.as_deref().and_then(device::file_meant);
        self.inputs
            .iter()
            .chain(&self.capture)
            .chain(&self.config)
            .chain(&self.ops)
            .cloned()
            .chain(device)
            .collect()
    }

    fn has_form(&self, form: Form) -> bool {
        Form::OF_DOCUMENTS.contains(&form) || form == Form::Partial
    }

    fn is_prepared_for(&self, form: Form) -> bool {
        form == Form::Partial || form == Form::Html && self.section.is_empty()
    }
}

impl Report {
    /// The report of what was measured elsewhere, in place of inputs.
    ///
    /// # Errors
    /// If bytes are not what was measured, were measured with other options, or have nothing of what is selected.
    pub fn of_partial(&self, measured: Vec<u8>) -> Result<Document, Failure> {
        check_sections(&self.section)?;
        let device = self.device.as_deref().map(device::named).transpose()?;
        let options = self.closely.options(device);
        let partial = Partial::from_bytes(measured).map_err(partial::failed)?;
        Ok(partial::document(Self::NAME, &partial, &options, &sections(|id| self.wants(id)))?)
    }

    /// The report of ranks that a cluster measures.
    fn on_cluster(&self, address: &str, context: &Context<'_>) -> Result<Answer, Failure> {
        let usual = Closely::default();
        if (self.closely.kernel_wait, self.closely.queue_limit) != (usual.kernel_wait, usual.queue_limit) {
            return Err(Failure::usage(
                "thresholds cannot be changed on a cluster",
                "drop `kernel_wait` and `queue_limit`, or run locally",
            ));
        }
        let selection = self.closely.selected.selection();
        let cluster = Cluster::of(address)?;
        // The folder is there for as long as its file is read.
        let (_folder, measured) =
            cluster.measure(&self.inputs, &selection, self.closely.details, context.progress)?;
        Self { inputs: vec![measured], ray: None, ..self.clone() }.run(context)
    }

    fn wants(&self, section: &str) -> bool {
        self.section.is_empty() || self.section.iter().any(|wanted| wanted == section)
    }
}

/// Checks that exist such sections.
///
/// # Errors
/// If there is none of a name.
pub fn check_sections(wanted: &[String]) -> Result<(), Failure> {
    let reported = analyses::REPORT.iter().map(|analysis| analysis.id);
    let mut known: Vec<&str> = reported.chain(other_inputs::SECTIONS.iter().copied()).collect();
    known.sort_unstable();
    let Some(unknown) = wanted.iter().find(|id| !known.contains(&id.as_str())) else { return Ok(()) };
    Err(Failure::unknown(format!("no section `{unknown}`"), unknown, &known, "sections are"))
}
