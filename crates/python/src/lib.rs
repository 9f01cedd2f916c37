//! The Python module `eaves._core`: the Rust part of the package `eaves`.
//!
//! It only converts: keyword arguments become requests of [`eaves_app`], and answers become objects. Anything slow releases
//! the GIL.

mod arrow;
mod convert;
mod detached;
mod failure;
mod flame;
mod ingest;
mod inputs;
mod question;
mod recording;
mod report;
mod section;
mod table;
mod timeline;

use pyo3::prelude::*;

/// The part of eaves that is written in Rust. Import it from `eaves`.
#[pymodule]
mod _core {
    use std::ffi::OsString;
    use std::path::PathBuf;
    use std::sync::Arc;

    use eaves_app::analysis::Closely;
    use eaves_app::ingesting::{Outcome, Task};
    use eaves_app::verbs::Report as ReportRequest;
    use eaves_app::{Recordings, Selected, partial};
    use pyo3::prelude::*;
    use pyo3::types::{PyBytes, PyDict, PyMapping, PyTuple};

    use super::convert::Fields;
    use super::detached::detached;
    #[pymodule_export]
    use super::flame::Flame;
    #[pymodule_export]
    use super::ingest::Ingest;
    #[pymodule_export]
    use super::inputs::{Input, InputWarning};
    #[pymodule_export]
    use super::recording::Recording;
    #[pymodule_export]
    use super::report::Report;
    #[pymodule_export]
    use super::section::{Finding, Number, Section, Skipped};
    #[pymodule_export]
    use super::table::{Column, Table};
    #[pymodule_export]
    use super::timeline::Timeline;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// Runs the whole program; the first argument is its name. The answer is its exit code.
    ///
    /// It writes to the standard streams of the process, and Ctrl-C ends the process, as it does for the program.
    #[pyfunction]
    fn run(py: Python<'_>, arguments: Vec<String>) -> PyResult<u8> {
        let code = py.detach(|| eaves_cli::exit_code(arguments));
        // The program handles signals in its own way; whoever goes on has them back.
        super::detached::restore_signals(py)?;
        Ok(code)
    }

