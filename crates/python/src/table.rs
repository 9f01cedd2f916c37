//! Tables, which are Arrow to whoever asks for Arrow.

use std::ffi::CStr;
use std::sync::{Arc, OnceLock};

use arrow_array::cast::AsArray;
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, UInt8Type, UInt32Type};
use arrow_array::{Array, RecordBatchIterator};
use arrow_schema::{ArrowError, DataType};
use eaves_app::{Failure, Recordings};
use eaves_present::html::fragment;
use eaves_query::ResultSet;
use eaves_section as section;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PyString};

use crate::arrow::{self, Batches};
use crate::failure::raised;
use crate::report::dictionary;

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
/// Rows of a table of the model that people see.
const SHOWN_ROWS: usize = 50;

/// A column of a table.
#[pyclass(frozen, get_all, module = "eaves")]
#[derive(Clone, Debug)]
pub(crate) struct Column {
    id: String,
    title: String,
    unit: Option<String>,
}

#[pymethods]
impl Column {
    fn __repr__(&self) -> String {
        match &self.unit {
            Some(unit) => format!("<Column {} in {unit}>", self.id),
            None => format!("<Column {}>", self.id),
        }
    }
}

/// Where rows come from.
#[derive(Clone, Debug)]
enum Source {
    /// A table of a section.
    Section(Arc<section::Section>, usize),
    /// A table of the model as it is.
    Model(Arc<Recordings>, &'static str),
    /// Rows that SQL answered.
    Rows(Arc<ResultSet>),
    /// A table of the model with what its slices are called and when they were.
    Slices(Arc<Recordings>, &'static str),
}

/// A table as Arrow: pandas, polars, pyarrow, DuckDB and others take it as it is, through `__arrow_c_stream__`.
#[pyclass(frozen, module = "eaves")]
#[derive(Clone, Debug)]
pub(crate) struct Table {
    source: Source,
    title: &'static str,
    /// Made when first asked for.
    batches: Arc<OnceLock<Result<Batches, String>>>,
}

impl Table {
    pub(crate) fn of_section(section: &Arc<section::Section>, index: usize) -> Self {
        let title = section.tables.get(index).map_or("", |table| table.title);
        Self { source: Source::Section(section.clone(), index), title, batches: Arc::default() }
    }

    pub(crate) fn of_model(recordings: &Arc<Recordings>, name: &'static str) -> Self {
        Self { source: Source::Model(recordings.clone(), name), title: name, batches: Arc::default() }
    }

    pub(crate) fn of_slices(recordings: &Arc<Recordings>, name: &'static str, title: &'static str) -> Self {
        Self { source: Source::Slices(recordings.clone(), name), title, batches: Arc::default() }
    }

    pub(crate) fn of_rows(rows: &Arc<ResultSet>) -> Self {
        Self { source: Source::Rows(rows.clone()), title: "Answer", batches: Arc::default() }
    }

    pub(crate) fn name(&self) -> String {
        match &self.source {
            Source::Section(section, index) => {
                section.tables.get(*index).map_or("", |table| table.id).to_owned()
            }
            Source::Model(_, name) | Source::Slices(_, name) => (*name).to_owned(),
            Source::Rows(_) => "answer".to_owned(),
        }
    }

    pub(crate) fn rows(&self) -> usize {
        match &self.source {
            Source::Section(section, index) => section.tables.get(*index).map_or(0, |table| table.rows.len()),
            Source::Model(recordings, name) | Source::Slices(recordings, name) => {
                arrow::rows(recordings, name)
            }
            Source::Rows(rows) => rows.rows(),
        }
    }

    fn batches(&self, py: Python<'_>) -> PyResult<&Batches> {
        let made = py.detach(|| self.batches.get_or_init(|| self.make().map_err(|error| error.to_string())));
        made.as_ref().map_err(|error| PyValueError::new_err(error.clone()))
    }

    fn make(&self) -> Result<Batches, ArrowError> {
        match &self.source {
            Source::Section(section, index) => match section.tables.get(*index) {
                Some(table) => {
                    let batch = eaves_present::arrow::batch(table)?;
                    Ok((batch.schema(), vec![batch]))
                }
                None => Err(ArrowError::SchemaError("no such table".to_owned())),
            },
            Source::Model(recordings, name) => arrow::table(recordings, name),
            Source::Rows(rows) => Ok((rows.schema.clone(), rows.batches.clone())),
            Source::Slices(recordings, name) => arrow::table_of_slices(recordings, name),
        }
    }

    /// The values of a column, of all batches.
    fn values<'py>(&self, py: Python<'py>, index: usize, most: usize) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for batch in &self.batches(py)?.1 {
            append(&list, batch.column(index), most.saturating_sub(list.len()))?;
        }
        Ok(list)
    }
}

#[pymethods]
impl Table {
    #[getter]
    fn id(&self) -> String {
        self.name()
    }

