//! Events whose duration cannot be true: which they are, and what the totals would be with them.

use eaves_model::{Ns, SliceId, SliceKind};
use serde::{Deserialize, Serialize};

use super::temporal_breakdown::PARTS;
use super::{Analyse, Breakdown, Rank, Shown};
use crate::section::{Column, Finding, Number, Section, Severity, Table, Unit, Value};
use crate::timeline::Names;
use crate::{GpuView, Job, Outcome, RankView};

pub(super) struct Quarantine;

/// What stays of a rank; nothing of a sound one.
#[derive(Default, Deserialize, Serialize)]
pub(super) struct Part {
    events: Vec<Event>,
    totals: Vec<Total>,
}

/// An event in quarantine.
#[derive(Deserialize, Serialize)]
struct Event {
    name: String,
    track: String,
    /// Since the first start of the recording, quarantined or not.
    start: Ns,
    duration: Ns,
    reason: String,
}

/// A total that the quarantined events would change.
#[derive(Deserialize, Serialize)]
struct Total {
    name: String,
    counted: Ns,
    with: Ns,
    /// Events that are summed up, without and with those in quarantine; a union has none.
    events: Option<(u64, u64)>,
}

impl Analyse for Quarantine {
    const ID: &'static str = "quarantine";
    const SHOWN: Shown = Shown::WhenAsked;
    const NEEDS_TIMES: bool = false;
    type Part = Part;

    fn measure(rank: &RankView<'_>) -> Part {
        if rank.trace.quarantined.is_empty() {
            return Part::default();
        }
        let mut totals = gpu_totals(rank);
        totals.extend(sums(rank));
        totals.retain(|total| {
            total.counted != total.with || total.events.is_some_and(|(counted, with)| counted != with)
        });
        Part { events: events(rank), totals }
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Part>]) -> Outcome {
        let count: usize = ranks.iter().map(|rank| rank.part.events.len()).sum();
        let mut tables = Vec::new();
        let mut findings = Vec::new();
        if count > 0 {
            tables = vec![event_table(job, ranks), total_table(job, ranks)];
            findings.push(finding(count));
        }
        let number = Number::counter(
            "quarantined_count",
            count.into(),
            Unit::Count,
            "events with an impossible duration (negative, overflowed, or ending after the recording), excluded \
            from all totals",
        );
        Outcome::Section(Section {
            id: Self::ID,
            title: "Quarantined events",
            numbers: vec![number],
            tables,
            charts: Vec::new(),
            findings,
        })
    }
}

fn events(rank: &RankView<'_>) -> Vec<Event> {
    let (trace, names) = (rank.trace, Names::new(rank));
    let starts = trace.quarantined.iter().map(|slice| trace.slices.start[slice.index()]);
    let zero = starts.fold(rank.zero(), Ns::min);
    let event = |&slice: &SliceId| Event {
        name: trace.slice_name(slice).to_owned(),
        track: names.full(trace.slices.track[slice.index()]),
        start: trace.slices.start[slice.index()] - zero,
        duration: trace.slices.duration[slice.index()],
        reason: trace.impossibility(slice).reason().to_owned(),
    };
    trace.quarantined.iter().map(event).collect()
}

/// The breakdown of the selected GPU activities, without and with quarantined ones.
fn gpu_totals(rank: &RankView<'_>) -> Vec<Total> {
    let counted = Breakdown::of(&rank.sets);
    let with = Breakdown::of(&GpuView::with_quarantined(rank.trace, &rank.options.selection).sets());
    let pairs = counted.values().into_iter().zip(with.values());
    let total = |(part, (counted, with)): (&super::temporal_breakdown::Part, (Ns, Ns))| Total {
        name: format!("GPU {}", part.title.to_lowercase()),
        counted,
        with,
        events: None,
    };
    PARTS.iter().zip(pairs).map(total).collect()
}

/// The summed durations of each kind of event, without and with quarantined ones.
fn sums(rank: &RankView<'_>) -> Vec<Total> {
    let trace = rank.trace;
    let mut sums = SliceKind::ALL.map(|kind| (kind, Ns::ZERO, Ns::ZERO, 0, 0));
    for (row, &kind) in trace.slices.kind.iter().enumerate() {
        if !rank.selects(trace.slices.start[row]) {
            continue;
        }
        let duration = trace.slices.duration[row];
        let (_, counted, with, counted_events, with_events) = &mut sums[kind as usize];
        *with += duration;
        *with_events += 1;
        if !trace.is_quarantined(SliceId::from(row)) {
            *counted += duration;
            *counted_events += 1;
        }
    }
    let total = |(kind, counted, with, counted_events, with_events): (SliceKind, Ns, Ns, u64, u64)| Total {
        name: format!("sum of `{}` events", kind.name()),
        counted,
        with,
        events: Some((counted_events, with_events)),
    };
    sums.into_iter().map(total).collect()
}

