//! Slices by name: how many there are, and where the first of them stand.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use eaves_analyze::timeline::Charts;
use eaves_model::{Interval, StringId};
use serde::{Deserialize, Serialize};

use super::views::interval;
use crate::Problem;
use crate::answer::Answer;
use crate::state::Shared;

#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct NameQuery {
    /// The whole name.
    name: Option<String>,
    /// A part of the name, in any case of letters.
    contains: Option<String>,
    /// Only those that begin from here on, in nanoseconds of the picture.
    start: Option<f64>,
    /// Only those that begin before.
    end: Option<f64>,
    /// How many are told one by one; 100 without, 10000 at most.
    limit: Option<usize>,
}

/// What was found.
#[derive(Debug, Default, PartialEq, Serialize, utoipa::ToSchema)]
pub(super) struct Found {
    /// How many there are.
    count: u64,
    /// Their summed duration in nanoseconds.
    duration: i64,
    /// The first of them in time order.
    first: Vec<FoundSlice>,
}

/// A slice that was found.
#[derive(Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub(super) struct FoundSlice {
    rank: i64,
    /// The process or device.
    group: String,
    /// The thread or stream.
    track: String,
    name: String,
    /// In nanoseconds of the picture.
    start: i64,
    duration: i64,
}

/// Slices by name, for searching.
#[utoipa::path(get, path = "/runs/{id}/slices", tag = "runs",
    params(("id" = String, Path, description = "run ID, or `latest`"), NameQuery),
    responses((status = 200, description = "result", body = Found)))]
pub(super) async fn slices(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Query(query): Query<NameQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let run = shared.runs.find(&id)?;
    if query.name.is_some() == query.contains.is_some() {
        return Err(Problem::bad("pass either `name` or `contains`"));
    }
    let window = interval(query.start, query.end)?;
    shared
        .heavy(move |shared| {
            let loaded = shared.runs.load(&run)?;
            let found = find(loaded.charts()?, &query, window);
            let bytes = serde_json::to_vec(&found).map_err(|error| Problem::internal(error.to_string()))?;
            Ok(Answer::fleeting("application/json", bytes).respond(&headers))
        })
        .await
}

fn find(charts: &Charts<'_>, query: &NameQuery, window: Interval) -> Found {
    let limit = query.limit.unwrap_or(100).min(10_000);
    let lower = query.contains.as_deref().unwrap_or_default().to_lowercase();
    let matches = |name: &str| match &query.name {
        Some(wanted) => name == wanted,
        None => name.to_lowercase().contains(&lower),
    };
    let mut found = Found::default();
    for chart in &charts.charts {
        let slices = &chart.trace.slices;
        // Each name is looked at once, and then only its number.
        let wanted: Vec<bool> = chart.trace.strings.iter().map(matches).collect();
        let is_wanted = |name: StringId| wanted.get(name.index()).copied().unwrap_or(false);
        for track in &chart.tracks {
            for row in chart.rows(track) {
                let members = chart.slices.slices(row);
                let begins = |time: eaves_model::Ns| {
                    members.partition_point(|slice| slices.start[slice.index()] + chart.offset < time)
                };
                let mut left = limit;
                for slice in &members[begins(window.start)..begins(window.end)] {
                    let at = slice.index();
                    if !is_wanted(slices.name[at]) {
                        continue;
                    }
                    found.count += 1;
                    found.duration = found.duration.saturating_add(slices.duration[at].0);
                    if left > 0 {
                        left -= 1;
                        found.first.push(FoundSlice {
                            rank: chart.rank,
                            group: track.group.clone(),
                            track: track.name.clone(),
                            name: chart.trace.strings.get(slices.name[at]).to_owned(),
                            start: (slices.start[at] + chart.offset).0,
                            duration: slices.duration[at].0,
                        });
                    }
                }
            }
        }
    }
    found.first.sort_by_key(|slice| (slice.start, slice.rank));
    found.first.truncate(limit);
    found
}
