//! Where events become rows.

use eaves_model::{
    Allocation, AsyncSlice, Counter, Diagnostics, Flow, Instant, MaybeF64, MaybeI64, MaybeU32, Ns, Process,
    Slice, SliceId, SliceKind, StringId, Trace, Track, TrackId, WarningKind,
};

use super::arguments::{Argument, Arguments};
use super::event::{Event, each_argument};
use super::pending::Pending;
use super::text_cache::TextCache;
use super::{category, details};
use crate::json::cursor::{Cursor, Fault};
use crate::json::{number, text};

/// The most bytes of JSON to make room for in advance.
const MOST_EXPECTED: u64 = 16 << 30;

/// The rows of one part of a file.
#[derive(Default)]
pub(super) struct Sink {
    /// The rows.
    pub(super) trace: Trace,
    /// Begins and ends that wait for each other.
    pub(super) pending: Pending,
    /// Arguments of the event being read.
    pub(super) arguments: Arguments,
    /// Offset of the current chunk in the input.
    pub(super) base: u64,
    /// Kind of each category, by string id; `None` where not looked up yet.
    kinds: Vec<Option<SliceKind>>,
    /// Short texts met lately.
    recent: TextCache,
    /// What is odd about the event being read.
    doubts: Vec<(WarningKind, u64)>,
    /// The id of `mtia_ccp_events`, once met.
    mtia: Option<StringId>,
    /// The id of `[memory]`, once met.
    memory: Option<StringId>,
}

impl Sink {
    /// A sink with room for the rows of this many bytes of JSON, by what usual traces have. Room that is not used
    /// is never taken from the system; room that lacks costs copies of whole columns.
    pub(super) fn for_bytes(bytes: u64) -> Self {
        // A size that is not true must not ask for more room than there is.
        let bytes = bytes.min(MOST_EXPECTED);
        let rows = |bytes_each: u64| usize::try_from(bytes / bytes_each).unwrap_or(0);
        let mut sink = Self::default();
        let trace = &mut sink.trace;
        trace.slices.reserve(rows(220));
        trace.flows.reserve(rows(500));
        trace.ops.reserve(rows(600));
        trace.python.reserve(rows(400));
        trace.runtime.reserve(rows(1_000));
        trace.gpu.reserve(rows(2_000));
        trace.allocations.reserve(rows(2_000));
        sink
    }

    /// Notes something odd.
    #[cold]
    pub(super) fn note(&mut self, kind: WarningKind, offset: u64) {
        self.trace.diagnostics.note(kind, Some(offset));
    }

    /// Forgets the event before.
    #[inline(always)]
    pub(super) fn start_event(&mut self) {
        self.arguments.clear();
        self.doubts.clear();
    }

    /// Notes something odd about the event being read. It counts only once the event is read whole: an event that
    /// the chunk cuts is read again.
    #[cold]
    pub(super) fn doubt(&mut self, kind: WarningKind, offset: u64) {
        self.doubts.push((kind, offset));
    }

    /// What was odd so far.
    pub(super) fn diagnostics(&mut self) -> &mut Diagnostics {
        &mut self.trace.diagnostics
    }

    /// The text at a position, or the JSON of what stands there instead.
    #[inline(always)]
    pub(super) fn text(&mut self, cursor: &mut Cursor<'_>, value: usize) -> Result<StringId, Fault> {
        if cursor.chunk.at(value) != b'"' {
            return self.odd_text(cursor, value);
        }
        let (start, end) = cursor.text()?;
        let length = end - start;
        if length > TextCache::LONGEST {
            return Ok(self.body(cursor, start, end));
        }
        let ends = cursor.chunk.ends(start, end);
        if let Some(id) = self.recent.find(ends, length) {
            return Ok(id);
        }
        let id = self.body(cursor, start, end);
        // Texts with escapes or damage are not what their bytes are, and must be noted each time.
        let body = cursor.chunk.slice(start, end);
        if self.trace.strings.get(id).as_bytes() == body && !body.contains(&b'\\') {
            self.recent.keep(ends, length, id);
        }
        Ok(id)
    }

    fn body(&mut self, cursor: &Cursor<'_>, start: usize, end: usize) -> StringId {
        let body = cursor.chunk.slice(start, end);
        if cursor.may_have_escapes() && memchr::memchr(b'\\', body).is_some() {
            return self.escaped(body, start - 1);
        }
        self.raw(body, start - 1)
    }

    #[cold]
    fn odd_text(&mut self, cursor: &mut Cursor<'_>, value: usize) -> Result<StringId, Fault> {
        cursor.skip(value)?;
        let word = cursor.word(value);
        match cursor.chunk.at(value) {
            b'{' | b'[' => {
                self.doubt(WarningKind::BadValue, self.base + value as u64);
                Ok(StringId::NONE)
            }
            _ if word == b"null" => Ok(StringId::NONE),
            _ => Ok(self.raw(word, value)),
        }
    }

    #[cold]
    fn escaped(&mut self, body: &[u8], value: usize) -> StringId {
        let (body, sound) = text::unescape(body);
        if !sound {
            self.doubt(WarningKind::InvalidText, self.base + value as u64);
        }
        self.raw(&body, value)
    }

