//! Diagnostics of an input: one entry per kind, with its count and first position.

use serde::{Deserialize, Serialize};

/// A kind of problem. Its message names the consequence for the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub enum WarningKind {
    /// The file ends in the middle of an event or before the list is closed.
    Truncated,
    /// The compressed stream is damaged or ends early.
    DamagedContainer,
    /// An unreadable database page or row.
    DamagedPage,
    /// Bytes between or inside events that are not JSON.
    Garbage,
    /// A name that is not UTF-8, or a lone surrogate.
    InvalidText,
    /// A value that does not fit its field.
    BadValue,
    /// A timestamp that is missing or not a number.
    BadTimestamp,
    /// A complete event without duration.
    MissingDuration,
    /// A negative duration.
    NegativeDuration,
    /// An impossible duration.
    ImplausibleDuration,
    /// An unusual but possible duration.
    SuspiciousDuration,
    /// Timestamps that a spreadsheet or another program rounded.
    RoundedTimes,
    /// Launches without start times.
    NoStartTimes,
    /// Numbers that read differently depending on locale.
    AmbiguousNumbers,
    /// Metrics of a large file that no analysis uses.
    LeftOut,
    /// Summary tables next to their own recording.
    SumsBeside,
    /// Activities of one stream that overlap.
    StreamOverlap,
    /// An end without a beginning.
    UnmatchedEnd,
    /// A beginning without an end.
    UnmatchedBegin,
    /// A key that occurs twice in one object.
    DuplicateKey,
    /// A counter that several passes recorded with other values.
    PassesDiffer,
    /// An unsupported event phase.
    UnknownPhase,
    /// An unreadable row or object of a measurement file.
    BadRecord,
    /// A kernel table column that is unknown or has no unit.
    OddColumn,
    /// An unreadable log line.
    BadLine,
    /// A log payload that does not match its checksum.
    PayloadDiffers,
    /// An unknown log record type.
    UnknownRecord,
    /// Unreadable top-level information.
    BadHeader,
    /// Inputs that claim the same rank.
    DuplicateRank,
    /// Inputs that do not record their rank.
    UnknownRank,
    /// An input of a directory that is not a trace.
    NotATrace,
    /// A rank of a job that could not be read.
    Unreadable,
}

impl WarningKind {
    /// Every kind.
    pub const ALL: [Self; 32] = [
        Self::Truncated,
        Self::DamagedContainer,
        Self::DamagedPage,
        Self::Garbage,
        Self::InvalidText,
        Self::BadValue,
        Self::BadTimestamp,
        Self::MissingDuration,
        Self::NegativeDuration,
        Self::ImplausibleDuration,
        Self::SuspiciousDuration,
        Self::RoundedTimes,
        Self::NoStartTimes,
        Self::AmbiguousNumbers,
        Self::LeftOut,
        Self::SumsBeside,
        Self::StreamOverlap,
        Self::UnmatchedEnd,
        Self::UnmatchedBegin,
        Self::DuplicateKey,
        Self::PassesDiffer,
        Self::UnknownPhase,
        Self::BadRecord,
        Self::OddColumn,
        Self::BadLine,
        Self::PayloadDiffers,
        Self::UnknownRecord,
        Self::BadHeader,
        Self::DuplicateRank,
        Self::UnknownRank,
        Self::NotATrace,
        Self::Unreadable,
    ];

