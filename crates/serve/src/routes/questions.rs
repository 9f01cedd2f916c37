//! Questions that the command line answers: predictions, devices, rooflines of other devices, differences.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Problem;
use crate::answer::Answer;
use crate::state::Shared;
use crate::words::{Field, Kind, device, options, text};

const COMMON: &[Field] = &[
    ("device", Kind::Device),
    ("weights", Kind::Names),
    ("activations", Kind::Names),
    ("cache", Kind::Names),
    ("compute", Kind::Names),
    ("sparse", Kind::Flag),
    ("peak_unit", Kind::Choice(&["ops", "macs"])),
    ("sweep", Kind::Sweep),
];
const PRECISIONS: &[Field] = &[("precision", Kind::Names), ("output_precision", Kind::Names)];
const OPERATORS: [(&str, &[Field]); 6] = [
    (
        "attention",
        &[
            ("batch", Kind::Extent),
            ("heads", Kind::Extent),
            ("kv_heads", Kind::Extent),
            ("queries", Kind::Extent),
            ("keys", Kind::Extent),
            ("head_dim", Kind::Extent),
            ("value_dim", Kind::Extent),
            ("causal", Kind::Flag),
            ("unfused", Kind::Flag),
            ("backward", Kind::Flag),
        ],
    ),
    (
        "conv",
        &[
            ("input", Kind::Extents),
            ("channels", Kind::Extent),
            ("kernel", Kind::Extents),
            ("stride", Kind::Extents),
            ("padding", Kind::Extents),
            ("dilation", Kind::Extents),
            ("groups", Kind::Extent),
            ("transposed", Kind::Flag),
            ("bias", Kind::Flag),
            ("backward", Kind::Flag),
        ],
    ),
    (
        "ffn",
        &[
            ("tokens", Kind::Extent),
            ("hidden", Kind::Extent),
            ("intermediate", Kind::Extent),
            ("no_gate", Kind::Flag),
        ],
    ),
    (
        "gemm",
        &[
            ("batch", Kind::Extent),
            ("m", Kind::Extent),
            ("n", Kind::Extent),
            ("k", Kind::Extent),
            ("bias", Kind::Flag),
        ],
    ),
    ("gemv", &[("n", Kind::Extent), ("k", Kind::Extent)]),
    (
        "model",
        &[
            ("phase", Kind::Choice(&["prefill", "decode", "both"])),
            ("batch", Kind::Extent),
            ("context", Kind::Extent),
            ("tensor_parallel", Kind::Extent),
            ("unfused", Kind::Flag),
            ("not_causal", Kind::Flag),
            ("all_logits", Kind::Flag),
            ("config", Kind::Names),
        ],
    ),
];

/// The words of `eaves predict`.
pub(in crate::routes) fn predict_words(mut asked: Map<String, Value>) -> Result<Vec<String>, Problem> {
    let op = asked.remove("op").and_then(|op| op.as_str().map(str::to_owned)).unwrap_or_default();
    let Some((name, fields)) = OPERATORS.iter().find(|(name, _)| *name == op) else {
        let names: Vec<&str> = OPERATORS.iter().map(|(name, _)| *name).collect();
        return Err(Problem::bad("`op` says what to predict").hint(format!("one of {}", names.join(", "))));
    };
    let mut words = vec!["predict".to_owned(), (*name).to_owned()];
    if *name == "model" {
        let model = asked.remove("model").ok_or_else(|| Problem::bad("`model` is missing"))?;
        words.push(text("model", Kind::Model, &model)?);
        words.extend(options(&asked, &[fields, COMMON])?);
    } else {
        words.extend(options(&asked, &[fields, COMMON, PRECISIONS])?);
    }
    Ok(words)
}

async fn answered(shared: &Arc<Shared>, words: Vec<String>, headers: HeaderMap) -> Result<Response, Problem> {
    shared.heavy(move |shared| Ok(Answer::json(shared.engine.answer(&words)?).respond(&headers))).await
}

/// What a shape or a model takes at best: `eaves.predict/1`. Fields are the options of `eaves predict OP`.
#[utoipa::path(post, path = "/predict", tag = "questions",
    request_body(content = Object, description = "`{op, ...}`: op is attention, conv, ffn, gemm, gemv or model"),
    responses((status = 200, description = "the prediction", content_type = "application/json")))]
pub(super) async fn predict(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(asked): Json<Map<String, Value>>,
) -> Result<Response, Problem> {
    answered(&shared, predict_words(asked)?, headers).await
}

