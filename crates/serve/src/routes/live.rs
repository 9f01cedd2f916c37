//! What the machine does now.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;

use super::events::{Message, Stream, stream};
use crate::live::Sampler;
use crate::state::Shared;

/// Between two samples.
const PERIOD: Duration = Duration::from_millis(500);

/// Streams CPU, memory, load and GPU samples of this machine: kind `live`, two per second.
#[utoipa::path(get, path = "/live", tag = "live",
    responses((status = 200, description = "samples", content_type = "text/event-stream")))]
pub(super) async fn live(State(shared): State<Arc<Shared>>) -> Result<Stream, crate::Problem> {
    let place = shared.place_to_listen()?;
    let (sender, stream) = stream();
    tokio::task::spawn_blocking(move || {
        let _place = place;
        let mut sampler = Sampler::new(None);
        loop {
            std::thread::sleep(PERIOD);
            let data = serde_json::to_value(sampler.sample()).unwrap_or_default();
            if sender.blocking_send(Message { kind: "live", data }.event()).is_err() {
                return;
            }
        }
    });
    Ok(stream)
}
