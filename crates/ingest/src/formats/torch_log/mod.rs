//! The structured log of `torch.compile`, which `TORCH_TRACE` writes, and the texts that `TORCH_LOGS` prints.
//!
//! One pass over the bytes. Of each record only the keys that are used are decoded, and of payloads only what is
//! counted or quoted is looked at.

mod breaks;
mod builder;
mod events;
mod graphs;
mod metrics;
mod reasons;
mod records;
mod text;
mod trace;

use std::io::Read;

use eaves_model::compile::{CompileId, CompileLog};
use eaves_model::{Diagnostics, Recorder, WarningKind};

use self::builder::Builder;
use self::records::Record;
use super::measurements::Form;
use super::{Detect, Document, Format};
use crate::json::walk::{Bad, Walk};
use crate::refusal::Refused;
use crate::{Kind, Wanted};

pub(crate) use self::trace::trace;

/// The format, in either form.
pub(super) const FORMAT: Format = Format {
    id: STRUCTURED,
    dialects: &[TEXT],
    recorder: Recorder::Torch,
    kind: Kind::CompileLog,
    in_folders: Some(Wanted::Everything),
    // The lines of a log have commas too.
    detect: Detect::Form(|first, said| said.is_none_or(|form| form == Form::Trace) && is_it(first)),
    read: |mut input| match read(&mut input.rest) {
        Some(log) => Ok(Document::CompileLog(Box::new(log))),
        None => Err(without_phases().into()),
    },
    ..Format::PROFILER
};

/// Name of the structured form.
pub(crate) const STRUCTURED: &str = "torch-trace";

/// Name of the form for people.
pub(crate) const TEXT: &str = "torch-logs";

/// Keys of an envelope, which say what a record belongs to and not what it is.
struct Envelope<'a> {
    id: CompileId,
    attempt: u32,
    rank: Option<i64>,
    checksum: Option<&'a [u8]>,
    /// What it is, with the walk at its value.
    subject: Option<(&'a [u8], Walk<'a>)>,
}

/// Kinds of records that PyTorch writes and of which nothing is used.
const UNUSED: &[&[u8]] = &[
    // tidy-alphabetical-start
    b"aot_backward_graph",
    b"aot_forward_graph",
    b"aot_inductor_wrapper_code",
    b"aot_inference_graph",
    b"aot_joint_graph",
    b"compilation_metrics_runtime",
    b"compiled_autograd_graph",
    b"create_symbol",
    b"create_unbacked_symbol",
    b"describe_source",
    b"describe_storage",
    b"describe_tensor",
    b"dump_file",
    b"dynamo_cpp_guards_str",
    b"dynamo_guards",
    b"dynamo_output_graph",
    b"exported_program",
    b"expression_created",
    b"graph_dump",
    b"guard_added",
    b"guard_added_fast",
    b"inductor_pre_grad_graph",
    b"link",
    b"mismatched_fake_kernel",
    b"missing_fake_kernel",
    b"optimize_ddp_split_child",
    b"optimize_ddp_split_graph",
    b"propagate_real_tensors",
    b"propagate_real_tensors_provenance",
    b"ptx",
    b"symbolic_shape_specialization",
    b"unbacked_symbol",
    // tidy-alphabetical-end
];

/// True for the beginning of a log, whichever form.
pub(crate) fn is_it(first: &[u8]) -> bool {
    // A log may begin with a few lines of something else.
    first
        .split(|byte| *byte == b'\n')
        .take(64)
        .any(|line| content(line).is_some_and(|content| content.starts_with(b"{\"") || text::is_it(content)))
        || text::is_explanation(first)
}

/// What follows `V1115 18:55:01.217000 6838 torch/_dynamo/utils.py:2473] `, if a line begins like this.
fn content(line: &[u8]) -> Option<&[u8]> {
    let line = match line.strip_prefix(b"[rank") {
        Some(rest) => &rest[memchr::memchr(b':', rest)? + 1..],
        None => line,
    };
    let is_level = matches!(line.first()?, b'V' | b'D' | b'I' | b'W' | b'E' | b'C');
    if !is_level || line.get(5) != Some(&b' ') || !line[1..5].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let end = memchr::memchr(b']', line)?;
    line[end + 1..].strip_prefix(b" ")
}

/// Why a log is not a trace.
pub(crate) fn without_phases() -> Refused {
    Refused {
        offset: 0,
        what: "a torch.compile log without phases".to_owned(),
        hint: "`eaves compile` reads it".to_owned(),
    }
}

/// Reads a log. Nothing if there is no record of any kind in it.
pub(crate) fn read(reader: &mut dyn Read) -> Option<CompileLog> {
    let mut builder = Builder::default();
    let mut texts = text::Reader::default();
    let mut structured = false;
    let mut diagnostics = Diagnostics::default();
    let mut bad = 0;
    let counts = records::each(reader, &mut diagnostics, |record, diagnostics| {
        let Some(content) = content(record.line) else {
            if !texts.bare(record.line, &mut builder) && !record.line.trim_ascii().is_empty() {
                diagnostics.note(WarningKind::BadLine, Some(record.offset));
                bad += 1;
            }
            return;
        };
        if record.is_partial {
            let detail = "longer than 16 MiB; the rest was skipped";
            diagnostics.note_detail(WarningKind::BadLine, Some(record.offset), detail);
        }
        if content.first() == Some(&b'{') {
            structured = true;
            match envelope(content) {
                Ok(envelope) => {
                    builder.record();
                    one(&mut builder, &record, envelope, diagnostics);
                }
                Err(Bad) => {
                    let kind = if record.is_cut { WarningKind::Truncated } else { WarningKind::BadLine };
                    diagnostics.note(kind, Some(record.offset));
                }
            }
        } else {
            texts.line(content, &mut builder);
        }
    });
    texts.finish(&mut builder);
    let mut log = builder.finish(diagnostics);
    log.format = if structured || log.records == 0 { STRUCTURED } else { TEXT };
    (log.bytes, log.lines) = (counts.bytes, counts.lines);
    (log.records > 0).then_some(log)
}

