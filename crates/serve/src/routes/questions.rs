//! Questions that the command line answers: predictions, devices, rooflines of other devices, differences.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use eaves_app::verbs::device::{DeviceOp, List, Show};
use eaves_app::verbs::{Device, Diff, Inputs, Predict, Roofline};
use eaves_app::{Entry, Request, parse};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Problem;
use crate::answer::Answer;
use crate::requests::check_lists;
use crate::runs::Run;
use crate::state::Shared;

async fn answered(
    shared: &Arc<Shared>,
    request: impl Request + 'static,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    shared.heavy(move |shared| Ok(Answer::json(shared.answer(&request)?).respond(&headers))).await
}

/// Predicts the best possible time of a shape or model: `eaves.predict/1`. Fields are those of the verb `predict`.
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

/// The devices of the catalog: `eaves device list --json`.
#[utoipa::path(get, path = "/devices", tag = "questions",
    responses((status = 200, description = "the devices", content_type = "application/json")))]
pub(super) async fn devices(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    answered(&shared, Device { op: DeviceOp::List(List::default()) }, headers).await
}

/// A device of the catalog: `eaves device show NAME --json`.
#[utoipa::path(get, path = "/devices/{name}", tag = "questions",
    params(("name" = String, Path, description = "its name")),
    responses((status = 200, description = "the device", content_type = "application/json")))]
pub(super) async fn show_device(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let found = eaves_roofline::device::find(&name)
        .map_err(|unknown| Problem::missing(unknown.to_string()).hint("GET /api/v1/devices lists them"))?;
    answered(&shared, Device { op: DeviceOp::Show(Show { device: found.id }) }, headers).await
}

/// The roofline of a run on another device or with other thresholds: `eaves.roofline/1`. Parameters are the fields of the
/// verb `roofline`, but for the inputs, which are the run.
#[utoipa::path(get, path = "/runs/{id}/roofline", tag = "runs",
    params(("id" = String, Path, description = "run ID, or `latest`")),
    responses((status = 200, description = "the roofline", content_type = "application/json")))]
pub(super) async fn roofline(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Query(asked): Query<Vec<(String, String)>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let run = shared.runs.find(&id)?;
    let known = parameters(&Entry::of::<Roofline>());
    let mut request = Map::new();
    for (name, value) in asked.into_iter().filter(|(name, _)| name != "token") {
        if !known.iter().any(|(known, _)| *known == name) {
            let names: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
            return Err(Problem::bad(format!("unknown parameter `{name}`"))
                .hint(format!("parameters are {}", names.join(", "))));
        }
        let value = match value.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => Value::String(value),
        };
        request.insert(name, value);
    }
    shared
        .heavy(move |shared| {
            let mut request: Roofline = parse(request)?;
            shared.permitted(&request)?;
            let loaded = shared.runs.load(&run)?;
            request.inputs = vec![run.name().into()];
            shared.runs.complete(&mut request, loaded.recordings());
            Ok(Answer::json(shared.run(&request)?).respond(&headers))
        })
        .await
}

/// The fields of a verb that a query can have, with what they may hold: those that are not lists.
pub(super) fn parameters(verb: &Entry) -> Vec<(String, Value)> {
    let schema = (verb.schema)().to_value();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let single = properties.filter(|(_, field)| field["type"] != "array");
    single.map(|(name, field)| (name.clone(), field.clone())).collect()
}

/// What a run is compared with.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct DiffQuery {
    /// The id of the run before.
    base: String,
}

/// Compares another run with this one: `eaves.diff/1`.
#[utoipa::path(get, path = "/runs/{id}/diff", tag = "runs",
    params(("id" = String, Path, description = "run ID, or `latest`"), DiffQuery),
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
