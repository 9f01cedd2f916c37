//! How the time of every collective divides: transfer, waiting for other ranks, waiting for a late launch, unknown.
//!
//! This is the one definition, which all sections share. What calls are the same says [`super::matching`].

use std::collections::BTreeMap;

use eaves_model::{Interval, IntervalSet, Ns};

use super::calls::{Call, Calls};
use super::covered::Covered;
use super::group::Place;
use super::matching::{Fate, Found, Match, MatchedBy, Matching, Member, Presence, match_ranks};

/// How the time of a call divides, or of several calls. The parts add up to the duration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Split {
    /// From when the last rank came to the end.
    pub(crate) transfer: Ns,
    /// From the own beginning to when the last rank came, but for launch skew.
    pub(crate) wait: Ns,
    /// The part of this that the last rank's later launch explains.
    pub(crate) launch_skew: Ns,
    /// What nothing is known of.
    pub(crate) unknown: Ns,
}

impl Split {
    /// The parts of a matched call. All ranks leave together, so a call that lasted longer than the last one's began so
    /// much earlier. What the last one itself took is transfer, if no rank is missing; one that was not recorded may
    /// have come later still.
    pub(crate) fn of(matched: &Match<'_, '_>, member: &Member<'_>) -> Self {
        let waited = matched.wait(member);
        let launch_skew = launch_skew(waited, member.call, matched.last.call).unwrap_or(Ns::ZERO);
        let rest = matched.transfer();
        let (transfer, unknown) = match matched.presence {
            Presence::All => (rest, Ns::ZERO),
            Presence::Some | Presence::Unknown => (Ns::ZERO, rest),
        };
        Self { transfer, wait: waited - launch_skew, launch_skew, unknown }
    }

    /// All of them together.
    pub(crate) fn total(&self) -> Ns {
        self.transfer + self.wait + self.launch_skew + self.unknown
    }

    fn add(&mut self, other: Self) {
        self.transfer += other.transfer;
        self.wait += other.wait;
        self.launch_skew += other.launch_skew;
        self.unknown += other.unknown;
    }
}

/// How much of the time that a call waited for the last one is explained by when they were launched; nothing if a launch
/// is not recorded. The last rank launched later by what it came later, less what it was faster from launch to
/// beginning; that time is by the clock of its own rank, so no clocks are compared.
fn launch_skew(waited: Ns, call: &Call, last: &Call) -> Option<Ns> {
    let (delay, last_delay) = (Ns(call.delay.get()?), Ns(last.delay.get()?));
    let later_launch = waited + delay - last_delay;
    Some(later_launch.max(Ns::ZERO).min(waited))
}

/// What decides how a call divides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    /// Its parts are known, as far as ranks were recorded.
    Matched(Presence, MatchedBy),
    /// All of it is unknown.
    NotMatched(Fate),
    /// All of it is unknown: the selection has only a part of the call.
    Cut,
}

impl Rule {
    /// For people.
    pub(crate) fn text(self) -> &'static str {
        use MatchedBy::{Order, Sequence};
        match self {
            Self::Matched(Presence::All, Sequence) => "all ranks recorded, matched by sequence number",
            Self::Matched(Presence::All, Order) => "all ranks recorded, matched by order",
            Self::Matched(Presence::Some, Sequence) => "ranks missing, matched by sequence number",
            Self::Matched(Presence::Some, Order) => "ranks missing, matched by order",
            Self::Matched(Presence::Unknown, Sequence) => "group size unknown, matched by sequence number",
            Self::Matched(Presence::Unknown, Order) => "group size unknown, matched by order",
            Self::NotMatched(fate) => fate.text(),
            Self::Cut => "cut by the selection",
        }
    }
}

/// Calls of one kind on one rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    /// Their time.
    pub(crate) split: Split,
    /// How many met which rule.
    pub(crate) rules: BTreeMap<Rule, u64>,
    /// How many of the matched have launches to compare.
    pub(crate) launches: u64,
}

impl Parts {
    /// How many calls met a rule.
    pub(crate) fn count(&self, rule: impl Fn(Rule) -> bool) -> u64 {
        self.rules.iter().filter(|&(&met, _)| rule(met)).map(|(_, count)| count).sum()
    }

