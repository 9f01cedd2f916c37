//! Errors as the user sees them: what went wrong, then what to try.

use eaves_app::Failure;
pub(crate) use eaves_app::hinted;

/// The hint of an error, if any of its causes has one.
pub(crate) fn hint(error: &anyhow::Error) -> Option<&str> {
    error.chain().find_map(|cause| cause.downcast_ref::<Failure>())?.hint.as_deref()
}
