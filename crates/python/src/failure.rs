//! What went wrong, as the one exception of the package.

use eaves_cli::library::Failure;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The exception, which is written in Python so that it can be pickled and has attributes.
static EXCEPTION: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// A failure to be raised.
pub(crate) fn raised(py: Python<'_>, failure: Failure) -> PyErr {
    let Failure { message, hint, .. } = failure;
    match EXCEPTION.import(py, "eaves._errors", "EavesError") {
        Ok(exception) => PyErr::from_type(exception.clone(), (message, hint)),
        Err(error) => error,
    }
}
