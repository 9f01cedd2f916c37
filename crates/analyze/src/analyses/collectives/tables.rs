//! The tables of the section.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use eaves_model::Ns;

use super::super::Rank;
use super::across::{Across, Compared};
use super::{calls, places};
use crate::collectives::{Calls, Fate, Group, Kind, Parts, Place, Presence, Row, Rule, Waiting};
use crate::section::{Column, Table, Unit, Value};
use crate::{Job, KernelType, RankSummary, Statistics};

const NO_GROUP: &str = "the calls name no process group";
const NO_MATCH: &str = "no call of the rank matches one of another rank";
const NO_CALLS: &str = "no calls";
const NO_TIME: &str = "the calls took no time";
const MIXED_SIZES: &str = "the sizes differ between calls and ranks";
const ON_HOST: &str = "a thread does the work; what hides it is unknown";

/// All tables.
pub(super) fn all(job: &Job, ranks: &[Rank<'_, Arc<Calls>>], across: &Across<'_>) -> Vec<Table> {
    let mut tables = vec![by_collective(ranks, across), by_rank(job, ranks, across)];
    if across.waits.is_ok() {
        tables.push(skew(ranks, across));
        tables.push(matching(across));
        if job.options.details {
            tables.push(calls::table(job, ranks));
        }
    }
    tables
}

/// The columns that say what a row is about.
pub(super) const SUBJECT: [Column; 7] = [
    Column::new("kind", "Collective", Unit::None),
    Column::new("runs_on", "Runs on", Unit::None),
    Column::new("group", "Group", Unit::None),
    Column::new("description", "Description", Unit::None),
    Column::new("group_size", "Ranks of group", Unit::Count),
    Column::new("dtype", "Type", Unit::None),
    Column::new("bytes", "Bytes a call", Unit::Bytes),
];

pub(super) fn subject(group: &Group, row: &Row, bytes: Value) -> [Value; 7] {
    let text = |text: Option<&str>, otherwise| {
        text.filter(|text| !text.is_empty()).map_or(Value::Missing(otherwise), Value::from)
    };
    [
        row.name.as_deref().unwrap_or(row.kind.id()).into(),
        group.place.id().into(),
        text(group.named.as_ref().map(|(name, _)| name.as_str()), NO_GROUP),
        text(group.description.as_deref(), "the group has no description"),
        group.size.map_or(Value::Missing("not recorded"), |size| Value::Integer(i64::from(size))),
        text(row.element.as_deref(), "not recorded"),
        bytes,
    ]
}

/// Bytes a nanosecond are gigabytes a second.
fn gbps(bytes: i64, time: Ns) -> Value {
    if time == Ns::ZERO { Value::Missing(NO_TIME) } else { Value::Float(bytes as f64 / time.as_f64()) }
}

fn times(value: Value, factor: Result<f64, &'static str>) -> Value {
    match (value, factor) {
        (Value::Float(value), Ok(factor)) => Value::Float(value * factor),
        (Value::Float(_), Err(reason)) => Value::Missing(reason),
        (other, _) => other,
    }
}

fn factor_cell(factor: Result<f64, &'static str>) -> Value {
    factor.map_or_else(Value::Missing, Value::Float)
}

fn mean(statistics: &Statistics, otherwise: &'static str) -> Value {
    statistics.mean().map_or(Value::Missing(otherwise), Value::Float)
}

fn time(time: Option<Ns>, otherwise: &'static str) -> Value {
    time.map_or(Value::Missing(otherwise), Value::from)
}

/// What rows of different ranks are combined by. Unlike when calls are matched, streams do not matter.
type Key<'a> = (
    Place,
    Option<(&'a str, &'a str)>,
    Option<u32>,
    Kind,
    Option<&'a str>,
    Option<&'a str>,
    Result<i64, &'static str>,
);