    /// Takes in the calls of another rank.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.split.add(other.split);
        self.launches += other.launches;
        for (&rule, &count) in &other.rules {
            *self.rules.entry(rule).or_default() += count;
        }
    }

    fn add(&mut self, rule: Rule, split: Split, has_launches: bool) {
        self.split.add(split);
        self.launches += u64::from(has_launches);
        *self.rules.entry(rule).or_default() += 1;
    }
}

/// One call: its rank, how it divides, and by which rule. Of a matched one also the rank that came last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divided<'a> {
    pub(crate) rank: usize,
    pub(crate) call: &'a Call,
    pub(crate) split: Split,
    pub(crate) rule: Rule,
    pub(crate) last: Option<usize>,
    /// True if the launches of this call and of the last one were recorded.
    pub(crate) has_launches: bool,
}

impl<'a> Divided<'a> {
    fn matched(matched: &Match<'_, 'a>, member: &Member<'a>) -> Self {
        let launch = |call: &Call| call.delay.is_some();
        Self {
            rank: member.rank,
            call: member.call,
            split: Split::of(matched, member),
            rule: Rule::Matched(matched.presence, matched.by),
            last: Some(matched.last.rank),
            has_launches: launch(member.call) && launch(matched.last.call),
        }
    }

    fn rest(member: Member<'a>, fate: Fate) -> Self {
        let split = Split { unknown: member.call.duration, ..Split::default() };
        let Member { rank, call } = member;
        Self { rank, call, split, rule: Rule::NotMatched(fate), last: None, has_launches: false }
    }
}

/// A time in which a rank waited inside a collective, by its own clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    interval: Interval,
    /// Until then it waited for a launch.
    launched: Ns,
    /// Index of the rank that came last.
    pub(crate) last: usize,
    /// Step of the call on the rank that waited.
    pub(crate) step: u32,
    /// The least part of it during which nothing was computed: all that the call was exposed beyond its transfer.
    pub(crate) exposed: Ns,
}

impl Wait {
    /// When it began.
    pub(crate) fn start(&self) -> Ns {
        self.interval.start
    }
}

/// The matched calls of one rank and place. Each is waiting first, for a launch and then for the rest, and then transfer
/// or unknown. What runs side by side counts once: the end of one call hides the waiting of another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting {
    /// Number of calls.
    pub(crate) matched: u64,
    /// Number of those that have launches to compare.
    pub(crate) launches: u64,
    /// Part of them in which nothing computed, each call for itself.
    pub(crate) exposed: Ns,
    /// The most of that which can have been transfer.
    pub(crate) exposed_transfer: Ns,
    has_transfers: bool,
    waits: Vec<Wait>,
    transfers: IntervalSet,
    /// Transfers, and the ends of calls that may have been transfer or waiting for a rank that was not recorded.
    ends: IntervalSet,
}

impl Waiting {
    /// Time in which a transfer was under way.
    pub(crate) fn transfer(&self) -> Ns {
        self.transfers.measure()
    }

    /// True if any call has all its ranks, so that its end is transfer.
    pub(crate) fn has_transfers(&self) -> bool {
        self.has_transfers
    }

    /// Time without transfer in which one may have been under way.
    pub(crate) fn unknown(&self) -> Ns {
        self.ends.measure() - self.transfers.measure()
    }

    /// Time in which the rank waited, for a launch or otherwise, and none of its calls had ended its waiting.
    pub(crate) fn wait(&self) -> Ns {
        self.wait_by(|_| ()).into_values().sum()
    }

    /// Part of that in which nothing but late launches was waited for.
    pub(crate) fn launch_skew(&self) -> Ns {
        self.launch_skew_by(|_| ()).into_values().sum()
    }

    /// The same apart by anything.
    pub(crate) fn launch_skew_by<K: Ord>(&self, key: impl Fn(&Wait) -> K) -> BTreeMap<K, Ns> {
        let behind = self.measure(|wait| Interval::new(wait.launched, wait.interval.end), &key);
        let mut skews = self.wait_by(key);
        for (skew, behind) in skews.values_mut().zip(behind.into_values()) {
            *skew -= behind;
        }
        skews
    }

