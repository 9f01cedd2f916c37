//! A log as records: a line with a time and a place in PyTorch, then what belongs to it.
//!
//! `V1115 18:55:01.217000 6838 torch/_dynamo/utils.py:2473] {"artifact": ...}`, then lines that begin with a tab. One
//! record is in memory at a time.

use std::io::{self, Read};

use eaves_model::{Diagnostics, WarningKind};
use memchr::memchr;

/// Bytes read at a time.
const CHUNK: usize = 256 << 10;

/// The longest record that is looked at whole; of a longer one the end is skipped.
const LONGEST: usize = 16 << 20;

/// One record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    /// Offset of its first byte in the unpacked input.
    pub(super) offset: u64,
    /// The line, without its end.
    pub(super) line: &'a [u8],
    /// The lines that belong to it, each with its tab and all but the last with their ends.
    pub(super) payload: &'a [u8],
    /// True if the input ends with it and no line end follows.
    pub(super) is_cut: bool,
    /// True if it was too long to be looked at whole.
    pub(super) is_partial: bool,
}

/// Lines of a payload as they were before they were put in.
pub(super) fn lines(payload: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = (!payload.is_empty()).then_some(payload);
    std::iter::from_fn(move || {
        let all = rest?;
        let line = match memchr(b'\n', all) {
            Some(end) => {
                rest = Some(&all[end + 1..]);
                &all[..end]
            }
            None => {
                rest = None;
                all
            }
        };
        Some(line.strip_prefix(b"\t").unwrap_or(line))
    })
}

/// Counts of what was gone through.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Bytes.
    pub(super) bytes: u64,
    /// Lines.
    pub(super) lines: u64,
}

/// Goes through all records of an input.
pub(super) fn each(
    reader: &mut dyn Read,
    diagnostics: &mut Diagnostics,
    mut see: impl FnMut(Record<'_>, &mut Diagnostics),
) -> Counts {
    let mut buffer: Vec<u8> = Vec::new();
    let mut counts = Counts::default();
    // The part of the buffer from here on is not yet gone through.
    let mut start = 0;
    let mut finished = false;
    // The end of a record that is too long is being skipped.
    let mut skipping = false;
    loop {
        let (found, lines) = record_end(&buffer[start..], finished);
        match found {
            Some(end) => {
                counts.lines += lines;
                let bytes = &buffer[start..start + end];
                let offset = counts.bytes;
                counts.bytes += end as u64;
                if !skipping && !bytes.is_empty() {
                    see(record(bytes, offset, finished, false), diagnostics);
                }
                skipping = false;
                start += end;
                if finished && start == buffer.len() {
                    return counts;
                }
            }
            None => {
                let length = buffer.len() - start;
                if length > LONGEST {
                    // A line that is cut here is counted where it ends.
                    let kept = usize::from(buffer.last() == Some(&b'\n'));
                    let end = length - kept;
                    counts.lines += lines - kept as u64;
                    if !skipping {
                        see(record(&buffer[start..start + end], counts.bytes, false, true), diagnostics);
                    }
                    skipping = true;
                    counts.bytes += end as u64;
                    start += end;
                }
                buffer.copy_within(start.., 0);
                let length = buffer.len() - start;
                buffer.truncate(length);
                start = 0;
                if length < CHUNK && buffer.capacity() > 8 * CHUNK {
                    buffer.shrink_to(2 * CHUNK);
                }
                finished = !fill(reader, &mut buffer, counts.bytes, diagnostics);
            }
        }
    }
}

/// Reads on, as much as there already is: what is searched again stays in proportion. False at the end.
fn fill(reader: &mut dyn Read, buffer: &mut Vec<u8>, offset: u64, diagnostics: &mut Diagnostics) -> bool {
    let before = buffer.len();
    let room = CHUNK.max(before);
    buffer.resize(before + room, 0);
    let mut end = before;
    let mut more = true;
    while end < buffer.len() {
        match reader.read(&mut buffer[end..]) {
            Ok(0) => {
                more = false;
                break;
            }
            Ok(read) => end += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                diagnostics.note_detail(
                    WarningKind::DamagedContainer,
                    Some(offset + end as u64),
                    error.to_string(),
                );
                more = false;
                break;
            }
        }
    }
    buffer.truncate(end);
    more
}

