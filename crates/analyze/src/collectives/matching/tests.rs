//! Values by hand, and random calls against a plain search.

use eaves_model::MaybeI64;
use proptest::prelude::*;

use super::super::group::Place;
use super::super::waiting::{Split, divided_calls};
use super::*;
use crate::Statistics;

/// (group, step, kind, bytes, duration), in time order.
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
            delay: MaybeI64::NONE,
            sequence: MaybeI64::NONE,
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
    let matching = match_ranks(&ranks.iter().collect::<Vec<_>>(), |one| {
        if let Found::Match(matched) = one {
            let member = |member: &Member<'_>| (member.rank, member.call.duration.0);
            found.push(matched.members.iter().map(member).collect());
        }
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

/// Ranks that agree but for one call that the second lacks. With numbers only that one has no match.
#[test]
fn a_call_that_a_rank_lacks_shifts_nothing() {
    use Kind::AllReduce;
    let made = [(0, 1, AllReduce, 8, 10), (0, 1, AllReduce, 8, 20), (0, 1, AllReduce, 8, 30)];
    let mut ranks = [rank(&made), rank(&[(0, 1, AllReduce, 8, 11), (0, 1, AllReduce, 8, 31)])];
    let (found, matching) = durations(&ranks);
    assert_eq!((found.len(), matching.count(Fate::CountsDiffer)), (0, 5));
    for (rank, numbers) in ranks.iter_mut().zip([&[7, 8, 9][..], &[7, 9]]) {
        for (call, &number) in rank.calls.iter_mut().zip(numbers) {
            call.sequence = MaybeI64::new(number);
        }
    }
    let (found, matching) = durations(&ranks);
    assert_eq!(found, [[(0, 10), (1, 11)], [(0, 30), (1, 31)]]);
    assert_eq!((matching.count(Fate::Matched), matching.count(Fate::Alone)), (4, 1));
    // A rank that does not number its calls is matched by order, as before.
    ranks[1].calls[0].sequence = MaybeI64::NONE;
    assert_eq!(durations(&ranks).0.len(), 0);
}

/// Two threads of gloo begin two calls in any order.
#[test]
fn calls_of_the_host_may_be_swapped() {
    use Kind::{AllGather, AllReduce};
    let mut ranks = [
        rank(&[(0, 1, AllReduce, 8, 10), (0, 1, AllReduce, 4, 20), (0, 1, AllGather, 8, 30)]),
        rank(&[(0, 1, AllReduce, 4, 21), (0, 1, AllReduce, 8, 11), (0, 1, AllGather, 8, 31)]),
    ];
    assert_eq!(durations(&ranks).1.count(Fate::KindsDiffer), 4);
    for rank in &mut ranks {
        rank.groups[0].place = Place::Host;
    }
    let (found, _) = durations(&ranks);
    assert_eq!(found, [[(0, 30), (1, 31)], [(0, 20), (1, 21)], [(0, 10), (1, 11)]]);
}

fn any_kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(vec![Kind::AllReduce, Kind::AllToAll, Kind::Broadcast, Kind::SendReceive])
}

fn any_call() -> impl Strategy<Value = Made> {
    (0usize..2, 0u32..2, any_kind(), 1i64..3, 0i64..50)
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

    /// Every rank calls the same collectives, numbered, and none of them recorded all: a number tells which is which,
    /// whatever else was lost, and whatever step each rank thinks that it is in.
    #[test]
    fn numbers_match_what_ranks_lost(
        kinds in prop::collection::vec((0usize..2, any_kind()), 1..20),
        kept in prop::collection::vec(prop::collection::vec((any::<bool>(), 0u32..3, 1i64..50), 20), 1..5),
    ) {
        let ranks: Vec<Calls> = kept
            .iter()
            .map(|kept| {
                let recorded = kinds.iter().zip(kept).enumerate().filter(|(_, (_, (is_kept, ..)))| *is_kept);
                let recorded: Vec<(i64, Made)> = recorded
                    .map(|(number, (&(group, kind), &(_, step, duration)))| {
                        (number as i64, (group, step, kind, 8, duration))
                    })
                    .collect();
                let mut calls = rank(&recorded.iter().map(|&(_, made)| made).collect::<Vec<_>>());
                for call in &mut calls.calls {
                    call.sequence = MaybeI64::new(recorded[call.row as usize].0);
                }
                calls
            })
            .collect();
        let mut expected = Vec::new();
        for wanted in 0..2 {
            for (number, &(group, kind)) in kinds.iter().enumerate() {
                let with = kept.iter().enumerate().filter(|(_, kept)| kept[number].0);
                let members: Vec<(usize, i64)> = with.map(|(rank, kept)| (rank, kept[number].2)).collect();
                if group == wanted && kind.is_synchronising() && members.len() > 1 {
                    expected.push(members);
                }
            }
        }
        let (found, matching) = durations(&ranks);
        prop_assert_eq!(found, expected);
        let calls: usize = ranks.iter().map(|rank| rank.calls.len()).sum();
        prop_assert_eq!(Fate::ALL.iter().map(|&fate| matching.count(fate)).sum::<u64>(), calls as u64);
        prop_assert_eq!([Fate::CountsDiffer, Fate::KindsDiffer].map(|fate| matching.count(fate)), [0, 0]);
    }

    /// Twin: a job of which everything is known by one clock. A rank comes when it has launched and its device is free;
    /// all leave together.
    #[test]
    fn parts_are_those_of_a_job_that_is_known(
        times in prop::collection::vec((0i64..60_000, 0i64..60_000, -500i64..500), 2..5),
        transfer in 0i64..9_000,
        size in 2u32..6,
        has_launches in any::<bool>(),
    ) {
        let come: Vec<i64> = times.iter().map(|&(launched, free, _)| free.max(launched + 5_000)).collect();
        let last_came = *come.iter().max().unwrap();
        let last = come.iter().position(|&came| came == last_came).unwrap();
        let mut ranks: Vec<Calls> = Vec::new();
        for (&(launched, _, shift), came) in times.iter().zip(&come) {
            let mut calls = rank(&[(0, 1, Kind::AllReduce, 8, last_came + transfer - came)]);
            // A clock that is wrong changes nothing.
            calls.calls[0].start = Ns(came + shift);
            if has_launches {
                calls.calls[0].delay = MaybeI64::new(came - launched);
            }
            calls.groups[0].size = Some(size);
            ranks.push(calls);
        }
        let references: Vec<&Calls> = ranks.iter().collect();
        let divided = divided_calls(&references);
        prop_assert_eq!(divided.len(), times.len());
        for (one, (&(launched, ..), came)) in divided.iter().zip(times.iter().zip(&come)) {
            let Split { wait, launch_skew, unknown, .. } = one.split;
            prop_assert_eq!(one.split.total(), one.call.duration);
            prop_assert_eq!((one.last, wait + launch_skew), (Some(last), Ns(last_came - came)));
            let late = (times[last].0 - launched).clamp(0, last_came - came);
            prop_assert_eq!(launch_skew, Ns(if has_launches { late } else { 0 }));
            let is_complete = times.len() >= size as usize;
            prop_assert_eq!(one.split.transfer, Ns(if is_complete { transfer } else { 0 }));
            prop_assert_eq!(unknown, Ns(if is_complete { 0 } else { transfer }));
        }
    }
}
