//! `eaves export`: the inputs in formats of other tools.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use eaves_analyze::critical_path;
use eaves_analyze::section::{Column, Number, Provenance, Section, Table, Unit, Value};
use eaves_analyze::{CriticalPath, Options, Outcome, RankView, counter_tracks};
use eaves_model::{Counter, MaybeF64, Recording, Run, StringId, Trace};
use eaves_present::Document;
use eaves_present::export::files::{self, ExportedFile, KERNELS, TableFormat, TraceFormat};
use eaves_present::export::kernels;
use eaves_store::tables::{flat_table, table_names};

use crate::arguments::OutputArguments;
use crate::failure::hinted;
use eaves_app::HELP_TEMPLATE;
use eaves_app::{Form, Outputs};
use eaves_model::suggestion::did_you_mean;

/// What follows from more hardware counters than a table of kernels has columns for.
pub(super) const COUNTERS_LEFT_OUT: &str = "Hardware counters that have no column of their own in the table of kernels, because there are too many: \
     `--table range_counters` writes them.";

/// Convert traces for other tools
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves export trace.json --to perfetto -o view.json.gz
  eaves export trace.json --to perfetto --counters -o view.json.gz
  eaves export trace.json --to perfetto --critical-path -o view.json
  eaves export traces/ --to parquet -o tables      one folder per rank
  eaves export results.csv --to parquet -o rocprof_kernels.parquet
  eaves export trace.json --to csv --table slices -o - | head"
)]
pub(crate) struct Arguments {
    /// Files, directories with one trace per rank, patterns, or - for stdin
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// What to make: chrome, perfetto, parquet or csv
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    to: Format,
    /// Only this table of parquet or csv, in one file: slices, gpu, ops, ...; a parquet file has kernels if none is named
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
    /// Add counters to chrome or perfetto: queue lengths and copy bandwidths
    #[arg(long)]
    counters: bool,
    /// Draw the critical path into a chrome or perfetto trace
    #[arg(long)]
    critical_path: bool,
    /// Files listed at the end; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    // These take the place of the options of all verbs: here `-o` names what is made, and the document is only a
    // list of it.
    /// Write to a file (.gz is compressed), to a directory, or to stdout (-)
    #[arg(short, long, value_name = "PATH", help_heading = "Output")]
    output: PathBuf,
    /// Print what was written as JSON
    #[arg(long, help_heading = "Output", conflicts_with_all = ["csv", "markdown"])]
    json: bool,
    /// Print what was written as CSV
    #[arg(long, help_heading = "Output", conflicts_with = "markdown")]
    csv: bool,
    /// Print what was written as Markdown
    #[arg(long, help_heading = "Output")]
    markdown: bool,
}

/// What to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Chrome,
    Perfetto,
    Parquet,
    Csv,
}

/// What a format is made of.
#[derive(Clone, Copy)]
enum Kind {
    Trace(TraceFormat),
    Tables(TableFormat),
}

impl Format {
    fn kind(self) -> Kind {
        match self {
            Self::Chrome => Kind::Trace(TraceFormat::Chrome),
            Self::Perfetto => Kind::Trace(TraceFormat::Perfetto),
            Self::Csv => Kind::Tables(TableFormat::Csv),
            Self::Parquet => Kind::Tables(TableFormat::Parquet),
        }
    }
}

/// Converts the inputs.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> Result<()> {
    check(arguments)?;
    let (run, _) = super::read_with(&arguments.inputs, output, |recording| {
        if arguments.counters {
            add_counters(&mut recording.trace);
        }
        if arguments.critical_path {
            draw_critical_path(&mut recording.trace);
        }
    })?;
    if is_stdout(&arguments.output) {
        to_stdout(arguments, &run.recordings)?;
        // A document without tables is empty as CSV, so stdout has nothing but the data.
        let nothing = Outputs::new(Some(Form::Csv), &[], |_| true)?;
        return output.finish(&Document::new("export", &run, Vec::new()), nothing, arguments.top);
    }
    let files = write(arguments, &run)?;
    let document = Document::new("export", &run, vec![Outcome::Section(section(&files))]);
    output.finish(&document, Outputs::new(summary_format(arguments), &[], |_| true)?, arguments.top)
}

