//! `eaves ingest`: recordings of many ranks as a dataset of Parquet tables.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use eaves_analyze::Outcome;
use eaves_analyze::section::{Column, Number, Provenance, Section, Table, Unit, Value};
use eaves_ingest::Inputs;
use eaves_model::Run;
use eaves_present::Document;
use eaves_store::{Dataset, is_address, run_name_of};

use crate::arguments::{HELP_TEMPLATE, OutputArguments};
use crate::destination::{self, Destination};
use crate::failure::hinted;
use crate::ingesting::{Action, Entry, Known, Writer};
use crate::progress::Bar;

/// Keep recordings of many ranks as a dataset of Parquet tables
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves ingest traces/ -o dataset           a rank is added or brought up to date
  eaves ingest traces/ -o dataset --run monday
  eaves report dataset                      every verb reads a dataset
  eaves report dataset/run=monday           one run of several"
)]
pub(crate) struct Arguments {
    /// Files, directories with one trace per rank, patterns, or - for stdin
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Name of the run; without, that of the directory or of the file
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// Ranks listed at the end; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    // These take the place of the options of all verbs: here `-o` names what is made, and the document is only a
    // list of it.
    /// The dataset, which is made if there is none
    #[arg(short, long, value_name = "DATASET", help_heading = "Output")]
    output: String,
    /// Print what was done as JSON
    #[arg(long, help_heading = "Output", conflicts_with_all = ["csv", "markdown"])]
    json: bool,
    /// Print what was done as CSV
    #[arg(long, help_heading = "Output", conflicts_with = "markdown")]
    csv: bool,
    /// Print what was done as Markdown
    #[arg(long, help_heading = "Output")]
    markdown: bool,
}

/// Brings a dataset up to date.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> Result<()> {
    let summary = match (arguments.json, arguments.csv, arguments.markdown) {
        (true, ..) => Some(destination::Format::Json),
        (_, true, _) => Some(destination::Format::Csv),
        (.., true) => Some(destination::Format::Markdown),
        _ => None,
    };
    let destination = Destination::new(summary, None)?;
    let run = arguments.run.clone().unwrap_or_else(|| default_run(&arguments.inputs));
    if !eaves_store::is_run_name(&run) {
        return Err(of_store(eaves_store::Error::RunName { name: run }));
    }
    let mut inputs = Inputs::find(&arguments.inputs).map_err(of_inputs)?;
    inputs.pass_over_faults();
    let dataset = Dataset::create(&arguments.output).map_err(of_store)?;
    dataset.clean(&run);
    let known = Known::of(&dataset, &run).map_err(of_store)?;
    let mut unchanged = Vec::new();
    inputs.retain(|path| match known.unchanged_file(path) {
        Some(entry) => {
            unchanged.push(entry);
            false
        }
        None => true,
    });
    let has_unchanged = !unchanged.is_empty();
    let writer = Writer::new(&dataset, &run, &known, unchanged);
    let mut read = Run::default();
    let mut refused = Vec::new();
    if !inputs.is_empty() {
        let bar = Bar::start(&output.printer());
        let options = eaves_ingest::Options { progress: bar.progress.clone(), ..Default::default() };
        let contents = eaves_ingest::read_found_with(inputs, &options, |recording| writer.take(recording));
        drop(bar);
        match contents {
            Ok(contents) => {
                writer.finish(&contents.run.recordings, contents.answers).map_err(of_store)?;
                (read, refused) = (contents.run, contents.refused);
            }
            // What is new cannot be read, but what was there is up to date.
            Err(error) if has_unchanged => refused.push(error.to_string()),
            Err(error) => return Err(of_inputs(error)),
        }
    }
    let (entries, conflicts) = writer.into_entries();
    refused.extend(conflicts);
    if entries.is_empty() {
        return Err(hinted(
            format!("nothing could be added: {}", refused.first().map_or("no input", String::as_str)),
            "`eaves info` says what an input is",
        ));
    }
    let section = section(&entries, &refused);
    let document = Document::new("ingest", &read, vec![Outcome::Section(section)]);
    for refusal in &refused {
        output.printer().note(&format!("warning: not added: {refusal}\n"));
    }
    output.finish(&document, destination, arguments.top)
}

