//! Why the GPU did nothing: it waited for the host, for the device itself, or for something else.

pub(super) mod gaps;

use eaves_model::{MaybeU32, Ns};
use serde::{Deserialize, Serialize};

use self::gaps::{Activity, Cause, GapFinder, Split};
use super::{Analyse, Rank, missing};
use crate::section::Description;
use crate::section::{Column, Number, Section, Table, Unit, Value};
use crate::streams::{Stream, StreamNumbers, device_cell};
use crate::{Job, Outcome, RankSummary, RankView};

pub(super) struct IdleTime;

/// What stays of a rank.
#[derive(Deserialize, Serialize)]
pub(super) struct Part {
    /// All devices together.
    whole: Split,
    /// The devices of a rank that has several.
    devices: Vec<(MaybeU32, Split)>,
    streams: Vec<OfStream>,
}

#[derive(Deserialize, Serialize)]
struct OfStream {
    stream: Stream,
    split: Split,
    /// The lengths of its gaps by cause, with details.
    lengths: Option<[Option<Description>; 3]>,
}

impl Analyse for IdleTime {
    const ID: &'static str = "idle-time";
    type Part = Option<Part>;

    fn measure(rank: &RankView<'_>) -> Option<Part> {
        (!rank.gpu.is_empty()).then(|| measured(rank))
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Option<Part>>]) -> Outcome {
        let ranks: Vec<(&RankSummary, &Part)> =
            ranks.iter().filter_map(|rank| Some((rank.summary, rank.part.as_ref()?))).collect();
        if ranks.is_empty() {
            return missing::gpu_activity(job, Self::ID);
        }
        let tables = [Some(by_rank(job, &ranks)), by_device(job, &ranks), Some(by_stream(job, &ranks))]
            .into_iter()
            .chain([intervals(job, &ranks)])
            .flatten();
        Outcome::Section(Section {
            id: Self::ID,
            title: "Idle time",
            numbers: ranks.iter().flat_map(|(rank, part)| numbers(rank.rank, &part.whole)).collect(),
            tables: tables.collect(),
            // The causes of idle time, and what they cost, are the matter of section idle-causes.
            charts: Vec::new(),
            findings: Vec::new(),
        })
    }
}

/// One pass over the activities in the order of their starts, for the whole, the devices and the streams at once.
fn measured(rank: &RankView<'_>) -> Part {
    let (gpu, starts, wait) = (&rank.gpu, &rank.trace.slices.start, rank.options.kernel_wait);
    let (links, details) = (rank.links(), rank.options.details);
    let mut order: Vec<(Ns, usize)> =
        gpu.interval.iter().enumerate().map(|(index, interval)| (interval.start, index)).collect();
    order.sort();
    let mut numbers = StreamNumbers::default();
    let mut of_stream: Vec<GapFinder> = Vec::new();
    let mut whole = GapFinder::new(wait, false);
    let devices = Some(gpu.devices()).filter(|devices| devices.len() > 1).unwrap_or_default();
    let mut of_device: Vec<GapFinder> = devices.iter().map(|_| GapFinder::new(wait, false)).collect();
    for (_, index) in order {
        let launch = links.launch(gpu.row[index]).map(|call| starts[call.index()]);
        let activity = Activity { interval: gpu.interval[index], launch };
        whole.add(activity);
        if let Ok(device) = devices.binary_search(&gpu.device[index]) {
            of_device[device].add(activity);
        }
        let stream = numbers.of(gpu.device[index], gpu.stream[index]) as usize;
        if stream == of_stream.len() {
            of_stream.push(GapFinder::new(wait, details));
        }
        of_stream[stream].add(activity);
    }
    let of = |(stream, finder): (Stream, GapFinder)| {
        let (split, lengths) = finder.finish();
        OfStream { stream, split, lengths }
    };
    let mut streams: Vec<OfStream> = numbers.into_streams().into_iter().zip(of_stream).map(of).collect();
    streams.sort_by_key(|of| of.stream);
    let of_device = of_device.into_iter().map(|finder| finder.finish().0);
    Part { whole: whole.finish().0, devices: devices.into_iter().zip(of_device).collect(), streams }
}

const COLUMNS: [Column; 9] = [
    Column::new("idle_ns", "Idle", Unit::Nanoseconds),
    Column::new("host_wait_ns", "Waiting for the host", Unit::Nanoseconds),
    Column::new("kernel_wait_ns", "Between kernels", Unit::Nanoseconds),
    Column::new("other_ns", "Other", Unit::Nanoseconds),
    Column::new("host_wait_pct", "Host of idle", Unit::Percent),
    Column::new("kernel_wait_pct", "Between kernels, of idle", Unit::Percent),
    Column::new("other_pct", "Other of idle", Unit::Percent),
    Column::new("gaps", "Gaps", Unit::Count),
    Column::new("span_ns", "Span", Unit::Nanoseconds),
];

