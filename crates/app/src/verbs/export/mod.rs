//! `export`: converts inputs for other tools.

mod additions;
mod summary;

use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use eaves_ingest::Options;
use eaves_model::{Recording, Run};
use eaves_present::Document;
use eaves_present::export::files::{self, ExportedFile, KERNELS, TableFormat, TraceFormat};
use eaves_present::export::kernels;
use eaves_section::Outcome;
use eaves_store::tables::{flat_table, table_names};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Answer, Context, Failure, HELP_TEMPLATE, Reading, Verb, check_output};

/// Files shown by default.
const ROWS: usize = 20;

/// Convert traces for other tools
#[derive(Args, Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves export trace.json --to perfetto -o view.json.gz
  eaves export trace.json --to perfetto --counters -o view.json.gz
  eaves export trace.json --to perfetto --critical-path -o view.json
  eaves export traces/ --to parquet -o tables      one folder per rank
  eaves export results.csv --to parquet -o rocprof_kernels.parquet
  eaves export trace.json --to csv --table slices -o - | head"
)]
pub struct Export {
    /// Files, directories with one trace per rank, patterns, or - for stdin
    #[arg(required = true, value_name = "INPUT")]
    #[serde(deserialize_with = "crate::text_value::paths")]
    pub inputs: Vec<PathBuf>,
    /// Output format: chrome, perfetto, parquet or csv
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub to: ExportFormat,
    /// Export only this table (parquet, csv), into one file: slices, gpu, ...
    /// [default for one parquet file: kernels]
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    pub table: Option<String>,
    /// Add queue length and copy bandwidth counters (chrome, perfetto)
    #[arg(long)]
    #[serde(default)]
    pub counters: bool,
    /// Add a track with the critical path (chrome, perfetto)
    #[arg(long)]
    #[serde(default)]
    pub critical_path: bool,
    // It takes the place of the option of all verbs: what it names is what is made, and the document only lists it.
    /// Output file (.gz compresses), directory, or - for stdout
    #[arg(short, long, value_name = "PATH", help_heading = "Output")]
    pub output: PathBuf,
}

/// A format of other tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExportFormat {
    /// Chrome JSON, as PyTorch writes it.
    Chrome,
    /// The same for Perfetto.
    Perfetto,
    /// A table per file.
    Parquet,
    /// A table per file, as text.
    Csv,
}

/// Description of a format.
#[derive(Clone, Copy)]
enum Content {
    Trace(TraceFormat),
    Tables(TableFormat),
}

impl ExportFormat {
    fn content(self) -> Content {
        match self {
            Self::Chrome => Content::Trace(TraceFormat::Chrome),
            Self::Perfetto => Content::Trace(TraceFormat::Perfetto),
            Self::Csv => Content::Tables(TableFormat::Csv),
            Self::Parquet => Content::Tables(TableFormat::Parquet),
        }
    }
}

impl Verb for Export {
    const NAME: &'static str = "export";
    const MAKES_FILES: bool = true;

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        if self.is_stdout() {
            return Err(Failure::usage(
                "stdout is available only on the command line",
                "name a file or a directory",
            ));
        }
        self.check()?;
        let answer = self.with_run(context, |run| {
            let files = self.write(&run.recordings)?;
            Ok(Document::new(Self::NAME, run, vec![Outcome::Section(summary::section(&files))]))
        })?;
        Ok(Answer::new(answer).with_top(ROWS))
    }

    fn files(&self) -> Vec<PathBuf> {
        self.inputs.clone()
    }
}

impl Export {
    /// True if stdout is to have what is made.
    pub fn is_stdout(&self) -> bool {
        self.output == Path::new("-")
    }

    /// Writes what is made to a stream instead of files.
    ///
    /// # Errors
    /// If an input cannot be read, or what is made is several files.
    pub fn write_to(
        &self,
        context: &Context<'_>,
        stream: &mut (impl Write + Send),
    ) -> Result<Answer, Failure> {
        self.check()?;
        let document = self.with_run(context, |run| {
            self.stream(&run.recordings, stream)?;
            Ok(Document::new(Self::NAME, run, Vec::new()))
        })?;
        Ok(Answer::new(document))
    }

