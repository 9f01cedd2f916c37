//! Which calls of different ranks are one and the same collective, and who waited in it for whom.
//!
//! Ranks of a group call its collectives in the same order, so the k-th call of a group in a step on one rank is the
//! k-th on every other. That is checked, never taken for granted: where ranks disagree about the number of calls, or
//! about kind, element type and size of one, nothing is matched.
//!
//! No clock is compared. All ranks leave a synchronising collective together, and it begins to move data when the last
//! one has come. So the shortest duration is about the time of the transfer, and what the others took longer is the
//! time they waited. Clocks of different machines would be needed for more, and they are rarely right to a microsecond.

use std::collections::BTreeMap;

use eaves_model::Ns;

use super::calls::{Call, Calls, Row};
use super::group::{Group, GroupKey};

/// One call of one rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member<'a> {
    /// Index of the rank among those that were given.
    pub(crate) rank: usize,
    /// The call.
    pub(crate) call: &'a Call,
}

/// One collective as several ranks recorded it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Match<'m, 'a> {
    /// The group.
    pub(crate) group: &'a Group,
    /// The row of its first member.
    pub(crate) row: &'a Row,
    /// At least two, by rank.
    pub(crate) members: &'m [Member<'a>],
    /// About the time of the transfer: the shortest duration. Found once: every member is compared with it.
    pub(crate) transfer: Ns,
    /// Between the first and the last start by the clocks of the ranks; nothing if these have no common zero.
    pub(crate) start_skew: Option<Ns>,
}

impl<'a> Match<'_, 'a> {
    /// How long a member waited for the last one.
    pub(crate) fn wait(&self, member: &Member<'_>) -> Ns {
        member.call.duration - self.transfer
    }

    /// How long the one that waited longest did.
    pub(crate) fn longest_wait(&self) -> Ns {
        self.members.iter().map(|member| self.wait(member)).max().unwrap_or(Ns::ZERO)
    }

    /// The member that came last: the one of the shortest duration, of several the first.
    pub(crate) fn last(&self) -> Option<Member<'a>> {
        self.members.iter().min_by_key(|member| member.call.duration).copied()
    }
}

/// What became of the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fate {
    /// Matched over ranks.
    Matched,
    /// The ranks have different numbers of calls.
    CountsDiffer,
    /// The ranks disagree about kind, type or size.
    KindsDiffer,
    /// No other rank has the group and step.
    Alone,
    /// Not all ranks wait for each other in it.
    NotSynchronising,
    /// The call names no group, and there are several it may be of.
    GroupUnknown,
}

impl Fate {
    /// Every fate, in order.
    pub(crate) const ALL: [Self; 6] = [
        Self::Matched,
        Self::CountsDiffer,
        Self::KindsDiffer,
        Self::Alone,
        Self::NotSynchronising,
        Self::GroupUnknown,
    ];

    /// What it means, for people.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Matched => "matched over ranks",
            Self::CountsDiffer => {
                "not matched: ranks have different numbers of calls of the group in the step"
            }
            Self::KindsDiffer => "not matched: ranks disagree about kind, type or size",
            Self::Alone => "not matched: no other rank of the group recorded the step",
            Self::NotSynchronising => "not looked at: point-to-point, one-way, or of no known kind",
            Self::GroupUnknown => "not looked at: names no group, and there are several",
        }
    }
}

/// How many calls met which fate, over all ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Matching([u64; Fate::ALL.len()]);

impl Matching {
    /// Number of calls of a fate.
    pub(crate) fn count(&self, fate: Fate) -> u64 {
        self.0[fate as usize]
    }

    fn add(&mut self, fate: Fate, calls: usize) {
        self.0[fate as usize] += calls as u64;
    }
}

/// The calls of one group and step of one rank that every rank of the group must have.
struct Sequence<'a> {
    rank: usize,
    group: &'a Group,
    calls: Vec<&'a Call>,
}

