//! The raw files of calls, operations, copies and marks, told line by line:
//!
//! ```text
//! begin:end process:thread name(arguments) :correlation      hip_api_trace.txt, hsa_api_trace.txt
//! begin:end device:queue name:correlation:process             hcc_ops_trace.txt
//! begin:end async-copy:correlation:process                    async_copy_trace.txt
//! time process:thread kind:id:"message"                       roctx_trace.txt
//! ```

use std::collections::HashMap;

use eaves_model::WarningKind;

use super::super::shared::amd_text::cells::{self, Stamp};
use super::super::shared::amd_text::lines::{Lines, first_lines, is_banner};
use super::super::shared::amd_text::recorder::{Kernel, Recorder, When};
use super::super::shared::amd_text::{arguments, table};
use super::super::{Input, Refused, Role};
use super::{EVENTS, STYLE, part};
use crate::formats::Document;
use crate::place::set_of;

/// A line that was understood.
#[derive(Debug, PartialEq, Eq)]
enum Event<'l> {
    Call {
        times: (i64, i64),
        place: (i64, i64),
        name: &'l [u8],
        arguments: &'l [u8],
        correlation: Option<i64>,
    },
    Operation {
        times: (i64, i64),
        place: Option<(i64, i64)>,
        name: &'l [u8],
        correlation: i64,
    },
    Mark {
        time: i64,
        place: (i64, i64),
        kind: i64,
        id: i64,
        message: &'l [u8],
    },
}

/// By the first line.
pub(super) fn is_it(first: &[u8]) -> bool {
    first_lines(first).next().is_some_and(|line| event(line).is_some())
}

/// Reads it.
pub(super) fn read(input: Input<'_>) -> Result<Document, Refused> {
    let set = set_of(input.path);
    let category = if input.path.contains("hsa_api_trace") { "HSA" } else { "HIP" };
    let mut recorder = Recorder::default();
    let mut lines = Lines::new(input.rest);
    let mut marks = Marks::default();
    let mut has_operations = false;
    while let Some(line) = lines.next(recorder.diagnostics()) {
        if is_banner(line.bytes) {
            continue;
        }
        let offset = line.offset;
        let when = |(start, end)| When { start: Stamp::At(start), end: Stamp::At(end), offset };
        match event(line.bytes) {
            Some(Event::Call { times, place, name, arguments, correlation }) => {
                let place = (Some(place.0), Some(place.1));
                let slice = recorder.call(name, category, place, correlation, when(times));
                let text = String::from_utf8_lossy(arguments);
                if let Some(argument) = arguments::read(&text, slice, &mut recorder.trace.strings) {
                    recorder.trace.runtime_arguments.push(argument);
                }
            }
            Some(Event::Operation { times, place, name, correlation }) => {
                has_operations = true;
                let kernel = Kernel {
                    name,
                    device: place.and_then(|(device, _)| u32::try_from(device).ok()),
                    queue: place.map(|(_, queue)| queue),
                    correlation: Some(correlation),
                    ..Kernel::default()
                };
                let is_copy = name == b"async-copy" || (name.starts_with(b"Copy") && !name.contains(&b'('));
                let operation = if is_copy { name } else { b"kernel" };
                table::operation_of(&mut recorder, operation, kernel, when(times));
            }
            Some(Event::Mark { time, place, kind, id, message }) => {
                marks.take(time, place, (kind, id), message, offset, &mut recorder);
            }
            None => {
                let oddity = if line.is_ended { WarningKind::BadRecord } else { WarningKind::Truncated };
                recorder.diagnostics().note(oddity, Some(offset));
            }
        }
    }
    marks.end(&mut recorder);
    let bytes = lines.bytes();
    let trace = recorder.finish(STYLE.tool, STYLE.clock);
    if trace.events == 0 {
        return Err(table::refused(0, "a list of events, all unreadable"));
    }
    let role = if has_operations { Role::Whole } else { Role::Others };
    Ok(part(set, EVENTS.id, role, trace, bytes))
}

/// Understands a line.
fn event(line: &[u8]) -> Option<Event<'_>> {
    let (first, rest) = word(line)?;
    let Some(times) = two(first) else {
        let time = cells::integer(first).filter(|&time| time > 0)?;
        let (place, rest) = word(rest)?;
        let mut cells = rest.splitn(3, |&byte| byte == b':');
        let (kind, id) = (cells::integer(cells.next()?)?, cells::integer(cells.next()?)?);
        let message = cells.next()?.trim_ascii();
        let message =
            message.strip_prefix(b"\"").map_or(message, |inner| inner.strip_suffix(b"\"").unwrap_or(inner));
        return Some(Event::Mark { time, place: two(place)?, kind, id, message });
    };
    let (second, rest) = word(rest)?;
    let Some(place) = two(second) else {
        let (name, correlation) = operation(line.get(first.len()..)?.trim_ascii())?;
        return Some(Event::Operation { times, place: None, name, correlation });
    };
    let rest = rest.trim_ascii();
    if let Some((name, correlation)) = operation(rest) {
        return Some(Event::Operation { times, place: Some(place), name, correlation });
    }
    let open = memchr::memchr(b'(', rest)?;
    let close = memchr::memrchr(b')', rest).filter(|&close| close > open)?;
    let behind = rest.get(close + 1..)?.trim_ascii();
    let correlation = behind.strip_prefix(b":").and_then(cells::integer);
    let (name, arguments) = (rest.get(..open)?, rest.get(open + 1..close)?);
    Some(Event::Call { times, place, name, arguments, correlation })
}

