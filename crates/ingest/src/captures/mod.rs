//! Recordings of the capture of graphs, which lie beside the recording that replays them.
//!
//! A replay shows the kernels of a graph and nothing of the operators they came from. Servers therefore record the capture
//! too: vLLM writes a folder `capture_traces` beside the replay, with a file for each size of batch and
//! `execution_details.json`, which says the size.

mod graphs;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use eaves_model::{CapturedGraph, Recording, SliceKind, Strings, Trace, WarningKind};

use crate::inputs::{Input, may_be_trace, rank_of_name, walk};
use crate::reading::{One, one};
use crate::{Error, Options, Wanted, containers};

/// The folder of captures.
const FOLDER: &str = "capture_traces";
/// The file in it that says what each capture is of.
const DETAILS: &str = "execution_details.json";

/// The captures that recordings of a run may replay. Read when a recording needs them.
pub(crate) struct Captures<'a> {
    options: &'a Options,
    read: Mutex<HashMap<PathBuf, Arc<Folder>>>,
}

/// What a file or folder of captures holds.
#[derive(Default)]
struct Folder {
    files: Vec<Captured>,
    /// Why files could not be read.
    refused: Vec<String>,
}

/// One recording of captures.
struct Captured {
    rank: Option<i64>,
    strings: Strings,
    graphs: Vec<CapturedGraph>,
}

/// What is written of a capture beside it.
#[derive(Default)]
struct Details {
    batch_size: Option<u64>,
    mode: String,
}

impl<'a> Captures<'a> {
    /// Those that options name.
    pub(crate) fn new(options: &'a Options) -> Self {
        Self { options, read: Mutex::default() }
    }

    /// And those that lie beside recordings. What was found of them is taken out of the list: they are no ranks.
    ///
    /// # Errors
    /// If captures that were named do not exist.
    pub(crate) fn beside(list: &mut Vec<Input>, options: &'a Options) -> Result<Self, Error> {
        for path in &options.captures {
            if !path.exists() {
                return Err(Error::NotFound { path: path.clone() });
            }
        }
        let recorded = |input: &Input| match input {
            Input::File(path) | Input::Found(path) if home(path).is_none() => Some(path.clone()),
            _ => None,
        };
        let recordings: Vec<PathBuf> = list.iter().filter_map(recorded).collect();
        let has_recording = |home: &Path| recordings.iter().any(|path| path.parent() == Some(home));
        list.retain(|input| match input {
            Input::Found(path) => !home(path).is_some_and(has_recording),
            _ => true,
        });
        Ok(Self::new(options))
    }

    /// How to read.
    pub(crate) fn options(&self) -> &'a Options {
        self.options
    }

    /// Gives a recording that replays graphs what is recorded of their capture: of its own rank, or of any if its own was
    /// not captured, since ranks run the same operators.
    pub(crate) fn attach(&self, recording: &mut Recording) {
        // Standard input lies nowhere.
        let beside = (recording.path != "-").then(|| Path::new(&recording.path).with_file_name(FOLDER));
        let beside = beside.filter(|folder| folder.is_dir());
        let places: Vec<PathBuf> = self.options.captures.iter().cloned().chain(beside).collect();
        if places.is_empty() || !replays(&recording.trace) {
            return;
        }
        for place in places {
            let folder = self.folder(&place);
            for why in &folder.refused {
                recording.trace.diagnostics.note_detail(WarningKind::NotATrace, None, why.clone());
            }
            let is_own = |file: &&Captured| file.rank.is_none_or(|rank| rank == recording.rank);
            let has_own = folder.files.iter().any(|file| is_own(&file));
            for file in folder.files.iter().filter(|file| !has_own || is_own(file)) {
                let strings = &mut recording.trace.strings;
                let moved = file.graphs.iter().map(|graph| graph.moved(&file.strings, strings));
                recording.trace.captured.extend(moved);
            }
        }
    }

    fn folder(&self, place: &Path) -> Arc<Folder> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(read.entry(place.to_owned()).or_insert_with(|| Arc::new(self.read(place))))
    }

    fn read(&self, place: &Path) -> Folder {
        let (mut files, mut folder) = (Vec::new(), Folder::default());
        if place.is_dir() {
            let is_capture = |path: &Path| {
                path.file_name().is_some_and(|name| name != DETAILS && may_be_trace(&name.to_string_lossy()))
            };
            if let Err(error) = walk(place, &is_capture, &mut files) {
                folder.refused.push(error.to_string());
            }
        } else {
            files.push(place.to_owned());
        }
        for path in files {
            match self.captured(&path) {
                Ok(captured) => folder.files.push(captured),
                Err(error) => folder.refused.push(format!("graph capture: {error}")),
            }
        }
        folder
    }

    fn captured(&self, path: &Path) -> Result<Captured, Error> {
        let options = Options { wanted: Wanted::Recordings, ..self.options.clone() };
        let opened = containers::open_file(path, &options.progress, options.wanted)?;
        let shown = path.display().to_string();
        let (mut strings, mut graphs, mut rank) = (Strings::default(), Vec::new(), None);
        let details = details_of(path);
        for input in opened {
            let (read, _) = one(input.path, input.container, &*input.source, options.threads, &options)?;
            let One::Trace(recording, ()) = read else {
                return Err(Error::NotATrace { path: shown, what: "not a trace".to_owned() });
            };
            let trace = recording.trace;
            rank = rank.or_else(|| trace.metadata.distributed.as_ref().and_then(|info| info.rank));
            for graph in graphs::of(&trace) {
                let number = graphs.len() as u32;
                let moved = graph.moved(&trace.strings, &mut strings);
                let (source, mode) = (shown.clone(), details.mode.clone());
                let mode = if mode.is_empty() { moved.mode.clone() } else { mode };
                let batch_size = details.batch_size.or(moved.batch_size);
                graphs.push(CapturedGraph { source, number, mode, batch_size, ..moved });
            }
        }
        Ok(Captured { rank: rank.or_else(|| rank_of_name(&shown)), strings, graphs })
    }
}

/// The folder of a recording that a capture lies beside, if it lies where captures do.
fn home(path: &Path) -> Option<&Path> {
    let folder = path.parent()?;
    folder.parent().filter(|_| folder.file_name().is_some_and(|name| name == FOLDER))
}

/// Whether a recording replays graphs.
fn replays(trace: &Trace) -> bool {
    trace.runtime.slice.iter().any(|slice| {
        trace.slices.kind[slice.index()] == SliceKind::Runtime
            && trace.slice_name(*slice).contains("GraphLaunch")
    })
}

/// What is written of a capture beside it.
fn details_of(path: &Path) -> Details {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let text = std::fs::read(path.with_file_name(DETAILS)).unwrap_or_default();
    let list: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap_or_default();
    let own = list.iter().find(|entry| entry["file"].as_str() == Some(&name));
    own.map_or_else(Details::default, |entry| Details {
        batch_size: entry["batch_size"].as_u64(),
        mode: entry["mode"].as_str().unwrap_or_default().to_owned(),
    })
}