fn by_collective(ranks: &[Rank<'_, Arc<Calls>>], across: &Across<'_>) -> Table {
    let mut merged: BTreeMap<Key<'_>, (&Group, Row, Parts)> = BTreeMap::new();
    for (rank_index, rank) in ranks.iter().enumerate() {
        for (row_index, row) in rank.part.rows.iter().enumerate() {
            let waits = across.waits.as_ref().ok().map(|waits| &waits[rank_index]);
            let parts = waits.map_or_else(Parts::default, |waits| waits.rows[row_index].clone());
            let group = rank.part.group_of(row);
            let (place, named, _, size) = group.key();
            // Rows of exchanges hold the sizes of one power of two.
            let bytes = row.bytes.map(|(smallest, _)| match row.kind.has_one_size() {
                true => smallest,
                false => i64::from(smallest.checked_ilog2().unwrap_or(0)),
            });
            let key = (place, named, size, row.kind, row.name.as_deref(), row.element.as_deref(), bytes);
            match merged.get_mut(&key) {
                Some((_, sum, sum_of_parts)) => {
                    add(sum, row);
                    sum_of_parts.merge(&parts);
                }
                None => {
                    merged.insert(key, (group, row.clone(), parts));
                }
            }
        }
    }
    let mut rows: Vec<(&Group, Row, Parts)> = merged.into_values().collect();
    rows.sort_by_key(|(_, row, _)| Reverse(row.statistics.total()));
    let own = [
        Column::new("calls", "Calls", Unit::Count),
        Column::new("total_ns", "Total", Unit::Nanoseconds),
        Column::new("mean_ns", "Mean", Unit::Nanoseconds),
        Column::new("min_ns", "Min", Unit::Nanoseconds),
        Column::new("max_ns", "Max", Unit::Nanoseconds),
        Column::new("exposed_ns", "Exposed", Unit::Nanoseconds),
        Column::new("exposed_pct", "Exposed share", Unit::Percent),
        Column::new("algorithm_gbps", "Algorithm bandwidth", Unit::GigabytesPerSecond),
        Column::new("bus_factor", "Bus factor", Unit::None),
        Column::new("bus_gbps", "Bus bandwidth", Unit::GigabytesPerSecond),
    ];
    let cells = |(group, row, parts): &(&Group, Row, Parts)| {
        let parts = part_cells(across.waits.as_ref().err().copied(), row.statistics.total(), parts);
        collective_cells(group, row).into_iter().chain(parts).collect()
    };
    Table {
        id: "by_collective",
        title: "Collectives of all ranks, including waiting; bandwidths as defined by nccl-tests",
        columns: SUBJECT.into_iter().chain(own).chain(PARTS).collect(),
        rows: rows.iter().map(cells).collect(),
    }
}

fn add(sum: &mut Row, row: &Row) {
    if let (Ok((smallest, largest)), Ok(other)) = (&mut sum.bytes, row.bytes) {
        *smallest = other.0.min(*smallest);
        *largest = other.1.max(*largest);
    }
    sum.total_bytes = sum.total_bytes.saturating_add(row.total_bytes);
    sum.statistics.merge(&row.statistics);
    sum.busy += row.busy;
    sum.exposed = sum.exposed.zip(row.exposed).map(|(one, other)| one + other);
}

fn collective_cells(group: &Group, row: &Row) -> Vec<Value> {
    let statistics = &row.statistics;
    let bytes = match (row.bytes, row.one_size()) {
        (Err(reason), _) => Value::Missing(reason),
        (Ok(_), Some(size)) => Value::Integer(size),
        (Ok(_), None) => Value::float(row.total_bytes as f64 / statistics.count() as f64, NO_CALLS),
    };
    let bandwidth = match row.bytes {
        Ok(_) => gbps(row.total_bytes, statistics.total()),
        Err(reason) => Value::Missing(reason),
    };
    let factor = row.kind.bus_factor(group.size);
    let own = [
        statistics.count().into(),
        statistics.total().into(),
        mean(statistics, NO_CALLS),
        time(statistics.min(), NO_CALLS),
        time(statistics.max(), NO_CALLS),
        time(row.exposed, ON_HOST),
        row.exposed.map_or(Value::Missing(ON_HOST), |exposed| Value::percent(exposed.0, row.busy.0)),
        bandwidth.clone(),
        factor_cell(factor),
        times(bandwidth, factor),
    ];
    subject(group, row, bytes).into_iter().chain(own).collect()
}

/// The columns that say how time divides. They add up to it.
pub(super) const PARTS: [Column; 5] = [
    Column::new("transfer_ns", "Transfer", Unit::Nanoseconds),
    Column::new("wait_ns", "Waiting", Unit::Nanoseconds),
    Column::new("launch_skew_ns", "Launch skew", Unit::Nanoseconds),
    Column::new("unknown_ns", "Unknown", Unit::Nanoseconds),
    Column::new("rule", "Divided by", Unit::None),
];

const RANKS_MISSING: &str = "a rank that was not recorded may have come last";
const NO_LAUNCHES: &str = "launches of the calls not recorded";

/// Their cells; nothing is divided if there is a reason.
fn part_cells(undivided: Option<&'static str>, total: Ns, parts: &Parts) -> [Value; 5] {
    if let Some(reason) = undivided {
        let missing = Value::Missing(reason);
        return [missing.clone(), missing.clone(), missing, total.into(), reason.into()];
    }
    let matched = parts.count(|rule| matches!(rule, Rule::Matched(..)));
    let complete = parts.count(|rule| matches!(rule, Rule::Matched(Presence::All, _)));
    let rules = parts.rules.iter().map(|(rule, &count)| match parts.rules.len() {
        1 => rule.text().to_owned(),
        _ => format!("{} ({count})", rule.text()),
    });
    let split = &parts.split;
    let known = |calls: u64, time: Ns, otherwise: &'static str| match (calls, matched) {
        (0, 0) => Value::Missing(NO_MATCH),
        (0, _) => Value::Missing(otherwise),
        _ => time.into(),
    };
    [
        known(complete, split.transfer, RANKS_MISSING),
        known(matched, split.wait, NO_MATCH),
        known(parts.launches, split.launch_skew, NO_LAUNCHES),
        split.unknown.into(),
        Value::Text(rules.collect::<Vec<_>>().join("; ")),
    ]
}

