//! Every verb as a route: `POST /api/v1/verbs/NAME` with its request as JSON, answered as the command line does.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use eaves_app::Request;
use serde_json::{Map, Value};

use crate::Problem;
use crate::answer::Answer;
use crate::state::Shared;

/// The answer of a verb. Kernels that it runs wait until no others are measured.
pub(super) async fn answer(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    Json(fields): Json<Map<String, Value>>,
) -> Result<Response, Problem> {
    let request = shared.request(&name, fields)?;
    let turn = match request.measures() {
        true => Some(shared.jobs.turn().await),
        false => None,
    };
    shared
        .heavy(move |shared| {
            let _turn = turn;
            Ok(Answer::json(shared.answer(request.as_ref())?).respond(&headers))
        })
        .await
}

/// The answer to a request, for routes that ask a verb in their own way.
pub(super) async fn answered(
    shared: &Arc<Shared>,
    request: impl Request + 'static,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    shared.heavy(move |shared| Ok(Answer::json(shared.answer(&request)?).respond(&headers))).await
}
