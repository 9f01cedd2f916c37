//! `/api/analyze`, `/api/sweep`, `/api/recommend` and `/api/import-benchmarks` of the roofline calculator's dashboard,
//! answered by `eaves predict`. Measurements are those of `/api/v1/bench`, run if they are asked for, and are never mixed
//! with what was computed.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::routing::post;
use axum::{Json, Router};
use eaves_app::parse;
use eaves_app::verbs::Predict;
use eaves_roofline::Precision;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::hardware::USUAL;
use super::{benchmark, document, rows, scaled};
use crate::Problem;
use crate::jobs::{Job, Progress};
use crate::state::Shared;

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
        .route("/api/public/analyze", post(analyze_without_measuring))
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
    run_measured: bool,
    #[serde(default)]
    quick: bool,
}

/// The body of a request. What is no JSON, or not of this form, is the client's mistake, as everything it sends.
fn body<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let wrong = |error: serde_json::Error| Problem::bad(format!("invalid body: {error}"));
    // A list would be taken for the fields in their order.
    let fields: Map<String, Value> = serde_json::from_slice(bytes).map_err(wrong)?;
    serde_json::from_value(Value::Object(fields)).map_err(wrong)
}

/// Whether these are precisions, so that a name that is none is told from a prediction that fails.
fn check(precisions: &str) -> Result<(), Problem> {
    for name in precisions.split(',') {
        let known = name.trim().to_lowercase().parse::<Precision>();
        known.map_err(|_| {
            Problem::bad(format!("unknown precision `{name}`")).hint("GET /api/v1/precisions lists them")
        })?;
    }
    Ok(())
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
    shared: &Shared,
    [m, n, k]: [u64; 3],
    precision: &str,
    // A word of `Described`.
    device: &str,
) -> Result<Predicted, Problem> {
    let precision = precision.to_lowercase();
    let asked = json!({"op": "gemm", "m": m, "n": n, "k": k, "precision": precision, "device": device});
    let request: Predict = parse(asked.as_object().cloned().unwrap_or_default())?;
    let document = document(&shared.answer(&request)?);
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
    let value = |id: &str| row.get(id).and_then(Value::as_f64);
    // The peak of the device; `roof_tflops` is what a product of this shape can reach of it.
    let peak = value("flops").zip(value("time_compute_ns")).map(|(flops, time)| flops / time * 1e-3);
    json!({"precision": row.get("precision"), "peak_tflops": peak, "critical_ai": row.get("knee"),
        "roof_tflops": scaled(row.get("roof_gflops"), 1e-3)})
}

/// What was measured here, and what could not be.
#[derive(Default)]
struct Measured {
    points: Vec<Value>,
    errors: Vec<String>,
}

/// A benchmark that somebody waits for: without them it ends after the kernel that runs.
struct Awaited(Arc<Job>);