/// The next word, and what follows the blank behind it.
fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let end = memchr::memchr(b' ', text).unwrap_or(text.len());
    (end > 0).then(|| {
        (text.get(..end).unwrap_or_default(), text.get(end..).unwrap_or_default().trim_ascii_start())
    })
}

/// `12:34`.
fn two(word: &[u8]) -> Option<(i64, i64)> {
    let colon = memchr::memchr(b':', word)?;
    let number =
        |digits: &[u8]| cells::integer(digits).filter(|_| digits.first().is_some_and(u8::is_ascii_digit));
    Some((number(word.get(..colon)?)?, number(word.get(colon + 1..)?)?))
}

/// `name:correlation:process`, where the name may have colons of its own.
fn operation(text: &[u8]) -> Option<(&[u8], i64)> {
    let last = memchr::memrchr(b':', text)?;
    let head = text.get(..last)?;
    let middle = memchr::memrchr(b':', head)?;
    let (name, correlation) = (head.get(..middle)?, head.get(middle + 1..)?);
    cells::integer(text.get(last + 1..)?)?;
    let correlation = cells::integer(correlation)?;
    (!name.is_empty()).then_some((name, correlation))
}

/// Kinds of marks, `cid` of roctx.
const MARK: i64 = 0;
const PUSH: i64 = 1;
const POP: i64 = 2;
const START: i64 = 3;
const STOP: i64 = 4;

/// Ranges that are open.
#[derive(Default)]
struct Marks {
    nested: HashMap<(i64, i64), Vec<Open>>,
    numbered: HashMap<i64, Open>,
}

struct Open {
    message: Vec<u8>,
    place: (i64, i64),
    time: i64,
    offset: u64,
}

impl Marks {
    fn take(
        &mut self,
        time: i64,
        place: (i64, i64),
        (kind, id): (i64, i64),
        message: &[u8],
        offset: u64,
        recorder: &mut Recorder,
    ) {
        let open = || Open { message: message.to_vec(), place, time, offset };
        match kind {
            MARK => range(&open(), time, recorder),
            PUSH => self.nested.entry(place).or_default().push(open()),
            START => drop(self.numbered.insert(id, open())),
            POP | STOP => {
                let begun = match kind {
                    POP => self.nested.get_mut(&place).and_then(Vec::pop),
                    _ => self.numbered.remove(&id),
                };
                match begun {
                    Some(begun) => range(&begun, time, recorder),
                    None => recorder.diagnostics().note(WarningKind::UnmatchedEnd, Some(offset)),
                }
            }
            _ => recorder.diagnostics().note(WarningKind::UnknownPhase, Some(offset)),
        }
    }

    fn end(self, recorder: &mut Recorder) {
        let mut left: Vec<Open> =
            self.nested.into_values().flatten().chain(self.numbered.into_values()).collect();
        left.sort_by_key(|open| open.offset);
        for open in left {
            recorder.diagnostics().note(WarningKind::UnmatchedBegin, Some(open.offset));
            range(&open, open.time, recorder);
        }
    }
}

fn range(open: &Open, end: i64, recorder: &mut Recorder) {
    let when = When { start: Stamp::At(open.time), end: Stamp::At(end), offset: open.offset };
    recorder.annotation(&open.message, (Some(open.place.0), Some(open.place.1)), when);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_what_they_are() {
        let call = b"10:20 7:8 hipMalloc(ptr=0x1, size=4) :5";
        let expected = Event::Call {
            times: (10, 20),
            place: (7, 8),
            name: b"hipMalloc",
            arguments: b"ptr=0x1, size=4",
            correlation: Some(5),
        };
        assert_eq!(event(call), Some(expected));
        let kernel = b"10:20 0:3 std::add(int, float):6:7";
        let expected = Event::Operation {
            times: (10, 20),
            place: Some((0, 3)),
            name: b"std::add(int, float)",
            correlation: 6,
        };
        assert_eq!(event(kernel), Some(expected));
        let copy = b"10:20 async-copy:6:7";
        let expected = Event::Operation { times: (10, 20), place: None, name: b"async-copy", correlation: 6 };
        assert_eq!(event(copy), Some(expected));
        let mark = b"15 7:8 1:0:\"a: b\"";
        assert_eq!(
            event(mark),
            Some(Event::Mark { time: 15, place: (7, 8), kind: 1, id: 0, message: b"a: b" })
        );
        for line in ["", "10", "10:20", "a:b c:d e", "10:20 7:8 f", "Hello, world", "1,2,3"] {
            assert_eq!(event(line.as_bytes()), None, "{line}");
        }
    }
}
