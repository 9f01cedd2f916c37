//! Perfetto's own format, a sequence of protocol buffers: what rocprofv3 writes with `-f pftrace`, and any other trace
//! of slices and counters.
//!
//! Numbers of fields are those of `protos/perfetto/trace/*.proto` in google/perfetto; what the annotations of AMD's
//! slices are called is from `generatePerfetto.cpp` in ROCm's rocprofiler-sdk.

mod annotations;
mod clocks;
mod events;
mod packets;
mod sequences;
#[cfg(test)]
mod tests;
mod tracks;

use super::shared::amd;
use super::{Detect, Format, Input, Recorder, Refused, part_of_run, whole};
use eaves_model::SliceKind;

use crate::formats::Document;
use crate::protobuf::{Fields, Value, varint};

/// The format.
pub(crate) const FORMAT: Format = Format {
    id: "perfetto",
    recorder: Recorder::Perfetto,
    detect: Detect::NotJson(is_it),
    read: |input| Ok(read(input)?),
    ..Format::PROFILER
};

/// The tag of a packet in a trace: field 1, with a length.
const PACKET: u8 = 0x0A;

/// A trace is packets with a tag that is also a line feed, so the first packet must be one in full.
fn is_it(first: &[u8]) -> bool {
    let Some(rest) = first.strip_prefix(&[PACKET]) else { return false };
    let Some((length, size)) = varint(rest) else { return false };
    let body = rest.get(size..).unwrap_or_default();
    match usize::try_from(length).ok().and_then(|length| body.split_at_checked(length)) {
        Some((packet, rest)) => is_packet(packet, true) && rest.first().is_none_or(|&tag| tag == PACKET),
        None => length < 1 << 32 && is_packet(body, false),
    }
}

/// True if the fields of a packet are there, as what they are: of text that is not a packet, no field is.
fn is_packet(bytes: &[u8], whole: bool) -> bool {
    let mut known = false;
    for field in Fields::new(bytes) {
        let Ok(field) = field else { return known && !whole };
        let is_message = |bytes: &[u8]| Fields::new(bytes).all(|field| field.is_ok());
        known |= match (field.number, field.value) {
            // Timestamp, sequence, user that wrote it.
            (8 | 10 | 3, Value::Varint(_)) => true,
            // Clocks, event, interned data, defaults, track.
            (6 | 11 | 12 | 59 | 60, Value::Bytes(message)) => is_message(message),
            _ => false,
        };
    }
    known
}

fn read(input: Input<'_>) -> Result<Document, Refused> {
    let mut events = events::Events::default();
    let (bytes, damage) = packets::each(input.rest, |packet, offset| events.packet(packet, offset));
    if let Some((kind, offset, detail)) = damage {
        events.trace.diagnostics.note_detail(kind, Some(offset), detail);
    }
    let (mut trace, base) = events.finish();
    if trace.events == 0 {
        return Err(Refused {
            offset: 0,
            what: "a Perfetto trace without track events".to_owned(),
            hint: "record with `rocprofv3 --kernel-trace --hip-trace -f pftrace -- APPLICATION`".to_owned(),
        });
    }
    amd::count_from_first(&mut trace);
    let first = trace.metadata.base_time_ns;
    trace.metadata.base_time_ns = first.map(|first| first.saturating_add(base.unwrap_or(0)));
    trace.metadata.clock = Some(match base {
        Some(_) => "Perfetto's trace clock, aligned to real time by its snapshots".to_owned(),
        None => "Perfetto's trace clock, nanoseconds since boot".to_owned(),
    });
    let of_amd = |kind: &SliceKind| matches!(kind, SliceKind::Runtime | SliceKind::Annotation);
    if !trace.gpu.is_empty() || trace.slices.kind.iter().any(of_amd) {
        // Only AMD's categories are read as these.
        trace.metadata.recorder = Recorder::Rocprofv3;
    }
    // Of what has no device, no other file of a profiler knows more.
    if trace.gpu.is_empty() {
        return Ok(whole(trace, bytes, FORMAT.id));
    }
    Ok(part_of_run(input.path, trace, bytes, FORMAT.id))
}
