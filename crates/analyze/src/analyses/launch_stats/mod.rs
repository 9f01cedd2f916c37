//! What launching costs on the host, how long the work then waits, and how long it runs.

mod launches;

use std::cmp::Reverse;
use std::collections::HashMap;

use eaves_model::{MaybeI64, Ns, StringId};
use serde::{Deserialize, Serialize};

pub use self::launches::{Launch, launches};
use super::{Analyse, Rank, Shown, missing};
use crate::advice::Audience;
use crate::section::Description;
use crate::section::{Column, Finding, Number, Section, Severity, Table, Unit, Value};
use crate::{Job, Outcome, RankSummary, RankView, Statistics};

pub(super) struct LaunchStats;

/// A call that takes longer than this on the host is slow: a launch takes a few microseconds. HTA's default.
const SLOW_CALL: Ns = Ns(50_000);
/// Work that starts later than this after its launch had to wait in the queue. HTA's default.
const LONG_DELAY: Ns = Ns(100_000);

/// What stays of a rank.
#[derive(Deserialize, Serialize)]
pub(super) struct Part {
    calls: Vec<OfCall>,
    total: Counts,
    /// Every launch, with details.
    launches: Vec<Row>,
}

/// The launches by calls of one name.
#[derive(Deserialize, Serialize)]
struct OfCall {
    name: String,
    counts: Counts,
    activities: u64,
    gpu: Statistics,
    cpu: Description,
    delay: Description,
}

/// How many launches there were, and how many of a kind.
#[derive(Clone, Copy, Default, Deserialize, Serialize)]
struct Counts {
    launches: u64,
    /// Calls that do not wait for what they launch.
    asynchronous: u64,
    /// Those of them that are not slow but take longer than what they launch runs. HTA's short kernels. A slow call
    /// may have waited for what it launched, so that its duration says nothing about the work.
    short: u64,
    /// Asynchronous calls that are slow. HTA's runtime outliers.
    slow: u64,
    /// HTA's launch delay outliers.
    delayed: u64,
}

impl Counts {
    fn add(&mut self, launch: &Launch) {
        self.launches += 1;
        self.asynchronous += u64::from(!launch.blocking);
        self.short += u64::from(launch.outlasts_its_work() && launch.cpu <= SLOW_CALL);
        self.slow += u64::from(!launch.blocking && launch.cpu > SLOW_CALL);
        self.delayed += u64::from(launch.delay() > LONG_DELAY);
    }
}

/// A launch in the long table.
#[derive(Deserialize, Serialize)]
struct Row {
    /// Index in the list of calls.
    call: usize,
    /// From the beginning of the recording.
    start: Ns,
    cpu: Ns,
    /// Name of the activity that started first.
    first: String,
    activities: u32,
    gpu: Ns,
    delay: Ns,
    correlation: MaybeI64,
}

impl Analyse for LaunchStats {
    const ID: &'static str = "launch-stats";
    const SHOWN: Shown = Shown::WhenAsked;
    /// Nothing if no activity has a launch.
    type Part = Option<Part>;

    fn measure(rank: &RankView<'_>) -> Option<Part> {
        let mut launches = launches(rank);
        if rank.options.details {
            launches.sort_by_key(|launch| (launch.start, launch.call));
        }
        (!launches.is_empty()).then(|| measured(rank, &launches))
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Option<Part>>]) -> Outcome {
        let ranks: Vec<(&RankSummary, &Part)> =
            ranks.iter().filter_map(|rank| Some((rank.summary, rank.part.as_ref()?))).collect();
        if ranks.is_empty() {
            return missing::launches(job, Self::ID);
        }
        Outcome::Section(Section {
            id: Self::ID,
            title: "Launches",
            numbers: ranks.iter().flat_map(|(rank, part)| numbers(rank.rank, &part.total)).collect(),
            tables: std::iter::once(by_call(job, &ranks)).chain(every_launch(job, &ranks)).collect(),
            charts: Vec::new(),
            findings: short_kernels(job.audience(), &ranks).into_iter().collect(),
        })
    }
}

