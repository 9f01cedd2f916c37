//! How long each rank waited in its collectives, and for whom.

use std::collections::BTreeMap;

use eaves_model::{Interval, IntervalSet, Ns};

use super::calls::Calls;
use super::covered::Covered;
use super::group::Place;
use super::matching::{Match, Matching, match_ranks};

/// A time in which a rank waited inside a collective, by its own clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    interval: Interval,
    /// Index of the rank that came last.
    pub(crate) last: usize,
    /// Step of the call on the rank that waited.
    pub(crate) step: u32,
}

/// The matched calls of one rank and place. Each is waiting first and transfer then. What runs side by side counts
/// once, and a transfer of one call hides the waiting of another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting {
    /// Number of calls.
    pub(crate) matched: u64,
    /// Part of them in which nothing computed, each call for itself.
    pub(crate) exposed: Ns,
    /// The most of that which can have been transfer.
    pub(crate) exposed_transfer: Ns,
    waits: Vec<Wait>,
    transfers: IntervalSet,
}

impl Waiting {
    /// Time in which a transfer was under way.
    pub(crate) fn transfer(&self) -> Ns {
        self.transfers.measure()
    }

    /// Time in which the rank waited and no transfer was under way.
    pub(crate) fn wait(&self) -> Ns {
        self.wait_by(|_| ()).into_values().sum()
    }

    /// The same apart by anything. A key without time is there too.
    pub(crate) fn wait_by<K: Ord>(&self, key: impl Fn(&Wait) -> K) -> BTreeMap<K, Ns> {
        let mut apart: BTreeMap<K, Vec<Interval>> = BTreeMap::new();
        for wait in &self.waits {
            apart.entry(key(wait)).or_default().push(wait.interval);
        }
        let transfers = Covered::new(&self.transfers);
        let measure = |waits| {
            IntervalSet::union_of(waits).as_slice().iter().map(|&wait| transfers.uncovered(wait)).sum()
        };
        apart.into_iter().map(|(key, waits)| (key, measure(waits))).collect()
    }
}

/// The matched calls of one rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waits {
    gpu: Waiting,
    host: Waiting,
}

impl Waits {
    /// Those of a place.
    pub(crate) fn of(&self, place: Place) -> &Waiting {
        match place {
            Place::Gpu => &self.gpu,
            Place::Host => &self.host,
        }
    }

    /// Those of both places.
    pub(crate) fn both(&self) -> [&Waiting; 2] {
        [&self.gpu, &self.host]
    }
}

/// The waiting of every rank. Visits every matched collective besides.
pub(crate) fn waiting_of<'a>(
    ranks: &[&'a Calls],
    mut visit: impl FnMut(&Match<'_, 'a>),
) -> (Matching, Vec<Waits>) {
    let mut waits = vec![Waits::default(); ranks.len()];
    let mut transfers: Vec<[Vec<Interval>; 2]> = vec![Default::default(); ranks.len()];
    let matching = match_ranks(ranks, |matched| {
        visit(matched);
        let (transfer, place) = (matched.transfer, matched.group.place);
        let Some(last) = matched.last() else { return };
        for member in matched.members {
            let call = member.call;
            let waiting = match place {
                Place::Gpu => &mut waits[member.rank].gpu,
                Place::Host => &mut waits[member.rank].host,
            };
            waiting.matched += 1;
            waiting.exposed += call.exposed;
            waiting.exposed_transfer += call.exposed.min(transfer);
            let begins = call.start + matched.wait(member);
            if member.rank != last.rank {
                let interval = Interval::new(call.start, begins);
                waiting.waits.push(Wait { interval, last: last.rank, step: call.step });
            }
            transfers[member.rank][place as usize].push(Interval::new(begins, call.start + call.duration));
        }
    });
    for (waits, [gpu, host]) in waits.iter_mut().zip(transfers) {
        waits.gpu.transfers = IntervalSet::union_of(gpu);
        waits.host.transfers = IntervalSet::union_of(host);
    }
    (matching, waits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn interval((start, length): (i64, i64)) -> Interval {
        Interval::new(Ns(start), Ns(start + length))
    }

    proptest! {
        /// Twin: one flag a nanosecond.
        #[test]
        fn what_runs_side_by_side_counts_once(
            waits in prop::collection::vec((0i64..80, 0i64..30, 0usize..3), 0..12),
            transfers in prop::collection::vec((0i64..80, 0i64..20), 0..12),
        ) {
            let waiting = Waiting {
                waits: waits
                    .iter()
                    .map(|&(start, length, last)| Wait { interval: interval((start, length)), last, step: 0 })
                    .collect(),
                transfers: IntervalSet::union_of(transfers.iter().copied().map(interval).collect()),
                ..Waiting::default()
            };
            let covers = |at: i64, (start, length): (i64, i64)| start <= at && at < start + length;
            let transfer = |at: i64| transfers.iter().any(|&one| covers(at, one));
            let wait = |at: i64, last: Option<usize>| {
                !transfer(at) && waits.iter().any(|&(start, length, of)| {
                    covers(at, (start, length)) && last.is_none_or(|last| last == of)
                })
            };
            let count = |inside: &dyn Fn(i64) -> bool| Ns((0..120).filter(|&at| inside(at)).count() as i64);
            prop_assert_eq!(waiting.transfer(), count(&transfer));
            prop_assert_eq!(waiting.wait(), count(&|at| wait(at, None)));
            for (last, time) in waiting.wait_by(|wait| wait.last) {
                prop_assert_eq!(time, count(&|at| wait(at, Some(last))));
            }
        }
    }
}
