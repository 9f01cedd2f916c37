//! The whole file: the object or list at the top, the header, and the events, split over threads if it is large.

use std::io::{self, Read};

use eaves_model::{Diagnostics, Metadata, Trace, WarningKind};

use super::events::{self, Stop};
use super::header;
use super::sink::Sink;
use crate::json::cursor::{Cursor, Fault};
use crate::json::window::Window;
use crate::refusal::Refusal;
use crate::source::Source;

/// Below this, splitting costs more than it brings.
const WORTH_SPLITTING: u64 = 8 << 20;

/// How far behind a cut to look for an event to start with.
const CUT_SEARCH: u64 = 1 << 20;

/// Reads a document of which a reader from its beginning is there already. The second answer is the number of bytes
/// it had.
pub(crate) fn read<'a>(
    source: &'a dyn Source,
    reader: Box<dyn Read + Send + 'a>,
    threads: usize,
) -> Result<(Trace, u64), Refusal> {
    let mut document = Document {
        source,
        threads,
        sink: Sink::for_bytes(source.expected()),
        metadata: Metadata::default(),
        keys: Vec::new(),
        has_events: false,
    };
    let bytes = document.run(Window::new(reader, 0))?;
    let Sink { mut trace, pending, .. } = document.sink;
    pending.join(&mut trace);
    trace.metadata = document.metadata;
    Ok((trace, bytes))
}

struct Document<'a> {
    source: &'a dyn Source,
    threads: usize,
    sink: Sink,
    metadata: Metadata,
    keys: Vec<String>,
    has_events: bool,
}

/// How far a walk over a chunk of the top level came.
enum Top {
    /// At the first byte behind the bracket that opens the events.
    Events(usize),
    /// At a value that is not wanted and that the chunk does not finish.
    Unwanted(usize),
    /// At the end of the object.
    Done(usize),
    /// From here on more bytes are needed.
    Partial(usize),
    /// What begins here is not JSON.
    Bad(usize),
}

impl<'a> Document<'a> {
    fn run(&mut self, mut window: Window<'a>) -> Result<u64, Refusal> {
        window.fill(self.sink.diagnostics());
        let content = window.content();
        let content = content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(content);
        let blank = window.content().len() - content.trim_ascii_start().len();
        window.consume(blank);
        match window.content().first() {
            None => Err(Refusal::Empty),
            Some(b'[') => self.list(window),
            Some(b'{') => self.object(window),
            Some(_) => Err(Refusal::NotJson(window.content().iter().copied().take(64).collect())),
        }
    }

    /// A bare list of events. It may end without a bracket: recorders that crash leave it so, and the format
    /// allows it.
    fn list(&mut self, mut window: Window<'a>) -> Result<u64, Refusal> {
        let is_empty = window.content()[1..].trim_ascii_start().starts_with(b"]");
        window.consume(1);
        let (mut window, ended) = self.events(window)?;
        if ended {
            window = self.rest(window)?;
        }
        if self.sink.trace.events == 0 && !is_empty {
            return Err(Refusal::NotEvents(Vec::new()));
        }
        Ok(window.offset)
    }

    fn object(&mut self, mut window: Window<'a>) -> Result<u64, Refusal> {
        window.consume(1);
        let end = self.entries(window)?;
        if self.has_events {
            return Ok(end);
        }
        // A lost quote in the header may have swallowed the key of the events. A stream cannot be read again.
        if let Ok(reader) = self.source.open(0) {
            *self.sink.diagnostics() = Diagnostics::default();
            self.sink.note(WarningKind::BadHeader, 0);
            window = Window::new(reader, 0);
            if self.find_events(&mut window) {
                let end = self.entries(window)?;
                if self.has_events {
                    return Ok(end);
                }
            }
        }
        Err(Refusal::NotEvents(std::mem::take(&mut self.keys)))
    }

