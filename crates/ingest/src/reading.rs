//! From inputs to what they hold: opens them, reads them side by side, puts parts together, gives out ranks.

use eaves_model::compile::CompileLog;
use eaves_model::{
    Diagnostics, Measurements, RankSource, Recorder, Recording, Run, WarningKind, assign_ranks, parallel,
};
use eaves_store::Object;

use crate::captures::Captures;
use crate::containers::{self, Opened as OpenedBytes};
use crate::contents::{Contents, Opened};
use crate::formats::{self, Document, torch_log};
use crate::inputs::{Input, Inputs};
use crate::refusal::Refusal;
use crate::source::Source;
use crate::{
    Error, Kind, Options, Wanted, compile_logs, datasets, is_of_memory, objects, parts, plausibility, ranks,
};

/// Something to read.
pub(crate) enum Entry {
    /// Bytes in some format.
    Bytes(OpenedBytes),
    /// An object, which is fetched when it is read and forgotten then.
    Object(Object),
    /// A rank of a dataset.
    Rank(datasets::Rank),
}

/// Something that was read.
pub(crate) enum One<R> {
    /// A recording, with the answer of the work on it.
    Trace(Box<Recording>, R),
    Measurements(Measurements),
    CompileLog(Box<CompileLog>),
    /// A file that is combined with others.
    Part(Box<parts::Found>),
    /// Something that others read.
    Recognized,
}

pub(crate) type Done<R> = Result<One<R>, Error>;

