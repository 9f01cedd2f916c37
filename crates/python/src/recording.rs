//! What was read, and questions about it.

use std::sync::Arc;

use eaves_app::{Failure, Recordings};
use eaves_model::{Interval, Ns};
use eaves_present::Document;
use eaves_section::Value as Cell;
use eaves_store::tables::table_names;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

use crate::convert::Fields;
use crate::failure::raised;
use crate::flame::Flame;
use crate::inputs::{self, Input, InputWarning};
use crate::report::{Report, dictionary};
use crate::table::Table;
use crate::timeline::Timeline;

/// What was read: the recordings of one or several ranks, whole, as columns in memory.
#[pyclass(frozen, module = "eaves")]
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    recordings: Arc<Recordings>,
}

impl Recording {
    pub(crate) fn new(recordings: Arc<Recordings>) -> Self {
        Self { recordings }
    }

    pub(crate) fn recordings(&self) -> &Arc<Recordings> {
        &self.recordings
    }

    /// The timeline with drawings of a width.
    pub(crate) fn timeline_of(&self, py: Python<'_>, width: Option<u32>) -> PyResult<Report> {
        self.ask(py, "timeline", |fields| {
            fields.json.extend(width.map(|width| ("width".to_owned(), Value::from(width))));
            Ok(())
        })
    }

    /// Asks a verb about it.
    fn ask(
        &self,
        py: Python<'_>,
        verb: &str,
        say: impl FnOnce(&mut Fields) -> PyResult<()>,
    ) -> PyResult<Report> {
        let mut fields = Fields::default();
        let name = fields.hold(&self.recordings);
        fields.json.insert("inputs".to_owned(), Value::Array(vec![name]));
        say(&mut fields)?;
        Report::ask(py, verb, fields)
    }

    /// What was read, and nothing about it.
    fn document(&self) -> Document {
        let document = Document::new("info", &self.recordings.run, Vec::new());
        self.recordings.sums().fold(document, Document::with_measurements)
    }
}

#[pymethods]
impl Recording {
    /// What was read, in order of rank.
    #[getter]
    fn inputs(&self) -> Vec<Input> {
        inputs::inputs(&self.document())
    }

    /// What was odd about it.
    #[getter]
    fn warnings(&self) -> Vec<InputWarning> {
        inputs::warnings(&self.document())
    }

    /// The ranks.
    #[getter]
    fn ranks(&self) -> Vec<i64> {
        self.recordings.run.recordings.iter().map(|recording| recording.rank).collect()
    }

    /// The numbers of profiler steps that were recorded, on any rank.
    #[getter]
    fn steps(&self, py: Python<'_>) -> Vec<u64> {
        py.detach(|| {
            let recordings = self.recordings.run.recordings.iter();
            let mut steps: Vec<u64> =
                recordings.flat_map(|recording| recording.trace.steps()).map(|(number, _)| number).collect();
            steps.sort_unstable();
            steps.dedup();
            steps
        })
    }

    /// The names of the devices that it was recorded on, each once.
    #[getter]
    fn devices(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for recording in &self.recordings.run.recordings {
            for device in &recording.trace.metadata.devices {
                if !names.contains(&device.name) {
                    names.push(device.name.clone());
                }
            }
        }
        names
    }

    /// From the first start to the last end of everything, of the rank that is longest.
    #[getter]
    fn duration_ns(&self, py: Python<'_>) -> i64 {
        py.detach(|| {
            let extents = self.recordings.run.recordings.iter().filter_map(|one| one.trace.extent());
            extents.map(Interval::length).max().unwrap_or(Ns::ZERO).0
        })
    }

