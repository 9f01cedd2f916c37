//! What the engine says is wrong, in our words: what, where, and what to try.

use datafusion::common::{Column, SchemaError};
use datafusion::error::DataFusionError;
use datafusion::sql::sqlparser::parser::ParserError;
use eaves_model::suggestion::did_you_mean;

use crate::{Error, Place, functions, tables};

/// Columns that a hint lists.
const MOST_LISTED: usize = 60;

/// The error as the asker sees it.
pub(crate) fn explained(error: &DataFusionError) -> Error {
    let place = error.diagnostic().and_then(|diagnostic| diagnostic.span).and_then(|span| {
        let number = |number: u64| usize::try_from(number).ok();
        Some(Place { line: number(span.start.line)?, column: number(span.start.column)? })
    });
    let sql = |message: String, hint: String| Error::Sql { message, place, hint };
    let help = || "`eaves query --tables` lists tables, columns and functions".to_owned();
    match root(error) {
        DataFusionError::SQL(wrong, _) => parser(wrong),
        DataFusionError::SchemaError(wrong, _) => match wrong.as_ref() {
            SchemaError::FieldNotFound { field, valid_fields } => {
                let (message, hint) = no_column(field, valid_fields);
                sql(message, hint)
            }
            other => sql(other.to_string(), "qualify it with its table: `kernels.name`".to_owned()),
        },
        DataFusionError::Plan(message) => match missing(message) {
            Some((message, hint)) => sql(message, hint),
            None => sql(first_line(message), help()),
        },
        DataFusionError::NotImplemented(message) => {
            sql(first_line(message), "DataFusion does not support it; rephrase the query".to_owned())
        }
        DataFusionError::ResourcesExhausted(cause) => Error::TooLarge { cause: first_line(cause) },
        DataFusionError::External(cause) => match cause.downcast_ref::<Error>() {
            Some(own) => own.clone(),
            None => Error::Engine { cause: cause.to_string() },
        },
        DataFusionError::ArrowError(cause, _) => sql(cause.to_string(), help()),
        DataFusionError::Execution(message) | DataFusionError::Configuration(message) => {
            sql(first_line(message), help())
        }
        other => Error::Engine { cause: other.strip_backtrace() },
    }
}

/// The error behind contexts, places and collections.
fn root(error: &DataFusionError) -> &DataFusionError {
    match error {
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => root(inner),
        DataFusionError::Shared(inner) => root(inner),
        DataFusionError::Collection(errors) => errors.first().map_or(error, root),
        DataFusionError::External(inner) => match inner.downcast_ref::<DataFusionError>() {
            Some(inner) => root(inner),
            None => error,
        },
        other => other,
    }
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().trim().to_owned()
}

/// Parsers say the place in words: `... at Line: 1, Column: 8`.
fn parser(error: &ParserError) -> Error {
    let message = match error {
        ParserError::TokenizerError(message) | ParserError::ParserError(message) => message.as_str(),
        ParserError::RecursionLimitExceeded => "parentheses are nested too deeply",
    };
    let (message, place) = match message.rsplit_once(" at Line: ") {
        Some((before, place)) => (before, parsed_place(place)),
        None => (message, None),
    };
    let hint = "write `SELECT ... FROM kernels ...`; docs/query.md has examples".to_owned();
    Error::Sql { message: first_line(message), place, hint }
}

fn parsed_place(text: &str) -> Option<Place> {
    let (line, column) = text.split_once(", Column: ")?;
    let digits: String = column.chars().take_while(char::is_ascii_digit).collect();
    Some(Place { line: line.trim().parse().ok()?, column: digits.parse().ok()? })
}

fn no_column(field: &Column, valid: &[Column]) -> (String, String) {
    let mut of: Vec<String> = valid
        .iter()
        .filter_map(|column| column.relation.as_ref())
        .map(|table| table.table().to_owned())
        .collect();
    of.sort_unstable();
    of.dedup();
    if let Some(table) = &field.relation {
        of.retain(|known| known == table.table());
    }
    let place = if of.is_empty() { String::new() } else { format!(" in `{}`", of.join("`, `")) };
    let mut names: Vec<&str> = valid
        .iter()
        .filter(|column| {
            column
                .relation
                .as_ref()
                .is_none_or(|table| of.is_empty() || of.iter().any(|of| of == table.table()))
        })
        .map(|column| column.name.as_str())
        .collect();
    names.dedup();
    (format!("no column `{}`{place}", field.name), similar_or_all(&field.name, &names))
}

/// `table 'datafusion.public.kernal' not found`, `Invalid function 'interval_onion'`.
fn missing(message: &str) -> Option<(String, String)> {
    let quoted = |message: &str| message.split('\'').nth(1).map(str::to_owned);
    if message.starts_with("table '") && message.contains("not found") {
        let name = quoted(message)?;
        let name = name.rsplit('.').next().unwrap_or(&name).to_owned();
        let tables = tables::all();
        let known: Vec<&str> = tables.iter().map(|table| table.name).collect();
        return Some((format!("no table `{name}`"), similar_or_all(&name, &known)));
    }
    if message.starts_with("Invalid function '") {
        let name = quoted(message)?;
        let functions = functions::all();
        let known: Vec<&str> = functions.iter().map(|function| function.name).collect();
        let hint = match did_you_mean(&name, known.iter().copied()) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => format!("additional functions: {}", known.join(", ")),
        };
        return Some((format!("no function `{name}`"), hint));
    }
    None
}

fn similar_or_all(name: &str, known: &[&str]) -> String {
    let listed = known.iter().take(MOST_LISTED).copied().collect::<Vec<_>>().join(", ");
    match did_you_mean(name, known.iter().copied()) {
        Some(similar) => format!("did you mean `{similar}`? available: {listed}"),
        None => format!("there are: {listed}"),
    }
}