    /// The waiting apart by anything. A key without time is there too.
    pub(crate) fn wait_by<K: Ord>(&self, key: impl Fn(&Wait) -> K) -> BTreeMap<K, Ns> {
        self.measure(|wait| wait.interval, key)
    }

    /// The part of the waiting during which nothing was computed.
    pub(crate) fn exposed_wait_by<K: Ord>(&self, key: impl Fn(&Wait) -> K) -> BTreeMap<K, Ns> {
        let mut exposed: BTreeMap<K, Ns> = BTreeMap::new();
        for wait in &self.waits {
            *exposed.entry(key(wait)).or_default() += wait.exposed;
        }
        // What runs side by side counts once.
        for (exposed, all) in exposed.values_mut().zip(self.wait_by(key).into_values()) {
            *exposed = (*exposed).min(all);
        }
        exposed
    }

    fn measure<K: Ord>(&self, part: impl Fn(&Wait) -> Interval, key: impl Fn(&Wait) -> K) -> BTreeMap<K, Ns> {
        let mut apart: BTreeMap<K, Vec<Interval>> = BTreeMap::new();
        for wait in &self.waits {
            apart.entry(key(wait)).or_default().push(part(wait));
        }
        let ends = Covered::new(&self.ends);
        let measure =
            |parts| IntervalSet::union_of(parts).as_slice().iter().map(|&part| ends.uncovered(part)).sum();
        apart.into_iter().map(|(key, parts)| (key, measure(parts))).collect()
    }
}

/// The calls of one rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waits {
    gpu: Waiting,
    host: Waiting,
    /// Of the calls of each of its rows.
    pub(crate) rows: Vec<Parts>,
}

impl Waits {
    /// The matched calls of a place.
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

    fn of_mut(&mut self, place: Place) -> &mut Waiting {
        match place {
            Place::Gpu => &mut self.gpu,
            Place::Host => &mut self.host,
        }
    }

    fn add(&mut self, divided: &Divided<'_>, place: Place, ends: &mut Ends) {
        let Divided { rank, call, split, rule, last, has_launches } = *divided;
        self.rows[call.row as usize].add(rule, split, has_launches);
        let Some(last) = last else { return };
        let waiting = self.of_mut(place);
        waiting.matched += 1;
        waiting.launches += u64::from(has_launches);
        waiting.exposed += call.exposed;
        waiting.exposed_transfer += call.exposed.min(split.transfer + split.unknown);
        let begins = call.start + split.launch_skew + split.wait;
        if rank != last {
            let interval = Interval::new(call.start, begins);
            let launched = call.start + split.launch_skew;
            let exposed = match place {
                Place::Gpu => (call.exposed - split.transfer - split.unknown).max(Ns::ZERO),
                Place::Host => interval.length(),
            };
            let exposed = exposed.min(interval.length());
            waiting.waits.push(Wait { interval, launched, last, step: call.step, exposed });
        }
        let end = Interval::new(begins, call.start + call.duration);
        ends.all[place as usize].push(end);
        if matches!(rule, Rule::Matched(Presence::All, _)) {
            waiting.has_transfers = true;
            ends.transfers[place as usize].push(end);
        }
    }

    fn finish(&mut self, ends: Ends, calls: &Calls) {
        let ([gpu_transfers, host_transfers], [gpu_ends, host_ends]) = (ends.transfers, ends.all);
        for (waiting, transfers, ends) in
            [(&mut self.gpu, gpu_transfers, gpu_ends), (&mut self.host, host_transfers, host_ends)]
        {
            waiting.transfers = IntervalSet::union_of(transfers);
            waiting.ends = IntervalSet::union_of(ends);
        }
        for (parts, row) in self.rows.iter_mut().zip(&calls.rows) {
            let cut = row.statistics.count() - parts.count(|_| true);
            if cut > 0 {
                parts.split.unknown += row.statistics.total() - parts.split.total();
                parts.rules.insert(Rule::Cut, cut);
            }
        }
    }
}

/// The ends of calls, by place.
#[derive(Clone, Debug, Default)]
struct Ends {
    transfers: [Vec<Interval>; 2],
    all: [Vec<Interval>; 2],
}

