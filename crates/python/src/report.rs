//! An answer: sections by id.

use std::path::PathBuf;
use std::sync::Arc;

use eaves_analyze::Outcome;
use eaves_cli::library::{self, Recordings};
use eaves_present::html::fragment;
use eaves_present::{Document, json, markdown, page};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList};

use crate::detached::detached;
use crate::inputs::{self, Input, InputWarning};
use crate::section::{Finding, Section, Skipped};

/// An answer: sections by id, as a mapping, and what was read for it.
#[pyclass(frozen, module = "eaves")]
#[derive(Clone, Debug)]
pub(crate) struct Report {
    document: Arc<Document>,
    sections: Vec<Section>,
    /// What the whole report is of: its page draws it.
    drawn: Option<Arc<Recordings>>,
}

impl From<Document> for Report {
    fn from(document: Document) -> Self {
        let sections =
            document.sections().map(|section| Section { section: Arc::new(section.clone()) }).collect();
        Self { document: Arc::new(document), sections, drawn: None }
    }
}

impl Report {
    /// The report, as the whole of what there is about recordings.
    pub(crate) fn of_all(self, recordings: Arc<Recordings>) -> Self {
        Self { drawn: Some(recordings), ..self }
    }

    fn find(&self, id: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.section.id == id)
    }
}

#[pymethods]
impl Report {
    /// The verb of the program that gives the same answer.
    #[getter]
    fn verb(&self) -> &'static str {
        self.document.verb
    }

    #[getter]
    fn inputs(&self) -> Vec<Input> {
        inputs::inputs(&self.document)
    }

    #[getter]
    fn warnings(&self) -> Vec<InputWarning> {
        inputs::warnings(&self.document)
    }

    /// The sections, in order. Of several inputs there can be several with one id.
    #[getter]
    fn sections(&self) -> Vec<Section> {
        self.sections.clone()
    }

    /// Sections that could not be made, with what is missing and how to record it.
    #[getter]
    fn skipped(&self) -> Vec<Skipped> {
        self.document.skipped().map(Skipped::new).collect()
    }

    /// The findings of all sections, what may gain most first.
    #[getter]
    fn findings(&self) -> Vec<Finding> {
        let findings = self.document.findings().into_iter();
        findings.map(|(section, finding)| Finding::new(section.id, finding)).collect()
    }

    /// The section of an id; a KeyError says if it was skipped, and why.
    fn __getitem__(&self, id: &str) -> PyResult<Section> {
        if let Some(section) = self.find(id) {
            return Ok(section.clone());
        }
        let skipped = self.document.skipped().find(|skipped| skipped.id == id);
        Err(PyKeyError::new_err(match skipped {
            Some(skipped) => format!("{id} was skipped: {}; {}", skipped.missing, skipped.how_to_record),
            None => format!("{id}: there are {}", self.keys().join(", ")),
        }))
    }

    fn __contains__(&self, id: &Bound<'_, PyAny>) -> bool {
        id.extract::<String>().is_ok_and(|id| self.find(&id).is_some())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.keys())?.try_iter()
    }

    fn __len__(&self) -> usize {
        self.sections.len()
    }

    /// The section of an id, or something else if there is none.
    #[pyo3(signature = (id, default=None))]
    fn get(&self, py: Python<'_>, id: &str, default: Option<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        match self.find(id) {
            Some(section) => Ok(section.clone().into_pyobject(py)?.into_any().unbind()),
            None => Ok(default.unwrap_or_else(|| py.None())),
        }
    }

    fn keys(&self) -> Vec<&'static str> {
        self.sections.iter().map(|section| section.section.id).collect()
    }

    fn values(&self) -> Vec<Section> {
        self.sections.clone()
    }

    fn items(&self) -> Vec<(&'static str, Section)> {
        self.sections.iter().map(|section| (section.section.id, section.clone())).collect()
    }

    /// The JSON that the program prints with `--json`.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| json_of(&self.document))
    }

    /// The same as Python objects.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_dict(py, &self.document)
    }

    /// A page that needs nothing else.
    fn to_html(&self, py: Python<'_>) -> String {
        py.detach(|| page::of(&self.document))
    }

    #[pyo3(signature = (*, top=10))]
    fn to_markdown(&self, top: usize) -> String {
        markdown::render(&for_people(&self.document), top)
    }

    /// What the terminal shows, without colours. 0 is all rows.
    #[pyo3(signature = (*, width=80, top=10))]
    fn to_text(&self, width: usize, top: usize) -> String {
        text(&self.document, width, top)
    }

    /// Writes a file: .html, .json, .csv, .md or .txt; a folder if the name ends in `/`, with one CSV per table; and,
    /// if it has a chart, .svg or .png.
    #[pyo3(signature = (path, *, top=10))]
    fn save(&self, py: Python<'_>, path: PathBuf, top: usize) -> PyResult<()> {
        let (document, drawn) = (self.document.clone(), self.drawn.clone());
        detached(py, move || match drawn {
            Some(recordings) => library::save_report(&recordings, &document, &path, top),
            None => library::save(&document, &path, top),
        })
    }

    fn __str__(&self) -> String {
        text(&self.document, 80, 10)
    }

    fn __repr__(&self) -> String {
        format!("<Report of eaves {}: {} sections>", self.document.verb, self.sections.len())
    }

    fn _repr_html_(&self) -> String {
        fragment::document(&for_people(&self.document))
    }
}

/// Without tables that are for programs: people would drown in them.
pub(crate) fn for_people(document: &Document) -> Document {
    let mut document = document.clone();
    for outcome in &mut document.outcomes {
        if let Outcome::Section(section) = outcome {
            section.tables.retain(|table| !library::FOR_PROGRAMS.contains(&table.id));
        }
    }
    document
}

/// What the terminal shows, without colours.
pub(crate) fn text(document: &Document, width: usize, top: usize) -> String {
    library::text(&for_people(document), width, top)
}

/// The JSON of a document as Python objects.
pub(crate) fn to_dict<'py>(py: Python<'py>, document: &Document) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json_of(document)?,))
}

fn json_of(document: &Document) -> PyResult<String> {
    let mut bytes = Vec::new();
    json::write(document, &mut bytes)?;
    String::from_utf8(bytes).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A dictionary of items, in order.
pub(crate) fn dictionary<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    items: impl IntoIterator<Item = (String, T)>,
) -> PyResult<Bound<'py, PyDict>> {
    let dictionary = PyDict::new(py);
    for (key, value) in items {
        dictionary.set_item(key, value)?;
    }
    Ok(dictionary)
}