/// The launches by calls of one name while they are counted.
#[derive(Default)]
struct Counting {
    counts: Counts,
    activities: u64,
    gpu: Statistics,
    cpu: Vec<i64>,
    delay: Vec<i64>,
}

fn measured(rank: &RankView<'_>, launches: &[Launch]) -> Part {
    let mut total = Counts::default();
    let mut calls: Vec<(StringId, Counting)> = Vec::new();
    let mut rows = Vec::new();
    let mut by_name: HashMap<StringId, usize> = HashMap::new();
    let mut last: Option<usize> = None;
    for launch in launches {
        let call = match last {
            Some(last) if calls[last].0 == launch.name => last,
            _ => *by_name.entry(launch.name).or_insert_with(|| {
                calls.push((launch.name, Counting::default()));
                calls.len() - 1
            }),
        };
        last = Some(call);
        let counting = &mut calls[call].1;
        total.add(launch);
        counting.counts.add(launch);
        counting.activities += u64::from(launch.activities);
        counting.gpu.add(launch.gpu);
        counting.cpu.push(launch.cpu.0);
        counting.delay.push(launch.delay().0);
        if rank.options.details {
            rows.push(row(rank, launch, call));
        }
    }
    let of_call = |(name, mut counting): (StringId, Counting)| {
        Some(OfCall {
            name: rank.trace.strings.get(name).to_owned(),
            counts: counting.counts,
            activities: counting.activities,
            gpu: counting.gpu,
            cpu: Description::of(&mut counting.cpu)?,
            delay: Description::of(&mut counting.delay)?,
        })
    };
    Part { calls: calls.into_iter().filter_map(of_call).collect(), total, launches: rows }
}

fn row(rank: &RankView<'_>, launch: &Launch, call: usize) -> Row {
    let gpu = &rank.trace.gpu;
    Row {
        call,
        start: launch.start - rank.zero(),
        cpu: launch.cpu,
        first: rank.trace.slice_name(gpu.slice[launch.first.index()]).to_owned(),
        activities: launch.activities,
        gpu: launch.gpu,
        delay: launch.delay(),
        correlation: gpu.correlation[launch.first.index()],
    }
}

fn numbers(rank: i64, counts: &Counts) -> Vec<Number> {
    let number = |id, value, unit, explain| Number::counter(id, value, unit, explain).of_rank(rank);
    let share = Value::percent(counts.short.cast_signed(), counts.asynchronous.cast_signed());
    vec![
        number(
            "launches",
            counts.launches.into(),
            Unit::Count,
            "calls in the selection that launched recorded GPU activities; a graph launch counts once",
        ),
        number(
            "short_kernels",
            counts.short.into(),
            Unit::Count,
            "launches whose call takes up to 50 µs on the host, and longer than its work on the GPU",
        ),
        number("short_kernels_pct", share, Unit::Percent, "short kernels, share of asynchronous launches"),
        number(
            "slow_calls",
            counts.slow.into(),
            Unit::Count,
            "asynchronous launches whose call takes more than 50 µs on the host",
        ),
        number(
            "delayed",
            counts.delayed.into(),
            Unit::Count,
            "launches whose first activity starts more than 100 µs after the end of the call",
        ),
    ]
}

type Ranks<'a> = [(&'a RankSummary, &'a Part)];

