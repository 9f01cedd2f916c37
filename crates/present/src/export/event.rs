//! One trace event after another as JSON text in one reused buffer.

use std::io::{self, Write};

use eaves_model::{Extent, Ident, MaybeF64, MaybeI64, MaybeU32, Ns, StringId, Trace, TrackId};

use super::json::{self, Texts};

/// Written out when this full: large enough for few system calls, small enough to stay in the cache.
const FULL: usize = 256 * 1024;

/// Events under construction. Values that were not recorded leave no trace in the text.
pub(super) struct Events<'a> {
    pub(super) buffer: Vec<u8>,
    texts: Texts<'a>,
    /// The process and thread fields of each track as text.
    places: Vec<Vec<u8>>,
    count: u64,
    in_arguments: bool,
}

impl<'a> Events<'a> {
    pub(super) fn new(trace: &'a Trace) -> Self {
        let texts = Texts::new(&trace.strings);
        let threads = &trace.tracks.threads;
        let place = |row: usize| {
            let mut place = Vec::new();
            push_ident_field(&mut place, &texts, "pid", threads.process[row]);
            push_ident_field(&mut place, &texts, "tid", threads.thread[row]);
            place
        };
        let places = (0..threads.len()).map(place).collect();
        Self { buffer: Vec::with_capacity(FULL + FULL / 4), texts, places, count: 0, in_arguments: false }
    }

    /// Writes the buffer out if it is full.
    pub(super) fn flush_if_full(&mut self, output: &mut impl Write) -> io::Result<()> {
        if self.buffer.len() < FULL { Ok(()) } else { self.flush(output) }
    }

