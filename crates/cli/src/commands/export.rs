//! `eaves export -o -`: what is made goes to stdout.

use std::io::{BufWriter, stdout};

use eaves_app::verbs::Export;

use crate::Status;
use crate::arguments::OutputArguments;
use crate::failure::hinted;

/// Converts the inputs.
pub(super) fn run(request: &Export, output: &OutputArguments) -> anyhow::Result<Status> {
    if !request.is_stdout() {
        return output.run(request);
    }
    if output.format().is_some() {
        return Err(hinted(
            "stdout cannot carry both the export and its summary",
            "write the export to a file",
        ));
    }
    let mut stream = BufWriter::with_capacity(1 << 16, stdout());
    let answer = output.with_context(&[], |context| request.write_to(context, &mut stream))?;
    output.finish_with(&answer.document, false, |_| Ok(()))?;
    Ok(Status::Done)
}
