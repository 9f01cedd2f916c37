//! The document from its first byte to its last: which list a record stands in, past whatever damage there is.

use eaves_model::{StringId, Trace, WarningKind};
use serde_json::Value;

use super::super::shared::amd;
use super::process::{Process, Section};
use super::record::{self, Record};
use crate::json::cursor::{Cursor, Fault};
use crate::json::window::Window;
use crate::json::{number, text};
use crate::source::Source;

/// The key of the whole.
pub(super) const ROOT: &[u8] = b"rocprofiler-sdk-tool";

/// An object or list that the walk is inside of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Root,
    Processes,
    Process,
    Strings,
    Records,
    List(List),
}

/// A list whose elements are read one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    Agents,
    Counters,
    Operations,
    Messages,
    Symbols,
    Section(Section),
}

/// How far a walk over a chunk came.
enum Step {
    /// From here on more bytes are needed.
    Partial(usize),
    /// At a value that is not wanted and that the chunk does not finish.
    Unwanted(usize),
    /// What begins here is not what should be there.
    Bad(usize),
    /// Behind the document.
    Done(usize),
}

/// The walk and what it has read.
pub(super) struct Walk<'a> {
    source: &'a dyn Source,
    places: Vec<Place>,
    record: Record,
    process: Option<Process>,
    processes: u32,
    pub(super) trace: Trace,
    pub(super) host_name: Option<String>,
    base: u64,
}

impl<'a> Walk<'a> {
    pub(super) fn new(source: &'a dyn Source, trace: Trace) -> Self {
        Self {
            source,
            places: Vec::new(),
            record: Record::default(),
            process: None,
            processes: 0,
            trace,
            host_name: None,
            base: 0,
        }
    }

    /// Reads everything. The answer is the number of bytes.
    pub(super) fn run(&mut self, mut window: Window<'_>) -> u64 {
        window.fill(&mut self.trace.diagnostics);
        loop {
            self.base = window.offset;
            let (chunk, index) = window.indexed();
            match self.walk(&mut Cursor::new(chunk, index)) {
                Step::Partial(at) => {
                    window.consume(at);
                    if !window.fill(&mut self.trace.diagnostics) && !self.cut_off(&mut window) {
                        break;
                    }
                }
                Step::Unwanted(at) => {
                    window.consume(at);
                    let offset = window.offset;
                    if !window.skip_value(&mut self.trace.diagnostics) {
                        self.trace.diagnostics.note(WarningKind::Truncated, Some(offset));
                        break;
                    }
                }
                Step::Bad(at) => {
                    window.consume(at);
                    if !self.skip_damage(&mut window) {
                        break;
                    }
                }
                Step::Done(at) => {
                    window.consume(at);
                    let is_odd = |bytes: &[u8]| {
                        bytes.iter().position(|byte| !byte.is_ascii_whitespace() && *byte != 0)
                    };
                    if !window.seek(&mut self.trace.diagnostics, is_odd) || !self.skip_damage(&mut window) {
                        break;
                    }
                }
            }
        }
        self.end_process();
        window.offset + window.content().len() as u64
    }

    fn walk(&mut self, cursor: &mut Cursor<'_>) -> Step {
        let mut after = 0;
        loop {
            let at = cursor.position();
            let Ok(byte) = cursor.peek() else { return Step::Partial(after) };
            let result = match (self.places.last().copied(), byte) {
                (None, b'{') if self.trace.events == 0 && self.processes == 0 => {
                    self.places.push(Place::Root);
                    cursor.advance();
                    Ok(None)
                }
                (None, _) => return Step::Done(after),
                (Some(Place::Processes), b'{') => {
                    self.begin_process();
                    cursor.advance();
                    Ok(None)
                }
                (Some(Place::List(list)), b'{') => {
                    self.check_gap(cursor, after, at);
                    self.element(list, cursor).map(|()| None)
                }
                (Some(Place::List(_) | Place::Processes), b']')
                | (Some(Place::Root | Place::Process | Place::Strings | Place::Records), b'}') => {
                    if self.places.pop() == Some(Place::Process) {
                        self.end_process();
                    }
                    cursor.advance();
                    Ok(None)
                }
                (Some(Place::List(_) | Place::Processes), _) => Err(Fault::Bad),
                (Some(place), b'"') => self.entry(place, cursor),
                (Some(_), _) => Err(Fault::Bad),
            };
            match result {
                Ok(None) => after = cursor.previous() + 1,
                Ok(Some(unwanted)) => return Step::Unwanted(unwanted),
                Err(Fault::Partial) => return Step::Partial(after),
                Err(Fault::Bad) => return Step::Bad(after.max(at)),
            }
            if self.places.is_empty() {
                return Step::Done(after);
            }
        }
    }

