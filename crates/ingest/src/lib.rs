//! Bytes to columns: containers, rank sets and trace formats, healthy or damaged.
//!
//! ```no_run
//! let run = eaves_ingest::read(&["traces/".into()], &eaves_ingest::Options::default())?;
//! println!("{} ranks", run.recordings.len());
//! # Ok::<(), eaves_ingest::Error>(())
//! ```
//!
//! An error means there is nothing to show. Everything less, a file cut in the middle, garbage between events, a
//! duration that cannot be true, is a warning in the [`eaves_model::Diagnostics`] of the recording, and what could be
//! read is there.

mod compile_logs;
mod containers;
mod datasets;
mod details;
mod error;
mod export_tool;
mod formats;
mod inputs;
mod json;
mod objects;
mod parts;
mod pickle;
mod plausibility;
mod progress;
mod protobuf;
mod ranks;
mod side_by_side;
mod sqlite;

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use eaves_model::{Diagnostics, Measurements, Oddity, RankSource, Recording, Run, assign_ranks};

pub use compile_logs::{is_compile_log, read_compile_log, read_compile_logs};
pub use details::event_at;
pub use error::Error;
pub use formats::measurements::Form;
pub use inputs::Inputs;
pub use progress::Progress;

use eaves_store::Object;

use containers::Opened;
use formats::kineto::{self, Refusal};
use formats::{Document, MEMORY_SNAPSHOT, MEMORY_TIMELINE, Wanted, profilers};
use inputs::Input;

/// How to read.
#[derive(Clone, Debug)]
pub struct Options {
    /// Threads that parse; the environment variable `EAVES_THREADS` sets the default.
    pub threads: usize,
    /// Where to report how far reading has come.
    pub progress: Arc<Progress>,
}

