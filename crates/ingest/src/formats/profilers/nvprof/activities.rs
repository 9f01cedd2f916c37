//! Rows of a trace: kernels, copies and memsets of the device, calls of the host.

use eaves_model::{
    DeviceProperties, Extent, GpuActivity, Ident, MaybeI64, MaybeU32, Ns, Process, RuntimeCall, Slice,
    SliceId, SliceKind, StringId, Trace, Track, WarningKind,
};

use super::super::Map;
use super::super::shared::cells::{self, Cells};
use super::table::Table;
use super::value::{bytes, nanoseconds};

/// Activities so far.
#[derive(Default)]
pub(super) struct Activities {
    pub(super) trace: Trace,
    /// The process that is profiled, once a message named it.
    pub(super) process: Option<i64>,
    devices: Vec<DeviceProperties>,
    /// What tracks know devices by.
    places: Map<Option<u32>, Ident>,
}

impl Activities {
    /// Takes in a row.
    pub(super) fn row(&mut self, table: &Table, line: &[u8], cells: &Cells, offset: Option<u64>) {
        let cell = |name| table.cell(line, cells, name);
        let time = |name| {
            let (cell, unit) = cell(name);
            nanoseconds(cell, unit)
        };
        let Some(start) = time("Start") else {
            self.trace.diagnostics.note(WarningKind::BadTimestamp, offset);
            return;
        };
        let duration = time("Duration").unwrap_or_else(|| {
            self.trace.diagnostics.note(WarningKind::MissingDuration, offset);
            0
        });
        let name = cells::text(cell("Name").0);
        let name = String::from_utf8_lossy(&name);
        let (bare, correlation) = correlation_of(&name);
        let correlation = MaybeI64::from(integer(cell("Correlation_ID").0).or(correlation));
        let (device_name, device) = device_of(cell("Device").0);
        let is_call = device_name.is_empty();
        let (kind, category, shown) = if is_call {
            // The kernel that a call launches stands in brackets behind it.
            let call = bare.split_once(" (").map_or(bare, |(call, _)| call);
            (SliceKind::Runtime, "cuda_runtime", call.to_owned())
        } else {
            activity(bare, cell("SrcMemType").0, cell("DstMemType").0)
        };
        let stream = integer(cell("Stream").0);
        let track = if is_call {
            let process = self.host();
            self.trace.tracks.get_or_add(process, process)
        } else {
            let process = self.device(device_name, device);
            self.trace.tracks.get_or_add(process, stream.map_or(Ident::NONE, Ident::number))
        };
        let strings = &mut self.trace.strings;
        let (name, category) = (strings.intern(&shown), strings.intern(category));
        let slice = SliceId::from(self.trace.slices.len());
        self.trace.events += 1;
        self.trace.slices.push(Slice {
            start: Ns(start),
            duration: Ns(duration),
            name,
            category,
            track,
            kind,
            position: offset.and_then(|offset| i64::try_from(offset).ok()).unwrap_or(-1),
        });
        if is_call {
            let (external_id, function) = (MaybeI64::NONE, MaybeU32::NONE);
            self.trace.runtime.push(RuntimeCall { slice, correlation, external_id, function });
            return;
        }
        if !kind.is_gpu_activity() {
            return;
        }
        let amount = |name| {
            let (cell, unit) = cell(name);
            bytes(cell, unit)
        };
        let whole = |value: Option<f64>| MaybeI64::from(value.map(|value| value.round() as i64));
        let shared = match (amount("Static SMem"), amount("Dynamic SMem")) {
            (Some(fixed), Some(dynamic)) => Some(fixed + dynamic),
            _ => None,
        };
        let extent = |axes: [&'static str; 3]| {
            Extent::of_axes(axes.map(|axis| u32::try_from(integer(cell(axis).0)?).ok()))
        };
        let small =
            |name| MaybeU32::from(integer(cell(name).0).and_then(|number| u32::try_from(number).ok()));
        self.trace.gpu.push(GpuActivity {
            slice,
            device: device.into(),
            context: small("Context"),
            stream: stream.into(),
            correlation,
            grid: extent(["Grid X", "Grid Y", "Grid Z"]),
            block: extent(["Block X", "Block Y", "Block Z"]),
            registers: small("Registers Per Thread"),
            shared_memory: whole(shared),
            bytes: whole(amount("Size")),
            bandwidth_gbps: amount("Throughput").map(|rate| rate / 1e9).into(),
            detail: if kind == SliceKind::Kernel { StringId::NONE } else { name },
            ..GpuActivity::default()
        });
    }

    /// The process of calls. Messages with its number stand before the table, except in imported files.
    fn host(&mut self) -> Ident {
        self.process.map_or_else(|| Ident::text(self.trace.strings.intern("host")), Ident::number)
    }

