//! Bytes to columns: containers, rank sets and trace formats, healthy or damaged.
//!
//! [`open`] reads any input and identifies it; each recording is passed to a closure as soon as it is read, so a thousand
//! ranks need no more memory than a few:
//!
//! ```no_run
//! let inputs = ["traces/".into(), "compile.log".into()];
//! let contents = eaves_ingest::open(&inputs, &eaves_ingest::Options::default(), |recording| recording.trace.events)?;
//! for input in &contents.inputs {
//!     println!("{}: {}", input.path, input.kind.id());
//! }
//! println!("{} ranks with {} events", contents.run.recordings.len(), contents.answers.iter().sum::<u64>());
//! # Ok::<(), eaves_ingest::Error>(())
//! ```
//!
//! An error means that there is nothing to show. Anything less (a truncated file, garbage between events, an impossible
//! duration) is a warning in the recording's [`eaves_model::Diagnostics`], and everything readable is kept.

mod captures;
mod compile_logs;
mod containers;
mod contents;
mod datasets;
mod details;
mod error;
mod export_tool;
mod formats;
mod inputs;
mod json;
mod kind;
mod objects;
mod options;
mod parts;
mod pickle;
mod place;
mod plain_file;
mod plausibility;
mod progress;
mod protobuf;
mod ranks;
mod reading;
mod refusal;
mod source;
mod sqlite;
mod system;

use std::io::Read;
use std::path::PathBuf;

use eaves_model::{Measurements, Recording, Run};

pub use compile_logs::{compile_phases, is_compile_log, read_compile_log, read_compile_logs};
pub use contents::{Contents, Opened};
pub use details::event_at;
pub use error::Error;
pub use formats::measurements::Form;
pub use inputs::Inputs;
pub use kind::Kind;
pub use options::{Options, Wanted};
pub use progress::Progress;

use captures::Captures;
use formats::Format;
use plain_file::PLAIN;
use reading::{Entry, One};

/// Reads files, directories, patterns, standard input (`-`), datasets and addresses of object stores, whatever they are,
/// and does some work on each recording as soon as it is read, side by side with reading the next. Work that takes the
/// rows out ([`Trace::take_rows`](eaves_model::Trace::take_rows)) keeps the memory at that of a few recordings, however
/// many there are. Each file is read once.
///
/// The rank is known to the work only if the recording or its name tells it; what nothing tells is
/// [assumed](eaves_model::RankSource::Assumed) at the end.
///
/// # Errors
/// If a named input cannot be read or is of no use, or if none of several found files is.
pub fn open<R: Send>(
    paths: &[PathBuf],
    options: &Options,
    work: impl Fn(&mut Recording) -> R + Sync,
) -> Result<Contents<R>, Error> {
    Inputs::find_wanted(paths, options.wanted)?.open(options, work)
}

impl Inputs {
    /// Reads inputs that were found before, as [`open`] does.
    ///
    /// # Errors
    /// As [`open`].
    pub fn open<R: Send>(
        self,
        options: &Options,
        work: impl Fn(&mut Recording) -> R + Sync,
    ) -> Result<Contents<R>, Error> {
        reading::contents(self, options, work)
    }
}

/// The files that inputs stand for, in the order they are read in, for those who read them in several processes. Of a dataset
/// these are the folders of its ranks, of a bucket the addresses of its objects.
///
/// # Errors
/// If there is nothing of a name.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    Inputs::find(paths)?.files()
}

/// [Opens](open) recordings alone.
///
/// # Errors
/// As [`open`].
pub fn read(paths: &[PathBuf], options: &Options) -> Result<Run, Error> {
    read_with(paths, options, |_| ()).map(|(run, _)| run)
}

/// [Opens](open) recordings alone. The answers stand in the order of the recordings.
///
/// # Errors
/// As [`open`].
pub fn read_with<R: Send>(
    paths: &[PathBuf],
    options: &Options,
    work: impl Fn(&mut Recording) -> R + Sync,
) -> Result<(Run, Vec<R>), Error> {
    let contents = open(paths, &Options { wanted: Wanted::Recordings, ..options.clone() }, work)?;
    Ok((contents.run, contents.answers))
}

