//! `query`: SQL queries.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use eaves_analyze::Selection;
use eaves_model::{Recording, Run};
use eaves_present::Document;
use eaves_query::{ColumnInfo, FunctionInfo, Limits, Ranks, ResultSet, TableInfo};
use eaves_section::{Column, Outcome, Section, Table, Unit};
use eaves_store::{Dataset, is_address};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ingesting::default_run;
use crate::{Answer, Context, Drawing, Failure, Form, HELP_TEMPLATE, Keep, Look, Reading, Recordings, Verb};

/// Rows shown by default.
const ROWS: usize = 100;

/// Query kernels, operators, launches, collectives and steps in SQL
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves query --tables                        tables and columns
  eaves query 'SELECT name, sum(duration_ns) AS ns FROM kernels
               GROUP BY name ORDER BY ns DESC LIMIT 10' trace.json.gz
  eaves query 'SELECT rank, interval_idle(start_ns, end_ns) AS idle_ns
               FROM kernels GROUP BY run, rank ORDER BY run, rank' dataset
  eaves query - traces/ -o answer.parquet < question.sql"
)]
#[serde(default)]
pub struct Query {
    /// SQL query, or - for stdin
    #[arg(value_name = "SQL", required_unless_present = "tables")]
    pub sql: Option<String>,
    /// Files, directories with one trace per rank, patterns, or datasets (all
    /// runs)
    #[arg(value_name = "INPUT", required_unless_present = "tables")]
    #[serde(deserialize_with = "crate::text_value::paths")]
    pub inputs: Vec<PathBuf>,
    /// List tables, columns and functions
    #[arg(long, conflicts_with_all = ["sql", "inputs"])]
    pub tables: bool,
}

impl Verb for Query {
    const NAME: &'static str = "query";

    fn run(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        if self.tables {
            let tables = eaves_query::tables().map_err(|error| failed(&error, ""))?;
            let functions = eaves_query::functions().map_err(|error| failed(&error, ""))?;
            let outcomes = vec![Outcome::Section(listing(&tables, &functions))];
            let document = Document { verb: Self::NAME, outcomes, ..Document::default() };
            return Ok(Answer::new(document).with_top(0).drawn_by(Listing { tables, functions }));
        }
        // What this build cannot do is said before the inputs are read.
        eaves_query::tables().map_err(|error| failed(&error, ""))?;
        let sql = self.sql.as_deref().ok_or_else(|| {
            Failure::usage("no query", "pass one as `sql`: `SELECT name, duration_ns FROM kernels`")
        })?;
        let (ranks, read) = self.ranks(context)?;
        let limits = context.session.query_limits().unwrap_or_else(|| Limits {
            threads: eaves_ingest::Options::default().threads,
            ..Limits::default()
        });
        let rows = eaves_query::query(sql, &ranks, &limits).map_err(|error| failed(&error, sql))?;
        let datasets = Run::default();
        let run = read.as_ref().map_or(&datasets, |read| &read.run);
        let mut answer = Answer::new(Document::new(Self::NAME, run, Vec::new())).with_top(ROWS);
        let rows = Arc::new(rows);
        answer.rows = Some(rows.clone());
        Ok(answer.drawn_by(Rows(rows)))
    }

    fn files(&self) -> Vec<PathBuf> {
        self.inputs.clone()
    }

    fn has_form(&self, form: Form) -> bool {
        match form {
            Form::Html => self.tables,
            Form::Parquet => !self.tables,
            _ => Form::OF_DOCUMENTS.contains(&form),
        }
    }
}

impl Query {
    /// The ranks that inputs stand for, and what was read of them. Ranks of datasets are read when they are needed.
    fn ranks(&self, context: &Context<'_>) -> Result<(Ranks, Option<Arc<Recordings>>), Failure> {
        if let Some(held) = context.session.find(&self.inputs) {
            return Ok((in_memory(&held, &paths_of(&held.run)), Some(held)));
        }
        let mut ranks = Ranks::default();
        let mut others = Vec::new();
        for input in &self.inputs {
            match dataset(input)? {
                Some(stored) => ranks = ranks.and(stored),
                None => others.push(input.clone()),
            }
        }
        if let Some((run, rank)) = ranks.twice() {
            return Err(Failure::usage(
                format!("rank {rank} of run `{run}` is in two inputs"),
                "query one of them, as in `dataset/run=NAME`, or ingest it under another name (`--run`)",
            ));
        }
        if others.is_empty() && !ranks.is_empty() {
            return Ok((ranks, None));
        }
        let everything = Selection::default();
        let read = context.read(&others, Reading::Traces, Keep::Selected(&everything), |_| ())?.recordings;
        Ok((ranks.and(in_memory(&read, &others)), Some(read)))
    }
}

/// Recordings as SQL sees them.
struct InMemory(Arc<Recordings>);

impl eaves_query::Recordings for InMemory {
    fn recordings(&self) -> &[Recording] {
        &self.0.run.recordings
    }
}

fn in_memory(recordings: &Arc<Recordings>, inputs: &[PathBuf]) -> Ranks {
    let held: Arc<dyn eaves_query::Recordings> = Arc::new(InMemory(recordings.clone()));
    Ranks::in_memory(&default_run(inputs), &held)
}

fn paths_of(run: &Run) -> Vec<PathBuf> {
    run.recordings.iter().map(|recording| PathBuf::from(&recording.path)).collect()
}