    /// The process of a device's streams. Devices go by name: their numbers are small, as are those of processes in a
    /// container.
    fn device(&mut self, name: &str, device: Option<u32>) -> Ident {
        if let Some(&place) = self.places.get(&device) {
            return place;
        }
        let strings = &mut self.trace.strings;
        let title = device.map_or_else(|| "GPU".to_owned(), |device| format!("GPU {device}"));
        let labels = strings.intern(&title);
        let place = Ident::text(labels);
        self.places.insert(device, place);
        let id = device.map(i64::from);
        self.devices.push(DeviceProperties { id, name: name.to_owned(), ..DeviceProperties::default() });
        // Texts are ordered as they were met, devices are wanted by their numbers.
        let (name, sort_index) = (strings.intern(name), MaybeI64::from(id));
        self.trace.tracks.describe_process(Process { process: place, name, labels, sort_index });
        place
    }

    /// The trace, with times from the first one.
    pub(super) fn finish(mut self) -> Trace {
        let first = self.trace.slices.start.iter().min().copied().unwrap_or(Ns(0));
        for start in &mut self.trace.slices.start {
            *start = Ns(start.0.saturating_sub(first.0));
        }
        for row in 0..self.trace.tracks.threads.len() {
            let Track { process, thread, .. } = self.trace.tracks.threads.row(row);
            let mut intern = |text: &str| self.trace.strings.intern(text);
            let sort_index = MaybeI64::NONE;
            let tracks = &mut self.trace.tracks;
            // Devices were described when they were met, and the host has one track.
            let name = if tracks.find_process(process).is_some() {
                let stream = thread.as_number().map(|stream| format!("stream {stream}"));
                intern(stream.as_deref().unwrap_or("no stream"))
            } else {
                let (name, labels) = (intern("host"), StringId::NONE);
                tracks.describe_process(Process { process, name, labels, sort_index });
                intern("calls")
            };
            tracks.describe_thread(Track { process, thread, name, sort_index });
        }
        let metadata = &mut self.trace.metadata;
        metadata.tool = Some("nvprof".to_owned());
        metadata.clock = Some("that of nvprof, from the first time it wrote".to_owned());
        metadata.devices = self.devices;
        self.trace
    }
}

fn integer(cell: &[u8]) -> Option<i64> {
    std::str::from_utf8(cell).ok()?.trim().parse().ok()
}

/// A name and the number that launches and kernels share: `kernel(int) [230]`, `cudaLaunch (kernel(int) [230])`.
fn correlation_of(name: &str) -> (&str, Option<i64>) {
    let inner = name.strip_suffix(')').filter(|inner| inner.ends_with(']')).unwrap_or(name);
    let Some((bare, number)) = inner.strip_suffix(']').and_then(|inner| inner.rsplit_once(" [")) else {
        return (name, None);
    };
    match number.parse() {
        Ok(number) => (bare, Some(number)),
        Err(_) => (name, None),
    }
}

/// A device's name and number: `GeForce GTX 950 (0)`.
pub(super) fn device_of(cell: &[u8]) -> (&str, Option<u32>) {
    let text = std::str::from_utf8(cell).unwrap_or_default().trim();
    let parts = text.strip_suffix(')').and_then(|text| text.rsplit_once(" ("));
    match parts.and_then(|(name, number)| Some((name, number.parse().ok()?))) {
        Some((name, number)) => (name, Some(number)),
        None => (text, None),
    }
}

/// What an activity is, with its category and name as recordings of PyTorch have them.
fn activity(name: &str, from: &[u8], to: &[u8]) -> (SliceKind, &'static str, String) {
    let Some(inner) = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) else {
        return (SliceKind::Kernel, "kernel", name.to_owned());
    };
    let place = |cell: &[u8]| String::from_utf8_lossy(cell).trim().to_owned();
    let (from, to) = (place(from), place(to));
    let copy =
        ["CUDA memcpy ", "Unified Memory Memcpy "].iter().find_map(|prefix| inner.strip_prefix(prefix));
    if let Some(direction) = copy {
        let ends =
            if from.is_empty() || to.is_empty() { String::new() } else { format!(" ({from} -> {to})") };
        return (SliceKind::Memcpy, "gpu_memcpy", format!("Memcpy {direction}{ends}"));
    }
    if inner.starts_with("CUDA memset") {
        let place = if from.is_empty() { String::new() } else { format!(" ({from})") };
        return (SliceKind::Memset, "gpu_memset", format!("Memset{place}"));
    }
    // Page faults and the like are no work of the device.
    (SliceKind::Other, "nvprof", inner.to_owned())
}
