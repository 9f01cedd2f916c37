//! The profiler steps: how long each took on the host, and what the GPU did for it.

mod findings;

use eaves_model::{Interval, IntervalSet, Ns, SliceKind};
use serde::{Deserialize, Serialize};

use super::{Analyse, Rank};
use crate::findings::covered;
use crate::section::{Column, Number, Provenance, Section, Skipped, Table, Unit, Value};
use crate::{GpuView, Job, KernelType, Outcome, RankSummary, RankView, Selection, TypeSets, TypeTimes};

pub(super) struct Steps;

/// One step of one rank.
#[derive(Deserialize, Serialize)]
pub(crate) struct Step {
    pub(crate) number: u64,
    /// True for the first step of the recording, selected or not.
    is_first: bool,
    /// The host slice, in the trace's time.
    pub(crate) window: Interval,
    /// What the GPU did, if it was recorded.
    pub(crate) gpu: Option<GpuWork>,
}

#[derive(Deserialize, Serialize)]
pub(crate) struct GpuWork {
    /// Of the activities that were launched in the step, wherever they ran.
    pub(crate) times: TypeTimes,
    /// Time inside the host slice in which the GPU did nothing at all, whichever step launched it.
    pub(crate) idle: Ns,
    /// Kernels launched in the step.
    pub(crate) kernels: u64,
}

/// What stays of a rank.
#[derive(Deserialize, Serialize)]
pub(super) struct Part {
    /// The selected steps.
    steps: Vec<Step>,
    outside: Outside,
}

/// Selected activities that are in no step: launched outside every step, or with no recorded launch.
#[derive(Default, Deserialize, Serialize)]
struct Outside {
    activities: u64,
    busy: Ns,
}

impl Analyse for Steps {
    const ID: &'static str = "steps";
    type Part = Part;

    fn measure(rank: &RankView<'_>) -> Part {
        Part { steps: steps_of(rank), outside: outside(rank) }
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Part>]) -> Outcome {
        let with_steps = ranks.iter().filter(|rank| !rank.part.steps.is_empty());
        let outside = with_steps.clone().flat_map(|rank| outside_numbers(rank.rank, &rank.part.outside));
        let steps: Vec<(&RankSummary, &[Step])> =
            with_steps.clone().map(|rank| (rank.summary, rank.part.steps.as_slice())).collect();
        section(job, &steps, outside)
    }
}

fn outside(rank: &RankView<'_>) -> Outside {
    let in_no_step = |activity| rank.steps.of_activity(rank.trace, rank.links(), activity).is_none();
    if rank.steps.is_empty() {
        return Outside::default();
    }
    let left: Vec<Interval> = rank
        .gpu
        .row
        .iter()
        .zip(&rank.gpu.interval)
        .filter(|&(&activity, _)| in_no_step(activity))
        .map(|(_, &interval)| interval)
        .collect();
    Outside { activities: left.len() as u64, busy: IntervalSet::union_of(left).measure() }
}

fn outside_numbers(rank: i64, outside: &Outside) -> Vec<Number> {
    if outside.activities == 0 {
        return Vec::new();
    }
    let number = |id, value, unit, explain| Number::formula(id, value, unit, explain).of_rank(rank);
    vec![
        number(
            "outside_steps_count",
            outside.activities.into(),
            Unit::Count,
            "GPU activities outside steps, or without a recorded launch",
        ),
        number(
            "outside_steps_ns",
            outside.busy.into(),
            Unit::Nanoseconds,
            "GPU busy time of these activities, in no step's column",
        ),
    ]
}

fn section(job: &Job, ranks: &[(&RankSummary, &[Step])], outside: impl Iterator<Item = Number>) -> Outcome {
    if ranks.is_empty() {
        return Outcome::Skipped(Skipped {
            id: Steps::ID,
            missing: "profiler steps: no `ProfilerStep#N` in the recording or selection".to_owned(),
            how_to_record: job.recorder.advice(
                "profiler steps",
                "call `prof.step()` at the end of every iteration inside \
                            `with torch.profiler.profile(...) as prof:`",
            ),
        });
    }
    Outcome::Section(Section {
        id: Steps::ID,
        title: "Profiler steps",
        numbers: ranks.iter().flat_map(|(rank, steps)| numbers(rank.rank, steps)).chain(outside).collect(),
        tables: vec![by_step(job, ranks)],
        charts: Vec::new(),
        findings: findings::findings(ranks),
    })
}

