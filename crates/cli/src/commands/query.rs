//! `eaves query`: questions in SQL.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Args;
use eaves_model::Run;
use eaves_present::Document;
use eaves_query::{Answer, Limits, Ranks, Recordings};
use eaves_store::{Dataset, is_address};

use crate::arguments::{OutputArguments, check_output};
use crate::destination::Target;
use crate::failure::hinted;
use eaves_app::HELP_TEMPLATE;

/// Ask in SQL about kernels, operators, launches, collectives, steps
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves query --tables                        what there is to ask about
  eaves query 'SELECT name, sum(duration_ns) AS ns FROM kernels
               GROUP BY name ORDER BY ns DESC LIMIT 10' trace.json.gz
  eaves query 'SELECT rank, interval_idle(start_ns, end_ns) AS idle_ns
               FROM kernels GROUP BY run, rank ORDER BY run, rank' dataset
  eaves query - traces/ -o answer.parquet < question.sql"
)]
pub(crate) struct Arguments {
    /// The question; - reads it from stdin
    #[arg(value_name = "SQL", required_unless_present = "tables")]
    sql: Option<String>,
    /// Files, directories with one trace per rank, patterns, or datasets, of which all runs are asked about
    #[arg(value_name = "INPUT", required_unless_present = "tables")]
    inputs: Vec<PathBuf>,
    /// List tables, columns and functions
    #[arg(long, conflicts_with_all = ["sql", "inputs"])]
    tables: bool,
    /// Rows shown as text; 0 for all
    #[arg(long, value_name = "N", default_value_t = 100)]
    top: usize,
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Csv,
    Json,
    Markdown,
    Parquet,
    Text,
}

/// Answers the question.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> Result<()> {
    if arguments.tables {
        return output.write_text(&listed()?);
    }
    let form = form(output)?;
    check_output(output.one_path()?, &arguments.inputs)?;
    is_there()?;
    let target = Target::open(output.one_path()?)?;
    let sql = question(arguments.sql.as_deref().unwrap_or_default())?;
    let (ranks, run) = ranks(&arguments.inputs, |inputs| super::read(inputs, output))?;
    let answer = ask(&sql, &ranks)?;
    let document = Document::new("query", run.as_deref().unwrap_or(&Run::default()), Vec::new());
    output.finish_with(&document, false, |printer| match form {
        Form::Text => target.write(answer.text(printer.width(), arguments.top).as_bytes(), printer),
        _ => target.write(&written(&answer, form)?, printer),
    })
}

/// What this build cannot do is said before the inputs are read.
pub(crate) fn is_there() -> Result<()> {
    eaves_query::tables().map(drop).map_err(|error| failed(&error, ""))
}

/// Answers a question about ranks, with no limit but the machine's.
pub(crate) fn ask(sql: &str, ranks: &Ranks) -> Result<Answer> {
    let limits = Limits { threads: eaves_ingest::Options::default().threads, ..Limits::default() };
    eaves_query::query(sql, ranks, &limits).map_err(|error| failed(&error, sql))
}

/// The ranks that inputs stand for. Those of datasets are read when they are needed; what else there is, now.
pub(crate) fn ranks(
    inputs: &[PathBuf],
    read: impl FnOnce(&[PathBuf]) -> Result<Run>,
) -> Result<(Ranks, Option<Arc<Run>>)> {
    let mut ranks = Ranks::default();
    let mut others = Vec::new();
    for input in inputs {
        match dataset(input)? {
            Some(stored) => ranks = ranks.and(stored),
            None => others.push(input.clone()),
        }
    }
    if let Some((run, rank)) = ranks.twice() {
        return Err(hinted(
            format!("rank {rank} of run `{run}` is in two inputs"),
            "ask about one of them, as in `dataset/run=NAME`, or ingest it under another name (`--run`)",
        ));
    }
    if others.is_empty() {
        return Ok((ranks, None));
    }
    let run = Arc::new(read(&others)?);
    let recordings: Arc<dyn Recordings> = run.clone();
    Ok((ranks.and(Ranks::in_memory(&eaves_app::ingesting::default_run(&others), &recordings)), Some(run)))
}

