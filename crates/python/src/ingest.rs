//! Ranks of a dataset that many processes write.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use eaves_app::Failure;
use eaves_app::ingesting::{Job, Task, Written};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::detached::detached;

/// An input, and the recordings in it that are to be written as ranks, if that was decided.
type TaskTuple = (String, Option<Vec<(String, i64)>>);

/// A run of a dataset that is brought up to date by many processes. This one says what there is to do, `ingest_file` does it.
#[pyclass(frozen, module = "eaves._core")]
pub(crate) struct Ingest {
    /// None when it is finished.
    job: Arc<Mutex<Option<Job>>>,
}

impl Ingest {
    /// Does something without the interpreter's lock, of which some takes long.
    fn with<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Job) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<T> {
        let job = self.job.clone();
        detached(py, move || {
            let mut job = job.lock().unwrap_or_else(PoisonError::into_inner);
            work(job.as_mut().ok_or_else(finished)?)
        })
    }
}

fn finished() -> Failure {
    Failure::usage("it is finished", "plan another")
}

#[pymethods]
impl Ingest {
    #[new]
    #[pyo3(signature = (inputs, dataset, run=None))]
    fn new(py: Python<'_>, inputs: Vec<PathBuf>, dataset: PathBuf, run: Option<String>) -> PyResult<Self> {
        let dataset = dataset.display().to_string();
        let job = detached(py, move || Job::plan(&inputs, &dataset, run.as_deref()))?;
        Ok(Self { job: Arc::new(Mutex::new(Some(job))) })
    }

    /// The run.
    #[getter]
    fn run(&self) -> String {
        let job = self.job.lock().unwrap_or_else(PoisonError::into_inner);
        job.as_ref().map_or_else(String::new, |job| job.run().to_owned())
    }

    /// What can be done side by side: inputs, with the ranks to write if that was decided. When all are done or failed
    /// there may be more.
    fn tasks(&self, py: Python<'_>) -> PyResult<Vec<TaskTuple>> {
        self.with(py, |job| Ok(job.tasks()?.into_iter().map(|Task { file, ranks }| (file, ranks)).collect()))
    }

    /// Takes what `ingest_file` gave.
    fn answered(&self, py: Python<'_>, file: String, answer: Vec<u8>) -> PyResult<()> {
        self.with(py, move |job| {
            job.answered(&file, Written::from_bytes(&answer)?);
            Ok(())
        })
    }

    /// Takes that an input could not be read or written.
    fn failed(&self, py: Python<'_>, file: String, why: String) -> PyResult<()> {
        self.with(py, move |job| {
            job.failed(&file, &why);
            Ok(())
        })
    }

    /// What became of all inputs: `ingested` makes a report of it.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let job = self.job.clone();
        let bytes = detached(py, move || {
            let job = job.lock().unwrap_or_else(PoisonError::into_inner).take();
            job.ok_or_else(finished)?.finish()?.to_bytes()
        })?;
        Ok(PyBytes::new(py, &bytes))
    }
}