/// Where the first record ends, with its last line end, and how many lines it has. Nothing if more must be read to
/// know; then the number is that of the lines so far.
fn record_end(bytes: &[u8], finished: bool) -> (Option<usize>, u64) {
    let mut at = 0;
    let mut lines = 0;
    while let Some(length) = memchr(b'\n', &bytes[at..]) {
        at += length + 1;
        lines += 1;
        match bytes.get(at) {
            Some(b'\t') => {}
            Some(_) => return (Some(at), lines),
            None => break,
        }
    }
    if finished {
        // A last line without an end is a line, too.
        return (Some(bytes.len()), lines + u64::from(at < bytes.len()));
    }
    (None, lines)
}

fn record(bytes: &[u8], offset: u64, finished: bool, is_partial: bool) -> Record<'_> {
    let is_cut = finished && bytes.last() != Some(&b'\n');
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let end = memchr(b'\n', bytes).unwrap_or(bytes.len());
    let payload = bytes.get(end + 1..).unwrap_or_default();
    Record { offset, line: &bytes[..end], payload, is_cut, is_partial }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Gives a few bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(self.0.len()).min(buffer.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    /// Where a record begins, its line and its payload.
    type Owned = (u64, Vec<u8>, Vec<u8>);

    fn all(bytes: &[u8], at_a_time: usize) -> (Vec<Owned>, Counts) {
        let mut found = Vec::new();
        let counts = each(&mut Slow(bytes, at_a_time), &mut Diagnostics::default(), |record, _| {
            found.push((record.offset, record.line.to_vec(), record.payload.to_vec()));
        });
        (found, counts)
    }

    #[test]
    fn payloads_stay_with_their_lines() {
        let (found, counts) = all(b"a\n\tone\n\t\n\t\ttwo\nb\nc\n\tlast", 3);
        let expected = [(0, "a", "\tone\n\t\n\t\ttwo"), (15, "b", ""), (17, "c", "\tlast")];
        let expected = expected.map(|(offset, line, payload)| (offset, line.into(), payload.into()));
        assert_eq!(found, expected);
        assert_eq!((counts.bytes, counts.lines), (24, 7));
        let shown: Vec<_> = lines(b"\tone\n\t\n\t\ttwo").collect();
        assert_eq!(shown, [&b"one"[..], b"", b"\ttwo"]);
        assert_eq!(lines(b"").count(), 0);
    }

    proptest! {
        /// Twin: split into lines and glue those with tabs to the one before.
        #[test]
        fn as_a_simple_splitter(text in "[a\t\n]{0,200}", at_a_time in 1usize..50) {
            let mut expected: Vec<String> = Vec::new();
            for line in text.split_inclusive('\n') {
                match expected.last_mut() {
                    Some(last) if line.starts_with('\t') => last.push_str(line),
                    _ => expected.push(line.to_owned()),
                }
            }
            let (found, counts) = all(text.as_bytes(), at_a_time);
            prop_assert_eq!(counts.bytes, text.len() as u64);
            prop_assert_eq!(counts.lines, text.lines().count() as u64);
            prop_assert_eq!(found.len(), expected.len());
            let mut offset = 0;
            for ((at, line, payload), expected) in found.iter().zip(&expected) {
                prop_assert_eq!(*at, offset);
                offset += expected.len() as u64;
                let expected = expected.strip_suffix('\n').unwrap_or(expected);
                let (first, rest) = expected.split_once('\n').unwrap_or((expected, ""));
                prop_assert_eq!(line, first.as_bytes());
                prop_assert_eq!(payload, rest.as_bytes());
            }
        }
    }
}
