//! What becomes of the dictionaries and lists of a snapshot while they are read.

use eaves_model::{
    Diagnostics, MaybeU32, MemoryBlock, MemoryFrame, MemorySegment, Ns, Snapshot, StringId, Strings,
    WarningKind,
};

use super::annotations::Mark;
use super::fields::{self, Fields, Key};
use super::lists::{EMPTY, Lists, kind};
use super::stacks::Stacks;
use crate::pickle::{Build, Value};

/// Settings that are kept. The allocator has a few dozen.
const MOST_SETTINGS: usize = 4096;

/// Pools that are distinguished.
const MOST_POOLS: usize = 4096;

/// Runs that all lists together may have for every byte of the input: a row takes several.
const BYTES_OF_RUN: u64 = 8;

/// Bytes of an event in usual snapshots.
const USUAL_EVENT: u64 = 160;

/// The lists of the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Root {
    pub(super) segments: Option<u32>,
    pub(super) traces: Option<u32>,
    pub(super) host_segments: Option<u32>,
    pub(super) host_traces: Option<u32>,
    pub(super) settings: Option<u32>,
}

/// A setting: its dictionary, its name, its value.
pub(super) type Setting = (u32, StringId, Value);

/// Makes rows. The columns `device_type` and `device` of events are filled at the end, when it is known whose they are.
pub(super) struct Builder {
    pub(super) snapshot: Snapshot,
    pub(super) strings: Strings,
    pub(super) diagnostics: Diagnostics,
    pub(super) stacks: Stacks,
    pub(super) lists: Lists,
    pub(super) marks: Vec<Mark>,
    pub(super) settings: Vec<Setting>,
    /// Number of dictionaries of settings.
    dictionaries: u32,
    pools: Vec<(Value, Value)>,
    pub(super) root: Option<Root>,
    /// Runs of all lists.
    runs: u64,
    /// Events with a time.
    pub(super) timed: u64,
}

impl Builder {
    pub(super) fn new(expected: u64) -> Self {
        let mut strings = Strings::default();
        fields::intern(&mut strings);
        let mut snapshot = Snapshot::default();
        // What is not used is never taken from the system, and growing would copy.
        let rows = usize::try_from(expected / USUAL_EVENT).unwrap_or(0);
        snapshot.events.time.reserve(rows);
        snapshot.events.address.reserve(rows);
        snapshot.events.bytes.reserve(rows);
        snapshot.events.stack.reserve(rows);
        Self {
            snapshot,
            strings,
            diagnostics: Diagnostics::default(),
            stacks: Stacks::default(),
            lists: Lists::default(),
            marks: Vec::new(),
            settings: Vec::new(),
            dictionaries: 0,
            pools: Vec::new(),
            root: None,
            runs: 0,
            timed: 0,
        }
    }

    fn stack_of(&self, fields: &Fields) -> MaybeU32 {
        match fields.get(Key::frames) {
            Some(Value::Built(kind::STACK, row, _)) => MaybeU32::new(row),
            _ => MaybeU32::NONE,
        }
    }

    fn frame(&mut self, fields: &Fields) -> Value {
        let frame = MemoryFrame {
            name: fields.text(Key::name),
            file: fields.text(Key::filename),
            line: fields.integer(Key::line, &mut self.diagnostics).unwrap_or(0),
        };
        Value::built(kind::FRAME, self.stacks.frame(frame, &mut self.snapshot))
    }

    fn event(&mut self, fields: &Fields) -> Value {
        let diagnostics = &mut self.diagnostics;
        let size = fields.size(Key::size, diagnostics);
        let address = match fields.address(Key::device_free, diagnostics) {
            Some(free) => Some(free),
            None => fields.address(Key::addr, diagnostics),
        };
        let stack = self.stack_of(fields);
        let diagnostics = &mut self.diagnostics;
        let (Some(action), Some(bytes)) = (fields.text(Key::action).some(), size) else {
            diagnostics.note(WarningKind::BadRecord, Some(fields.offset));
            return Value::Opaque;
        };
        // The recorder writes microseconds.
        let time = fields.integer(Key::time_us, diagnostics).and_then(|time| {
            let time = time.checked_mul(1000).filter(|&time| time >= 0);
            if time.is_none() {
                diagnostics.note(WarningKind::BadTimestamp, Some(fields.offset));
            }
            time
        });
        let events = &mut self.snapshot.events;
        let row = events.time.len() as u32;
        self.timed += u64::from(time.is_some());
        let before = events.time.last().copied().unwrap_or(Ns::ZERO);
        events.time.push(time.map_or(before, Ns));
        events.action.push(action);
        events.stream.push(fields.number(Key::stream, &mut self.diagnostics));
        events.address.push(address.unwrap_or(0));
        events.bytes.push(bytes);
        events.stack.push(stack);
        events.category.push(fields.text(Key::category));
        Value::built(kind::EVENT, row)
    }

