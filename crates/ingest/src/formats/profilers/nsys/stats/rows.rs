//! Rows of single activities, calls and ranges.

use eaves_model::{
    DeviceProperties, GpuActivity, Ident, MaybeI64, MaybeU32, Ns, Process, RuntimeCall, Slice, SliceId,
    SliceKind, StringId, Trace, TrackId,
};

use super::super::super::Map;
use super::super::device::extent;
use super::super::places::device_title;
use super::header::{Header, Table};

/// The trace in the making, whose times are still those of the session.
#[derive(Default)]
pub(super) struct Rows {
    trace: Trace,
    /// What tracks know devices by.
    devices: Map<Option<i64>, Ident>,
}

impl Rows {
    pub(super) fn is_empty(&self) -> bool {
        self.trace.slices.is_empty()
    }

    /// Takes a row; false if it is none.
    pub(super) fn take(&mut self, header: &Header, fields: &[&str], offset: u64) -> bool {
        let taken = match header.table {
            Table::Activities => self.activity(header, fields, offset),
            Table::Calls => self.call(header, fields, offset),
            Table::Projections => self.projection(header, fields, offset),
            Table::Ranges | Table::Sums | Table::Sizes => self.range(header, fields, offset),
        };
        self.trace.events += taken.map_or(0, |slices| slices);
        taken.is_some()
    }

    fn slice(
        &mut self,
        (start, length): (i64, i64),
        name: &str,
        (category, kind): (&str, SliceKind),
        track: TrackId,
        offset: u64,
    ) -> SliceId {
        let strings = &mut self.trace.strings;
        self.trace.slices.push(Slice {
            start: Ns(start),
            duration: Ns(length),
            name: strings.intern(name),
            category: strings.intern(category),
            track,
            kind,
            position: offset.cast_signed(),
        });
        SliceId::from(self.trace.slices.len() - 1)
    }

    fn thread(&mut self, header: &Header, fields: &[&str]) -> Option<TrackId> {
        let (process, thread) = (header.number(fields, "PID")?, header.number(fields, "TID")?);
        Some(self.trace.tracks.get_or_add(Ident::number(process), Ident::number(thread)))
    }

    fn range(&mut self, header: &Header, fields: &[&str], offset: u64) -> Option<u64> {
        let span = (header.time(fields, "Start")?, header.time(fields, "Duration")?);
        let name = range_name(header.text(fields, "Name").unwrap_or_default());
        let track = self.thread(header, fields)?;
        self.slice(span, name, ("user_annotation", SliceKind::Annotation), track, offset);
        Some(1)
    }

    /// A range on the host, and the time from the first to the last of what was launched in it.
    fn projection(&mut self, header: &Header, fields: &[&str], offset: u64) -> Option<u64> {
        let host = (header.time(fields, "Orig Start")?, header.time(fields, "Orig Duration")?);
        let device = (header.time(fields, "Projected Start")?, header.time(fields, "Projected Duration")?);
        let name = range_name(header.text(fields, "Name").unwrap_or_default());
        let track = self.thread(header, fields)?;
        self.slice(host, name, ("user_annotation", SliceKind::Annotation), track, offset);
        let place = Ident::text(self.trace.strings.intern("NVTX on the GPU"));
        let track = self.trace.tracks.get_or_add(place, self.trace.tracks.threads.thread[track.index()]);
        self.slice(device, name, ("gpu_user_annotation", SliceKind::GpuAnnotation), track, offset);
        Some(2)
    }

    fn call(&mut self, header: &Header, fields: &[&str], offset: u64) -> Option<u64> {
        let span = (header.time(fields, "Start")?, header.time(fields, "Duration")?);
        let name = header.text(fields, "Name")?;
        let track = self.thread(header, fields)?;
        let slice = self.slice(span, name, ("cuda_runtime", SliceKind::Runtime), track, offset);
        self.trace.runtime.push(RuntimeCall {
            slice,
            correlation: MaybeI64::from(header.number(fields, "CorrID")),
            external_id: MaybeI64::NONE,
            function: MaybeU32::NONE,
        });
        Some(1)
    }

    fn activity(&mut self, header: &Header, fields: &[&str], offset: u64) -> Option<u64> {
        let span = (header.time(fields, "Start")?, header.time(fields, "Duration")?);
        let written = header.text(fields, "Name")?;
        let (kind, name) = activity_name(written, header, fields);
        let (device, place) = self.device(header.text(fields, "Device").unwrap_or_default());
        let stream = header.number(fields, "Strm");
        let track = self.stream(place, stream);
        let slice = self.slice(span, &name, kind, track, offset);
        let number = |name: &str| header.number(fields, name).and_then(|value| u32::try_from(value).ok());
        let extent = |names: [&str; 3]| extent(names.map(|name| header.number(fields, name)));
        let is_kernel = kind.1 == SliceKind::Kernel;
        let detail = if is_kernel { StringId::NONE } else { self.trace.slices.name[slice.index()] };
        self.trace.gpu.push(GpuActivity {
            slice,
            device: MaybeU32::from(device.and_then(|device| u32::try_from(device).ok())),
            context: MaybeU32::from(number("Ctx")),
            stream: MaybeI64::from(stream),
            correlation: MaybeI64::from(header.number(fields, "CorrId")),
            grid: extent(["GrdX", "GrdY", "GrdZ"]),
            block: extent(["BlkX", "BlkY", "BlkZ"]),
            registers: MaybeU32::from(number("Reg/Trd")),
            shared_memory: MaybeI64::from(shared_memory(header, fields)),
            bytes: MaybeI64::from(header.bytes(fields, "Bytes")),
            detail,
            ..GpuActivity::default()
        });
        Some(1)
    }

