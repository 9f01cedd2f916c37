//! `eaves query -`: the question comes from stdin.

use std::io::{Read, stdin};

use anyhow::Context;
use eaves_app::verbs::Query;

use crate::Status;
use crate::arguments::OutputArguments;

/// Answers the question.
pub(super) fn run(request: &Query, output: &OutputArguments) -> anyhow::Result<Status> {
    if request.sql.as_deref() != Some("-") {
        return output.run(request);
    }
    let mut sql = String::new();
    stdin().read_to_string(&mut sql).context("cannot read the query from stdin")?;
    output.run(&Query { sql: Some(sql), ..request.clone() })
}