    /// Only white space and commas may stand between elements.
    #[inline(always)]
    fn check_gap(&mut self, cursor: &Cursor<'_>, after: usize, at: usize) {
        let gap = cursor.chunk.slice(after, at);
        if let Some(odd) = gap.iter().position(|byte| !matches!(byte, b',' | b' ' | b'\n' | b'\r' | b'\t')) {
            self.trace.diagnostics.note(WarningKind::Garbage, Some(self.base + (after + odd) as u64));
        }
    }

    /// One key with its value: goes into it, reads it, or past it. The answer is the position of a value that is not
    /// wanted and not finished.
    fn entry(&mut self, place: Place, cursor: &mut Cursor<'_>) -> Result<Option<usize>, Fault> {
        let (start, end, value) = cursor.key()?;
        let key = cursor.chunk.slice(start, end);
        let first = cursor.chunk.at(value);
        if let Some(inner) = inside(place, key, first) {
            if inner == Place::Process {
                self.begin_process();
            } else {
                self.places.push(inner);
            }
            cursor.advance();
            return Ok(None);
        }
        if place == Place::Process && key == b"metadata" && first == b'{' {
            let end = cursor.skip_nested()?;
            self.metadata(cursor.chunk.slice(value, end + 1), self.base + value as u64);
            return Ok(None);
        }
        if place == Place::Records && first == b'[' && cursor.chunk.at(value + 1) == b'{' {
            let detail = format!("`{}`", String::from_utf8_lossy(key));
            self.trace.diagnostics.note_detail(
                WarningKind::UnknownPhase,
                Some(self.base + value as u64),
                detail,
            );
        }
        match cursor.skip(value) {
            Err(Fault::Partial) if matches!(first, b'{' | b'[' | b'"') => Ok(Some(value)),
            result => result.map(|()| None),
        }
    }

    fn element(&mut self, list: List, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let offset = self.base + cursor.position() as u64;
        let Some(process) = &mut self.process else { return Err(Fault::Bad) };
        match list {
            List::Section(Section::Samples) => {
                cursor.skip_nested()?;
                process.samples += 1;
            }
            List::Section(section) => {
                record::read(cursor, &mut self.record)?;
                process.accept(section, &self.record, offset, &mut self.trace);
            }
            List::Symbols => process.symbols.read(cursor, self.base)?,
            List::Messages => {
                if let Some((key, message)) = message(cursor, &mut self.trace)? {
                    process.messages.insert(key, message);
                }
            }
            List::Agents => {
                let mark = cursor.mark();
                let found = match agent(cursor) {
                    Err(Fault::Bad) => {
                        cursor.return_to(mark);
                        cursor.skip_nested()?;
                        None
                    }
                    found => found?,
                };
                match found {
                    Some(agent) => process.agents.extend(agent),
                    None => self.trace.diagnostics.note(WarningKind::BadHeader, Some(offset)),
                }
            }
            List::Counters | List::Operations => {
                let start = cursor.position();
                let end = cursor.skip_nested()?;
                match serde_json::from_slice::<Value>(cursor.chunk.slice(start, end + 1)) {
                    Ok(value) => described(process, list, &value),
                    Err(_) => self.trace.diagnostics.note(WarningKind::BadHeader, Some(offset)),
                }
            }
        }
        Ok(())
    }

