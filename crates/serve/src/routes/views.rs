//! The parts of a run: its report, its timeline, its flame graph.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use eaves_model::{Interval, Ns};
use serde::Deserialize;

use crate::Problem;
use crate::runs::Window;
use crate::state::Shared;

/// The report of a run: `eaves.report/1`, as `eaves report INPUT --json` prints it.
#[utoipa::path(get, path = "/runs/{id}/document", tag = "runs",
    params(("id" = String, Path, description = "run ID, or `latest`")),
    responses((status = 200, description = "the report", content_type = "application/json")))]
pub(super) async fn document(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let run = shared.runs.find(&id)?;
    shared.heavy(move |shared| Ok(shared.runs.load(&run)?.report.respond(&headers))).await
}

/// A window of the timeline.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct WindowQuery {
    /// Start in nanoseconds of the picture [default: the start].
    start: Option<f64>,
    /// End [default: the end].
    end: Option<f64>,
    /// How wide it is drawn: slices shorter than a pixel are in groups. 2000 without.
    #[param(minimum = 1, maximum = 20000)]
    pixels: Option<u32>,
}

impl WindowQuery {
    /// Pixels of a window by default.
    const USUAL: u32 = 2_000;
    /// Wider than any wall of screens.
    const MOST: u32 = 20_000;

    /// The window, if one is wanted.
    pub(super) fn window(&self) -> Result<Option<Window>, Problem> {
        if self.start.is_none() && self.end.is_none() && self.pixels.is_none() {
            return Ok(None);
        }
        let interval = interval(self.start, self.end)?;
        let pixels = self.pixels.unwrap_or(Self::USUAL);
        if !(1..=Self::MOST).contains(&pixels) {
            return Err(Problem::bad(format!("pixels are a number from 1 to {}", Self::MOST)));
        }
        Ok(Some(Window { interval, pixels }))
    }
}

/// Two times as a span of whole nanoseconds.
pub(super) fn interval(start: Option<f64>, end: Option<f64>) -> Result<Interval, Problem> {
    let (first, last) = (Window::OPEN.start.as_f64(), Window::OPEN.end.as_f64());
    let (start, end) = (start.unwrap_or(first), end.unwrap_or(last));
    // Also false if one is not a number.
    if !(first <= start && start < end && end <= last) {
        return Err(Problem::bad("a window needs a start before its end, in nanoseconds"));
    }
    Ok(Interval::new(Ns(start.floor() as i64), Ns(end.ceil() as i64)))
}

/// Encoded slices of a run or a time window; docs/page.md describes the format.
#[utoipa::path(get, path = "/runs/{id}/timeline", tag = "runs",
    params(("id" = String, Path, description = "run ID, or `latest`"), WindowQuery),
    responses((status = 200, description = "the slices", content_type = "application/octet-stream")))]
pub(super) async fn timeline(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Query(query): Query<WindowQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let run = shared.runs.find(&id)?;
    let window = query.window()?;
    shared.heavy(move |shared| Ok(shared.runs.load(&run)?.timeline(window)?.respond(&headers))).await
}

/// The part of a run that a flame graph is of.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct PartQuery {
    /// The rank; all without.
    rank: Option<i64>,
    /// Start of the window, in nanoseconds of the timeline [default: the start].
    start: Option<f64>,
    /// End [default: the end].
    end: Option<f64>,
    /// The id of a run to compare with: each frame has the amounts of both. All of the time only.
    base: Option<String>,
}

/// Flame graph data, optionally compared with another run; docs/page.md describes it.
#[utoipa::path(get, path = "/runs/{id}/flame", tag = "runs",
    params(("id" = String, Path, description = "run ID, or `latest`"), PartQuery),
    responses((status = 200, description = "the trees", content_type = "application/json")))]
pub(super) async fn flame(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Query(query): Query<PartQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let run = shared.runs.find(&id)?;
    let base = query.base.as_deref().map(|base| shared.runs.find(base)).transpose()?;
    let is_cut = query.start.is_some() || query.end.is_some();
    if is_cut && base.is_some() {
        // The same nanoseconds of two runs have nothing in common.
        return Err(Problem::bad("a comparison covers the whole recording").hint("drop `start` and `end`"));
    }
    let window = is_cut.then(|| interval(query.start, query.end)).transpose()?;
    shared
        .heavy(move |shared| {
            let base = base.map(|base| shared.runs.load(&base)).transpose()?;
            let answer = shared.runs.load(&run)?.flame(query.rank, window, base.as_ref())?;
            Ok(answer.respond(&headers))
        })
        .await
}