impl Default for Options {
    fn default() -> Self {
        let wanted = std::env::var("EAVES_THREADS").ok().and_then(|threads| threads.parse().ok());
        let available = || std::thread::available_parallelism().map_or(1, usize::from);
        Self { threads: wanted.unwrap_or_else(available).max(1), progress: Arc::default() }
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

/// Reads files, directories, patterns and standard input (`-`).
///
/// # Errors
/// If a named input cannot be read or is no trace, or if none of several found files is one.
pub fn read(paths: &[PathBuf], options: &Options) -> Result<Run, Error> {
    let (run, _) = read_with(paths, options, |_| ())?;
    Ok(run)
}

/// Reads as [`read`] does, and does some work on each recording as soon as it is read, side by side with reading
/// the next. Work that takes the rows out ([`Trace::take_rows`](eaves_model::Trace::take_rows)) keeps the memory at
/// that of a few recordings, however many there are. The answers stand in the order of the recordings.
///
/// The rank is known to the work only if the recording or its name tells it; what nothing tells is
/// [assumed](RankSource::Assumed) at the end.
///
/// # Errors
/// As [`read`].
pub fn read_with<R: Send>(
    paths: &[PathBuf],
    options: &Options,
    work: impl Fn(&mut Recording) -> R + Sync,
) -> Result<(Run, Vec<R>), Error> {
    let contents = contents(paths, options, Wanted::Traces, work)?;
    Ok((contents.run, contents.answers))
}

/// What inputs hold that may be traces or measurements.
#[derive(Debug)]
pub struct Contents<R> {
    /// The traces.
    pub run: Run,
    /// The answers of the work on each trace.
    pub answers: Vec<R>,
    /// The files of measurements, in the order they were named.
    pub measurements: Vec<Measurements>,
    /// What could not be read of what was found, and why.
    pub refused: Vec<String>,
}

/// Reads traces as [`read_with`] does, and beside them what profilers write as sums without a record of each launch.
///
/// # Errors
/// As [`read`].
pub fn read_with_sums<R: Send>(
    paths: &[PathBuf],
    options: &Options,
    work: impl Fn(&mut Recording) -> R + Sync,
) -> Result<Contents<R>, Error> {
    contents(paths, options, Wanted::TracesAndSums, work)
}

/// Reads traces as [`read_with`] does, and files of measurements beside them. What a file is, its content tells, unless
/// `form` says it.
///
/// # Errors
/// As [`read`].
pub fn open_with<R: Send>(
    paths: &[PathBuf],
    options: &Options,
    form: Option<Form>,
    work: impl Fn(&mut Recording) -> R + Sync,
) -> Result<Contents<R>, Error> {
    contents(paths, options, Wanted::Any(form), work)
}

/// Reads traces as [`read_with`] does, of inputs that were found before. What cannot be read is in
/// [`refused`](Contents::refused).
///
/// # Errors
/// As [`read`].
pub fn read_found_with<R: Send>(
    inputs: Inputs,
    options: &Options,
    work: impl Fn(&mut Recording) -> R + Sync,
) -> Result<Contents<R>, Error> {
    contents_of(inputs, options, Wanted::Traces, work)
}

fn contents<R: Send>(
    paths: &[PathBuf],
    options: &Options,
    wanted: Wanted,
    work: impl Fn(&mut Recording) -> R + Sync,
) -> Result<Contents<R>, Error> {
    contents_of(Inputs::find(paths)?, options, wanted, work)
}

fn contents_of<R: Send>(
    Inputs { shown, list }: Inputs,
    options: &Options,
    wanted: Wanted,
    work: impl Fn(&mut Recording) -> R + Sync,
) -> Result<Contents<R>, Error> {
    let mut refused = Vec::new();
    let mut opened = Vec::new();
    for input in list {
        let (result, named) = match &input {
            Input::Stdin => (containers::open_stream("-", Box::new(std::io::stdin())), true),
            Input::File(path) => (containers::open_file(path, &options.progress), true),
            Input::Found(path) => (containers::open_file(path, &options.progress), false),
            Input::Object(object, named) => {
                options.progress.expect(object.size);
                opened.push((Entry::Object(object.clone()), *named));
                continue;
            }
            Input::Dataset(path) => {
                // A rank that cannot be read is damage of what was named, not something else that lies there.
                opened.extend(datasets::ranks(path)?.into_iter().map(|rank| (Entry::Rank(rank), true)));
                continue;
            }
        };
        match result {
            // Members of an archive were found, not named.
            Ok(several) => {
                let named = named && several.len() == 1;
                opened.extend(several.into_iter().map(|one| (Entry::Bytes(one), named)));
            }
            Err(error) if named => return Err(error),
            Err(error) => refused.push(error),
        }
    }
    assemble(&shown, opened, refused, options, wanted, work)
}

/// Reads what a stream gives, packed or not, as one input or, from an archive, several.
///
/// # Errors
/// If there is no trace in it.
pub fn read_stream(name: &str, stream: Box<dyn Read + Send>, options: &Options) -> Result<Run, Error> {
    let opened = containers::open_stream(name, stream)?;
    let named = opened.len() == 1;
    let opened = opened.into_iter().map(|one| (Entry::Bytes(one), named)).collect();
    let contents = assemble(name, opened, Vec::new(), options, Wanted::Traces, |_| ())?;
    Ok(contents.run)
}

/// Reads everything opened. What was named must be a trace, what was found may be something else. `refused` are the
/// inputs that could not even be opened.
fn assemble<R: Send>(
    shown: &str,
    opened: Vec<(Entry, bool)>,
    mut refused: Vec<Error>,
    options: &Options,
    wanted: Wanted,
    work: impl Fn(&mut Recording) -> R + Sync,
) -> Result<Contents<R>, Error> {
    let count = opened.len() + refused.len();
    let mut passed_over = Vec::new();
    let mut recordings = Vec::new();
    let mut measurements = Vec::new();
    let results = read_all(opened, options, wanted, &work);
    let results = parts::put_together(results, &work);
    // A recording of memory alone that lies beside traces belongs to one of them and is no rank of its own.
    let is_trace = |result: &Done<R>| match result {
        Ok(One::Trace(recording, _)) => !is_of_memory(recording.format),
        _ => false,
    };
    let has_traces = results.iter().any(|(result, _)| is_trace(result));
    for (result, named) in results {
        match result {
            Ok(One::Trace(recording, _)) if is_of_memory(recording.format) && has_traces && !named => {
                let detail =
                    format!("a recording of memory beside traces, to be named alone: {}", recording.path);
                passed_over.push(detail);
            }
            Ok(One::Trace(recording, answer)) => recordings.push((*recording, answer)),
            Ok(One::Measurements(one)) => measurements.push(one),
            // Put together above.
            Ok(One::Part(_)) => {}
            Err(error) if named => return Err(error),
            Err(error) => refused.push(error),
        }
    }
    if recordings.is_empty() && measurements.is_empty() {
        let nothing = Error::NothingThere { path: shown.to_owned(), count };
        return Err(common_reason(refused).unwrap_or(nothing));
    }
    let refused: Vec<String> = refused.iter().map(Error::to_string).collect();
    passed_over.extend(refused.iter().cloned());
    // The first is shown: the same whatever the order of the inputs, and whether or not they are read together.
    passed_over.sort();
    let mut diagnostics = Diagnostics::default();
    for detail in passed_over {
        diagnostics.note_detail(Oddity::NotATrace, None, detail);
    }
    assign_ranks(&mut recordings, &mut diagnostics);
    let (recordings, answers) = recordings.into_iter().unzip();
    Ok(Contents { run: Run { recordings, diagnostics }, answers, measurements, refused })
}

/// The one thing that is wrong with several inputs: what all of them were refused for, or what those were that a
/// profiler wrote, if other files lie among them.
fn common_reason(mut refused: Vec<Error>) -> Option<Error> {
    let is_one = |errors: &[Error]| {
        errors.split_first().is_some_and(|(first, others)| others.iter().all(|other| other.is_like(first)))
    };
    if !is_one(&refused) {
        refused.retain(|error| matches!(error, Error::Profiler { .. }));
    }
    if is_one(&refused) { refused.into_iter().next() } else { None }
}

/// True for a format whose files are read each for itself, whatever lies beside them.
pub fn stands_alone(format: &str) -> bool {
    ["chrome", "kineto"].contains(&format)
}

/// True for a format that records memory alone. Beside traces such a recording is no rank of its own.
pub fn is_of_memory(format: &str) -> bool {
    [MEMORY_SNAPSHOT, MEMORY_TIMELINE].contains(&format)
}

/// Reads one trace from memory, on one thread. The name tells it apart in messages.
///
/// # Errors
/// If it is no trace.
pub fn read_bytes(name: &str, bytes: &[u8]) -> Result<Recording, Error> {
    match one(name.to_owned(), "plain", &bytes, 1, Wanted::Traces)? {
        One::Trace(recording, ()) => Ok(*recording),
        One::Part(part) => Ok(parts::recording(vec![*part])),
        One::Measurements(one) => Err(Error::Sums { path: one.path, format: one.format }),
    }
}

/// Reads one file of measurements from memory. The name tells it apart in messages.
///
/// # Errors
/// If it holds none.
pub fn read_measurements(name: &str, bytes: &[u8], form: Option<Form>) -> Result<Measurements, Error> {
    match one(name.to_owned(), "plain", &bytes, 1, Wanted::Any(form))? {
        One::Measurements(measurements) => Ok(measurements),
        One::Trace(..) | One::Part(_) => Err(Error::Measurements {
            path: name.to_owned(),
            line: 1,
            what: "a trace, not measurements".to_owned(),
            hint: "say the form with `--from`",
        }),
    }
}

/// Something to read.
enum Entry {
    /// Bytes in some format.
    Bytes(Opened),
    /// An object, which is fetched when it is read and forgotten then.
    Object(Object),
    /// A rank of a dataset.
    Rank(datasets::Rank),
}

/// Something that was read.
enum One<R> {
    /// A recording, with the answer of the work on it.
    Trace(Box<Recording>, R),
    Measurements(Measurements),
    /// A file that is put together with others.
    Part(Box<parts::Found>),
}

type Done<R> = Result<One<R>, Error>;

/// A recording that is complete, with the answer of the work on it.
fn done<R>(mut recording: Recording, work: &impl Fn(&mut Recording) -> R) -> One<R> {
    ranks::tell(&mut recording);
    let answer = work(&mut recording);
    One::Trace(Box::new(recording), answer)
}

/// Reads all, as many side by side as there are threads; each gets its share of the threads.
fn read_all<R: Send>(
    opened: Vec<(Entry, bool)>,
    options: &Options,
    wanted: Wanted,
    work: &(impl Fn(&mut Recording) -> R + Sync),
) -> Vec<(Done<R>, bool)> {
    let workers = options.threads.min(opened.len()).max(1);
    let share = options.threads / workers;
    let neighbours = parts::Neighbours::of(opened.iter().filter_map(|(input, _)| match input {
        Entry::Bytes(input) => Some(input.path.as_str()),
        Entry::Object(object) => Some(object.address.as_str()),
        Entry::Rank(_) => None,
    }));
    let results = side_by_side::each(&opened, workers, |(input, _)| {
        let fetched;
        let input = match input {
            Entry::Bytes(input) => input,
            Entry::Object(object) => {
                fetched = objects::Fetched::new(object, options)?;
                &fetched.opened
            }
            Entry::Rank(rank) => {
                let mut recording = rank.read(options)?;
                let answer = work(&mut recording);
                return Ok(One::Trace(Box::new(recording), answer));
            }
        };
        let result = one(input.path.clone(), input.container, &*input.source, share, wanted);
        result.map(|one| match one {
            One::Measurements(measurements) => One::Measurements(measurements),
            // What nothing can be put together with need not wait for the others.
            One::Part(part) if neighbours.can_join(&part) => One::Part(part),
            One::Part(part) => done(parts::recording(vec![*part]), work),
            One::Trace(recording, ()) => done(*recording, work),
        })
    });
    opened.iter().zip(results).filter_map(|((_, named), result)| Some((result?, *named))).collect()
}

fn one(
    path: String,
    container: &'static str,
    source: &dyn kineto::Source,
    threads: usize,
    wanted: Wanted,
) -> Result<One<()>, Error> {
    let document =
        formats::read(&path, source, threads, wanted).map_err(|refusal| explain(path.clone(), refusal))?;
    Ok(match document {
        Document::Trace { mut trace, bytes, format } => {
            plausibility::check(&mut trace);
            let rank_source = RankSource::Assumed;
            let recording = Recording { path, format, container, bytes, rank: 0, rank_source, trace: *trace };
            One::Trace(Box::new(recording), ())
        }
        Document::Part(part) => One::Part(Box::new(parts::Found { path, container, part: *part })),
        Document::Measurements(content) if matches!(wanted, Wanted::Traces) => {
            return Err(Error::Sums { path, format: content.format });
        }
        Document::Measurements(content) => One::Measurements(Measurements {
            path,
            format: content.format,
            container,
            bytes: content.bytes,
            device: content.device,
            records: content.records,
            diagnostics: content.diagnostics,
        }),
    })
}

fn explain(path: String, refusal: Refusal) -> Error {
    match refusal {
        Refusal::Io(source) => Error::Io { path: path.into(), source },
        Refusal::Empty => Error::Empty { path },
        Refusal::Profiler(profilers::Refused { offset, what, hint }) => {
            Error::Profiler { path, offset, what, hint }
        }
        Refusal::Measurements(unreadable) => {
            Error::Measurements { path, line: unreadable.line, what: unreadable.what, hint: unreadable.hint }
        }
        Refusal::NotJson(first) => {
            let shown = String::from_utf8_lossy(&first);
            let start = shown.trim_start().to_ascii_lowercase();
            let what = if start.starts_with("<!doctype") || start.starts_with("<html") {
                "an HTML page (a log-in page saved in its place?)".to_owned()
            } else if start.starts_with("pmc") {
                "an input file of rocprof, which `eaves counters check` is for".to_owned()
            } else if first.contains(&0) {
                "binary data".to_owned()
            } else {
                format!(
                    "text that begins with `{}`",
                    shown.chars().take(24).collect::<String>().escape_debug()
                )
            };
            Error::NotATrace { path, what }
        }
        Refusal::NotEvents(keys) if keys.is_empty() => {
            Error::NoEvents { path, found: "no list of events".to_owned() }
        }
        Refusal::NotEvents(mut keys) => {
            keys.truncate(6);
            Error::NoEvents { path, found: format!("it has `{}`", keys.join("`, `")) }
        }
    }
}
