//! Every format that is read: one module each, and one entry in the ordered list [`ALL`].

// tidy-alphabetical-start
pub(crate) mod kineto;
pub(crate) mod measurements;
pub(crate) mod memory_timeline;
pub(crate) mod own;
pub(crate) mod profilers;
pub(crate) mod snapshot;
pub(crate) mod tar;
pub(crate) mod torch_log;
// tidy-alphabetical-end

use std::io::{self, Read};

use eaves_model::compile::CompileLog;
use eaves_model::{Diagnostics, Recorder, Trace, WarningKind};

use self::measurements::Form;
use self::profilers::{
    ncu, nsys, nvprof, pftrace, rocprof, rocprof_compute, rocprofv2, rocprofv3_csv, rocprofv3_json, sqlite,
};
use crate::plain_file::PLAIN;
use crate::refusal::{Refusal, Refused};
use crate::source::Source;
use crate::{Kind, Options, Wanted};

/// Enough bytes to tell the formats apart.
pub(crate) const FIRST: u64 = 1 << 16;

/// Every format, those with the surest signs first: the first that takes the beginning of a file for its own reads it.
static ALL: &[Format] = &[
    tar::FORMAT,
    own::PARTIAL,
    own::REPORT,
    snapshot::FORMAT,
    // JSON of profilers.
    rocprofv3_json::FORMAT,
    rocprof::JSON,
    // Databases and other binary files.
    sqlite::FORMAT,
    ncu::REPORT,
    pftrace::FORMAT,
    // Tables and lines of text.
    ncu::CSV,
    nvprof::FORMAT,
    nsys::CSV,
    rocprofv3_csv::TABLES,
    rocprofv3_csv::AGENTS,
    rocprofv3_csv::SUMS,
    rocprofv3_csv::SAMPLES,
    rocprof_compute::MACHINE,
    rocprof_compute::ROOFS,
    rocprof_compute::DISPATCHES,
    rocprof_compute::TABLES,
    rocprof::TABLES,
    rocprof::DISPATCHES,
    rocprof::EVENTS,
    rocprofv2::TABLES,
    rocprofv2::LINES,
    // What only its name tells.
    nsys::REPORT,
    // What is written by scripts, and so in many ways.
    measurements::KERNELS,
    torch_log::FORMAT,
    measurements::FORMAT,
    memory_timeline::FORMAT,
    // Anything else is a trace or nothing.
    kineto::FORMAT,
];

/// A format.
pub(crate) struct Format {
    /// The name in outputs: `ncu-csv`, `rocpd`.
    pub(crate) id: &'static str,
    /// Names that a file of it has instead if its content says so.
    pub(crate) dialects: &'static [&'static str],
    /// What a file of it is; of measurements, the form says it.
    pub(crate) kind: Kind,
    /// Who writes it. A reader that knows better says so in [`Metadata::recorder`](eaves_model::Metadata::recorder).
    pub(crate) recorder: Recorder,
    /// True if each file of it is read for itself, whatever lies next to it.
    pub(crate) stands_alone: bool,
    /// From which inputs on a file of a folder is read because its content shows the format, if it is called as such
    /// files may be.
    pub(crate) in_folders: Option<Wanted>,
    /// From which inputs on the format is looked for.
    pub(crate) wanted: Wanted,
    /// Tells it.
    pub(crate) detect: Detect,
    /// Reads it.
    pub(crate) read: fn(Input<'_>) -> Result<Document, Refusal>,
}

/// How a format is told.
pub(crate) enum Detect {
    /// By the first bytes, as they are in the file: a byte order mark or UTF-16 included.
    Bytes(fn(first: &[u8]) -> bool),
    /// By the first bytes of JSON.
    Json(fn(first: &[u8]) -> bool),
    /// By the first bytes of what is not JSON, so that large traces are not shown to every reader of tables.
    NotJson(fn(first: &[u8]) -> bool),
    /// By the first bytes, unless the user says what the file is.
    Form(fn(first: &[u8], said: Option<Form>) -> bool),
    /// By the name of the file.
    Name(fn(path: &str) -> bool),
    /// By the name and the first bytes of a file that is not packed: whoever reads it opens it by its path.
    File(fn(path: &str, first: &[u8]) -> bool),
    /// It is what is left.
    Otherwise,
}

impl Format {
    /// What most formats of profilers have in common.
    pub(crate) const PROFILER: Self = Self {
        id: "",
        dialects: &[],
        kind: Kind::Recording,
        recorder: Recorder::Unknown,
        stands_alone: false,
        in_folders: Some(Wanted::Recordings),
        wanted: Wanted::Recordings,
        detect: Detect::NotJson(|_| false),
        read: |_| Err(Refusal::Empty),
    };

    /// The format with this name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|format| format.id == name || format.dialects.contains(&name))
    }

    fn is_it(&self, beginning: &Beginning<'_>) -> bool {
        let Beginning { path, first, is_json, is_file, form } = *beginning;
        match self.detect {
            Detect::Bytes(is_it) => is_it(first),
            Detect::Json(is_it) => is_json && is_it(first),
            Detect::NotJson(is_it) => !is_json && is_it(first),
            Detect::Form(is_it) => is_it(first, form),
            Detect::Name(is_it) => is_it(path),
            Detect::File(is_it) => is_file && is_it(path, first),
            Detect::Otherwise => true,
        }
    }
}

