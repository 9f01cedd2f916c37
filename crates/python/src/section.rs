//! A section of an answer with its numbers and findings.

use std::sync::Arc;

use eaves_app::{Form, without_tables_for_programs};
use eaves_present::Document;
use eaves_present::html::fragment;
use eaves_section::quantity;
use eaves_section::{self as section, Value};
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::report::{self, Report, USUAL_WIDTH};
use crate::table::Table;

/// The answer of one analysis.
#[pyclass(frozen, module = "eaves")]
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) section: Arc<section::Section>,
    /// The place of each finding among all findings of the report.
    places: Vec<usize>,
}

#[pymethods]
impl Section {
    #[getter]
    fn id(&self) -> &'static str {
        self.section.id
    }

    #[getter]
    fn title(&self) -> &'static str {
        self.section.title
    }

    /// All headline numbers, in order; those of several ranks have the same id.
    #[getter]
    fn numbers(&self) -> Vec<Number> {
        self.section.numbers.iter().map(|number| Number(number.clone())).collect()
    }

    /// One of them. A KeyError if there is none, or several and no rank is given.
    #[pyo3(signature = (id, rank=None))]
    fn number(&self, id: &str, rank: Option<i64>) -> PyResult<Number> {
        let named = self.section.numbers.iter().filter(|number| number.id == id);
        let mut found = named.clone().filter(|number| rank.is_none() || number.rank == rank);
        match (found.next(), found.next()) {
            (Some(only), None) => Ok(Number(only.clone())),
            (Some(_), Some(_)) => {
                let ranks: Vec<String> =
                    named.filter_map(|number| number.rank).map(|rank| rank.to_string()).collect();
                Err(PyKeyError::new_err(format!("{id}: name a rank, one of {}", ranks.join(", "))))
            }
            (None, _) => {
                let mut known: Vec<&str> = self.section.numbers.iter().map(|number| number.id).collect();
                known.dedup();
                known.sort_unstable();
                known.dedup();
                Err(PyKeyError::new_err(format!("{id}: there are {}", known.join(", "))))
            }
        }
    }

    #[getter]
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = PyDict::new(py);
        for (index, table) in self.section.tables.iter().enumerate() {
            tables.set_item(table.id, Table::of_section(&self.section, index))?;
        }
        Ok(tables)
    }

    #[getter]
    fn findings(&self) -> Vec<Finding> {
        self.section.findings.iter().map(|finding| Finding::new(self.section.id, finding)).collect()
    }

    /// As in the JSON of the report.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let section = report::to_dict(py, &self.alone())?.get_item("sections")?.get_item(0)?;
        for (finding, place) in section.get_item("findings")?.try_iter()?.zip(&self.places) {
            finding?.set_item("place", place)?;
        }
        Ok(section)
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let report = Report::from(self.alone());
        report.rendered(py, Form::Text, report.look(USUAL_WIDTH, None))
    }

    fn __repr__(&self) -> String {
        let section = &self.section;
        format!(
            "<Section {}: {} numbers, {} tables>",
            section.id,
            section.numbers.len(),
            section.tables.len()
        )
    }

    fn _repr_html_(&self) -> String {
        without_tables_for_programs(&self.alone()).sections().map(fragment::section).collect()
    }
}

impl Section {
    /// A section of a document with these findings, in their order.
    pub(crate) fn of(section: &section::Section, ranked: &[(&section::Section, &section::Finding)]) -> Self {
        let place = |finding| ranked.iter().position(|(_, one)| std::ptr::eq(*one, finding));
        let places = section.findings.iter().map(|finding| place(finding).unwrap_or(ranked.len()) + 1);
        Self { places: places.collect(), section: Arc::new(section.clone()) }
    }

    /// A document of nothing else.
    fn alone(&self) -> Document {
        let outcomes = vec![section::Outcome::Section((*self.section).clone())];
        Document { verb: "report", outcomes, ..Document::default() }
    }
}

