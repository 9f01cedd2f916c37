//! What was measured of some ranks, to be told to other processes and combined there.
//!
//! A job of thousands of ranks is measured by many processes, each of which writes a [`Partial`]; partials are merged in
//! any order and any grouping, and the report that is assembled of them is to the last digit that of reading all ranks
//! at once. What an analysis kept of a rank stays bytes until its section is made, so merging reads none of it, and
//! a report needs the memory of the bytes and of one analysis.

mod container;
mod error;
mod fingerprint;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arrow_buffer::Buffer;
use eaves_model::{
    Diagnostics, Metadata, RankSource, Recording, Run, Trace, Warning, WarningKind, assign_ranks,
};
use serde::{Deserialize, Serialize};

pub use self::error::PartialError;

use self::container::Row;
use self::fingerprint::fingerprint;
use crate::analyses::{self, Analysis};
use crate::constants::{self, Constant};
use crate::job::{Assembly, Part, Summary};
use crate::{Measured, Options, Outcome};

/// The form of the bytes. To be raised with every change of them.
const FORMAT: &str = "2";
const FORMAT_KEY: &str = "eaves.partial.format";
const VERSION_KEY: &str = "eaves.version";
const OPTIONS_KEY: &str = "eaves.options";

/// The rows that are of no analysis: what is known of a recording, which stands before its parts, and what was odd about
/// inputs as a set.
const RECORDING: &str = "recording";
const INPUTS: &str = "inputs";

/// What was measured of some ranks, with what a report says of their recordings.
#[derive(Clone, Debug, PartialEq)]
pub struct Partial {
    /// The options that measuring depends on, as text.
    measured_with: String,
    /// By rank, then by path; each once.
    ranks: Vec<RankRows>,
    inputs: Inputs,
}

/// What is known of the inputs as a set.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
struct Inputs {
    /// What was odd about them, of every partial that this was merged of: kind, particulars, how often.
    notes: BTreeSet<(WarningKind, Option<String>, u64)>,
    /// Those that could not be read, with the reason.
    unreadable: BTreeSet<(String, String)>,
}

/// One recording.
#[derive(Clone, Debug, PartialEq)]
struct RankRows {
    /// The rank, if anything tells it. Others are given when all ranks are there.
    rank: Option<i64>,
    path: Arc<str>,
    head: Head,
    /// The same as bytes.
    head_bytes: Buffer,
    /// What analyses keep, as bytes.
    parts: Vec<(&'static str, Buffer)>,
}

/// Properties of a recording kept after its rows are dropped.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
struct Head {
    #[serde(deserialize_with = "constants::read")]
    format: Constant,
    #[serde(deserialize_with = "constants::read")]
    container: Constant,
    bytes: u64,
    rank_source: RankSource,
    metadata: Metadata,
    events: u64,
    diagnostics: Diagnostics,
    summary: Summary,
}

impl Partial {
    /// The analyses that ranks have to be measured for: all of the report, and the summary of `eaves hta`.
    pub fn analyses() -> Vec<&'static Analysis> {
        analyses::REPORT.iter().chain([&analyses::HTA_SUMMARY]).collect()
    }

    /// What was measured of a run, for [these analyses](Self::analyses).
    ///
    /// # Errors
    /// If it cannot be written as bytes, which would be a mistake of an analysis.
    pub fn of(run: &Run, measured: &[Measured], options: &Options) -> Result<Self, PartialError> {
        let ranks: Result<Vec<RankRows>, PartialError> = run
            .recordings
            .iter()
            .zip(measured)
            .map(|(recording, measured)| RankRows::of(recording, measured))
            .collect();
        // What depends on which ranks there are is found again when all are there.
        let is_of_inputs = |warning: &&Warning| {
            !matches!(warning.kind, WarningKind::DuplicateRank | WarningKind::UnknownRank)
        };
        let warnings = run.diagnostics.warnings().iter().filter(is_of_inputs);
        let notes = warnings.map(|warning| (warning.kind, warning.detail.clone(), warning.count)).collect();
        let inputs = Inputs { notes, ..Inputs::default() };
        Ok(Self { measured_with: fingerprint(options), ranks: ranks?, inputs }.sorted())
    }

    /// Notes an input that could not be read, so that the report names it.
    pub fn note_unreadable(&mut self, path: String, why: String) {
        self.inputs.unreadable.insert((path, why));
    }

    /// The inputs that could not be read, with the reason, in order of their names.
    pub fn unreadable(&self) -> impl Iterator<Item = (&str, &str)> {
        self.inputs.unreadable.iter().map(|(path, why)| (path.as_str(), why.as_str()))
    }

    /// How many recordings it is of.
    pub fn len(&self) -> usize {
        self.ranks.len()
    }

    /// True if it is of none.
    pub fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    /// Both together. The order does not matter, and what is in both is there once.
    ///
    /// # Errors
    /// If they were measured with other options.
    pub fn merge(self, other: Self) -> Result<Self, PartialError> {
        Self::merge_all([self, other])
    }

