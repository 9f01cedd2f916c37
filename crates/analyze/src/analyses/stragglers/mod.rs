//! Which rank the others wait for.
//!
//! The idea is HTA's; what it compares are the starts of one kernel by clocks that need not agree. Here no clock is
//! compared: in a collective that is matched over ranks, the rank of the shortest duration came last.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use eaves_model::Ns;

use super::collectives::without_calls;
use super::{Analyse, Rank};
use crate::collectives::{Call, Calls, Fate, Match, Matching, Member, Place, Wait, Waits, waiting_of};
use crate::section::{Budget, Column, Finding, Gain, Number, Section, Severity, Skipped, Table, Unit, Value};
use crate::text::{duration, percent, percentage};
use crate::{Job, Outcome, RankView, Steady};

pub(super) struct Stragglers;

/// A wait worth counting: about what it takes to launch a kernel. Ranks cannot come more closely together.
const NOTABLE_WAIT: Ns = Ns(10_000);
/// A rank is a straggler if it comes last in more than this share of its notable collectives; of two ranks one comes last
/// in half of them by chance, and in three of five if they take turns.
const LAST_PCT: f64 = 60.0;
/// One collective shows no habit.
const NOTABLE_COLLECTIVES: u64 = 2;
/// Share of the others' time, mean over them, below which nobody would notice.
const WAIT_WARNING_PCT: f64 = 1.0;
const WAIT_CRITICAL_PCT: f64 = 10.0;
/// Few collectives may be late by chance, so they must have taken more: this share, divided by their number. That is
/// 10% of two, 5% of four, and 1% of twenty and more.
const WAIT_OF_FEW_PCT: f64 = 20.0;

impl Analyse for Stragglers {
    const ID: &'static str = "stragglers";
    /// The same that section `collectives` keeps.
    type Part = Arc<Calls>;

    fn measure(rank: &RankView<'_>) -> Arc<Calls> {
        rank.collectives()
    }

    fn is_sound(part: &Arc<Calls>) -> bool {
        part.is_sound()
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Arc<Calls>>]) -> Outcome {
        let skipped = |missing: String, how_to_record: &str| {
            Outcome::Skipped(Skipped { id: Self::ID, missing, how_to_record: how_to_record.to_owned() })
        };
        if ranks.len() < 2 {
            return skipped(
                "a second rank: stragglers show only by comparing ranks".to_owned(),
                "record every rank, and pass all files or their directory",
            );
        }
        if job.ranks_are_ambiguous() {
            return skipped(
                "distinct ranks: several recordings claim the same rank".to_owned(),
                "pass the recordings of one run only",
            );
        }
        if ranks.iter().all(|rank| rank.part.rows.is_empty()) {
            return without_calls(job, Self::ID, ranks);
        }
        let found = Lateness::of(ranks);
        if found.matching.count(Fate::Matched) == 0 {
            return skipped(
                format!("collectives that two ranks have in common: {}", found.fates()),
                HOW_TO_MATCH,
            );
        }
        Outcome::Section(Section {
            id: Self::ID,
            title: "Stragglers",
            numbers: numbers(&found),
            tables: vec![by_rank(job, ranks, &found), by_step(ranks, &found)],
            charts: Vec::new(),
            findings: finding(ranks, &found).into_iter().collect(),
        })
    }
}

const HOW_TO_MATCH: &str = "record the same steps on every rank (`prof.step()` with one schedule for all), so that the \
                            k-th call of a group in a step is the same everywhere";

/// What one rank did to the others, and they to it.
#[derive(Clone, Copy, Debug, Default)]
struct OfRank {
    /// Matched collectives it took part in.
    matched: u64,
    /// In how many of these somebody waited notably, in the steady state.
    notable: u64,
    /// In how many it came last.
    last: u64,
    /// In how many of the notable ones it came last.
    notable_last: u64,
    /// The longest that another waited for it in one of those.
    longest: Ns,
    /// Summed waiting of the others for it, in the steady state.
    steady_waited: Ns,
    /// The part of that in which nothing computed, and the least that any of the others has of it.
    steady_exposed: Ns,
    least_exposed: Option<Ns>,
    /// Summed waiting of the others for it.
    others_waited: Ns,
    /// The part of that which its late launches explain, if launches were recorded.
    launched_late: Option<Ns>,
    /// Number of ranks that waited for it.
    others: u64,
    /// Its own waiting.
    own_wait: Ns,
}

