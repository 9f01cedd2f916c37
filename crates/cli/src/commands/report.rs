//! `eaves report`: the report, also of ranks that a cluster measures.

use clap::Args;
use eaves_app::ray::Cluster;
use eaves_app::verbs::Report;
use eaves_app::{Form, HELP_TEMPLATE, Verb};

use crate::Status;
use crate::arguments::{OutputArguments, check_output};
use crate::failure::hinted;

/// Show where a program's time went
#[derive(Args, Debug)]
#[command(help_template = HELP_TEMPLATE)]
pub(crate) struct Arguments {
    #[command(flatten)]
    request: Report,
    /// Write what was measured to -o FILE.eaves-partial, to be merged with other ranks
    #[arg(long, conflicts_with_all = ["csv", "device", "json", "markdown", "section"], help_heading = "Output")]
    partial: bool,
    /// Measure the ranks on this Ray cluster: HOST:PORT, `auto`, or http://HOST:8265
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["kernel_wait", "queue_limit"], help_heading = "Cluster")]
    ray: Option<String>,
}

/// Analyzes the inputs.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> anyhow::Result<Status> {
    let mut request = arguments.request.clone();
    if arguments.partial && output.files().all(|path| Form::of(path) != Some(Form::Partial)) {
        return Err(hinted("a partial report is a file, and none is named", "add `-o NAME.eaves-partial`"));
    }
    let outputs = output.outputs(&request.inputs, |form| request.has_form(form))?;
    let mut _measured = None;
    if let Some(address) = &arguments.ray {
        for path in output.files() {
            check_output(Some(path), &request.inputs)?;
        }
        let selection = request.closely.selected.selection();
        let (folder, file) = Cluster::of(address)?.measure(
            &request.inputs,
            &selection,
            request.closely.details,
            &output.printer(),
        )?;
        request.inputs = vec![file];
        // The folder is there as long as what was measured is read.
        _measured = Some(folder);
    }
    let answer = output.ask(&request, &outputs)?;
    output.answered(&answer, outputs)
}