    /// The tables of the model that have rows, by name: `slices`, `ops`, `gpu` and so on.
    #[getter]
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = table_names().into_iter().map(|name| Table::of_model(&self.recordings, name));
        dictionary(py, tables.filter(|table| table.rows() > 0).map(|table| (table.name(), table)))
    }

    /// One table of the model, also if it has no rows.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Table> {
        match table_names().into_iter().find(|known| *known == name) {
            Some(name) => Ok(Table::of_model(&self.recordings, name)),
            None => {
                let hint = format!("there are {}", table_names().join(", "));
                Err(raised(py, Failure::new(format!("no table `{name}`"), hint)))
            }
        }
    }

    /// A row for each kernel, copy and memset on a GPU, with its name, times and launch.
    #[getter]
    fn kernels(&self) -> Table {
        Table::of_slices(&self.recordings, "gpu", "GPU activities")
    }

    /// A row for each operator and named range of the framework, with its name and times.
    #[getter]
    fn operators(&self) -> Table {
        Table::of_slices(&self.recordings, "ops", "Operators")
    }

    /// A row for each recorded change of memory.
    #[getter]
    fn allocations(&self) -> Table {
        Table::of_model(&self.recordings, "allocations")
    }

    /// All analyses, or the sections named. `device` is what work is compared with, if not the one recorded on;
    /// `details` makes the long tables too. `eaves.report` takes more options.
    #[pyo3(signature = (sections=None, *, device=None, details=false))]
    fn report(
        &self,
        py: Python<'_>,
        sections: Option<Bound<'_, PyAny>>,
        device: Option<Bound<'_, PyAny>>,
        details: bool,
    ) -> PyResult<Report> {
        self.ask(py, "report", |fields| {
            fields.json.insert("details".to_owned(), details.into());
            fields.say("section", sections.as_ref())?;
            fields.say("device", device.as_ref())
        })
    }

    /// What was recorded, what is missing, and how to record it.
    fn info(&self, py: Python<'_>) -> PyResult<Report> {
        self.ask(py, "info", |_| Ok(()))
    }

    /// The answers of Holistic Trace Analysis, corrected.
    fn hta(&self, py: Python<'_>) -> PyResult<Report> {
        self.ask(py, "hta", |_| Ok(()))
    }

    /// How far operators, kernels and collectives are from what the device can do. `ops` are formulas of your own;
    /// `eaves.roofline` takes more options.
    #[pyo3(signature = (device=None, *, sparse=false, link=None, ops=None))]
    fn roofline(
        &self,
        py: Python<'_>,
        device: Option<Bound<'_, PyAny>>,
        sparse: bool,
        link: Option<Bound<'_, PyAny>>,
        ops: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Report> {
        self.ask(py, "roofline", |fields| {
            fields.json.insert("sparse".to_owned(), sparse.into());
            fields.say("device", device.as_ref())?;
            fields.say("link", link.as_ref())?;
            fields.say("ops", ops.as_ref())
        })
    }

    /// The calls of the program with the GPU time that they launched; compared with `base` if given.
    ///
    /// `metric` is by default the time on the host, or on the GPU if there is none. `min_share` is in percent.
    #[pyo3(signature = (
        metric=None,
        *,
        order="left-heavy",
        base=None,
        min_duration_ns=0,
        min_share=None,
        max_depth=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords where they are given")]
    fn flame(
        &self,
        py: Python<'_>,
        metric: Option<&str>,
        order: &str,
        base: Option<Bound<'_, PyAny>>,
        min_duration_ns: u64,
        min_share: Option<Bound<'_, PyAny>>,
        max_depth: Option<u32>,
    ) -> PyResult<Flame> {
        let report = self.ask(py, "flame", |fields| {
            let duration = (min_duration_ns > 0).then(|| format!("{min_duration_ns}ns"));
            let told = [
                ("metric", metric.map(Value::from)),
                ("order", Some(order.into())),
                ("min_duration", duration.map(Value::from)),
                ("max_depth", max_depth.map(Value::from)),
            ];
            fields.json.extend(told.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
            fields.say("diff", base.as_ref())?;
            fields.say("min_share", min_share.as_ref())
        })?;
        Ok(Flame(report))
    }

    /// Answers a question in SQL about the recordings in memory: `query("SELECT name FROM kernels LIMIT 3")`. It is about
    /// all their rows, whatever `step` and `time` were read with.
    fn query(&self, py: Python<'_>, sql: String) -> PyResult<Table> {
        let report = self.ask(py, "query", |fields| {
            fields.json.insert("sql".to_owned(), sql.into());
            Ok(())
        })?;
        report.rows().ok_or_else(|| raised(py, Failure::new("no rows", "get rows with SELECT")))
    }

    /// What host and GPU did over time.
    fn timeline(&self, py: Python<'_>) -> PyResult<Timeline> {
        Timeline::new(py, self.clone())
    }

    /// What changed from this run to another, and what is only noise.
    fn diff(&self, py: Python<'_>, new: &Bound<'_, Recording>) -> PyResult<Report> {
        let mut fields = Fields::default();
        for (side, recording) in [("base", self), ("new", new.get())] {
            let name = fields.hold(&recording.recordings);
            fields.json.insert(side.to_owned(), name);
        }
        Report::ask(py, "diff", fields)
    }

    /// Writes the recording in a format of other tools: `chrome`, `perfetto`, `parquet` or `csv`. The answer is the names
    /// of the files.
    #[pyo3(signature = (path, *, to, table=None, counters=false, critical_path=false))]
    fn export(
        &self,
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        to: String,
        table: Option<String>,
        counters: bool,
        critical_path: bool,
    ) -> PyResult<Vec<String>> {
        let report = self.ask(py, "export", |fields| {
            fields.set("output", path)?;
            fields.json.insert("to".to_owned(), to.into());
            fields.json.extend(table.map(|table| ("table".to_owned(), Value::from(table))));
            fields.json.insert("counters".to_owned(), counters.into());
            fields.json.insert("critical_path".to_owned(), critical_path.into());
            Ok(())
        })?;
        let files = report.answer().document.sections().find_map(|section| section.table("files"));
        let name = |row: &Vec<Cell>| match row.first() {
            Some(Cell::Text(name)) => Some(name.to_string()),
            _ => None,
        };
        Ok(files.into_iter().flat_map(|files| &files.rows).filter_map(name).collect())
    }

    fn __repr__(&self) -> String {
        let recordings = &self.recordings.run.recordings;
        let events: u64 = recordings.iter().map(|recording| recording.trace.events).sum();
        let first = recordings.first().map_or("sums", |recording| recording.path.as_str());
        format!("<Recording of {first}: {} ranks, {events} events>", recordings.len())
    }
}
