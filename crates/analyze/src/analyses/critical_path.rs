//! The critical path: which chain of work and waiting decides how long the selected time takes.

use eaves_model::{Ns, SliceId, ident_text};
use serde::{Deserialize, Serialize};

use super::{Analyse, Rank};
use crate::critical_path::{Cause, CriticalPath, NAMES_WITH_GAIN, NameTime, PathPart};
use crate::section::{Column, Number, Section, Skipped, Table, Unit, Value};
use crate::{Job, Outcome, RankView};

pub(super) struct CriticalPaths;

/// What stays of the path of a rank.
#[derive(Deserialize, Serialize)]
pub(super) struct Summary {
    window: Ns,
    /// By number of the cause. All together are the window.
    times: [Ns; Cause::ALL.len()],
    /// Costliest first.
    names: Vec<NameRow>,
    /// The path itself, if details are wanted.
    parts: Vec<PartRow>,
}

#[derive(Deserialize, Serialize)]
struct NameRow {
    name: String,
    time: NameTime,
}

#[derive(Deserialize, Serialize)]
struct PartRow {
    start: Ns,
    duration: Ns,
    cause: Cause,
    name: String,
    process: String,
    thread: String,
}

impl Analyse for CriticalPaths {
    const ID: &'static str = "critical-path";
    const HEAVY: bool = true;
    /// Nothing if nothing ran.
    type Part = Option<Summary>;

    fn measure(rank: &RankView<'_>) -> Option<Summary> {
        let (path, names) = CriticalPath::with_names(rank)?;
        let mut times = [Ns::ZERO; Cause::ALL.len()];
        for part in &path.parts {
            times[part.cause as usize] += part.interval.length();
        }
        let strings = &rank.trace.strings;
        let row = |time: NameTime| NameRow { name: name_text(time.cause, strings.get(time.name)), time };
        let parts = if rank.options.details { path.parts.as_slice() } else { &[] };
        Some(Summary {
            window: path.window.length(),
            times,
            names: names.into_iter().map(row).collect(),
            parts: parts.iter().map(|part| part_row(rank, part)).collect(),
        })
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Option<Summary>>]) -> Outcome {
        let ranks: Vec<(&Rank<'_, Option<Summary>>, &Summary)> =
            ranks.iter().filter_map(|rank| Some((rank, rank.part.as_ref()?))).collect();
        if ranks.is_empty() {
            return Outcome::Skipped(Skipped {
                id: Self::ID,
                missing: "operators, runtime calls and GPU activity in the selection".to_owned(),
                how_to_record: job.recorder.advice("launches", "record both sides with \
                                `torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])`, or \
                                select other steps or times"),
            });
        }
        let mut tables = vec![by_cause(job, &ranks), by_name(job, &ranks)];
        if job.options.details {
            tables.push(parts(job, &ranks));
        }
        Outcome::Section(Section {
            id: Self::ID,
            title: "Critical path",
            numbers: ranks.iter().flat_map(|(rank, summary)| numbers(rank.rank, summary)).collect(),
            tables,
            charts: Vec::new(),
            findings: Vec::new(),
        })
    }
}

/// The name in tables. Time outside all calls has none of its own.
fn name_text(cause: Cause, name: &str) -> String {
    match cause {
        Cause::Outside if name.is_empty() => "(outside operators)".to_owned(),
        _ => name.to_owned(),
    }
}

fn part_row(rank: &RankView<'_>, part: &PathPart) -> PartRow {
    let trace = rank.trace;
    let place = |slice: SliceId| {
        let track = trace.slices.track[slice.index()].index();
        let text = |ident| ident_text(ident, &trace.strings).unwrap_or_default().into_owned();
        (text(trace.tracks.threads.process[track]), text(trace.tracks.threads.thread[track]))
    };
    let (process, thread) = part.slice.some().map(place).unwrap_or_default();
    let name = part.slice.some().map_or("", |slice| trace.slice_name(slice));
    PartRow {
        start: part.interval.start - rank.zero(),
        duration: part.interval.length(),
        cause: part.cause,
        name: name_text(part.cause, name),
        process,
        thread,
    }
}

