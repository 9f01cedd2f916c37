//! Snapshots of PyTorch's caching allocator: what `torch.cuda.memory._dump_snapshot` writes, a pickle of lists and
//! dictionaries.
//!
//! `segments` is what the allocator held when the snapshot was taken, `device_traces` what it did before, a list a
//! device, the oldest first; the recorder keeps only the last events. Every event and block has its stack. Names and
//! meanings are those of `torch/csrc/cuda/memory_snapshot.cpp` and `torch/cuda/_memory_viz.py`, whose
//! `_profile_to_snapshot` writes the same from a profile, with categories of tensors and without times.
//!
//! The pickle is read by [`crate::pickle`], which executes nothing.

mod annotations;
mod build;
mod fields;
mod finish;
mod lists;
mod stacks;
#[cfg(test)]
mod tests;

use eaves_model::{Recorder, WarningKind};

use self::build::Builder;
use super::{Detect, Document, Format};
use crate::Kind;
use crate::pickle::{self, End, Machine};
use crate::refusal::{Refusal, Refused};

/// The format.
pub(super) const FORMAT: Format = Format {
    id: "memory-snapshot",
    recorder: Recorder::Torch,
    kind: Kind::MemorySnapshot,
    // A pickle is nothing else that is read.
    detect: Detect::Bytes(pickle::is_it),
    read: |input| read(input.rest, input.source.expected()),
    ..Format::PROFILER
};

/// What a snapshot is made with.
const RECORD: &str = "write a snapshot with `torch.cuda.memory._dump_snapshot(\"snapshot.pickle\")` after \
    `torch.cuda.memory._record_memory_history()`";

/// Reads a snapshot as far as it goes. `expected` is its size, or 0 if nobody knows.
fn read<'a>(reader: Box<dyn std::io::Read + Send + 'a>, expected: u64) -> Result<Document, Refusal> {
    let refused =
        |offset, what: String, hint: &str| Refusal::Profiler(Refused { offset, what, hint: hint.to_owned() });
    let mut machine = Machine::new(reader, Builder::new(expected), expected);
    let end = machine.run().map_err(|why| match why {
        pickle::Refused::Executable(offset, name) => refused(
            offset,
            format!("a pickle that would execute code (instruction {name})"),
            "eaves executes nothing; load it only if you trust its origin, and pickle plain lists and dictionaries",
        ),
        pickle::Refused::Malformed(offset, what) => {
            refused(offset, format!("not a memory snapshot pickle: {what}"), RECORD)
        }
    })?;
    let bytes = machine.offset();
    let mut builder = machine.builder;
    match end {
        End::Stop => builder.snapshot.is_complete = true,
        End::Cut(None) => builder.diagnostics.note(WarningKind::Truncated, Some(bytes)),
        End::Cut(Some(error)) => {
            builder.diagnostics.note_detail(WarningKind::DamagedContainer, Some(bytes), error.to_string());
        }
    }
    let trace = builder.finish();
    match trace {
        Some(trace) => Ok(Document::Trace { trace: Box::new(trace), bytes, format: FORMAT.id }),
        None => Err(refused(0, "a pickle without allocator segments and events".to_owned(), RECORD)),
    }
}