    /// All together, as [`Self::merge`] does it for two.
    ///
    /// # Errors
    /// If they were measured with other options, or there is none.
    pub fn merge_all(partials: impl IntoIterator<Item = Self>) -> Result<Self, PartialError> {
        let mut partials = partials.into_iter();
        let mut all = partials.next().ok_or(PartialError::Nothing)?;
        for mut other in partials {
            other.goes_with(&all)?;
            all.ranks.append(&mut other.ranks);
            all.inputs.notes.append(&mut other.inputs.notes);
            all.inputs.unreadable.append(&mut other.inputs.unreadable);
        }
        Ok(all.sorted())
    }

    /// Checks that both were measured in the same way.
    ///
    /// # Errors
    /// If they were measured with other options.
    pub fn goes_with(&self, other: &Self) -> Result<(), PartialError> {
        if self.measured_with == other.measured_with {
            return Ok(());
        }
        let (found, wanted) = (self.measured_with.clone(), other.measured_with.clone());
        Err(PartialError::Options { found, wanted })
    }

    fn sorted(mut self) -> Self {
        // Two of one rank and path may be recordings on two machines; their content says which comes first.
        self.ranks.sort_by(RankRows::compare);
        self.ranks.dedup_by(|a, b| a.compare(b).is_eq());
        self
    }

    /// The bytes, an Arrow IPC stream: a row for each recording and analysis.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn to_bytes(&self) -> Result<Vec<u8>, PartialError> {
        let unwritable = |error: &dyn std::fmt::Display| PartialError::Unwritable(error.to_string());
        let facts = [
            (FORMAT_KEY, FORMAT),
            (VERSION_KEY, env!("CARGO_PKG_VERSION")),
            (OPTIONS_KEY, self.measured_with.as_str()),
        ];
        let facts = facts.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        let mut rows = Vec::new();
        // The options again, because facts of a schema have no checksum.
        let part = postcard::to_allocvec(&(&self.measured_with, &self.inputs));
        let part = part.map_err(|error| unwritable(&error))?;
        rows.push(Row { rank: None, path: "".into(), analysis: INPUTS.to_owned(), part: part.into() });
        for rank in &self.ranks {
            let row = |analysis: &str, part: &Buffer| Row {
                rank: rank.rank,
                path: Arc::clone(&rank.path),
                analysis: analysis.to_owned(),
                part: part.clone(),
            };
            rows.push(row(RECORDING, &rank.head_bytes));
            rows.extend(rank.parts.iter().map(|(analysis, part)| row(analysis, part)));
        }
        container::write(facts, &rows).map_err(|error| unwritable(&error))
    }

    /// Reads bytes that this version of eaves wrote.
    ///
    /// # Errors
    /// If they are something else, damaged, or of another version.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, PartialError> {
        let (facts, rows) = container::read(&Buffer::from_vec(bytes))?;
        let told = options_of(facts)?;
        let mut partial = Self { measured_with: String::new(), ranks: Vec::new(), inputs: Inputs::default() };
        for row in rows {
            partial.take(row)?;
        }
        if partial.measured_with != told {
            return Err(PartialError::Damaged("the options differ from themselves"));
        }
        Ok(partial.sorted())
    }

    fn take(&mut self, row: Row) -> Result<(), PartialError> {
        let Row { rank, path, analysis, part } = row;
        match analysis.as_str() {
            INPUTS => (self.measured_with, self.inputs) = read(&part)?,
            RECORDING => {
                let head = read(&part)?;
                self.ranks.push(RankRows { rank, path, head, head_bytes: part, parts: Vec::new() });
            }
            _ => {
                let known = Self::analyses().into_iter().find(|known| known.id == analysis);
                let known = known.ok_or(PartialError::Damaged("a row belongs to no analysis"))?;
                let last = self.ranks.last_mut().filter(|last| last.rank == rank && last.path == path);
                let last = last.ok_or(PartialError::Damaged("a row belongs to no recording"))?;
                last.parts.push((known.id, part));
            }
        }
        Ok(())
    }

    /// The recordings without their rows, sorted by rank, and for each its place in here.
    fn recordings(&self) -> (Run, Vec<usize>) {
        let mut diagnostics = Diagnostics::default();
        // Sorted, so that the particulars that are shown do not depend on the order of merging.
        for (kind, detail, count) in &self.inputs.notes {
            diagnostics.note_many(*kind, count.saturating_sub(1), None);
            match detail {
                Some(detail) => diagnostics.note_detail(*kind, None, detail.clone()),
                None => diagnostics.note(*kind, None),
            }
        }
        let recording = |rank: &RankRows| Recording {
            path: rank.path.to_string(),
            format: rank.head.format,
            container: rank.head.container,
            bytes: rank.head.bytes,
            rank: rank.rank.unwrap_or_default(),
            rank_source: rank.head.rank_source,
            trace: Trace {
                metadata: rank.head.metadata.clone(),
                events: rank.head.events,
                diagnostics: rank.head.diagnostics.clone(),
                ..Trace::default()
            },
        };
        let mut recordings: Vec<(Recording, usize)> =
            self.ranks.iter().enumerate().map(|(index, rank)| (recording(rank), index)).collect();
        assign_ranks(&mut recordings, &mut diagnostics);
        let (recordings, places) = recordings.into_iter().unzip();
        (Run { recordings, diagnostics }, places)
    }

    /// Puts the report together, with the recordings that it is of.
    ///
    /// # Errors
    /// If it was measured with other options, the selection asks for what is not there, or bytes are not what
    /// an analysis writes.
    pub fn assemble(
        &self,
        options: &Options,
        analyses: &[&'static Analysis],
    ) -> Result<(Run, Vec<Outcome>), PartialError> {
        let wanted = fingerprint(options);
        if wanted != self.measured_with {
            return Err(PartialError::Options { found: self.measured_with.clone(), wanted });
        }
        let (run, places) = self.recordings();
        let summaries: Vec<&Summary> =
            places.iter().filter_map(|&place| Some(&self.ranks.get(place)?.head.summary)).collect();
        let assembly = Assembly::new(&run.recordings, &summaries, options)?;
        let mut outcomes = Vec::with_capacity(analyses.len());
        for analysis in analyses {
            // Of one analysis at a time: this is what memory is needed for.
            let mut parts: Vec<Option<Part>> = places.iter().map(|_| None).collect();
            if assembly.is_possible(analysis) {
                for &index in &assembly.selected {
                    parts[index] = self.ranks[places[index]].part(analysis)?;
                }
            }
            outcomes.push(assembly.outcome(analysis, |index| parts.get(index)?.as_ref()));
        }
        assembly.settle(&mut outcomes);
        Ok((run, outcomes))
    }
}

