//! The catalog of devices.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use eaves_app::verbs::Device;
use eaves_app::verbs::device::{DeviceOp, List, Show};

use super::verbs::answered;
use crate::Problem;
use crate::state::Shared;

/// The devices of the catalog: `eaves device list --json`.
#[utoipa::path(get, path = "/devices", tag = "questions",
    responses((status = 200, description = "the devices", content_type = "application/json")))]
pub(super) async fn devices(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    answered(&shared, Device { op: DeviceOp::List(List::default()) }, headers).await
}

/// A device of the catalog: `eaves device show NAME --json`.
#[utoipa::path(get, path = "/devices/{name}", tag = "questions",
    params(("name" = String, Path, description = "its name")),
    responses((status = 200, description = "the device", content_type = "application/json")))]
pub(super) async fn show_device(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let found = eaves_roofline::device::find(&name)
        .map_err(|unknown| Problem::missing(unknown.to_string()).hint("GET /api/v1/devices lists them"))?;
    answered(&shared, Device { op: DeviceOp::Show(Show { device: found.id }) }, headers).await
}