    fn block(&mut self, fields: &Fields) -> Value {
        let stack = self.stack_of(fields);
        let diagnostics = &mut self.diagnostics;
        let Some(bytes) = fields.size(Key::size, diagnostics) else {
            diagnostics.note(WarningKind::BadRecord, Some(fields.offset));
            return Value::Opaque;
        };
        let row = self.snapshot.blocks.len() as u32;
        self.snapshot.blocks.push(MemoryBlock {
            segment: u32::MAX,
            // Where it is missing, blocks stand one behind the other.
            address: fields.address(Key::address, diagnostics).unwrap_or(i64::MIN),
            bytes,
            requested: fields.size(Key::requested_size, diagnostics).into(),
            state: fields.text(Key::state),
            stack,
        });
        Value::built(kind::BLOCK, row)
    }

    fn segment(&mut self, fields: &Fields) -> Value {
        let stack = self.stack_of(fields);
        let diagnostics = &mut self.diagnostics;
        let Some(bytes) = fields.size(Key::total_size, diagnostics) else {
            diagnostics.note(WarningKind::BadRecord, Some(fields.offset));
            return Value::Opaque;
        };
        let address = fields.address(Key::address, diagnostics).unwrap_or(0);
        let row = self.snapshot.segments.len() as u32;
        let pool = match fields.get(Key::segment_pool_id) {
            Some(Value::Built(kind::POOL, number, _)) => number,
            _ => 0,
        };
        self.snapshot.segments.push(MemorySegment {
            device_type: 1,
            device: fields.integer(Key::device, diagnostics).unwrap_or(0),
            address,
            bytes,
            stream: fields.number(Key::stream, diagnostics),
            kind: fields.text(Key::segment_type),
            pool,
            expandable: u8::from(fields.get(Key::is_expandable) == Some(Value::Bool(true))),
            stack,
        });
        if let Some(Value::Built(kind::LIST, list, _)) = fields.get(Key::blocks) {
            let blocks = &mut self.snapshot.blocks;
            let mut next = address;
            for block in self.lists.rows(list, kind::BLOCK) {
                let block = block as usize;
                // A block that several segments name belongs to the first.
                if blocks.segment[block] != u32::MAX {
                    self.diagnostics.note(WarningKind::BadRecord, Some(fields.offset));
                    continue;
                }
                blocks.segment[block] = row;
                if blocks.address[block] == i64::MIN {
                    blocks.address[block] = next;
                }
                next = blocks.address[block].wrapping_add(blocks.bytes[block]);
            }
        }
        Value::built(kind::SEGMENT, row)
    }

    fn annotation(&mut self, fields: &Fields) -> Value {
        let is_start = match self.strings.get(fields.text(Key::stage)) {
            "START" => true,
            "END" => false,
            _ => {
                self.diagnostics.note(WarningKind::BadRecord, Some(fields.offset));
                return Value::Opaque;
            }
        };
        let time =
            fields.integer(Key::time_us, &mut self.diagnostics).and_then(|time| time.checked_mul(1000));
        let Some(time) = time.filter(|&time| time >= 0) else {
            self.diagnostics.note(WarningKind::BadTimestamp, Some(fields.offset));
            return Value::Opaque;
        };
        self.marks.push(Mark {
            is_start,
            name: fields.text(Key::name),
            time: Ns(time),
            offset: fields.offset,
        });
        Value::Opaque
    }

    fn settings(&mut self, dict: Value, pairs: &[Value]) -> Value {
        let number = match dict {
            Value::Built(kind::SETTINGS, number, _) => number,
            _ => {
                self.dictionaries = self.dictionaries.saturating_add(1);
                self.dictionaries
            }
        };
        for pair in pairs.chunks_exact(2) {
            if let [Value::Text(name), value] = *pair
                && self.settings.len() < MOST_SETTINGS
            {
                self.settings.push((number, StringId(name), value));
            }
        }
        Value::built(kind::SETTINGS, number)
    }

    fn root(&mut self, dict: Value, fields: &Fields) -> Value {
        let list = |key| match fields.get(key) {
            Some(Value::Built(kind::LIST | kind::SETTINGS, number, _)) => Some(number),
            _ => None,
        };
        let found = Root {
            segments: list(Key::segments),
            traces: list(Key::device_traces),
            host_segments: list(Key::host_segments),
            host_traces: list(Key::host_traces),
            settings: list(Key::allocator_settings),
        };
        // Of several snapshots in one pickle the first counts.
        if self.root.is_none() || matches!(dict, Value::Built(kind::ROOT, ..)) {
            let known = self.root.unwrap_or_default();
            self.root = Some(Root {
                segments: known.segments.or(found.segments),
                traces: known.traces.or(found.traces),
                host_segments: known.host_segments.or(found.host_segments),
                host_traces: known.host_traces.or(found.host_traces),
                settings: known.settings.or(found.settings),
            });
        }
        Value::built(kind::ROOT, 0)
    }

    /// The list that a value is, or a new one.
    fn list_of(&mut self, list: Value) -> u32 {
        match list {
            Value::Built(kind::LIST, number, _) => number,
            _ => self.lists.create(),
        }
    }