/// The devices of the catalogue: `eaves device list --json`.
#[utoipa::path(get, path = "/devices", tag = "questions",
    responses((status = 200, description = "the devices", content_type = "application/json")))]
pub(super) async fn devices(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    answered(&shared, vec!["device".to_owned(), "list".to_owned()], headers).await
}

/// A device of the catalogue: `eaves device show NAME --json`.
#[utoipa::path(get, path = "/devices/{name}", tag = "questions",
    params(("name" = String, Path, description = "its name")),
    responses((status = 200, description = "the device", content_type = "application/json")))]
pub(super) async fn show_device(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let name = device(&name)
        .map_err(|problem| Problem::missing(problem.message()).hint("GET /api/v1/devices lists them"))?;
    answered(&shared, vec!["device".to_owned(), "show".to_owned(), name], headers).await
}

async fn known(shared: &Arc<Shared>, kind: &'static str, headers: HeaderMap) -> Result<Response, Problem> {
    shared.heavy(move |shared| Ok(Answer::json(shared.engine.known(kind)?).respond(&headers))).await
}

/// Every format in which numbers are stored.
#[utoipa::path(get, path = "/precisions", tag = "questions",
    responses((status = 200, description = "the formats", content_type = "application/json")))]
pub(super) async fn precisions(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    known(&shared, "precisions", headers).await
}

/// Models, combinations of precisions, shapes, and what can run kernels here.
#[utoipa::path(get, path = "/presets", tag = "questions",
    responses((status = 200, description = "what is known by name", content_type = "application/json")))]
pub(super) async fn presets(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    known(&shared, "presets", headers).await
}

/// The fields of a roofline that somebody else may set. Others name files of this machine.
const ROOFLINE: [&str; 10] = [
    "balanced",
    "bound_limit",
    "compat",
    "compute_threshold",
    "device",
    "dtype",
    "link",
    "memory_threshold",
    "peak_unit",
    "sparse",
];

/// The roofline of a run on another device or with other thresholds: `eaves.roofline/1`. Parameters are the options of
/// `eaves roofline`.
#[utoipa::path(get, path = "/runs/{id}/roofline", tag = "runs",
    params(("id" = String, Path, description = "the id of a run, or `latest`"),
        ("device" = Option<String>, Query, description = "a device of the catalogue"),
        ("bound_limit" = Option<f64>, Query, description = "above this share of its roof something is bound by it"),
        ("memory_threshold" = Option<f64>, Query, description = "inefficient below this share of the bandwidth"),
        ("compute_threshold" = Option<f64>, Query, description = "inefficient below this share of the peak")),
    responses((status = 200, description = "the roofline", content_type = "application/json")))]
pub(super) async fn roofline(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Query(asked): Query<Vec<(String, String)>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let run = shared.runs.find(&id)?;
    let mut request = Map::new();
    for (name, value) in asked.into_iter().filter(|(name, _)| name != "token") {
        if !ROOFLINE.contains(&name.as_str()) {
            return Err(Problem::bad(format!("`{name}` is no field of this"))
                .hint(format!("fields are {}", ROOFLINE.join(", "))));
        }
        let value = match value.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ if name == "device" => Value::String(device(&value)?),
            _ => Value::String(value),
        };
        request.insert(name, value);
    }
    for (field, file) in [("config", &shared.options.config), ("ops", &shared.options.ops)] {
        // What the user set up goes for everything that has no device of its own.
        let named = request.contains_key("device");
        if file.is_file() && !(named && field == "config") && !run.is_recorded() {
            request.insert(field.to_owned(), path(file));
        }
    }
    request.insert("inputs".to_owned(), run.inputs.iter().map(|input| path(input)).collect());
    asked_of(&shared, "roofline", request, headers).await
}

fn path(path: &std::path::Path) -> Value {
    Value::String(path.display().to_string())
}

async fn asked_of(
    shared: &Arc<Shared>,
    verb: &'static str,
    request: Map<String, Value>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    shared.heavy(move |shared| Ok(Answer::json(shared.engine.ask(verb, request)?).respond(&headers))).await
}

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
    let request = [("base", base), ("new", new)]
        .map(|(role, run)| (role.to_owned(), run.inputs.iter().map(|input| path(input)).collect::<Value>()));
    asked_of(&shared, "diff", request.into_iter().collect(), headers).await
}