/// Reads everything that inputs stand for.
pub(crate) fn contents<R: Send>(
    Inputs { shown, mut list }: Inputs,
    options: &Options,
    work: impl Fn(&mut Recording) -> R + Sync,
) -> Result<Contents<R>, Error> {
    let captures = Captures::beside(&mut list, options)?;
    let mut refused = Vec::new();
    let mut opened = Vec::new();
    for input in list {
        let (result, named) = match &input {
            Input::Stdin => (containers::open_stream("-", Box::new(std::io::stdin()), options.wanted), true),
            Input::File(path) => (containers::open_file(path, &options.progress, options.wanted), true),
            Input::Found(path) => (containers::open_file(path, &options.progress, options.wanted), false),
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
    assemble(&shown, opened, refused, &captures, work)
}

/// Reads everything opened. What was named must be of use, what was found may be something else. `refused` are the
/// inputs that could not even be opened.
pub(crate) fn assemble<R: Send>(
    shown: &str,
    opened: Vec<(Entry, bool)>,
    mut refused: Vec<Error>,
    captures: &Captures<'_>,
    work: impl Fn(&mut Recording) -> R + Sync,
) -> Result<Contents<R>, Error> {
    let options = captures.options();
    let count = opened.len() + refused.len();
    let mut passed_over = Vec::new();
    let mut recordings = Vec::new();
    let (mut memory, mut measurements, mut compile_logs) = (Vec::new(), Vec::new(), Vec::new());
    let (results, inputs) = read_all(opened, captures, &work);
    let results = parts::put_together(results, &work);
    // A recording of memory alone that lies next to traces belongs to one of them and is not its own rank.
    let is_trace = |result: &Done<R>| match result {
        Ok(One::Trace(recording, _)) => !is_of_memory(recording.format),
        _ => false,
    };
    let has_traces = results.iter().any(|(result, _)| is_trace(result));
    let is_beside = |recording: &Recording| is_of_memory(recording.format) && has_traces;
    for (result, named) in results {
        match result {
            Ok(One::Trace(recording, answer))
                if is_beside(&recording) && options.wanted == Wanted::Everything =>
            {
                memory.push((*recording, answer));
            }
            Ok(One::Trace(recording, _)) if is_beside(&recording) && !named => {
                let detail = format!("a memory recording next to traces; open it alone: {}", recording.path);
                passed_over.push(detail);
            }
            Ok(One::Trace(recording, answer)) => recordings.push((*recording, answer)),
            Ok(One::Measurements(one)) => measurements.push(one),
            Ok(One::CompileLog(log)) => compile_logs.push(*log),
            // Put together above, or listed among the inputs.
            Ok(One::Part(_) | One::Recognized) => {}
            Err(error) if named => return Err(error),
            Err(error) => refused.push(error),
        }
    }
    if inputs.is_empty() {
        let nothing = Error::NothingThere { path: shown.to_owned(), count };
        return Err(common_reason(refused).unwrap_or(nothing));
    }
    let refused: Vec<String> = refused.iter().map(Error::to_string).collect();
    passed_over.extend(refused.iter().cloned());
    // The first is shown: the same whatever the order of the inputs, and whether or not they are read together.
    passed_over.sort();
    let mut diagnostics = Diagnostics::default();
    for detail in passed_over {
        diagnostics.note_detail(WarningKind::NotATrace, None, detail);
    }
    assign_ranks(&mut recordings, &mut diagnostics);
    compile_logs::assign_ranks(&mut compile_logs);
    let (recordings, answers) = recordings.into_iter().unzip();
    let run = Run { recordings, diagnostics };
    Ok(Contents { inputs, run, answers, memory, measurements, compile_logs, refused })
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

/// A recording that is complete, with the answer of the work on it.
fn done<R>(mut recording: Recording, captures: &Captures<'_>, work: &impl Fn(&mut Recording) -> R) -> One<R> {
    ranks::tell(&mut recording);
    captures.attach(&mut recording);
    let answer = work(&mut recording);
    One::Trace(Box::new(recording), answer)
}

/// Reads all, as many side by side as there are threads; each gets its share of the threads. The second answer says what
/// those are that could be read.
fn read_all<R: Send>(
    opened: Vec<(Entry, bool)>,
    captures: &Captures<'_>,
    work: &(impl Fn(&mut Recording) -> R + Sync),
) -> (Vec<(Done<R>, bool)>, Vec<Opened>) {
    let options = captures.options();
    let workers = options.threads.min(opened.len()).max(1);
    let share = options.threads / workers;
    let neighbours = parts::Neighbours::of(opened.iter().filter_map(|(input, _)| match input {
        Entry::Bytes(input) => Some(input.path.as_str()),
        Entry::Object(object) => Some(object.address.as_str()),
        Entry::Rank(_) => None,
    }));
    let results = parallel::map(&opened, workers, |_, (input, _)| {
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
                let opened = Opened { path: rank.place(), kind: Kind::Dataset };
                return Ok((One::Trace(Box::new(recording), answer), opened));
            }
        };
        let (one, kind) = one(input.path.clone(), input.container, &*input.source, share, options)?;
        let one = match one {
            // What nothing can be combined with need not wait for the others.
            One::Part(part) if neighbours.can_join(&part) => One::Part(part),
            One::Part(part) => done(parts::recording(vec![*part]), captures, work),
            One::Trace(recording, ()) => done(*recording, captures, work),
            One::Measurements(measurements) => One::Measurements(measurements),
            One::CompileLog(log) => One::CompileLog(log),
            One::Recognized => One::Recognized,
        };
        Ok((one, Opened { path: input.path.clone(), kind }))
    });
    let mut inputs = Vec::new();
    let mut all = Vec::with_capacity(opened.len());
    for ((_, named), result) in opened.iter().zip(results) {
        let result = result.map(|(one, opened)| {
            inputs.push(opened);
            one
        });
        all.push((result, *named));
    }
    (all, inputs)
}

/// Reads one input.
pub(crate) fn one(
    path: String,
    container: &'static str,
    source: &dyn Source,
    threads: usize,
    options: &Options,
) -> Result<(One<()>, Kind), Error> {
    let read = formats::read(&path, source, threads, container, options);
    let (document, kind) = read.map_err(|refusal| refusal.of_input(path.clone()))?;
    let document = match document {
        Document::CompileLog(log) if options.wanted < Wanted::Everything => {
            phases_of(*log).map_err(|refusal| refusal.of_input(path.clone()))?
        }
        document => document,
    };
    let one = match document {
        Document::Trace { mut trace, bytes, format } => {
            plausibility::check(&mut trace);
            let rank_source = RankSource::Assumed;
            let recording = Recording { path, format, container, bytes, rank: 0, rank_source, trace: *trace };
            One::Trace(Box::new(recording), ())
        }
        Document::Part(part) => One::Part(Box::new(parts::Found { path, container, part: *part })),
        Document::Measurements(content) if options.wanted == Wanted::Recordings => {
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
        Document::CompileLog(log) => One::CompileLog(Box::new(compile_logs::placed(*log, &path, container))),
        Document::Recognized => One::Recognized,
    };
    Ok((one, kind))
}

/// The phases of a compiler as a trace.
fn phases_of(log: CompileLog) -> Result<Document, Refusal> {
    let (bytes, format) = (log.bytes, log.format);
    let trace = Box::new(torch_log::trace(log).ok_or_else(torch_log::without_phases)?);
    Ok(Document::Trace { trace, bytes, format }.recorded_by(Recorder::Torch))
}