impl OfRank {
    /// How long one of the others waited for it in the steady state, on average. Ranks do not begin to record at
    /// the same time, so a wait that is longer than all others together is not a habit.
    fn usual_wait(&self) -> Ns {
        let mean = Ns(self.steady_waited.0 / i64::try_from(self.others).unwrap_or(i64::MAX).max(1));
        if 2 * self.longest.0 > mean.0 { (mean - self.longest).max(Ns::ZERO) } else { mean }
    }

    /// How long one of the others waited for it, on average.
    fn mean_waited(&self) -> Ns {
        Ns(self.others_waited.0 / i64::try_from(self.others).unwrap_or(i64::MAX).max(1))
    }
}

/// The collectives of one step.
#[derive(Clone, Debug, Default)]
struct OfStep {
    collectives: u64,
    waited: Ns,
    /// How often each rank came last, and how long the others waited for it.
    last: BTreeMap<usize, (u64, Ns)>,
}

/// Who came when.
#[derive(Default)]
struct Lateness {
    ranks: Vec<OfRank>,
    steps: BTreeMap<u32, OfStep>,
    collectives: u64,
    notable: u64,
    matching: Matching,
}

impl Lateness {
    fn of(ranks: &[Rank<'_, Arc<Calls>>]) -> Self {
        let mut found = Self { ranks: vec![OfRank::default(); ranks.len()], ..Self::default() };
        let calls: Vec<&Calls> = ranks.iter().map(|rank| rank.part.as_ref()).collect();
        let (matching, waits) = waiting_of(&calls, |matched| found.count(ranks, matched));
        found.matching = matching;
        for (rank, waits) in waits.iter().enumerate() {
            found.measure(rank, &ranks[rank].steady, waits);
        }
        found
    }

    fn count(&mut self, ranks: &[Rank<'_, Arc<Calls>>], matched: &Match<'_, '_>) {
        let is_notable = matched.longest_wait() >= NOTABLE_WAIT;
        self.collectives += 1;
        self.notable += u64::from(is_notable);
        let is_steady = |member: &Member<'_>| ranks[member.rank].steady.has(member.call.start);
        let is_notable = is_notable && matched.members.iter().all(is_steady);
        for member in matched.members {
            let rank = &mut self.ranks[member.rank];
            rank.matched += 1;
            rank.notable += u64::from(is_notable);
        }
        let last = matched.last;
        let rank = &mut self.ranks[last.rank];
        rank.last += 1;
        rank.notable_last += u64::from(is_notable);
        if is_notable {
            rank.longest = rank.longest.max(matched.longest_wait());
        }
        let step = self.steps.entry(last.call.step).or_default();
        step.collectives += 1;
        step.last.entry(last.rank).or_default().0 += 1;
    }

    fn measure(&mut self, rank: usize, steady: &Steady, waits: &Waits) {
        let mut for_whom: BTreeMap<usize, Ns> = BTreeMap::new();
        let mut exposed: BTreeMap<usize, Ns> = BTreeMap::new();
        for waiting in waits.both() {
            self.ranks[rank].own_wait += waiting.wait();
            for (last, time) in waiting.wait_by(|wait| wait.last) {
                *for_whom.entry(last).or_default() += time;
            }
            for (last, time) in waiting.launch_skew_by(|wait| wait.last) {
                if waiting.launches > 0 {
                    *self.ranks[last].launched_late.get_or_insert_default() += time;
                }
            }
            let key = |wait: &Wait| (wait.last, steady.has(wait.start()));
            for ((last, is_steady), time) in waiting.wait_by(key) {
                self.ranks[last].steady_waited += if is_steady { time } else { Ns::ZERO };
            }
            for ((last, is_steady), time) in waiting.exposed_wait_by(key) {
                let time = if is_steady { time } else { Ns::ZERO };
                self.ranks[last].steady_exposed += time;
                *exposed.entry(last).or_default() += time;
            }
            for (step, time) in waiting.wait_by(|wait| wait.step) {
                self.steps.entry(step).or_default().waited += time;
            }
            for ((step, last), time) in waiting.wait_by(|wait| (wait.step, wait.last)) {
                self.steps.entry(step).or_default().last.entry(last).or_default().1 += time;
            }
        }
        for (last, time) in exposed {
            let least = &mut self.ranks[last].least_exposed;
            *least = Some(least.map_or(time, |least| least.min(time)));
        }
        for (last, time) in for_whom {
            self.ranks[last].others_waited += time;
            self.ranks[last].others += 1;
        }
    }

    /// What became of the calls, in words.
    fn fates(&self) -> String {
        let told =
            Fate::ALL.iter().map(|&fate| (fate, self.matching.count(fate))).filter(|&(_, count)| count > 0);
        told.map(|(fate, count)| format!("{count} calls {}", fate.text())).collect::<Vec<_>>().join("; ")
    }
}

fn numbers(found: &Lateness) -> Vec<Number> {
    let number = Number::formula;
    let waited: Ns = found.ranks.iter().map(|rank| rank.own_wait).sum();
    vec![
        number(
            "collectives",
            found.collectives.into(),
            Unit::Count,
            "synchronizing collectives matched on two or more ranks",
        ),
        number(
            "notable_collectives",
            found.notable.into(),
            Unit::Count,
            "of these, with a wait of 10 µs or more on some rank",
        ),
        number(
            "waited_ns",
            waited.into(),
            Unit::Nanoseconds,
            "wait over all ranks: the extra duration relative to the rank with the shortest duration, excluding \
            time with another call in transfer; needs no common clock",
        ),
    ]
}

fn by_rank(job: &Job, ranks: &[Rank<'_, Arc<Calls>>], found: &Lateness) -> Table {
    let own = [
        Column::new("collectives", "Collectives", Unit::Count),
        Column::new("last_count", "Came last", Unit::Count),
        Column::new("last_pct", "Last of collectives", Unit::Percent),
        Column::new("others_waited_ns", "Others' wait", Unit::Nanoseconds),
        Column::new("mean_other_waited_ns", "Max wait of one", Unit::Nanoseconds),
        Column::new("own_wait_ns", "Own wait", Unit::Nanoseconds),
        Column::new("launch_skew_ns", "Others' wait for its launch", Unit::Nanoseconds),
    ];
    let cells = |rank: &OfRank| {
        let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        [
            rank.matched.into(),
            rank.last.into(),
            Value::percent(count(rank.last), count(rank.matched)),
            rank.others_waited.into(),
            rank.mean_waited().into(),
            rank.own_wait.into(),
            match rank.launched_late {
                Some(time) => time.into(),
                None if rank.others_waited == Ns::ZERO => Ns::ZERO.into(),
                None => Value::Missing("launches of the calls not recorded"),
            },
        ]
    };
    Table {
        id: "by_rank",
        title: "Last rank by shortest duration; the others' wait is their extra duration, summed over ranks and \
            as mean",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows: ranks
            .iter()
            .zip(&found.ranks)
            .map(|(rank, found)| job.rank_cells(rank).into_iter().chain(cells(found)).collect())
            .collect(),
    }
}

fn by_step(ranks: &[Rank<'_, Arc<Calls>>], found: &Lateness) -> Table {
    let columns = vec![
        Column::new("step", "Step", Unit::None),
        Column::new("collectives", "Collectives", Unit::Count),
        Column::new("waited_ns", "All ranks waited", Unit::Nanoseconds),
        Column::new("last_rank", "Most waited for", Unit::None),
        Column::new("last_count", "Came last", Unit::Count),
        Column::new("others_waited_ns", "Others' wait", Unit::Nanoseconds),
    ];
    let mut rows = Vec::new();
    for (&number, step) in &found.steps {
        let worst = step
            .last
            .iter()
            .max_by_key(|&(&rank, &(count, waited))| (waited, count, std::cmp::Reverse(rank)));
        let Some((&rank, &(count, waited))) = worst else { continue };
        rows.push(vec![
            match number {
                Call::NO_STEP => Value::Missing("outside profiler steps"),
                number => Value::Integer(i64::from(number)),
            },
            step.collectives.into(),
            step.waited.into(),
            Value::Integer(ranks[rank].rank),
            count.into(),
            waited.into(),
        ]);
    }
    Table { id: "by_step", title: "Waiting by step, with the rank waited for longest", columns, rows }
}

/// What communication is exposed on the other ranks, on average, beyond that on a rank. A rank that comes last waits for
/// nobody, so what it has itself is there without it, too.
fn exposed_beyond(ranks: &[Rank<'_, Arc<Calls>>], last: usize) -> Ns {
    let exposed = |rank: &Rank<'_, Arc<Calls>>| rank.steady.times.exposed_communication();
    let others = ranks.iter().enumerate().filter(|&(index, _)| index != last).map(|(_, rank)| exposed(rank));
    let mean = others.sum::<Ns>().0 / i64::try_from(ranks.len()).unwrap_or(i64::MAX).saturating_sub(1).max(1);
    (Ns(mean) - exposed(&ranks[last])).max(Ns::ZERO)
}

fn finding(ranks: &[Rank<'_, Arc<Calls>>], found: &Lateness) -> Option<Finding> {
    let (index, late) = found.ranks.iter().enumerate().max_by_key(|(_, rank)| rank.usual_wait())?;
    let rank = ranks.get(index)?;
    // Of those that it takes part in: a job of many ranks has many groups, and a rank is in few of them.
    let often = 100.0 * late.notable_last as f64 > LAST_PCT * late.notable as f64;
    let (waited, whole) = (late.usual_wait(), rank.steady.whole(rank.extent));
    let share = percentage(waited, whole);
    let needed = WAIT_WARNING_PCT.max(WAIT_OF_FEW_PCT / late.notable as f64);
    if late.notable < NOTABLE_COLLECTIVES || !often || share < needed {
        return None;
    }
    // Waiting next to computation costs nothing.
    let exposed =
        Ns(late.steady_exposed.0 / i64::try_from(late.others).unwrap_or(i64::MAX).max(1)).min(waited);
    let high = exposed.max(exposed_beyond(ranks, index).min(waited));
    if percentage(high, whole) < WAIT_WARNING_PCT {
        return None;
    }
    let gain = Gain::new(
        late.least_exposed.unwrap_or(Ns::ZERO).min(exposed),
        high,
        rank.steady.steps,
        "the other ranks' exposed wait: at least that of the rank that waited least, at most their exposed \
        communication beyond this rank's",
    );
    // Where it is behind: its host launches later than the others, or its device takes longer from there.
    let mostly_launch = late.launched_late.map(|time| time.0 > late.others_waited.0 / 2);
    let (because, where_to_look) = match mostly_launch {
        Some(true) => (
            "; it launches late",
            "check its host before the launch: data loading, Python, garbage collection",
        ),
        Some(false) => (
            "; it launches in time, but its device takes longer",
            "its device has more work (uneven batches or experts) or runs slower (a throttled GPU)",
        ),
        None => (
            "",
            "data loading, uneven batches or experts, a throttled device and garbage collection are the usual causes",
        ),
    };
    let is_on_gpu = rank.steady.window.is_some() && rank.part.totals(Place::Host).calls == 0;
    let budget = if is_on_gpu { Budget::ExposedCommunication } else { Budget::NotComputing };
    let gain = Gain { budget, ..gain };
    let per_step = if gain.per_step { " per step" } else { "" };
    let each = Ns(waited.0 / i64::try_from(rank.steady.steps).unwrap_or(i64::MAX).max(1));
    Some(Finding {
        id: "straggler",
        severity: if share < WAIT_CRITICAL_PCT { Severity::Warning } else { Severity::Critical },
        claim: format!(
            "the other ranks wait for rank {} for {} of the time ({}{per_step}): it comes last in {} of {} collectives{because}",
            rank.rank,
            percent(waited, whole),
            duration(each),
            late.notable_last,
            late.notable,
        ),
        gain: Some(gain),
        evidence: format!("table by_rank, rank {}, columns last_count and others_waited_ns", rank.rank),
        next: format!(
            "compare this rank with another: `eaves report --rank {}` shows its host side; {where_to_look}",
            rank.rank
        ),
    })
}
