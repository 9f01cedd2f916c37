//! Which calls of different ranks are one and the same collective, and who waited in it for whom.
//!
//! Calls that are numbered within their process group (Kineto's `Seq`) are the same if their number is: a rank that lacks
//! one shifts nothing. Ranks of a group call its collectives in the same order, so without numbers the k-th call of a
//! group in a step on one rank is the k-th on every other; threads of gloo may swap calls, so there it is the k-th of a
//! kind, type and size. That is checked, never taken for granted: where ranks disagree about the number of calls, or
//! about kind, element type and size of one, nothing is matched.
//!
//! No clock is compared. All ranks leave a synchronizing collective together, and it begins to move data when the last
//! one has come. So the shortest duration is about the time of the transfer, and what the others took longer is the
//! time they waited. Clocks of different machines would be needed for more, and they are rarely right to a microsecond.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use eaves_model::Ns;

use super::Kind;
use super::calls::{Call, Calls, Row};
use super::group::{Group, GroupKey, Place};

/// One call of one rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member<'a> {
    /// Index of the rank among those that were given.
    pub(crate) rank: usize,
    /// The call.
    pub(crate) call: &'a Call,
}

/// What tells that calls are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MatchedBy {
    /// Their number within the group.
    Sequence,
    /// Their order within the step.
    Order,
}

/// Whether every rank of the group was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Presence {
    All,
    Some,
    /// The recording does not say how many there are.
    Unknown,
}

/// What the clocks of the ranks say of when they came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartSkew {
    /// Between the first and the last start.
    Known(Ns),
    /// The recordings have no common zero.
    NoCommonZero,
    /// A rank left before the last one came, which cannot be.
    ClocksDisagree,
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
    /// The member that came last: the one of the shortest duration, of several the first.
    pub(crate) last: Member<'a>,
    /// What tells that they belong together.
    pub(crate) by: MatchedBy,
    /// Whether all are here.
    pub(crate) presence: Presence,
    /// By the clocks of the ranks.
    pub(crate) start_skew: StartSkew,
}

impl Match<'_, '_> {
    /// About the time of the transfer: the shortest duration.
    pub(crate) fn transfer(&self) -> Ns {
        self.last.call.duration
    }

    /// How long a member waited for the last one.
    pub(crate) fn wait(&self, member: &Member<'_>) -> Ns {
        member.call.duration - self.transfer()
    }

    /// How long the one that waited longest did.
    pub(crate) fn longest_wait(&self) -> Ns {
        self.members.iter().map(|member| self.wait(member)).max().unwrap_or(Ns::ZERO)
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
    /// No other rank has the call, or its group and step.
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
            Self::Alone => "not matched: not recorded on another rank of the group",
            Self::NotSynchronising => "ignored: point-to-point, one-way, or unknown kind",
            Self::GroupUnknown => "ignored: no group named, and there are several",
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
}

/// What is found, call by call.
#[derive(Debug)]
pub(crate) enum Found<'m, 'a> {
    /// Calls of several ranks that are one collective.
    Match(Match<'m, 'a>),
    /// A call that has no match.
    Rest(Member<'a>, Fate),
}

/// The calls of one group on one rank that every rank of the group must have.
struct OfRank<'a> {
    rank: usize,
    group: &'a Group,
    calls: Vec<&'a Call>,
}

/// Visits every call: matched collectives by group, number or step, and order.
pub(crate) fn match_ranks<'a>(ranks: &[&'a Calls], mut visit: impl FnMut(Found<'_, 'a>)) -> Matching {
    let mut matching = Matching::default();
    let mut visit = |found: Found<'_, 'a>| {
        let (fate, calls) = match &found {
            Found::Match(matched) => (Fate::Matched, matched.members.len()),
            Found::Rest(_, fate) => (*fate, 1),
        };
        matching.0[fate as usize] += calls as u64;
        visit(found);
    };
    let mut groups: BTreeMap<GroupKey<'a>, Vec<OfRank<'a>>> = BTreeMap::new();
    for (rank, calls) in ranks.iter().enumerate() {
        collect(rank, calls, &mut groups, &mut visit);
    }
    for group in groups.values_mut() {
        match_group(ranks, group, &mut visit);
    }
    matching
}

fn collect<'a>(
    rank: usize,
    calls: &'a Calls,
    groups: &mut BTreeMap<GroupKey<'a>, Vec<OfRank<'a>>>,
    visit: &mut impl FnMut(Found<'_, 'a>),
) {
    let group_of = |call: &Call| calls.rows[call.row as usize].group;
    for run in calls.calls.chunk_by(|a, b| group_of(a) == group_of(b)) {
        let group = &calls.groups[group_of(&run[0]) as usize];
        let mut kept = Vec::with_capacity(if group.is_comparable { run.len() } else { 0 });
        for call in run {
            if !group.is_comparable {
                visit(Found::Rest(Member { rank, call }, Fate::GroupUnknown));
            } else if !calls.rows[call.row as usize].kind.is_of_whole_group() {
                visit(Found::Rest(Member { rank, call }, Fate::NotSynchronising));
            } else {
                kept.push(call);
            }
        }
        if !kept.is_empty() {
            groups.entry(group.key()).or_default().push(OfRank { rank, group, calls: kept });
        }
    }
}

/// What must be the same of calls that are: the number, or the step; where calls may be swapped also kind, type, size.
type Slot<'a> = (i64, Option<(Kind, Option<&'a str>, Option<(i64, i64)>)>);

