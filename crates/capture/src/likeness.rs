//! The known name that a wrong one was probably meant to be.

/// Below this two names have little more in common than a few letters.
const LEAST_LIKENESS: f64 = 0.8;

/// The known name that looks most like this one, if any does.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= LEAST_LIKENESS)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}
