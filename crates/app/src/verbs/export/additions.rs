//! What analyses know about points in time, drawn into an exported trace.

use eaves_analyze::{CriticalPath, Options, RankView, counter_tracks, critical_path};
use eaves_model::{Counter, MaybeF64, StringId, Trace};

/// Puts queue lengths and copy bandwidths among the counters of the trace. Counters that an earlier export added are
/// replaced.
pub(super) fn add_counters(trace: &mut Trace) {
    let options = Options::default();
    let tracks = counter_tracks(&RankView::new(trace, &options));
    let names: Vec<StringId> = tracks.iter().map(|track| trace.strings.intern(&track.name)).collect();
    let kept: Vec<bool> = trace.counters.name.iter().map(|name| !names.contains(name)).collect();
    trace.counters.retain(|row| kept[row]);
    for (track, name) in tracks.iter().zip(names) {
        let series = trace.strings.intern(track.series);
        for &(time, value) in &track.points {
            let value = MaybeF64::new(value);
            trace.counters.push(Counter { time, track: track.track, name, series, value });
        }
    }
}

/// Draws the critical path on its own track.
pub(super) fn draw_critical_path(trace: &mut Trace) {
    let options = Options::default();
    let path = CriticalPath::of(&RankView::new(trace, &options));
    if let Some(path) = path {
        critical_path::draw(trace, &path);
    }
}