    /// The number of a device, if it is known, and what tracks know it by.
    fn device(&mut self, written: &str) -> (Option<i64>, Ident) {
        let (name, number) = match device_of(written) {
            Some((name, number)) => (Some(name), Some(number)),
            None => (None, None),
        };
        if let Some(&place) = self.devices.get(&number) {
            return (number, place);
        }
        let strings = &mut self.trace.strings;
        let labels = strings.intern(&device_title(number.unwrap_or(-1)));
        let place = Ident::text(labels);
        self.devices.insert(number, place);
        if let Some(name) = name {
            let (id, name) = (number, name.to_owned());
            self.trace.metadata.devices.push(DeviceProperties { id, name, ..DeviceProperties::default() });
        }
        let name = name.map_or(labels, |name| strings.intern(name));
        // Texts are ordered as they were met, devices are wanted by their numbers.
        let sort_index = MaybeI64::from(number.filter(|number| *number >= 0));
        self.trace.tracks.describe_process(Process { process: place, name, labels, sort_index });
        (number, place)
    }

    fn stream(&mut self, device: Ident, stream: Option<i64>) -> TrackId {
        let stream = stream.unwrap_or(-1);
        let track = self.trace.tracks.get_or_add(device, Ident::number(stream));
        let name = self.trace.strings.intern(&format!("stream {stream}"));
        self.trace.tracks.threads.name[track.index()] = name;
        track
    }

    /// The trace, whose times count from the first one.
    pub(super) fn finish(mut self) -> Trace {
        let first = self.trace.slices.start.iter().min().copied().unwrap_or(Ns::ZERO);
        for start in &mut self.trace.slices.start {
            *start -= first;
        }
        let metadata = &mut self.trace.metadata;
        metadata.tool = Some("nsys stats".to_owned());
        metadata.base_time_ns = Some(first.0);
        metadata.clock = Some("nanoseconds of Nsight Systems' session clock".to_owned());
        self.trace
    }
}

/// Name and number of a device that is written as `NVIDIA A100 (0)`.
fn device_of(written: &str) -> Option<(&str, i64)> {
    let (name, number) = written.strip_suffix(')')?.rsplit_once('(')?;
    Some((name.trim_end(), number.parse().ok()?))
}

/// The name of a range without the colon that stands for the domain without a name.
fn range_name(written: &str) -> &str {
    written.strip_prefix(':').unwrap_or(written)
}

/// Shared memory of a block. Megabytes with three digits say little about it: nought may be any size below half a
/// kilobyte, and is not known.
fn shared_memory(header: &Header, fields: &[&str]) -> Option<i64> {
    let parts = ["StcSMem", "DymSMem"];
    let is_coarse = |name: &str| {
        let unit = header.place(name).and_then(|place| header.columns.get(place)).and_then(|(_, unit)| *unit);
        unit.is_some_and(|unit| unit.is_coarse())
    };
    let known: Vec<i64> = parts.iter().filter_map(|name| header.bytes(fields, name)).collect();
    let sum = known.iter().copied().reduce(i64::saturating_add)?;
    (sum > 0 || !parts.iter().any(|name| is_coarse(name))).then_some(sum)
}

/// What an activity is, and its name in the words of other traces.
fn activity_name(written: &str, header: &Header, fields: &[&str]) -> ((&'static str, SliceKind), String) {
    // Versions before 2024 write the short form.
    const DIRECTIONS: [(&str, &str); 5] = [
        ("Host-to-Device", "HtoD"),
        ("Device-to-Host", "DtoH"),
        ("Device-to-Device", "DtoD"),
        ("Host-to-Host", "HtoH"),
        ("Peer-to-Peer", "PtoP"),
    ];
    let memory = [header.text(fields, "SrcMemKd"), header.text(fields, "DstMemKd")];
    let inner = written.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or("");
    let copied = |prefix: &str, direction: &str| {
        let known = DIRECTIONS.iter().find(|(long, short)| direction == *long || direction == *short);
        let name = match known.map_or(direction, |(_, short)| short) {
            "" => prefix.to_owned(),
            direction => format!("{prefix} {direction}"),
        };
        match memory {
            [Some(from), Some(to)] => format!("{name} ({from} -> {to})"),
            _ => name,
        }
    };
    if let Some(direction) = inner.strip_prefix("CUDA memcpy") {
        return (("gpu_memcpy", SliceKind::Memcpy), copied("Memcpy", direction.trim()));
    }
    if let Some(direction) = inner.strip_prefix("CUDA Unified Memory memcpy") {
        return (("gpu_memcpy", SliceKind::Memcpy), copied("Unified Memory Memcpy", direction.trim()));
    }
    if inner.starts_with("CUDA memset") {
        let kind = memory.into_iter().flatten().next();
        let name = kind.map_or_else(|| "Memset".to_owned(), |kind| format!("Memset ({kind})"));
        return (("gpu_memset", SliceKind::Memset), name);
    }
    (("kernel", SliceKind::Kernel), written.to_owned())
}
