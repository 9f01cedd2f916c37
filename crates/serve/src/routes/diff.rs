//! What changed between two runs.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use eaves_app::verbs::{Diff, Inputs};
use serde::Deserialize;

use super::verbs::answered;
use crate::Problem;
use crate::runs::Run;
use crate::state::Shared;

/// What a run is compared with.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct DiffQuery {
    /// The id of the run before.
    base: String,
}

/// What changed from another run to this one: `eaves.diff/1`.
#[utoipa::path(get, path = "/runs/{id}/diff", tag = "runs",
    params(("id" = String, Path, description = "the id of a run, or `latest`"), DiffQuery),
    responses((status = 200, description = "the differences", content_type = "application/json")))]
pub(super) async fn diff(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Query(query): Query<DiffQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (new, base) = (shared.runs.find(&id)?, shared.runs.find(&query.base)?);
    let side = |run: &Run| Inputs(vec![run.name().into()]);
    let request = Diff { base: side(&base), new: side(&new), ..Diff::default() };
    answered(&shared, request, headers).await
}
