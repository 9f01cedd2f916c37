//! Values over time: counters of the recording, and memory that was allocated.

use std::collections::BTreeMap;

use eaves_model::{Interval, Ns, Trace, ident_text};
use eaves_section::timeline::CounterTrack;

use crate::analyses::memory;

/// When a value changed, and to what.
type Points = Vec<(Ns, f64)>;

/// The counters of a trace in a window, with the value that held when it began.
pub(super) fn counters(trace: &Trace, window: Interval) -> Vec<CounterTrack> {
    let mut tracks = allocations(trace);
    tracks.extend(snapshots(trace));
    tracks.extend(samples(trace));
    for track in &mut tracks {
        track.points.sort_by_key(|&(time, _)| time);
        let first = track.points.partition_point(|&(time, _)| time <= window.start).saturating_sub(1);
        let end = track.points.partition_point(|&(time, _)| time < window.end);
        track.points = track.points.get(first..end).unwrap_or_default().to_vec();
    }
    tracks.retain(|track| !track.points.is_empty());
    tracks
}

/// Allocated bytes of each device, as its allocator counts them.
fn allocations(trace: &Trace) -> Vec<CounterTrack> {
    let mut devices: BTreeMap<(u32, i64), Points> = BTreeMap::new();
    for row in 0..trace.allocations.len() {
        let allocation = trace.allocations.row(row);
        let device = (allocation.device_type.unwrap_or(0), allocation.device.unwrap_or(-1));
        if let Some(total) = allocation.total_allocated.get() {
            devices.entry(device).or_default().push((allocation.time, total as f64));
        }
    }
    let name = |(device_type, device): (u32, i64)| match device_type {
        0 => "allocated on the host".to_owned(),
        _ => format!("allocated on GPU {device}"),
    };
    let track = |(device, points)| CounterTrack { name: name(device), is_bytes: true, points };
    devices.into_iter().map(track).collect()
}

/// What was in use on each device, of a snapshot.
fn snapshots(trace: &Trace) -> impl Iterator<Item = CounterTrack> {
    memory::snapshot_series(trace).into_iter().map(|(device, points)| CounterTrack {
        name: format!("allocated on {device}"),
        is_bytes: true,
        points: points.into_iter().map(|(time, bytes)| (time, bytes as f64)).collect(),
    })
}

fn samples(trace: &Trace) -> Vec<CounterTrack> {
    let counters = &trace.counters;
    let mut series: BTreeMap<(&str, &str, String), Points> = BTreeMap::new();
    for row in 0..counters.len() {
        let counter = counters.row(row);
        let Some(value) = counter.value.get().filter(|value| value.is_finite()) else { continue };
        let process = trace.tracks.threads.process[counter.track.index()];
        let process = ident_text(process, &trace.strings).unwrap_or_default().into_owned();
        let key = (trace.strings.get(counter.name), trace.strings.get(counter.series), process);
        series.entry(key).or_default().push((counter.time, value));
    }
    let track = |((name, series, process), points): ((&str, &str, String), Points)| {
        let name = if name.contains(series) { name.to_owned() } else { format!("{name} {series}") };
        let is_bytes = name.to_ascii_lowercase().contains("bytes");
        CounterTrack { name: format!("{name} of {process}"), is_bytes, points }
    };
    series.into_iter().map(track).collect()
}

#[cfg(test)]
mod tests {
    use eaves_model::{Allocation, Counter, Ident, MaybeF64, MaybeI64, MaybeU32};

    use super::*;

    #[test]
    fn memory_and_counters_by_hand() {
        let mut trace = Trace::default();
        let track = trace.tracks.get_or_add(Ident::number(3), Ident::number(0));
        for (time, total) in [(30, 7), (10, 5), (20, 9)] {
            trace.allocations.push(Allocation {
                time: Ns(time),
                track,
                bytes: MaybeI64::new(1),
                total_allocated: MaybeI64::new(total),
                device_type: MaybeU32::new(1),
                device: MaybeI64::new(2),
                ..Allocation::default()
            });
        }
        let (name, series) = (trace.strings.intern("power"), trace.strings.intern("watts"));
        for (time, value) in [(5, 1.5), (50, f64::INFINITY), (90, 2.5)] {
            let value = MaybeF64::new(value);
            trace.counters.push(Counter { time: Ns(time), track, name, series, value });
        }
        let found = counters(&trace, Interval::new(Ns(15), Ns(90)));
        let expected = [
            ("allocated on GPU 2", true, vec![(Ns(10), 5.0), (Ns(20), 9.0), (Ns(30), 7.0)]),
            ("power watts of 3", false, vec![(Ns(5), 1.5)]),
        ];
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(name, is_bytes, points)| CounterTrack { name: name.to_owned(), is_bytes, points })
            .collect();
        assert_eq!(found, expected);
    }
}
