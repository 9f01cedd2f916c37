//! What went wrong, as clients see it: a status, a sentence, and what to try.

use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use eaves_app::{Failure, FailureKind};
use serde::Serialize;

/// What went wrong, and what to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    status: u16,
    message: String,
    hint: Option<String>,
}

/// The body of an answer that is none.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ErrorBody {
    /// What went wrong.
    error: String,
    /// What to try.
    hint: Option<String>,
}

impl Problem {
    /// The client asked for something that cannot be.
    pub fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// There is no such thing.
    pub fn missing(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// The client may not.
    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, message)
    }

    /// It was understood, but cannot be done with what is there.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    /// Our own fault.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    /// With its own status.
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status: status.as_u16(), message: message.into(), hint: None }
    }

    /// With what to try.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// What to try, if anything is known to help.
    pub fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// What went wrong.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.hint {
            Some(hint) => write!(f, "{}; {hint}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = ErrorBody { error: self.message, hint: self.hint };
        // Two texts are always JSON.
        let body = serde_json::to_vec(&body).unwrap_or_default();
        (status, [(header::CONTENT_TYPE, "application/json")], Body::from(body)).into_response()
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        let status = match failure.kind {
            FailureKind::Usage => StatusCode::BAD_REQUEST,
            FailureKind::Missing => StatusCode::NOT_FOUND,
            FailureKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            FailureKind::Input => StatusCode::UNPROCESSABLE_ENTITY,
        };
        let problem = Self::new(status, failure.message);
        match failure.hint {
            Some(hint) => problem.hint(hint),
            None => problem,
        }
    }
}
