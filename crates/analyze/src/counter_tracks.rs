//! What analyses know about points in time, as counters that a viewer can draw below the slices.

use std::collections::HashMap;

use eaves_model::{Ns, TrackId};

use crate::analyses::{memory_bandwidth, queue_length};
use crate::{RankView, Stream};

/// A value over time. It holds from one point to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct CounterTrack {
    /// Name of the counter, unique in its process.
    pub name: String,
    /// What its values count.
    pub series: &'static str,
    /// A track of the process that it belongs to: that of the first activity counted.
    pub track: TrackId,
    /// Points in time order. Several may stand at one instant; the last of them holds.
    pub points: Vec<(Ns, f64)>,
}

/// The queue length of every stream, as in the section `queue-length`, and the bandwidth of every kind of copy, as in
/// the section `memory-bandwidth`.
pub fn counter_tracks(rank: &RankView<'_>) -> Vec<CounterTrack> {
    queue_lengths(rank).into_iter().chain(bandwidths(rank)).collect()
}

fn queue_lengths(rank: &RankView<'_>) -> Vec<CounterTrack> {
    let trace = rank.trace;
    let mut tracks: HashMap<Stream, TrackId> = HashMap::new();
    for activity in trace.gpu_activities() {
        let row = activity.index();
        let stream = Stream { device: trace.gpu.device[row], number: trace.gpu.stream[row] };
        tracks.entry(stream).or_insert(trace.slices.track[trace.gpu.slice[row].index()]);
    }
    let counter = |queue: &queue_length::Queue| {
        let mut points = Vec::new();
        queue.visit_changes(|time, length| points.push((time, length as f64)));
        let name = match queue.stream.number.get() {
            Some(number) => format!("Queue length of stream {number}"),
            None => "Queue length".to_owned(),
        };
        Some(CounterTrack { name, series: "activities", track: *tracks.get(&queue.stream)?, points })
    };
    queue_length::queues(rank).iter().filter_map(counter).collect()
}

fn bandwidths(rank: &RankView<'_>) -> Vec<CounterTrack> {
    let copies = memory_bandwidth::copies(rank);
    let counter = |kind: memory_bandwidth::CopyKind| {
        let first = copies.iter().find(|copy| copy.kind == kind)?;
        let slice = rank.trace.gpu.slice[rank.gpu.row[first.index].index()];
        let mut points = Vec::new();
        let rated = memory_bandwidth::rated(&copies, kind);
        memory_bandwidth::visit_changes(&rated, |time, rate| points.push((time, rate as f64 * 1e-9)));
        Some(CounterTrack {
            name: format!("Bandwidth of {}", kind.name()),
            series: "GB/s",
            track: rank.trace.slices.track[slice.index()],
            points,
        })
    };
    let counters = memory_bandwidth::CopyKind::ALL.into_iter().filter_map(counter);
    counters.filter(|counter| !counter.points.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use eaves_model::SliceKind::Memcpy;

    use super::*;
    use crate::Options;
    use crate::test_trace::TestTrace;

    #[test]
    fn every_stream_and_every_kind_has_a_counter() {
        let mut test = TestTrace::default();
        test.launch(1, 100, 110)
            .launch(2, 120, 130)
            .kernel("a", 1, 200, 210)
            .kernel("b", 2, 300, 310)
            .on_stream(9)
            .gpu(Memcpy, "Memcpy HtoD (Pinned -> Device)", 400, 500)
            .bytes(200)
            .gpu(Memcpy, "Memcpy DtoD (Device -> Device)", 500, 600);
        let options = Options::default();
        let counters = counter_tracks(&RankView::new(&test.trace, &options));
        let points = |points: &[(i64, f64)]| points.iter().map(|&(time, value)| (Ns(time), value)).collect();
        let found: Vec<_> = counters.into_iter().map(|counter| (counter.name, counter.points)).collect();
        let expected: Vec<(String, Vec<(Ns, f64)>)> = vec![
            ("Queue length of stream 7".to_owned(), points(&[(100, 1.0), (200, 0.0)])),
            ("Queue length of stream 9".to_owned(), points(&[(120, 1.0), (300, 0.0)])),
            ("Bandwidth of Memcpy HtoD".to_owned(), points(&[(400, 2.0), (500, 0.0)])),
        ];
        assert_eq!(found, expected);
    }
}