    /// Interns bytes as they are.
    #[inline(always)]
    pub(super) fn raw(&mut self, bytes: &[u8], value: usize) -> StringId {
        let (id, valid) = self.trace.strings.intern_bytes(bytes);
        if !valid {
            self.doubt(WarningKind::InvalidText, self.base + value as u64);
        }
        id
    }

    /// Makes rows of an event. The cursor still knows where its arguments are.
    #[inline(always)]
    pub(super) fn accept(&mut self, event: &Event, cursor: &mut Cursor<'_>) {
        self.trace.events += 1;
        if !self.doubts.is_empty() {
            self.confirm_doubts();
        }
        match event.phase {
            b'X' => self.complete(event, cursor),
            b's' | b't' | b'f' => self.flow(event),
            _ => self.accept_other(event, cursor),
        }
    }

    #[cold]
    fn confirm_doubts(&mut self) {
        for (kind, offset) in self.doubts.drain(..) {
            self.trace.diagnostics.note(kind, Some(offset));
        }
    }

    fn accept_other(&mut self, event: &Event, cursor: &mut Cursor<'_>) {
        match event.phase {
            b'M' => self.metadata(event),
            b'i' | b'I' | b'R' => self.instant(event),
            b'B' => {
                if let Some(time) = self.time(event) {
                    let slice = self.slice(event, time, 0, cursor);
                    let track = self.trace.slices.track[slice.index()];
                    self.pending.begin(track, time, slice, event.offset);
                }
            }
            b'E' => {
                if let Some(time) = self.time(event) {
                    let track = self.track(event);
                    self.pending.end(track, time, event.offset);
                }
            }
            // `S` and `F` are what `b` and `e` were called before 2014.
            b'b' | b'S' => self.async_begin(event),
            b'e' | b'F' => {
                if let Some(time) = self.time(event) {
                    self.pending.async_end((event.category, event.id, event.process), time, event.offset);
                }
            }
            b'n' | b'T' | b'p' => self.instant(event),
            b'C' => self.counter(event, cursor),
            // Marks of other recorders that carry no time of their own.
            b'c' | b'(' | b')' | b'=' => {}
            0 => {
                // An object without a phase is not an event.
                self.trace.events -= 1;
                self.note(WarningKind::Garbage, event.offset);
            }
            _ => self.note(WarningKind::UnknownPhase, event.offset),
        }
    }

    fn time(&mut self, event: &Event) -> Option<Ns> {
        // A time at the end of the range is one that did not fit.
        let time = event.time.filter(|time| time.unsigned_abs() < i64::MAX as u64);
        if time.is_none() {
            self.note(WarningKind::BadTimestamp, event.offset);
        }
        time.map(Ns)
    }

    #[inline(always)]
    fn track(&mut self, event: &Event) -> TrackId {
        // Our Perfetto export moves overlapping slices to lanes of their own and says where they came from.
        let thread = self.arguments.original_thread().unwrap_or(event.thread);
        self.trace.tracks.get_or_add(event.process, thread)
    }

    #[inline(always)]
    fn complete(&mut self, event: &Event, cursor: &mut Cursor<'_>) {
        let Some(time) = self.time(event) else { return };
        let duration = event.duration.unwrap_or_else(|| {
            self.note(WarningKind::MissingDuration, event.offset);
            0
        });
        self.slice(event, time, duration, cursor);
    }

    #[inline(always)]
    fn slice(&mut self, event: &Event, start: Ns, duration: i64, cursor: &mut Cursor<'_>) -> SliceId {
        let kind = self.kind(event);
        let track = self.track(event);
        let id = SliceId::from(self.trace.slices.len());
        self.trace.slices.push(Slice {
            start,
            duration: Ns(duration),
            name: event.name,
            category: event.category,
            track,
            kind,
            position: event.offset as i64,
        });
        details::push(self, id, kind, event.offset);
        if kind == SliceKind::CounterRange {
            self.range_counters(event, id, cursor);
        }
        id
    }

    #[inline(always)]
    fn kind(&mut self, event: &Event) -> SliceKind {
        let known = self.kinds.get(event.category.index()).copied().flatten();
        let kind = match known {
            Some(kind) => kind,
            None => self.learn_kind(event.category),
        };
        if Some(event.category) == self.mtia {
            let name = self.trace.strings.get(event.name);
            return category::kind_of_mtia(name);
        }
        match kind {
            SliceKind::Op if category::is_range(self.trace.strings.get(event.name)) => SliceKind::Annotation,
            SliceKind::Kernel if category::is_event(self.trace.strings.get(event.name)) => SliceKind::Sync,
            _ => kind,
        }
    }

    #[cold]
    fn learn_kind(&mut self, category: StringId) -> SliceKind {
        if category == StringId::NONE {
            return SliceKind::Other;
        }
        let text = self.trace.strings.get(category);
        let kind = category::kind_of(text);
        if text == "mtia_ccp_events" {
            self.mtia = Some(category);
        }
        if self.kinds.len() <= category.index() {
            self.kinds.resize(category.index() + 1, None);
        }
        self.kinds[category.index()] = Some(kind);
        kind
    }

