//! Ranks of a dataset that many processes write.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use eaves_cli::library::{self, Failure, IngestTask};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::detached::detached;

/// A run of a dataset that is brought up to date by many processes. This one says what there is to do, `ingest_file` does it.
#[pyclass(frozen, module = "eaves._core")]
pub(crate) struct Ingest {
    ingest: Arc<Mutex<library::Ingest>>,
}

impl Ingest {
    /// Does something without the interpreter's lock, of which some takes long.
    fn with<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut library::Ingest) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<T> {
        let ingest = self.ingest.clone();
        detached(py, move || work(&mut ingest.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[pymethods]
impl Ingest {
    #[new]
    #[pyo3(signature = (inputs, dataset, run=None))]
    fn new(py: Python<'_>, inputs: Vec<PathBuf>, dataset: PathBuf, run: Option<String>) -> PyResult<Self> {
        let dataset = dataset.display().to_string();
        let ingest = detached(py, move || library::Ingest::new(&inputs, &dataset, run.as_deref()))?;
        Ok(Self { ingest: Arc::new(Mutex::new(ingest)) })
    }

    /// The run.
    #[getter]
    fn run(&self) -> String {
        self.ingest.lock().unwrap_or_else(PoisonError::into_inner).run().to_owned()
    }

    /// What can be done side by side: inputs, with the ranks to write if that was decided. When all are done or failed
    /// there may be more.
    fn tasks(&self, py: Python<'_>) -> PyResult<Vec<IngestTask>> {
        self.with(py, library::Ingest::tasks)
    }

    /// Takes what `ingest_file` gave.
    fn answered(&self, py: Python<'_>, file: String, answer: Vec<u8>) -> PyResult<()> {
        self.with(py, move |ingest| ingest.answered(&file, &answer))
    }

    /// Takes that an input could not be read or written.
    fn failed(&self, py: Python<'_>, file: String, why: String) -> PyResult<()> {
        self.with(py, move |ingest| ingest.failed(&file, &why))
    }

    /// What became of all inputs: `ingested` makes a report of it.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with(py, library::Ingest::finish)?;
        Ok(PyBytes::new(py, &bytes))
    }
}
