//! `/api/analyze` and its neighbours: the roofline calculator's interface, answered by `eaves predict`. Measurements are
//! those of `/api/v1/bench` and are never mixed with what was computed.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::routing::post;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::hardware::USUAL;
use super::{rows, scaled};
use crate::routes::questions::predict_words;
use crate::state::Shared;
use crate::{Engine, Problem};

/// What "all precisions" are.
const ALL: &str = "fp16,fp8_e4m3,nvfp4,int8,int4";
/// Shapes of a sweep: decode, feed-forward, and prompts of several lengths.
const SHAPES: [[u64; 3]; 10] = [
    [1, 4096, 4096],
    [1, 4096, 14336],
    [1, 14336, 4096],
    [16, 4096, 4096],
    [128, 4096, 4096],
    [512, 4096, 4096],
    [1024, 4096, 4096],
    [2048, 4096, 4096],
    [2048, 4096, 14336],
    [4096, 4096, 4096],
];

pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/analyze", post(analyze))
        .route("/api/sweep", post(sweep))
        .route("/api/recommend", post(recommend))
        .route("/api/import-benchmarks", post(import))
        // The same for clients that must not reach a GPU: none of these runs a kernel.
        .route("/api/public/analyze", post(analyze))
        .route("/api/public/recommend", post(recommend))
        .route("/api/public/import-benchmarks", post(import))
}

#[derive(Debug, Deserialize)]
struct DeviceQuery {
    #[serde(default = "usual_device")]
    hardware_key: String,
    #[serde(default)]
    run_all_precisions: bool,
    #[serde(default)]
    quick: bool,
}

fn usual_device() -> String {
    USUAL.to_owned()
}

/// A product of matrices. Tiles are part of the interface and have no effect on a bound.
#[derive(Debug, Deserialize)]
struct Spec {
    #[serde(rename = "M", default = "usual")]
    m: u64,
    #[serde(rename = "N", default = "usual")]
    n: u64,
    #[serde(rename = "K", default = "usual")]
    k: u64,
    #[serde(default = "usual_precision")]
    precision: String,
}

fn usual() -> u64 {
    4096
}

fn usual_precision() -> String {
    "fp16".to_owned()
}

/// What was predicted, and what the device cannot do.
struct Predicted {
    rows: Vec<Map<String, Value>>,
    unsupported: Vec<Map<String, Value>>,
}

fn predict(
    engine: &dyn Engine,
    [m, n, k]: [u64; 3],
    precision: &str,
    // A word of `Described`.
    device: &str,
) -> Result<Predicted, Problem> {
    let asked = json!({"op": "gemm", "m": m, "n": n, "k": k, "precision": precision.to_lowercase()});
    let mut words = predict_words(asked.as_object().cloned().unwrap_or_default())?;
    words.push(format!("--device={device}"));
    let document: Value = serde_json::from_slice(&engine.answer(&words)?).unwrap_or_default();
    let section = &document["sections"][0];
    Ok(Predicted { rows: rows(section, "predictions"), unsupported: rows(section, "unsupported") })
}

fn point([m, n, k]: [u64; 3], row: &Map<String, Value>) -> Value {
    let value = |id: &str| row.get(id).and_then(Value::as_f64);
    let per = |work: &str, scale: f64| Some(value(work)? / value("time_ns")? * scale);
    json!({
        "ai": row.get("intensity"),
        "tflops": per("flops", 1e-3),
        "time_us": scaled(row.get("time_ns"), 1e-3),
        "label": row.get("op"),
        "source": "simulated",
        "precision": row.get("precision"),
        "shape": format!("{m}x{n}x{k}"),
        "bottleneck": row.get("class"),
        "bandwidth_gb_s": per("bytes", 1.0),
    })
}

fn line(row: &Map<String, Value>) -> Value {
    json!({"precision": row.get("precision"), "critical_ai": row.get("knee"), "roof_tflops": scaled(row.get("roof_gflops"), 1e-3)})
}