impl Drop for Awaited {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs products on this machine, one after the other, and waits for all of them.
async fn measure(shared: &Arc<Shared>, shapes: &[[u64; 3]], precisions: &str) -> Result<Measured, Problem> {
    let asked = json!({"kernel": "products", "shapes": shapes, "precision": precisions.to_lowercase()});
    let asked = asked.as_object().cloned().unwrap_or_default();
    let job = shared.heavy(move |shared| shared.jobs.start(asked, shared)).await?;
    let job = Awaited(job);
    let mut more = job.0.listen();
    loop {
        more.mark_unchanged();
        let told = job.0.from(0);
        if told.last().is_some_and(Progress::is_last) || more.changed().await.is_err() {
            return Ok(measured(&told));
        }
    }
}

fn measured(told: &[Progress]) -> Measured {
    let point = |document: &Value| {
        let mut point = benchmark::measured(document)?;
        point["source"] = "measured".into();
        point["label"] = point["shape"].clone();
        Some(point)
    };
    Measured {
        points: told.iter().filter_map(|progress| point(progress.document.as_ref()?)).collect(),
        errors: told.iter().filter_map(|progress| progress.error.clone()).collect(),
    }
}

/// What measurements are of, or how to get some.
fn note(is_measured: bool, device: &str) -> String {
    match is_measured {
        true => format!("measured on this server's machine, regardless of `{device}`"),
        false => "not requested: `run_measured=true` runs kernels on this machine".to_owned(),
    }
}

async fn analyze(
    State(shared): State<Arc<Shared>>,
    Query(query): Query<DeviceQuery>,
    bytes: axum::body::Bytes,
) -> Result<Json<Value>, Problem> {
    let spec = spec(&query, &bytes)?;
    // Before anything runs, because a device that is not known is a mistake that costs no time.
    shared.described.word(&query.hardware_key)?;
    let measured = match query.run_measured || query.run_all_precisions {
        true => Some(measure(&shared, &[[spec.m, spec.n, spec.k]], &spec.precision).await?),
        false => None,
    };
    predicted(&shared, query, spec, measured).await
}

async fn analyze_without_measuring(
    State(shared): State<Arc<Shared>>,
    Query(query): Query<DeviceQuery>,
    bytes: axum::body::Bytes,
) -> Result<Json<Value>, Problem> {
    let spec = spec(&query, &bytes)?;
    predicted(&shared, query, spec, None).await
}

/// What is asked for, in all precisions if so.
fn spec(query: &DeviceQuery, bytes: &[u8]) -> Result<Spec, Problem> {
    let mut spec: Spec = body(bytes)?;
    if query.run_all_precisions {
        spec.precision = ALL.to_owned();
    }
    check(&spec.precision)?;
    match [spec.m, spec.n, spec.k].contains(&0) {
        true => Err(Problem::bad("`M`, `N` and `K` are numbers from 1")),
        false => Ok(spec),
    }
}

async fn predicted(
    shared: &Arc<Shared>,
    query: DeviceQuery,
    spec: Spec,
    measured: Option<Measured>,
) -> Result<Json<Value>, Problem> {
    let device = shared.described.word(&query.hardware_key)?;
    let note = note(measured.is_some(), &query.hardware_key);
    let measured = measured.unwrap_or_default();
    shared
        .heavy(move |shared| {
            let shape = [spec.m, spec.n, spec.k];
            let predicted = predict(shared, shape, &spec.precision, &device)?;
            let recommendation = recommended(shared, shape, (&device, &query.hardware_key))?;
            Ok(Json(json!({
                "hardware": query.hardware_key,
                "simulated": predicted.rows.iter().map(|row| point(shape, row)).collect::<Vec<_>>(),
                "unsupported": predicted.unsupported,
                "measured": measured.points,
                "measured_errors": measured.errors,
                "measured_note": note,
                "roofline_lines": predicted.rows.iter().map(line).collect::<Vec<_>>(),
                "recommendation": recommendation,
            })))
        })
        .await
}

async fn sweep(
    State(shared): State<Arc<Shared>>,
    Query(query): Query<DeviceQuery>,
    bytes: axum::body::Bytes,
) -> Result<Json<Value>, Problem> {
    let device = shared.described.word(&query.hardware_key)?;
    let precisions: Vec<String> = if bytes.is_empty() {
        vec![if query.run_all_precisions { ALL.to_owned() } else { usual_precision() }]
    } else {
        serde_json::from_slice(&bytes).map_err(|_| Problem::bad("the body is a list of precisions"))?
    };
    if precisions.is_empty() || precisions.len() > 32 {
        return Err(Problem::bad("give one to 32 precisions"));
    }
    let precisions = precisions.join(",");
    check(&precisions)?;
    let is_quick = |shape: &[u64; 3]| [1, 2048, 4096].contains(&shape[0]) && shape[1..] == [4096, 4096];
    let shapes: Vec<[u64; 3]> = SHAPES.into_iter().filter(|shape| !query.quick || is_quick(shape)).collect();
    let found = match query.run_measured {
        true => Some(measure(&shared, &shapes, &precisions).await?),
        false => None,
    };
    let note = note(found.is_some(), &query.hardware_key);
    let found = found.unwrap_or_default();
    shared
        .heavy(move |shared| {
            let (mut points, mut lines) = (Vec::new(), Vec::new());
            for shape in shapes {
                let predicted = predict(shared, shape, &precisions, &device)?;
                points.extend(predicted.rows.iter().map(|row| point(shape, row)));
                lines = predicted.rows.iter().map(line).collect();
            }
            points.extend(found.points);
            Ok(Json(json!({
                "hardware": query.hardware_key,
                "points": points,
                "measured_errors": found.errors,
                "measured_note": note,
                "roofline_lines": lines,
            })))
        })
        .await
}

async fn recommend(
    State(shared): State<Arc<Shared>>,
    Query(query): Query<DeviceQuery>,
    bytes: axum::body::Bytes,
) -> Result<Json<Value>, Problem> {
    let spec = spec(&query, &bytes)?;
    let device = shared.described.word(&query.hardware_key)?;
    shared
        .heavy(move |shared| {
            Ok(Json(recommended(shared, [spec.m, spec.n, spec.k], (&device, &query.hardware_key))?))
        })
        .await
}

/// The precision that is predicted to be fastest of those that the device supports, compared with FP16. Nothing is known
/// of accuracy, and that is said.
fn recommended(shared: &Shared, shape: [u64; 3], (word, device): (&str, &str)) -> Result<Value, Problem> {
    let predicted = predict(shared, shape, ALL, word)?;
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
        "reason": format!("fastest predicted precision that {device} supports; effects on results not considered"),
        "predicted_speedup": time(&base) / time(&best),
        "memory_bound": best.get("class").is_some_and(|class| class == "memory-bound"),
        "memory_savings_pct": saved,
    }))
}

