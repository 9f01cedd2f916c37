//! How fast memory is copied and set, by direction, and what pageable memory costs.

mod copies;
mod exposed;
mod pageable;
mod sweep;

use std::cmp::Reverse;
use std::collections::HashMap;

use eaves_model::{Interval, IntervalSet, Ns, StringId};
use serde::{Deserialize, Serialize};

pub(crate) use self::copies::{Copy, CopyKind, copies};
use self::exposed::Exposed;
use self::pageable::Pageable;
pub(crate) use self::sweep::{rated, visit_changes};
use super::{Analyse, Rank, Shown, missing};
use crate::advice::Audience;
use crate::section::{Column, Description, Finding, Number, Section, Skipped, Table, Unit, Value};
use crate::{Job, Outcome, RankSummary, RankView};

pub(super) struct MemoryBandwidth;

/// What stays of a rank.
#[derive(Deserialize, Serialize)]
pub(super) struct Part {
    kinds: Vec<OfKind>,
    /// By name, which says what memory is on the host, longest first.
    names: Vec<(String, Moved)>,
    all: Moved,
    pageable: Pageable,
    exposed: Exposed,
}

/// The copies and memsets of a kind.
#[derive(Deserialize, Serialize)]
struct OfKind {
    kind: CopyKind,
    moved: Moved,
    /// Bytes per second of all together after each change, where there are any.
    rates: Option<Description>,
    time_mean: Option<f64>,
    /// Time from the recording's beginning and bytes per second of every change, with details.
    series: Vec<(Ns, i64)>,
}

/// What some copies and memsets moved.
#[derive(Deserialize, Serialize)]
struct Moved {
    calls: u64,
    bytes: u64,
    /// Time in which any of them ran.
    time: Ns,
    /// Time in which any ran whose bytes are known.
    known: Ns,
}

impl Moved {
    fn of<'a>(copies: impl Iterator<Item = &'a Copy> + Clone) -> Self {
        let measure = |intervals: Vec<Interval>| IntervalSet::union_of(intervals).measure();
        let known = copies.clone().filter(|copy| copy.bytes.is_some());
        Self {
            calls: copies.clone().count() as u64,
            bytes: copies.clone().filter_map(|copy| copy.bytes).fold(0, u64::saturating_add),
            time: measure(copies.map(|copy| copy.interval).collect()),
            known: measure(known.map(|copy| copy.interval).collect()),
        }
    }

    /// Bytes over the time in which any ran, where bytes are known. A byte in a nanosecond is a gigabyte in a second.
    fn gigabytes_per_second(&self) -> Option<f64> {
        (self.known > Ns::ZERO).then(|| self.bytes as f64 / self.known.as_f64())
    }

    fn cells(&self) -> [Value; 4] {
        let bandwidth = self.gigabytes_per_second().map_or(Value::Missing(NO_BYTES), Value::Float);
        let bytes = if self.known == Ns::ZERO && self.bytes == 0 {
            Value::Missing(NO_BYTES)
        } else {
            self.bytes.into()
        };
        [self.calls.into(), bytes, self.time.into(), bandwidth]
    }
}

/// Gigabytes in a byte.
const GIGA: f64 = 1e-9;
const NO_BYTES: &str = "bytes not recorded";

const MOVED: [Column; 4] = [
    Column::new("calls", "Calls", Unit::Count),
    Column::new("moved_bytes", "Moved", Unit::Bytes),
    Column::new("time_ns", "Time", Unit::Nanoseconds),
    Column::new("bandwidth_gbps", "Bytes over time", Unit::GigabytesPerSecond),
];

impl Analyse for MemoryBandwidth {
    const ID: &'static str = "memory-bandwidth";
    const SHOWN: Shown = Shown::WhenAsked;
    /// Nothing if the rank moved no memory.
    type Part = Option<Part>;

    fn measure(rank: &RankView<'_>) -> Option<Part> {
        let copies = copies(rank);
        (!copies.is_empty()).then(|| measured(rank, &copies))
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Option<Part>>]) -> Outcome {
        if !job.ranks.iter().any(RankSummary::has_gpu_activity) {
            return missing::gpu_activity(job, Self::ID);
        }
        let ranks: Vec<(&RankSummary, &Part)> =
            ranks.iter().filter_map(|rank| Some((rank.summary, rank.part.as_ref()?))).collect();
        if ranks.is_empty() {
            return Outcome::Skipped(Skipped {
                id: Self::ID,
                missing: "memcpys and memsets: none in the selection".to_owned(),
                how_to_record:
                    "record a part of the program that copies memory to, from or within the device".to_owned(),
            });
        }
        let tables = [by_kind(job, &ranks), by_name(job, &ranks)].into_iter().chain(series(job, &ranks));
        Outcome::Section(Section {
            id: Self::ID,
            title: "Memcpys and memsets",
            numbers: ranks.iter().flat_map(|(rank, part)| numbers(rank.rank, &part.all)).collect(),
            tables: tables.collect(),
            charts: Vec::new(),
            findings: findings(job.audience(), &ranks),
        })
    }
}

fn findings(audience: Audience, ranks: &Ranks<'_>) -> Vec<Finding> {
    let pageable = pageable::finding(audience, ranks);
    pageable.into_iter().chain(exposed::findings(audience, ranks)).collect()
}

