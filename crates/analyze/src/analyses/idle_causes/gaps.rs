//! When the GPU had nothing to do, and which launch ended that.

use std::cmp::Reverse;

use eaves_model::{Interval, Ns, SliceId};

use crate::RankView;

/// A stretch in which no selected activity ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analyses) struct Gap {
    pub(in crate::analyses) interval: Interval,
    /// The activity that ended it, as an index into the view of the GPU.
    pub(in crate::analyses) ended_by: Option<usize>,
    /// The call that launched this activity.
    pub(in crate::analyses) launch: Option<SliceId>,
    /// Whether it is outside the GPU span.
    pub(in crate::analyses) place: Place,
}

/// Where a gap is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analyses) enum Place {
    /// Before the first selected activity.
    LeadIn,
    /// Between two activities.
    Inside,
    /// Behind the last activity, up to the end of the last step.
    Tail,
}

/// How a gap divides: first the GPU waited for the host, then for something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// For the host up to this instant: the launch came after the gap had begun.
    Host(Ns),
    /// Not for the host: the launch had been made.
    Device,
    /// Nobody knows: the launch was not recorded.
    Unknown,
}

impl Gap {
    /// What the GPU waited for: the host if the launch began after the gap had, as HTA and section `idle-time` define
    /// it. From the end of the launch on, it was on its way.
    pub(super) fn wait(&self, rank: &RankView<'_>) -> Wait {
        let Some(launch) = self.launch else { return Wait::Unknown };
        let launch = rank.trace.slices.interval(launch.index());
        if launch.start > self.interval.start {
            Wait::Host(launch.end.min(self.interval.end))
        } else {
            Wait::Device
        }
    }
}

/// The gaps inside the GPU span in time order, between the lead-in and the tail if there are such.
pub(super) fn gaps(rank: &RankView<'_>) -> Vec<Gap> {
    let Some(span) = rank.sets.span() else { return Vec::new() };
    let idle = rank.sets.busy().gaps(span);
    let gap = |interval, place| Gap { interval, ended_by: None, launch: None, place };
    let mut points: Vec<Ns> =
        rank.gpu.interval.iter().filter(|i| i.start == i.end).map(|i| i.start).collect();
    points.sort_unstable();
    points.dedup();
    let mut gaps: Vec<Gap> = Vec::with_capacity(idle.as_slice().len());
    for &Interval { mut start, end } in idle.as_slice() {
        // What has no length ends a gap and begins another, as in section `idle-time`.
        let inside =
            points.partition_point(|&point| point <= start)..points.partition_point(|&point| point < end);
        for &point in &points[inside] {
            gaps.push(gap(Interval::new(start, point), Place::Inside));
            start = point;
        }
        gaps.push(gap(Interval::new(start, end), Place::Inside));
    }
    find_ends(rank, &mut gaps);
    if let Some(lead_in) = lead_in(rank, span) {
        gaps.insert(0, lead_in);
    }
    // What follows is launched after the last step, so the GPU waits for the host at least up to there.
    if let Some(window) = rank.steady().window.filter(|window| window.end > span.end) {
        gaps.push(gap(Interval::new(span.end.max(window.start), window.end), Place::Tail));
    }
    gaps
}

/// Of several activities that begin together, the one launched first ended the gap: had it been launched before, the
/// gap would not have been the host's.
fn find_ends(rank: &RankView<'_>, gaps: &mut [Gap]) {
    let gpu = &rank.gpu;
    for index in 0..gpu.len() {
        let start = gpu.interval[index].start;
        let Ok(place) = gaps.binary_search_by_key(&start, |gap| gap.interval.end) else { continue };
        let gap = &mut gaps[place];
        if gap.ended_by.is_none_or(|other| end_key(rank, index) < end_key(rank, other)) {
            gap.ended_by = Some(index);
            gap.launch = rank.links().launch(gpu.row[index]);
        }
    }
}

fn end_key(rank: &RankView<'_>, index: usize) -> (Reverse<bool>, Option<Ns>, usize) {
    let launch = rank.links().launch(rank.gpu.row[index]);
    let start = launch.map(|slice| rank.trace.slices.start[slice.index()]);
    (Reverse(start.is_some()), start, index)
}

/// The idle time of a step before the first selected activity. It is outside the GPU span, but the step waited for it
/// as for any other. Work from before the recording is not in the recording, so without recorded activity before it,
/// it counts only if the first activity started as soon as it was launched: then nothing was queued before it.
fn lead_in(rank: &RankView<'_>, span: Interval) -> Option<Gap> {
    let mut gap = [Gap {
        interval: Interval::new(span.start, span.start),
        ended_by: None,
        launch: None,
        place: Place::LeadIn,
    }];
    find_ends(rank, &mut gap);
    let [mut gap] = gap;
    let activity = rank.gpu.row[gap.ended_by?];
    let step = rank.steps.of_activity(rank.trace, rank.links(), activity)?;
    let (_, step) = rank.steps.iter().nth(step)?;
    let slices = &rank.trace.slices;
    let before = if rank.options.selection.keeps_all_activities() {
        None
    } else {
        rank.trace
            .gpu_activities()
            .map(|activity| slices.interval(rank.trace.gpu.slice[activity.index()].index()))
            .filter(|activity| activity.start < span.start)
            .map(|activity| activity.end)
            .max()
    };
    let window = rank.options.selection.window(rank.extent).map_or(Ns::MIN, |window| window.start);
    gap.interval =
        Interval::new(step.start.max(window).max(before.unwrap_or(Ns::MIN)).min(span.start), span.start);
    let queued = span.start - slices.end(gap.launch?.index());
    let is_known = before.is_some() || queued <= rank.options.kernel_wait;
    let waits_for_host = matches!(gap.wait(rank), Wait::Host(_));
    (is_known && waits_for_host && gap.interval.length() > Ns::ZERO).then_some(gap)
}
