//! What was read and what was odd about it.

use eaves_present::Document;
use pyo3::prelude::*;

/// A recording that was read.
#[pyclass(frozen, get_all, module = "eaves")]
#[derive(Clone, Debug)]
pub(crate) struct Input {
    path: String,
    role: Option<&'static str>,
    format: &'static str,
    container: &'static str,
    rank: i64,
    rank_source: &'static str,
    events: u64,
    bytes: u64,
}

#[pymethods]
impl Input {
    fn __repr__(&self) -> String {
        format!("<Input {} rank {}: {} events>", self.path, self.rank, self.events)
    }
}

/// Something odd about an input.
#[pyclass(frozen, get_all, module = "eaves")]
#[derive(Clone, Debug)]
pub(crate) struct InputWarning {
    kind: &'static str,
    count: u64,
    first_offset: Option<u64>,
    path: Option<String>,
    message: String,
    harmless: bool,
}

#[pymethods]
impl InputWarning {
    fn __repr__(&self) -> String {
        format!("<InputWarning {} {} times: {}>", self.kind, self.count, self.message)
    }
}

/// The inputs of a document.
pub(crate) fn inputs(document: &Document) -> Vec<Input> {
    let input = |input: &eaves_present::Input| Input {
        path: input.path.clone(),
        role: input.role,
        format: input.format,
        container: input.container,
        rank: input.rank,
        rank_source: input.rank_source,
        events: input.events,
        bytes: input.bytes,
    };
    document.inputs.iter().map(input).collect()
}

/// The warnings of a document.
pub(crate) fn warnings(document: &Document) -> Vec<InputWarning> {
    let warning = |warning: &eaves_present::InputWarning| InputWarning {
        kind: warning.kind.id(),
        count: warning.count,
        first_offset: warning.first_offset,
        path: warning.path.clone(),
        message: warning.message(),
        harmless: warning.kind.is_harmless(),
    };
    document.warnings.iter().map(warning).collect()
}
