//! What waits for which activity: by synchronization records where there are some, else by what fits.

use eaves_model::{Interval, MaybeI64, Ns, SliceId};

use super::activities::{Activities, ActivityId};
use super::calls::{CallKind, CallKinds};
use crate::RankView;

/// How many activities are looked at in search of one that was waited for. The one that ended last is nearly always
/// it; the bound keeps odd traces from costing more than their length.
const LOOKED_AT: usize = 64;

/// What synchronization records say.
#[derive(Debug, Default)]
pub(super) struct Waits {
    /// Calls on the host with the activity each waited for, sorted.
    calls: Vec<(SliceId, ActivityId)>,
    /// Activities with one that each waited for on another stream, sorted.
    streams: Vec<(ActivityId, ActivityId)>,
    /// True if waits of streams are recorded, so that none need be guessed.
    pub(super) records_streams: bool,
}

impl Waits {
    /// Reads the records. An event stands for the last activity that was launched on its stream before it was
    /// recorded, as in HTA.
    pub(super) fn new(rank: &RankView<'_>, activities: &Activities, kinds: &mut CallKinds<'_>) -> Self {
        let (trace, syncs) = (rank.trace, &rank.trace.syncs);
        let mut waits = Self::default();
        if syncs.is_empty() {
            return waits;
        }
        let calls = Calls::new(rank, kinds);
        let start = |call: SliceId| trace.slices.start[call.index()];
        for row in 0..syncs.len() {
            let sync = syncs.row(row);
            let own = (sync.device, sync.stream);
            let of_event = || {
                let recorded = start(calls.find(sync.wait_on_record_correlation)?);
                activities.last_launched((sync.device, sync.wait_on_stream), recorded)
            };
            match trace.strings.get(sync.kind) {
                "Stream Wait Event" => {
                    waits.records_streams = true;
                    let pair = calls
                        .find(sync.correlation)
                        .and_then(|call| Some((activities.first_launched(own, start(call))?, of_event()?)));
                    waits.streams.extend(pair);
                }
                "Event Sync" => {
                    let pair = calls.find(sync.correlation).and_then(|call| Some((call, of_event()?)));
                    waits.calls.extend(pair);
                }
                "Stream Sync" => {
                    let pair = calls
                        .find(sync.correlation)
                        .and_then(|call| Some((call, activities.last_launched(own, start(call))?)));
                    waits.calls.extend(pair);
                }
                // A wait for the whole device needs no record: what ended last is what it waited for.
                _ => {}
            }
        }
        waits.calls.sort_unstable();
        waits.streams.sort_unstable();
        waits
    }

    /// The activities that an activity waited for by record.
    pub(super) fn of_activity(&self, activity: ActivityId) -> impl Iterator<Item = ActivityId> + '_ {
        let first = self.streams.partition_point(|&(waiting, _)| waiting < activity);
        self.streams[first..]
            .iter()
            .take_while(move |&&(waiting, _)| waiting == activity)
            .map(|&(_, awaited)| awaited)
    }

    /// The activity that a blocking call waited for: one that was launched before and ended before the call did. A
    /// copy waits for its own activity, whenever that ends. `latest` is the last activity that the same thread
    /// launched before the call, or that a copy launched itself.
    pub(super) fn of_call(
        &self,
        activities: &Activities,
        (call, kind, interval): (SliceId, CallKind, Interval),
        latest: Option<ActivityId>,
    ) -> Option<ActivityId> {
        let end = |activity: ActivityId| activities.interval[activity as usize].end;
        let ended = |activity: &ActivityId| end(*activity) <= interval.end;
        let first = self.calls.partition_point(|&(recorded, _)| recorded < call);
        let recorded = self.calls[first..].iter().take_while(|&&(recorded, _)| recorded == call);
        if let Some(&(_, awaited)) = recorded.max_by_key(|&&(_, awaited)| end(awaited)) {
            return Some(awaited).filter(ended);
        }
        match kind {
            CallKind::Copy | CallKind::CopyAsync => latest,
            // Nothing says which stream; most often it is the one that the thread worked with last.
            CallKind::WaitForStream => {
                let waited = latest.filter(ended).filter(|&activity| end(activity) > interval.start);
                waited.or_else(|| last_ended(activities, interval))
            }
            CallKind::Wait => last_ended(activities, interval),
            _ => None,
        }
    }
}

/// Of the activities that were launched before a call the last to end before the call did.
fn last_ended(activities: &Activities, call: Interval) -> Option<ActivityId> {
    activities
        .ended_by(call.end)
        .take(LOOKED_AT)
        .find(|&activity| activities.launched[activity as usize] < call.start)
}

/// An activity of another stream that this one may have waited for although nothing recorded it: the last to end
/// between `after` and the start of this one that `may_be` allows.
pub(super) fn guess(
    activities: &Activities,
    waiting: ActivityId,
    after: Ns,
    may_be: impl Fn(ActivityId) -> bool,
) -> Option<ActivityId> {
    let row = waiting as usize;
    activities
        .ended_by(activities.interval[row].start)
        .take(LOOKED_AT)
        .take_while(|&other| activities.interval[other as usize].end > after)
        .find(|&other| activities.stream[other as usize] != activities.stream[row] && may_be(other))
}

/// The calls that synchronization records name, by correlation.
struct Calls(Vec<(i64, SliceId)>);

impl Calls {
    fn new(rank: &RankView<'_>, kinds: &mut CallKinds<'_>) -> Self {
        let (slices, runtime) = (&rank.trace.slices, &rank.trace.runtime);
        let named = |kind: CallKind| !matches!(kind, CallKind::Plain | CallKind::GraphLaunch);
        let mut calls: Vec<(i64, SliceId)> = (0..runtime.len())
            .filter(|&row| named(kinds.of(slices.name[runtime.slice[row].index()])))
            .filter_map(|row| Some((runtime.correlation[row].get()?, runtime.slice[row])))
            .collect();
        calls.sort_unstable();
        Self(calls)
    }

    fn find(&self, correlation: MaybeI64) -> Option<SliceId> {
        let wanted = correlation.get()?;
        let first = self.0.partition_point(|&(correlation, _)| correlation < wanted);
        self.0.get(first).filter(|(correlation, _)| *correlation == wanted).map(|&(_, slice)| slice)
    }
}