/// What shares of a rank are of: its GPU span, or on the host the whole recording.
pub(super) fn span(rank: &RankSummary, place: Place) -> Ns {
    let span = match place {
        Place::Gpu => rank.span,
        Place::Host => rank.extent,
    };
    span.map_or(Ns::ZERO, |span| span.length())
}

fn by_rank(job: &Job, ranks: &[Rank<'_, Arc<Calls>>], across: &Across<'_>) -> Table {
    let own = [
        Column::new("runs_on", "Runs on", Unit::None),
        Column::new("calls", "Calls", Unit::Count),
        Column::new("comm_ns", "Communication", Unit::Nanoseconds),
        Column::new("comm_pct", "Communication of span", Unit::Percent),
        Column::new("exposed_ns", "Exposed", Unit::Nanoseconds),
        Column::new("exposed_pct", "Exposed of communication", Unit::Percent),
        Column::new("matched", "Matched", Unit::Count),
        Column::new("wait_ns", "Waiting", Unit::Nanoseconds),
        Column::new("transfer_ns", "Transfer", Unit::Nanoseconds),
        Column::new("wait_pct", "Waiting of matched calls", Unit::Percent),
        Column::new("launch_skew_ns", "Launch skew", Unit::Nanoseconds),
        Column::new("unknown_ns", "Unknown", Unit::Nanoseconds),
    ];
    let mut rows = Vec::new();
    for (index, rank) in ranks.iter().enumerate() {
        for place in places(rank.part) {
            let cells = rank_cells(index, rank, place, across);
            rows.push(job.rank_cells(rank).into_iter().chain(cells).collect());
        }
    }
    Table {
        id: "by_rank",
        title: "Communication by rank, shares of the GPU span (on the host: of the recording); transfer, waiting, \
            launch skew and unknown add up to it",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}

fn rank_cells(index: usize, rank: &Rank<'_, Arc<Calls>>, place: Place, across: &Across<'_>) -> [Value; 12] {
    let totals = rank.part.totals(place);
    let (communication, exposed) = match place {
        Place::Gpu => (rank.times.total(KernelType::Communication), Some(rank.times.exposed_communication())),
        Place::Host => (totals.busy, None),
    };
    let waiting = across.waits.as_ref().map_err(|&reason| reason).map(|waits| waits[index].of(place));
    let matched = waiting.and_then(|waiting| if waiting.matched > 0 { Ok(waiting) } else { Err(NO_MATCH) });
    let measure = |time: fn(&Waiting) -> Ns| matched.map_or(Ns::ZERO, time);
    let (transfer, wait, skew) =
        (measure(Waiting::transfer), measure(Waiting::wait), measure(Waiting::launch_skew));
    let of_matched = |value: Value| matched.map_or_else(Value::Missing, |_| value);
    let of_launches = match matched {
        Ok(waiting) if waiting.launches == 0 => Value::Missing(NO_LAUNCHES),
        _ => of_matched(skew.into()),
    };
    let of_complete = match matched {
        Ok(waiting) if !waiting.has_transfers() => Value::Missing(RANKS_MISSING),
        _ => of_matched(transfer.into()),
    };
    [
        place.id().into(),
        totals.calls.into(),
        communication.into(),
        Value::percent(communication.0, span(rank, place).0),
        time(exposed, ON_HOST),
        exposed.map_or(Value::Missing(ON_HOST), |exposed| Value::percent(exposed.0, communication.0)),
        waiting.map_or_else(Value::Missing, |waiting| waiting.matched.into()),
        of_matched((wait - skew).into()),
        of_complete,
        of_matched(Value::percent(wait.0, (wait + transfer + measure(Waiting::unknown)).0)),
        of_launches,
        (communication - transfer - wait).into(),
    ]
}

fn skew(ranks: &[Rank<'_, Arc<Calls>>], across: &Across<'_>) -> Table {
    let own = [
        Column::new("collectives", "Matched", Unit::Count),
        Column::new("ranks", "Recorded ranks", Unit::Count),
        Column::new("mean_transfer_ns", "Mean transfer", Unit::Nanoseconds),
        Column::new("min_transfer_ns", "Shortest transfer", Unit::Nanoseconds),
        Column::new("max_transfer_ns", "Longest transfer", Unit::Nanoseconds),
        Column::new("algorithm_gbps", "Algorithm bandwidth", Unit::GigabytesPerSecond),
        Column::new("bus_factor", "Bus factor", Unit::None),
        Column::new("bus_gbps", "Bus bandwidth", Unit::GigabytesPerSecond),
        Column::new("mean_skew_ns", "Mean arrival skew", Unit::Nanoseconds),
        Column::new("max_skew_ns", "Longest arrival skew", Unit::Nanoseconds),
        Column::new("mean_start_skew_ns", "Mean start skew (clocks)", Unit::Nanoseconds),
        Column::new("max_start_skew_ns", "Max start skew (clocks)", Unit::Nanoseconds),
        Column::new("last_rank", "Last most often", Unit::None),
        Column::new("last_count", "Times last", Unit::Count),
        Column::new("rule", "Compared", Unit::None),
    ];
    Table {
        id: "skew",
        title: "Collectives matched across ranks: transfer is the shortest duration, arrival skew the longest \
            minus the shortest; start skew compares clocks, which may be off",
        columns: SUBJECT.into_iter().chain(own).collect(),
        rows: across.compared.iter().map(|compared| skew_cells(ranks, across, compared)).collect(),
    }
}

fn skew_cells(ranks: &[Rank<'_, Arc<Calls>>], across: &Across<'_>, compared: &Compared<'_>) -> Vec<Value> {
    let by_clocks = |value: Value| across.clocks.map_or_else(Value::Missing, |()| value);
    let rules: Vec<&str> = compared.rules.iter().map(|rule| rule.text()).collect();
    let (group, row, transfer) = (compared.group, compared.row, &compared.transfer);
    let bytes = match (row.bytes, compared.size) {
        (Err(reason), _) => Value::Missing(reason),
        (Ok(_), Some(size)) => Value::Integer(size),
        (Ok(_), None) => Value::Missing(MIXED_SIZES),
    };
    let bandwidth = match (&bytes, compared.size) {
        (Value::Integer(_), Some(size)) => {
            let count = i64::try_from(transfer.count()).unwrap_or(i64::MAX);
            gbps(size.saturating_mul(count), transfer.total())
        }
        (missing, _) => missing.clone(),
    };
    let factor = row.kind.bus_factor(group.size);
    let last = compared.most_often_last();
    let own = [
        transfer.count().into(),
        compared.ranks.into(),
        mean(transfer, NO_CALLS),
        time(transfer.min(), NO_CALLS),
        time(transfer.max(), NO_CALLS),
        bandwidth.clone(),
        factor_cell(factor),
        times(bandwidth, factor),
        mean(&compared.arrival_skew, NO_CALLS),
        time(compared.arrival_skew.max(), NO_CALLS),
        by_clocks(mean(&compared.start_skew, NO_CALLS)),
        by_clocks(time(compared.start_skew.max(), NO_CALLS)),
        last.map_or(Value::Missing(NO_CALLS), |(rank, _)| Value::Integer(ranks[rank].rank)),
        last.map_or(Value::Missing(NO_CALLS), |(_, count)| count.into()),
        Value::Text(rules.join("; ")),
    ];
    subject(group, row, bytes).into_iter().chain(own).collect()
}

fn matching(across: &Across<'_>) -> Table {
    let rows = Fate::ALL.map(|fate| (fate, across.matching.count(fate)));
    Table {
        id: "matching",
        title: "Matching of calls across ranks, over all ranks",
        columns: vec![
            Column::new("outcome", "Outcome", Unit::None),
            Column::new("calls", "Calls", Unit::Count),
        ],
        rows: rows
            .into_iter()
            .filter(|&(_, count)| count > 0)
            .map(|(fate, count)| vec![fate.text().into(), count.into()])
            .collect(),
    }
}