/// The waiting of every rank. Visits every matched collective besides.
pub(crate) fn waiting_of<'a>(
    ranks: &[&'a Calls],
    mut visit: impl FnMut(&Match<'_, 'a>),
) -> (Matching, Vec<Waits>) {
    let of_rank = |calls: &&Calls| {
        let rows = vec![Parts::default(); calls.rows.len()];
        Waits { rows, ..Waits::default() }
    };
    let mut waits: Vec<Waits> = ranks.iter().map(of_rank).collect();
    let mut ends = vec![Ends::default(); ranks.len()];
    let matching = match_ranks(ranks, |found| {
        if let Found::Match(matched) = &found {
            visit(matched);
        }
        divide(&found, |divided| {
            let calls = ranks[divided.rank];
            let place = calls.group_of(&calls.rows[divided.call.row as usize]).place;
            waits[divided.rank].add(&divided, place, &mut ends[divided.rank]);
        });
    });
    for ((waits, ends), calls) in waits.iter_mut().zip(ends).zip(ranks) {
        waits.finish(ends, calls);
    }
    (matching, waits)
}

/// Every call that is selected whole, by rank and start.
pub(crate) fn divided_calls<'a>(ranks: &[&'a Calls]) -> Vec<Divided<'a>> {
    let mut calls = Vec::new();
    match_ranks(ranks, |found| divide(&found, |divided| calls.push(divided)));
    calls.sort_by_key(|divided| (divided.rank, divided.call.start, divided.call.row));
    calls
}

fn divide<'a>(found: &Found<'_, 'a>, mut visit: impl FnMut(Divided<'a>)) {
    match found {
        Found::Match(matched) => {
            matched.members.iter().for_each(|member| visit(Divided::matched(matched, member)));
        }
        Found::Rest(member, fate) => visit(Divided::rest(*member, *fate)),
    }
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
            waits in prop::collection::vec((0i64..80, 0i64..30, 0i64..30, 0usize..3), 0..12),
            transfers in prop::collection::vec((0i64..80, 0i64..20), 0..12),
            unknowns in prop::collection::vec((0i64..80, 0i64..20), 0..4),
        ) {
            let union = |parts: Vec<(i64, i64)>| IntervalSet::union_of(parts.into_iter().map(interval).collect());
            let waiting = Waiting {
                waits: waits
                    .iter()
                    .map(|&(start, length, skew, last)| Wait {
                        interval: interval((start, length)),
                        launched: Ns(start + skew.min(length)),
                        last,
                        step: 0,
                        exposed: Ns::ZERO,
                    })
                    .collect(),
                transfers: union(transfers.clone()),
                ends: union(transfers.iter().chain(&unknowns).copied().collect()),
                ..Waiting::default()
            };
            let covers = |at: i64, (start, length): (i64, i64)| start <= at && at < start + length;
            let transfer = |at: i64| transfers.iter().any(|&one| covers(at, one));
            let end = |at: i64| transfer(at) || unknowns.iter().any(|&one| covers(at, one));
            let wait = |at: i64, last: Option<usize>| {
                !end(at) && waits.iter().any(|&(start, length, _, of)| {
                    covers(at, (start, length)) && last.is_none_or(|last| last == of)
                })
            };
            let behind = |at: i64, last: Option<usize>| {
                waits.iter().any(|&(start, length, skew, of)| {
                    let skew = skew.min(length);
                    covers(at, (start + skew, length - skew)) && last.is_none_or(|last| last == of)
                })
            };
            let count = |inside: &dyn Fn(i64) -> bool| Ns((0..120).filter(|&at| inside(at)).count() as i64);
            prop_assert_eq!(waiting.transfer(), count(&transfer));
            prop_assert_eq!(waiting.unknown(), count(&|at| end(at) && !transfer(at)));
            prop_assert_eq!(waiting.wait(), count(&|at| wait(at, None)));
            prop_assert_eq!(waiting.launch_skew(), count(&|at| wait(at, None) && !behind(at, None)));
            for (last, time) in waiting.wait_by(|wait| wait.last) {
                prop_assert_eq!(time, count(&|at| wait(at, Some(last))));
            }
            for (last, time) in waiting.launch_skew_by(|wait| wait.last) {
                prop_assert_eq!(time, count(&|at| wait(at, Some(last)) && !behind(at, Some(last))));
            }
        }
    }
}