    /// Writes the buffer out.
    pub(super) fn flush(&mut self, output: &mut impl Write) -> io::Result<()> {
        output.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// How many events were begun.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Begins an event of a phase.
    pub(super) fn begin(&mut self, phase: u8) {
        self.buffer.extend_from_slice(if self.count > 0 { b",\n{\"ph\":\"" } else { b"\n{\"ph\":\"" });
        self.buffer.extend_from_slice(&[phase, b'"']);
        self.count += 1;
    }

    /// Ends the event.
    pub(super) fn end(&mut self) {
        self.buffer.extend_from_slice(if self.in_arguments { b"}}" } else { b"}" });
        self.in_arguments = false;
    }

    fn key(&mut self, key: &str) {
        push_key(&mut self.buffer, key);
    }

    /// A field with a text that needs no escaping.
    pub(super) fn literal(&mut self, key: &str, text: &str) {
        self.key(key);
        json::push_string(&mut self.buffer, text);
    }

    /// A field with a text of the trace.
    pub(super) fn text(&mut self, key: &str, text: StringId) {
        if text != StringId::NONE {
            self.key(key);
            self.texts.push(&mut self.buffer, text);
        }
    }

    /// A field with a number or text that identifies something.
    pub(super) fn ident(&mut self, key: &str, ident: Ident) {
        push_ident_field(&mut self.buffer, &self.texts, key, ident);
    }

    /// A field with a time.
    pub(super) fn time(&mut self, key: &str, time: Ns) {
        self.key(key);
        json::push_microseconds(&mut self.buffer, time);
    }

    /// The field that says how far an instant reaches, if that is known.
    pub(super) fn scope(&mut self, scope: u8) {
        if scope.is_ascii_alphanumeric() {
            self.key("s");
            self.buffer.extend_from_slice(&[b'"', scope, b'"']);
        }
    }

    /// The fields that name the process and the thread.
    pub(super) fn place(&mut self, track: TrackId) {
        if let Some(place) = self.places.get(track.index()) {
            self.buffer.extend_from_slice(place);
        }
    }

    /// Opens the arguments. The first argument does this by itself; an event whose reader expects arguments may
    /// have none.
    pub(super) fn arguments(&mut self) {
        if !self.in_arguments {
            self.buffer.extend_from_slice(b",\"args\":{");
            self.in_arguments = true;
        }
    }

    fn argument(&mut self, key: &str) {
        self.arguments();
        if self.buffer.ends_with(b"{") {
            json::push_string(&mut self.buffer, key);
            self.buffer.push(b':');
        } else {
            self.key(key);
        }
    }

    /// An argument with a signed number.
    pub(super) fn integer_argument(&mut self, key: &str, value: MaybeI64) {
        if let Some(value) = value.get() {
            self.argument(key);
            json::push_integer(&mut self.buffer, value);
        }
    }

    /// An argument with a small number.
    pub(super) fn unsigned_argument(&mut self, key: &str, value: MaybeU32) {
        if let Some(value) = value.get() {
            self.argument(key);
            json::push_unsigned(&mut self.buffer, u64::from(value));
        }
    }

    /// An argument with an address, which uses all 64 bits.
    pub(super) fn address_argument(&mut self, key: &str, value: MaybeI64) {
        if let Some(value) = value.get() {
            self.argument(key);
            json::push_unsigned(&mut self.buffer, value.cast_unsigned());
        }
    }

    /// An argument with a handle, which AMD's profiler writes as hexadecimal text.
    pub(super) fn handle_argument(&mut self, key: &str, value: MaybeI64) {
        if let Some(value) = value.get() {
            self.argument(key);
            // Writing to memory cannot fail.
            write!(self.buffer, "\"{value:#x}\"").ok();
        }
    }

    /// An argument with a float.
    pub(super) fn float_argument(&mut self, key: &str, value: MaybeF64) {
        if let Some(value) = value.get() {
            self.argument(key);
            json::push_float(&mut self.buffer, value);
        }
    }

    /// An argument with a text.
    pub(super) fn text_argument(&mut self, key: &str, text: StringId) {
        if text != StringId::NONE {
            self.argument(key);
            self.texts.push(&mut self.buffer, text);
        }
    }

    /// An argument with text that is JSON.
    pub(super) fn json_argument(&mut self, key: &str, text: StringId) {
        if text != StringId::NONE {
            self.argument(key);
            self.texts.push_json(&mut self.buffer, text);
        }
    }

    /// An argument with three extents.
    pub(super) fn extent_argument(&mut self, key: &str, extent: Extent) {
        if let Some(extent) = extent.get() {
            self.argument(key);
            for (axis, before) in extent.into_iter().zip(*b"[,,") {
                self.buffer.push(before);
                json::push_unsigned(&mut self.buffer, u64::from(axis));
            }
            self.buffer.push(b']');
        }
    }

    /// An argument that is named by the trace and may be without value.
    pub(super) fn series_argument(&mut self, key: StringId, value: MaybeF64) {
        let key = self.texts.get(key);
        self.argument(key);
        json::push_float(&mut self.buffer, value.get().unwrap_or(f64::NAN));
    }

    /// An argument that identifies something, `false` if nothing does.
    pub(super) fn ident_argument(&mut self, key: &str, ident: Ident) {
        self.argument(key);
        if ident == Ident::NONE {
            self.buffer.extend_from_slice(b"false");
        } else {
            push_ident(&mut self.buffer, &self.texts, ident);
        }
    }

    /// An argument with a value that is JSON already.
    pub(super) fn raw_argument(&mut self, key: &str, value: &[u8]) {
        self.argument(key);
        self.buffer.extend_from_slice(value);
    }

    /// An argument with a text made by the exporter.
    pub(super) fn literal_argument(&mut self, key: &str, text: &str) {
        self.argument(key);
        json::push_string(&mut self.buffer, text);
    }
}

fn push_key(buffer: &mut Vec<u8>, key: &str) {
    buffer.push(b',');
    json::push_string(buffer, key);
    buffer.push(b':');
}

fn push_ident(buffer: &mut Vec<u8>, texts: &Texts<'_>, ident: Ident) {
    match (ident.as_number(), ident.as_text()) {
        (Some(number), _) => json::push_integer(buffer, number),
        (None, Some(text)) => texts.push(buffer, text),
        (None, None) => buffer.extend_from_slice(b"null"),
    }
}

fn push_ident_field(buffer: &mut Vec<u8>, texts: &Texts<'_>, key: &str, ident: Ident) {
    if ident != Ident::NONE {
        push_key(buffer, key);
        push_ident(buffer, texts, ident);
    }
}
