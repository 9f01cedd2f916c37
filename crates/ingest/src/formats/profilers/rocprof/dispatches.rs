//! The raw `results.txt`: a line for each dispatch, and below it one for each counter.
//!
//! ```text
//! dispatch[0], gpu-id(4), ..., kernel-name("k"), time(dispatched,begun,ended,completed)
//!   SQ_WAVES (1)
//! ```

use eaves_model::WarningKind;

use super::super::shared::amd_text::cells::{self, Stamp};
use super::super::shared::amd_text::lines::{Lines, first_lines, is_banner};
use super::super::shared::amd_text::pairs::Pairs;
use super::super::shared::amd_text::recorder::{Recorder, When};
use super::super::shared::amd_text::row::Row;
use super::super::{Input, Refused, Role};
use super::{DISPATCHES, STYLE, part};
use crate::formats::Document;
use crate::place::set_of;

const BEGINNING: &[u8] = b"dispatch[";

/// By the first line.
pub(super) fn is_it(first: &[u8]) -> bool {
    first_lines(first).next().is_some_and(|line| line.starts_with(BEGINNING))
}

/// Reads it.
pub(super) fn read(input: Input<'_>) -> Result<Document, Refused> {
    let set = set_of(input.path);
    let mut recorder = Recorder::default();
    let mut lines = Lines::new(input.rest);
    let mut pairs = Pairs::default();
    let (mut last, mut has_counters) = (None, false);
    while let Some(line) = lines.next(recorder.diagnostics()) {
        if is_banner(line.bytes) {
            continue;
        }
        let oddity = if line.is_ended { WarningKind::BadRecord } else { WarningKind::Truncated };
        if let Some(rest) = line.bytes.strip_prefix(BEGINNING) {
            last = None;
            let comma = memchr::memchr(b',', rest).filter(|_| memchr::memchr(b']', rest).is_some());
            let (number, rest) = rest.split_at(comma.unwrap_or(rest.len()));
            let number = number.strip_suffix(b"]").and_then(cells::integer);
            if !pairs.read(rest) {
                recorder.diagnostics().note(oddity, Some(line.offset));
                continue;
            }
            let row = Row::of_pairs(rest, line.offset, &pairs);
            let mut kernel = row.kernel();
            kernel.number = number;
            if kernel.name.is_empty() {
                recorder.diagnostics().note(oddity, Some(line.offset));
                continue;
            }
            let times = pairs.others(rest).find(|(name, _)| *name == b"time").map(|(_, times)| times);
            let mut stamps = times
                .unwrap_or_default()
                .split(|&byte| byte == b',')
                .map(|cell| cells::stamp(cell.trim_ascii()));
            let mut stamp = |skipped| stamps.nth(skipped).unwrap_or(Stamp::Missing);
            let when = When { start: stamp(1), end: stamp(0), offset: line.offset };
            last = Some(recorder.kernel(&kernel, when));
        } else if let (Some(slice), Some((name, value))) = (last, counter(line.bytes)) {
            let metric = recorder.text(name, line.offset);
            recorder.counter(slice, metric, value);
            has_counters = true;
        } else {
            recorder.diagnostics().note(oddity, Some(line.offset));
        }
    }
    let bytes = lines.bytes();
    let trace = recorder.finish(STYLE.tool, STYLE.clock);
    if trace.events == 0 {
        return Err(super::super::shared::amd_text::table::refused(
            0,
            "a list of dispatches, all unreadable",
        ));
    }
    let role = if has_counters { Role::Counters } else { Role::Kernels };
    Ok(part(set, DISPATCHES.id, role, trace, bytes))
}

/// `  SQ_WAVES (1)`.
fn counter(line: &[u8]) -> Option<(&[u8], f64)> {
    let line = line.trim_ascii().strip_suffix(b")")?;
    let open = memchr::memrchr(b'(', line)?;
    let (name, value) = (line.get(..open)?.trim_ascii(), line.get(open + 1..)?);
    (!name.is_empty() && !name.contains(&b' ')).then_some((name, cells::float(value)?))
}