impl RankRows {
    fn of(recording: &Recording, measured: &Measured) -> Result<Self, PartialError> {
        let unwritable = |error: postcard::Error| PartialError::Unwritable(error.to_string());
        let head = Head {
            format: recording.format,
            container: recording.container,
            bytes: recording.bytes,
            rank_source: recording.rank_source,
            metadata: recording.trace.metadata.clone(),
            events: recording.trace.events,
            diagnostics: recording.trace.diagnostics.clone(),
            summary: measured.summary.clone(),
        };
        let mut parts = Vec::new();
        for analysis in Partial::analyses() {
            let part = measured.part(analysis.id).filter(|_| analysis.measured_as == analysis.id);
            if let Some(part) = part {
                parts.push((analysis.id, (analysis.encode)(part).map_err(unwritable)?.into()));
            }
        }
        Ok(Self {
            rank: (recording.rank_source != RankSource::Assumed).then_some(recording.rank),
            path: recording.path.as_str().into(),
            head_bytes: postcard::to_allocvec(&head).map_err(unwritable)?.into(),
            head,
            parts,
        })
    }

    /// By rank, those without one last, then by path, then by content.
    fn compare(&self, other: &Self) -> Ordering {
        let key = |of: &Self| (of.rank.is_none(), of.rank);
        key(self)
            .cmp(&key(other))
            .then_with(|| self.path.cmp(&other.path))
            .then_with(|| self.head_bytes.as_slice().cmp(other.head_bytes.as_slice()))
            .then_with(|| self.parts().cmp(other.parts()))
    }

    fn parts(&self) -> impl Iterator<Item = (&'static str, &[u8])> {
        self.parts.iter().map(|(id, part)| (*id, part.as_slice()))
    }

    /// What an analysis keeps; nothing if it measured nothing.
    fn part(&self, analysis: &Analysis) -> Result<Option<Part>, PartialError> {
        let Some((_, bytes)) = self.parts.iter().find(|(id, _)| *id == analysis.measured_as) else {
            return Ok(None);
        };
        let part = (analysis.decode)(bytes);
        part.map(Some).map_err(|_| PartialError::Damaged("a row does not match its analysis"))
    }
}

/// The options that bytes were measured with, if they are of this form and version.
fn options_of(mut facts: HashMap<String, String>) -> Result<String, PartialError> {
    let version = facts.remove(VERSION_KEY).ok_or(PartialError::Foreign)?;
    let format = facts.remove(FORMAT_KEY).ok_or(PartialError::Foreign)?;
    if (format.as_str(), version.as_str()) != (FORMAT, env!("CARGO_PKG_VERSION")) {
        return Err(PartialError::Version { found: version });
    }
    facts.remove(OPTIONS_KEY).ok_or(PartialError::Foreign)
}

/// Reads a value that takes all the bytes.
fn read<'a, T: Deserialize<'a>>(bytes: &'a Buffer) -> Result<T, PartialError> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        _ => Err(PartialError::Damaged("its recording data is unreadable")),
    }
}
