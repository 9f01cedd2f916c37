//! The numbers of a timeline: how long host and device worked, together, alone and not at all.

use eaves_model::Ns;
use serde::{Deserialize, Serialize};

use super::activity::{Activity, TrackActivity};
use super::names::Names;
use crate::analyses::{Analyse, Rank, Shown};
use crate::section::{Column, Number, Section, Skipped, Table, Unit, Value};
use crate::{Job, Outcome, RankView};

pub(super) struct Timeline;

/// How long host and device worked.
#[derive(Deserialize, Serialize)]
pub(super) struct Facts {
    span: Ns,
    cpu: Ns,
    gpu: Ns,
    overlap: Ns,
    idle: Ns,
    threads: Vec<TrackFacts>,
    streams: Vec<TrackFacts>,
}

/// How long one track worked.
#[derive(Deserialize, Serialize)]
struct TrackFacts {
    name: String,
    slices: u64,
    busy: Ns,
}

impl Analyse for Timeline {
    const ID: &'static str = "timeline";
    const SHOWN: Shown = Shown::WhenAsked;
    /// Nothing if nothing is selected.
    type Part = Option<Facts>;

    fn measure(rank: &RankView<'_>) -> Option<Facts> {
        let activity = Activity::of(rank);
        let span = activity.span?.length();
        let (cpu, gpu) = (activity.cpu.measure(), activity.gpu.measure());
        let overlap = activity.cpu.intersection(&activity.gpu).measure();
        let names = Names::new(rank);
        let facts = |tracks: &[TrackActivity]| -> Vec<TrackFacts> {
            let mut tracks: Vec<&TrackActivity> = tracks.iter().collect();
            tracks.sort_by_key(|track| names.order(track.track));
            let fact = |track: &&TrackActivity| TrackFacts {
                name: names.full(track.track),
                slices: track.slices,
                busy: track.busy.measure(),
            };
            tracks.iter().map(fact).collect()
        };
        let (threads, streams) = (facts(&activity.threads), facts(&activity.streams));
        Some(Facts { span, cpu, gpu, overlap, idle: span - (cpu + gpu - overlap), threads, streams })
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Option<Facts>>]) -> Outcome {
        if ranks.iter().all(|rank| rank.part.is_none()) {
            return Outcome::Skipped(Skipped {
                id: Self::ID,
                missing: "events with a duration in the selection".to_owned(),
                how_to_record:
                    "select other ranks, steps or times; `eaves info` lists those that were recorded"
                        .to_owned(),
            });
        }
        Outcome::Section(Section {
            id: Self::ID,
            title: "Host and GPU activity over time",
            numbers: ranks
                .iter()
                .filter_map(|rank| Some((rank.rank, rank.part.as_ref()?)))
                .flat_map(|(rank, facts)| numbers(rank, facts))
                .collect(),
            tables: vec![
                by_rank(job, ranks),
                tracks(
                    job,
                    ranks,
                    "threads",
                    "Host threads: operators, runtime calls and Python frames, share of the span",
                    |facts| &facts.threads,
                ),
                tracks(job, ranks, "streams", "GPU streams: GPU activities, share of the span", |facts| {
                    &facts.streams
                }),
            ],
            charts: Vec::new(),
            findings: Vec::new(),
        })
    }
}

