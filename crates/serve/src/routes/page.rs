//! The page and what it is made of.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use eaves_present::page::shell;

use crate::answer::Answer;
use crate::state::Shared;

static PAGE: LazyLock<Answer> = LazyLock::new(|| {
    let lacks: &[&str] = if cfg!(feature = "sql") { &[] } else { &["sql"] };
    Answer::new("text/html; charset=utf-8", shell("/app.js", "/app.css", "eaves", lacks))
});
static SCRIPT: LazyLock<Answer> =
    LazyLock::new(|| Answer::new("text/javascript; charset=utf-8", eaves_webui::SCRIPT));
static STYLE: LazyLock<Answer> = LazyLock::new(|| Answer::new("text/css; charset=utf-8", eaves_webui::STYLE));

/// The page.
pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/", get(page)).route("/app.js", get(script)).route("/app.css", get(style))
}

async fn page(headers: HeaderMap) -> Response {
    PAGE.respond(&headers)
}

async fn script(headers: HeaderMap) -> Response {
    SCRIPT.respond(&headers)
}

async fn style(headers: HeaderMap) -> Response {
    STYLE.respond(&headers)
}
