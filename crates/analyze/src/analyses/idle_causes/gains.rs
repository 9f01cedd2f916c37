//! What the steady state would gain without a stall: the launches are played again without it.

use std::cmp::Reverse;

use eaves_model::{Interval, IntervalSet, Ns};
use serde::{Deserialize, Serialize};

use super::cause::Cause;
use super::part::{Part, is_notable};
use crate::analyses::replay::{Change, Stalls, recurrence, share};
use crate::{KernelType, RankView};

/// A stall seldom goes away altogether: a batch still has to be taken from its queue. So the lower end of a gain is that
/// of this many tenths of it.
const MOST_OF_IT: i64 = 8;

/// Latencies and pauses vary from run to run, so what is played again is off by a few percent: one part in this many.
const MARGIN: i64 = 20;

/// At least and at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Range {
    pub(super) low: Ns,
    pub(super) high: Ns,
}

/// The gain of each kind of stall; nothing where the GPU waits too little for it to be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Gains {
    pub(super) data_loading: Range,
    pub(super) synchronisation: Range,
    pub(super) garbage_collection: Range,
    pub(super) allocation: Range,
    pub(super) compilation: Range,
    pub(super) host_work: Range,
}

impl Gains {
    pub(super) fn of(rank: &RankView<'_>, part: &Part) -> Self {
        let whole = rank.steady().time();
        let of = |cause: Cause| part.steady(cause);
        let times = [
            of(Cause::DataLoading),
            of(Cause::Synchronisation) + part.after_sync(),
            of(Cause::GarbageCollection),
            of(Cause::Allocation),
            of(Cause::Compilation),
            part.host_work(),
        ];
        // What a stall delays behind it may be as much again.
        if !times.iter().any(|&time| is_notable(Ns(2 * time.0), whole)) {
            return Self::default();
        }
        let Some(replay) = rank.replay() else { return Self::default() };
        let stalls = Stalls::of(rank, replay);
        let gone = |removed: Vec<Interval>| {
            if removed.is_empty() {
                return Ns::ZERO;
            }
            let often = recurrence(rank, &removed);
            Ns((replay.gain(&Change::without(removed)).as_f64() * often) as i64)
        };
        let shorter = |cause: Cause| {
            let all = stalls.of_cause(cause);
            Range { low: gone(share(all, MOST_OF_IT, 10)), high: gone(all.to_vec()) }.ordered()
        };
        let released = IntervalSet::union_of(stalls.before_release().to_vec());
        let apart = |intervals: Vec<Interval>| IntervalSet::union_of(intervals).difference(&released);
        // A value that is not read is not copied to the host either.
        let calls = apart(stalls.of_cause(Cause::Synchronisation).to_vec());
        let dropped =
            replay.launched_in(&calls).filter(|&index| rank.gpu.kernel_type[index] == KernelType::Memory);
        let often = recurrence(rank, calls.as_slice());
        let without = Change { dropped: dropped.collect(), removed: calls, ..Change::default() };
        let synchronisation = Range {
            low: gone(apart(replay.waits().collect()).as_slice().to_vec()),
            high: Ns((replay.gain(&without).as_f64() * often) as i64),
        };
        let allocation = Range {
            low: gone(stalls.of_cause(Cause::Allocation).to_vec()),
            high: gone([stalls.of_cause(Cause::Allocation), stalls.before_release()].concat()),
        };
        let host_work = stalls.host_work().to_vec();
        let mut gains = Self {
            data_loading: shorter(Cause::DataLoading),
            synchronisation: synchronisation.ordered(),
            garbage_collection: shorter(Cause::GarbageCollection),
            allocation: allocation.ordered(),
            compilation: shorter(Cause::Compilation),
            // A host that never works hides everything else, too, which other findings have.
            host_work: Range { low: gone(host_work).min(part.host_work()), high: part.host_work() }.ordered(),
        };
        gains.share_out(part);
        gains
    }

    /// Time that is gained without one stall is not gained without another again: the larger gain has it.
    fn share_out(&mut self, part: &Part) {
        let is_other = |cause: Cause| matches!(cause, Cause::Profiler | Cause::Held);
        let hosts = Cause::ALL.iter().filter(|&&cause| cause.is_host() && !is_other(cause));
        let mut left: Ns = hosts.map(|&cause| part.steady(cause)).sum();
        let mut all = [
            &mut self.data_loading,
            &mut self.synchronisation,
            &mut self.garbage_collection,
            &mut self.allocation,
            &mut self.compilation,
            &mut self.host_work,
        ];
        all.sort_by_key(|range| Reverse(range.high));
        for range in all {
            range.high = range.high.min(left);
            range.low = range.low.min(range.high);
            left -= range.high;
        }
    }
}

impl Range {
    /// A stall that goes away may gain less than a part of it: order among streams is kept, not improved. The lower end is
    /// so much lower as what is played again is off.
    fn ordered(self) -> Self {
        let low = self.low.min(self.high);
        Self { low: low - Ns(low.0 / MARGIN), high: self.high.max(self.low) }
    }
}
