//! Several files of one run become one recording: `1_kernel_trace.csv` and `1_hip_api_trace.csv`, `pmc_1/` and
//! `pmc_2/`.

use std::path::Path;

use eaves_model::{RankSource, Recording};

use crate::formats::profilers::Part;
use crate::{Done, One, plausibility, ranks};

/// A part and where it was found.
pub(crate) struct Found {
    pub(crate) path: String,
    pub(crate) container: &'static str,
    pub(crate) part: Part,
}

/// Puts the parts of each set together, in the place of the set's first, and does the work on them. Everything else
/// stays as it is.
pub(crate) fn put_together<R>(
    results: Vec<(Done<R>, bool)>,
    work: &impl Fn(&mut Recording) -> R,
) -> Vec<(Done<R>, bool)> {
    let mut others = Vec::with_capacity(results.len());
    let mut sets: Vec<(usize, bool, Vec<Found>)> = Vec::new();
    for (result, named) in results {
        match result {
            Ok(One::Part(found)) => match sets.iter_mut().find(|(.., set)| same_set(set, &found)) {
                Some((_, any_named, set)) => {
                    *any_named |= named;
                    set.push(*found);
                }
                None => {
                    sets.push((others.len(), named, vec![*found]));
                    others.push(None);
                }
            },
            other => others.push(Some((other, named))),
        }
    }
    for (place, named, set) in sets {
        let mut recording = recording(set);
        ranks::tell(&mut recording);
        let answer = work(&mut recording);
        others[place] = Some((Ok(One::Trace(Box::new(recording), answer)), named));
    }
    others.into_iter().flatten().collect()
}

fn same_set(set: &[Found], found: &Found) -> bool {
    set.first().is_some_and(|first| first.part.set == found.part.set)
}

/// One recording of the parts of a set, of which there is at least one.
pub(crate) fn recording(mut set: Vec<Found>) -> Recording {
    set.sort_by_key(|found| found.part.role);
    let path = match set.as_slice() {
        [only] => only.path.clone(),
        [first, ..] => shown_directory(&first.path),
        [] => String::new(),
    };
    let mut recording = Recording {
        path,
        format: set.first().map_or("", |found| found.part.format),
        container: set.first().map_or("plain", |found| found.container),
        bytes: set.iter().map(|found| found.part.bytes).sum(),
        rank: 0,
        rank_source: RankSource::Assumed,
        trace: eaves_model::Trace::default(),
    };
    for found in set {
        recording.trace.append(found.part.trace);
    }
    plausibility::check(&mut recording.trace);
    recording
}

fn shown_directory(path: &str) -> String {
    Path::new(path).parent().map_or_else(|| path.to_owned(), |parent| parent.display().to_string())
}
