//! What is looked up of charts again and again while they are drawn at any zoom, found once.

use eaves_model::SliceId;
use eaves_section::timeline::{Chart, Charts};

use super::details::Details;

/// What the slices of charts have besides name and time, and what launched them.
#[derive(Debug)]
pub struct ChartLookup(pub(super) Vec<OfRank>);

impl ChartLookup {
    /// Those of some charts.
    pub fn new(charts: &Charts<'_>) -> Self {
        Self(charts.charts.iter().map(OfRank::new).collect())
    }
}

/// The lookup of one recording.
#[derive(Debug)]
pub(super) struct OfRank {
    pub(super) details: Details,
    /// An activity and the place of the call that launched it, by activity.
    launches: Vec<(SliceId, u32)>,
}

impl OfRank {
    fn new(chart: &Chart<'_>) -> Self {
        let slices = chart.slices.slices_at(0..chart.slices.len());
        let mut place_of = vec![u32::MAX; chart.trace.slices.len()];
        for (place, slice) in (0u32..).zip(slices) {
            place_of[slice.index()] = place;
        }
        let with_place = |&(launch, activity): &(SliceId, SliceId)| (activity, place_of[launch.index()]);
        let mut launches: Vec<(SliceId, u32)> = chart.launches.iter().map(with_place).collect();
        launches.sort_unstable();
        Self { details: Details::new(chart.trace, |_| true), launches }
    }

    /// The place of the call that launched an activity.
    pub(super) fn launch(&self, activity: SliceId) -> Option<u32> {
        let at = self.launches.binary_search_by_key(&activity, |&(known, _)| known).ok()?;
        Some(self.launches[at].1)
    }
}
