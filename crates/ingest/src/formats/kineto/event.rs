//! One event: its fields, and the walk that reads them.

use eaves_model::{Extent, Ident, StringId, WarningKind};

use super::arguments::{self, Argument, Type};
use super::sink::Sink;
use crate::json::cursor::{Cursor, Fault};
use crate::json::{number, text};

/// The fields of the event being read.
pub(super) struct Event {
    pub(super) phase: u8,
    pub(super) time: Option<i64>,
    pub(super) duration: Option<i64>,
    pub(super) process: Ident,
    pub(super) thread: Ident,
    pub(super) name: StringId,
    pub(super) category: StringId,
    pub(super) id: Ident,
    pub(super) scope: u8,
    pub(super) enclosing: bool,
    /// Entry of the index where `args` begin, if they are an object.
    pub(super) arguments: Option<usize>,
    /// Offset of the event in the input.
    pub(super) offset: u64,
    seen: u16,
}

impl Event {
    fn new(offset: u64) -> Self {
        Self {
            phase: 0,
            time: None,
            duration: None,
            process: Ident::NONE,
            thread: Ident::NONE,
            name: StringId::NONE,
            category: StringId::NONE,
            id: Ident::NONE,
            scope: 0,
            enclosing: false,
            arguments: None,
            offset,
            seen: 0,
        }
    }
}

/// The keys of an event, each in one word. All keys that matter are shorter than eight bytes.
const fn key(text: &[u8]) -> u64 {
    let mut value = 0;
    let mut at = 0;
    while at < text.len() {
        value |= (text[at] as u64) << (8 * at);
        at += 1;
    }
    value
}

const ARGS: u64 = key(b"args");
const BIND: u64 = key(b"bp");
const CATEGORY: u64 = key(b"cat");
const DURATION: u64 = key(b"dur");
const ID: u64 = key(b"id");
const ID2: u64 = key(b"id2");
const NAME: u64 = key(b"name");
const PHASE: u64 = key(b"ph");
const PROCESS: u64 = key(b"pid");
const SCOPE: u64 = key(b"s");
const THREAD: u64 = key(b"tid");
const TIME: u64 = key(b"ts");

/// Keys that tell an event from other objects when looking for the next sound event.
pub(super) const EVENT_KEYS: [&[u8]; 17] = [
    b"args", b"bind_id", b"bp", b"cat", b"cname", b"dur", b"id", b"id2", b"name", b"ph", b"pid", b"s",
    b"tdur", b"tid", b"ts", b"tts", b"v",
];

/// Reads the event at an opening brace into the sink.
pub(super) fn read(cursor: &mut Cursor<'_>, sink: &mut Sink) -> Result<(), Fault> {
    let mut event = Event::new(sink.base + cursor.position() as u64);
    sink.start_event();
    cursor.advance();
    loop {
        match cursor.peek()? {
            b'}' => break,
            b'"' => field(cursor, sink, &mut event)?,
            _ => return Err(Fault::Bad),
        }
    }
    let end = cursor.mark();
    sink.accept(&event, cursor);
    cursor.return_to(end + 1);
    Ok(())
}

#[inline(always)]
fn field(cursor: &mut Cursor<'_>, sink: &mut Sink, event: &mut Event) -> Result<(), Fault> {
    let (start, end, value) = cursor.key()?;
    let length = end - start;
    if length == 0 || length > 7 {
        return cursor.skip(value);
    }
    let word = cursor.chunk.word(start) & ((1 << (8 * length)) - 1);
    let bit = match word {
        PHASE => {
            event.phase = short_text(cursor, value)?;
            1 << 0
        }
        CATEGORY => {
            event.category = sink.text(cursor, value)?;
            1 << 1
        }
        NAME => {
            event.name = sink.text(cursor, value)?;
            1 << 2
        }
        PROCESS => {
            event.process = ident(cursor, sink, value)?;
            1 << 3
        }
        THREAD => {
            event.thread = ident(cursor, sink, value)?;
            1 << 4
        }
        TIME => {
            event.time = time(cursor, sink, value)?;
            1 << 5
        }
        DURATION => {
            event.duration = time(cursor, sink, value)?;
            1 << 6
        }
        ARGS => {
            event.arguments = None;
            if cursor.chunk.at(value) == b'{' {
                event.arguments = Some(cursor.mark());
                arguments(cursor, sink)?;
            } else {
                odd_arguments(cursor, sink, value)?;
            }
            1 << 7
        }
        ID => {
            event.id = ident(cursor, sink, value)?;
            1 << 8
        }
        ID2 => {
            event.id = nested_ident(cursor, sink, value)?;
            1 << 9
        }
        SCOPE => {
            // Global, process or thread; anything else says nothing.
            let scope = short_text(cursor, value)?;
            event.scope = if matches!(scope, b'g' | b'p' | b't') { scope } else { 0 };
            1 << 10
        }
        BIND => {
            event.enclosing = short_text(cursor, value)? == b'e';
            1 << 11
        }
        _ => return cursor.skip(value),
    };
    if event.seen & bit != 0 {
        sink.doubt(WarningKind::DuplicateKey, event.offset);
    }
    event.seen |= bit;
    Ok(())
}

