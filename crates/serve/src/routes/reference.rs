//! What the interface is, for programs and for people.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::get;
use eaves_app::verbs::{self, Roofline};
use eaves_app::{Entry, Verb};
use eaves_present::page::shell;
use serde_json::{Value, json};
use utoipa::openapi::{
    Components, ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, Ref, ResponseBuilder, Server,
};
use utoipa::{PartialSchema, ToSchema};

use super::roofline;
use crate::answer::Answer;
use crate::problem::ErrorBody;
use crate::state::Shared;

/// What stands above the list of paths.
pub(super) fn description() -> OpenApi {
    let info = InfoBuilder::new()
        .title("eaves")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Runs, their parts, and requests. Errors have status 4xx or 5xx and the body `{error, hint}`.",
        ))
        .build();
    OpenApiBuilder::new().info(info).servers(Some([Server::new("/api/v1")])).build()
}

/// Says of every operation what a client gets that asked for something wrong.
pub(super) fn with_problems(mut description: OpenApi) -> OpenApi {
    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name(ErrorBody::name()))).build();
    let problem =
        ResponseBuilder::new().description("error and hint").content("application/json", body).build();
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

/// Adds a path for each verb, whose body is the schema of its request, and the requests of other paths.
pub(super) fn with_verbs(description: &OpenApi) -> Value {
    // A tree of texts is always JSON.
    let mut description = serde_json::to_value(description).unwrap_or_default();
    for verb in verbs::ALL {
        let (request, parts) = schemas(verb);
        let sentence = request["description"].clone();
        let schemas = &mut description["components"]["schemas"];
        parts.into_iter().for_each(|(name, schema)| schemas[name] = schema);
        schemas[verb.name] = request;
        let problem = description["paths"]["/predict"]["post"]["responses"]["4XX"].clone();
        description["paths"][format!("/verbs/{}", verb.name)] = json!({"post": {
            "tags": ["verbs"],
            "summary": sentence,
            "operationId": format!("verb_{}", verb.name),
            "requestBody": body(verb.name),
            "responses": {
                "200": {"description": "the answer", "content": {"application/json": {}}},
                "4XX": problem,
            },
        }});
    }
    for verb in ["bench", "predict"] {
        description["paths"][format!("/{verb}")]["post"]["requestBody"] = body(verb);
    }
    let roofline = &mut description["paths"]["/runs/{id}/roofline"]["get"]["parameters"];
    if let Some(parameters) = roofline.as_array_mut() {
        let of_query = roofline::parameters(&Entry::of::<Roofline>()).into_iter();
        parameters.extend(of_query.map(|(name, mut schema)| {
            rename(&mut schema, Roofline::NAME);
            json!({"name": name, "in": "query", "required": false, "description": schema["description"], "schema": schema})
        }));
    }
    description
}

fn body(verb: &str) -> Value {
    let schema = json!({"$ref": format!("#/components/schemas/{verb}")});
    json!({"required": true, "content": {"application/json": {"schema": schema}}})
}

/// The schema of the request of a verb, and those that it refers to. Verbs have parts of the same name, so the names of
/// parts have that of the verb before them.
fn schemas(verb: &Entry) -> (Value, Vec<(String, Value)>) {
    let mut request = (verb.schema)().to_value();
    rename(&mut request, verb.name);
    let fields = request.as_object_mut();
    let parts = fields.and_then(|fields| {
        fields.remove("$schema");
        fields.remove("$defs")
    });
    let Some(Value::Object(parts)) = parts else { return (request, Vec::new()) };
    let named = parts.into_iter().map(|(name, schema)| (format!("{}.{name}", verb.name), schema));
    (request, named.collect())
}

/// Points references to where the parts of a schema are in the description.
fn rename(schema: &mut Value, verb: &str) {
    match schema {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str().and_then(|text| text.strip_prefix("#/$defs/")) {
                    Some(part) if name == "$ref" => {
                        *value = format!("#/components/schemas/{verb}.{part}").into()
                    }
                    _ => rename(value, verb),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| rename(value, verb)),
        _ => {}
    }
}

/// The description, and a page that lists it.
pub(super) fn routes(description: &Value) -> Router<Arc<Shared>> {
    static PAGE: LazyLock<Answer> = LazyLock::new(|| {
        Answer::new(
            "text/html; charset=utf-8",
            shell("/api/reference.js", "/app.css", "eaves: the interface", &[]),
        )
    });
    static SCRIPT: LazyLock<Answer> =
        LazyLock::new(|| Answer::new("text/javascript; charset=utf-8", include_str!("reference.js")));
    let described = Arc::new(Answer::json(description.to_string()));
    Router::new()
        .route("/api/v1/openapi.json", get(async move |headers: HeaderMap| described.respond(&headers)))
        .route("/api", get(async |headers: HeaderMap| PAGE.respond(&headers)))
        .route("/api/reference.js", get(async |headers: HeaderMap| SCRIPT.respond(&headers)))
}
