//! Questions with known answers.

mod intervals;
mod limits;
mod mistakes;
mod stored;
mod tables;

use std::sync::Arc;

use eaves_model::{Ident, Ns, RankSource, Recording, Run, Slice, SliceKind, Trace};
use serde_json::Value;

use crate::{Error, Limits, Ranks, Recordings};

/// A recording made of slices `(kind, name, start, end)`.
fn recording(rank: i64, slices: &[(SliceKind, &str, i64, i64)]) -> Recording {
    let mut trace = Trace::default();
    let track = trace.tracks.get_or_add(Ident::number(1), Ident::number(7));
    for &(kind, name, start, end) in slices {
        let name = trace.strings.intern(name);
        let (start, duration) = (Ns(start), Ns(end - start));
        trace.slices.push(Slice { start, duration, name, track, kind, ..Slice::default() });
    }
    let path = format!("rank{rank}.json");
    Recording {
        path,
        format: "chrome",
        container: "plain",
        bytes: 0,
        rank,
        rank_source: RankSource::Trace,
        trace,
    }
}

fn ranks(recordings: Vec<Recording>) -> Ranks {
    let run: Arc<dyn Recordings> = Arc::new(Run { recordings, ..Run::default() });
    Ranks::in_memory("first", &run)
}

/// The rows of an answer.
fn ask(sql: &str, ranks: &Ranks) -> Value {
    crate::query(sql, ranks, &Limits::default()).unwrap().json()["rows"].clone()
}

fn mistake(sql: &str) -> Error {
    crate::query(sql, &ranks(vec![recording(0, &[])]), &Limits::default()).unwrap_err()
}