const EXPLAINED: [&str; 7] = [
    "time within the rank's GPU span without any GPU activity on any stream",
    "GPU idle time before activities launched after the gap began",
    "GPU idle time in short gaps before activities already launched",
    "GPU idle time in longer gaps before activities already launched, or without a recorded launch",
    "waiting for the host, share of GPU idle time",
    "waiting between kernels, share of GPU idle time",
    "other waiting, share of GPU idle time",
];

fn cells(split: &Split) -> [Value; COLUMNS.len()] {
    let idle = split.idle();
    let share = |cause| Value::percent(split.time(cause).0, idle.0);
    [
        idle.into(),
        split.time(Cause::HostWait).into(),
        split.time(Cause::KernelWait).into(),
        split.time(Cause::Other).into(),
        share(Cause::HostWait),
        share(Cause::KernelWait),
        share(Cause::Other),
        split.all_gaps().into(),
        split.span.into(),
    ]
}

fn numbers(rank: i64, split: &Split) -> Vec<Number> {
    let number = |((value, column), explain): ((Value, Column), &'static str)| {
        Number::of_column(column, value, explain).of_rank(rank)
    };
    cells(split).into_iter().zip(COLUMNS).zip(EXPLAINED).map(number).collect()
}

type Ranks<'a> = [(&'a RankSummary, &'a Part)];

fn by_rank(job: &Job, ranks: &Ranks<'_>) -> Table {
    let row = |(rank, part): &(&RankSummary, &Part)| {
        job.rank_cells(rank).into_iter().chain(cells(&part.whole)).collect()
    };
    Table {
        id: "by_rank",
        title: "GPU idle time by rank, shares of idle time",
        columns: job.rank_columns().into_iter().chain(COLUMNS).collect(),
        rows: ranks.iter().map(row).collect(),
    }
}

fn by_device(job: &Job, ranks: &Ranks<'_>) -> Option<Table> {
    let mut rows = Vec::new();
    for (rank, part) in ranks {
        for (device, split) in &part.devices {
            let mut row = job.rank_cells(rank);
            row.push(device_cell(*device));
            row.extend(cells(split));
            rows.push(row);
        }
    }
    let mut columns = job.rank_columns();
    columns.push(Stream::COLUMNS[0]);
    columns.extend(COLUMNS);
    let title = "Idle time by device, shares of idle time";
    (!rows.is_empty()).then_some(Table { id: "by_device", title, columns, rows })
}

fn by_stream(job: &Job, ranks: &Ranks<'_>) -> Table {
    let mut rows = Vec::new();
    for (rank, part) in ranks {
        for of in &part.streams {
            let leading = job.rank_cells(rank).into_iter().chain(of.stream.cells());
            rows.push(leading.chain(cells(&of.split)).collect());
        }
    }
    Table {
        id: "by_stream",
        title: "Idle time by stream, regardless of other streams, shares of the stream's idle time",
        columns: job.rank_columns().into_iter().chain(Stream::COLUMNS).chain(COLUMNS).collect(),
        rows,
    }
}

fn intervals(job: &Job, ranks: &Ranks<'_>) -> Option<Table> {
    let own = [
        Column::new("cause", "Cause", Unit::None),
        Column::new("gaps", "Gaps", Unit::Count),
        Column::new("mean_ns", "Mean", Unit::Nanoseconds),
        Column::new("std_ns", "Std dev", Unit::Nanoseconds),
        Column::new("min_ns", "Min", Unit::Nanoseconds),
        Column::new("quartile1_ns", "First quartile", Unit::Nanoseconds),
        Column::new("median_ns", "Median", Unit::Nanoseconds),
        Column::new("quartile3_ns", "Third quartile", Unit::Nanoseconds),
        Column::new("max_ns", "Max", Unit::Nanoseconds),
    ];
    let mut rows: Vec<Vec<Value>> = Vec::new();
    for (rank, part) in ranks {
        for of in &part.streams {
            for (cause, lengths) in Cause::ALL.into_iter().zip(of.lengths.into_iter().flatten()) {
                let mut row = job.rank_cells(rank);
                row.extend(of.stream.cells());
                row.push(cause.id().into());
                row.extend(lengths.map_or(Description::none("no gaps"), |lengths| lengths.values()));
                rows.push(row);
            }
        }
    }
    (!rows.is_empty()).then(|| Table {
        id: "gap_lengths",
        title: "Gap lengths by stream and cause",
        columns: job.rank_columns().into_iter().chain(Stream::COLUMNS).chain(own).collect(),
        rows,
    })
}

#[cfg(test)]
mod tests;
