//! The same collectives on several ranks: who waited, and how long the transfer took.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use eaves_model::Ns;

use super::super::Rank;
use crate::collectives::{
    Call, Calls, Group, GroupKey, Kind, Match, Matching, Place, Row, Rule, StartSkew, Waits, waiting_of,
};
use crate::{Job, Statistics};

/// Why there is no split into waiting and transfer.
pub(super) const ONE_RANK: &str = "needs recordings of two or more ranks";
pub(super) const SAME_RANK: &str = "several recordings claim the same rank";

/// Matched collectives of one group, kind, type and size.
#[derive(Clone, Debug)]
pub(super) struct Compared<'a> {
    /// The group as its first rank recorded it.
    pub(super) group: &'a Group,
    /// The row of the first call.
    pub(super) row: &'a Row,
    /// The size of every call, if all have the same.
    pub(super) size: Option<i64>,
    /// How many ranks at most took part.
    pub(super) ranks: usize,
    /// Shortest durations.
    pub(super) transfer: Statistics,
    /// How long the first rank of each waited for the last.
    pub(super) arrival_skew: Statistics,
    /// The same by the ranks' clocks.
    pub(super) start_skew: Statistics,
    /// By which rules the calls divide.
    pub(super) rules: BTreeSet<Rule>,
    /// How often each rank came last, by its index.
    last: BTreeMap<usize, u64>,
}

impl Compared<'_> {
    /// The rank that came last most often, and how often.
    pub(super) fn most_often_last(&self) -> Option<(usize, u64)> {
        self.last
            .iter()
            .max_by_key(|&(&rank, &count)| (count, std::cmp::Reverse(rank)))
            .map(|(&r, &c)| (r, c))
    }

    fn add(&mut self, matched: &Match<'_, '_>) {
        self.ranks = self.ranks.max(matched.members.len());
        self.transfer.add(matched.transfer());
        self.arrival_skew.add(matched.longest_wait());
        if let StartSkew::Known(skew) = matched.start_skew {
            self.start_skew.add(skew);
        }
        self.rules.insert(Rule::Matched(matched.presence, matched.by));
        *self.last.entry(matched.last.rank).or_default() += 1;
    }
}

/// Kinds of one group that compare with each other.
type Key<'a> = (GroupKey<'a>, Kind, Option<&'a str>, Option<i64>);

/// What the ranks show together.
pub(super) struct Across<'a> {
    /// The waiting of each rank, or why it is not known.
    pub(super) waits: Result<Vec<Waits>, &'static str>,
    /// What became of the calls.
    pub(super) matching: Matching,
    /// Longest total transfer first.
    pub(super) compared: Vec<Compared<'a>>,
    /// Why the clocks of the ranks cannot be compared.
    pub(super) clocks: Result<(), &'static str>,
}

const NO_COMMON_ZERO: &str = "the recordings share no time base";
const CLOCKS_DISAGREE: &str =
    "the ranks' clocks disagree: a rank left a collective before the last one joined";

impl<'a> Across<'a> {
    /// Matches the calls of the ranks.
    pub(super) fn of(job: &Job, ranks: &'a [Rank<'_, Arc<Calls>>]) -> Self {
        let none = |why| Self {
            waits: Err(why),
            matching: Matching::default(),
            compared: Vec::new(),
            clocks: Err(why),
        };
        if ranks.len() < 2 {
            return none(ONE_RANK);
        }
        if job.ranks_are_ambiguous() {
            return none(SAME_RANK);
        }
        let calls: Vec<&Calls> = ranks.iter().map(|rank| rank.part.as_ref()).collect();
        let mut compared: BTreeMap<Key<'a>, Compared<'a>> = BTreeMap::new();
        let mut clocks = Ok(());
        let (matching, waits) = waiting_of(&calls, |matched| {
            match matched.start_skew {
                StartSkew::Known(_) => {}
                StartSkew::NoCommonZero => clocks = clocks.and(Err(NO_COMMON_ZERO)),
                StartSkew::ClocksDisagree => clocks = Err(CLOCKS_DISAGREE),
            }
            let (group, row) = (matched.group, matched.row);
            let size = row.one_size().filter(|_| row.kind.has_one_size());
            let key = (group.key(), row.kind, row.element.as_deref(), size);
            let entry = compared.entry(key).or_insert_with(|| Compared {
                group,
                row,
                size: row.one_size(),
                ranks: 0,
                transfer: Statistics::default(),
                arrival_skew: Statistics::default(),
                start_skew: Statistics::default(),
                rules: BTreeSet::new(),
                last: BTreeMap::new(),
            });
            let sizes = matched
                .members
                .iter()
                .map(|member| calls[member.rank].rows[member.call.row as usize].one_size());
            entry.size = sizes.fold(entry.size, |size, other| size.filter(|_| size == other));
            entry.add(matched);
        });
        let mut compared: Vec<Compared<'a>> = compared.into_values().collect();
        compared.sort_by_key(|one| std::cmp::Reverse(one.transfer.total()));
        Self { waits: Ok(waits), matching, compared, clocks }
    }

    /// The most of a rank's exposed communication on the GPU that can be transfer. What is beyond that is waiting
    /// for certain; of calls that were not matched nothing is known.
    pub(super) fn exposed_transfer(&self, rank: usize, calls: &Calls, exposed: Ns) -> Option<Ns> {
        let waiting = self.waits.as_ref().ok()?.get(rank)?.of(Place::Gpu);
        if waiting.matched == 0 {
            return None;
        }
        let is_on_gpu = |call: &&Call| calls.group_of(&calls.rows[call.row as usize]).place == Place::Gpu;
        let (mut count, mut all) = (0, Ns::ZERO);
        for call in calls.calls.iter().filter(is_on_gpu) {
            count += 1;
            all += call.exposed;
        }
        // Calls that the selection cuts are not among these, so what they exposed is not known.
        (count == calls.gpu.calls).then(|| exposed.min(all - waiting.exposed + waiting.exposed_transfer))
    }
}