    #[getter]
    fn title(&self) -> &'static str {
        self.title
    }

    #[getter]
    fn columns(&self, py: Python<'_>) -> PyResult<Vec<Column>> {
        let (schema, _) = self.batches(py)?;
        let column = |field: &Arc<arrow_schema::Field>| Column {
            id: field.name().clone(),
            title: field.metadata().get("title").unwrap_or(field.name()).clone(),
            unit: field.metadata().get("unit").cloned(),
        };
        Ok(schema.fields().iter().map(column).collect())
    }

    #[getter]
    fn num_rows(&self) -> usize {
        self.rows()
    }

    fn __len__(&self) -> usize {
        self.rows()
    }

    /// The values of a column.
    fn __getitem__<'py>(&self, py: Python<'py>, column: &str) -> PyResult<Bound<'py, PyList>> {
        let (schema, _) = self.batches(py)?;
        match schema.index_of(column) {
            Ok(index) => self.values(py, index, usize::MAX),
            Err(_) => {
                let known: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
                Err(PyKeyError::new_err(format!("{column}: there are {}", known.join(", "))))
            }
        }
    }

    /// Every column as a list.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (schema, _) = self.batches(py)?;
        let columns = schema.fields().iter().enumerate();
        let lists = columns
            .map(|(index, field)| Ok((field.name().clone(), self.values(py, index, usize::MAX)?)))
            .collect::<PyResult<Vec<_>>>()?;
        dictionary(py, lists)
    }

    /// Every row as a dictionary.
    #[pyo3(name = "rows")]
    fn row_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let columns = self.to_dict(py)?;
        let rows = PyList::empty(py);
        let names: Vec<Bound<'py, PyAny>> = columns.keys().iter().collect();
        let lists = columns.values().iter().map(|list| Ok(list.cast_into::<PyList>()?));
        let lists = lists.collect::<PyResult<Vec<_>>>()?;
        for row in 0..self.rows() {
            let dictionary = PyDict::new(py);
            for (name, list) in names.iter().zip(&lists) {
                dictionary.set_item(name, list.get_item(row)?)?;
            }
            rows.append(dictionary)?;
        }
        Ok(rows)
    }

    /// A `pandas.DataFrame`.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let frame = needed(py, "pandas")?.getattr("DataFrame")?;
        needed(py, "pyarrow")?;
        match frame.getattr_opt("from_arrow")? {
            Some(from_arrow) => from_arrow.call1((slf,)),
            None => Self::to_arrow(slf)?.call_method0("to_pandas"),
        }
    }

    /// A `polars.DataFrame`.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        needed(slf.py(), "polars")?.call_method1("DataFrame", (slf,))
    }

    /// A `pyarrow.Table`.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        needed(slf.py(), "pyarrow")?.call_method1("table", (slf,))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let (schema, _) = self.batches(py)?;
        let schema = FFI_ArrowSchema::try_from(schema.as_ref()).map_err(value_error)?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    /// The rows, once. Another schema that is asked for is not made, as the protocol allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let (schema, batches) = self.batches(py)?.clone();
        let reader = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
    }

    fn __repr__(&self) -> String {
        format!("<Table {}: {} rows>", self.name(), self.rows())
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        if let Source::Section(section, index) = &self.source {
            return Ok(section.tables.get(*index).map(fragment::table).unwrap_or_default());
        }
        let columns = self.columns(py)?;
        let mut rows: Vec<Vec<String>> = vec![Vec::new(); self.rows().min(SHOWN_ROWS)];
        for index in 0..columns.len() {
            let values = self.values(py, index, SHOWN_ROWS)?;
            for (row, value) in rows.iter_mut().zip(values.iter()) {
                row.push(if value.is_none() { String::new() } else { value.str()?.to_string() });
            }
        }
        let names: Vec<&str> = columns.iter().map(|column| column.id.as_str()).collect();
        Ok(fragment::plain_table(self.title, &names, &rows, self.rows()))
    }
}

/// A package that is not needed but for this.
fn needed<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import(name).map_err(|error| {
        let failure = Failure::new(format!("cannot import {name}: {error}"), format!("`pip install {name}`"));
        raised(py, failure)
    })
}

fn value_error(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Appends the first values of an array.
fn append(list: &Bound<'_, PyList>, array: &dyn Array, most: usize) -> PyResult<()> {
    macro_rules! numbers {
        ($type:ty) => {
            array.as_primitive::<$type>().iter().take(most).try_for_each(|value| list.append(value))
        };
    }
    match array.data_type() {
        DataType::Int64 => numbers!(Int64Type),
        DataType::UInt32 => numbers!(UInt32Type),
        DataType::UInt8 => numbers!(UInt8Type),
        DataType::Float64 => numbers!(Float64Type),
        DataType::Boolean => array.as_boolean().iter().take(most).try_for_each(|value| list.append(value)),
        DataType::Utf8 => array.as_string::<i32>().iter().take(most).try_for_each(|value| list.append(value)),
        DataType::Dictionary(..) => {
            let array = array.as_dictionary::<Int32Type>();
            let texts = array.values().as_string::<i32>();
            // A text that stands in many rows is one object of Python.
            let mut made: Vec<Option<Bound<'_, PyString>>> = vec![None; texts.len()];
            array.keys().iter().take(most).try_for_each(|key| {
                let Some(key) = key.and_then(|key| usize::try_from(key).ok()) else {
                    return list.append(list.py().None());
                };
                list.append(&*made[key].get_or_insert_with(|| PyString::new(list.py(), texts.value(key))))
            })
        }
        _ => (0..array.len().min(most)).try_for_each(|_| list.append(list.py().None())),
    }
}