fn measured(rank: &RankView<'_>, copies: &[Copy]) -> Part {
    let kinds = CopyKind::ALL.into_iter().filter(|&kind| copies.iter().any(|copy| copy.kind == kind));
    let kinds = kinds.map(|kind| OfKind::of(rank, copies, kind)).collect();
    let mut by_name: HashMap<StringId, Vec<Copy>> = HashMap::new();
    for &copy in copies {
        by_name.entry(copy.name).or_default().push(copy);
    }
    let name = |name| rank.trace.strings.get(name).to_owned();
    let moved = |(id, copies): (StringId, Vec<Copy>)| (name(id), Moved::of(copies.iter()));
    let mut names: Vec<(String, Moved)> = by_name.into_iter().map(moved).collect();
    names
        .sort_by(|(a, left), (b, right)| Reverse(left.time).cmp(&Reverse(right.time)).then_with(|| a.cmp(b)));
    let window = rank.steady().window;
    let in_window = |copy: &&Copy| window.is_some_and(|window| copy.interval.clip(window).is_some());
    let steady: Vec<Copy> = copies.iter().filter(in_window).copied().collect();
    Part {
        kinds,
        names,
        all: Moved::of(copies.iter()),
        pageable: Pageable::of(rank, &steady),
        exposed: Exposed::of(rank, &steady),
    }
}

impl OfKind {
    fn of(rank: &RankView<'_>, copies: &[Copy], kind: CopyKind) -> Self {
        let rated = rated(copies, kind);
        let (mut rates, mut series) = (Vec::new(), Vec::new());
        visit_changes(&rated, |time, rate| {
            // Between copies nothing is moved, which says nothing about how fast they are.
            if rate > 0 {
                rates.push(rate);
            }
            if rank.options.details {
                series.push((time - rank.zero(), rate));
            }
        });
        Self {
            kind,
            moved: Moved::of(copies.iter().filter(|copy| copy.kind == kind)),
            rates: Description::of(&mut rates),
            time_mean: sweep::time_mean(&rated),
            series,
        }
    }
}

fn numbers(rank: i64, all: &Moved) -> Vec<Number> {
    const EXPLAINED: [&str; 4] = [
        "memcpys and memsets of the rank",
        "bytes moved, where recorded",
        "time with any of them running",
        "bytes moved over the time with any memcpy or memset of known size",
    ];
    let number = |((value, column), explain): ((Value, Column), &'static str)| {
        Number::of_column(column, value, explain).of_rank(rank)
    };
    all.cells().into_iter().zip(MOVED).zip(EXPLAINED).map(number).collect()
}

type Ranks<'a> = [(&'a RankSummary, &'a Part)];

fn by_kind(job: &Job, ranks: &Ranks<'_>) -> Table {
    let own = [
        Column::new("time_mean_gbps", "Mean over time", Unit::GigabytesPerSecond),
        Column::new("changes", "Changes", Unit::Count),
        Column::new("mean_gbps", "Mean of changes", Unit::GigabytesPerSecond),
        Column::new("std_gbps", "Std dev", Unit::GigabytesPerSecond),
        Column::new("min_gbps", "Lowest", Unit::GigabytesPerSecond),
        Column::new("quartile1_gbps", "First quartile", Unit::GigabytesPerSecond),
        Column::new("median_gbps", "Median", Unit::GigabytesPerSecond),
        Column::new("quartile3_gbps", "Third quartile", Unit::GigabytesPerSecond),
        Column::new("max_gbps", "Highest", Unit::GigabytesPerSecond),
    ];
    let mut rows = Vec::new();
    for (rank, part) in ranks {
        for of in &part.kinds {
            let mut row = job.rank_cells(rank);
            row.push(of.kind.name().into());
            row.extend(of.moved.cells());
            row.push(of.time_mean.map_or(Value::Missing(NO_BYTES), |mean| Value::Float(mean * GIGA)));
            row.extend(of.rates.map_or(Description::none(NO_BYTES), |rates| rates.scaled(GIGA)));
            rows.push(row);
        }
    }
    let kind = Column::new("name", "Kind", Unit::None);
    Table {
        id: "by_kind",
        title: "Memcpys and memsets by kind, with the aggregate bandwidth after each change, unless 0",
        columns: job.rank_columns().into_iter().chain([kind]).chain(MOVED).chain(own).collect(),
        rows,
    }
}

fn by_name(job: &Job, ranks: &Ranks<'_>) -> Table {
    let mut rows = Vec::new();
    for (rank, part) in ranks {
        for (name, moved) in &part.names {
            let leading = job.rank_cells(rank).into_iter().chain([name.as_str().into()]);
            rows.push(leading.chain(moved.cells()).collect());
        }
    }
    let name = Column::new("name", "Name", Unit::None);
    Table {
        id: "by_name",
        title: "Memcpys and memsets by name (source and destination memory), longest time first",
        columns: job.rank_columns().into_iter().chain([name]).chain(MOVED).collect(),
        rows,
    }
}

fn series(job: &Job, ranks: &Ranks<'_>) -> Option<Table> {
    let own = [
        Column::new("kind", "Kind", Unit::None),
        Column::new("time_ns", "Time", Unit::Nanoseconds),
        Column::new("bandwidth_gbps", "Bandwidth", Unit::GigabytesPerSecond),
    ];
    let mut rows = Vec::new();
    for (rank, part) in ranks {
        for of in &part.kinds {
            for &(time, rate) in &of.series {
                let own = [of.kind.name().into(), time.into(), Value::Float(rate as f64 * GIGA)];
                rows.push(job.rank_cells(rank).into_iter().chain(own).collect());
            }
        }
    }
    (!rows.is_empty()).then(|| Table {
        id: "series",
        title: "Aggregate bandwidth of each copy kind after each start and end",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    })
}

#[cfg(test)]
mod tests;
