//! What a shape or a model takes at best.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use eaves_app::parse;
use eaves_app::verbs::Predict;
use serde_json::{Map, Value};

use super::verbs::answered;
use crate::Problem;
use crate::requests::check_lists;
use crate::state::Shared;

/// What a shape or a model takes at best: `eaves.predict/1`. The fields are those of the verb `predict`.
#[utoipa::path(post, path = "/predict", tag = "questions",
    responses((status = 200, description = "the prediction", content_type = "application/json")))]
pub(super) async fn predict(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(asked): Json<Map<String, Value>>,
) -> Result<Response, Problem> {
    check_lists(&asked)?;
    answered(&shared, parse::<Predict>(asked)?, headers).await
}
