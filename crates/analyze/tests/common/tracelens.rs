//! Traces as TraceLens (AMD-AGI/TraceLens 171dd747) sees them.

use std::collections::HashMap;

use eaves_model::{Trace, TrackId};

/// Which activities TraceLens links to a launch. A graph launch has all activities of its correlation; any
/// other call has the one activity at the end of its `ac2g` arrow, so that the further activities of a call
/// that launched several are not counted. Ours are linked by correlation and all count.
pub(crate) fn linked_by_tracelens(trace: &Trace) -> Vec<bool> {
    let mut by_place: HashMap<(TrackId, i64), usize> = HashMap::new();
    let mut by_correlation: HashMap<i64, Vec<usize>> = HashMap::new();
    for row in 0..trace.gpu.len() {
        if let Some(correlation) = trace.gpu.correlation[row].get() {
            let track = trace.slices.track[trace.gpu.slice[row].index()];
            by_place.insert((track, correlation), row);
            by_correlation.entry(correlation).or_default().push(row);
        }
    }
    let arrows = |phase: u8| -> HashMap<i64, TrackId> {
        let flows = (0..trace.flows.len()).map(|row| trace.flows.row(row));
        let flows = flows.filter(|flow| flow.phase == phase && trace.strings.get(flow.category) == "ac2g");
        flows.filter_map(|flow| Some((flow.id.as_number()?, flow.track))).collect()
    };
    let (starts, ends) = (arrows(b's'), arrows(b'f'));
    let mut linked = vec![false; trace.gpu.len()];
    for (row, &slice) in trace.runtime.slice.iter().enumerate() {
        let Some(correlation) = trace.runtime.correlation[row].get() else { continue };
        if ["cudaGraphLaunch", "hipGraphLaunch"].contains(&trace.slice_name(slice)) {
            by_correlation.get(&correlation).into_iter().flatten().for_each(|&row| linked[row] = true);
        } else if let (Some(_), Some(&track)) = (starts.get(&correlation), ends.get(&correlation))
            && let Some(&row) = by_place.get(&(track, correlation))
        {
            linked[row] = true;
        }
    }
    linked
}
