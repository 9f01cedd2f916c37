//! What the interface is, for programs and for people.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::get;
use eaves_present::page::shell;
use utoipa::openapi::{
    Components, ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, Ref, ResponseBuilder, Server,
};
use utoipa::{PartialSchema, ToSchema};

use crate::answer::Answer;
use crate::problem::ErrorBody;
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

/// Says of every operation what a client gets that asked for something wrong.
pub(super) fn with_problems(mut description: OpenApi) -> OpenApi {
    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name(ErrorBody::name()))).build();
    let problem = ResponseBuilder::new()
        .description("what is wrong with the request, and what to try")
        .content("application/json", body)
        .build();
    description
        .components
        .get_or_insert_with(Components::new)
        .schemas
        .insert(ErrorBody::name().into(), ErrorBody::schema());
    for item in description.paths.paths.values_mut() {
        for operation in
            [&mut item.get, &mut item.put, &mut item.post, &mut item.delete].into_iter().flatten()
        {
            operation.responses.responses.insert("4XX".to_owned(), problem.clone().into());
        }
    }
    description
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
