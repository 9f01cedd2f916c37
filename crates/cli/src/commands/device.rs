//! `eaves device`: what is written to a peaks file is shown to people, too.

use eaves_app::verbs::Device;
use eaves_app::verbs::device::DeviceOp;
use eaves_app::{Form, Verb};

use crate::Status;
use crate::arguments::OutputArguments;

/// Runs the verb.
pub(super) fn run(request: &Device, output: &OutputArguments) -> anyhow::Result<Status> {
    let outputs = output.outputs(&request.files(), |form| request.has_form(form))?;
    let answer = output.ask(request, &outputs)?;
    // The file is for programs; people see the table all the same.
    let is_hidden = outputs.forms().iter().all(|form| *form == Form::Yaml);
    if is_hidden && matches!(request.op, DeviceOp::Measure(_)) {
        output.show(&answer.document)?;
    }
    output.answered(&answer, outputs)
}