    /// What is wrong with a request is said before the work begins.
    fn check(&self) -> Result<(), Failure> {
        let path = self.output.as_path();
        match (self.to.content(), self.table.as_deref()) {
            (Content::Trace(_), Some(_)) => {
                return Err(Failure::usage(
                    "`--table` requires csv or parquet",
                    "use `--to csv` or `--to parquet`",
                ));
            }
            (Content::Tables(TableFormat::Csv), Some(KERNELS)) => {
                return Err(Failure::usage(
                    "the kernel table is available only as parquet",
                    "`eaves kernels --csv` lists kernels by name, `--table gpu` every activity",
                ));
            }
            (Content::Tables(_), Some(table)) if table != KERNELS && !table_names().contains(&table) => {
                return Err(unknown_table(table));
            }
            (Content::Tables(TableFormat::Parquet), None) if is_kernels_file(path) => {}
            (Content::Tables(format), None)
                if self.is_stdout() || path.is_file() || has_extension(path, format.extension()) =>
            {
                return Err(Failure::usage(
                    format!("all tables need a directory: {}", path.display()),
                    "name a directory, or one table with `--table slices`",
                ));
            }
            _ => {}
        }
        let is_of_tables = matches!(self.to.content(), Content::Tables(_));
        if self.counters && is_of_tables {
            return Err(Failure::usage(
                "`--counters` requires chrome or perfetto",
                "for the same numbers as a table: `eaves report --details --section queue-length --csv`",
            ));
        }
        if self.critical_path && is_of_tables {
            return Err(Failure::usage(
                "`--critical-path` requires chrome or perfetto",
                "for the path as a table: `eaves report --section critical-path --details --csv`",
            ));
        }
        check_output(path, &self.inputs)?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        match parent {
            Some(parent) if !parent.is_dir() => Err(Failure::new(
                format!("no such directory: {}", parent.display()),
                "create it first, or write elsewhere",
            )),
            _ => Ok(()),
        }
    }

    /// Does something with the recordings, with what is to be added to them.
    fn with_run<R>(
        &self,
        context: &Context<'_>,
        work: impl FnOnce(&Run) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let add = |recording: &mut Recording| {
            if self.counters {
                additions::add_counters(&mut recording.trace);
            }
            if self.critical_path {
                additions::draw_critical_path(&mut recording.trace);
            }
        };
        if let Some(held) = context.session.find(&self.inputs) {
            held.check(Reading::Traces)?;
            let mut run = Cow::Borrowed(&held.run);
            if self.counters || self.critical_path {
                run.to_mut().recordings.iter_mut().for_each(add);
            }
            return work(&run);
        }
        let (run, _) = context.reading(|progress| {
            eaves_ingest::read_with(&self.inputs, &Options { progress, ..Options::default() }, add)
        })?;
        work(&run)
    }

    /// Writes files. Several recordings, or all tables, make a directory.
    fn write(&self, recordings: &[Recording]) -> Result<Vec<ExportedFile>, Failure> {
        let path = self.output.as_path();
        let written = match (self.to.content(), recordings, &self.table) {
            (Content::Trace(format), [recording], _) if !is_directory(path) => {
                files::write_trace(&recording.trace, format, path).map(|file| vec![file])
            }
            (Content::Trace(_), [_, _, ..], _)
                if has_extension(path, "json") || has_extension(path, "gz") =>
            {
                return Err(several(recordings, path));
            }
            (Content::Trace(format), ..) => files::write_traces(recordings, format, path),
            (Content::Tables(format), _, Some(table)) => {
                let path = if is_directory(path) {
                    let failed = || format!("cannot create: {}", path.display());
                    std::fs::create_dir_all(path).with_context(failed)?;
                    path.join(format!("{table}.{}", format.extension()))
                } else {
                    path.to_owned()
                };
                files::write_table(recordings, table, format, &path).map(|file| vec![file])
            }
            (Content::Tables(TableFormat::Parquet), _, None) if is_kernels_file(path) => {
                files::write_kernels(recordings, path).map(|file| vec![file])
            }
            (Content::Tables(format), _, None) => files::write_tables(recordings, format, path),
        };
        written.map_err(|error| match &error {
            files::Error::Occupied { .. } => {
                Failure::new(error.to_string(), "name a new directory; an export replaces it entirely")
            }
            _ => anyhow::Error::from(error).into(),
        })
    }

    /// Writes to a stream. A reader that stops early (`| head`) is not an error.
    fn stream(&self, recordings: &[Recording], stream: &mut (impl Write + Send)) -> Result<(), Failure> {
        let written = match (self.to.content(), recordings, &self.table) {
            (Content::Trace(format), [recording], _) => format.write(&recording.trace, stream).map(drop),
            (Content::Trace(_), ..) => return Err(several(recordings, &self.output)),
            (Content::Tables(TableFormat::Parquet), _, Some(table)) if table == KERNELS => {
                kernels::write(recordings, &mut *stream).map(drop)
            }
            (Content::Tables(format), _, table) => {
                let table = table.as_deref().unwrap_or_default();
                let parts = flat_table(recordings, table).ok_or_else(|| unknown_table(table))?;
                format.write(&parts, &mut *stream)
            }
        };
        match written.and_then(|()| stream.flush()) {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            result => Ok(result.context("cannot write to stdout")?),
        }
    }
}

/// True if the path names a directory, existing or not.
fn is_directory(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR])
}

/// True for the name of one Parquet file, which without a table named has the kernels.
fn is_kernels_file(path: &Path) -> bool {
    has_extension(path, TableFormat::Parquet.extension()) && !is_directory(path)
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

fn several(recordings: &[Recording], path: &Path) -> Failure {
    Failure::new(
        format!("{} recordings need a directory, not a file: {}", recordings.len(), path.display()),
        "name a directory; there will be one file per rank",
    )
}

fn unknown_table(table: &str) -> Failure {
    Failure::unknown(format!("no table `{table}`"), table, &table_names(), "tables are")
}