    /// What a verb has to say, as data: its name, and the fields of its request as a dictionary, as keyword arguments, or
    /// both: `ask("report", inputs=["trace.json"], step=3)`. Nothing is written but what the verb makes.
    #[pyfunction]
    #[pyo3(signature = (verb, request=None, /, **fields))]
    fn ask(
        py: Python<'_>,
        verb: &str,
        request: Option<&Bound<'_, PyMapping>>,
        fields: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Report> {
        let mut said = Fields::default();
        for items in [request, fields.map(Bound::as_any).map(Bound::cast).transpose()?].into_iter().flatten()
        {
            said.extend(items)?;
        }
        Report::ask(py, verb, said)
    }

    /// The part of recordings that is looked at.
    fn selected(py: Python<'_>, part: [(&str, Option<&Bound<'_, PyAny>>); 3]) -> PyResult<Selected> {
        let mut fields = Fields::default();
        for (name, value) in part {
            fields.say(name, value)?;
        }
        Selected::from_json(fields.json).map_err(|failure| super::failure::raised(py, failure))
    }

    /// Reads traces: files, folders with one trace per rank, or patterns. The format is detected.
    ///
    /// `rank`, `step` and `time` are the part that analyses look at: `rank=0`, `rank="0,3-5"`, `step=3`,
    /// `step="3-7"`, `step=(3, 7)` with both ends, `time="1.5ms..20ms"`, `time=(1_500_000, 20_000_000)` in
    /// nanoseconds from the start. Ranks that are not selected are not kept; tables of the others have all rows.
    #[pyfunction]
    #[pyo3(signature = (*paths, rank=None, step=None, time=None, threads=None))]
    fn read(
        paths: &Bound<'_, PyTuple>,
        rank: Option<Bound<'_, PyAny>>,
        step: Option<Bound<'_, PyAny>>,
        time: Option<Bound<'_, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Recording> {
        let py = paths.py();
        let paths = paths.iter().map(|path| path.extract()).collect::<PyResult<Vec<PathBuf>>>()?;
        if paths.is_empty() {
            return Err(pyo3::exceptions::PyTypeError::new_err("read() needs at least one path"));
        }
        let part = [("rank", rank.as_ref()), ("step", step.as_ref()), ("time", time.as_ref())];
        let selection = selected(py, part)?.selection();
        let recordings = detached(py, move || Recordings::read(&paths, selection, threads))?;
        Ok(Recording::new(Arc::new(recordings)))
    }

    /// The files that inputs stand for: files, folders with one trace per rank, or patterns.
    ///
    /// They are texts, for a path of Python would spoil the address of an object.
    #[pyfunction]
    fn files(py: Python<'_>, inputs: Vec<PathBuf>) -> PyResult<Vec<OsString>> {
        let files = detached(py, move || partial::files(&inputs))?;
        Ok(files.into_iter().map(PathBuf::into_os_string).collect())
    }

    /// Measures recordings, without keeping their rows, and gives what was measured as bytes: an Arrow IPC stream that
    /// `merge` combines with others and `report_of` makes a report of. A single input may be `shown` in reports under
    /// another name than it has on this machine.
    #[pyfunction]
    #[pyo3(signature = (inputs, *, shown=None, step=None, time=None, details=false, threads=None))]
    fn measure<'py>(
        py: Python<'py>,
        inputs: Vec<PathBuf>,
        shown: Option<String>,
        step: Option<Bound<'py, PyAny>>,
        time: Option<Bound<'py, PyAny>>,
        details: bool,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let part = [("rank", None), ("step", step.as_ref()), ("time", time.as_ref())];
        let options = Closely { selected: selected(py, part)?, details, ..Closely::default() }.options(None);
        let bytes = detached(py, move || partial::measure(&inputs, shown.as_deref(), &options, threads))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Combines what `measure` gave, in any order and any grouping. `unreadable` are inputs that could not be
    /// read, with the reasons, which the report then names.
    #[pyfunction]
    #[pyo3(signature = (parts, unreadable=None))]
    fn merge<'py>(
        py: Python<'py>,
        parts: Vec<Vec<u8>>,
        unreadable: Option<Vec<(String, String)>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = detached(py, move || partial::merge(parts, unreadable.unwrap_or_default()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The report of what `measure` or `merge` gave: the same as that of reading all recordings together. `step`, `time`
    /// and `details` must be those that were measured with.
    #[pyfunction]
    #[pyo3(signature = (part, sections=None, *, device=None, details=false, rank=None, step=None, time=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords where they are given")]
    fn report_of(
        py: Python<'_>,
        part: Vec<u8>,
        sections: Option<Bound<'_, PyAny>>,
        device: Option<Bound<'_, PyAny>>,
        details: bool,
        rank: Option<Bound<'_, PyAny>>,
        step: Option<Bound<'_, PyAny>>,
        time: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Report> {
        let mut fields = Fields::default();
        for (name, value) in
            [("section", &sections), ("device", &device), ("rank", &rank), ("step", &step), ("time", &time)]
        {
            fields.say(name, value.as_ref())?;
        }
        fields.json.insert("details".to_owned(), details.into());
        let request = eaves_app::parse::<ReportRequest>(fields.json);
        let request = request.map_err(|failure| super::failure::raised(py, failure))?;
        detached(py, move || request.of_partial(part)).map(Report::from)
    }

    /// Reads an input and writes the ranks in it to a run of a dataset: all that say which rank they are, or `ranks`, names of
    /// recordings with the rank of each. Names that are not absolute are those in `folder`. The answer is for
    /// `Ingest.answered`.
    #[pyfunction]
    #[pyo3(signature = (file, dataset, run, *, folder, ranks=None))]
    fn ingest_file<'py>(
        py: Python<'py>,
        file: String,
        dataset: String,
        run: String,
        folder: PathBuf,
        ranks: Option<Vec<(String, i64)>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = detached(py, move || Task { file, ranks }.run(&dataset, &run, &folder)?.to_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The report of what `Ingest.finish` gave.
    #[pyfunction]
    fn ingested(py: Python<'_>, outcome: Vec<u8>) -> PyResult<Report> {
        detached(py, move || Ok(Outcome::from_bytes(&outcome)?.document())).map(Report::from)
    }
}