/// The selected steps of a rank. A step is measured whole even if a selected window of time cuts it: half a
/// step compares with nothing.
pub(crate) fn steps_of(rank: &RankView<'_>) -> Vec<Step> {
    let (trace, selection, index) = (rank.trace, &rank.options.selection, &rank.steps);
    if index.is_empty() {
        return Vec::new();
    }
    let work = if trace.gpu.is_empty() {
        (0..index.len()).map(|_| None).collect()
    } else if selection.keeps_all_activities() {
        work_by_step(rank, &rank.gpu, &rank.sets)
    } else {
        let gpu = GpuView::new(trace, &Selection::default());
        work_by_step(rank, &gpu, &gpu.sets())
    };
    let window = selection.window(rank.extent);
    let selected = |step: &Step| {
        selection.steps.as_ref().is_none_or(|steps| steps.contains(&step.number))
            && window.is_none_or(|window| step.window.clip(window).is_some())
    };
    index
        .iter()
        .zip(work)
        .enumerate()
        .map(|(place, ((number, window), gpu))| Step { number, is_first: place == 0, window, gpu })
        .filter(selected)
        .collect()
}

fn work_by_step(rank: &RankView<'_>, gpu: &GpuView, sets: &TypeSets) -> Vec<Option<GpuWork>> {
    let (trace, index, links) = (rank.trace, &rank.steps, rank.links());
    let mut activities: Vec<Vec<(Interval, KernelType)>> = vec![Vec::new(); index.len()];
    let mut kernels = vec![0; index.len()];
    for (row, &activity) in gpu.row.iter().enumerate() {
        let Some(step) = index.of_activity(trace, links, activity) else { continue };
        activities[step].push((gpu.interval[row], gpu.kernel_type[row]));
        let slice = trace.gpu.slice[activity.index()].index();
        kernels[step] += u64::from(trace.slices.kind[slice] == SliceKind::Kernel);
    }
    let busy = sets.busy();
    index
        .iter()
        .zip(activities.into_iter().zip(kernels))
        .map(|((_, window), (activities, kernels))| {
            let times = TypeTimes::of(&activities.into_iter().collect());
            Some(GpuWork { times, idle: window.length() - covered(&busy, window), kernels })
        })
        .collect()
}

fn by_step(job: &Job, ranks: &[(&RankSummary, &[Step])]) -> Table {
    let own = [
        Column::new("step", "Step", Unit::None),
        Column::new("start_ns", "Start", Unit::Nanoseconds),
        Column::new("duration_ns", "Duration", Unit::Nanoseconds),
        Column::new("gpu_busy_ns", "GPU busy", Unit::Nanoseconds),
        Column::new("compute_ns", "Compute", Unit::Nanoseconds),
        Column::new("exposed_comm_ns", "Exposed communication", Unit::Nanoseconds),
        Column::new("exposed_memory_ns", "Exposed memory", Unit::Nanoseconds),
        Column::new("idle_ns", "GPU idle during it", Unit::Nanoseconds),
        Column::new("kernels", "Kernels", Unit::Count),
    ];
    let mut rows = Vec::new();
    for (rank, steps) in ranks {
        let zero = rank.extent.map_or(Ns::ZERO, |extent| extent.start);
        for step in *steps {
            rows.push(job.rank_cells(rank).into_iter().chain(cells(step, zero)).collect());
        }
    }
    Table {
        id: "by_step",
        title: "Steps on the host, with the GPU work launched in each and the GPU idle time meanwhile",
        columns: job.rank_columns().into_iter().chain(own).collect(),
        rows,
    }
}

fn cells(step: &Step, zero: Ns) -> [Value; 9] {
    let gpu = |value: fn(&GpuWork) -> Value| {
        step.gpu.as_ref().map_or(Value::Missing("no GPU activity recorded"), value)
    };
    [
        step.number.into(),
        (step.window.start - zero).into(),
        step.window.length().into(),
        gpu(|work| work.times.busy().into()),
        gpu(|work| work.times.total(KernelType::Compute).into()),
        gpu(|work| work.times.exposed_communication().into()),
        gpu(|work| work.times.exposed_memory().into()),
        gpu(|work| work.idle.into()),
        gpu(|work| work.kernels.into()),
    ]
}

fn numbers(rank: i64, steps: &[Step]) -> Vec<Number> {
    let number = |id, value, unit, provenance, explain| {
        Number::new(id, value, unit, provenance, explain).of_rank(rank)
    };
    let mut numbers = vec![
        number(
            "steps",
            steps.len().into(),
            Unit::Count,
            Provenance::Counter,
            "recorded and selected profiler steps of the rank",
        ),
        number(
            "median_ns",
            median(steps).into(),
            Unit::Nanoseconds,
            Provenance::Formula,
            "median step duration on the host; for an even number of steps, the lower of the middle two",
        ),
    ];
    let (mut idle, mut whole) = (Ns::ZERO, Ns::ZERO);
    for step in steps {
        if let Some(work) = &step.gpu {
            idle += work.idle;
            whole += step.window.length();
        }
    }
    if whole > Ns::ZERO {
        numbers.push(number(
            "gpu_idle_pct",
            Value::percent(idle.0, whole.0),
            Unit::Percent,
            Provenance::Formula,
            "GPU idle time during steps, share of the summed step duration",
        ));
    }
    numbers
}

