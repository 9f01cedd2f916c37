//! Benchmarks that run here, told as they go.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::sse::Event;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::events::{Message, Sender, Stream, stream};
use crate::Problem;
use crate::jobs::{Job, Progress};
use crate::state::Shared;

/// A job that was started.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct Started {
    job: String,
}

/// Runs kernels on this machine and reports each as it finishes. Fields are those of the verb `bench`; `kernel` may
/// stand for `op`.
#[utoipa::path(post, path = "/bench", tag = "bench",
    responses((status = 200, description = "the job", body = Started)))]
pub(super) async fn start(
    State(shared): State<Arc<Shared>>,
    Json(asked): Json<Map<String, Value>>,
) -> Result<Json<Started>, Problem> {
    shared
        .heavy(move |shared| {
            let job = shared.jobs.start(asked, shared)?;
            Ok(Json(Started { job: job.id.clone() }))
        })
        .await
}

/// Streams a job's messages from its start: kind `progress`.
#[utoipa::path(get, path = "/jobs/{job}/events", tag = "bench",
    params(("job" = String, Path, description = "its id")),
    responses((status = 200, description = "messages", content_type = "text/event-stream")))]
pub(super) async fn events(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<Stream, Problem> {
    let job = shared.jobs.find(&id)?;
    let (sender, stream) = stream();
    tokio::spawn(async move {
        let message = |progress: &Progress| {
            let data = serde_json::to_value(progress).unwrap_or_default();
            Some(Message { kind: "progress", data }.event())
        };
        follow(&job, &sender, message).await;
    });
    Ok(stream)
}

/// Tells what happens in a job, from its beginning, until it is over or nobody listens any more. `event` is how a step is
/// told, if it is.
pub(super) async fn follow(
    job: &Job,
    sender: &Sender,
    event: impl Fn(&Progress) -> Option<Result<Event, Infallible>>,
) {
    let mut more = job.listen();
    let mut told = 0;
    loop {
        more.mark_unchanged();
        for progress in job.from(told) {
            told += 1;
            if let Some(event) = event(&progress)
                && sender.send(event).await.is_err()
            {
                return;
            }
            if progress.is_last() {
                return;
            }
        }
        tokio::select! {
            changed = more.changed() => if changed.is_err() { return },
            () = sender.closed() => return,
        }
    }
}

/// Stops a job after the current kernel.
#[utoipa::path(delete, path = "/jobs/{job}", tag = "bench",
    params(("job" = String, Path, description = "its id")),
    responses((status = 200, description = "stopping", content_type = "application/json")))]
pub(super) async fn cancel(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Problem> {
    shared.jobs.find(&id)?.cancel();
    Ok(Json(json!({"job": id})))
}