async fn analyze(
    State(shared): State<Arc<Shared>>,
    Query(query): Query<DeviceQuery>,
    Json(spec): Json<Spec>,
) -> Result<Json<Value>, Problem> {
    let device = shared.described.word(&query.hardware_key)?;
    shared
        .heavy(move |shared| {
            let shape = [spec.m, spec.n, spec.k];
            let precision = if query.run_all_precisions { ALL } else { &spec.precision };
            let predicted = predict(shared.engine.as_ref(), shape, precision, &device)?;
            let recommendation = recommended(shared.engine.as_ref(), shape, (&device, &query.hardware_key))?;
            Ok(Json(json!({
                "hardware": query.hardware_key,
                "simulated": predicted.rows.iter().map(|row| point(shape, row)).collect::<Vec<_>>(),
                "unsupported": predicted.unsupported,
                "measured": [],
                "measured_note": "POST /api/v1/bench runs kernels on this machine",
                "roofline_lines": predicted.rows.iter().map(line).collect::<Vec<_>>(),
                "recommendation": recommendation,
            })))
        })
        .await
}

async fn sweep(
    State(shared): State<Arc<Shared>>,
    Query(query): Query<DeviceQuery>,
    body: axum::body::Bytes,
) -> Result<Json<Value>, Problem> {
    let device = shared.described.word(&query.hardware_key)?;
    let precisions: Vec<String> = if body.is_empty() {
        vec![usual_precision()]
    } else {
        serde_json::from_slice(&body).map_err(|_| Problem::bad("the body is a list of precisions"))?
    };
    if precisions.is_empty() || precisions.len() > 32 {
        return Err(Problem::bad("give one to 32 precisions"));
    }
    shared
        .heavy(move |shared| {
            let shapes: Vec<[u64; 3]> = SHAPES
                .into_iter()
                .filter(|shape| {
                    !query.quick || [1, 2048, 4096].contains(&shape[0]) && shape[1..] == [4096, 4096]
                })
                .collect();
            let (mut points, mut lines) = (Vec::new(), Vec::new());
            for shape in shapes {
                let predicted = predict(shared.engine.as_ref(), shape, &precisions.join(","), &device)?;
                points.extend(predicted.rows.iter().map(|row| point(shape, row)));
                lines = predicted.rows.iter().map(line).collect();
            }
            Ok(Json(json!({"hardware": query.hardware_key, "points": points, "roofline_lines": lines})))
        })
        .await
}

async fn recommend(
    State(shared): State<Arc<Shared>>,
    Query(query): Query<DeviceQuery>,
    Json(spec): Json<Spec>,
) -> Result<Json<Value>, Problem> {
    let device = shared.described.word(&query.hardware_key)?;
    shared
        .heavy(move |shared| {
            Ok(Json(recommended(
                shared.engine.as_ref(),
                [spec.m, spec.n, spec.k],
                (&device, &query.hardware_key),
            )?))
        })
        .await
}

/// The precision that is predicted to be quickest of those that the device supports, held against FP16. Nothing is known
/// of accuracy, and that is said.
fn recommended(engine: &dyn Engine, shape: [u64; 3], (word, device): (&str, &str)) -> Result<Value, Problem> {
    let predicted = predict(engine, shape, ALL, word)?;
    let value = |row: &Map<String, Value>, id: &str| row.get(id).and_then(Value::as_f64);
    let time = |row: &&Map<String, Value>| value(row, "time_ns").unwrap_or(f64::INFINITY);
    let base = predicted.rows.iter().find(|row| row.get("precision").is_some_and(|name| name == "fp16"));
    let best = predicted.rows.iter().min_by(|a, b| time(a).total_cmp(&time(b)));
    let (Some(base), Some(best)) = (base, best) else {
        return Err(Problem::missing(format!("{device} has no FP16 peak to compare with")));
    };
    let name = best.get("precision").and_then(Value::as_str).unwrap_or_default();
    let method = match name {
        "fp8_e4m3" => "native_fp8",
        "nvfp4" | "mxfp4" => "native_fp4",
        "int8" => "PTQ",
        "int4" => "AWQ",
        _ => "none",
    };
    let saved =
        value(base, "bytes").zip(value(best, "bytes")).map(|(base, best)| 100.0 * (1.0 - best / base));
    Ok(json!({
        "precision": name,
        "method": method,
        "reason": format!("quickest by prediction of what {device} supports; what it does to results was not looked at"),
        "predicted_speedup": time(&base) / time(&best),
        "memory_bound": best.get("class").is_some_and(|class| class == "memory-bound"),
        "memory_savings_pct": saved,
    }))
}