/// Arguments that are not an object. `null` and an empty list mean that there are none.
#[cold]
fn odd_arguments(cursor: &mut Cursor<'_>, sink: &mut Sink, value: usize) -> Result<(), Fault> {
    let is_none =
        cursor.word(value) == b"null" || cursor.chunk.slice(value, cursor.chunk.len()).starts_with(b"[]");
    cursor.skip(value)?;
    if !is_none {
        sink.doubt(WarningKind::BadValue, sink.base + value as u64);
    }
    Ok(())
}

/// The first letter of a text; 0 for anything else.
#[inline(always)]
fn short_text(cursor: &mut Cursor<'_>, value: usize) -> Result<u8, Fault> {
    if cursor.chunk.at(value) != b'"' {
        cursor.skip(value)?;
        return Ok(0);
    }
    let (start, end) = cursor.text()?;
    Ok(if end > start { cursor.chunk.at(start) } else { 0 })
}

/// A time in microseconds, as a number or in quotes, in nanoseconds.
#[inline(always)]
fn time(cursor: &mut Cursor<'_>, sink: &mut Sink, value: usize) -> Result<Option<i64>, Fault> {
    if let Some(time) = number::microseconds(cursor.chunk, value) {
        return Ok(Some(time));
    }
    odd_time(cursor, sink, value)
}

#[cold]
fn odd_time(cursor: &mut Cursor<'_>, sink: &mut Sink, value: usize) -> Result<Option<i64>, Fault> {
    let word = match cursor.chunk.at(value) {
        b'"' => {
            let (start, end) = cursor.text()?;
            cursor.chunk.slice(start, end)
        }
        b'{' | b'[' => {
            cursor.skip_nested()?;
            b"?"
        }
        _ => cursor.word(value),
    };
    let time = number::scaled(word, 3);
    if time.is_none() && word != b"null" {
        sink.doubt(WarningKind::BadValue, sink.base + value as u64);
    }
    Ok(time)
}

/// A process, thread or flow identifier.
#[inline(always)]
fn ident(cursor: &mut Cursor<'_>, sink: &mut Sink, value: usize) -> Result<Ident, Fault> {
    if let Some(number) = number::integer(cursor.chunk, value) {
        return Ok(Ident::number(number));
    }
    odd_ident(cursor, sink, value)
}

#[cold]
fn odd_ident(cursor: &mut Cursor<'_>, sink: &mut Sink, value: usize) -> Result<Ident, Fault> {
    match cursor.chunk.at(value) {
        b'"' => Ok(Ident::text(sink.text(cursor, value)?)),
        b'{' | b'[' => {
            cursor.skip_nested()?;
            sink.doubt(WarningKind::BadValue, sink.base + value as u64);
            Ok(Ident::NONE)
        }
        _ => {
            let word = cursor.word(value);
            let number = unsigned_or_scaled(word);
            if number.is_none() && word != b"null" {
                sink.doubt(WarningKind::BadValue, sink.base + value as u64);
            }
            Ok(number.map_or(Ident::NONE, Ident::number))
        }
    }
}

/// `"id2": {"local": "0x1"}`: the identifier inside.
fn nested_ident(cursor: &mut Cursor<'_>, sink: &mut Sink, value: usize) -> Result<Ident, Fault> {
    if cursor.chunk.at(value) != b'{' {
        return ident(cursor, sink, value);
    }
    cursor.advance();
    let mut found = Ident::NONE;
    loop {
        match cursor.peek()? {
            b'}' => {
                cursor.advance();
                return Ok(found);
            }
            b'"' => {
                let (_, _, value) = cursor.key()?;
                found = ident(cursor, sink, value)?;
            }
            _ => return Err(Fault::Bad),
        }
    }
}

/// The arguments, at their opening brace.
#[inline(always)]
fn arguments(cursor: &mut Cursor<'_>, sink: &mut Sink) -> Result<(), Fault> {
    cursor.advance();
    loop {
        match cursor.peek()? {
            b'}' => {
                cursor.advance();
                return Ok(());
            }
            b'"' => {
                let (start, end, value) = cursor.key()?;
                match arguments::find(cursor.chunk, start, end) {
                    Some((argument, kind)) => argument_value(cursor, sink, argument, kind, value)?,
                    None => cursor.skip(value)?,
                }
            }
            _ => return Err(Fault::Bad),
        }
    }
}

#[inline(always)]
fn argument_value(
    cursor: &mut Cursor<'_>,
    sink: &mut Sink,
    argument: Argument,
    kind: Type,
    value: usize,
) -> Result<(), Fault> {
    let decoded = match kind {
        Type::Integer => match number::integer(cursor.chunk, value) {
            Some(number) => Some(number),
            None => odd_integer(cursor, sink, value)?,
        },
        Type::Float => float(cursor, sink, value)?,
        Type::Text | Type::Json => text_or_json(cursor, sink, value)?,
        Type::Extent => return extent(cursor, sink, argument, value),
        Type::Ident => {
            let thread = match cursor.word(value) {
                b"false" => Ident::NONE,
                _ => ident(cursor, sink, value)?,
            };
            if !sink.arguments.put_thread(thread) {
                sink.doubt(WarningKind::DuplicateKey, sink.base + value as u64);
            }
            return Ok(());
        }
    };
    if let Some(decoded) = decoded
        && !sink.arguments.put(argument, decoded)
    {
        sink.doubt(WarningKind::DuplicateKey, sink.base + value as u64);
    }
    Ok(())
}