fn by_cause(job: &Job, ranks: &[(&Rank<'_, Option<Summary>>, &Summary)]) -> Table {
    let own = [
        Column::new("cause", "Cause", Unit::None),
        Column::new("time_ns", "On the path", Unit::Nanoseconds),
        Column::new("share_pct", "Of the window", Unit::Percent),
    ];
    let mut rows = Vec::new();
    for (rank, summary) in ranks {
        let mut causes: Vec<Cause> =
            Cause::ALL.into_iter().filter(|&cause| summary.times[cause as usize] > Ns::ZERO).collect();
        causes.sort_by_key(|&cause| std::cmp::Reverse(summary.times[cause as usize]));
        for cause in causes {
            let time = summary.times[cause as usize];
            let own = [cause.id().into(), time.into(), Value::percent(time.0, summary.window.0)];
            rows.push(job.rank_cells(rank).into_iter().chain(own).collect());
        }
    }
    Table {
        id: "by_cause",
        title: "Critical path composition, shares of the window",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}

fn by_name(job: &Job, ranks: &[(&Rank<'_, Option<Summary>>, &Summary)]) -> Table {
    let own = [
        Column::new("name", "Name", Unit::None),
        Column::new("cause", "Cause", Unit::None),
        Column::new("time_ns", "On the path", Unit::Nanoseconds),
        Column::new("gain_if_free_ns", "Gain if free", Unit::Nanoseconds),
        Column::new("calls", "Calls", Unit::Count),
        Column::new("share_pct", "Of the window", Unit::Percent),
    ];
    let mut rows = Vec::new();
    for (rank, summary) in ranks {
        for NameRow { name, time } in &summary.names {
            let own = [
                name.as_str().into(),
                time.cause.id().into(),
                time.time.into(),
                time.gain.map_or(Value::Missing(NOT_ASKED), Value::from),
                time.calls.into(),
                Value::percent(time.time.0, summary.window.0),
            ];
            rows.push(job.rank_cells(rank).into_iter().chain(own).collect());
        }
    }
    Table {
        id: "by_name",
        title: "Largest items on the critical path, and how much shorter the path would be without them; another \
            path may take over, so the gain can be smaller than the time",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}

const NOT_ASKED: &str = "computed only for the ten costliest";
const _: () = assert!(NAMES_WITH_GAIN == 10, "see the sentence above");

fn parts(job: &Job, ranks: &[(&Rank<'_, Option<Summary>>, &Summary)]) -> Table {
    let own = [
        Column::new("start_ns", "Start", Unit::Nanoseconds),
        Column::new("duration_ns", "Duration", Unit::Nanoseconds),
        Column::new("cause", "Cause", Unit::None),
        Column::new("name", "Name", Unit::None),
        Column::new("process", "Process", Unit::None),
        Column::new("thread", "Thread", Unit::None),
    ];
    let mut rows = Vec::new();
    for (rank, summary) in ranks {
        for part in &summary.parts {
            let own = [
                part.start.into(),
                part.duration.into(),
                part.cause.id().into(),
                part.name.as_str().into(),
                part.process.as_str().into(),
                part.thread.as_str().into(),
            ];
            rows.push(job.rank_cells(rank).into_iter().chain(own).collect());
        }
    }
    Table {
        id: "path",
        title: "The critical path, from start to end",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}

fn numbers(rank: i64, summary: &Summary) -> Vec<Number> {
    let number = |id, value, unit, explain| Number::formula(id, value, unit, explain).of_rank(rank);
    let total = |of: fn(Cause) -> bool| {
        Cause::ALL
            .into_iter()
            .filter(|&cause| of(cause))
            .map(|cause| summary.times[cause as usize])
            .sum::<Ns>()
    };
    let share = |of: fn(Cause) -> bool| Value::percent(total(of).0, summary.window.0);
    vec![
        number(
            "window_ns",
            summary.window.into(),
            Unit::Nanoseconds,
            "from the beginning of the selected time, of the first selected step or of the recording to the end of \
             the last work launched in it",
        ),
        number(
            "path_ns",
            total(|cause| cause != Cause::Unexplained).into(),
            Unit::Nanoseconds,
            "length of the longest chain of work, hand-overs and delays through the window; the rest of the window is \
             unexplained",
        ),
        number(
            "host_bound_pct",
            share(Cause::is_host),
            Unit::Percent,
            "time on the path in operators, runtime calls, the program's own code and data loading, of the window",
        ),
        number(
            "gpu_bound_pct",
            share(Cause::is_gpu),
            Unit::Percent,
            "time on the path in kernels, copies, sets and the gaps between those that were launched already, of the \
             window",
        ),
        number(
            "handover_pct",
            share(|cause| matches!(cause, Cause::LaunchDelay | Cause::Synchronisation)),
            Unit::Percent,
            "time on the path from launching calls to the start of what they launched, and from the end of what was \
             waited for to the return of the waiting call, of the window",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_trace::{
        TestTrace, analyse, column, column_ids, integers, number, run_of, section_of, texts,
    };
    use crate::{Options, report};

    /// 0..10 launch, 10..40 delay, 40..140 kernel; the step ends before.
    fn trace() -> TestTrace {
        let mut test = TestTrace::default();
        test.step(1, 0, 50).launch(1, 0, 10).kernel("gemm", 1, 40, 140);
        test
    }

    #[test]
    fn values_by_hand() {
        let section = section_of(&run_of(vec![trace()]), "critical-path");
        let value = |id| number(&section, id, Some(0));
        assert_eq!([value("window_ns"), value("path_ns")].to_vec(), integers([140, 140]));
        assert_eq!(value("gpu_bound_pct"), Value::Float(100.0 * 100.0 / 140.0));
        assert_eq!(value("host_bound_pct"), Value::Float(100.0 * 10.0 / 140.0));
        assert_eq!(value("handover_pct"), Value::Float(100.0 * 30.0 / 140.0));
        let causes = ["compute", "launch delay", "host runtime calls"];
        assert_eq!(column(&section, "by_cause", "cause"), texts(causes));
        assert_eq!(column(&section, "by_cause", "time_ns"), integers([100, 30, 10]));
        assert_eq!(column(&section, "by_name", "name"), texts(["gemm", "gemm", "cudaLaunchKernel"]));
        assert_eq!(column(&section, "by_name", "cause"), texts(causes));
        assert_eq!(column(&section, "by_name", "calls"), integers([1, 1, 1]));
        // Without the kernel the step itself is left, 50 ns from its beginning to its end.
        assert_eq!(column(&section, "by_name", "gain_if_free_ns"), integers([90, 30, 10]));
        assert_eq!(section.tables.len(), 2);
    }

    #[test]
    fn details_are_the_path_itself() {
        let run = run_of(vec![trace(), trace()]);
        let outcomes = report(&run, &Options::default().with_details(true)).unwrap();
        let section =
            outcomes.iter().find(|outcome| outcome.id() == "critical-path").unwrap().section().unwrap();
        let columns = ["rank", "start_ns", "duration_ns", "cause", "name", "process", "thread"];
        assert_eq!(column_ids(section, "path"), columns);
        assert_eq!(column(section, "path", "rank"), integers([0, 0, 0, 1, 1, 1]));
        assert_eq!(column(section, "path", "start_ns"), integers([0, 10, 40, 0, 10, 40]));
        assert_eq!(column(section, "path", "duration_ns"), integers([10, 30, 100, 10, 30, 100]));
    }

    #[test]
    fn without_work_there_is_no_path() {
        let outcome = analyse(&run_of(vec![TestTrace::default()]), "critical-path", Default::default());
        assert!(
            matches!(outcome, Outcome::Skipped(skipped) if skipped.how_to_record.contains("activities="))
        );
    }
}
