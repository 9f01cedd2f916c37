//! `/api/benchmark/stream` of the roofline calculator's dashboard: products that run here one after the other, told as
//! they finish.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::response::sse::Event;
use axum::routing::get;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{rows, scaled};
use crate::Problem;
use crate::jobs::Progress;
use crate::routes::bench::follow;
use crate::routes::events::{Stream, stream};
use crate::state::Shared;

/// Shapes, if none are named: one token, a prompt, a square.
const SHAPES: &str = "1,4096,4096;2048,4096,4096;4096,4096,4096";
/// Precisions, if none are named.
const PRECISIONS: &str = "FP16,FP8_E4M3,NVFP4,INT8";

pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/api/benchmark/stream", get(run))
}

#[derive(Debug, Deserialize)]
struct Asked {
    #[serde(default)]
    shapes: Option<String>,
    #[serde(default)]
    precisions: Option<String>,
}

async fn run(State(shared): State<Arc<Shared>>, Query(asked): Query<Asked>) -> Result<Stream, Problem> {
    let shapes = shapes(asked.shapes.as_deref().unwrap_or(SHAPES))?;
    let precision = asked.precisions.as_deref().unwrap_or(PRECISIONS).to_lowercase();
    let asked = json!({"kernel": "products", "shapes": shapes, "precision": precision});
    let job = shared
        .heavy(move |shared| shared.jobs.start(asked.as_object().cloned().unwrap_or_default(), shared))
        .await?;
    let (sender, stream) = stream();
    tokio::spawn(async move {
        let message = |progress: &Progress| Some(Ok(Event::default().data(event(progress)?.to_string())));
        follow(&job, &sender, message).await;
        // Nobody else knows of the job.
        job.cancel();
    });
    Ok(stream)
}

/// `1,4096,4096;2048,4096,4096`.
fn shapes(text: &str) -> Result<Vec<[u64; 3]>, Problem> {
    let shape = |text: &str| {
        let extents: Option<Vec<u64>> = text.split(',').map(|extent| extent.trim().parse().ok()).collect();
        extents.and_then(|extents| <[u64; 3]>::try_from(extents).ok())
    };
    let all: Option<Vec<[u64; 3]>> = text.split(';').map(shape).collect();
    all.ok_or_else(|| Problem::bad("`shapes` are `M,N,K;M,N,K`"))
}

/// What the interface says of a step; nothing of one in which nothing finished.
fn event(progress: &Progress) -> Option<Value> {
    if progress.is_last() {
        return Some(json!({"done": true, "total": progress.total}));
    }
    let place = format!("{}/{}", progress.done, progress.total);
    if let Some(error) = &progress.error {
        return Some(json!({"error": error, "progress": place}));
    }
    let mut event = measured(progress.document.as_ref()?)?;
    event["progress"] = place.into();
    Some(event)
}

/// What a document of one benchmark says of its kernel; nothing if it was not measured.
pub(super) fn measured(document: &Value) -> Option<Value> {
    let rows = rows(&document["sections"][0], "results");
    let row = rows.first()?;
    let value = |id: &str| row.get(id).and_then(Value::as_f64);
    let name = row.get("name").and_then(Value::as_str).unwrap_or_default();
    Some(json!({
        "shape": name.rsplit(' ').next(),
        "precision": row.get("precision"),
        "time_us": scaled(row.get("time_ns"), 1e-3),
        "tflops": scaled(row.get("gflops"), 1e-3),
        "bandwidth_gb_s": row.get("gbps"),
        "ai": value("flops").zip(value("bytes")).map(|(flops, bytes)| flops / bytes),
    }))
}