    /// The keys of the top level from here on. The answer is the number of bytes of the document.
    fn entries(&mut self, mut window: Window<'a>) -> Result<u64, Refusal> {
        loop {
            let last = window.is_last();
            self.sink.base = window.offset;
            let (chunk, index) = window.indexed();
            let top = self.walk(&mut Cursor::new(chunk, index), last);
            match top {
                Top::Events(at) => {
                    window.consume(at);
                    let ended;
                    (window, ended) = self.events(window)?;
                    if !ended {
                        if self.sink.trace.diagnostics.count(WarningKind::Truncated) == 0 {
                            self.sink.note(WarningKind::Truncated, window.offset);
                        }
                        return Ok(window.offset);
                    }
                }
                Top::Unwanted(at) => {
                    window.consume(at);
                    let offset = window.offset;
                    if !window.skip_value(self.sink.diagnostics()) {
                        self.sink.note(WarningKind::Truncated, offset);
                        break;
                    }
                }
                Top::Done(at) => {
                    window.consume(at);
                    if self.has_events {
                        window = self.rest(window)?;
                    }
                    break;
                }
                Top::Partial(at) => {
                    window.consume(at);
                    let offset = window.offset;
                    if !window.fill(self.sink.diagnostics()) {
                        self.sink.note(WarningKind::Truncated, offset);
                        break;
                    }
                }
                Top::Bad(at) => {
                    window.consume(at);
                    self.sink.note(WarningKind::BadHeader, window.offset);
                    if self.has_events {
                        window = self.rest(window)?;
                        break;
                    }
                    if !self.find_events(&mut window) {
                        break;
                    }
                }
            }
        }
        Ok(window.offset + window.content().len() as u64)
    }

