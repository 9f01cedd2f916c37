//! How much work waits on each stream: launched, but not started.

mod queue;

use eaves_model::Ns;
use serde::{Deserialize, Serialize};

pub(crate) use self::queue::{Queue, queues};
use super::{Analyse, Rank, Shown, missing};
use crate::section::Description;
use crate::section::{Column, Number, Section, Table, Unit, Value};
use crate::streams::Stream;
use crate::{Job, Outcome, RankSummary, RankView};

pub(super) struct QueueLength;

/// The queue of one stream, measured.
#[derive(Deserialize, Serialize)]
pub(super) struct OfStream {
    stream: Stream,
    /// Its length after each change.
    lengths: Description,
    /// Its length summed over every nanosecond.
    area: i128,
    /// From the first change to the last.
    observed: Ns,
    /// Time in which it held as many launches as it can, or more.
    full: Ns,
    /// Time from the recording's beginning and length of every change, with details.
    series: Vec<(Ns, i64)>,
}

impl OfStream {
    fn of(queue: &Queue, limit: i64, zero: Ns, details: bool) -> Option<Self> {
        let mut lengths = Vec::new();
        let mut series = Vec::new();
        let mut observed: Option<(Ns, Ns)> = None;
        let (mut area, mut before) = (0i128, 0i64);
        let mut full = FullTime { limit, since: None, time: Ns::ZERO };
        let has_graphs = queue.has_graphs();
        queue.visit_changes(|time, length| {
            let (first, last) = observed.unwrap_or((time, time));
            area += i128::from((time - last).0) * i128::from(before);
            (observed, before) = (Some((first, time)), length);
            lengths.push(length);
            if !has_graphs {
                full.change(time, length);
            }
            if details {
                series.push((time - zero, length));
            }
        });
        if has_graphs {
            queue.visit_launches(|time, length| full.change(time, length));
        }
        Some(Self {
            stream: queue.stream,
            lengths: Description::of(&mut lengths)?,
            area,
            observed: observed.map_or(Ns::ZERO, |(first, last)| last - first),
            full: full.time,
            series,
        })
    }

    /// The length an instant sees on average.
    fn mean(&self) -> Value {
        if self.observed == Ns::ZERO {
            return Value::Missing("nothing observed");
        }
        Value::Float(self.area as f64 / self.observed.as_f64())
    }
}

/// How long a queue is full.
struct FullTime {
    limit: i64,
    /// Since when it is.
    since: Option<Ns>,
    time: Ns,
}

impl FullTime {
    fn change(&mut self, time: Ns, length: i64) {
        self.time += self.since.map_or(Ns::ZERO, |since| time - since);
        self.since = (length >= self.limit).then_some(time);
    }
}

impl Analyse for QueueLength {
    const ID: &'static str = "queue-length";
    const SHOWN: Shown = Shown::WhenAsked;
    type Part = Vec<OfStream>;

    fn measure(rank: &RankView<'_>) -> Vec<OfStream> {
        let (limit, details) = (i64::from(rank.options.queue_limit), rank.options.details);
        let of = |queue: &Queue| OfStream::of(queue, limit, rank.zero(), details);
        queues(rank).iter().filter_map(of).collect()
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Vec<OfStream>>]) -> Outcome {
        let ranks: Vec<(&RankSummary, &[OfStream])> = ranks
            .iter()
            .filter(|rank| !rank.part.is_empty())
            .map(|rank| (rank.summary, rank.part.as_slice()))
            .collect();
        if ranks.is_empty() {
            return missing::launches(job, Self::ID);
        }
        Outcome::Section(Section {
            id: Self::ID,
            title: "Launch queue length",
            numbers: ranks.iter().flat_map(|(rank, streams)| numbers(rank.rank, streams)).collect(),
            tables: std::iter::once(by_stream(job, &ranks)).chain(series(job, &ranks)).collect(),
            charts: Vec::new(),
            findings: Vec::new(),
        })
    }
}

fn numbers(rank: i64, streams: &[OfStream]) -> Vec<Number> {
    let number = |id, value, unit, explain| Number::formula(id, value, unit, explain).of_rank(rank);
    let longest = streams.iter().map(|of| of.lengths.max()).max().unwrap_or(0);
    let full = streams.iter().map(|of| of.full).max().unwrap_or(Ns::ZERO);
    vec![
        number(
            "queue_max",
            longest.into(),
            Unit::Count,
            "most activities launched but not started on one stream at a time",
        ),
        number(
            "blocked_ns",
            full.into(),
            Unit::Nanoseconds,
            "time for which the fullest stream's queue was full, so that another launch had to wait",
        ),
    ]
}

type Ranks<'a> = [(&'a RankSummary, &'a [OfStream])];

fn by_stream(job: &Job, ranks: &Ranks<'_>) -> Table {
    let own = [
        Column::new("changes", "Changes", Unit::Count),
        Column::new("mean", "Mean of changes", Unit::Count),
        Column::new("std", "Std dev", Unit::Count),
        Column::new("min", "Min", Unit::Count),
        Column::new("quartile1", "First quartile", Unit::Count),
        Column::new("median", "Median", Unit::Count),
        Column::new("quartile3", "Third quartile", Unit::Count),
        Column::new("max", "Max", Unit::Count),
        Column::new("time_mean", "Mean over time", Unit::Count),
        Column::new("observed_ns", "Observed", Unit::Nanoseconds),
        Column::new("blocked_ns", "Full", Unit::Nanoseconds),
        Column::new("blocked_pct", "Full of observed", Unit::Percent),
    ];
    let mut rows = Vec::new();
    for (rank, streams) in ranks {
        for of in *streams {
            let times =
                [of.mean(), of.observed.into(), of.full.into(), Value::percent(of.full.0, of.observed.0)];
            let leading = job.rank_cells(rank).into_iter().chain(of.stream.cells());
            rows.push(leading.chain(of.lengths.values()).chain(times).collect());
        }
    }
    Table {
        id: "by_stream",
        title: "Queue length by stream after each change, and the time it was full",
        columns: job.rank_columns().into_iter().chain(Stream::COLUMNS).chain(own).collect(),
        rows,
    }
}

fn series(job: &Job, ranks: &Ranks<'_>) -> Option<Table> {
    let own = [
        Column::new("time_ns", "Time", Unit::Nanoseconds),
        Column::new("length", "Queued activities", Unit::Count),
    ];
    let mut rows = Vec::new();
    for (rank, streams) in ranks {
        for of in *streams {
            for &(time, length) in &of.series {
                let leading = job.rank_cells(rank).into_iter().chain(of.stream.cells());
                rows.push(leading.chain([time.into(), length.into()]).collect());
            }
        }
    }
    (!rows.is_empty()).then(|| Table {
        id: "series",
        title: "Queue length by stream after each change",
        columns: job.rank_columns().into_iter().chain(Stream::COLUMNS).chain(own).collect(),
        rows,
    })
}

#[cfg(test)]
mod tests;
