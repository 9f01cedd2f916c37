//! Recordings as a picture draws them.

use std::sync::Arc;

use eaves_model::{IntervalSet, LevelOfDetail, Ns, Recording, SliceKind, Trace, TrackId};
use eaves_section::timeline::{Chart, ChartTrack, Charts, Class, Clocks, RankChart};

use super::activity::{Activity, host_windows, touches};
use super::counters::counters;
use super::names::Names;
use crate::{KernelType, KernelTypes, Options, RankView};

/// The selected recordings, to be drawn above each other.
pub fn charts<'a>(recordings: &'a [Recording], options: &Options) -> Charts<'a> {
    let selected = recordings.iter().filter(|recording| options.selection.has_rank(recording.rank));
    together(selected.map(|recording| (recording, measure(&RankView::new(&recording.trace, options)))))
}

/// The selected recordings by what was [measured](measure()) of each, to be drawn above each other.
pub fn assemble<'a>(
    recordings: &'a [Recording],
    measured: &[Option<Arc<RankChart>>],
    options: &Options,
) -> Charts<'a> {
    let all = recordings.iter().zip(measured.iter().cloned());
    together(all.filter(|(recording, _)| options.selection.has_rank(recording.rank)))
}

fn together<'a>(ranks: impl Iterator<Item = (&'a Recording, Option<Arc<RankChart>>)>) -> Charts<'a> {
    let chart = |(recording, measured): (&'a Recording, Option<Arc<RankChart>>)| {
        Some(Chart {
            rank: recording.rank,
            path: &recording.path,
            trace: &recording.trace,
            offset: Ns::ZERO,
            measured: measured?,
        })
    };
    let mut charts: Vec<Chart<'a>> = ranks.filter_map(chart).collect();
    let clocks = align(&mut charts);
    Charts { charts, clocks }
}