/// Points that were measured elsewhere: whole ones, or a shape and a time from which the rest follows.
#[derive(Debug, Deserialize)]
struct Import {
    points: Option<Vec<Map<String, Value>>>,
    simplified: Option<Vec<Map<String, Value>>>,
}

async fn import(State(shared): State<Arc<Shared>>, bytes: axum::body::Bytes) -> Result<Json<Value>, Problem> {
    let import: Import = body(&bytes)?;
    if import.points.is_none() && import.simplified.is_none() {
        return Err(Problem::bad("give `points`, `simplified`, or both"));
    }
    let (given, simplified) = (import.points.unwrap_or_default(), import.simplified.unwrap_or_default());
    if given.len() + simplified.len() > 10_000 {
        return Err(Problem::bad("at most 10000 points at once"));
    }
    shared
        .heavy(move |shared| {
            let (mut points, mut errors) = (Vec::new(), Vec::new());
            for (index, point) in given.into_iter().enumerate() {
                let positive = |id: &str| point.get(id).and_then(Value::as_f64).is_some_and(|value| value > 0.0);
                match ["ai", "tflops", "time_us"].iter().find(|id| !positive(id)) {
                    None => points.push(Value::Object(point)),
                    Some(id) => errors.push(format!("point {index}: `{id}` must be above 0")),
                }
            }
            for (index, given) in simplified.iter().enumerate() {
                match completed(shared, given) {
                    Ok(point) => points.push(point),
                    Err(problem) => errors.push(format!("simplified {index}: {}", problem.message())),
                }
            }
            Ok(Json(json!({"accepted": points.len(), "rejected": errors.len(), "points": points, "errors": errors})))
        })
        .await
}

/// A measured point from a shape, a precision and a time.
fn completed(shared: &Shared, given: &Map<String, Value>) -> Result<Value, Problem> {
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
    let predicted = predict(shared, shape, precision, USUAL)?;
    let row =
        predicted.rows.first().or(predicted.unsupported.first()).ok_or_else(|| Problem::bad("no data"))?;
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
