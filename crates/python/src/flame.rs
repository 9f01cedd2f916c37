//! A call tree, drawn as a flame graph.

use std::path::PathBuf;
use std::sync::Arc;

use eaves_cli::library::{Failure, FlameFormat, FlameGraph};
use eaves_present::html::fragment;
use eaves_present::terminal::Options;
use pyo3::prelude::*;

use crate::detached::detached;
use crate::failure::raised;
use crate::report::Report;

/// A call tree, drawn as a flame graph.
#[pyclass(frozen, module = "eaves")]
#[derive(Clone, Debug)]
pub(crate) struct Flame(pub(crate) Arc<FlameGraph>);

impl Flame {
    fn rendered(&self, py: Python<'_>, format: FlameFormat) -> PyResult<String> {
        let graph = self.0.clone();
        let bytes = detached(py, move || graph.render(format))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&FlameGraph) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        py.detach(|| question(&self.0)).map_err(|failure| raised(py, failure))
    }
}

#[pymethods]
impl Flame {
    #[getter]
    fn metric(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.ask(py, |graph| Ok(graph.metric()?.id()))
    }

    #[getter]
    fn order(&self) -> &'static str {
        self.0.view().order.id()
    }

    #[getter]
    fn title(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, FlameGraph::title)
    }

    /// Nested `name`, `value` and `children`, as d3-flame-graph takes it; times are microseconds.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = self.rendered(py, FlameFormat::D3)?;
        py.import("json")?.call_method1("loads", (text,))
    }

    /// A line for each stack: `a;b;c 7`.
    fn to_folded(&self, py: Python<'_>) -> PyResult<String> {
        self.rendered(py, FlameFormat::Folded)
    }

    fn to_svg(&self, py: Python<'_>) -> PyResult<String> {
        self.rendered(py, FlameFormat::Svg)
    }

    fn to_html(&self, py: Python<'_>) -> PyResult<String> {
        self.rendered(py, FlameFormat::Html)
    }

    #[pyo3(signature = (*, width=80, top=30))]
    fn to_text(&self, py: Python<'_>, width: usize, top: usize) -> PyResult<String> {
        self.ask(py, |graph| graph.text(&Options { width, top }))
    }

    /// The frames as tables.
    fn report(&self, py: Python<'_>) -> PyResult<Report> {
        self.ask(py, FlameGraph::document).map(Report::from)
    }

    /// Writes a file: .html, .svg, .png, .folded, .speedscope.json, .d3.json, or .json, .csv, .md, .txt.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let graph = self.0.clone();
        detached(py, move || graph.save(&path))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.to_text(py, 80, 30)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Flame of {}: {}>", self.title(py)?, self.metric(py)?))
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        Ok(fragment::frame(&self.to_html(py)?, "Flame graph"))
    }
}