/// Brings the charts to one time and says how.
fn align(charts: &mut [Chart<'_>]) -> Clocks {
    let zero = |chart: &Chart<'_>| chart.trace.extent().map_or(chart.window.start, |extent| extent.start);
    if let [chart] = charts {
        chart.offset = -zero(chart);
        return Clocks::One;
    }
    // A trace without a base counts from 1970 itself.
    let has_base = |chart: &Chart<'_>| chart.trace.metadata.base_time_ns.is_some();
    let base = |chart: &Chart<'_>| Ns(chart.trace.metadata.base_time_ns.unwrap_or(0));
    let alike = charts.windows(2).all(|pair| has_base(&pair[0]) == has_base(&pair[1]));
    let begins = charts.iter().map(|chart| base(chart) + chart.window.start);
    let ends = charts.iter().map(|chart| base(chart) + chart.window.end);
    let together = begins.max().zip(ends.min()).is_some_and(|(begin, end)| begin < end);
    if alike && together {
        let first = charts.iter().map(|chart| base(chart) + zero(chart)).min().unwrap_or(Ns::ZERO);
        for chart in charts {
            chart.offset = base(chart) - first;
        }
        return Clocks::Common;
    }
    for chart in charts {
        chart.offset = -zero(chart);
    }
    Clocks::Own
}

/// Measures what is drawn of a recording; nothing if it has nothing to draw.
pub fn measure(view: &RankView<'_>) -> Option<Arc<RankChart>> {
    let trace = view.trace;
    let activity = Activity::of(view);
    let window = activity.span?;
    let kept = kept(view);
    let slices = LevelOfDetail::build(trace, |slice| kept[slice.index()]);
    let links = view.links();
    let launches = view.gpu.row.iter().filter_map(|&activity| {
        let launch = links.launch(activity)?;
        kept[launch.index()].then_some((launch, trace.gpu.slice[activity.index()]))
    });
    Some(Arc::new(RankChart {
        window,
        tracks: tracks(&Names::new(view), &slices, activity),
        counters: counters(trace, window),
        steps: view.steps.iter().filter(|(_, step)| step.clip(window).is_some()).collect(),
        launches: launches.collect(),
        slices,
        classes: classes(trace),
    }))
}

/// The class of every slice of a trace.
fn classes(trace: &Trace) -> Vec<Class> {
    let mut classes: Vec<Class> = trace.slices.kind.iter().map(|&kind| Class::of_kind(kind)).collect();
    let mut types = KernelTypes::new(trace);
    for (row, slice) in trace.gpu.slice.iter().enumerate() {
        classes[slice.index()] = match types.of(row.into()) {
            KernelType::Compute => Class::Compute,
            KernelType::Communication => Class::Communication,
            KernelType::Memory => Class::Memory,
        };
    }
    classes
}

/// Which slices are drawn: the selected activities, and what else there was at that time. What is in quarantine
/// would stretch the picture to no end.
fn kept(view: &RankView<'_>) -> Vec<bool> {
    let (slices, windows) = (&view.trace.slices, host_windows(view));
    let mut kept: Vec<bool> = (0..slices.len())
        .map(|row| {
            slices.kind[row] != SliceKind::Span
                && windows.as_ref().is_none_or(|windows| touches(windows, slices.interval(row)))
        })
        .collect();
    for slice in &view.trace.gpu.slice {
        kept[slice.index()] = false;
    }
    for activity in &view.gpu.row {
        kept[view.trace.gpu.slice[activity.index()].index()] = true;
    }
    for slice in &view.trace.quarantined {
        kept[slice.index()] = false;
    }
    kept
}

fn tracks(names: &Names<'_>, slices: &LevelOfDetail, activity: Activity) -> Vec<ChartTrack> {
    let mut busy: Vec<(TrackId, IntervalSet)> =
        activity.threads.into_iter().chain(activity.streams).map(|one| (one.track, one.busy)).collect();
    busy.sort_by_key(|&(track, _)| track);
    let mut take_busy = |track: TrackId| match busy.binary_search_by_key(&track, |&(known, _)| known) {
        Ok(index) => std::mem::take(&mut busy[index].1),
        Err(_) => IntervalSet::default(),
    };
    let mut tracks: Vec<ChartTrack> = Vec::new();
    for (index, row) in slices.rows().iter().enumerate() {
        match tracks.last_mut() {
            Some(last) if last.track == row.track => last.rows.end = index + 1,
            _ => tracks.push(ChartTrack {
                track: row.track,
                group: names.group(row.track),
                name: names.track(row.track),
                is_stream: names.is_device(row.track),
                rows: index..index + 1,
                busy: take_busy(row.track),
            }),
        }
    }
    tracks.sort_by_key(|track| names.order(track.track));
    tracks
}

#[cfg(test)]
mod tests {
    use eaves_model::Interval;

    use super::*;
    use crate::Selection;
    use crate::test_trace::{TestTrace, run_of};

    /// A rank whose clock is `base` ahead.
    fn trace(base: Option<i64>) -> TestTrace {
        let mut test = TestTrace::default();
        test.step(1, 1000, 2000)
            .step(2, 2000, 3000)
            .launch(1, 1100, 1150)
            .launch(2, 2100, 2150)
            .kernel("gemm", 1, 1200, 1500)
            .kernel("ncclDevKernel_AllReduce", 2, 2500, 2600);
        test.trace.metadata.base_time_ns = base;
        test
    }

    fn offsets(bases: &[Option<i64>]) -> (Clocks, Vec<i64>) {
        let run = run_of(bases.iter().map(|&base| trace(base)).collect());
        let charts = charts(&run.recordings, &Options::default());
        (charts.clocks, charts.charts.iter().map(|chart| chart.offset.0).collect())
    }

    #[test]
    fn ranks_stand_by_their_clocks_if_these_say_so() {
        assert_eq!(offsets(&[Some(50)]), (Clocks::One, vec![-1000]));
        assert_eq!(offsets(&[Some(50), Some(70)]), (Clocks::Common, vec![-1000, -980]));
        assert_eq!(offsets(&[None, None]), (Clocks::Common, vec![-1000, -1000]));
        // Recorded one after the other, and clocks that cannot be compared.
        assert_eq!(offsets(&[Some(0), Some(9000)]), (Clocks::Own, vec![-1000, -1000]));
        assert_eq!(offsets(&[None, Some(0)]), (Clocks::Own, vec![-1000, -1000]));
    }

    #[test]
    fn a_chart_has_tracks_steps_and_launches() {
        let run = run_of(vec![trace(None)]);
        let charts = charts(&run.recordings, &Options::default());
        let chart = &charts.charts[0];
        let shown: Vec<_> = chart.tracks.iter().map(|track| (track.name.as_str(), track.is_stream)).collect();
        assert_eq!(shown, [("thread 1", false), ("thread 6", false), ("stream 7", true)]);
        assert_eq!(chart.tracks[2].busy.measure(), Ns(400));
        assert_eq!(chart.steps.len(), 2);
        assert_eq!(chart.launches.len(), 2);
        let classes: Vec<Class> = chart
            .slices
            .slices(&chart.rows(&chart.tracks[2])[0])
            .iter()
            .map(|&slice| chart.class(slice))
            .collect();
        assert_eq!(classes, [Class::Compute, Class::Communication]);
        assert_eq!(charts.window(), Some(Interval::new(Ns(0), Ns(2000))));
    }

    #[test]
    fn what_is_not_selected_is_not_drawn() {
        let run = run_of(vec![trace(None)]);
        let options = Options::default().with_selection(Selection::default().with_steps(2..=2));
        let charts = charts(&run.recordings, &options);
        let chart = &charts.charts[0];
        assert_eq!((chart.slices.len(), chart.launches.len(), chart.steps.len()), (3, 1, 1));
        assert_eq!(charts.window(), Some(Interval::new(Ns(1000), Ns(2000))));
    }
}