fn event_table(job: &Job, ranks: &[Rank<'_, Part>]) -> Table {
    let columns = [
        Column::new("name", "Name", Unit::None),
        Column::new("track", "Track", Unit::None),
        Column::new("start_ns", "Start", Unit::Nanoseconds),
        Column::new("duration_ns", "Duration", Unit::Nanoseconds),
        Column::new("reason", "Reason", Unit::None),
    ];
    let cells = |event: &Event| {
        let Event { name, track, start, duration, reason } = event;
        [
            name.as_str().into(),
            track.as_str().into(),
            (*start).into(),
            (*duration).into(),
            reason.as_str().into(),
        ]
    };
    Table {
        id: "events",
        title: "Excluded events, times from the start of the recording",
        columns: job.rank_columns().into_iter().chain(columns).collect(),
        rows: ranks
            .iter()
            .flat_map(|rank| rank.part.events.iter().map(move |event| (rank, event)))
            .map(|(rank, event)| job.rank_cells(rank).into_iter().chain(cells(event)).collect())
            .collect(),
    }
}

fn total_table(job: &Job, ranks: &[Rank<'_, Part>]) -> Table {
    let columns = [
        Column::new("total", "Total", Unit::None),
        Column::new("without_ns", "Without (as reported)", Unit::Nanoseconds),
        Column::new("with_ns", "With", Unit::Nanoseconds),
        Column::new("without_events", "Events without", Unit::Count),
        Column::new("with_events", "Events with", Unit::Count),
    ];
    let cells = |total: &Total| {
        let events = |which: fn((u64, u64)) -> u64| {
            total.events.map_or(Value::Missing("a union counts no events"), |events| which(events).into())
        };
        let (without, with) = (events(|(without, _)| without), events(|(_, with)| with));
        [total.name.as_str().into(), total.counted.into(), total.with.into(), without, with]
    };
    Table {
        id: "totals",
        title: "Totals without and with the quarantined events",
        columns: job.rank_columns().into_iter().chain(columns).collect(),
        rows: ranks
            .iter()
            .flat_map(|rank| rank.part.totals.iter().map(move |total| (rank, total)))
            .map(|(rank, total)| job.rank_cells(rank).into_iter().chain(cells(total)).collect())
            .collect(),
    }
}

fn finding(count: usize) -> Finding {
    let events = if count == 1 { "event has" } else { "events have" };
    Finding {
        id: "quarantined",
        severity: Severity::Info,
        claim: format!("{count} {events} an impossible duration and count in no total"),
        gain: None,
        evidence: "tables `events` and `totals` of section `quarantine`".to_owned(),
        next: "section `quarantine` shows the totals with and without them; record again if it matters"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use eaves_model::SliceKind::{Kernel, Op};

    use super::*;
    use crate::test_trace::{TestTrace, column, integers, number, run_of, section_of, texts};

    #[test]
    fn totals_are_shown_without_and_with() {
        let mut test = TestTrace::default();
        // The second kernel is said to last as long as the first two and the gap between them, and then to end at 1,000.
        test.gpu(Kernel, "gemm", 100, 200)
            .gpu(Kernel, "broken", 150, 1_000)
            .quarantine_last()
            .gpu(Kernel, "gemm", 300, 400)
            .host(Op, "aten::mul", 60, 60)
            .quarantine_last();
        let section = section_of(&run_of(vec![test, TestTrace::default()]), "quarantine");
        assert_eq!(number(&section, "quarantined_count", None), Value::Integer(2));
        assert_eq!(column(&section, "events", "name"), texts(["broken", "aten::mul"]));
        assert_eq!(column(&section, "events", "track"), texts(["GPU 0 stream 7", "process 1 thread 1"]));
        assert_eq!(column(&section, "events", "start_ns"), integers([90, 0]));
        let reasons = texts(["ends after the recording", "negative duration"]);
        assert_eq!(column(&section, "events", "reason"), reasons);
        // Idle 200..300 is covered; 400..1,000 is busy as well.
        let totals = texts([
            "GPU idle",
            "GPU compute",
            "GPU busy",
            "GPU span",
            "sum of `op` events",
            "sum of `kernel` events",
        ]);
        assert_eq!(column(&section, "totals", "total"), totals);
        assert_eq!(column(&section, "totals", "without_ns"), integers([100, 200, 200, 300, 0, 200]));
        assert_eq!(column(&section, "totals", "with_ns"), integers([0, 900, 900, 900, 0, 1_050]));
        assert_eq!(column(&section, "totals", "with_events")[4..], integers([1, 3]));
        assert_eq!(section.findings.len(), 1);
    }

    #[test]
    fn a_sound_recording_has_none() {
        let mut test = TestTrace::default();
        test.gpu(Kernel, "gemm", 100, 200);
        let section = section_of(&run_of(vec![test]), "quarantine");
        assert_eq!(number(&section, "quarantined_count", None), Value::Integer(0));
        assert_eq!((section.tables.len(), section.findings.len()), (0, 0));
    }
}