    /// A stack that has more frames than were known, which come behind: they are further out.
    fn extended(&mut self, stack: Option<u32>, items: &[Value]) -> Value {
        let is_frame = |item: &Value| match *item {
            Value::Built(kind::FRAME, row, _) => Some(row),
            _ => None,
        };
        let outer = items.iter().rev().filter_map(is_frame);
        let row = match stack {
            None => self.stacks.stack(outer, &mut self.snapshot),
            Some(stack) => {
                let inner: Vec<u32> =
                    self.snapshot.frames_of(MaybeU32::new(stack)).map(|frame| frame as u32).collect();
                let frames: Vec<u32> = outer.chain(inner.into_iter().rev()).collect();
                self.stacks.stack(frames.into_iter(), &mut self.snapshot)
            }
        };
        row.get().map_or(Value::Opaque, |row| Value::built(kind::STACK, row))
    }
}

impl Build for Builder {
    fn text(&mut self, text: &[u8], offset: u64) -> u32 {
        let (id, is_valid) = self.strings.intern_bytes(text);
        if !is_valid {
            self.diagnostics.note(WarningKind::InvalidText, Some(offset));
        }
        id.0
    }

    fn extend(&mut self, list: Value, items: &[Value], offset: u64) -> Value {
        let is_frame = matches!(items.first(), Some(Value::Built(kind::FRAME, ..)));
        match list {
            Value::EmptyList(_) if is_frame => return self.extended(None, items),
            Value::Built(kind::STACK, row, _) => return self.extended(Some(row), items),
            Value::EmptyList(_) | Value::Built(kind::LIST, ..) => {}
            _ => return list,
        }
        let mut made = None;
        for item in items {
            let (kind, row) = match *item {
                Value::Built(kind @ (kind::EVENT | kind::BLOCK | kind::SEGMENT | kind::LIST), row, _) => {
                    (kind, row)
                }
                Value::EmptyList(_) => (kind::LIST, EMPTY),
                _ => continue,
            };
            if self.runs > offset / BYTES_OF_RUN + u64::from(u16::MAX) {
                self.diagnostics.note(WarningKind::LeftOut, Some(offset));
                continue;
            }
            let number = match made {
                Some(number) => number,
                None => self.list_of(list),
            };
            made = Some(number);
            // Rows in a row are one run; counting each is only ever too careful with those that are none.
            self.runs += u64::from(kind == kind::LIST);
            self.lists.add(number, kind, row);
        }
        made.map_or(list, |number| Value::built(kind::LIST, number))
    }

    fn insert(&mut self, dict: Value, pairs: &[Value], offset: u64) -> Value {
        if !matches!(dict, Value::EmptyDict(_) | Value::Built(kind::SETTINGS | kind::ROOT, ..)) {
            // Records are written in one go.
            self.diagnostics.note(WarningKind::BadRecord, Some(offset));
            return dict;
        }
        let fields = Fields::of(pairs, offset);
        let is_root = matches!(dict, Value::Built(kind::ROOT, ..));
        if is_root || fields.has(Key::segments) || fields.has(Key::device_traces) {
            self.root(dict, &fields)
        } else if fields.has(Key::action) {
            self.event(&fields)
        } else if fields.has(Key::total_size) && fields.has(Key::blocks) {
            self.segment(&fields)
        } else if fields.has(Key::state) && fields.has(Key::size) {
            self.block(&fields)
        } else if fields.has(Key::filename) && fields.has(Key::name) {
            self.frame(&fields)
        } else if fields.has(Key::stage) && fields.has(Key::name) {
            self.annotation(&fields)
        } else {
            self.settings(dict, pairs)
        }
    }

    fn pair(&mut self, first: Value, second: Value) -> Value {
        if (first, second) == (Value::Int(0), Value::Int(0)) {
            return Value::built(kind::POOL, 0);
        }
        let numbers = |value: Value| matches!(value, Value::Int(_) | Value::Unsigned(_));
        if !numbers(first) || !numbers(second) {
            return Value::Opaque;
        }
        let at = match self.pools.iter().position(|&pool| pool == (first, second)) {
            Some(at) => at,
            None if self.pools.len() >= MOST_POOLS => return Value::Opaque,
            None => {
                self.pools.push((first, second));
                self.pools.len() - 1
            }
        };
        Value::built(kind::POOL, at as u32 + 1)
    }

    fn is_of_use(&self, pairs: &[Value]) -> bool {
        let wanted = [Key::segments as u32, Key::device_traces as u32];
        pairs.chunks_exact(2).any(|pair| matches!(pair[0], Value::Text(key) if wanted.contains(&key)))
    }
}

/// A value for people.
pub(super) fn shown(value: Value, strings: &Strings) -> Option<String> {
    Some(match value {
        Value::None => "None".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Unsigned(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Text(number) => strings.get(StringId(number)).to_owned(),
        _ => return None,
    })
}
