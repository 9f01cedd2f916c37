//! What PyTorch's `export_memory_timeline` writes: bytes in use by category of tensors.
//!
//! Two forms, both lists of lists of integers and nothing else:
//! - `.raw.json.gz`: `[[time, action, bytes, category], ...]`, nanoseconds, bytes signed; what was there before the
//!   recording began has the time -1;
//! - `.json` and `.json.gz`: `[[time, ...], [[0, bytes, ...], ...]]`, microseconds, bytes of each category.
//!
//! Either becomes a counter with a series for each category.

use std::io::{self, BufRead, BufReader, Read};

use eaves_model::{
    Counter, Diagnostics, Ident, MEMORY_BY_CATEGORY, MaybeF64, Ns, Recorder, StringId, Trace, TrackId,
    WarningKind,
};

use super::{Detect, Document, Format};
use crate::Kind;
use crate::json::number;
use crate::refusal::Refusal;

/// The format.
pub(super) const FORMAT: Format = Format {
    id: "memory-timeline",
    recorder: Recorder::Torch,
    kind: Kind::MemoryTimeline,
    in_folders: None,
    detect: Detect::Json(is_it),
    read: |input| {
        let (trace, bytes) = read(input.rest)?;
        Ok(Document::Trace { trace: Box::new(trace), bytes, format: FORMAT.id })
    },
    ..Format::PROFILER
};

/// Categories in the order of their numbers (`_CATEGORY_TO_INDEX` in `torch/profiler/_memory_profiler.py`).
const CATEGORIES: [&str; 8] = [
    "parameter",
    "optimizer_state",
    "input",
    "temporary",
    "activation",
    "gradient",
    "autograd_detail",
    "unknown",
];

/// The longest number of use; longer ones are damage.
const LONGEST_NUMBER: usize = 64;

/// The longest list of a row; only the list of times is longer.
const LONGEST_ROW: usize = 64;

/// True for a list whose first entry is a list of numbers, which no list of events is.
fn is_it(first: &[u8]) -> bool {
    let inner = first.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(first).trim_ascii_start().strip_prefix(b"[");
    let inner = inner.and_then(|rest| rest.trim_ascii_start().strip_prefix(b"["));
    inner.is_some_and(|rest| matches!(rest.trim_ascii_start().first(), Some(b'0'..=b'9' | b'-')))
}

/// Reads a timeline as far as it goes. The second answer is the number of bytes it had.
fn read(reader: impl Read) -> Result<(Trace, u64), Refusal> {
    let mut timeline = Timeline::default();
    let mut scanner = Scanner::default();
    let (mut offset, mut ended) = (0, false);
    let mut reader = BufReader::with_capacity(1 << 16, reader);
    loop {
        let bytes = match reader.fill_buf() {
            Ok([]) => break,
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                timeline.diagnostics.note_detail(
                    WarningKind::DamagedContainer,
                    Some(offset),
                    error.to_string(),
                );
                break;
            }
        };
        for &byte in bytes {
            ended = scanner.take(byte, offset, &mut timeline);
            offset += 1;
        }
        let length = bytes.len();
        reader.consume(length);
    }
    if !ended {
        timeline.diagnostics.note(WarningKind::Truncated, Some(offset));
    }
    let trace = timeline.into_trace();
    // Any table of numbers begins like a timeline.
    if trace.counters.is_empty() { Err(Refusal::NotEvents(Vec::new())) } else { Ok((trace, offset)) }
}

/// Takes lists apart, byte by byte.
#[derive(Default)]
struct Scanner {
    depth: usize,
    number: Vec<u8>,
    /// Numbers of the innermost open list.
    list: Vec<i64>,
    /// True inside bytes that do not belong here.
    in_garbage: bool,
}