/// One time of a rank as number and column, with its share of the span.
struct Part {
    id: &'static str,
    title: &'static str,
    explain: &'static str,
    /// Id, title and meaning of the share.
    share: (&'static str, &'static str, &'static str),
    of: fn(&Facts) -> Ns,
}

const PARTS: [Part; 4] = [
    Part {
        id: "cpu_active_ns",
        title: "CPU active",
        explain: "union of operators, runtime calls and Python frames over all threads; named ranges excluded",
        share: (
            "cpu_active_pct",
            "CPU active, of span",
            "time with an active host thread, share of the span",
        ),
        of: |facts| facts.cpu,
    },
    Part {
        id: "gpu_active_ns",
        title: "GPU active",
        explain: "union of all GPU activities of all GPUs",
        share: ("gpu_active_pct", "GPU active, of span", "time with an active GPU, share of the span"),
        of: |facts| facts.gpu,
    },
    Part {
        id: "overlap_ns",
        title: "Both active",
        explain: "time with both a host thread and a GPU active",
        share: (
            "overlap_pct",
            "Both active, of span",
            "time with both a host thread and a GPU active, share of the span",
        ),
        of: |facts| facts.overlap,
    },
    Part {
        id: "idle_ns",
        title: "Both idle",
        explain: "time with neither a host thread nor a GPU active",
        share: (
            "idle_pct",
            "Both idle, of span",
            "time with neither a host thread nor a GPU active, share of the span",
        ),
        of: |facts| facts.idle,
    },
];

const SPAN: &str = "first start to last end of everything recorded or selected";

fn numbers(rank: i64, facts: &Facts) -> Vec<Number> {
    let number = |id, value, unit, explain| Number::formula(id, value, unit, explain).of_rank(rank);
    let mut numbers = vec![number("span_ns", facts.span.into(), Unit::Nanoseconds, SPAN)];
    for part in &PARTS {
        let time = (part.of)(facts);
        let (id, _, explain) = part.share;
        numbers.push(number(part.id, time.into(), Unit::Nanoseconds, part.explain));
        numbers.push(number(id, Value::percent(time.0, facts.span.0), Unit::Percent, explain));
    }
    numbers
}

fn by_rank(job: &Job, ranks: &[Rank<'_, Option<Facts>>]) -> Table {
    let mut columns = job.rank_columns();
    columns.push(Column::new("span_ns", "Span", Unit::Nanoseconds));
    columns.extend(PARTS.iter().map(|part| Column::new(part.share.0, part.share.1, Unit::Percent)));
    columns.extend(PARTS.iter().map(|part| Column::new(part.id, part.title, Unit::Nanoseconds)));
    let row = |rank: &Rank<'_, Option<Facts>>| {
        let facts = rank.part.as_ref()?;
        let times = PARTS.iter().map(|part| (part.of)(facts));
        let mut cells = job.rank_cells(rank);
        cells.push(facts.span.into());
        cells.extend(times.clone().map(|time| Value::percent(time.0, facts.span.0)));
        cells.extend(times.map(Value::from));
        Some(cells)
    };
    Table {
        id: "by_rank",
        title: "Time with threads, GPUs, both or neither active, share of the span",
        columns,
        rows: ranks.iter().filter_map(row).collect(),
    }
}

fn tracks(
    job: &Job,
    ranks: &[Rank<'_, Option<Facts>>],
    id: &'static str,
    title: &'static str,
    of: impl Fn(&Facts) -> &[TrackFacts],
) -> Table {
    let own = [
        Column::new("name", "Name", Unit::None),
        Column::new("slices", "Slices", Unit::Count),
        Column::new("busy_ns", "Busy", Unit::Nanoseconds),
        Column::new("busy_pct", "Busy of span", Unit::Percent),
    ];
    let mut rows = Vec::new();
    for rank in ranks {
        let Some(facts) = rank.part else { continue };
        for track in of(facts) {
            let cells = [
                track.name.as_str().into(),
                track.slices.into(),
                track.busy.into(),
                Value::percent(track.busy.0, facts.span.0),
            ];
            rows.push(job.rank_cells(rank).into_iter().chain(cells).collect());
        }
    }
    Table { id, title, columns: job.rank_columns().into_iter().chain(own).collect(), rows }
}

#[cfg(test)]
mod tests {
    use eaves_model::SliceKind::{Kernel, Memcpy};
    use eaves_model::{Interval, Run};

    use super::*;
    use crate::test_trace::{TestTrace, column, column_ids, integers, number, run_of, texts};
    use crate::timeline::TIMELINE;
    use crate::{Options, Selection, assemble, measure};

    fn outcome(run: &Run, selection: Selection) -> Outcome {
        let (options, analyses) = (Options::default().with_selection(selection), [&TIMELINE]);
        let measured: Vec<_> = run
            .recordings
            .iter()
            .map(|recording| measure(&RankView::new(&recording.trace, &options), &analyses))
            .collect();
        assemble(&run.recordings, &measured, &options, &analyses).unwrap().remove(0)
    }

    fn values(section: &Section, rank: i64) -> Vec<Value> {
        ["span_ns", "cpu_active_ns", "gpu_active_ns", "overlap_ns", "idle_ns"]
            .map(|id| number(section, id, Some(rank)))
            .to_vec()
    }

    /// The trace is 0..1000: step 1 is 0..400, step 2 is 400..1000. Calls 100..150, 300..500 and 850..900; kernels
    /// 140..340 launched in step 1, 600..700 launched in step 2, a copy 650..750 that nothing launched.
    fn trace() -> TestTrace {
        let mut test = TestTrace::default();
        test.step(1, 0, 400)
            .step(2, 400, 1000)
            .launch(1, 100, 150)
            .launch(2, 300, 500)
            .launch(3, 850, 900)
            .kernel("gemm", 1, 140, 340)
            .kernel("gemm", 3, 600, 700)
            .gpu(Memcpy, "Memcpy HtoD (Pinned -> Device)", 650, 750);
        test
    }

    #[test]
    fn unions_by_hand() {
        let section = outcome(&run_of(vec![trace()]), Selection::default()).section().unwrap().clone();
        // CPU 50 + 200 + 50. GPU 200 + 150. Both in 140..150 and 300..340. Neither in 0..100, 500..600, 750..850
        // and 900..1000.
        assert_eq!(values(&section, 0), integers([1000, 300, 350, 50, 400]));
        assert_eq!(number(&section, "idle_pct", Some(0)), Value::Float(40.0));
        assert_eq!(column(&section, "by_rank", "gpu_active_pct"), [Value::Float(35.0)]);
        assert_eq!(column_ids(&section, "by_rank")[..3], ["rank", "span_ns", "cpu_active_pct"]);
        assert_eq!(column_ids(&section, "threads"), ["rank", "name", "slices", "busy_ns", "busy_pct"]);
        assert_eq!(column(&section, "threads", "name"), texts(["process 1 thread 1"]));
        assert_eq!(column(&section, "threads", "slices"), integers([3]));
        // Kernels and copies are tracks of their own in these traces.
        assert_eq!(column(&section, "streams", "busy_ns"), integers([300, 100]));
        assert_eq!(column(&section, "streams", "name"), texts(["GPU 0 stream 7", "GPU 0 stream 7"]));
    }

    #[test]
    fn a_window_cuts_host_and_device_alike() {
        let selection = Selection::default().with_time(Interval::new(Ns(120), Ns(320)));
        let section = outcome(&run_of(vec![trace()]), selection).section().unwrap().clone();
        // CPU 120..150 and 300..320, GPU 140..320.
        assert_eq!(values(&section, 0), integers([200, 50, 180, 30, 0]));
        assert_eq!(column(&section, "threads", "slices"), integers([2]));
        // A window that goes on after the recording ends with it.
        let selection = Selection::default().with_time(Interval::new(Ns(900), Ns::MAX));
        let section = outcome(&run_of(vec![trace()]), selection).section().unwrap().clone();
        assert_eq!(values(&section, 0), integers([100, 0, 0, 0, 100]));
    }

    #[test]
    fn steps_cut_the_host_and_keep_what_they_launched() {
        let section = outcome(&run_of(vec![trace()]), Selection::default().with_steps(1..=1))
            .section()
            .unwrap()
            .clone();
        // Step 1 is 0..400: calls 100..150 and 300..400, kernel 140..340.
        assert_eq!(values(&section, 0), integers([400, 150, 200, 50, 100]));
        let section = outcome(&run_of(vec![trace()]), Selection::default().with_steps(2..=2))
            .section()
            .unwrap()
            .clone();
        // Step 2 is 400..1000: calls 400..500 and 850..900, the kernel 600..700. The copy has no recorded launch.
        assert_eq!(values(&section, 0), integers([600, 150, 100, 0, 350]));
    }

    #[test]
    fn ranks_without_anything_are_left_out() {
        let mut only_kernel = TestTrace::default();
        only_kernel.gpu(Kernel, "gemm", 5, 15);
        let run = run_of(vec![TestTrace::default(), only_kernel]);
        let section = outcome(&run, Selection::default()).section().unwrap().clone();
        assert_eq!(values(&section, 1), integers([10, 0, 10, 0, 0]));
        assert!(section.numbers.iter().all(|number| number.rank == Some(1)));
        let nothing = outcome(&run_of(vec![TestTrace::default()]), Selection::default());
        assert!(nothing.section().is_none());
    }

    #[test]
    fn what_is_quarantined_counts_nowhere() {
        let mut test = trace();
        test.launch(9, 0, 1_000_000).quarantine_last().kernel("gemm", 9, 0, 1_000_000).quarantine_last();
        let section = outcome(&run_of(vec![test]), Selection::default()).section().unwrap().clone();
        assert_eq!(values(&section, 0), integers([1000, 300, 350, 50, 400]));
    }
}
