//! What host and GPU did over time.

use std::path::PathBuf;

use eaves_app::Form;
use eaves_present::html::fragment;
use pyo3::prelude::*;

use crate::recording::Recording;
use crate::report::{Report, USUAL_WIDTH};

/// Pixels of a drawing.
const PIXELS: u32 = 1600;

/// What host and GPU did over time.
#[pyclass(frozen, module = "eaves")]
#[derive(Clone)]
pub(crate) struct Timeline {
    recording: Recording,
    report: Report,
}

impl Timeline {
    /// The timeline of a recording.
    pub(crate) fn new(py: Python<'_>, recording: Recording) -> PyResult<Self> {
        let report = recording.timeline_of(py, None)?;
        Ok(Self { recording, report })
    }

    /// The same with drawings of this width.
    fn drawn(&self, py: Python<'_>, width: u32) -> PyResult<Report> {
        if width == PIXELS { Ok(self.report.clone()) } else { self.recording.timeline_of(py, Some(width)) }
    }
}

#[pymethods]
impl Timeline {
    #[pyo3(signature = (*, width=1600))]
    fn to_svg(&self, py: Python<'_>, width: u32) -> PyResult<String> {
        let drawn = self.drawn(py, width)?;
        drawn.rendered(py, Form::Svg, drawn.look(USUAL_WIDTH, None))
    }

    fn to_html(&self, py: Python<'_>) -> PyResult<String> {
        self.report.rendered(py, Form::Html, self.report.look(USUAL_WIDTH, None))
    }

    #[pyo3(signature = (*, width=80, top=None))]
    fn to_text(&self, py: Python<'_>, width: usize, top: Option<usize>) -> PyResult<String> {
        self.report.rendered(py, Form::Text, self.report.look(width, top))
    }

    /// The numbers.
    fn report(&self) -> Report {
        self.report.clone()
    }

    /// Writes a file: .html, .svg, .png, or .json, .csv, .md, .txt.
    #[pyo3(signature = (path, *, width=1600))]
    fn save(&self, py: Python<'_>, path: PathBuf, width: u32) -> PyResult<()> {
        self.drawn(py, width)?.save(py, path, None)
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.to_text(py, 80, None)
    }

    fn __repr__(&self) -> String {
        format!("<Timeline of {} recordings>", self.report.answer().document.inputs.len())
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        Ok(fragment::frame(&self.to_html(py)?, "Timeline"))
    }
}
