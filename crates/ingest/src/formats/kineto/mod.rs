//! Kineto and Chrome trace JSON, in every form found in the wild.
//!
//! The format is that of the Chrome trace event profiling tool; Kineto, the recorder inside PyTorch, writes it
//! with a header and arguments of its own. Both are one reader: a Chrome trace is a Kineto trace without them.

mod arguments;
mod category;
mod details;
mod document;
mod event;
mod events;
mod exported;
mod header;
mod pending;
mod recent;
mod sink;

pub(crate) use document::{ReadAt, Refusal, Source, read};
pub(crate) use events::event_text;

use eaves_model::{SliceKind, Trace};

/// Which of the two it is: `kineto` if the header or any category says so, else `chrome`.
pub(crate) fn format_of(trace: &Trace) -> &'static str {
    let header = &trace.metadata;
    let says_so =
        header.schema_version.is_some() || header.base_time_ns.is_some() || !header.devices.is_empty();
    let of_kineto = |kind: &SliceKind| !matches!(kind, SliceKind::Other);
    if says_so || trace.slices.kind.iter().any(of_kineto) { "kineto" } else { "chrome" }
}