/// Visits every matched collective, by group, step and order.
pub(crate) fn match_ranks<'a>(ranks: &[&'a Calls], mut visit: impl FnMut(&Match<'_, 'a>)) -> Matching {
    let mut matching = Matching::default();
    let mut sequences: BTreeMap<(GroupKey<'a>, u32), Vec<Sequence<'a>>> = BTreeMap::new();
    for (rank, calls) in ranks.iter().enumerate() {
        collect(rank, calls, &mut sequences, &mut matching);
    }
    for together in sequences.values() {
        match_sequences(ranks, together, &mut matching, &mut visit);
    }
    matching
}

fn collect<'a>(
    rank: usize,
    calls: &'a Calls,
    sequences: &mut BTreeMap<(GroupKey<'a>, u32), Vec<Sequence<'a>>>,
    matching: &mut Matching,
) {
    let group_of = |call: &Call| calls.rows[call.row as usize].group;
    for run in calls.calls.chunk_by(|a, b| (group_of(a), a.step) == (group_of(b), b.step)) {
        let group = &calls.groups[group_of(&run[0]) as usize];
        if !group.is_comparable {
            matching.add(Fate::GroupUnknown, run.len());
            continue;
        }
        let takes_part = |call: &&Call| calls.rows[call.row as usize].kind.is_of_whole_group();
        let kept: Vec<&Call> = run.iter().filter(takes_part).collect();
        matching.add(Fate::NotSynchronising, run.len() - kept.len());
        if !kept.is_empty() {
            let sequence = Sequence { rank, group, calls: kept };
            sequences.entry((group.key(), run[0].step)).or_default().push(sequence);
        }
    }
}

fn match_sequences<'a>(
    ranks: &[&'a Calls],
    together: &[Sequence<'a>],
    matching: &mut Matching,
    visit: &mut impl FnMut(&Match<'_, 'a>),
) {
    let all = together.iter().map(|sequence| sequence.calls.len()).sum();
    let [first, rest @ ..] = together else { return };
    if rest.is_empty() {
        return matching.add(Fate::Alone, all);
    }
    if rest.iter().any(|sequence| sequence.calls.len() != first.calls.len()) {
        return matching.add(Fate::CountsDiffer, all);
    }
    let mut members = Vec::with_capacity(together.len());
    for index in 0..first.calls.len() {
        members.clear();
        members.extend(
            together.iter().map(|sequence| Member { rank: sequence.rank, call: sequence.calls[index] }),
        );
        let row_of = |member: &Member<'a>| &ranks[member.rank].rows[member.call.row as usize];
        let row = row_of(&members[0]);
        if !members.iter().all(|member| is_same(row, row_of(member))) {
            matching.add(Fate::KindsDiffer, members.len());
        } else if !row.kind.is_synchronising() {
            matching.add(Fate::NotSynchronising, members.len());
        } else {
            matching.add(Fate::Matched, members.len());
            let start_skew = start_skew(ranks, &members);
            let transfer = members.iter().map(|member| member.call.duration).min().unwrap_or(Ns::ZERO);
            visit(&Match { group: first.group, row, members: &members, transfer, start_skew });
        }
    }
}

fn is_same(one: &Row, other: &Row) -> bool {
    let same_size = !one.kind.has_one_size() || one.bytes == other.bytes;
    one.kind == other.kind && one.element == other.element && same_size
}

/// Times of different recordings compare only if all count from a known zero, or all from the same unknown one.
fn start_skew(ranks: &[&Calls], members: &[Member<'_>]) -> Option<Ns> {
    let base = |member: &Member<'_>| ranks[member.rank].base_time;
    let known = base(members.first()?).is_some();
    if members.iter().any(|member| base(member).is_some() != known) {
        return None;
    }
    let absolute = |member: &Member<'_>| member.call.start + Ns(base(member).unwrap_or(0));
    let first = members.iter().map(absolute).min()?;
    let last = members.iter().map(absolute).max()?;
    Some(last - first)
}

#[cfg(test)]
mod tests {
    use eaves_model::MaybeI64;
    use proptest::prelude::*;

    use super::super::group::Place;
    use super::super::kind::Kind;
    use super::*;
    use crate::Statistics;

    /// (group, step, kind, bytes, duration), in order of time.
    type Made = (usize, u32, Kind, i64, i64);

    fn rank(made: &[Made]) -> Calls {
        let group = |name: usize| Group {
            place: Place::Gpu,
            named: Some((name.to_string(), "[0, 1, 2]".to_owned())),
            stream: MaybeI64::NONE,
            size: Some(3),
            description: None,
            is_comparable: true,
        };
        let mut calls = Calls { groups: (0..2).map(group).collect(), ..Calls::default() };
        for (index, &(group, step, kind, bytes, duration)) in made.iter().enumerate() {
            calls.rows.push(Row {
                kind,
                name: None,
                element: None,
                group: group as u32,
                bytes: Ok((bytes, bytes)),
                total_bytes: bytes,
                statistics: Statistics::default(),
                busy: Ns::ZERO,
                exposed: None,
            });
            let start = Ns(1000 * index as i64);
            calls.calls.push(Call {
                start,
                duration: Ns(duration),
                exposed: Ns::ZERO,
                step,
                row: index as u32,
            });
        }
        let rows = &calls.rows;
        calls.calls.sort_by_key(|call| (rows[call.row as usize].group, call.step, call.start));
        calls
    }

    fn durations(ranks: &[Calls]) -> (Vec<Vec<(usize, i64)>>, Matching) {
        let mut found = Vec::new();
        let matching = match_ranks(&ranks.iter().collect::<Vec<_>>(), |matched| {
            found.push(matched.members.iter().map(|member| (member.rank, member.call.duration.0)).collect());
        });
        (found, matching)
    }

    #[test]
    fn calls_are_matched_by_group_step_and_order() {
        use Kind::{AllReduce, Broadcast, SendReceive};
        let ranks = [
            rank(&[
                (0, 1, AllReduce, 8, 50),
                (0, 1, SendReceive, 4, 5),
                (1, 1, AllReduce, 8, 7),
                (0, 2, AllReduce, 8, 51),
                (0, 2, Broadcast, 8, 3),
            ]),
            rank(&[
                (1, 1, AllReduce, 8, 9),
                (0, 1, AllReduce, 8, 30),
                (0, 2, AllReduce, 8, 31),
                (0, 2, Broadcast, 8, 2),
                (0, 3, AllReduce, 8, 99),
            ]),
        ];
        let (found, matching) = durations(&ranks);
        assert_eq!(found, [[(0, 50), (1, 30)], [(0, 51), (1, 31)], [(0, 7), (1, 9)]]);
        assert_eq!(Fate::ALL.map(|fate| matching.count(fate)), [6, 0, 0, 1, 3, 0]);
    }

    #[test]
    fn ranks_that_disagree_are_not_matched() {
        use Kind::{AllGather, AllReduce, AllToAll};
        let first = rank(&[(0, 1, AllReduce, 8, 1), (0, 1, AllReduce, 8, 1), (0, 1, AllToAll, 8, 1)]);
        let other_kind = rank(&[(0, 1, AllReduce, 8, 1), (0, 1, AllGather, 8, 1), (0, 1, AllToAll, 9, 1)]);
        let other_size = rank(&[(0, 1, AllReduce, 8, 1), (0, 1, AllReduce, 16, 1), (0, 1, AllToAll, 9, 1)]);
        let shorter = rank(&[(0, 1, AllReduce, 8, 1)]);
        for other in [other_kind, other_size] {
            let (found, matching) = durations(&[first.clone(), other]);
            assert_eq!((found.len(), matching.count(Fate::KindsDiffer)), (2, 2));
        }
        let (found, matching) = durations(&[first.clone(), shorter]);
        assert_eq!((found.len(), matching.count(Fate::CountsDiffer)), (0, 4));
        let mut unknown = first.clone();
        unknown.groups[0].is_comparable = false;
        let (found, matching) = durations(&[first, unknown]);
        assert_eq!((found.len(), matching.count(Fate::Alone), matching.count(Fate::GroupUnknown)), (0, 3, 3));
    }

    fn any_call() -> impl Strategy<Value = Made> {
        let kinds = [Kind::AllReduce, Kind::AllToAll, Kind::Broadcast, Kind::SendReceive];
        (0usize..2, 0u32..2, prop::sample::select(kinds.to_vec()), 1i64..3, 0i64..50)
    }

    /// The k-th call of a group and step that all ranks of the group must have.
    fn twin(ranks: &[Vec<Made>]) -> Vec<Vec<(usize, i64)>> {
        let mut found = Vec::new();
        for (group, step) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let lists: Vec<(usize, Vec<Made>)> = ranks
                .iter()
                .map(|calls| calls.iter().filter(|call| (call.0, call.1) == (group, step)))
                .map(|calls| calls.filter(|call| call.2 != Kind::SendReceive).copied().collect())
                .enumerate()
                .filter(|(_, list): &(usize, Vec<Made>)| !list.is_empty())
                .collect();
            if lists.len() < 2 || lists.iter().any(|(_, list)| list.len() != lists[0].1.len()) {
                continue;
            }
            for index in 0..lists[0].1.len() {
                let (_, _, kind, bytes, _) = lists[0].1[index];
                let agrees = |call: &Made| call.2 == kind && (call.3 == bytes || kind == Kind::AllToAll);
                if kind != Kind::Broadcast && lists.iter().all(|(_, list)| agrees(&list[index])) {
                    found.push(lists.iter().map(|(rank, list)| (*rank, list[index].4)).collect());
                }
            }
        }
        found
    }

    proptest! {
        #[test]
        fn agrees_with_a_plain_search(ranks in prop::collection::vec(prop::collection::vec(any_call(), 0..8), 1..4)) {
            let calls: Vec<Calls> = ranks.iter().map(|made| rank(made)).collect();
            let (found, matching) = durations(&calls);
            prop_assert_eq!(&found, &twin(&ranks));
            let all: usize = ranks.iter().map(Vec::len).sum();
            prop_assert_eq!(Fate::ALL.iter().map(|&fate| matching.count(fate)).sum::<u64>(), all as u64);
            prop_assert_eq!(matching.count(Fate::Matched), found.iter().map(Vec::len).sum::<usize>() as u64);
        }

        #[test]
        fn a_duration_is_waiting_and_transfer(durations in prop::collection::vec(0i64..100, 2..5), shift in -500i64..500) {
            let ranks: Vec<Calls> =
                durations.iter().map(|&duration| rank(&[(0, 1, Kind::AllReduce, 8, duration)])).collect();
            let split = |ranks: &[Calls]| {
                let mut split = Vec::new();
                match_ranks(&ranks.iter().collect::<Vec<_>>(), |matched| {
                    let waits = matched.members.iter().map(|member| matched.wait(member)).collect::<Vec<_>>();
                    split.push((matched.transfer, waits, matched.last().map(|member| member.rank)));
                });
                split
            };
            let found = split(&ranks);
            let [(transfer, waits, last)] = &found[..] else { panic!("one collective expected") };
            for (wait, duration) in waits.iter().zip(&durations) {
                prop_assert!(*wait >= Ns::ZERO);
                prop_assert_eq!(*wait + *transfer, Ns(*duration));
            }
            prop_assert_eq!(durations[last.unwrap()], *durations.iter().min().unwrap());
            // A clock that is wrong changes nothing.
            let mut shifted = ranks.clone();
            shifted[0].calls[0].start += Ns(shift);
            prop_assert_eq!(split(&shifted), found);
        }
    }
}