fn by_call(job: &Job, ranks: &Ranks<'_>) -> Table {
    let own = [
        Column::new("name", "Call", Unit::None),
        Column::new("calls", "Calls", Unit::Count),
        Column::new("activities", "Activities", Unit::Count),
        Column::new("cpu_mean_ns", "Mean call", Unit::Nanoseconds),
        Column::new("cpu_median_ns", "Median call", Unit::Nanoseconds),
        Column::new("cpu_max_ns", "Longest call", Unit::Nanoseconds),
        Column::new("gpu_total_ns", "GPU total", Unit::Nanoseconds),
        Column::new("gpu_mean_ns", "GPU per call", Unit::Nanoseconds),
        Column::new("delay_mean_ns", "Mean delay", Unit::Nanoseconds),
        Column::new("delay_median_ns", "Median delay", Unit::Nanoseconds),
        Column::new("delay_max_ns", "Longest delay", Unit::Nanoseconds),
        Column::new("short_kernels", "Short kernels", Unit::Count),
        Column::new("slow_calls", "Slow calls", Unit::Count),
        Column::new("delayed", "Delayed", Unit::Count),
    ];
    let mut rows = Vec::new();
    for (rank, part) in ranks {
        let mut calls: Vec<&OfCall> = part.calls.iter().collect();
        calls.sort_by_key(|of| (Reverse(of.counts.launches), &of.name));
        for of in calls {
            rows.push(job.rank_cells(rank).into_iter().chain(cells(of)).collect());
        }
    }
    Table {
        id: "by_call",
        title: "Launching calls by name: host time, summed GPU time, delay from the end of the call to the start \
            of its first activity",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}

fn cells(of: &OfCall) -> [Value; 14] {
    [
        of.name.as_str().into(),
        of.counts.launches.into(),
        of.activities.into(),
        Value::Float(of.cpu.mean()),
        Value::Float(of.cpu.median()),
        of.cpu.max().into(),
        of.gpu.total().into(),
        of.gpu.mean().map_or(Value::Missing("no calls"), Value::Float),
        Value::Float(of.delay.mean()),
        Value::Float(of.delay.median()),
        of.delay.max().into(),
        of.counts.short.into(),
        of.counts.slow.into(),
        of.counts.delayed.into(),
    ]
}

fn every_launch(job: &Job, ranks: &Ranks<'_>) -> Option<Table> {
    let own = [
        Column::new("start_ns", "Start", Unit::Nanoseconds),
        Column::new("name", "Call", Unit::None),
        Column::new("correlation", "Correlation", Unit::None),
        Column::new("cpu_ns", "On the host", Unit::Nanoseconds),
        Column::new("delay_ns", "Delay", Unit::Nanoseconds),
        Column::new("gpu_ns", "GPU", Unit::Nanoseconds),
        Column::new("activities", "Activities", Unit::Count),
        Column::new("first", "First activity", Unit::None),
    ];
    let mut rows = Vec::new();
    for (rank, part) in ranks {
        for row in &part.launches {
            let own = [
                row.start.into(),
                part.calls.get(row.call).map_or("", |of| &of.name).into(),
                row.correlation.get().map_or(Value::Missing("not recorded"), Value::Integer),
                row.cpu.into(),
                row.delay.into(),
                row.gpu.into(),
                u64::from(row.activities).into(),
                row.first.as_str().into(),
            ];
            rows.push(job.rank_cells(rank).into_iter().chain(own).collect());
        }
    }
    (!rows.is_empty()).then(|| Table {
        id: "launches",
        title: "Every launch, in time order",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    })
}

/// From this many short kernels on, they are a pattern and no accident of a short recording.
const ENOUGH_SHORT: u64 = 300;

fn short_kernels(audience: Audience, ranks: &Ranks<'_>) -> Option<Finding> {
    let half = |counts: &Counts| counts.short.saturating_mul(2) > counts.asynchronous;
    let (rank, part) = ranks
        .iter()
        .filter(|(_, part)| part.total.short >= ENOUGH_SHORT && half(&part.total))
        .max_by_key(|(rank, part)| (part.total.short, Reverse(rank.rank)))?;
    let worst = part.calls.iter().max_by_key(|of| (of.counts.short, Reverse(&of.name)))?;
    Some(Finding {
        id: "short_kernels",
        severity: Severity::Info,
        claim: format!(
            "{} of {} launches on rank {} take longer on the host than their work takes on the GPU: work of this size \
             cannot keep the GPU busy",
            part.total.short, part.total.asynchronous, rank.rank
        ),
        // The time itself is idle time of the GPU, which other findings count.
        gain: None,
        evidence: format!("table by_call, rank {}, name {}, column short_kernels", rank.rank, worst.name),
        next: audience.unless_compiled(
            "give each launch more work: fuse kernels (`torch.compile`), replay them as a CUDA graph, use larger batches; \
             section op-delays shows which operators launch them",
            "give each launch more work: fuse kernels, launch them as a graph, use larger batches",
        ),
    })
}

#[cfg(test)]
mod tests;