/// A value as Python has it; nothing where JSON has `null`.
pub(crate) fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Integer(number) => Ok(number.into_pyobject(py)?.into_any()),
        Value::Float(number) if number.is_finite() => Ok(number.into_pyobject(py)?.into_any()),
        Value::Text(text) => Ok(text.into_pyobject(py)?.into_any()),
        Value::Float(_) | Value::Missing(_) => Ok(py.None().into_bound(py)),
    }
}

/// A headline number.
#[pyclass(frozen, module = "eaves")]
#[derive(Clone, Debug)]
pub(crate) struct Number(section::Number);

#[pymethods]
impl Number {
    #[getter]
    fn id(&self) -> &'static str {
        self.0.id
    }

    #[getter]
    fn rank(&self) -> Option<i64> {
        self.0.rank
    }

    /// The value; None if there is none, for the `reason`.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.0.value)
    }

    #[getter]
    fn unit(&self) -> Option<&'static str> {
        self.0.unit.id()
    }

    #[getter]
    fn provenance(&self) -> &'static str {
        self.0.provenance.id()
    }

    #[getter]
    fn explain(&self) -> &'static str {
        self.0.explain
    }

    #[getter]
    fn reason(&self) -> Option<&'static str> {
        match self.0.value {
            Value::Missing(reason) => Some(reason),
            Value::Float(number) if !number.is_finite() => Some("not a finite number"),
            _ => None,
        }
    }

    fn __float__(&self) -> PyResult<f64> {
        match &self.0.value {
            Value::Integer(number) => Ok(*number as f64),
            Value::Float(number) => Ok(*number),
            Value::Text(_) => Err(PyTypeError::new_err(format!("{} is a text", self.0.id))),
            Value::Missing(reason) => {
                Err(PyTypeError::new_err(format!("{} has no value: {reason}", self.0.id)))
            }
        }
    }

    /// As people read it: `1.5 ms`.
    fn __str__(&self) -> String {
        quantity::value(&self.0.value, self.0.unit)
    }

    fn __repr__(&self) -> String {
        let rank = self.0.rank.map(|rank| format!(" of rank {rank}")).unwrap_or_default();
        format!("<Number {}{rank}: {}>", self.0.id, self.__str__())
    }
}

/// Something worth doing, with what it may gain.
#[pyclass(frozen, get_all, module = "eaves")]
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    id: &'static str,
    section: &'static str,
    severity: &'static str,
    claim: String,
    gain_ns: Option<(i64, i64)>,
    gain_of: Option<&'static str>,
    gain_basis: Option<String>,
    overlaps: Vec<&'static str>,
    evidence: String,
    next: String,
}

impl Finding {
    pub(crate) fn new(section: &'static str, finding: &section::Finding) -> Self {
        let gain = finding.gain.as_ref();
        Self {
            id: finding.id,
            section,
            severity: finding.severity.id(),
            claim: finding.claim.clone(),
            gain_ns: gain.map(|gain| (gain.low.0, gain.high.0)),
            gain_of: gain.map(|gain| if gain.per_step { "step" } else { "selection" }),
            gain_basis: gain.map(|gain| gain.basis.clone()),
            overlaps: gain.map(|gain| gain.overlaps.clone()).unwrap_or_default(),
            evidence: finding.evidence.clone(),
            next: finding.next.clone(),
        }
    }
}

#[pymethods]
impl Finding {
    fn __repr__(&self) -> String {
        format!("<Finding {} {}: {}>", self.severity, self.id, self.claim)
    }
}

/// A section that could not be made.
#[pyclass(frozen, get_all, module = "eaves")]
#[derive(Clone, Debug)]
pub(crate) struct Skipped {
    id: &'static str,
    missing: String,
    how_to_record: String,
}

impl Skipped {
    pub(crate) fn new(skipped: &section::Skipped) -> Self {
        Self {
            id: skipped.id,
            missing: skipped.missing.clone(),
            how_to_record: skipped.how_to_record.clone(),
        }
    }
}

#[pymethods]
impl Skipped {
    fn __repr__(&self) -> String {
        format!("<Skipped {}: {}>", self.id, self.missing)
    }
}