/// Points that were measured elsewhere: whole ones, or a shape and a time from which the rest follows.
#[derive(Debug, Deserialize)]
struct Import {
    #[serde(default)]
    points: Vec<Map<String, Value>>,
    #[serde(default)]
    simplified: Vec<Map<String, Value>>,
}

async fn import(
    State(shared): State<Arc<Shared>>,
    Json(import): Json<Import>,
) -> Result<Json<Value>, Problem> {
    if import.points.len() + import.simplified.len() > 10_000 {
        return Err(Problem::bad("at most 10000 points at once"));
    }
    shared
        .heavy(move |shared| {
            let (mut points, mut errors) = (Vec::new(), Vec::new());
            for (index, point) in import.points.into_iter().enumerate() {
                let positive = |id: &str| point.get(id).and_then(Value::as_f64).is_some_and(|value| value > 0.0);
                match ["ai", "tflops", "time_us"].iter().find(|id| !positive(id)) {
                    None => points.push(Value::Object(point)),
                    Some(id) => errors.push(format!("point {index}: `{id}` must be above 0")),
                }
            }
            for (index, given) in import.simplified.iter().enumerate() {
                match completed(shared.engine.as_ref(), given) {
                    Ok(point) => points.push(point),
                    Err(problem) => errors.push(format!("simplified {index}: {}", problem.message())),
                }
            }
            Ok(Json(json!({"accepted": points.len(), "rejected": errors.len(), "points": points, "errors": errors})))
        })
        .await
}

/// A measured point from a shape, a precision and a time.
fn completed(engine: &dyn Engine, given: &Map<String, Value>) -> Result<Value, Problem> {
    let text = given.get("shape").and_then(Value::as_str).unwrap_or_default();
    let extents: Option<Vec<u64>> =
        text.split('x').map(|one| one.trim().parse().ok().filter(|one| *one > 0)).collect();
    let shape = match extents.as_deref() {
        Some(&[n, k]) => [1, n, k],
        Some(&[m, n, k]) => [m, n, k],
        _ => return Err(Problem::bad("`shape` is `NxK` or `MxNxK`")),
    };
    let time = given.get("time_us").and_then(Value::as_f64).filter(|time| *time > 0.0);
    let time = time.ok_or_else(|| Problem::bad("`time_us` must be above 0"))?;
    let precision = given.get("precision").and_then(Value::as_str).unwrap_or("fp16");
    // Any device will do: work is the same on all of them.
    let predicted = predict(engine, shape, precision, USUAL)?;
    let row = predicted
        .rows
        .first()
        .or(predicted.unsupported.first())
        .ok_or_else(|| Problem::bad("nothing is known of that"))?;
    let work = |id: &str| row.get(id).and_then(Value::as_f64);
    let or = |id: &str, computed: Option<f64>| given.get(id).and_then(Value::as_f64).or(computed);
    Ok(json!({
        "ai": or("ai", work("intensity")),
        "tflops": or("tflops", work("flops").map(|flops| flops / time / 1e6)),
        "bandwidth_gb_s": or("bandwidth_gb_s", work("bytes").map(|bytes| bytes / time / 1e3)),
        "time_us": time,
        "label": given.get("label"),
        "source": "measured",
        "precision": precision,
        "shape": text,
    }))
}
