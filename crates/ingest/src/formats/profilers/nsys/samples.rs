//! What has one time: samples of a device's counters, and memory that was taken and given back.

use eaves_model::{Allocation, Counter, Ident, MaybeF64, MaybeI64, MaybeU32, Ns, StringId, TrackId};

use super::super::Map;
use super::sink::Sink;
use crate::sqlite::{Database, Error, Row};

pub(super) fn read(database: &Database<'_>, sink: &mut Sink) -> Result<(), Error> {
    read_metrics(database, sink)?;
    let columns = ["start", "globalPid", "deviceId", "address", "bytes", "memKind", "memoryOperationType"];
    sink.each(database, "CUDA_GPU_MEMORY_USAGE_EVENTS", &columns, allocation)
}

/// Metrics that were met: source and number, where their samples go, and what they are called.
#[derive(Default)]
struct Metrics {
    known: Vec<((i64, i64), (TrackId, StringId))>,
    places: Map<(i64, i64), usize>,
    /// The one behind the last that was asked for. Samples of one time follow each other in the same order every time.
    next: usize,
}

impl Metrics {
    fn add(&mut self, key: (i64, i64), metric: (TrackId, StringId)) {
        self.places.insert(key, self.known.len());
        self.known.push((key, metric));
    }

    fn find(&mut self, key: (i64, i64)) -> Option<(TrackId, StringId)> {
        let place = match self.known.get(self.next) {
            Some((next, _)) if *next == key => self.next,
            _ => *self.places.get(&key)?,
        };
        self.next = if place + 1 < self.known.len() { place + 1 } else { 0 };
        self.known.get(place).map(|(_, metric)| *metric)
    }
}

/// Counters that `--gpu-metrics-devices` samples.
fn read_metrics(database: &Database<'_>, sink: &mut Sink) -> Result<(), Error> {
    let mut metrics = Metrics::default();
    let columns = ["typeId", "metricId", "metricName", "typeName"];
    sink.each(database, "TARGET_INFO_GPU_METRICS", &columns, |sink, row| {
        let (Some(source), Some(metric)) = (row.integer(0), row.integer(1)) else { return };
        let name = sink.trace.strings.intern(&row.text(2).unwrap_or_default());
        let source_name = row.text(3).map(std::borrow::Cow::into_owned);
        let track = track(sink, source, source_name);
        metrics.add((source, metric), (track, name));
    })?;
    let columns = ["timestamp", "typeId", "metricId", "value"];
    sink.each(database, "GPU_METRICS", &columns, |sink, row| {
        let Some(time) = sink.time(row, 0) else { return };
        let (source, metric) = (row.integer(1).unwrap_or(0), row.integer(2).unwrap_or(0));
        let (track, name) = metrics.find((source, metric)).unwrap_or_else(|| {
            let name = sink.trace.strings.intern(&format!("metric {metric}"));
            let found = (track(sink, source, None), name);
            metrics.add((source, metric), found);
            found
        });
        let value = MaybeF64::from(row.number(3));
        sink.trace.counters.push(Counter { time: Ns(time), track, name, series: StringId::NONE, value });
    })
}

fn track(sink: &mut Sink, source: i64, name: Option<String>) -> TrackId {
    let process = sink.trace.strings.intern("GPU metrics");
    let track = sink.trace.tracks.get_or_add(Ident::text(process), Ident::number(source));
    if let Some(name) = name {
        sink.trace.tracks.threads.name[track.index()] = sink.trace.strings.intern(&name);
    }
    track
}

/// Memory of a device, or of the host for it, with `--cuda-memory-usage=true`.
fn allocation(sink: &mut Sink, row: &Row<'_>) {
    let Some(time) = sink.time(row, 0) else { return };
    let process = row.integer(1).unwrap_or(0);
    let device = row.integer(2).map(|device| sink.places.device(process, device));
    // `ENUM_CUDA_MEM_KIND`: pageable and pinned memory is the host's.
    let is_host = row.integer(5).is_some_and(|kind| kind < 2);
    // `ENUM_CUDA_DEV_MEM_EVENT_OPER`.
    let is_release = row.integer(6) == Some(1);
    let bytes = row.integer(4).map(|bytes| if is_release { bytes.saturating_neg() } else { bytes });
    let ident = sink.places.ident(process);
    let name = sink.trace.strings.intern("memory");
    let track = sink.trace.tracks.get_or_add(ident, Ident::text(name));
    sink.trace.allocations.push(Allocation {
        time: Ns(time),
        track,
        bytes: MaybeI64::from(bytes),
        address: MaybeI64::from(row.integer(3)),
        device_type: MaybeU32::new(if is_host { 0 } else { 1 }),
        device: MaybeI64::from(if is_host { Some(-1) } else { device }),
        position: row.offset().cast_signed(),
        ..Allocation::default()
    });
}
