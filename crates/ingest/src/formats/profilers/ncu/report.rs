//! The report that `ncu -o` writes: `.ncu-rep`, or `.ncu-repz` in zstd.
//!
//! `NVR\0` and a header with the version, then blocks: a header in protocol buffers, with texts that are numbered through
//! the whole file, and messages for code, results and ranges, each behind its size. NVIDIA documents this in the Nsight
//! Compute customization guide ("Report File Format") and ships the schema with the tool; fields that are not named here
//! are stepped over. Values are in base units. The environment of the process, which is in it too, is not looked at.

use std::io::{Read, sink};

use eaves_model::{Diagnostics, Extent, MaybeF64, MaybeI64, MaybeU32, Oddity, Remark, SliceId, StringId};

use super::super::{Document, Input, Refused, whole};
use super::launches::{Launch, Launches, Meaning, meaning};
use crate::protobuf::{Field, Fields, Value};

/// Name of the format.
pub(super) const FORMAT: &str = "ncu-rep";

const MAGIC: &[u8; 4] = b"NVR\0";

/// The version that is known: that of the guide, and of every report since 2022 that was looked at.
const VERSION: u64 = 7;

/// The largest message that is taken into memory. Results have some hundred kilobytes.
const LARGEST: u32 = 256 << 20;

/// True for the beginning of a report.
pub(super) fn is_it(first: &[u8]) -> bool {
    first.starts_with(MAGIC)
}

/// Reads a report.
pub(super) fn read(input: Input<'_>) -> Result<Document, Refused> {
    let path = input.path.to_owned();
    let refuse = |offset, what: String| Refused {
        offset,
        what,
        hint: format!(
            "export it with the `ncu` that wrote it, and read what that gives: \
             `LC_ALL=C ncu -i {path} --csv --page raw --print-units base > launches.csv`"
        ),
    };
    let mut report = Report { reader: input.rest, position: 0, diagnostics: Diagnostics::default() };
    let mut magic = [0; 4];
    report.read_into(&mut magic);
    let header = report.sized().unwrap_or_default();
    match version(&header) {
        Some(VERSION) => {}
        Some(other) => {
            let what =
                format!("a report of Nsight Compute in version {other} of the format; known is {VERSION}");
            return Err(refuse(4, what));
        }
        None => {
            return Err(refuse(4, "a report of Nsight Compute that ends before its first block".to_owned()));
        }
    }
    let mut results = Results::default();
    while report.block(&mut results) {}
    let bytes = report.position;
    let Results { mut launches, .. } = results;
    launches.trace.diagnostics.absorb(report.diagnostics);
    launches.trace.events = launches.len() as u64;
    let what = "a report of Nsight Compute without the result of a launch".to_owned();
    let trace = launches.finish("Nsight Compute").ok_or_else(|| refuse(bytes, what))?;
    Ok(whole(trace, bytes, FORMAT))
}

fn version(header: &[u8]) -> Option<u64> {
    Fields::new(header).flatten().find(|field| field.number == 1)?.value.integer()
}

/// A report under way.
struct Report<'a> {
    reader: Box<dyn Read + Send + 'a>,
    position: u64,
    diagnostics: Diagnostics,
}

/// What a block says of itself.
#[derive(Default)]
struct Block {
    sources: u64,
    results: u64,
    ranges: u64,
    payload: u64,
}

