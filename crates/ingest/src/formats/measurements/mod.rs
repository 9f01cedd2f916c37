//! Measurements that are not recordings over time: kernel tables, lists of events or commands, benchmarks.
//!
//! These files are small and written by scripts, so they are read whole, and what scripts get wrong is expected: byte
//! order marks, UTF-16, bare `NaN`, rows of the wrong length, files cut off. A record that cannot be read is counted and
//! skipped; the others are kept.

mod benchmark;
mod columns;
mod commands;
mod documents;
mod events;
mod fields;
mod kernels;
mod nsight;
mod objects;
mod sniff;
mod text;

use std::io::Read;

use eaves_model::{Diagnostics, Measurement, WarningKind};

use self::objects::Objects;
use super::{Detect, Document, Format};
use crate::refusal::{Refusal, Unreadable};
use crate::{Kind, Wanted};

/// Explicit input format, overriding detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A recording over time, as PyTorch's profiler writes it.
    Trace,
    /// A table with a row for each kernel.
    KernelsCsv,
    /// `{"events": [...]}` with compute and communication events, or Chrome events whose arguments say the same.
    Events,
    /// A list of NPU commands.
    Commands,
    /// Benchmark results.
    Benchmark,
}

impl Form {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Trace, Self::KernelsCsv, Self::Events, Self::Commands, Self::Benchmark];

    /// The name in options and outputs.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::KernelsCsv => "kernels-csv",
            Self::Events => "events",
            Self::Commands => "commands",
            Self::Benchmark => "benchmark",
        }
    }

    /// The form with this name, or with one that other tools give it.
    pub fn from_id(id: &str) -> Option<Self> {
        let form = match id.to_ascii_lowercase().as_str() {
            "csv" | "kernels" | "nsight" => Self::KernelsCsv,
            "perfetto" => Self::Events,
            "npu" => Self::Commands,
            "kineto" | "chrome" => Self::Trace,
            id => return Self::ALL.into_iter().find(|form| form.id() == id),
        };
        Some(form)
    }
}

/// A kernel table whose columns leave no doubt, so that it is read wherever it is found.
pub(super) const KERNELS: Format = Format {
    id: Form::KernelsCsv.id(),
    dialects: &[],
    in_folders: Some(Wanted::Everything),
    detect: Detect::Form(|first, said| said.is_none() && is_kernel_table(first)),
    ..FORMAT
};

/// The format, in any form.
pub(super) const FORMAT: Format = Format {
    id: Form::Events.id(),
    dialects: &[Form::Commands.id(), Form::Benchmark.id()],
    in_folders: None,
    wanted: Wanted::RecordingsAndMeasurements,
    detect: Detect::Form(|first, said| match said {
        Some(form) => form != Form::Trace,
        None => form_of(first).is_some(),
    }),
    read: |input| {
        let form = input.form.or_else(|| form_of(input.first)).unwrap_or(Form::KernelsCsv);
        read(input.rest, form).map(Document::Measurements).map_err(Refusal::Measurements)
    },
    ..Format::PROFILER
};

/// The largest measurement file; everything behind is skipped.
const LARGEST: u64 = 1 << 30;

/// What a file is by its first bytes; nothing if it may be a trace.
fn form_of(first: &[u8]) -> Option<Form> {
    sniff::form(&text::decode(first, &mut Diagnostics::default()))
}

fn is_kernel_table(first: &[u8]) -> bool {
    let text = text::decode(first, &mut Diagnostics::default());
    sniff::form(&text) == Some(Form::KernelsCsv) && kernels::is_known(&text)
}

/// What a file is whose measurements have this format. What no form has are sums of profilers.
pub(super) fn kind_of(format: &str) -> Kind {
    match Form::ALL.into_iter().find(|form| form.id() == format) {
        Some(Form::KernelsCsv) => Kind::KernelTable,
        Some(Form::Events) => Kind::EventList,
        Some(Form::Commands) => Kind::NpuCommands,
        Some(Form::Benchmark) => Kind::BenchmarkResults,
        Some(Form::Trace) | None => Kind::ProfilerSums,
    }
}

/// Measurements that were read.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) format: &'static str,
    pub(crate) device: Option<String>,
    pub(crate) records: Vec<Measurement>,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) bytes: u64,
}

/// What the readers of the forms fill.
#[derive(Debug, Default)]
struct Draft {
    device: Option<String>,
    records: Vec<Measurement>,
    diagnostics: Diagnostics,
}

/// Reads a file of a form.
fn read(reader: impl Read, form: Form) -> Result<Content, Unreadable> {
    let mut draft = Draft::default();
    let mut bytes = Vec::new();
    if let Err(error) = reader.take(LARGEST).read_to_end(&mut bytes) {
        let offset = Some(bytes.len() as u64);
        draft.diagnostics.note_detail(WarningKind::DamagedContainer, offset, error.to_string());
    }
    if bytes.len() as u64 == LARGEST {
        draft.diagnostics.note(WarningKind::Truncated, Some(LARGEST));
    }
    let text = text::decode(&bytes, &mut draft.diagnostics);
    match form {
        Form::KernelsCsv => kernels::read(&text, &mut draft)?,
        Form::Events => events::read(&objects(&text, &["events", "traceEvents"], &mut draft)?, &mut draft),
        Form::Commands => commands::read(&objects(&text, &["commands"], &mut draft)?, &mut draft),
        Form::Benchmark => benchmark::read(
            &objects(&text, &["rows", "results", "simplified", "points"], &mut draft)?,
            &mut draft,
        ),
        Form::Trace => {}
    }
    let Draft { device, records, diagnostics } = draft;
    let bytes = bytes.len() as u64;
    Ok(Content { format: form.id(), device, records, diagnostics: within(diagnostics, bytes), bytes })
}

/// With every place inside the input: text that was UTF-16 may be longer than its bytes.
fn within(diagnostics: Diagnostics, bytes: u64) -> Diagnostics {
    let mut clamped = Diagnostics::default();
    for warning in diagnostics.warnings() {
        let offset = warning.first_offset.map(|offset| offset.min(bytes));
        match &warning.detail {
            Some(detail) => {
                clamped.note_detail(warning.kind, offset, detail.as_str());
                clamped.note_many(warning.kind, warning.count - 1, offset);
            }
            None => clamped.note_many(warning.kind, warning.count, offset),
        }
    }
    clamped
}

fn objects(text: &str, lists: &[&str], draft: &mut Draft) -> Result<Objects, Unreadable> {
    objects::read(text, lists, &mut draft.diagnostics)
}

/// The line, from 1, of an offset.
fn line_of(text: &str, offset: usize) -> u64 {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    1 + memchr::memchr_iter(b'\n', before).count() as u64
}

#[cfg(test)]
mod tests;
