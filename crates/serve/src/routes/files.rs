//! Files of a run: its tables as CSV, its charts as pictures.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use eaves_present::{csv, memory, png, roofline};

use crate::Problem;
use crate::answer::Answer;
use crate::state::Shared;

/// A table of a section as CSV.
#[utoipa::path(get, path = "/runs/{id}/table/{section}/{file}", tag = "runs",
    params(("id" = String, Path, description = "run ID, or `latest`"),
        ("section" = String, Path, description = "section ID"),
        ("file" = String, Path, description = "table ID, with `.csv`")),
    responses((status = 200, description = "the table", content_type = "text/csv")))]
pub(super) async fn table(
    State(shared): State<Arc<Shared>>,
    Path((id, section, file)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let run = shared.runs.find(&id)?;
    let wanted =
        file.strip_suffix(".csv").ok_or_else(|| Problem::missing("table names end in .csv"))?.to_owned();
    shared
        .heavy(move |shared| {
            let loaded = shared.runs.load(&run)?;
            let document = &loaded.document;
            let found = document.tables().find(|(of, table)| of.id == section && table.id == wanted);
            let (_, table) =
                found.ok_or_else(|| Problem::missing(format!("no table `{wanted}` in `{section}`")))?;
            let mut bytes = Vec::new();
            csv::write_table(table, &mut bytes).map_err(|error| Problem::internal(error.to_string()))?;
            Ok(Answer::new("text/csv; charset=utf-8", bytes).respond(&headers))
        })
        .await
}

/// A chart of a section as `.svg` or `.png`: of `roofline` and of `memory`.
#[utoipa::path(get, path = "/runs/{id}/picture/{file}", tag = "runs",
    params(("id" = String, Path, description = "run ID, or `latest`"),
        ("file" = String, Path, description = "section ID, with `.svg` or `.png`")),
    responses((status = 200, description = "the picture", content_type = "image/svg+xml")))]
pub(super) async fn picture(
    State(shared): State<Arc<Shared>>,
    Path((id, file)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let run = shared.runs.find(&id)?;
    let (name, ending) = file.rsplit_once('.').unwrap_or((&file, ""));
    if !matches!(ending, "svg" | "png") {
        return Err(Problem::missing("picture names end in .svg or .png"));
    }
    let (name, is_png) = (name.to_owned(), ending == "png");
    shared
        .heavy(move |shared| {
            let loaded = shared.runs.load(&run)?;
            let document = &loaded.document;
            let section = document
                .sections()
                .find(|section| section.id == name)
                .ok_or_else(|| Problem::missing(format!("no section `{name}`")))?;
            let drawing = if roofline::has_chart(section) {
                roofline::svg(&[section], &roofline::Options::default())
            } else if memory::has_chart(section) {
                memory::svg(&[section])
            } else {
                return Err(Problem::missing(format!("`{name}` has no picture")));
            };
            if !is_png {
                return Ok(Answer::new("image/svg+xml", drawing).respond(&headers));
            }
            let picture = png::render(&drawing, png::SCREEN).map_err(|error| {
                let status = match error {
                    png::Error::NotBuilt => StatusCode::NOT_IMPLEMENTED,
                    _ => StatusCode::INTERNAL_SERVER_ERROR,
                };
                Problem::new(status, error.to_string()).hint(error.hint())
            })?;
            Ok(Answer::new("image/png", picture).respond(&headers))
        })
        .await
}
