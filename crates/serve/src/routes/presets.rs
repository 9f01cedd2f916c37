//! What `predict` and `bench` know by name, for forms to choose from.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use eaves_app::running;
use eaves_app::verbs::bench;
use eaves_roofline::predict::{configurations, models};
use eaves_roofline::{Every, Family, Precision, Scale};
use serde_json::{Value, json};

use crate::Problem;
use crate::answer::Answer;
use crate::state::Shared;

/// Elements that scales are shared by where bits per element are told: a layer of 4096 by 4096.
const ELEMENTS: f64 = 4096.0 * 4096.0;

/// Lists number formats.
#[utoipa::path(get, path = "/precisions", tag = "questions",
    responses((status = 200, description = "the formats", content_type = "application/json")))]
pub(super) async fn precisions(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    known(&shared, || Precision::all().map(|precision| format(&precision)).collect(), headers).await
}

/// Lists models, precision presets, shapes and available backends.
#[utoipa::path(get, path = "/presets", tag = "questions",
    responses((status = 200, description = "known names", content_type = "application/json")))]
pub(super) async fn presets(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    known(&shared, all_presets, headers).await
}

async fn known(
    shared: &Arc<Shared>,
    make: impl FnOnce() -> Value + Send + 'static,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    shared.heavy(move |_| Ok(Answer::json(make().to_string()).respond(&headers))).await
}

fn format(precision: &Precision) -> Value {
    let family = match precision.family {
        Family::Float => "float",
        Family::Integer => "integer",
        Family::Microscaling => "microscaling",
        Family::Nvfp4 => "nvfp4",
        Family::Lookup => "lookup",
        Family::Plain => "plain",
    };
    let scale = |scale: &Scale| {
        let every = match scale.every {
            Every::Elements(count) => Some(count),
            Every::Tensor => None,
        };
        json!({"bits": scale.bits, "every": every})
    };
    json!({
        "name": precision.name,
        "family": family,
        "element_bits": precision.element_bits,
        "exponent_bits": precision.exponent_bits,
        "mantissa_bits": precision.mantissa_bits,
        "largest": precision.largest,
        "scales": precision.scales.iter().flatten().map(scale).collect::<Vec<_>>(),
        "effective_bits": precision.effective_bits(ELEMENTS),
        "arithmetic": precision.arithmetic().map(|arithmetic| arithmetic.id()),
    })
}

fn all_presets() -> Value {
    let model = |(key, model): &(&str, eaves_roofline::predict::Transformer)| json!({"key": key, "name": key, "parameters": model.parameters() as f64});
    let configuration = |key: &str| {
        let known = configurations::configuration(key)?;
        Some(json!({
            "key": key,
            "weights": known.weights.to_string(),
            "activations": known.activations.to_string(),
            "cache": known.cache.to_string(),
            "compute": known.compute.map(|compute| compute.id()),
        }))
    };
    let shapes = bench::presets().into_iter().map(|(key, shapes)| json!({"key": key, "shapes": shapes}));
    let backends = running::backends()
        .into_iter()
        .map(|(name, reason)| json!({"name": name, "available": reason.is_none(), "reason": reason}));
    json!({
        "models": models::all().iter().map(model).collect::<Vec<_>>(),
        "configurations": configurations::keys().filter_map(configuration).collect::<Vec<_>>(),
        "shapes": shapes.collect::<Vec<_>>(),
        "bench_precisions": bench::ALL_PRECISIONS,
        "backends": backends.collect::<Vec<_>>(),
    })
}