    /// Nothing but white space may follow the document. A stray bracket may have ended it early, so events that
    /// follow are read all the same.
    fn rest(&mut self, mut window: Window<'a>) -> Result<Window<'a>, Refusal> {
        let is_odd = |bytes: &[u8]| bytes.iter().position(|byte| !byte.is_ascii_whitespace() && *byte != 0);
        while window.seek(self.sink.diagnostics(), is_odd) {
            self.sink.note(WarningKind::Garbage, window.offset);
            if !window.seek(self.sink.diagnostics(), events::find_event) {
                break;
            }
            let ended;
            (window, ended) = self.events(window)?;
            if !ended {
                break;
            }
        }
        Ok(window)
    }

    /// In a damaged header: goes to the key of the events.
    fn find_events(&mut self, window: &mut Window<'_>) -> bool {
        let finder = memchr::memmem::Finder::new(b"\"traceEvents\"");
        window.consume(1);
        window.seek(self.sink.diagnostics(), |bytes| finder.find(bytes))
    }

    fn walk(&mut self, cursor: &mut Cursor<'_>, last: bool) -> Top {
        let mut after = 0;
        loop {
            match cursor.peek() {
                Err(_) => return Top::Partial(after),
                Ok(b'}') => return Top::Done(cursor.position() + 1),
                Ok(b'"') => {}
                Ok(_) => return Top::Bad(after),
            }
            match self.entry(cursor, last) {
                Ok(Entry::Value(end)) => after = end,
                Ok(Entry::Events(at)) => return Top::Events(at),
                Ok(Entry::Unwanted(at)) => return Top::Unwanted(at),
                Err(Fault::Partial) => return Top::Partial(after),
                Err(Fault::Bad) => return Top::Bad(after),
            }
        }
    }

    /// One key of the top level with its value.
    fn entry(&mut self, cursor: &mut Cursor<'_>, last: bool) -> Result<Entry, Fault> {
        let offset = self.sink.base + cursor.position() as u64;
        let (start, end, value) = cursor.key()?;
        let key = String::from_utf8_lossy(cursor.chunk.slice(start, end)).into_owned();
        let first = cursor.chunk.at(value);
        if key == "traceEvents" && first == b'[' {
            self.has_events = true;
            return Ok(Entry::Events(value + 1));
        }
        let is_wanted = header::is_known(&key);
        let end = match first {
            b'"' | b'{' | b'[' if !is_wanted => match cursor.skip(value) {
                Err(Fault::Partial) => return Ok(Entry::Unwanted(value)),
                result => result.map(|()| cursor.previous() + 1)?,
            },
            b'"' => cursor.text()?.1 + 1,
            b'{' | b'[' => cursor.skip_nested()? + 1,
            _ => {
                let end = value + cursor.word(value).len();
                if end >= cursor.chunk.len() && !last {
                    return Err(Fault::Partial);
                }
                end
            }
        };
        if !header::take(&mut self.metadata, &key, cursor.chunk.slice(value, end)) {
            self.sink.trace.diagnostics.note_detail(WarningKind::BadHeader, Some(offset), format!("`{key}`"));
        }
        self.keys.push(key);
        Ok(Entry::Value(end))
    }

    /// The events from here on. The answer is a window behind them, and whether the list was closed.
    fn events(&mut self, mut window: Window<'a>) -> Result<(Window<'a>, bool), Refusal> {
        self.has_events = true;
        let cuts = self.cuts(window.offset);
        let mut stop = if cuts.is_empty() {
            events::read(&mut window, &mut self.sink, u64::MAX)
        } else {
            let (stop, at) = self.in_parts(window, &cuts)?;
            window = Window::new(self.source.open(at).map_err(Refusal::Io)?, at);
            window.fill(self.sink.diagnostics());
            stop
        };
        // A cut was not where the walk came by: what lies behind is read in one go.
        if let Stop::Boundary(_) = stop {
            stop = events::read(&mut window, &mut self.sink, u64::MAX);
        }
        let ended = matches!(stop, Stop::End(_));
        if ended {
            window.consume(1);
        }
        Ok((window, ended))
    }

    /// Offsets of events at which to cut the rest of the input into one part per thread.
    fn cuts(&self, from: u64) -> Vec<u64> {
        let Some(size) = self.source.size() else { return Vec::new() };
        let length = size.saturating_sub(from);
        let parts = (self.threads as u64).min(length / WORTH_SPLITTING);
        let mut cuts: Vec<u64> =
            (1..parts).filter_map(|part| self.event_near(from + length / parts * part)).collect();
        cuts.dedup();
        cuts
    }

    fn event_near(&self, offset: u64) -> Option<u64> {
        let mut bytes = Vec::new();
        self.source.open(offset).ok()?.take(CUT_SEARCH).read_to_end(&mut bytes).ok()?;
        events::find_event(&bytes).map(|at| offset + at as u64)
    }

    /// Reads the parts side by side and keeps those whose neighbors met at the cut. The answer says how the last
    /// kept part stopped, and where.
    fn in_parts(&mut self, window: Window<'a>, cuts: &[u64]) -> Result<(Stop, u64), Refusal> {
        let source = self.source;
        let sink = &mut self.sink;
        std::thread::scope(|scope| {
            let later: Vec<_> = cuts
                .iter()
                .enumerate()
                .map(|(part, &cut)| {
                    let boundary = cuts.get(part + 1).copied().unwrap_or(u64::MAX);
                    let bytes = boundary.min(source.expected()).saturating_sub(cut);
                    scope.spawn(move || -> io::Result<(Sink, Stop, u64)> {
                        let mut window = Window::new(source.open(cut)?, cut);
                        let mut sink = Sink::for_bytes(bytes);
                        let stop = events::read(&mut window, &mut sink, boundary);
                        Ok((sink, stop, window.offset))
                    })
                })
                .collect();
            let mut window = window;
            let mut stop = events::read(&mut window, sink, cuts[0]);
            let mut at = window.offset;
            drop(window);
            for (part, thread) in later.into_iter().enumerate() {
                // Joined even if not wanted any more: the scope would wait anyway.
                let joined = thread.join();
                if stop != Stop::Boundary(cuts[part]) {
                    continue;
                }
                let (part, part_stop, part_at) = match joined {
                    Ok(result) => result.map_err(Refusal::Io)?,
                    Err(panic) => std::panic::resume_unwind(panic),
                };
                sink.append(part);
                (stop, at) = (part_stop, part_at);
            }
            Ok((stop, at))
        })
    }
}

/// What one key of the top level has.
enum Entry {
    /// A value, read whole; what follows it.
    Value(usize),
    /// The first byte of the list of events.
    Events(usize),
    /// The first byte of a value that is not wanted and not finished.
    Unwanted(usize),
}
