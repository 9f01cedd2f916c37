//! One module per format.

// tidy-alphabetical-start
pub(crate) mod kineto;
pub(crate) mod measurements;
mod memory_timeline;
pub(crate) mod profilers;
// tidy-alphabetical-end

use std::io::{self, Read};

use eaves_model::Trace;

use self::kineto::{Refusal, Source};
use self::measurements::Form;

pub(crate) use self::memory_timeline::FORMAT as MEMORY_TIMELINE;

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
    let reader: Box<dyn Read + Send + '_> = Box::new(io::Cursor::new(first).chain(failed).chain(reader));
    if let Some(form) = form.filter(|form| *form != Form::Trace) {
        return measurements::read(reader, form).map(Document::Measurements).map_err(Refusal::Measurements);
    }
    if is_timeline {
        let (trace, bytes) = memory_timeline::read(reader)?;
        return Ok(Document::Trace { trace: Box::new(trace), bytes, format: MEMORY_TIMELINE });
    }
    let (trace, bytes) = kineto::read(source, reader, threads)?;
    let format = kineto::format_of(&trace);
    Ok(Document::Trace { trace: Box::new(trace), bytes, format })
}

/// A reader of nothing, which may fail once.
struct Failed(Option<io::Error>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
