//! Reading logs of `torch.compile`: which files, which ranks.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use eaves_model::compile::CompileLog;
use eaves_model::{RankSource, Recorder, Recording, parallel};

use crate::containers::{self, Opened};
use crate::formats::torch_log;
use crate::inputs::{self, Input, rank_of_name};
use crate::{Error, Options, Wanted, plausibility};

/// Reads logs that `TORCH_TRACE` and `TORCH_LOGS` write: files, directories with a log for each rank, patterns and
/// standard input (`-`), packed or not. In order of rank.
///
/// # Errors
/// If a named input cannot be read or is no such log, or if none of several found files is one.
pub fn read_compile_logs(paths: &[PathBuf], options: &Options) -> Result<Vec<CompileLog>, Error> {
    let mut opened: Vec<(Opened, bool)> = Vec::new();
    let mut refused = 0;
    let wanted = Wanted::Recordings;
    for input in inputs::expand_logs(paths)? {
        let (result, named) = match &input {
            Input::Stdin => (containers::open_stream("-", Box::new(std::io::stdin()), wanted), true),
            Input::File(path) => (containers::open_file(path, &options.progress, wanted), true),
            Input::Found(path) => (containers::open_file(path, &options.progress, wanted), false),
            // Logs are looked for in files alone.
            Input::Dataset(_) | Input::Object(..) => continue,
        };
        match result {
            // Members of an archive were found, not named.
            Ok(several) => {
                let named = named && several.len() == 1;
                opened.extend(several.into_iter().map(|one| (one, named)));
            }
            Err(error) if named => return Err(error),
            Err(_) => refused += 1,
        }
    }
    let count = opened.len() + refused;
    let mut logs = Vec::new();
    for (result, named) in read_all(&opened, options) {
        match result {
            Ok(log) => logs.push(log),
            Err(error) if named => return Err(error),
            Err(_) => {}
        }
    }
    if logs.is_empty() {
        let shown = paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ");
        return Err(Error::NoCompileLog { path: shown, count });
    }
    assign_ranks(&mut logs);
    Ok(logs)
}

/// True for a file, or a directory with files, that begin as such a log does.
pub fn is_compile_log(path: &Path) -> bool {
    let found = inputs::expand_logs(&[path.to_owned()]).unwrap_or_default();
    found.iter().any(|input| match input {
        // What can be read only once is left to whoever reads it.
        Input::Stdin | Input::Dataset(_) | Input::Object(..) => false,
        Input::File(path) | Input::Found(path) => path.is_file() && begins_as_log(path),
    })
}

fn begins_as_log(path: &Path) -> bool {
    let opened = containers::open_file(path, &Arc::default(), Wanted::Recordings).unwrap_or_default();
    opened.iter().any(|one| {
        let mut first = Vec::new();
        let read = one.source.open(0).and_then(|reader| reader.take(1 << 16).read_to_end(&mut first));
        read.is_ok() && torch_log::is_it(&first)
    })
}

/// Reads one log from memory. The name tells it apart in messages.
///
/// # Errors
/// If it is not a log.
pub fn read_compile_log(name: &str, bytes: &[u8]) -> Result<CompileLog, Error> {
    let log = torch_log::read(&mut &*bytes);
    let log = log.ok_or_else(|| Error::NoCompileLog { path: name.to_owned(), count: 1 })?;
    Ok(CompileLog { path: name.to_owned(), container: "plain", ..log })
}

/// The phases of a compiler as a recording, for timelines and call trees. Nothing if the log has none.
pub fn compile_phases(log: &CompileLog) -> Option<Recording> {
    let mut trace = torch_log::trace(log.clone())?;
    trace.metadata.recorder = Recorder::Torch;
    plausibility::check(&mut trace);
    Some(Recording {
        path: log.path.clone(),
        format: log.format,
        container: log.container,
        bytes: log.bytes,
        rank: log.rank,
        rank_source: log.rank_source,
        trace,
    })
}

/// Reads all, as many side by side as there are threads.
fn read_all(opened: &[(Opened, bool)], options: &Options) -> Vec<(Result<CompileLog, Error>, bool)> {
    parallel::map(opened, options.threads, |_, (input, named)| (one(input), *named))
}

fn one(input: &Opened) -> Result<CompileLog, Error> {
    let failed = |source| Error::Io { path: input.path.clone().into(), source };
    let mut reader = input.source.open(0).map_err(failed)?;
    let log = torch_log::read(&mut *reader);
    let log = log.ok_or_else(|| Error::NoCompileLog { path: input.path.clone(), count: 1 })?;
    Ok(placed(log, &input.path, input.container))
}

/// A log with where it is, and the rank that this tells.
pub(crate) fn placed(mut log: CompileLog, path: &str, container: &'static str) -> CompileLog {
    path.clone_into(&mut log.path);
    log.container = container;
    if let Some(rank) = rank_of_name(path).filter(|_| log.rank_source == RankSource::Assumed) {
        (log.rank, log.rank_source) = (rank, RankSource::FileName);
    }
    log
}

/// Gives the logs whose rank nothing tells the lowest free ones, then sorts by rank and path.
pub(crate) fn assign_ranks(logs: &mut [CompileLog]) {
    let known = logs.iter().filter(|log| log.rank_source != RankSource::Assumed);
    let mut taken: BTreeSet<i64> = known.map(|log| log.rank).collect();
    let mut free = 0;
    for log in logs.iter_mut().filter(|log| log.rank_source == RankSource::Assumed) {
        while !taken.insert(free) {
            free += 1;
        }
        log.rank = free;
    }
    logs.sort_by(|a, b| (a.rank, &a.path).cmp(&(b.rank, &b.path)));
}