    /// The part of a process that says where it ran. Its command line and configuration are not kept.
    fn metadata(&mut self, text: &[u8], offset: u64) {
        let Ok(value) = serde_json::from_slice::<Value>(text) else {
            self.trace.diagnostics.note(WarningKind::BadHeader, Some(offset));
            return;
        };
        if let Some(process) = &mut self.process {
            process.number = value.get("pid").and_then(Value::as_i64);
        }
        if let Some(host) = value.pointer("/node/hostname").and_then(Value::as_str) {
            self.host_name.get_or_insert_with(|| host.to_owned());
        }
    }

    fn begin_process(&mut self) {
        self.end_process();
        self.places.push(Place::Process);
        self.process = Some(Process::new(&self.trace, self.source));
    }

    fn end_process(&mut self) {
        if let Some(process) = self.process.take() {
            process.finish(&mut self.trace, self.source, self.processes > 0);
            self.processes += 1;
        }
    }

    /// At something that should not be there: goes to the next record or section. False if there is none.
    fn skip_damage(&mut self, window: &mut Window<'_>) -> bool {
        self.trace.diagnostics.note(WarningKind::Garbage, Some(window.offset));
        window.consume(1);
        let found = window.seek(&mut self.trace.diagnostics, find_place);
        window.be_careful();
        found && self.resume(window)
    }

    /// At a place that a search found: makes the places fit it.
    fn resume(&mut self, window: &Window<'_>) -> bool {
        if self.process.is_none() {
            self.process = Some(Process::new(&self.trace, self.source));
        }
        let list = self.places.iter().rposition(|place| matches!(place, Place::List(_)));
        let is_record = window.content().first() == Some(&b'{');
        match (is_record, list) {
            (true, Some(list)) => self.places.truncate(list + 1),
            // A record of no known list: what follows it may be known again.
            (true, None) => self.places = vec![Place::Root, Place::Processes, Place::Process],
            (false, _) => {
                let key = window.content().get(1..).unwrap_or_default();
                self.places = vec![Place::Root, Place::Processes, Place::Process];
                if key
                    .iter()
                    .position(|&byte| byte == b'"')
                    .is_some_and(|end| Section::of(&key[..end]).is_some())
                {
                    self.places.push(Place::Records);
                }
            }
        }
        true
    }

    /// The input ends, or something is longer than anything can be: a lost quote may have swallowed sound records, so
    /// looks for one behind it. Without one the input is cut off here.
    fn cut_off(&mut self, window: &mut Window<'_>) -> bool {
        let content = window.content();
        let offset = window.offset;
        if let Some(at) = content.get(1..).and_then(find_place) {
            self.trace.diagnostics.note(WarningKind::Garbage, Some(offset));
            window.consume(at + 1);
            window.expect_no_end();
            return self.resume(window);
        }
        if !window.is_last() {
            return self.skip_damage(window);
        }
        self.trace.diagnostics.note(WarningKind::Truncated, Some(offset));
        false
    }
}

/// What a key of a place opens.
fn inside(place: Place, key: &[u8], first: u8) -> Option<Place> {
    Some(match (place, key, first) {
        (Place::Root, ROOT, b'[') => Place::Processes,
        (Place::Root, ROOT, b'{') => Place::Process,
        (Place::Process, b"agents", b'[') => Place::List(List::Agents),
        (Place::Process, b"counters", b'[') => Place::List(List::Counters),
        (Place::Process, b"kernel_symbols", b'[') => Place::List(List::Symbols),
        (Place::Process, b"strings", b'{') => Place::Strings,
        (Place::Process, b"buffer_records" | b"callback_records", b'{') => Place::Records,
        (Place::Strings, b"buffer_records", b'[') => Place::List(List::Operations),
        (Place::Strings, b"marker_api", b'[') => Place::List(List::Messages),
        (Place::Records, _, b'[') => Place::List(List::Section(Section::of(key)?)),
        _ => return None,
    })
}

