//! The configuration of the roofline view and the user's formulas.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use eaves_roofline::scripts;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Problem;
use crate::files::{Config, read_config, read_text, write_config, write_text};
use crate::problem::ErrorBody;
use crate::state::Shared;

/// The configuration and where it is.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct ConfigAnswer {
    #[schema(value_type = Object)]
    config: Map<String, Value>,
    path: String,
    /// Problem of the file, and where it was moved.
    problem: Option<String>,
}

impl ConfigAnswer {
    fn new(shared: &Shared, config: Config) -> Self {
        Self {
            config: config.values,
            path: shared.options.config_path().display().to_string(),
            problem: config.problem,
        }
    }
}

/// The configuration; missing keys have their defaults.
#[utoipa::path(get, path = "/config", tag = "configuration",
    responses((status = 200, description = "the configuration", body = ConfigAnswer)))]
pub(super) async fn config(State(shared): State<Arc<Shared>>) -> Result<Json<ConfigAnswer>, Problem> {
    shared
        .heavy(|shared| Ok(Json(ConfigAnswer::new(shared, read_config(shared.options.config_path())))))
        .await
}

/// Saves the configuration.
#[utoipa::path(put, path = "/config", tag = "configuration", request_body(content = Object),
    responses((status = 200, description = "as saved", body = ConfigAnswer)))]
pub(super) async fn save_config(
    State(shared): State<Arc<Shared>>,
    Json(values): Json<Map<String, Value>>,
) -> Result<Json<ConfigAnswer>, Problem> {
    shared
        .heavy(|shared| {
            Ok(Json(ConfigAnswer::new(shared, write_config(shared.options.config_path(), values)?)))
        })
        .await
}

/// A script of operators.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    script: String,
}

/// The script and where it is.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct OpsAnswer {
    script: String,
    path: String,
}

/// What is wrong with a script.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct OpsCheck {
    ok: bool,
    errors: Vec<OpsError>,
}

/// One thing that is wrong.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct OpsError {
    /// From 1; nothing if it is none in particular.
    line: Option<usize>,
    message: String,
}

/// Why a script was not saved: what is wrong with it, or with the request.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub(super) enum NotSaved {
    Script(OpsCheck),
    #[expect(dead_code, reason = "framework's body error; documented, never produced here")]
    Request(ErrorBody),
}

fn checked(script: &str) -> OpsCheck {
    let errors: Vec<OpsError> = match scripts::Script::compile(script, "ops.rhai") {
        Ok(_) => Vec::new(),
        Err(error) => vec![OpsError { line: error.place.map(|(line, _)| line), message: error.to_string() }],
    };
    OpsCheck { ok: errors.is_empty(), errors }
}

/// The formula script; empty if there is none.
#[utoipa::path(get, path = "/ops", tag = "configuration",
    responses((status = 200, description = "the script", body = OpsAnswer)))]
pub(super) async fn ops(State(shared): State<Arc<Shared>>) -> Result<Json<OpsAnswer>, Problem> {
    shared
        .heavy(|shared| {
            let read =
                read_text(shared.options.ops_path()).map_err(|error| Problem::failed(error.to_string()))?;
            let path = shared.options.ops_path().display().to_string();
            Ok(Json(OpsAnswer { script: read.unwrap_or_default(), path }))
        })
        .await
}

/// Saves the script if it compiles.
#[utoipa::path(put, path = "/ops", tag = "configuration", request_body = Script,
    responses((status = 200, description = "as saved", body = OpsAnswer),
        (status = 422, description = "the error", body = NotSaved)))]
pub(super) async fn save_ops(
    State(shared): State<Arc<Shared>>,
    Json(Script { script }): Json<Script>,
) -> Result<Response, Problem> {
    shared
        .heavy(|shared| {
            let check = checked(&script);
            if !check.ok {
                return Ok((StatusCode::UNPROCESSABLE_ENTITY, Json(NotSaved::Script(check))).into_response());
            }
            write_text(shared.options.ops_path(), &script)?;
            let path = shared.options.ops_path().display().to_string();
            Ok(Json(OpsAnswer { script, path }).into_response())
        })
        .await
}

/// Checks a script without saving it.
#[utoipa::path(post, path = "/ops/check", tag = "configuration", request_body = Script,
    responses((status = 200, description = "the error", body = OpsCheck)))]
pub(super) async fn check_ops(
    State(shared): State<Arc<Shared>>,
    Json(Script { script }): Json<Script>,
) -> Result<Json<OpsCheck>, Problem> {
    shared.heavy(move |_| Ok(Json(checked(&script)))).await
}
