//! What the server tells without being asked: that an input, the configuration or the formulas have changed.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use serde::Serialize;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::state::Shared;

/// A message to whoever listens.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Message {
    /// `run`, `config`, `ops`, `live` or `progress`.
    pub(crate) kind: &'static str,
    /// What of it.
    pub(crate) data: serde_json::Value,
}

/// Messages, as browsers listen to them.
pub(crate) type Stream = Sse<axum::response::sse::KeepAliveStream<ReceiverStream<Result<Event, Infallible>>>>;

/// Where messages for one client are put. It fails when the client is gone.
pub(crate) type Sender = mpsc::Sender<Result<Event, Infallible>>;

/// A stream and where to put what it says.
pub(crate) fn stream() -> (Sender, Stream) {
    let (sender, receiver) = mpsc::channel(16);
    // Proxies close connections that say nothing.
    let alive = KeepAlive::new().interval(Duration::from_secs(15));
    (sender, Sse::new(ReceiverStream::new(receiver)).keep_alive(alive))
}

impl Message {
    /// As an event.
    pub(crate) fn event(&self) -> Result<Event, Infallible> {
        // A tree of JSON is always JSON, and has no line ends.
        Ok(Event::default().data(serde_json::to_string(self).unwrap_or_default()))
    }
}

/// Streams changes: `{kind, data}` with the kinds `run`, `config` and `ops`.
#[utoipa::path(get, path = "/events", tag = "live",
    responses((status = 200, description = "messages", content_type = "text/event-stream")))]
pub(super) async fn events(State(shared): State<Arc<Shared>>) -> Stream {
    let mut heard = shared.events.subscribe();
    let (sender, stream) = stream();
    tokio::spawn(async move {
        loop {
            let message = tokio::select! {
                message = heard.recv() => message,
                () = sender.closed() => return,
            };
            match message {
                Ok(message) if sender.send(message.event()).await.is_ok() => {}
                // Whoever is slow misses some; what changed is asked for again anyway.
                Err(RecvError::Lagged(_)) => {}
                _ => return,
            }
        }
    });
    stream
}