impl Report<'_> {
    /// Fills a buffer; the answer is how much of it there was.
    fn read_into(&mut self, buffer: &mut [u8]) -> usize {
        let mut filled = Vec::new();
        let read = self.reader.by_ref().take(buffer.len() as u64).read_to_end(&mut filled);
        if let Err(error) = read {
            self.diagnostics.note_detail(Oddity::DamagedContainer, Some(self.position), error.to_string());
        }
        for (to, from) in buffer.iter_mut().zip(&filled) {
            *to = *from;
        }
        self.position += filled.len() as u64;
        filled.len()
    }

    /// The size that stands here; nothing at the end.
    fn size(&mut self) -> Option<u32> {
        let mut size = [0; 4];
        let start = self.position;
        match self.read_into(&mut size) {
            4 => Some(u32::from_le_bytes(size)),
            0 => None,
            _ => {
                self.diagnostics.note(Oddity::Truncated, Some(start));
                None
            }
        }
    }

    /// So many bytes; nothing, and a note, if there are fewer.
    fn take(&mut self, size: u32) -> Option<Vec<u8>> {
        let start = self.position;
        let mut bytes = Vec::new();
        // What is there decides how much is taken, not what the size claims.
        let read = self.reader.by_ref().take(u64::from(size)).read_to_end(&mut bytes);
        self.position += bytes.len() as u64;
        if let Err(error) = read {
            self.diagnostics.note_detail(Oddity::DamagedContainer, Some(self.position), error.to_string());
            return None;
        }
        if bytes.len() < size as usize {
            self.diagnostics.note(Oddity::Truncated, Some(start));
            return None;
        }
        Some(bytes)
    }

    /// A message behind its size.
    fn sized(&mut self) -> Option<Vec<u8>> {
        let start = self.position;
        match self.size()? {
            size if size > LARGEST => {
                self.diagnostics.note(Oddity::BadRecord, Some(start));
                None
            }
            size => self.take(size),
        }
    }

    /// Steps over bytes; false if they are not all there.
    fn skip(&mut self, bytes: u64) -> bool {
        let start = self.position;
        let copied = std::io::copy(&mut self.reader.by_ref().take(bytes), &mut sink());
        let copied = copied.unwrap_or(0);
        self.position += copied;
        if copied < bytes {
            self.diagnostics.note(Oddity::Truncated, Some(start));
        }
        copied == bytes
    }

    /// Reads a block; false at the end.
    fn block(&mut self, results: &mut Results) -> bool {
        let Some(header) = self.sized() else { return false };
        let block = self.block_header(&header, results);
        let end = self.position.saturating_add(block.payload);
        for _ in 0..block.sources {
            if self.position >= end {
                break;
            }
            let Some(size) = self.size() else { return false };
            if !self.skip(u64::from(size)) {
                return false;
            }
        }
        for _ in 0..block.results {
            let start = self.position;
            if start >= end {
                self.diagnostics.note(Oddity::BadRecord, Some(start));
                break;
            }
            let Some(result) = self.sized() else { return false };
            results.result(&result, start + 4, &mut self.diagnostics);
        }
        if block.ranges > 0 {
            let detail = "results of ranges, which are not read";
            self.diagnostics.note_detail(Oddity::BadRecord, Some(self.position), detail);
        }
        match end.checked_sub(self.position) {
            Some(rest) => self.skip(rest),
            None => {
                // The payload is longer than it says; where the next block begins is not known.
                self.diagnostics.note(Oddity::Garbage, Some(self.position));
                false
            }
        }
    }

    fn block_header(&mut self, header: &[u8], results: &mut Results) -> Block {
        let start = self.position.saturating_sub(header.len() as u64);
        let mut block = Block::default();
        for field in Fields::new(header) {
            let Ok(Field { number, value }) = field else {
                self.diagnostics.note(Oddity::BadHeader, Some(start));
                break;
            };
            match (number, value) {
                (1, Value::Varint(count)) => block.sources = count,
                (2, Value::Varint(count)) => block.results = count,
                (4, Value::Bytes(table)) => results.texts(table),
                (5, Value::Varint(size)) => block.payload = size,
                (6, Value::Bytes(process)) => results.process(process),
                (7, Value::Varint(count)) => block.ranges = count,
                _ => {}
            }
        }
        block
    }
}

/// What results become.
#[derive(Default)]
struct Results {
    launches: Launches,
    /// Names of metrics, numbered through the file, with what they mean.
    names: Vec<(StringId, Meaning)>,
}

impl Results {
    fn texts(&mut self, table: &[u8]) {
        for field in Fields::new(table).flatten() {
            if let (1, Value::Bytes(text)) = (field.number, field.value) {
                let text = String::from_utf8_lossy(text);
                self.names.push((self.launches.trace.strings.intern(&text), meaning(&text)));
            }
        }
    }

