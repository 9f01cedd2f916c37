//! A call tree, drawn as a flame graph.

use std::path::PathBuf;

use eaves_app::{Caption, Form};
use eaves_present::html::fragment;
use pyo3::prelude::*;

use crate::report::{Report, USUAL_WIDTH};

/// A call tree, drawn as a flame graph.
#[pyclass(frozen, module = "eaves")]
#[derive(Clone)]
pub(crate) struct Flame(pub(crate) Report);

impl Flame {
    fn caption(&self) -> Caption {
        let drawing = self.0.answer().drawing.as_ref();
        drawing.and_then(|drawing| drawing.caption()).unwrap_or_default()
    }

    fn rendered(&self, py: Python<'_>, form: Form) -> PyResult<String> {
        self.0.rendered(py, form, self.0.look(USUAL_WIDTH, None))
    }
}

#[pymethods]
impl Flame {
    #[getter]
    fn metric(&self) -> &'static str {
        self.caption().metric
    }

    #[getter]
    fn order(&self) -> &'static str {
        self.caption().order
    }

    #[getter]
    fn title(&self) -> String {
        self.caption().title
    }

    /// Nested `name`, `value` and `children`, as d3-flame-graph takes it; `unit` at the root is that of all values. Times
    /// are microseconds.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = self.rendered(py, Form::D3)?;
        py.import("json")?.call_method1("loads", (text,))
    }

    /// A line for each stack: `a;b;c 7`.
    fn to_folded(&self, py: Python<'_>) -> PyResult<String> {
        self.rendered(py, Form::Folded)
    }

    fn to_svg(&self, py: Python<'_>) -> PyResult<String> {
        self.rendered(py, Form::Svg)
    }

    fn to_html(&self, py: Python<'_>) -> PyResult<String> {
        self.rendered(py, Form::Html)
    }

    #[pyo3(signature = (*, width=80, top=None))]
    fn to_text(&self, py: Python<'_>, width: usize, top: Option<usize>) -> PyResult<String> {
        self.0.rendered(py, Form::Text, self.0.look(width, top))
    }

    /// The frames as tables.
    fn report(&self) -> Report {
        self.0.clone()
    }

    /// Writes a file: .html, .svg, .png, .folded, .speedscope.json, .d3.json, or .json, .csv, .md, .txt.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.0.save(py, path, None)
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.rendered(py, Form::Text)
    }

    fn __repr__(&self) -> String {
        let Caption { title, metric, .. } = self.caption();
        format!("<Flame of {title}: {metric}>")
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        Ok(fragment::frame(&self.to_html(py)?, "Flame graph"))
    }
}
