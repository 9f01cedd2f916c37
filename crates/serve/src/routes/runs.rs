//! Runs: which there are, new ones from paths or uploads, and away with them.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, Multipart, Path, Request, State};
use axum::http::header;
use serde::{Deserialize, Serialize};

use super::upload;
use crate::Problem;
use crate::runs::RunInfo;
use crate::state::Shared;

/// The runs, newest last.
#[utoipa::path(get, path = "/runs", tag = "runs",
    responses((status = 200, description = "the runs", body = [RunInfo])))]
pub(super) async fn list(State(shared): State<Arc<Shared>>) -> Json<Vec<RunInfo>> {
    Json(shared.runs.all().iter().map(|run| run.info()).collect())
}

/// Sources of a new run.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewRun {
    /// Files and folders of the machine that the server runs on.
    #[schema(value_type = Vec<String>, min_items = 1, max_items = 1000)]
    paths: Vec<PathBuf>,
}

/// A run that was made.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct Made {
    id: String,
}

/// Opens paths, or files uploaded as `multipart/form-data`. Errors are reported immediately.
#[utoipa::path(post, path = "/runs", tag = "runs", request_body = NewRun,
    responses((status = 200, description = "its id", body = Made)))]
pub(super) async fn add(State(shared): State<Arc<Shared>>, request: Request) -> Result<Json<Made>, Problem> {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
    let (inputs, folder) = if kind.starts_with("multipart/form-data") {
        let parts = Multipart::from_request(request, &shared)
            .await
            .map_err(|error| Problem::bad(error.body_text()))?;
        let uploaded = upload::receive(parts, shared.options.upload_limit).await?;
        (upload::inputs(&uploaded), Some(uploaded))
    } else {
        let asked = Json::<NewRun>::from_request(request, &shared).await;
        let Json(asked) = asked.map_err(|error| Problem::new(error.status(), error.body_text()))?;
        if asked.paths.is_empty() || asked.paths.len() > 1_000 {
            return Err(Problem::bad("pass 1 to 1000 paths"));
        }
        let allowed = asked.paths.iter().map(|path| shared.allowed(path));
        (allowed.collect::<Result<Vec<_>, _>>()?, None)
    };
    let run = shared.runs.add(inputs, folder)?;
    let id = run.id.clone();
    let read = shared.heavy(move |shared| shared.runs.load(&run).map(drop)).await;
    if let Err(problem) = read {
        shared.runs.remove(&id)?;
        return Err(problem);
    }
    Ok(Json(Made { id }))
}

/// Closes a run. Its files remain.
#[utoipa::path(delete, path = "/runs/{id}", tag = "runs",
    params(("id" = String, Path, description = "run ID, or `latest`")),
    responses((status = 200, description = "the rest", body = [RunInfo])))]
pub(super) async fn remove(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<Json<Vec<RunInfo>>, Problem> {
    shared.runs.remove(&id)?;
    Ok(list(State(shared)).await)
}