fn median(steps: &[Step]) -> Ns {
    let mut durations: Vec<Ns> = steps.iter().map(|step| step.window.length()).collect();
    durations.sort_unstable();
    let middle = durations.len().saturating_sub(1) / 2;
    durations.get(middle).copied().unwrap_or(Ns::ZERO)
}

#[cfg(test)]
mod tests {
    use eaves_model::SliceKind::{Kernel, Memcpy};

    use super::*;
    use crate::test_trace::{TestTrace, analyse, column, column_ids, integers, number, run_of, section_of};

    /// Step 1 is 1000..2000, step 2 is 2000..3000. The second kernel is launched in step 1 and runs in step 2.
    fn trace() -> TestTrace {
        let mut test = TestTrace::default();
        test.step(1, 1000, 2000)
            .step(2, 2000, 3000)
            .launch(1, 1100, 1110)
            .launch(2, 1900, 1910)
            .launch(3, 2100, 2110)
            .kernel("gemm", 1, 1200, 1500)
            .kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 2, 1950, 2150)
            .kernel("gemm", 3, 2100, 2900)
            .launch(4, 2940, 2945)
            .gpu_on(0, Some(4), Memcpy, "Memcpy DtoH (Device -> Pinned)", 2950, 3100)
            .launch(5, 3150, 3160)
            .kernel("after", 5, 3200, 3300);
        test
    }

    #[test]
    fn work_belongs_to_the_step_that_launched_it() {
        let section = section_of(&run_of(vec![trace()]), "steps");
        let expected = [
            "rank",
            "step",
            "start_ns",
            "duration_ns",
            "gpu_busy_ns",
            "compute_ns",
            "exposed_comm_ns",
            "exposed_memory_ns",
            "idle_ns",
            "kernels",
        ];
        assert_eq!(column_ids(&section, "by_step"), expected);
        let of = |id| column(&section, "by_step", id);
        assert_eq!(of("step"), integers([1, 2]));
        assert_eq!(of("start_ns"), integers([0, 1000]));
        assert_eq!(of("duration_ns"), integers([1000, 1000]));
        assert_eq!(of("gpu_busy_ns"), integers([500, 950]));
        assert_eq!(of("compute_ns"), integers([300, 800]));
        assert_eq!(of("exposed_comm_ns"), integers([200, 0]));
        assert_eq!(of("exposed_memory_ns"), integers([0, 150]));
        // Step 1: busy 1200..1500 and 1950..2000. Step 2: idle 2900..2950 only.
        assert_eq!(of("idle_ns"), integers([650, 50]));
        assert_eq!(of("kernels"), integers([2, 1]));
        assert_eq!(number(&section, "median_ns", Some(0)), Value::Integer(1000));
        assert_eq!(number(&section, "gpu_idle_pct", Some(0)), Value::Float(35.0));
        assert_eq!(number(&section, "outside_steps_count", Some(0)), Value::Integer(1));
    }

    #[test]
    fn work_without_a_recorded_launch_is_in_no_step() {
        let mut test = trace();
        test.gpu(Kernel, "launched before the recording", 1000, 1150);
        let section = section_of(&run_of(vec![test]), "steps");
        assert_eq!(column(&section, "by_step", "gpu_busy_ns"), integers([500, 950]));
        assert_eq!(column(&section, "by_step", "kernels"), integers([2, 1]));
        assert_eq!(number(&section, "outside_steps_count", Some(0)), Value::Integer(2));
        assert_eq!(number(&section, "outside_steps_ns", Some(0)), Value::Integer(250));
        // Without a single launch the time is all there is to go by.
        let mut test = TestTrace::default();
        test.step(1, 1000, 2000).gpu(Kernel, "gemm", 1200, 1500);
        let section = section_of(&run_of(vec![test]), "steps");
        assert_eq!(column(&section, "by_step", "gpu_busy_ns"), integers([300]));
    }

    #[test]
    fn a_selected_step_keeps_its_numbers() {
        let run = run_of(vec![trace()]);
        let all = section_of(&run, "steps");
        let window = Interval::new(Ns(1500), Ns(1600));
        for selection in [Selection::default().with_steps(2..=2), Selection::default().with_time(window)] {
            let outcome = analyse(&run, "steps", selection);
            assert_eq!(outcome.section().unwrap().tables[0].rows, all.tables[0].rows[1..]);
        }
    }

    #[test]
    fn steps_of_a_cpu_recording_say_that_the_gpu_is_missing() {
        let mut test = TestTrace::default();
        test.step(1, 0, 10);
        let section = section_of(&run_of(vec![test]), "steps");
        assert_eq!(column(&section, "by_step", "idle_ns"), [Value::Missing("no GPU activity recorded")]);
        let outcome = analyse(&run_of(vec![TestTrace::default()]), "steps", Selection::default());
        assert!(
            matches!(outcome, Outcome::Skipped(skipped) if skipped.how_to_record.contains("prof.step()"))
        );
    }
}