fn dataset(input: &Path) -> Result<Option<Ranks>> {
    let Some(word) = input.to_str().filter(|word| input.is_dir() || is_address(word)) else {
        return Ok(None);
    };
    let of_store = |error: eaves_store::Error| hinted(error.to_string(), error.hint());
    let part = Dataset::find(word).map_err(of_store)?;
    part.map(|part| Ranks::of_dataset(&part)).transpose().map_err(of_store)
}

/// What went wrong with a question, with the place under the line.
fn failed(error: &eaves_query::Error, sql: &str) -> anyhow::Error {
    let excerpt = error.excerpt(sql).map(|excerpt| format!("\n{excerpt}")).unwrap_or_default();
    hinted(format!("{error}{excerpt}"), error.hint())
}

fn question(words: &str) -> Result<String> {
    if words != "-" {
        return Ok(words.to_owned());
    }
    let mut sql = String::new();
    std::io::stdin().read_to_string(&mut sql).context("cannot read the question from stdin")?;
    Ok(sql)
}

/// The form that an option or the name of the file asks for.
fn form(output: &OutputArguments) -> Result<Form> {
    let asked = match output.format() {
        Some(eaves_app::Form::Csv) => Some(Form::Csv),
        Some(eaves_app::Form::Json) => Some(Form::Json),
        Some(eaves_app::Form::Markdown) => Some(Form::Markdown),
        _ => None,
    };
    let Some(path) = output.one_path()? else { return Ok(asked.unwrap_or(Form::Text)) };
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let named = match extension.as_deref() {
        Some("csv") => Some(Form::Csv),
        Some("json") => Some(Form::Json),
        Some("md") => Some(Form::Markdown),
        Some("parquet") => Some(Form::Parquet),
        Some("txt") => Some(Form::Text),
        _ => None,
    };
    match (asked, named) {
        (Some(asked), Some(named)) if asked != named => Err(hinted(
            format!("the option does not go with the name of the file: {}", path.display()),
            "give one of the two",
        )),
        (Some(form), _) | (None, Some(form)) => Ok(form),
        (None, None) => Err(hinted(
            format!("the name does not say which form the answer has: {}", path.display()),
            "end it in .parquet, .json, .csv, .md or .txt, or add --json, --csv or --markdown",
        )),
    }
}

fn written(answer: &Answer, form: Form) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match form {
        Form::Csv => answer.write_csv(&mut bytes)?,
        Form::Json => {
            serde_json::to_writer(&mut bytes, &answer.json())?;
            bytes.push(b'\n');
        }
        Form::Markdown => bytes = answer.markdown().into_bytes(),
        Form::Parquet => answer.write_parquet(&mut bytes)?,
        Form::Text => bytes = answer.text(usize::MAX, 0).into_bytes(),
    }
    Ok(bytes)
}

/// Tables, columns and functions as text.
fn listed() -> Result<String> {
    let wrong = |error: eaves_query::Error| failed(&error, "");
    let mut lines = Vec::new();
    for table in eaves_query::tables().map_err(wrong)? {
        lines.push(format!("{}: {}", table.name, table.about));
        let width = table.columns.iter().map(|column| column.name.len()).max().unwrap_or(0);
        let column = |column: &eaves_query::ColumnInfo| {
            format!("  {:width$}  {:5}  {}", column.name, column.kind, column.about)
        };
        lines.extend(table.columns.iter().map(column));
        lines.push(String::new());
    }
    lines.push("Functions besides those of SQL:".to_owned());
    for function in eaves_query::functions().map_err(wrong)? {
        lines.push(format!("  {}", function.call));
        lines.push(format!("      {}", function.about));
    }
    Ok(lines.join("\n") + "\n")
}