#[cold]
fn odd_integer(cursor: &mut Cursor<'_>, sink: &mut Sink, value: usize) -> Result<Option<i64>, Fault> {
    let decoded = match cursor.chunk.at(value) {
        b'"' => {
            let (start, end) = cursor.text()?;
            number::integer_of_text(cursor.chunk.slice(start, end))
        }
        b'{' | b'[' => {
            cursor.skip_nested()?;
            None
        }
        _ => match cursor.word(value) {
            b"null" => return Ok(None),
            b"true" => Some(1),
            b"false" => Some(0),
            word => unsigned_or_scaled(word),
        },
    };
    if decoded.is_none() {
        sink.doubt(WarningKind::BadValue, sink.base + value as u64);
    }
    Ok(decoded)
}

/// Addresses use all 64 bits; they keep their bits.
fn unsigned_or_scaled(word: &[u8]) -> Option<i64> {
    let unsigned = std::str::from_utf8(word).ok().and_then(|word| word.parse::<u64>().ok());
    match unsigned {
        Some(unsigned) => Some(unsigned as i64),
        None => number::scaled(word, 0).filter(|&value| value.unsigned_abs() < i64::MAX as u64),
    }
}

fn float(cursor: &mut Cursor<'_>, sink: &mut Sink, value: usize) -> Result<Option<i64>, Fault> {
    let word = match cursor.chunk.at(value) {
        b'"' => {
            let (start, end) = cursor.text()?;
            cursor.chunk.slice(start, end)
        }
        b'{' | b'[' => {
            cursor.skip_nested()?;
            b"?"
        }
        _ => cursor.word(value),
    };
    let decoded = number::float(word);
    // NaN is what some writers put for "unknown": not a value, but no damage either.
    if decoded.is_none() && !matches!(word, b"null" | b"NaN" | b"nan") {
        sink.doubt(WarningKind::BadValue, sink.base + value as u64);
    }
    Ok(decoded.map(|value| value.to_bits() as i64))
}

/// A text, or any other value as its JSON text.
#[inline(always)]
fn text_or_json(cursor: &mut Cursor<'_>, sink: &mut Sink, value: usize) -> Result<Option<i64>, Fault> {
    let end = match cursor.chunk.at(value) {
        b'"' => return Ok(Some(i64::from(sink.text(cursor, value)?.0))),
        b'{' | b'[' => cursor.skip_nested()? + 1,
        _ => {
            let word = cursor.word(value);
            if word == b"null" {
                return Ok(None);
            }
            value + word.len()
        }
    };
    Ok(Some(i64::from(sink.raw(cursor.chunk.slice(value, end), value).0)))
}

fn extent(cursor: &mut Cursor<'_>, sink: &mut Sink, argument: Argument, value: usize) -> Result<(), Fault> {
    if cursor.chunk.at(value) != b'[' {
        if let Some(text) = text_or_json(cursor, sink, value)? {
            sink.arguments.put(argument, text);
        }
        return Ok(());
    }
    let end = cursor.skip_nested()?;
    let mut extents = [0u32; 3];
    let mut parts = cursor.chunk.slice(value + 1, end).split(|&byte| byte == b',');
    for extent in &mut extents {
        let part = parts.next().map(|part| part.trim_ascii()).and_then(|part| std::str::from_utf8(part).ok());
        // Fewer than three are usual; what is there must be a number.
        *extent = match part {
            None | Some("") => 0,
            Some(part) => part.parse().unwrap_or_else(|_| {
                sink.doubt(WarningKind::BadValue, sink.base + value as u64);
                0
            }),
        };
    }
    if !sink.arguments.put_extent(argument, Extent(extents)) {
        sink.doubt(WarningKind::DuplicateKey, sink.base + value as u64);
    }
    Ok(())
}

/// Calls `visit` with every argument and its word or text, for events whose arguments have free names.
pub(super) fn each_argument(
    cursor: &mut Cursor<'_>,
    mark: usize,
    mut visit: impl FnMut(&[u8], &[u8]),
) -> Result<(), Fault> {
    cursor.return_to(mark + 1);
    loop {
        match cursor.peek()? {
            b'"' => {
                let (start, end, value) = cursor.key()?;
                let (name, _) = text::unescape(cursor.chunk.slice(start, end));
                match cursor.chunk.at(value) {
                    b'"' => {
                        let (start, end) = cursor.text()?;
                        visit(&name, cursor.chunk.slice(start, end));
                    }
                    b'{' | b'[' => {
                        cursor.skip_nested()?;
                    }
                    _ => visit(&name, cursor.word(value)),
                }
            }
            _ => return Ok(()),
        }
    }
}
