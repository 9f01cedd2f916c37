//! What host and GPU did over time.

use std::path::PathBuf;
use std::sync::Arc;

use eaves_cli::library;
use eaves_present::html::fragment;
use eaves_present::terminal::Options;
use pyo3::prelude::*;

use crate::detached::detached;
use crate::report::Report;

/// What host and GPU did over time.
#[pyclass(frozen, module = "eaves")]
#[derive(Clone, Debug)]
pub(crate) struct Timeline(pub(crate) Arc<library::Timeline>);

#[pymethods]
impl Timeline {
    #[pyo3(signature = (*, width=1600))]
    fn to_svg(&self, py: Python<'_>, width: u32) -> String {
        py.detach(|| self.0.svg(width))
    }

    fn to_html(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.html())
    }

    #[pyo3(signature = (*, width=80, top=10))]
    fn to_text(&self, py: Python<'_>, width: usize, top: usize) -> String {
        py.detach(|| self.0.text(&Options { width, top }))
    }

    /// The numbers.
    fn report(&self) -> Report {
        self.0.document().clone().into()
    }

    /// Writes a file: .html, .svg, .png, or .json, .csv, .md, .txt.
    #[pyo3(signature = (path, *, width=1600))]
    fn save(&self, py: Python<'_>, path: PathBuf, width: u32) -> PyResult<()> {
        let timeline = self.0.clone();
        detached(py, move || timeline.save(&path, width))
    }

    fn __str__(&self) -> String {
        self.0.text(&Options::default())
    }

    fn __repr__(&self) -> String {
        format!("<Timeline of {} recordings>", self.0.document().inputs.len())
    }

    fn _repr_html_(&self, py: Python<'_>) -> String {
        py.detach(|| fragment::frame(&self.0.html(), "Timeline"))
    }
}