/// [Opens](open) recordings, and sums that profilers write.
///
/// # Errors
/// As [`open`].
pub fn read_with_sums<R: Send>(
    paths: &[PathBuf],
    options: &Options,
    work: impl Fn(&mut Recording) -> R + Sync,
) -> Result<Contents<R>, Error> {
    open(paths, &Options { wanted: Wanted::RecordingsAndSums, ..options.clone() }, work)
}

/// [Opens](open) recordings and measurements. What a file is, its content tells, unless `form` says it.
///
/// # Errors
/// As [`open`].
pub fn open_with<R: Send>(
    paths: &[PathBuf],
    options: &Options,
    form: Option<Form>,
    work: impl Fn(&mut Recording) -> R + Sync,
) -> Result<Contents<R>, Error> {
    open(paths, &Options { wanted: Wanted::RecordingsAndMeasurements, form, ..options.clone() }, work)
}

/// Opens recordings of [inputs](Inputs::open) that were found before.
///
/// # Errors
/// As [`open`].
pub fn read_found_with<R: Send>(
    inputs: Inputs,
    options: &Options,
    work: impl Fn(&mut Recording) -> R + Sync,
) -> Result<Contents<R>, Error> {
    inputs.open(&Options { wanted: Wanted::Recordings, ..options.clone() }, work)
}

/// Reads recordings from what a stream gives, packed or not, as one input or, from an archive, several.
///
/// # Errors
/// If there is no recording in it.
pub fn read_stream(name: &str, stream: Box<dyn Read + Send>, options: &Options) -> Result<Run, Error> {
    let options = Options { wanted: Wanted::Recordings, ..options.clone() };
    let opened = containers::open_stream(name, stream, options.wanted)?;
    let named = opened.len() == 1;
    let opened = opened.into_iter().map(|one| (Entry::Bytes(one), named)).collect();
    reading::assemble(name, opened, Vec::new(), &Captures::new(&options), |_| ()).map(|contents| contents.run)
}

/// True for a format whose files are read each for itself, whatever lies next to them.
pub fn stands_alone(format: &str) -> bool {
    Format::named(format).is_some_and(|format| format.stands_alone)
}

/// True for a format that records memory alone. Next to traces such a recording is not its own rank.
pub fn is_of_memory(format: &str) -> bool {
    let kind = Format::named(format).map(|format| format.kind);
    matches!(kind, Some(Kind::MemorySnapshot | Kind::MemoryTimeline))
}

/// True for a format of compile logs. A recording of it holds the compiler's phases.
pub fn is_of_compiler(format: &str) -> bool {
    Format::named(format).is_some_and(|format| format.kind == Kind::CompileLog)
}

/// Reads one recording from memory, on one thread. The name tells it apart in messages.
///
/// # Errors
/// If it is not a recording.
pub fn read_bytes(name: &str, bytes: &[u8]) -> Result<Recording, Error> {
    let options = Options { wanted: Wanted::Recordings, ..Options::default() };
    match reading::one(name.to_owned(), PLAIN, &bytes, 1, &options)?.0 {
        One::Trace(recording, ()) => Ok(*recording),
        One::Part(part) => Ok(parts::recording(vec![*part])),
        One::Measurements(one) => Err(Error::Sums { path: one.path, format: one.format }),
        One::CompileLog(_) | One::Recognized => {
            Err(Error::NotATrace { path: name.to_owned(), what: "not recorded".to_owned() })
        }
    }
}

/// Reads one measurement file from memory. The name tells it apart in messages.
///
/// # Errors
/// If it holds none.
pub fn read_measurements(name: &str, bytes: &[u8], form: Option<Form>) -> Result<Measurements, Error> {
    let options = Options { wanted: Wanted::RecordingsAndMeasurements, form, ..Options::default() };
    match reading::one(name.to_owned(), PLAIN, &bytes, 1, &options)?.0 {
        One::Measurements(measurements) => Ok(measurements),
        _ => Err(Error::Measurements {
            path: name.to_owned(),
            line: 1,
            what: "a trace, not measurements".to_owned(),
            hint: "name the format with `--from`",
        }),
    }
}
