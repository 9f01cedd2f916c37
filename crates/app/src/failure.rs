//! Failures: what went wrong, and what to try.

use std::fmt;

use eaves_analyze::SelectionError;
use eaves_model::suggestion::did_you_mean;

/// Who can fix it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailureKind {
    /// The request means nothing, or asks for what does not exist.
    Usage,
    /// An input cannot be read, or lacks what the request needs.
    #[default]
    Input,
    /// An input does not exist.
    Missing,
    /// A fault of the machine or of eaves.
    Internal,
}

/// What went wrong, and what to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub message: String,
    /// What to try, if anything is known to help.
    pub hint: Option<String>,
    /// Who can fix it.
    pub kind: FailureKind,
}

impl Failure {
    /// A failure with a hint.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: Some(hint.into()), kind: FailureKind::default() }
    }

    /// The same with what it is about.
    #[must_use]
    pub(crate) fn about(self, what: &str) -> Self {
        Self { message: format!("{}: {what}", self.message), ..self }
    }

    /// A request that means nothing.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: FailureKind::Usage, ..Self::new(message, hint) }
    }

    /// A word that is none of the known ones. The hint is the nearest of them, or else all, after `listed`, such as
    /// "tables are".
    pub fn unknown(message: impl Into<String>, word: &str, known: &[&str], listed: &str) -> Self {
        let hint = match did_you_mean(word, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("{listed} {}", known.join(", ")),
        };
        Self::usage(message, hint)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        let known = error.chain().find_map(|cause| cause.downcast_ref::<Self>());
        Self {
            message: format!("{error:#}"),
            hint: known.and_then(|failure| failure.hint.clone()),
            kind: known.map(|failure| failure.kind).unwrap_or_default(),
        }
    }
}

impl From<SelectionError> for Failure {
    fn from(error: SelectionError) -> Self {
        Self::new(error.to_string(), "`eaves info` shows the ranks, steps and times of a recording")
    }
}

impl From<eaves_ingest::Error> for Failure {
    fn from(error: eaves_ingest::Error) -> Self {
        let kind = if error.is_missing() { FailureKind::Missing } else { FailureKind::Input };
        Self { kind, ..Self::new(error.to_string(), error.hint()) }
    }
}

/// An error with a hint.
pub fn hinted(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
    anyhow::Error::new(Failure::new(message, hint))
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn a_hint_survives_context() {
        let error =
            Err::<(), _>(hinted("no such thing", "try another")).context("while looking").unwrap_err();
        let failure = Failure::from(error);
        assert_eq!(failure.hint.as_deref(), Some("try another"));
        assert_eq!(failure.message, "while looking: no such thing");
    }
}