/// Writes recordings that are in memory.
pub(crate) fn write_run(run: &Run, to: &str, table: Option<&str>, path: &Path) -> Result<Vec<ExportedFile>> {
    let to = Format::from_str(to, true)
        .map_err(|_| hinted(format!("no format `{to}`"), "there are chrome, perfetto, parquet and csv"))?;
    let arguments = Arguments {
        inputs: Vec::new(),
        to,
        table: table.map(str::to_owned),
        counters: false,
        critical_path: false,
        top: 0,
        output: path.to_owned(),
        json: false,
        csv: false,
        markdown: false,
    };
    check(&arguments)?;
    write(&arguments, run)
}

fn summary_format(arguments: &Arguments) -> Option<Form> {
    match (arguments.json, arguments.csv, arguments.markdown) {
        (true, ..) => Some(Form::Json),
        (_, true, _) => Some(Form::Csv),
        (.., true) => Some(Form::Markdown),
        _ => None,
    }
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// True if the path names a directory, whether there is one or not.
fn is_directory(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR])
}

fn draw_critical_path(trace: &mut Trace) {
    let options = Options::default();
    let path = CriticalPath::of(&RankView::new(trace, &options));
    if let Some(path) = path {
        critical_path::draw(trace, &path);
    }
}

/// What is wrong with the arguments is said before the work begins.
fn check(arguments: &Arguments) -> Result<()> {
    let path = &arguments.output;
    match (arguments.to.kind(), &arguments.table) {
        (Kind::Trace(_), Some(_)) => {
            return Err(hinted(
                "`--table` goes with csv and parquet only",
                "use `--to csv` or `--to parquet`",
            ));
        }
        (Kind::Tables(TableFormat::Csv), Some(table)) if table == KERNELS => {
            return Err(hinted(
                "the table of kernels is for parquet only",
                "`eaves kernels --csv` has kernels by name, `--table gpu` each activity",
            ));
        }
        (Kind::Tables(_), Some(table)) if table != KERNELS && !table_names().contains(&table.as_str()) => {
            return Err(unknown_table(table));
        }
        (Kind::Tables(TableFormat::Parquet), None) if is_kernels_file(path) => {}
        (Kind::Tables(format), None)
            if is_stdout(path) || path.is_file() || has_extension(path, format.extension()) =>
        {
            return Err(hinted(
                format!("all tables need a directory: {}", path.display()),
                "name a directory, or one table with `--table slices`",
            ));
        }
        _ => {}
    }
    if arguments.counters && matches!(arguments.to.kind(), Kind::Tables(_)) {
        return Err(hinted(
            "`--counters` goes with chrome and perfetto only",
            "the same numbers as tables: `eaves report --details --section queue-length --csv`",
        ));
    }
    if arguments.critical_path && matches!(arguments.to.kind(), Kind::Tables(_)) {
        return Err(hinted(
            "`--critical-path` goes with chrome and perfetto only",
            "`eaves report --section critical-path --details --csv` has the path as a table",
        ));
    }
    if is_stdout(path) && summary_format(arguments).is_some() {
        return Err(hinted("stdout cannot take the export and its summary", "write the export to a file"));
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match parent {
        Some(parent) if !parent.is_dir() => Err(hinted(
            format!("no such directory: {}", parent.display()),
            "make it first, or write somewhere else",
        )),
        _ => Ok(()),
    }
}

/// Puts what analyses know about points in time among the counters of the trace. Counters that an earlier export added
/// are replaced.
fn add_counters(trace: &mut Trace) {
    let options = Options::default();
    let tracks = counter_tracks(&RankView::new(trace, &options));
    let names: Vec<StringId> = tracks.iter().map(|track| trace.strings.intern(&track.name)).collect();
    let kept: Vec<bool> = trace.counters.name.iter().map(|name| !names.contains(name)).collect();
    trace.counters.retain(|row| kept[row]);
    for (track, name) in tracks.iter().zip(names) {
        let series = trace.strings.intern(track.series);
        for &(time, value) in &track.points {
            trace.counters.push(Counter {
                time,
                track: track.track,
                name,
                series,
                value: MaybeF64::new(value),
            });
        }
    }
}

fn unknown_table(table: &str) -> anyhow::Error {
    let known = table_names();
    let hint = match did_you_mean(table, known.iter().copied()) {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => format!("there are: {}", known.join(", ")),
    };
    hinted(format!("no table `{table}`"), hint)
}

/// True for the name of one Parquet file, which without a table named has the kernels.
fn is_kernels_file(path: &Path) -> bool {
    has_extension(path, TableFormat::Parquet.extension()) && !is_directory(path)
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

/// Writes files. Several recordings, or all tables, make a directory.
fn write(arguments: &Arguments, run: &Run) -> Result<Vec<ExportedFile>> {
    let (path, recordings) = (arguments.output.as_path(), run.recordings.as_slice());
    let written = match (arguments.to.kind(), recordings, &arguments.table) {
        (Kind::Trace(format), [recording], _) if !is_directory(path) => {
            files::write_trace(&recording.trace, format, path).map(|file| vec![file])
        }
        (Kind::Trace(_), [_, _, ..], _) if has_extension(path, "json") || has_extension(path, "gz") => {
            return Err(several(recordings, path));
        }
        (Kind::Trace(format), ..) => files::write_traces(recordings, format, path),
        (Kind::Tables(format), _, Some(table)) => {
            let path = if is_directory(path) {
                std::fs::create_dir_all(path).with_context(|| format!("cannot make: {}", path.display()))?;
                path.join(format!("{table}.{}", format.extension()))
            } else {
                path.to_owned()
            };
            files::write_table(recordings, table, format, &path).map(|file| vec![file])
        }
        (Kind::Tables(TableFormat::Parquet), _, None) if is_kernels_file(path) => {
            files::write_kernels(recordings, path).map(|file| vec![file])
        }
        (Kind::Tables(format), _, None) => files::write_tables(recordings, format, path),
    };
    written.map_err(|error| match &error {
        files::Error::Occupied { .. } => {
            hinted(error.to_string(), "name a new directory; an export replaces it whole")
        }
        _ => error.into(),
    })
}

fn several(recordings: &[Recording], path: &Path) -> anyhow::Error {
    hinted(
        format!("{} recordings need a directory, not a file: {}", recordings.len(), path.display()),
        "name a directory; there will be one file per rank",
    )
}

/// Writes to stdout. A reader that has seen enough (`| head`) is no error.
fn to_stdout(arguments: &Arguments, recordings: &[Recording]) -> Result<()> {
    let mut stdout = BufWriter::with_capacity(1 << 16, io::stdout());
    let written = match (arguments.to.kind(), recordings, &arguments.table) {
        (Kind::Trace(format), [recording], _) => format.write(&recording.trace, &mut stdout).map(drop),
        (Kind::Trace(_), ..) => return Err(several(recordings, &arguments.output)),
        (Kind::Tables(TableFormat::Parquet), _, Some(table)) if table == KERNELS => {
            kernels::write(recordings, &mut stdout).map(drop)
        }
        (Kind::Tables(format), _, table) => {
            let table = table.as_deref().unwrap_or_default();
            let parts = flat_table(recordings, table).ok_or_else(|| unknown_table(table))?;
            format.write(&parts, &mut stdout)
        }
    };
    match written.and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to stdout"),
    }
}

/// What was written.
fn section(files: &[ExportedFile]) -> Section {
    let columns = vec![
        Column::new("file", "File", Unit::None),
        Column::new("table", "Table", Unit::None),
        Column::RANK,
        Column::new("rows", "Rows", Unit::Count),
        Column::new("bytes", "Size", Unit::Bytes),
    ];
    let row = |file: &ExportedFile| {
        vec![
            Value::from(file.path.display().to_string()),
            file.table.map_or(Value::Missing("a whole trace"), Value::from),
            file.rank.map_or(Value::Missing("the only recording or all of them"), Value::from),
            Value::from(file.rows),
            Value::from(file.bytes),
        ]
    };
    let rows = files.iter().map(row).collect();
    let table = Table { id: "files", title: "Files", columns, rows };
    let number = |id, value: u64, explain| {
        let (unit, provenance) = (Unit::Count, Provenance::Counter);
        (value > 0).then(|| Number { id, rank: None, value: value.into(), unit, provenance, explain })
    };
    let sum = |of: fn(&ExportedFile) -> u64| files.iter().map(of).sum();
    let numbers = [
        number(
            "too_large",
            sum(|file| file.too_large),
            "Numbers that do not fit the 32 bits of their column: empty there, whole in a 64-bit column behind.",
        ),
        number("counters_left_out", sum(|file| file.counters_left_out), COUNTERS_LEFT_OUT),
    ];
    let numbers = numbers.into_iter().flatten().collect();
    Section { id: "export", title: "Export", numbers, tables: vec![table], ..Section::default() }
}