fn dataset(input: &Path) -> Result<Option<Ranks>, Failure> {
    let Some(word) = input.to_str().filter(|word| input.is_dir() || is_address(word)) else {
        return Ok(None);
    };
    let of_store = |error: eaves_store::Error| Failure::new(error.to_string(), error.hint());
    let part = Dataset::find(word).map_err(of_store)?;
    part.map(|part| Ranks::of_dataset(&part)).transpose().map_err(of_store)
}

/// A query error, with the position marked below the line.
fn failed(error: &eaves_query::Error, sql: &str) -> Failure {
    let excerpt = error.excerpt(sql).map(|excerpt| format!("\n{excerpt}")).unwrap_or_default();
    Failure::new(format!("{error}{excerpt}"), error.hint())
}

/// Rows, which are not a section.
struct Rows(Arc<ResultSet>);

impl Drawing for Rows {
    fn draw(&self, _: &Document, form: Form, look: Look) -> Result<Option<Vec<u8>>, Failure> {
        let mut bytes = Vec::new();
        match form {
            Form::Csv => self.0.write_csv(&mut bytes).map_err(anyhow::Error::from)?,
            Form::Json => bytes = format!("{}\n", self.0.json()).into_bytes(),
            Form::Markdown => bytes = self.0.markdown().into_bytes(),
            Form::Parquet => self.0.write_parquet(&mut bytes).map_err(anyhow::Error::from)?,
            Form::Text => {
                let width = if look.full { usize::MAX } else { look.width };
                bytes = self.0.text(width, look.top).into_bytes();
            }
            _ => return Ok(None),
        }
        Ok(Some(bytes))
    }

    fn shows_warnings(&self) -> bool {
        false
    }
}

/// Tables, columns and functions.
struct Listing {
    tables: Vec<TableInfo>,
    functions: Vec<FunctionInfo>,
}

impl Drawing for Listing {
    fn draw(&self, _: &Document, form: Form, _: Look) -> Result<Option<Vec<u8>>, Failure> {
        Ok((form == Form::Text).then(|| self.text().into_bytes()))
    }
}

impl Listing {
    fn text(&self) -> String {
        let mut lines = Vec::new();
        for table in &self.tables {
            lines.push(format!("{}: {}", table.name, table.about));
            let width = table.columns.iter().map(|column| column.name.len()).max().unwrap_or(0);
            let column = |column: &ColumnInfo| {
                format!("  {:width$}  {:5}  {}", column.name, column.kind, column.about)
            };
            lines.extend(table.columns.iter().map(column));
            lines.push(String::new());
        }
        lines.push("Additional SQL functions:".to_owned());
        for function in &self.functions {
            lines.push(format!("  {}", function.call));
            lines.push(format!("      {}", function.about));
        }
        lines.join("\n") + "\n"
    }
}

/// The same as tables.
fn listing(tables: &[TableInfo], functions: &[FunctionInfo]) -> Section {
    let columns = |columns: &[(&'static str, &'static str)]| {
        columns.iter().map(|(id, title)| Column::new(id, title, Unit::None)).collect()
    };
    let of_table = |table: &TableInfo| vec![table.name.into(), table.about.into()];
    let of_column = |table: &'static str| {
        move |column: &ColumnInfo| {
            vec![table.into(), column.name.into(), column.kind.into(), column.about.into()]
        }
    };
    let of_function = |function: &FunctionInfo| vec![function.call.into(), function.about.into()];
    let tables = vec![
        Table {
            id: "tables",
            title: "Tables",
            columns: columns(&[("table", "Table"), ("about", "A row is")]),
            rows: tables.iter().map(of_table).collect(),
        },
        Table {
            id: "columns",
            title: "Columns",
            columns: columns(&[
                ("table", "Table"),
                ("column", "Column"),
                ("type", "Type"),
                ("about", "Holds"),
            ]),
            rows: tables.iter().flat_map(|table| table.columns.iter().map(of_column(table.name))).collect(),
        },
        Table {
            id: "functions",
            title: "Additional SQL functions",
            columns: columns(&[("function", "Function"), ("about", "Result")]),
            rows: functions.iter().map(of_function).collect(),
        },
    ];
    Section { id: "query", title: "SQL tables and functions", tables, ..Section::default() }
}

#[cfg(test)]
mod tests {
    use eaves_section::Value;

    use super::*;

    #[test]
    fn tables_are_listed_for_people_and_programs() {
        let column = ColumnInfo { name: "duration_ns", kind: "int", about: "How long it ran" };
        let tables = [TableInfo { name: "kernels", about: "GPU activities", columns: vec![column] }];
        let functions = [FunctionInfo { name: "f", call: "f(start, end)", about: "A union" }];
        let section = listing(&tables, &functions);
        assert_eq!(section.table("tables").unwrap().rows, [["kernels", "GPU activities"].map(Value::from)]);
        let row = ["kernels", "duration_ns", "int", "How long it ran"].map(Value::from);
        assert_eq!(section.table("columns").unwrap().rows, [row]);
        assert_eq!(section.table("functions").unwrap().rows, [["f(start, end)", "A union"].map(Value::from)]);
        let listed = Listing { tables: tables.to_vec(), functions: functions.to_vec() };
        let text = "kernels: GPU activities\n  duration_ns  int    How long it ran\n\n\
                    Additional SQL functions:\n  f(start, end)\n      A union\n";
        assert_eq!(listed.text(), text);
    }

    #[cfg(not(feature = "sql"))]
    #[test]
    fn a_build_without_sql_says_so_before_it_reads() {
        let request = Query { sql: Some("SELECT 1".to_owned()), inputs: vec!["none".into()], tables: false };
        let failure = request.run(&Context::new(&crate::Session::default())).unwrap_err();
        assert!(failure.message.contains("no SQL"), "{failure}");
    }
}