impl Scanner {
    /// Takes one byte. True if the outermost list is closed.
    fn take(&mut self, byte: u8, offset: u64, timeline: &mut Timeline) -> bool {
        match byte {
            b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E' => {
                if self.number.len() < LONGEST_NUMBER {
                    self.number.push(byte);
                }
                return false;
            }
            _ => self.end_number(offset, timeline),
        }
        let garbage = !matches!(byte, b'[' | b']' | b',' | b' ' | b'\n' | b'\r' | b'\t' | 0);
        if garbage && !self.in_garbage {
            timeline.diagnostics.note(WarningKind::Garbage, Some(offset));
        }
        self.in_garbage = garbage;
        match byte {
            b'[' => {
                self.depth += 1;
                self.list.clear();
            }
            b']' => {
                timeline.list(self.depth, std::mem::take(&mut self.list), offset);
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        self.depth == 0
    }

    fn end_number(&mut self, offset: u64, timeline: &mut Timeline) {
        if self.number.is_empty() {
            return;
        }
        match number::scaled(&self.number, 0) {
            // Of rows nothing behind their few numbers is of use; the first list may hold any number of times.
            Some(_) if self.list.len() >= LONGEST_ROW && !timeline.awaits_times() => {}
            Some(number) => self.list.push(number),
            None => timeline.diagnostics.note(WarningKind::BadValue, Some(offset)),
        }
        self.number.clear();
    }
}

/// Which of the two forms it is.
#[derive(Default)]
enum Form {
    /// Nothing read yet.
    #[default]
    Unknown,
    /// Changes.
    Raw,
    /// Times, and how many rows of sizes were read.
    Levels(Vec<i64>, usize),
}

/// The rows so far.
#[derive(Default)]
struct Timeline {
    form: Form,
    /// Bytes of each category now.
    levels: [i64; CATEGORIES.len()],
    /// Time (none before the recording), category, bytes.
    samples: Vec<(Option<i64>, usize, i64)>,
    /// Readable entries.
    events: u64,
    diagnostics: Diagnostics,
}

impl Timeline {
    fn awaits_times(&self) -> bool {
        matches!(self.form, Form::Unknown)
    }

    /// Takes in a list of numbers that ends at some depth.
    fn list(&mut self, depth: usize, list: Vec<i64>, offset: u64) {
        if list.is_empty() && depth < 3 {
            // The end of a list of lists.
            return;
        }
        let change = Self::change(&list);
        match (&mut self.form, depth) {
            (Form::Unknown, 2) if change.is_some() => {
                self.form = Form::Raw;
                self.add_change(change, offset);
            }
            (Form::Unknown, 2) => self.form = Form::Levels(list, 0),
            (Form::Raw, 2) => self.add_change(change, offset),
            (Form::Levels(times, rows), 3) => {
                let time = times.get(*rows).copied();
                *rows += 1;
                self.add_levels(time, &list, offset);
            }
            _ => self.diagnostics.note(WarningKind::BadValue, Some(offset)),
        }
    }

    /// Time, category and bytes of a row of the raw form.
    fn change(list: &[i64]) -> Option<(i64, usize, i64)> {
        let &[time, 1..=4, bytes, category] = list else { return None };
        let category = usize::try_from(category).ok().filter(|&category| category < CATEGORIES.len())?;
        Some((time, category, bytes))
    }

    fn add_change(&mut self, change: Option<(i64, usize, i64)>, offset: u64) {
        let Some((time, category, bytes)) = change else {
            return self.diagnostics.note(WarningKind::BadValue, Some(offset));
        };
        self.events += 1;
        self.set(Some(time).filter(|&time| time >= 0), category, self.levels[category].saturating_add(bytes));
    }

    fn add_levels(&mut self, microseconds: Option<i64>, list: &[i64], offset: u64) {
        // The first column is the foot of a stacked diagram: always 0.
        let (Some(time), [_, levels @ ..]) = (microseconds, list) else {
            return self.diagnostics.note(WarningKind::BadValue, Some(offset));
        };
        if levels.len() != CATEGORIES.len() || time < 0 {
            return self.diagnostics.note(WarningKind::BadValue, Some(offset));
        }
        self.events += 1;
        let time = Some(time.saturating_mul(1000));
        // What became less goes first: bytes that change their category never count twice.
        for falls in [true, false] {
            for (category, &level) in levels.iter().enumerate() {
                if (level < self.levels[category]) == falls && level != self.levels[category] {
                    self.set(time, category, level);
                }
            }
        }
    }

    fn set(&mut self, time: Option<i64>, category: usize, level: i64) {
        self.levels[category] = level;
        self.samples.push((time, category, level));
    }

