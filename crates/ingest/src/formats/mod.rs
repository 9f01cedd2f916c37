//! One module per format.

// tidy-alphabetical-start
pub(crate) mod kineto;
pub(crate) mod measurements;
mod memory_timeline;
pub(crate) mod profilers;
pub(crate) mod snapshot;
pub(crate) mod torch_log;
// tidy-alphabetical-end

use std::io::{self, Read};

use eaves_model::{Diagnostics, Oddity, Trace};

use self::kineto::{Refusal, Source};
use self::measurements::Form;

pub(crate) use self::memory_timeline::FORMAT as MEMORY_TIMELINE;
pub(crate) use self::snapshot::FORMAT as MEMORY_SNAPSHOT;

/// Enough bytes to tell the formats apart.
const FIRST: u64 = 1 << 16;

/// Which inputs are of use.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted {
    /// Traces alone.
    Traces,
    /// Traces, and sums that profilers write.
    TracesAndSums,
    /// Traces and measurements, in this form or in the one that the content shows.
    Any(Option<Form>),
}

/// Something that was read.
pub(crate) enum Document {
    /// A trace.
    Trace {
        /// The rows.
        trace: Box<Trace>,
        /// Number of bytes it had.
        bytes: u64,
        /// Name of the format.
        format: &'static str,
    },
    /// Measurements.
    Measurements(measurements::Content),
    /// One of several files that a profiler wrote of the same run, to be put together with the others.
    Part(Box<profilers::Part>),
}

/// Reads an input in whichever format it is. The path is told for what files are called beside it.
pub(crate) fn read(
    path: &str,
    source: &dyn Source,
    threads: usize,
    wanted: Wanted,
) -> Result<Document, Refusal> {
    let mut reader = source.open(0).map_err(Refusal::Io)?;
    let mut first = Vec::new();
    // What fails here fails again where it can be noted.
    let failed = Failed(reader.by_ref().take(FIRST).read_to_end(&mut first).err());
    if is_tar(&first) {
        return Err(Refusal::Profiler(profilers::Refused {
            offset: 0,
            what: "a tar archive, which is not read".to_owned(),
            hint: "unpack it first and give the directory, or pack the files with zip".to_owned(),
        }));
    }
    if snapshot::is_it(&first) {
        let whole = Box::new(io::Cursor::new(first).chain(failed).chain(reader));
        return snapshot::read(whole, source.expected());
    }
    if let Some(profiler) = profilers::find(&first).or_else(|| profilers::find_named(path)) {
        let rest: Box<dyn Read + Send + '_> =
            Box::new(io::Cursor::new(first.clone()).chain(failed).chain(reader));
        let input = profilers::Input { path, first: &first, rest, source, threads };
        return (profiler.read)(input).map_err(Refusal::Profiler);
    }
    let form = match wanted {
        Wanted::Traces | Wanted::TracesAndSums => None,
        Wanted::Any(Some(form)) => Some(form),
        Wanted::Any(None) => measurements::form_of(&first),
    };
    let is_timeline = memory_timeline::is_it(&first);
    let is_log = torch_log::is_it(&first);
    let reader: Box<dyn Read + Send + '_> = Box::new(io::Cursor::new(first).chain(failed).chain(reader));
    if let Some(form) = form.filter(|form| *form != Form::Trace) {
        return measurements::read(reader, form).map(Document::Measurements).map_err(Refusal::Measurements);
    }
    if is_log {
        return phases_of(reader);
    }
    if is_timeline {
        let (trace, bytes) = memory_timeline::read(reader)?;
        return Ok(Document::Trace { trace: Box::new(trace), bytes, format: MEMORY_TIMELINE });
    }
    let (trace, bytes) = kineto::read(source, reader, threads)?;
    let format = kineto::format_of(&trace);
    Ok(Document::Trace { trace: Box::new(trace), bytes, format })
}

/// The phases that a log of `torch.compile` has, as a trace.
fn phases_of(mut reader: Box<dyn Read + Send + '_>) -> Result<Document, Refusal> {
    let log = torch_log::read(&mut *reader);
    let read = log.map(|log| (log.bytes, log.format, log)).and_then(|(bytes, format, log)| {
        Some(Document::Trace { trace: Box::new(torch_log::trace(log)?), bytes, format })
    });
    read.ok_or_else(|| {
        Refusal::Profiler(profilers::Refused {
            offset: 0,
            what: "a log of torch.compile without phases".to_owned(),
            hint: "`eaves compile` reads it".to_owned(),
        })
    })
}

/// True for the first header of a tar archive. A table inside of it would be taken for the whole.
fn is_tar(first: &[u8]) -> bool {
    // POSIX writes a zero behind the mark, GNU a blank.
    first.get(257..263).is_some_and(|mark| mark == b"ustar\0" || mark == b"ustar ")
}

/// Why nothing was found in a file of a profiler, if it is because the file is damaged. `what` is the kind of file.
pub(crate) fn refused_as_damaged(what: &str, diagnostics: &Diagnostics) -> Option<profilers::Refused> {
    let kinds = [Oddity::Truncated, Oddity::DamagedContainer, Oddity::DamagedPage];
    let warning = diagnostics.warnings().iter().find(|warning| kinds.contains(&warning.kind))?;
    let state = match warning.kind {
        Oddity::Truncated => "is cut off",
        Oddity::DamagedContainer => "cannot be read or unpacked any further",
        _ => "is damaged",
    };
    let detail = warning.detail.as_ref().map(|detail| format!(" ({detail})")).unwrap_or_default();
    Some(profilers::Refused {
        offset: warning.first_offset.unwrap_or(0),
        what: format!("{what} that {state}{detail}, with no record that can be read"),
        hint: "copy or unpack it again; if it was written like this, record again and let the program end by itself"
            .to_owned(),
    })
}

/// A reader of nothing, which may fail once.
struct Failed(Option<io::Error>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
