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
mod sink;
mod text_cache;

pub(crate) use events::event_text;

use eaves_model::{Recorder, SliceKind, Trace};

use super::{Detect, Document, Format};

/// The format, which nothing tells: what no other reader takes is this or nothing.
pub(super) const FORMAT: Format = Format {
    id: "kineto",
    dialects: &["chrome"],
    stands_alone: true,
    in_folders: None,
    detect: Detect::Otherwise,
    read: |input| {
        let (mut trace, bytes) = document::read(input.source, input.rest, input.threads)?;
        let format = format_of(&trace);
        if format == FORMAT.id {
            trace.metadata.recorder = trace.metadata.recorder.or(Recorder::Torch);
        }
        Ok(Document::Trace { trace: Box::new(trace), bytes, format })
    },
    ..Format::PROFILER
};

/// Which of the two it is: `kineto` if the header or any category says so, else `chrome`.
fn format_of(trace: &Trace) -> &'static str {
    let header = &trace.metadata;
    let says_so =
        header.schema_version.is_some() || header.base_time_ns.is_some() || !header.devices.is_empty();
    let of_kineto = |kind: &SliceKind| !matches!(kind, SliceKind::Other);
    if says_so || trace.slices.kind.iter().any(of_kineto) { "kineto" } else { "chrome" }
}
