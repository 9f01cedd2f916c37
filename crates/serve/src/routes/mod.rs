//! The routes, a file a family. What is registered here is in `openapi.json`, too.

mod bench;
mod compat;
mod devices;
mod diff;
pub(crate) mod events;
mod files;
mod live;
mod page;
mod predict;
mod presets;
pub(crate) mod query;
mod reference;
mod roofline;
mod runs;
mod settings;
mod slices;
mod upload;
mod verbs;
mod views;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::Shared;
use crate::{Problem, access};

pub(crate) use compat::Described;

/// Bytes of a body that is not an upload.
const MOST_BODY: usize = 1 << 20;
/// How long a client may take to send it.
const BODY_TIME: Duration = Duration::from_secs(20);
/// How long a request may take until its answer begins. Reading a large recording is the longest.
const MOST_TIME: Duration = Duration::from_secs(900);

/// Everything there is.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    let (api, description) = OpenApiRouter::with_openapi(reference::description())
        .routes(routes!(runs::list, runs::add))
        .routes(routes!(runs::remove))
        .routes(routes!(views::document))
        .routes(routes!(views::timeline))
        .routes(routes!(views::flame))
        .routes(routes!(slices::slices))
        .routes(routes!(query::query))
        .routes(routes!(query::query_tables))
        .routes(routes!(files::table))
        .routes(routes!(files::picture))
        .routes(routes!(roofline::roofline))
        .routes(routes!(diff::diff))
        .routes(routes!(devices::devices))
        .routes(routes!(devices::show_device))
        .routes(routes!(presets::precisions))
        .routes(routes!(presets::presets))
        .routes(routes!(predict::predict))
        .routes(routes!(bench::start))
        .routes(routes!(bench::events))
        .routes(routes!(bench::cancel))
        .routes(routes!(settings::config, settings::save_config))
        .routes(routes!(settings::ops, settings::save_ops))
        .routes(routes!(settings::check_ops))
        .routes(routes!(events::events))
        .routes(routes!(live::live))
        .split_for_parts();
    let api = api.route("/verbs/{name}", post(verbs::answer));
    let reference = reference::routes(&reference::with_verbs(&reference::with_problems(description)));
    Router::new()
        .merge(page::routes())
        .nest("/api/v1", api)
        .merge(reference)
        .merge(compat::routes())
        .fallback(nowhere)
        .method_not_allowed_fallback(no_such_method)
        // Bodies are bounded below, uploads by what the user allows.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn(in_time))
        .layer(from_fn(problems_are_json))
        .layer(from_fn_with_state(shared.clone(), access::guard))
        .with_state(shared)
}

async fn nowhere() -> Problem {
    Problem::missing("not found").hint("`/` is the page, `/api` describes the interface")
}

async fn no_such_method() -> Problem {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method not allowed").hint("`/api` describes the interface")
}

/// Nobody holds a place forever. A body that is not an upload is small and is taken whole before anything else happens.
async fn in_time(request: Request, next: Next) -> Response {
    let slow = |_| Problem::new(StatusCode::REQUEST_TIMEOUT, "timed out");
    let answered = async {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if kind.is_some_and(|kind| kind.starts_with("multipart/form-data")) {
            return Ok(next.run(request).await);
        }
        let (parts, body) = request.into_parts();
        let bytes = tokio::time::timeout(BODY_TIME, to_bytes(body, MOST_BODY)).await.map_err(slow)?;
        let bytes = bytes.map_err(|_| {
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the body limit is {MOST_BODY} bytes"))
                .hint("upload files as `multipart/form-data`")
        })?;
        Ok(next.run(Request::from_parts(parts, bytes.into())).await)
    };
    match tokio::time::timeout(MOST_TIME, answered).await.map_err(slow) {
        Ok(Ok(response)) => response,
        Ok(Err(problem)) | Err(problem) => problem.into_response(),
    }
}

/// What is wrong with a path, a query or a body is said by the framework as text; clients get it as everything else.
async fn problems_are_json(request: Request, next: Next) -> Response {
    /// Longer ones would be no sentences.
    const LONGEST: usize = 4_096;
    let response = next.run(request).await;
    let status = response.status();
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let text = to_bytes(response.into_body(), LONGEST).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let message = if text.is_empty() { status.canonical_reason().unwrap_or("it failed") } else { &text };
    Problem::new(status, message).hint("`/api` describes the interface").into_response()
}
