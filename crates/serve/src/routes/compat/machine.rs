//! `/api/nvml/*` of the roofline calculator's dashboard: the first NVIDIA GPU of this machine now, and twice a second.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::Event;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::Problem;
use crate::live::{Gpu, nvidia_gpus};
use crate::routes::events::{Stream, stream};
use crate::state::Shared;

/// Between two messages.
const PERIOD: Duration = Duration::from_millis(500);

pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/api/nvml/status", get(status)).route("/api/nvml/stream", get(samples))
}

/// The first GPU, if there is one.
fn now() -> Result<Value, Problem> {
    let gpus = nvidia_gpus().unwrap_or_default();
    gpus.first().map(told).ok_or_else(|| {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no NVIDIA driver on this machine")
            .hint("/api/v1/live has the available samples")
    })
}

fn told(gpu: &Gpu) -> Value {
    let mebibytes = |bytes: Option<u64>| bytes.map(|bytes| bytes as f64 / (1u64 << 20) as f64);
    json!({
        "device_name": gpu.name,
        "gpu_clock_mhz": gpu.clock_mhz,
        "mem_clock_mhz": gpu.memory_clock_mhz,
        "power_draw_w": gpu.power_w,
        "power_limit_w": gpu.power_limit_w,
        "temperature_c": gpu.temperature_c,
        "mem_used_mb": mebibytes(gpu.memory_used_bytes),
        "mem_total_mb": mebibytes(gpu.memory_total_bytes),
        "gpu_utilization_pct": gpu.utilisation_pct,
        "compute_capability": gpu.compute_capability,
    })
}

async fn status(State(shared): State<Arc<Shared>>) -> Result<Json<Value>, Problem> {
    shared.heavy(|_| now().map(Json)).await
}

async fn samples(State(shared): State<Arc<Shared>>) -> Result<Stream, Problem> {
    let place = shared.place_to_listen()?;
    shared.heavy(|_| now().map(drop)).await?;
    let (sender, stream) = stream();
    tokio::task::spawn_blocking(move || {
        let _place = place;
        while let Ok(sample) = now() {
            if sender.blocking_send(Ok(Event::default().data(sample.to_string()))).is_err() {
                return;
            }
            std::thread::sleep(PERIOD);
        }
    });
    Ok(stream)
}