    /// Times count from the first one.
    fn into_trace(self) -> Trace {
        let mut trace = Trace { events: self.events, diagnostics: self.diagnostics, ..Trace::default() };
        let first = self.samples.iter().filter_map(|&(time, ..)| time).min();
        trace.metadata.base_time_ns = first;
        let track: TrackId = trace.tracks.get_or_add(Ident::NONE, Ident::NONE);
        let name = trace.strings.intern(MEMORY_BY_CATEGORY);
        let series: Vec<StringId> =
            CATEGORIES.iter().map(|category| trace.strings.intern(category)).collect();
        for (time, category, level) in self.samples {
            let time = Ns(time.unwrap_or(first.unwrap_or(0))) - Ns(first.unwrap_or(0));
            // Exact up to 2^53 bytes.
            let value = MaybeF64::new(level as f64);
            trace.counters.push(Counter { time, track, name, series: series[category], value });
        }
        trace
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Sample = (i64, String, f64);

    /// Time, category and bytes of every sample, and what was odd.
    fn samples(text: &str) -> (Vec<Sample>, Vec<(WarningKind, u64)>) {
        assert!(is_it(text.as_bytes()), "{text}");
        let (trace, bytes) = read(text.as_bytes()).unwrap();
        assert_eq!(bytes, text.len() as u64);
        let sample = |row: usize| {
            let counter = trace.counters.row(row);
            assert_eq!(trace.strings.get(counter.name), MEMORY_BY_CATEGORY);
            (counter.time.0, trace.strings.get(counter.series).to_owned(), counter.value.get().unwrap())
        };
        let odd = trace.diagnostics.warnings().iter().map(|warning| (warning.kind, warning.count)).collect();
        ((0..trace.counters.len()).map(sample).collect(), odd)
    }

    fn expected(samples: &[(i64, &str, f64)]) -> Vec<Sample> {
        samples.iter().map(|&(time, category, bytes)| (time, category.to_owned(), bytes)).collect()
    }

    #[test]
    fn changes_are_added_up() {
        let text = "[[-1, 1, 100, 0], [-1, 1, 50, 7], [2000, 2, 30, 4], [2500, 3, -50, 7], [2500, 3, 50, 2],\n \
                    [3000, 4, -30, 4]]";
        let (found, odd) = samples(text);
        let wanted = [
            (0, "parameter", 100.0),
            (0, "unknown", 50.0),
            (0, "activation", 30.0),
            (500, "unknown", 0.0),
            (500, "input", 50.0),
            (1000, "activation", 0.0),
        ];
        assert_eq!((found, odd), (expected(&wanted), vec![]));
    }

    #[test]
    fn levels_are_taken_as_they_are() {
        // The last row turns 20 bytes from unknown into parameter: less of the one comes first.
        let text = "[[5, 7, 9], [[0, 10, 0, 0, 0, 0, 0, 0, 20], [0, 10, 0, 0, 3, 0, 0, 0, 20], [0, 30, 0, 0, 3, 0, 0, 0, 0]]]";
        let (found, odd) = samples(text);
        let wanted = [
            (0, "parameter", 10.0),
            (0, "unknown", 20.0),
            (2000, "temporary", 3.0),
            (4000, "unknown", 0.0),
            (4000, "parameter", 30.0),
        ];
        assert_eq!((found, odd), (expected(&wanted), vec![]));
    }

    #[test]
    fn damage_costs_what_is_damaged() {
        let cut = samples("[[10, 1, 100, 0], [20, 1, 50, 7], [30, 1, 5");
        assert_eq!(cut.0.len(), 2);
        assert_eq!(cut.1, [(WarningKind::Truncated, 1)]);
        let odd = samples("[[10, 1, 100, 0], [20, 9, 50, 7], [30, 1, oops], [30, 1, 7, 8], [40, 1, 5, 1]]");
        assert_eq!(odd.0, expected(&[(0, "parameter", 100.0), (30, "optimizer_state", 5.0)]));
        assert_eq!(odd.1, [(WarningKind::Garbage, 1), (WarningKind::BadValue, 3)]);
        let levels = samples("[[5], [[0, 1, 0, 0, 0, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0, 0, 0, 0]]]");
        assert_eq!(levels.0.len(), 1);
        assert_eq!(levels.1, [(WarningKind::BadValue, 1)]);
    }

    #[test]
    fn other_tables_of_numbers_are_refused() {
        for text in ["[[1, 2], [3, 4]]", "[[1, 9, 3, 4], [5, 6, 7, 8]]", "[[5], []]", "[[1"] {
            assert!(matches!(read(text.as_bytes()), Err(Refusal::NotEvents(_))), "{text}");
        }
    }

    #[test]
    fn beside_traces_it_is_no_rank_unless_it_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let timeline = directory.path().join("memory.raw.json");
        std::fs::write(&timeline, "[[10, 1, 100, 0]]").unwrap();
        let formats = |words: &[&std::path::Path]| {
            let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
            let run = crate::read(&words, &crate::Options::default()).unwrap();
            let passed_over = run.diagnostics.count(WarningKind::NotATrace);
            (run.recordings.iter().map(|recording| recording.format).collect::<Vec<_>>(), passed_over)
        };
        assert_eq!(formats(&[directory.path()]), (vec![FORMAT.id], 0));
        std::fs::write(directory.path().join("rank0.json"), "[]").unwrap();
        assert_eq!(formats(&[directory.path()]), (vec!["chrome"], 1));
        assert_eq!(formats(&[&timeline]), (vec![FORMAT.id], 0));
    }

    #[test]
    fn lists_of_events_are_something_else() {
        for text in ["[{\"ph\": \"X\"}]", "{\"traceEvents\": [[1]]}", "[]", "[[]]", "[[{}]]", "[1, 2]", ""] {
            assert!(!is_it(text.as_bytes()), "{text}");
        }
        assert!(is_it(b"\xEF\xBB\xBF [\n[ -1, 1, 5, 0]]"));
    }
}
