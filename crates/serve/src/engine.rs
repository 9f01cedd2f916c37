//! What the server asks of the program that it is a part of.

use std::path::PathBuf;
use std::sync::Arc;

use eaves_analyze::section::Section;
use eaves_model::{Interval, Run};
use eaves_present::Document;
use serde_json::{Map, Value};

use crate::Problem;

/// Who answers. The command line does, with its verbs.
pub trait Engine: Send + Sync + 'static {
    /// What a command line prints with `--json`: words without the name of the program. They are made of checked fields,
    /// never of a text that somebody sent.
    ///
    /// # Errors
    /// If the words mean nothing, or the verb fails.
    fn answer(&self, words: &[String]) -> Result<Vec<u8>, Problem>;

    /// Reads inputs: recordings, or a report of ours.
    ///
    /// # Errors
    /// If there is nothing to show.
    fn open(&self, inputs: &[PathBuf]) -> Result<Opened, Problem>;

    /// What a verb answers to a request, as JSON. Inputs that are in memory are not read again.
    ///
    /// # Errors
    /// If the request means nothing, or the verb fails.
    fn ask(&self, verb: &str, request: Map<String, Value>) -> Result<Vec<u8>, Problem>;

    /// What is known by name, as JSON: `precisions` and `presets`.
    ///
    /// # Errors
    /// If nothing is known of that kind.
    fn known(&self, kind: &str) -> Result<Vec<u8>, Problem>;

    /// What is wrong with a script of operators: the line, if it is one, and why. Empty if nothing is.
    fn check_ops(&self, script: &str) -> Vec<(Option<usize>, String)>;
}

/// What was read.
pub struct Opened {
    /// The report, as `eaves report INPUT --json` prints it.
    pub json: Vec<u8>,
    /// The same to draw from; nothing of a report that was saved.
    pub document: Option<Document>,
    /// The recordings; nothing of a report that was saved and of tables.
    pub recorded: Option<Arc<dyn Recorded>>,
}

/// A part of recordings; the default is all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The rank.
    pub rank: Option<i64>,
    /// A window of time for each recording, counted from its start.
    pub windows: Option<Vec<Interval>>,
}

/// Recordings that stay in memory.
pub trait Recorded: Send + Sync {
    /// The recordings.
    fn run(&self) -> &Run;

    /// The numbers of their timeline.
    fn timeline(&self) -> Option<Section>;

    /// The data of the flame graph of a part of them, compared with that of another run if there is one. A window is of
    /// these recordings and not of the others.
    ///
    /// # Errors
    /// If there is nothing to draw.
    fn flame(&self, part: &Part, base: Option<&Run>) -> Result<Vec<u8>, Problem>;
}