    fn process(&mut self, process: &[u8]) {
        let host = Fields::new(process)
            .flatten()
            .find(|field| field.number == 2)
            .and_then(|host| host.value.bytes());
        // The address of the machine itself says nothing about it.
        if let Some(host) = host.filter(|host| !matches!(*host, b"" | b"127.0.0.1" | b"localhost")) {
            self.launches.trace.metadata.host_name = Some(String::from_utf8_lossy(host).into_owned());
        }
    }

    /// Takes in the result of a launch.
    fn result(&mut self, result: &[u8], offset: u64, diagnostics: &mut Diagnostics) {
        let mut names = [&b""[..]; 3];
        let (mut grid, mut block) = (Extent::default(), Extent::default());
        let (mut context, mut stream, mut device) = (MaybeU32::NONE, MaybeI64::NONE, MaybeU32::NONE);
        let mut ranges = Vec::new();
        let mut fields = Fields::new(result);
        while let Some(field) = fields.next() {
            let Ok(Field { number, value }) = field else {
                // What stands before is kept.
                diagnostics.note(Oddity::BadRecord, Some(offset + fields.position() as u64));
                break;
            };
            match (number, value) {
                (5..=7, Value::Bytes(name)) => {
                    if let Some(place) = names.get_mut((number - 5) as usize) {
                        *place = name;
                    }
                }
                (10, Value::Bytes(message)) => grid = extent(message),
                (11, Value::Bytes(message)) => block = extent(message),
                (13, Value::Bytes(metric)) => {
                    let Some(Metric { name, value: Some(value) }) = self.metric(metric) else { continue };
                    let name = self.launches.trace.strings.get(name.0);
                    if let ("device__attribute_device_index" | "launch__device_id", Some(number)) =
                        (name, value.number())
                    {
                        device = MaybeU32::from((number >= 0.0).then_some(number as u32));
                    }
                }
                (21, Value::Bytes(state)) => ranges = self.ranges(state),
                (22, Value::Varint(number)) => context = u32::try_from(number).ok().into(),
                (23, Value::Varint(number)) => stream = i64::try_from(number).ok().into(),
                _ => {}
            }
        }
        let [mangled, function, demangled] = names;
        // As the tables of `ncu` show it.
        let name =
            [demangled, function, mangled].into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        let (name, is_text) = self.launches.trace.strings.intern_bytes(name);
        if !is_text {
            diagnostics.note(Oddity::InvalidText, Some(offset));
        }
        let id = self.launches.len() as i64;
        let position = i64::try_from(offset).unwrap_or(-1);
        let place =
            self.launches.add(Launch { id, name, device, context, stream, grid, block, position, ranges });
        for field in Fields::new(result).flatten() {
            match (field.number, field.value) {
                (13, Value::Bytes(metric)) => self.take_metric(place, device, metric),
                (19, Value::Bytes(rule)) => self.rule(place, rule),
                _ => {}
            }
        }
    }

    fn take_metric(&mut self, place: usize, device: MaybeU32, metric: &[u8]) {
        let Some(Metric { name: (name, meaning), value: Some(value) }) = self.metric(metric) else { return };
        match (meaning, value) {
            (Meaning::Device, MetricValue::Text(text)) => {
                let name = self.launches.trace.strings.get(name).to_owned();
                self.launches.device_text(device, &name, &String::from_utf8_lossy(text));
            }
            (Meaning::Device, MetricValue::Number(value)) => {
                let name = self.launches.trace.strings.get(name).to_owned();
                self.launches.device_number(device, &name, value);
            }
            (_, MetricValue::Number(value)) if value.is_finite() => {
                self.launches.metric_once(place, name, meaning, value);
            }
            _ => {}
        }
    }