    #[inline(always)]
    fn flow(&mut self, event: &Event) {
        let Some(time) = self.time(event) else { return };
        let track = self.track(event);
        self.trace.flows.push(Flow {
            time,
            track,
            id: event.id,
            category: event.category,
            name: event.name,
            phase: event.phase,
            enclosing: u8::from(event.enclosing),
        });
    }

    fn metadata(&mut self, event: &Event) {
        if self.arguments.original_thread().is_some() {
            // The name of an extra lane, which is not a track.
            return;
        }
        let (name, labels) = (self.arguments.text(Argument::Name), self.arguments.text(Argument::Labels));
        let sort_index = MaybeI64::from(self.arguments.number(Argument::SortIndex));
        let tracks = &mut self.trace.tracks;
        match self.trace.strings.get(event.name) {
            "process_name" | "process_labels" | "process_sort_index" => {
                tracks.describe_process(Process { process: event.process, name, labels, sort_index });
            }
            "thread_name" | "thread_sort_index" => {
                tracks.describe_thread(Track {
                    process: event.process,
                    thread: event.thread,
                    name,
                    sort_index,
                });
            }
            _ => {}
        }
    }

    fn instant(&mut self, event: &Event) {
        let Some(time) = self.time(event) else { return };
        let track = self.track(event);
        if self.memory.is_none() && self.trace.strings.get(event.name) == "[memory]" {
            self.memory = Some(event.name);
        }
        if self.memory == Some(event.name) && self.arguments.number(Argument::AllocatedBytes).is_some() {
            return self.allocation(event, time, track);
        }
        self.trace.instants.push(Instant {
            time,
            track,
            name: event.name,
            category: event.category,
            scope: event.scope,
            position: event.offset as i64,
        });
    }

    fn allocation(&mut self, event: &Event, time: Ns, track: TrackId) {
        let number = |argument| MaybeI64::from(self.arguments.number(argument));
        let (bytes, address) = (number(Argument::AllocatedBytes), number(Argument::Address));
        let (allocated, reserved) = (number(Argument::TotalAllocated), number(Argument::TotalReserved));
        let device = number(Argument::DeviceId);
        let device_type = self.small(Argument::DeviceType, event.offset);
        let event_index = self.small(Argument::EventIndex, event.offset);
        self.trace.allocations.push(Allocation {
            time,
            track,
            bytes,
            address,
            total_allocated: allocated,
            total_reserved: reserved,
            device_type,
            device,
            event_index,
            position: event.offset as i64,
        });
    }

    /// A number that must fit 32 bits.
    #[inline(always)]
    pub(super) fn small(&mut self, argument: Argument, offset: u64) -> MaybeU32 {
        match self.arguments.number(argument) {
            None => MaybeU32::NONE,
            Some(number) => match u32::try_from(number) {
                Ok(number) => MaybeU32::new(number),
                Err(_) => {
                    self.note(WarningKind::BadValue, offset);
                    MaybeU32::NONE
                }
            },
        }
    }

    fn async_begin(&mut self, event: &Event) {
        let Some(time) = self.time(event) else { return };
        let track = self.track(event);
        let key = (event.category, event.id, event.process);
        self.pending.async_begin(key, time, self.trace.asyncs.len(), event.offset);
        self.trace.asyncs.push(AsyncSlice {
            start: time,
            duration: Ns::ZERO,
            name: event.name,
            category: event.category,
            track,
            id: event.id,
            position: event.offset as i64,
        });
    }

    fn counter(&mut self, event: &Event, cursor: &mut Cursor<'_>) {
        let Some(time) = self.time(event) else { return };
        let Some(arguments) = event.arguments else { return };
        let track = self.track(event);
        let trace = &mut self.trace;
        let mut odd = false;
        // The event was walked before, so this walk cannot fail.
        let _ = each_argument(cursor, arguments, |name, value| {
            let value = number::float(value);
            odd |= value.is_none();
            let (series, valid) = trace.strings.intern_bytes(name);
            odd |= !valid;
            trace.counters.push(Counter { time, track, name: event.name, series, value: value.into() });
        });
        if odd {
            self.note(WarningKind::BadValue, event.offset);
        }
    }

    fn range_counters(&mut self, event: &Event, slice: SliceId, cursor: &mut Cursor<'_>) {
        let Some(arguments) = event.arguments else { return };
        let trace = &mut self.trace;
        let _ = each_argument(cursor, arguments, |name, value| {
            if name != Argument::LANE
                && let Some(value) = number::float(value)
            {
                let (metric, _) = trace.strings.intern_bytes(name);
                let value = MaybeF64::new(value);
                trace.range_counters.push(eaves_model::RangeCounter { slice, metric, value });
            }
        });
    }

    /// Appends a later part of the same file.
    pub(super) fn append(&mut self, other: Sink) {
        let asyncs = self.trace.asyncs.len();
        let Sink { trace, pending, .. } = other;
        let relocation = self.trace.append(trace);
        self.pending.append(pending, &relocation, asyncs);
    }
}
