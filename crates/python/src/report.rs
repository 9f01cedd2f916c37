//! An answer: sections by id.

use std::path::PathBuf;
use std::sync::Arc;

use eaves_app::{Answer, Failure, Form, Look, Outputs, Screen, hinted, without_tables_for_programs};
use eaves_present::html::fragment;
use eaves_present::roofline::has_chart;
use eaves_present::{Document, json};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList};

use crate::convert::Fields;
use crate::detached::detached;
use crate::failure::raised;
use crate::inputs::{self, Input, InputWarning};
use crate::question::Question;
use crate::section::{Finding, Section, Skipped};
use crate::table::Table;

/// An answer: sections by id, as a mapping, and what was read for it.
#[pyclass(frozen, module = "eaves")]
#[derive(Clone)]
pub(crate) struct Report {
    answer: Arc<Answer>,
    sections: Vec<Section>,
    /// The question, which is asked once more for pictures that draw rows.
    question: Option<Arc<Question>>,
}

impl From<Document> for Report {
    fn from(document: Document) -> Self {
        Self::new(Answer::new(document), None)
    }
}

impl Report {
    fn new(answer: Answer, question: Option<Arc<Question>>) -> Self {
        let document = &answer.document;
        let ranked = document.findings();
        let sections = document.sections().map(|section| Section::of(section, &ranked)).collect();
        Self { answer: Arc::new(answer), sections, question }
    }

    /// The answer to a question.
    pub(crate) fn ask(py: Python<'_>, verb: &str, fields: Fields) -> PyResult<Self> {
        let question = Question::new(verb, fields).map_err(|failure| raised(py, failure))?;
        let question = Arc::new(question);
        let asked = question.clone();
        let answer = detached(py, move || asked.answer())?;
        Ok(Self::new(answer, Some(question)))
    }

    /// The answer.
    pub(crate) fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Rows that SQL answered.
    pub(crate) fn rows(&self) -> Option<Table> {
        self.answer.rows.as_ref().map(Table::of_rows)
    }

    /// The answer in a form, texts without colors.
    pub(crate) fn render(&self, form: Form, look: Look) -> Result<Vec<u8>, Failure> {
        let answer = self.drawn(form)?;
        let bytes = answer.render(form, look)?;
        Ok(match form {
            Form::Text => anstream::adapter::strip_bytes(&bytes).into_vec(),
            _ => bytes,
        })
    }

    /// The same as text, for Python.
    pub(crate) fn rendered(&self, py: Python<'_>, form: Form, look: Look) -> PyResult<String> {
        let report = self.clone();
        let bytes = detached(py, move || report.render(form, look))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// How people see it: a width, and the rows of each table, as many as usual if not said. Whoever says how many wants to
    /// see the tables.
    pub(crate) fn look(&self, width: usize, top: Option<usize>) -> Look {
        Look { width, top: top.unwrap_or(self.answer.top), full: top.is_some() }
    }

    /// Writes a file in the form that its name asks for.
    pub(crate) fn write(&self, path: PathBuf, top: Option<usize>) -> Result<(), Failure> {
        let document = &self.answer.document;
        let has_form = |form: Form| {
            let is_charted = || form.is_of_charts() && document.sections().any(has_chart);
            let of_verb = self.question.as_ref().is_some_and(|question| question.has_form(form));
            of_verb || Form::OF_DOCUMENTS.contains(&form) || is_charted()
        };
        let outputs = Outputs::new(None, &[path], has_form)?;
        let answer = match outputs.forms().as_slice() {
            [form] => self.drawn(*form)?,
            _ => self.answer.clone(),
        };
        Ok(outputs.write(&answer, self.look(USUAL_WIDTH, top), &Nowhere)?)
    }

    fn drawn(&self, form: Form) -> Result<Arc<Answer>, Failure> {
        match &self.question {
            Some(question) => question.drawn(form, &self.answer),
            None => Ok(self.answer.clone()),
        }
    }

    fn document(&self) -> &Document {
        &self.answer.document
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
        self.document().verb
    }

    #[getter]
    fn inputs(&self) -> Vec<Input> {
        inputs::inputs(self.document())
    }

    #[getter]
    fn warnings(&self) -> Vec<InputWarning> {
        inputs::warnings(self.document())
    }

    /// The sections, in order. Of several inputs there can be several with one id.
    #[getter]
    fn sections(&self) -> Vec<Section> {
        self.sections.clone()
    }

    /// Rows that SQL answered; None for the other verbs.
    #[getter]
    fn result(&self) -> Option<Table> {
        self.rows()
    }

    /// Sections that could not be made, with what is missing and how to record it.
    #[getter]
    fn skipped(&self) -> Vec<Skipped> {
        self.document().skipped().map(Skipped::new).collect()
    }

    /// The findings of all sections, what may gain most first.
    #[getter]
    fn findings(&self) -> Vec<Finding> {
        let findings = self.document().findings().into_iter();
        findings.map(|(section, finding)| Finding::new(section.id, finding)).collect()
    }

    /// The section of an id; a KeyError says if it was skipped, and why.
    fn __getitem__(&self, id: &str) -> PyResult<Section> {
        if let Some(section) = self.find(id) {
            return Ok(section.clone());
        }
        let skipped = self.document().skipped().find(|skipped| skipped.id == id);
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
        py.detach(|| json_of(self.document()))
    }

    /// The same as Python objects.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_dict(py, self.document())
    }