/// Walks through the calls of all ranks slot by slot.
fn match_group<'a>(ranks: &[&'a Calls], group: &mut [OfRank<'a>], visit: &mut impl FnMut(Found<'_, 'a>)) {
    let is_numbered = group.iter().flat_map(|of_rank| &of_rank.calls).all(|call| call.sequence.is_some());
    let by = if is_numbered { MatchedBy::Sequence } else { MatchedBy::Order };
    let row_of = |rank: usize, call: &Call| -> &'a Row { &ranks[rank].rows[call.row as usize] };
    let may_swap = group.first().is_some_and(|of_rank| of_rank.group.place == Place::Host);
    let slot_of = |rank: usize, call: &Call| -> Slot<'a> {
        let row = row_of(rank, call);
        let size = row.bytes.ok().filter(|_| row.kind.has_one_size());
        match by {
            MatchedBy::Sequence => (call.sequence.get().unwrap_or(0), None),
            MatchedBy::Order if may_swap => {
                (i64::from(call.step), Some((row.kind, row.element.as_deref(), size)))
            }
            MatchedBy::Order => (i64::from(call.step), None),
        }
    };
    for OfRank { rank, calls, .. } in group.iter_mut() {
        calls.sort_by_key(|call| (slot_of(*rank, call), call.start));
    }
    let mut next = vec![0; group.len()];
    let mut together: Vec<(usize, &[&'a Call])> = Vec::with_capacity(group.len());
    let mut members = Vec::with_capacity(group.len());
    loop {
        let slots = group
            .iter()
            .zip(&next)
            .filter_map(|(of_rank, &next)| of_rank.calls.get(next).map(|call| slot_of(of_rank.rank, call)));
        let Some(slot) = slots.min() else { return };
        together.clear();
        for (of_rank, next) in group.iter().zip(&mut next) {
            let rest = &of_rank.calls[*next..];
            let count = rest.iter().take_while(|call| slot_of(of_rank.rank, call) == slot).count();
            *next += count;
            if count > 0 {
                together.push((of_rank.rank, &rest[..count]));
            }
        }
        let first = together[0].1.len();
        let fate = match together.len() {
            1 => Some(Fate::Alone),
            _ if together.iter().any(|(_, calls)| calls.len() != first) => Some(Fate::CountsDiffer),
            _ => None,
        };
        if let Some(fate) = fate {
            for &(rank, calls) in &together {
                calls.iter().for_each(|&call| visit(Found::Rest(Member { rank, call }, fate)));
            }
            continue;
        }
        for index in 0..first {
            members.clear();
            members.extend(together.iter().map(|&(rank, calls)| Member { rank, call: calls[index] }));
            match_members(ranks, group[0].group, by, &members, visit);
        }
    }
}

fn match_members<'a>(
    ranks: &[&'a Calls],
    group: &'a Group,
    by: MatchedBy,
    members: &[Member<'a>],
    visit: &mut impl FnMut(Found<'_, 'a>),
) {
    let row_of = |member: &Member<'a>| -> &'a Row { &ranks[member.rank].rows[member.call.row as usize] };
    let Some(&last) = members.iter().min_by_key(|member| member.call.duration) else { return };
    let row = row_of(&members[0]);
    let fate = if !members.iter().all(|member| is_same(row, row_of(member))) {
        Fate::KindsDiffer
    } else if !row.kind.is_synchronising() {
        Fate::NotSynchronising
    } else {
        let (presence, start_skew) = (presence(ranks, group, members), start_skew(ranks, members));
        return visit(Found::Match(Match { group, row, members, last, by, presence, start_skew }));
    };
    members.iter().for_each(|&member| visit(Found::Rest(member, fate)));
}

fn is_same(one: &Row, other: &Row) -> bool {
    let same_size = !one.kind.has_one_size() || one.bytes == other.bytes;
    one.kind == other.kind && one.element == other.element && same_size
}

fn presence(ranks: &[&Calls], group: &Group, members: &[Member<'_>]) -> Presence {
    // No group is larger than the job.
    let world_size = || members.iter().find_map(|member| ranks[member.rank].world_size);
    match group.size.or_else(world_size) {
        Some(size) if members.len() >= size as usize => Presence::All,
        Some(_) if group.size.is_some() => Presence::Some,
        _ => Presence::Unknown,
    }
}

/// Clocks that agree may still differ by about what it takes to launch a kernel.
const CLOCK_ERROR: Ns = Ns(10_000);

/// Times of different recordings compare only if all count from a known zero, or all from the same unknown one.
fn start_skew(ranks: &[&Calls], members: &[Member<'_>]) -> StartSkew {
    let base = |member: &Member<'_>| ranks[member.rank].base_time;
    let known = members.iter().filter(|member| base(member).is_some()).count();
    if known != 0 && known != members.len() {
        return StartSkew::NoCommonZero;
    }
    let start = |member: &Member<'_>| member.call.start + Ns(base(member).unwrap_or(0));
    let starts = || members.iter().map(start);
    let ends = members.iter().map(|member| start(member) + member.call.duration);
    match (starts().min(), starts().max(), ends.min()) {
        (Some(_), Some(last), Some(end)) if end + CLOCK_ERROR < last => StartSkew::ClocksDisagree,
        (Some(first), Some(last), _) => StartSkew::Known(last - first),
        _ => StartSkew::NoCommonZero,
    }
}
