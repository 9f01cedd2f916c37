//! The list of events, chunk by chunk, past whatever damage there is.

use std::io::Read;

use eaves_model::{Diagnostics, WarningKind};

use super::event::{self, EVENT_KEYS};
use super::sink::Sink;
use crate::json::cursor::{Cursor, Fault};
use crate::json::window::Window;

/// Why reading a list of events stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// At the first event that begins at or behind the boundary.
    Boundary(u64),
    /// At the bracket that closes the list.
    End(u64),
    /// At the end of the input.
    Exhausted,
}

/// How far a walk over one chunk came.
enum Walk {
    Boundary(usize),
    End(usize),
    /// The rest of the chunk, from here, needs more bytes.
    Partial(usize),
    /// What begins here is not an event.
    Bad(usize),
}

/// Reads events from the window up to the boundary, the end of the list or of the input.
pub(super) fn read(window: &mut Window<'_>, sink: &mut Sink, boundary: u64) -> Stop {
    loop {
        let base = window.offset;
        sink.base = base;
        let (chunk, index) = window.indexed();
        let local = usize::try_from(boundary.saturating_sub(base)).unwrap_or(usize::MAX);
        let walk = walk(&mut Cursor::new(chunk, index), sink, local);
        match walk {
            Walk::Boundary(at) => {
                window.consume(at);
                return Stop::Boundary(window.offset);
            }
            Walk::End(at) => {
                window.consume(at);
                return Stop::End(window.offset);
            }
            Walk::Bad(at) => {
                window.consume(at);
                if !skip_damage(window, sink) {
                    return Stop::Exhausted;
                }
            }
            Walk::Partial(at) => {
                window.consume(at);
                if !window.fill(sink.diagnostics()) && !cut_off(window, sink) {
                    return Stop::Exhausted;
                }
            }
        }
    }
}

fn walk(cursor: &mut Cursor<'_>, sink: &mut Sink, boundary: usize) -> Walk {
    let mut after = 0;
    loop {
        let at = cursor.position();
        match cursor.peek() {
            Ok(b'{') => {
                check_gap(cursor, sink, after, at);
                if at >= boundary {
                    return Walk::Boundary(at);
                }
                match event::read(cursor, sink) {
                    Ok(()) => after = cursor.previous() + 1,
                    Err(Fault::Partial) => return Walk::Partial(at),
                    Err(Fault::Bad) => return Walk::Bad(at),
                }
            }
            Ok(b']') => {
                check_gap(cursor, sink, after, at);
                return Walk::End(at);
            }
            Ok(_) => return Walk::Bad(after),
            Err(_) => return Walk::Partial(after),
        }
    }
}

/// Only white space and commas may stand between events.
#[inline(always)]
fn check_gap(cursor: &Cursor<'_>, sink: &mut Sink, after: usize, at: usize) {
    let gap = cursor.chunk.slice(after, at);
    if let Some(odd) = gap.iter().position(|byte| !matches!(byte, b',' | b' ' | b'\n' | b'\r' | b'\t')) {
        sink.note(WarningKind::Garbage, sink.base + (after + odd) as u64);
    }
}

/// At something that is not an event: goes to the next event. False if there is none.
fn skip_damage(window: &mut Window<'_>, sink: &mut Sink) -> bool {
    sink.note(WarningKind::Garbage, window.offset);
    window.consume(1);
    let found = window.seek(sink.diagnostics(), find_event);
    window.be_careful();
    found
}

/// At an event that the input does not finish: a lost quote may have swallowed sound events, so looks for one
/// behind it. Without one the input is cut off here.
fn cut_off(window: &mut Window<'_>, sink: &mut Sink) -> bool {
    let content = window.content();
    let blank = |byte: &u8| matches!(byte, b',' | b' ' | b'\n' | b'\r' | b'\t' | 0);
    if content.iter().all(blank) {
        return false;
    }
    let offset = window.offset;
    match content.get(1..).and_then(find_event) {
        Some(at) => {
            sink.note(WarningKind::Garbage, offset);
            window.consume(at + 1);
            window.expect_no_end();
            true
        }
        None if window.is_last() => {
            sink.note(WarningKind::Truncated, offset);
            window.consume(content.len());
            false
        }
        // Longer than any event: a lost quote. The search goes on behind the window.
        None => skip_damage(window, sink),
    }
}

/// The text of the event at the start of a reader.
pub(crate) fn event_text(reader: Box<dyn Read + Send + '_>) -> Option<String> {
    let mut window = Window::new(reader, 0);
    let mut diagnostics = Diagnostics::default();
    while window.fill(&mut diagnostics) {
        let (chunk, index) = window.indexed();
        let mut cursor = Cursor::new(chunk, index);
        if !matches!(cursor.peek(), Ok(b'{')) || cursor.position() != 0 {
            return None;
        }
        match cursor.skip_nested() {
            Ok(end) => return Some(String::from_utf8_lossy(chunk.slice(0, end + 1)).into_owned()),
            Err(Fault::Bad) => return None,
            Err(Fault::Partial) => {}
        }
    }
    None
}

/// The next brace that looks like the beginning of an event: not the value of a key, and followed by one of the
/// keys that events have.
pub(super) fn find_event(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'{', bytes).find(|&at| is_event_start(bytes, at))
}

fn is_event_start(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at].trim_ascii_end();
    if before.last() == Some(&b':') {
        return false;
    }
    let Some(rest) = bytes[at + 1..].trim_ascii_start().strip_prefix(b"\"") else { return false };
    let Some(end) = rest.iter().take(8).position(|&byte| byte == b'"') else { return false };
    EVENT_KEYS.contains(&&rest[..end]) && rest[end + 1..].trim_ascii_start().first() == Some(&b':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_starts_are_told_from_other_objects() {
        let text = br#"x{"a":1}, {"args": {"name": "x"}}, { "ph" : "X"}"#;
        assert_eq!(find_event(text), Some(10));
        assert_eq!(find_event(&text[11..]).map(|at| at + 11), Some(35));
        assert_eq!(find_event(br#""args": {"name": "python"}"#), None);
        assert_eq!(find_event(br#"{"ph"#), None);
    }
}
