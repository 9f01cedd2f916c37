//! Results of a report: launches with their metrics, remarks and ranges.

use eaves_model::{
    Diagnostics, Extent, MaybeF64, MaybeI64, MaybeU32, Remark, SliceId, StringId, WarningKind,
};

use super::facts::{Meaning, meaning};
use super::launches::{Identity, Launch, Launches};
use crate::protobuf::{Field, Fields, Value};

/// What results become.
#[derive(Default)]
pub(super) struct Results {
    pub(super) launches: Launches,
    /// Names of metrics, numbered through the file, with what they mean.
    names: Vec<(StringId, Meaning)>,
}

impl Results {
    pub(super) fn texts(&mut self, table: &[u8]) {
        for field in Fields::new(table).flatten() {
            if let (1, Value::Bytes(text)) = (field.number, field.value) {
                let text = String::from_utf8_lossy(text);
                self.names.push((self.launches.trace.strings.intern(&text), meaning(&text)));
            }
        }
    }

    pub(super) fn process(&mut self, process: &[u8]) {
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
    pub(super) fn result(&mut self, result: &[u8], offset: u64, diagnostics: &mut Diagnostics) {
        let mut names = [&b""[..]; 3];
        let (mut grid, mut block) = (Extent::default(), Extent::default());
        let (mut context, mut stream, mut device) = (MaybeU32::NONE, MaybeI64::NONE, MaybeU32::NONE);
        let mut ranges = Box::default();
        let mut fields = Fields::new(result);
        while let Some(field) = fields.next() {
            let Ok(Field { number, value }) = field else {
                // What stands before is kept.
                diagnostics.note(WarningKind::BadRecord, Some(offset + fields.position() as u64));
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
            diagnostics.note(WarningKind::InvalidText, Some(offset));
        }
        let id = self.launches.len() as i64;
        let position = i64::try_from(offset).unwrap_or(-1);
        let identity =
            self.launches.identity(Identity { name, device, context, stream, grid, block, ranges });
        let place = self.launches.add(Launch { id, position, identity, table: 0 });
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
                self.launches.metric_once(place, name, value);
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
    fn ranges(&mut self, state: &[u8]) -> Box<[StringId]> {
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
    let mut axes = [None; 3];
    for Field { number, value } in Fields::new(message).flatten() {
        let slot = (number as usize).checked_sub(1).and_then(|axis| axes.get_mut(axis));
        if let (Some(slot), Some(value)) = (slot, value.integer()) {
            *slot = u32::try_from(value).ok();
        }
    }
    Extent::of_axes(axes)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extent_fits_as_a_whole_or_is_unknown() {
        // Fields 1 to 3 as varints; 2^32 takes five bytes.
        assert_eq!(extent(&[0x08, 4, 0x10, 2, 0x18, 1]).get(), Some([4, 2, 1]));
        assert_eq!(extent(&[0x08, 4, 0x10, 0x80, 0x80, 0x80, 0x80, 0x10, 0x18, 1]).get(), None);
        assert_eq!(extent(&[0x08, 4, 0x18, 1]).get(), None);
    }
}
