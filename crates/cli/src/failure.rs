//! Errors as the user sees them: what went wrong, then what to try.

use std::fmt;

/// An error that knows what to try.
#[derive(Debug)]
struct Hinted {
    message: String,
    hint: String,
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Hinted {}

/// An error with a hint.
pub(crate) fn hinted(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
    anyhow::Error::new(Hinted { message: message.into(), hint: hint.into() })
}

/// The hint of an error, if any of its causes has one.
pub(crate) fn hint(error: &anyhow::Error) -> Option<&str> {
    error.chain().find_map(|cause| cause.downcast_ref::<Hinted>()).map(|hinted| hinted.hint.as_str())
}

/// The known word that looks most like this one.
pub(crate) fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Below this the words have little more in common than a few letters.
    const LEAST_LIKENESS: f64 = 0.8;
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= LEAST_LIKENESS)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn a_hint_survives_context() {
        let error =
            Err::<(), _>(hinted("no such thing", "try another")).context("while looking").unwrap_err();
        assert_eq!(hint(&error), Some("try another"));
        assert_eq!(format!("{error:#}"), "while looking: no such thing");
    }

    #[test]
    fn only_similar_words_are_offered() {
        let known = ["kernels", "kernel-types", "steps"];
        assert_eq!(did_you_mean("kernal", known), Some("kernels"));
        assert_eq!(did_you_mean("stesp", known), Some("steps"));
        assert_eq!(did_you_mean("roofline", known), None);
    }
}
