//! Questions in SQL about a run.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use eaves_model::Recording;
use eaves_query::{ColumnInfo, Error, FunctionInfo, Limits, Ranks, Recordings, TableInfo};
use serde::{Deserialize, Serialize};

use crate::Problem;
use crate::answer::Answer;
use crate::runs::Loaded;
use crate::state::Shared;

/// How long an answer may take.
const MOST_TIME: Duration = Duration::from_secs(30);
/// Bytes that sorting, grouping and joining may take.
const MOST_MEMORY: usize = 1 << 30;
/// Rows of an answer by default.
const USUAL_ROWS: usize = 1_000;
/// Rows of any answer.
const MOST_ROWS: usize = 100_000;

/// What any answer may take.
pub(crate) const LIMITS: Limits =
    Limits { rows: Some(MOST_ROWS), time: Some(MOST_TIME), memory: Some(MOST_MEMORY), threads: 1 };

/// A question.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub(super) struct Question {
    /// The question, such as `SELECT name, duration_ns FROM kernels`.
    sql: String,
    /// How many rows are wanted; 1000 without, 100000 at most.
    limit: Option<usize>,
}

/// An answer.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct Rows {
    /// Names and types of the columns.
    columns: Vec<RowsColumn>,
    /// Values in the order of the columns; null where there is none.
    #[schema(value_type = Vec<Vec<Object>>)]
    rows: Vec<Vec<serde_json::Value>>,
    /// True if there are more rows than were wanted.
    truncated: bool,
}

/// A column of an answer.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct RowsColumn {
    /// Name.
    name: String,
    /// `int`, `float`, `text` or `bool`.
    r#type: String,
}

/// Available tables, columns and functions.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct Catalogue {
    /// Tables, by name.
    tables: Vec<CatalogueTable>,
    /// Functions besides those of SQL, by name.
    functions: Vec<CatalogueFunction>,
}

/// A table.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct CatalogueTable {
    /// Name.
    name: &'static str,
    /// Meaning of a row.
    about: &'static str,
    /// Columns, in order.
    columns: Vec<CatalogueColumn>,
}

/// A column.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct CatalogueColumn {
    /// Name.
    name: &'static str,
    /// `int`, `float`, `text` or `bool`.
    r#type: &'static str,
    /// Contents.
    about: &'static str,
}

/// A function.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct CatalogueFunction {
    /// Name.
    name: &'static str,
    /// How it is called.
    call: &'static str,
    /// Result.
    about: &'static str,
}

/// Runs a SQL query on a run. Queries are read-only and cannot read other data.
#[utoipa::path(post, path = "/runs/{id}/query", tag = "runs", request_body = Question,
    params(("id" = String, Path, description = "run ID, or `latest`")),
    responses((status = 200, description = "the rows", body = Rows),
        (status = 501, description = "this build has no SQL support")))]
pub(super) async fn query(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(question): Json<Question>,
) -> Result<Response, Problem> {
    let run = shared.runs.find(&id)?;
    eaves_query::tables().map_err(|error| problem(&error))?;
    let rows = question.limit.unwrap_or(USUAL_ROWS).min(MOST_ROWS);
    shared
        .heavy(move |shared| {
            let held = Held(shared.runs.load(&run)?);
            if held.recordings().is_empty() {
                return Err(Problem::missing("this run has no recording: it is a report or a summary table")
                    .hint("open the trace itself"));
            }
            let recordings: Arc<dyn Recordings> = Arc::new(held);
            let ranks = Ranks::in_memory(&run.title(), &recordings);
            let limits = Limits { rows: Some(rows), ..LIMITS };
            let answer =
                eaves_query::query(&question.sql, &ranks, &limits).map_err(|error| problem(&error))?;
            let bytes =
                serde_json::to_vec(&answer.json()).map_err(|error| Problem::internal(error.to_string()))?;
            Ok(Answer::fleeting("application/json", bytes).respond(&headers))
        })
        .await
}

/// Lists the tables, columns and functions for SQL.
#[utoipa::path(get, path = "/runs/{id}/query/tables", tag = "runs",
    params(("id" = String, Path, description = "run ID, or `latest`")),
    responses((status = 200, description = "available tables", body = Catalogue),
        (status = 501, description = "this build has no SQL support")))]
pub(super) async fn query_tables(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<Json<Catalogue>, Problem> {
    shared.runs.find(&id)?;
    let tables = eaves_query::tables().map_err(|error| problem(&error))?;
    let functions = eaves_query::functions().map_err(|error| problem(&error))?;
    Ok(Json(Catalogue {
        tables: tables.iter().map(CatalogueTable::from).collect(),
        functions: functions.iter().map(CatalogueFunction::from).collect(),
    }))
}

/// A run for as long as a question is about it.
struct Held(Arc<Loaded>);

impl Recordings for Held {
    fn recordings(&self) -> &[Recording] {
        &self.0.recordings().run.recordings
    }
}

/// What went wrong, with the status that says whose fault it is.
fn problem(error: &Error) -> Problem {
    let status = match error {
        Error::NotBuilt => StatusCode::NOT_IMPLEMENTED,
        Error::Sql { .. } | Error::NotAQuestion { .. } => StatusCode::BAD_REQUEST,
        // Not 408, after which browsers ask again by themselves.
        Error::TooLong { .. } => StatusCode::GATEWAY_TIMEOUT,
        Error::Busy => StatusCode::SERVICE_UNAVAILABLE,
        Error::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    Problem::new(status, error.to_string()).hint(error.hint())
}

impl From<&TableInfo> for CatalogueTable {
    fn from(table: &TableInfo) -> Self {
        let column =
            |&ColumnInfo { name, kind, about }: &ColumnInfo| CatalogueColumn { name, r#type: kind, about };
        Self { name: table.name, about: table.about, columns: table.columns.iter().map(column).collect() }
    }
}

impl From<&FunctionInfo> for CatalogueFunction {
    fn from(&FunctionInfo { name, call, about }: &FunctionInfo) -> Self {
        Self { name, call, about }
    }
}
