//! What inputs hold.

use std::path::PathBuf;

use eaves_model::compile::CompileLog;
use eaves_model::{Measurements, Recording, Run};

use crate::Kind;

/// Inputs by kind.
#[derive(Debug)]
pub struct Contents<R> {
    /// What each input is, in the order they were named or found. Several files may be of one recording.
    pub inputs: Vec<Opened>,
    /// The recordings: all ranks of one job.
    pub run: Run,
    /// The answers of the work on each recording.
    pub answers: Vec<R>,
    /// Recordings of memory alone that lie next to others and are not ranks of their own, with the answers of the work on
    /// them. Without others they are the [run](Self::run).
    pub memory: Vec<(Recording, R)>,
    /// Measurements and sums, in the order they were named.
    pub measurements: Vec<Measurements>,
    /// Logs of compilers, in order of rank.
    pub compile_logs: Vec<CompileLog>,
    /// What could not be read of what was found, and why.
    pub refused: Vec<String>,
}

/// An input and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The input as the user named it, with the member of an archive after `!`.
    pub path: String,
    /// What it is.
    pub kind: Kind,
}

impl<R> Contents<R> {
    /// The inputs of a kind, such as the saved reports, which are recognized and not read.
    pub fn paths(&self, kind: Kind) -> Vec<PathBuf> {
        self.inputs.iter().filter(|input| input.kind == kind).map(|input| input.path.clone().into()).collect()
    }
}