/// The agent that the cursor stands at, if it is one; nothing at all if it is not even JSON. Most of it are lists of
/// hundreds of caches and links, which are read one by one or not at all.
fn agent(cursor: &mut Cursor<'_>) -> Result<Option<Option<amd::Agent>>, Fault> {
    let (mut rest, mut caches) = (b"{".to_vec(), amd::Caches::default());
    let mut is_sound = true;
    cursor.each_field(|cursor, key, value| {
        let chunk = cursor.chunk;
        match (key, chunk.at(value)) {
            (b"caches", b'[') => {
                return each_object(cursor, |cache| match serde_json::from_slice::<Value>(cache) {
                    Ok(cache) => caches.add(&cache),
                    Err(_) => is_sound = false,
                });
            }
            (b"io_links", _) => return cursor.skip(value),
            _ => {}
        }
        let text = if matches!(chunk.at(value), b'{' | b'[' | b'"') {
            cursor.skip(value)?;
            chunk.slice(value, cursor.previous() + 1)
        } else {
            cursor.word(value)
        };
        let comma: &[u8] = if rest.len() > 1 { b"," } else { b"" };
        for part in [comma, b"\"", key, b"\":", text] {
            rest.extend_from_slice(part);
        }
        Ok(())
    })?;
    rest.push(b'}');
    let value = serde_json::from_slice::<Value>(&rest).ok().filter(|_| is_sound);
    Ok(value.map(|value| amd::agent_with(&value, caches)))
}

/// Shows every object of the list that the cursor stands at.
fn each_object(cursor: &mut Cursor<'_>, mut show: impl FnMut(&[u8])) -> Result<(), Fault> {
    cursor.advance();
    loop {
        let start = cursor.position();
        match cursor.peek()? {
            b'{' => {
                let end = cursor.skip_nested()?;
                show(cursor.chunk.slice(start, end + 1));
            }
            b']' => {
                cursor.advance();
                return Ok(());
            }
            _ => return Err(Fault::Bad),
        }
    }
}

/// Takes in an element that describes something.
fn described(process: &mut Process, list: List, value: &Value) {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    match list {
        List::Counters => {
            let handle = value.pointer("/id/handle").and_then(Value::as_i64);
            if let (Some(handle), Some(name)) = (handle, text("name")) {
                process.counter_names.insert(handle, name.to_owned());
            }
        }
        _ => {
            let operations = value.get("operations").and_then(Value::as_array).into_iter().flatten();
            let operations = operations.map(|name| name.as_str().unwrap_or_default().to_owned()).collect();
            process.operations.push((text("kind").unwrap_or_default().to_owned(), operations));
        }
    }
}

/// `{"key":12,"value":"text of a marker"}`.
fn message(cursor: &mut Cursor<'_>, trace: &mut Trace) -> Result<Option<(i64, StringId)>, Fault> {
    let (mut key, mut bounds) = (None, None);
    cursor.each_field(|cursor, name, value| {
        match name {
            b"key" => key = number::integer(cursor.chunk, value),
            b"value" if cursor.chunk.at(value) == b'"' => {
                bounds = Some(cursor.text()?);
                return Ok(());
            }
            _ => {}
        }
        cursor.skip(value)
    })?;
    let (Some(key), Some((start, end))) = (key, bounds) else { return Ok(None) };
    let (body, _) = text::unescape(cursor.chunk.slice(start, end));
    Ok(Some((key, trace.strings.intern_bytes(&body).0)))
}

/// The next brace that looks like the beginning of a record, or quote of a key that opens a section.
fn find_place(bytes: &[u8]) -> Option<usize> {
    memchr::memchr2_iter(b'{', b'"', bytes).find(|&at| {
        let rest = &bytes[at + 1..];
        if bytes[at] == b'{' {
            let is_value = bytes[..at].trim_ascii_end().last() == Some(&b':');
            let first = rest.trim_ascii_start();
            return !is_value && (first.starts_with(b"\"size\"") || first.starts_with(b"\"dispatch_data\""));
        }
        let Some(end) = rest.iter().take(24).position(|&byte| byte == b'"') else { return false };
        let opens = rest[end + 1..].trim_ascii_start().strip_prefix(b":").map(<[u8]>::trim_ascii_start);
        let is_section =
            Section::of(&rest[..end]).is_some() || matches!(&rest[..end], b"agents" | b"kernel_symbols");
        is_section && opens.is_some_and(|value| value.starts_with(b"["))
    })
}