    /// A page that needs nothing else, as `save` writes it.
    fn to_html(&self, py: Python<'_>) -> PyResult<String> {
        self.rendered(py, Form::Html, self.look(USUAL_WIDTH, None))
    }

    /// `top` is how many rows of each table; 0 is all.
    #[pyo3(signature = (*, top=None))]
    fn to_markdown(&self, py: Python<'_>, top: Option<usize>) -> PyResult<String> {
        self.rendered(py, Form::Markdown, self.look(USUAL_WIDTH, top))
    }

    /// What the terminal shows, without colors. `full` is every section and table, not just the first screen; `top` is how
    /// many rows of each table then; 0 is all.
    #[pyo3(signature = (*, width=80, top=None, full=false))]
    fn to_text(&self, py: Python<'_>, width: usize, top: Option<usize>, full: bool) -> PyResult<String> {
        let look = self.look(width, top);
        self.rendered(py, Form::Text, Look { full: full || look.full, ..look })
    }

    /// Writes a file: .html, .json, .csv, .md or .txt; a folder if the name ends in `/`, with one CSV per table; and
    /// pictures such as .svg and .png of what has one.
    #[pyo3(signature = (path, *, top=None))]
    pub(crate) fn save(&self, py: Python<'_>, path: PathBuf, top: Option<usize>) -> PyResult<()> {
        let report = self.clone();
        detached(py, move || report.write(path, top))
    }

    /// What else there is to say.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.answer.notes.clone()
    }

    /// The conditions of `fail_on` that hold, each with what makes it hold.
    #[getter]
    fn failed(&self) -> Vec<(String, String)> {
        let conditions = self.answer.too_much.iter();
        conditions.map(|one| (one.condition.clone(), one.because.clone())).collect()
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.to_text(py, USUAL_WIDTH, None, false)
    }

    fn __repr__(&self) -> String {
        format!("<Report of eaves {}: {} sections>", self.document().verb, self.sections.len())
    }

    fn _repr_html_(&self) -> String {
        fragment::document(&without_tables_for_programs(self.document()))
    }
}

/// Columns of a text that goes nowhere yet.
pub(crate) const USUAL_WIDTH: usize = 80;

/// Answers go to files here.
struct Nowhere;

impl Screen for Nowhere {
    fn text(&self, _: &str) -> anyhow::Result<()> {
        Err(hinted("`-` is available only on the command line", "name a file, or print the report"))
    }

    fn data(&self, _: &[u8]) -> anyhow::Result<()> {
        self.text("")
    }
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