    /// A metric: its name by number, of which 0 need not be said, and its value, if it has one.
    fn metric<'a>(&self, message: &'a [u8]) -> Option<Metric<'a>> {
        let (mut name, mut value) = (0, None);
        for field in Fields::new(message).flatten() {
            match (field.number, field.value) {
                (1, Value::Varint(number)) => name = usize::try_from(number).ok()?,
                (2, Value::Bytes(message)) => value = metric_value(message),
                _ => {}
            }
        }
        Some(Metric { name: *self.names.get(name)?, value })
    }

    /// A rule, with what it found: a body of items, of which messages have a text and a type.
    fn rule(&mut self, place: usize, rule: &[u8]) {
        let strings = &mut self.launches.trace.strings;
        let (mut identifier, mut body) = (&b""[..], &b""[..]);
        for field in Fields::new(rule).flatten() {
            match (field.number, field.value) {
                (1, Value::Bytes(text)) => identifier = text,
                (3, Value::Bytes(message)) => body = message,
                _ => {}
            }
        }
        for message in nested(body).flat_map(nested) {
            let (mut text, mut kind) = (None, 0);
            for field in Fields::new(message).flatten() {
                match (field.number, field.value) {
                    (1, Value::Bytes(its)) => text = Some(its),
                    (2, Value::Varint(its)) => kind = its,
                    _ => {}
                }
            }
            let Some(text) = text else { continue };
            // As the tables of `ncu` show the types of the rule interface: OK, warning, error, optimization.
            let kind = match kind {
                1 => "INF",
                2 => "WRN",
                3 => "ERR",
                4 => "OPT",
                _ => "",
            };
            let remark = Remark {
                slice: SliceId::from(place),
                rule: strings.intern_bytes(identifier).0,
                kind: if kind.is_empty() { StringId::NONE } else { strings.intern(kind) },
                text: strings.intern_bytes(text).0,
                speedup_pct: MaybeF64::NONE,
                speedup_of: StringId::NONE,
            };
            self.launches.trace.remarks.push(remark);
        }
    }

    /// Names of the ranges that the thread was in, outermost first: threads, their domains, and the ranges pushed there.
    fn ranges(&mut self, state: &[u8]) -> Vec<StringId> {
        let threads = Fields::new(state).flatten().filter(|field| field.number == 2);
        let domains =
            threads.filter_map(|thread| thread.value.bytes()).flat_map(|thread| numbered(thread, 2));
        let ranges = domains.flat_map(|domain| numbered(domain, 3));
        let names = ranges.flat_map(|range| numbered(range, 1).take(1));
        // No program nests deeper than a few dozens.
        names.take(256).map(|name| self.launches.trace.strings.intern_bytes(name).0).collect()
    }
}

struct Metric<'a> {
    name: (StringId, Meaning),
    value: Option<MetricValue<'a>>,
}

#[derive(Clone, Copy)]
enum MetricValue<'a> {
    Number(f64),
    Text(&'a [u8]),
}

impl MetricValue<'_> {
    fn number(self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(value),
            Self::Text(_) => None,
        }
    }
}

fn metric_value(message: &[u8]) -> Option<MetricValue<'_>> {
    let Field { number, value } = Fields::new(message).flatten().next()?;
    match (number, value) {
        (1, Value::Bytes(text)) => Some(MetricValue::Text(text)),
        (2 | 3, value) => value.float().map(MetricValue::Number),
        (4 | 5, Value::Varint(count)) => Some(MetricValue::Number(count as f64)),
        _ => None,
    }
}

fn extent(message: &[u8]) -> Extent {
    let mut extents = [0; 3];
    for Field { number, value } in Fields::new(message).flatten() {
        let slot = (number as usize).checked_sub(1).and_then(|axis| extents.get_mut(axis));
        if let (Some(slot), Some(value)) = (slot, value.integer()) {
            *slot = u32::try_from(value).unwrap_or(0);
        }
    }
    Extent(extents)
}

/// The bytes of the fields with a number.
fn numbered(message: &[u8], number: u32) -> impl Iterator<Item = &[u8]> {
    let fields = Fields::new(message).flatten().filter(move |field| field.number == number);
    fields.filter_map(|field| field.value.bytes())
}

/// Messages that are the first field of a message.
fn nested(message: &[u8]) -> impl Iterator<Item = &[u8]> {
    numbered(message, 1)
}