fn envelope(content: &[u8]) -> Result<Envelope<'_>, Bad> {
    let mut walk = Walk::new(content);
    let mut found =
        Envelope { id: CompileId::default(), attempt: 0, rank: None, checksum: None, subject: None };
    let small = |number: Option<i64>| number.and_then(|number| u32::try_from(number).ok());
    walk.object()?;
    while let Some(key) = walk.key()? {
        match key {
            b"frame_id" => found.id.frame = small(walk.integer()?),
            b"frame_compile_id" => found.id.compile = small(walk.integer()?),
            b"compiled_autograd_id" => found.id.autograd = small(walk.integer()?),
            b"attempt" => found.attempt = small(walk.integer()?).unwrap_or(0),
            b"rank" => found.rank = walk.integer()?,
            b"has_payload" => found.checksum = walk.maybe_text()?,
            b"stack" => walk.skip()?,
            _ => {
                if found.subject.is_none() {
                    found.subject = Some((key, walk.clone()));
                }
                walk.skip()?;
            }
        }
    }
    Ok(found)
}

/// Takes one record in.
fn one(builder: &mut Builder, record: &Record<'_>, envelope: Envelope<'_>, diagnostics: &mut Diagnostics) {
    builder.rank(envelope.rank);
    let Some((subject, walk)) = envelope.subject else { return };
    let taken = match subject {
        b"str" => builder.text(walk),
        b"chromium_event" => builder.event(envelope.id, record.payload),
        b"dynamo_start" => builder.start(envelope.id, envelope.attempt, walk),
        b"compilation_metrics" => builder.metrics(envelope.id, envelope.attempt, walk, false),
        b"bwd_compilation_metrics" => builder.metrics(envelope.id, envelope.attempt, walk, true),
        b"artifact" => artifact(builder, record, &envelope.id, envelope.checksum, walk, diagnostics),
        b"inductor_output_code" => {
            check(builder, record, envelope.checksum, diagnostics);
            builder.code(envelope.id, record.payload);
            Ok(())
        }
        // An artifact where the graph was compiled, its own kind where it was found in a cache.
        b"inductor_post_grad_graph" => {
            check(builder, record, envelope.checksum, diagnostics);
            builder.graph(envelope.id, record.payload, true);
            Ok(())
        }
        subject if UNUSED.contains(&subject) => Ok(()),
        subject => {
            builder.unknown(subject);
            let name = String::from_utf8_lossy(subject);
            diagnostics.note_detail(
                WarningKind::UnknownRecord,
                Some(record.offset),
                format!("the first is `{name}`"),
            );
            Ok(())
        }
    };
    if taken.is_err() {
        // What is cut off at the end is not its own damage.
        let kind = if record.is_cut { WarningKind::Truncated } else { WarningKind::BadLine };
        let detail = format!("the first is in a `{}`", String::from_utf8_lossy(subject));
        diagnostics.note_detail(kind, Some(record.offset), detail);
    }
}

fn artifact(
    builder: &mut Builder,
    record: &Record<'_>,
    id: &CompileId,
    checksum: Option<&[u8]>,
    mut walk: Walk<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<(), Bad> {
    let mut name: &[u8] = b"";
    walk.object()?;
    while let Some(key) = walk.key()? {
        if key == b"name" {
            name = walk.maybe_text()?.unwrap_or_default();
        } else {
            walk.skip()?;
        }
    }
    match name {
        b"dynamo_graph_break_reason" => {
            check(builder, record, checksum, diagnostics);
            builder.graph_break(*id, record.payload);
        }
        b"recompile_reasons" => {
            check(builder, record, checksum, diagnostics);
            builder.recompile(*id, record.payload);
        }
        b"inductor_post_grad_graph" | b"after_post_grad_graph" => {
            check(builder, record, checksum, diagnostics);
            builder.graph(*id, record.payload, name == b"inductor_post_grad_graph");
        }
        b"torch_version" => builder.version(record.payload)?,
        b"cudagraph_skip_reason" | b"cudagraphs_skip_reason" => builder.cudagraph_skip(*id, record.payload),
        _ => builder.cache(*id, name, record.payload)?,
    }
    Ok(())
}

/// Compares a payload with its checksum. Only texts and code are checked: of JSON damage shows by itself.
fn check(builder: &mut Builder, record: &Record<'_>, checksum: Option<&[u8]>, diagnostics: &mut Diagnostics) {
    let Some(checksum) = checksum.filter(|_| !record.is_partial) else { return };
    let mut context = md5::Context::new();
    for (index, line) in records::lines(record.payload).enumerate() {
        if index > 0 {
            context.consume(b"\n");
        }
        context.consume(line);
    }
    builder.checked();
    if format!("{:x}", context.finalize()).as_bytes() != checksum {
        let kind = if record.is_cut { WarningKind::Truncated } else { WarningKind::PayloadDiffers };
        diagnostics.note(kind, Some(record.offset));
    }
}