    /// A stable name for programs.
    pub fn id(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::DamagedContainer => "damaged-container",
            Self::DamagedPage => "damaged-page",
            Self::Garbage => "garbage",
            Self::InvalidText => "invalid-text",
            Self::BadValue => "bad-value",
            Self::BadTimestamp => "bad-timestamp",
            Self::MissingDuration => "missing-duration",
            Self::NegativeDuration => "negative-duration",
            Self::ImplausibleDuration => "implausible-duration",
            Self::SuspiciousDuration => "suspicious-duration",
            Self::RoundedTimes => "rounded-times",
            Self::NoStartTimes => "no-start-times",
            Self::AmbiguousNumbers => "ambiguous-numbers",
            Self::LeftOut => "left-out",
            Self::SumsBeside => "sums-beside",
            Self::StreamOverlap => "stream-overlap",
            Self::UnmatchedEnd => "unmatched-end",
            Self::UnmatchedBegin => "unmatched-begin",
            Self::DuplicateKey => "duplicate-key",
            Self::PassesDiffer => "passes-differ",
            Self::UnknownPhase => "unknown-phase",
            Self::BadRecord => "bad-record",
            Self::OddColumn => "odd-column",
            Self::BadLine => "bad-line",
            Self::PayloadDiffers => "payload-differs",
            Self::UnknownRecord => "unknown-record",
            Self::BadHeader => "bad-header",
            Self::DuplicateRank => "duplicate-rank",
            Self::UnknownRank => "unknown-rank",
            Self::NotATrace => "not-a-trace",
            Self::Unreadable => "unreadable",
        }
    }

    /// What happened, and its consequence.
    pub fn message(self) -> &'static str {
        match self {
            Self::Truncated => "the input ends early; the last, incomplete event is not counted",
            Self::DamagedContainer => {
                "the input cannot be read or decompressed further; everything before is kept"
            }
            Self::DamagedPage => "unreadable database pages or rows were skipped",
            Self::Garbage => "bytes that are not a trace event were skipped up to the next event",
            Self::InvalidText => "invalid Unicode was kept, with U+FFFD in place of bad bytes",
            Self::BadValue => "values that do not fit their field were dropped",
            Self::BadTimestamp => "events without a usable timestamp were skipped",
            Self::MissingDuration => "complete events without a duration count as 0 ns long",
            Self::NegativeDuration => {
                "events with a negative duration are quarantined: excluded from all totals; see section `quarantine`"
            }
            Self::ImplausibleDuration => {
                "events with an impossible duration are quarantined: excluded from all totals; see section \
                `quarantine`"
            }
            Self::SuspiciousDuration => "events with a suspicious duration count as recorded",
            Self::RoundedTimes => {
                "timestamps were rounded, as spreadsheets do on saving; durations derived from them are unknown"
            }
            Self::NoStartTimes => {
                "no start times were recorded; launches are placed back to back, and gaps mean nothing"
            }
            Self::AmbiguousNumbers => {
                "numbers read differently depending on locale; points were taken as decimal points and commas as \
                thousands separators"
            }
            Self::LeftOut => "metric values that no analysis uses were skipped in a large file",
            Self::SumsBeside => {
                "summary tables next to their own recording were skipped; its launches contain the same data"
            }
            Self::StreamOverlap => {
                "activities of one in-order stream overlap; busy time counts the overlap once"
            }
            Self::UnmatchedEnd => "end events without a begin event were skipped",
            Self::UnmatchedBegin => "begin events without an end event count as 0 ns long",
            Self::DuplicateKey => "keys occur twice in one event; the last value counts",
            Self::PassesDiffer => "counters differ between passes of the same program; the first pass counts",
            Self::UnknownPhase => "events of an unsupported phase were skipped",
            Self::BadRecord => "unreadable records of a measurement file were skipped",
            Self::OddColumn => "columns of a kernel table are unknown or do not state their unit",
            Self::BadLine => "unreadable log lines were skipped",
            Self::PayloadDiffers => "log payloads do not match their checksums; they are used as they are",
            Self::UnknownRecord => "records of unknown types were skipped",
            Self::BadHeader => "top-level information could not be read and is treated as not recorded",
            Self::DuplicateRank => "inputs claim the same rank; all are kept and distinguished by file",
            Self::UnknownRank => "inputs do not record their rank; ranks were assigned in name order",
            Self::NotATrace => "files that are not traces were skipped",
            Self::Unreadable => "a rank that could not be read is missing",
        }
    }

    /// True if sound recordings may have it, too; `--strict` ignores these.
    pub fn is_harmless(self) -> bool {
        matches!(
            self,
            Self::UnknownRank
                | Self::SuspiciousDuration
                | Self::NoStartTimes
                | Self::LeftOut
                | Self::SumsBeside
                | Self::PassesDiffer
                | Self::UnknownRecord
        )
    }
}

/// Count and first position of a problem.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Warning {
    /// The kind.
    pub kind: WarningKind,
    /// How often.
    pub count: u64,
    /// Offset of the first one in the decompressed input, if it has a place.
    pub first_offset: Option<u64>,
    /// Details, where the kind is not specific.
    pub detail: Option<String>,
}

/// The problems of one input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Diagnostics {
    warnings: Vec<Warning>,
}

impl Diagnostics {
    /// Notes one occurrence.
    pub fn note(&mut self, kind: WarningKind, offset: Option<u64>) {
        self.note_many(kind, 1, offset);
    }

    /// Notes several occurrences, the first of them at the offset.
    pub fn note_many(&mut self, kind: WarningKind, count: u64, offset: Option<u64>) {
        if count == 0 {
            return;
        }
        let warning = self.entry(kind);
        // Counts that were stored may be anything.
        warning.count = warning.count.saturating_add(count);
        warning.first_offset = match (warning.first_offset, offset) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }

    /// Records an occurrence with details; the first details are kept.
    pub fn note_detail(&mut self, kind: WarningKind, offset: Option<u64>, detail: impl Into<String>) {
        self.note(kind, offset);
        let warning = self.entry(kind);
        if warning.detail.is_none() {
            warning.detail = Some(detail.into());
        }
    }

    fn entry(&mut self, kind: WarningKind) -> &mut Warning {
        let index = match self.warnings.binary_search_by_key(&kind, |warning| warning.kind) {
            Ok(index) => index,
            Err(index) => {
                self.warnings.insert(index, Warning { kind, count: 0, first_offset: None, detail: None });
                index
            }
        };
        &mut self.warnings[index]
    }

    /// Merges the diagnostics of another part of the same input.
    pub fn absorb(&mut self, other: Diagnostics) {
        for warning in other.warnings {
            self.note_many(warning.kind, warning.count, warning.first_offset);
            let entry = self.entry(warning.kind);
            entry.detail = entry.detail.take().or(warning.detail);
        }
    }

    /// All kinds that occurred, in a fixed order.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// How often a kind occurred.
    pub fn count(&self, kind: WarningKind) -> u64 {
        self.warnings.iter().find(|warning| warning.kind == kind).map_or(0, |warning| warning.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_listed_once_and_in_order() {
        assert!(WarningKind::ALL.is_sorted());
        let mut ids: Vec<_> = WarningKind::ALL.iter().map(|kind| kind.id()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), WarningKind::ALL.len());
    }

    #[test]
    fn the_first_offset_is_the_smallest() {
        let mut first = Diagnostics::default();
        first.note(WarningKind::Garbage, Some(90));
        let mut second = Diagnostics::default();
        second.note_detail(WarningKind::Garbage, Some(40), "why");
        first.absorb(second);
        assert_eq!(first.count(WarningKind::Garbage), 2);
        assert_eq!(first.warnings()[0].first_offset, Some(40));
        assert_eq!(first.warnings()[0].detail.as_deref(), Some("why"));
    }
}
