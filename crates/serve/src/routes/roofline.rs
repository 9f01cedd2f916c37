//! The roofline of a run on any device.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use eaves_app::verbs::Roofline;
use eaves_app::{Entry, parse};
use serde_json::{Map, Value};

use crate::Problem;
use crate::answer::Answer;
use crate::state::Shared;

/// The roofline of a run on another device or with other thresholds: `eaves.roofline/1`. Parameters are the fields of the
/// verb `roofline`, but for the inputs, which are the run.
#[utoipa::path(get, path = "/runs/{id}/roofline", tag = "runs",
    params(("id" = String, Path, description = "the id of a run, or `latest`")),
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
            return Err(Problem::bad(format!("`{name}` is no parameter of this"))
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

/// The fields of a verb that a query can have, with what they may hold: those that are no lists.
pub(super) fn parameters(verb: &Entry) -> Vec<(String, Value)> {
    let schema = (verb.schema)().to_value();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let single = properties.filter(|(_, field)| field["type"] != "array");
    single.map(|(name, field)| (name.clone(), field.clone())).collect()
}
