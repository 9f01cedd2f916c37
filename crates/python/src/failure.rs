//! What went wrong, as an exception of the package.

use eaves_app::{Failure, FailureKind};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// A class, which is written in Python so that it can be pickled and has attributes.
type Class = PyOnceLock<Py<PyType>>;

static OTHER: Class = PyOnceLock::new();
static INPUT: Class = PyOnceLock::new();
static MISSING: Class = PyOnceLock::new();
static USAGE: Class = PyOnceLock::new();

/// A failure to be raised.
pub(crate) fn raised(py: Python<'_>, failure: Failure) -> PyErr {
    let Failure { message, hint, kind } = failure;
    let (class, name) = match kind {
        FailureKind::Usage => (&USAGE, "UsageError"),
        FailureKind::Input => (&INPUT, "InputError"),
        FailureKind::Missing => (&MISSING, "MissingInputError"),
        FailureKind::Internal => (&OTHER, "EavesError"),
    };
    match class.import(py, "eaves._errors", name) {
        Ok(exception) => PyErr::from_type(exception.clone(), (message, hint)),
        Err(error) => error,
    }
}
