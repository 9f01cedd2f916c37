//! What the interface is, for programs and for people.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::get;
use eaves_present::page::shell;
use utoipa::openapi::{InfoBuilder, OpenApi, OpenApiBuilder, Server};

use crate::answer::Answer;
use crate::state::Shared;

/// What stands above the list of paths.
pub(super) fn description() -> OpenApi {
    let info = InfoBuilder::new()
        .title("eaves")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Runs, their parts, and questions. Errors have a status of 4xx or 5xx and the body `{error, hint}`.",
        ))
        .build();
    OpenApiBuilder::new().info(info).servers(Some([Server::new("/api/v1")])).build()
}

/// The description, and a page that lists it.
pub(super) fn routes(description: OpenApi) -> Router<Arc<Shared>> {
    static PAGE: LazyLock<Answer> = LazyLock::new(|| {
        Answer::new(
            "text/html; charset=utf-8",
            shell("/api/reference.js", "/app.css", "eaves: the interface"),
        )
    });
    static SCRIPT: LazyLock<Answer> =
        LazyLock::new(|| Answer::new("text/javascript; charset=utf-8", include_str!("reference.js")));
    // A tree of texts is always JSON.
    let text = serde_json::to_vec(&description).unwrap_or_default();
    let described = Arc::new(Answer::json(text));
    Router::new()
        .route("/api/v1/openapi.json", get(async move |headers: HeaderMap| described.respond(&headers)))
        .route("/api", get(async |headers: HeaderMap| PAGE.respond(&headers)))
        .route("/api/reference.js", get(async |headers: HeaderMap| SCRIPT.respond(&headers)))
}