/// What to do about a dataset that cannot be read or written.
fn of_store(error: eaves_store::Error) -> anyhow::Error {
    let hint = error.hint();
    hinted(error.to_string(), hint)
}

fn of_inputs(error: eaves_ingest::Error) -> anyhow::Error {
    hinted(error.to_string(), error.hint())
}

/// The name of the directory or file; of several, that of the directory of the first.
fn default_run(inputs: &[PathBuf]) -> String {
    let [first, others @ ..] = inputs else { return run_name_of("") };
    let text = first.to_string_lossy();
    if is_address(&text) {
        let last = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        return run_name_of(last.strip_prefix("run=").unwrap_or(last));
    }
    let whole = std::fs::canonicalize(first).unwrap_or_else(|_| first.clone());
    let named =
        if others.is_empty() && whole.exists() { whole.as_path() } else { whole.parent().unwrap_or(&whole) };
    let name = named.file_name().unwrap_or_default().to_string_lossy();
    let name = if named.is_file() { stem(&name) } else { &name };
    run_name_of(name.strip_prefix("run=").unwrap_or(name))
}

/// A name without the endings that traces have.
fn stem(name: &str) -> &str {
    let mut stem = name;
    while let Some((before, ending)) = stem.rsplit_once('.') {
        let is_ending = ["json", "gz", "zst", "zip", "csv", "pt", "trace", "db", "sqlite"].contains(&ending);
        if !is_ending || before.is_empty() {
            break;
        }
        stem = before;
    }
    stem
}

/// What was done.
fn section(entries: &[Entry], refused: &[String]) -> Section {
    let columns = vec![
        Column::new("rank", "Rank", Unit::None),
        Column::new("action", "Action", Unit::None),
        Column::new("input", "Input", Unit::None),
        Column::new("rows", "Rows", Unit::Count),
        Column::new("bytes", "Size", Unit::Bytes),
    ];
    let row = |entry: &Entry| {
        vec![
            Value::from(entry.rank),
            Value::from(entry.action.name()),
            Value::from(entry.path.clone()),
            Value::from(entry.rows),
            Value::from(entry.bytes),
        ]
    };
    let table = Table { id: "ranks", title: "Ranks", columns, rows: entries.iter().map(row).collect() };
    let number = |id, value: usize, explain| {
        let (unit, provenance) = (Unit::Count, Provenance::Counter);
        Number { id, rank: None, value: value.into(), unit, provenance, explain }
    };
    let count = |action: Action| entries.iter().filter(|entry| entry.action == action).count();
    let numbers = vec![
        number("added", count(Action::Added), "Ranks that were not in the run before."),
        number("replaced", count(Action::Replaced), "Ranks that were in the run with other content."),
        number("skipped", count(Action::Skipped), "Ranks whose input is as it was when they were added."),
        number(
            "refused",
            refused.len(),
            "Inputs that could not be read, or that say they are a rank that another is.",
        ),
    ];
    Section { id: "ingest", title: "Ingest", numbers, tables: vec![table], ..Section::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_named_after_what_they_are_of() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir(at("monday night")).unwrap();
        for name in ["monday night/rank0.json.gz", "monday night/trace.v2.json"] {
            std::fs::write(at(name), "").unwrap();
        }
        let run = |names: &[&str]| default_run(&names.iter().map(|name| at(name)).collect::<Vec<_>>());
        assert_eq!(run(&["monday night"]), "monday night");
        assert_eq!(run(&["monday night/"]), "monday night");
        assert_eq!(run(&["monday night/rank0.json.gz"]), "rank0");
        assert_eq!(run(&["monday night/trace.v2.json"]), "trace.v2");
        assert_eq!(run(&["monday night/rank0.json.gz", "monday night/trace.v2.json"]), "monday night");
        assert_eq!(run(&["monday night/*.json"]), "monday night");
        assert_eq!(default_run(&[PathBuf::from("s3://bucket/jobs/7/")]), "7");
        assert_eq!(stem(".json"), ".json");
    }
}