/// What a format is told by.
struct Beginning<'a> {
    path: &'a str,
    first: &'a [u8],
    is_json: bool,
    /// True for a file that is not packed.
    is_file: bool,
    form: Option<Form>,
}

impl<'a> Beginning<'a> {
    fn new(path: &'a str, first: &'a [u8], is_file: bool, form: Option<Form>) -> Self {
        let text = first.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(first).trim_ascii_start();
        // A program may print JSON before the table of its profiler.
        let is_json = matches!(text.first(), Some(b'{' | b'['))
            && memchr::memmem::find(first, b"\n\"ID\",\"").is_none();
        Self { path, first, is_json, is_file, form }
    }
}

/// Who writes the format with this name.
pub(crate) fn recorder_of(name: &str) -> Recorder {
    sqlite::recorder_of(name).or(Format::named(name).map(|format| format.recorder).unwrap_or_default())
}

/// True for a file of a folder whose first bytes show that it is of use.
pub(crate) fn is_of_use(path: &str, first: &[u8], wanted: Wanted) -> bool {
    let beginning = Beginning::new(path, first, true, None);
    let is_looked_for = |format: &&Format| format.in_folders.is_some_and(|least| least <= wanted);
    ALL.iter().filter(is_looked_for).any(|format| format.is_it(&beginning))
}

/// A file to be read.
pub(crate) struct Input<'a> {
    /// The input as the user named it, with the member of an archive after `!`.
    pub(crate) path: &'a str,
    /// Its first bytes, 64 KB if it has as many.
    pub(crate) first: &'a [u8],
    /// All of its bytes, from the start, once.
    pub(crate) rest: Box<dyn Read + Send + 'a>,
    /// The same, for what must be read from several places.
    pub(crate) source: &'a dyn Source,
    /// Threads that may work.
    pub(crate) threads: usize,
    /// What the user says the file is.
    pub(crate) form: Option<Form>,
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
    /// One of several files that a profiler wrote of the same run, to be combined with the others.
    Part(Box<profilers::Part>),
    /// What a compiler did.
    CompileLog(Box<CompileLog>),
    /// Something that others read.
    Recognized,
}

impl Document {
    /// The same with who recorded it, if it does not say.
    pub(crate) fn recorded_by(mut self, recorder: Recorder) -> Self {
        let trace = match &mut self {
            Self::Trace { trace, .. } => &mut **trace,
            Self::Part(part) => &mut part.trace,
            Self::Measurements(_) | Self::CompileLog(_) | Self::Recognized => return self,
        };
        trace.metadata.recorder = trace.metadata.recorder.or(recorder);
        self
    }
}

/// Reads an input in whichever format it is. The path is told for what files are called next to it.
pub(crate) fn read(
    path: &str,
    source: &dyn Source,
    threads: usize,
    container: &str,
    options: &Options,
) -> Result<(Document, Kind), Refusal> {
    let mut reader = source.open(0).map_err(Refusal::Io)?;
    let mut first = Vec::new();
    // What fails here fails again where it can be noted.
    let failed = Failed(reader.by_ref().take(FIRST).read_to_end(&mut first).err());
    let is_file = container == PLAIN && source.size().is_some();
    let form = options.form;
    let beginning = Beginning::new(path, &first, is_file, form);
    let format = ALL.iter().find(|format| format.wanted <= options.wanted && format.is_it(&beginning));
    let format = format.ok_or(Refusal::Empty)?;
    let rest = Box::new(io::Cursor::new(first.as_slice()).chain(failed).chain(reader));
    let document = (format.read)(Input { path, first: &first, rest, source, threads, form })?;
    let kind = match &document {
        Document::Measurements(content) => measurements::kind_of(content.format),
        _ => format.kind,
    };
    Ok((document.recorded_by(format.recorder), kind))
}

/// Why nothing was found in a file of a profiler, if it is because the file is damaged. `what` is the kind of file.
pub(crate) fn refused_as_damaged(what: &str, diagnostics: &Diagnostics) -> Option<Refused> {
    let kinds = [WarningKind::Truncated, WarningKind::DamagedContainer, WarningKind::DamagedPage];
    let warning = diagnostics.warnings().iter().find(|warning| kinds.contains(&warning.kind))?;
    let state = match warning.kind {
        WarningKind::Truncated => "is cut off",
        WarningKind::DamagedContainer => "cannot be read or decompressed further",
        _ => "is damaged",
    };
    let detail = warning.detail.as_ref().map(|detail| format!(" ({detail})")).unwrap_or_default();
    Some(Refused {
        offset: warning.first_offset.unwrap_or(0),
        what: format!("{what} that {state}{detail}, without a readable record"),
        hint: "copy or decompress it again; if it was written like this, record again and let the program finish"
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_that_of_one_format() {
        let names = |format: &Format| [format.id].into_iter().chain(format.dialects.iter().copied());
        let mut names: Vec<&str> = ALL.iter().flat_map(names).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{names:?}");
        assert!(names.iter().all(|name| !name.is_empty()));
    }

    /// What is left is a trace, so nothing may come after it.
    #[test]
    fn the_last_format_takes_what_is_left() {
        let takes_all = |format: &Format| matches!(format.detect, Detect::Otherwise);
        assert_eq!(ALL.iter().position(takes_all), Some(ALL.len() - 1));
    }
}
