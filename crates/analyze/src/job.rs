//! What stays of the recordings when their rows are gone: enough to put a report together.

use std::any::Any;

use eaves_model::{Interval, Recording, Times, Trace};

use crate::analyses::{Analysis, missing};
use crate::recorder::Recorder;
use crate::section::{Column, Unit, Value};
use crate::{Options, Outcome, RankView, SelectionError, TypeTimes, wording};

/// What an analysis keeps of one recording.
pub(crate) type Part = Box<dyn Any + Send + Sync>;

/// What is left of a recording once every analysis has measured it. Small, whatever the size of the trace, so that
/// a job of many ranks is read one rank after the other.
#[derive(Debug)]
pub struct Measured {
    times: TypeTimes,
    span: Option<Interval>,
    extent: Option<Interval>,
    steps: Vec<u64>,
    selected_steps: u64,
    recorded_gpu: bool,
    parts: Vec<Part>,
}

/// Measures a recording for some analyses. Its rows are not needed any more after that.
pub fn measure(trace: &Trace, options: &Options, analyses: &[&'static Analysis]) -> Measured {
    let view = RankView::new(trace, options);
    // One after the other: two at a time would need the memory of both, and several ranks are measured side by side
    // anyway.
    let mut order: Vec<usize> = (0..analyses.len()).collect();
    order.sort_by_key(|&index| !analyses[index].heavy);
    let mut measured: Vec<(usize, Part)> =
        order.into_iter().map(|index| (index, measure_one(analyses[index], &view))).collect();
    measured.sort_by_key(|(index, _)| *index);
    let parts = measured.into_iter().map(|(_, part)| part).collect();
    Measured {
        times: view.times,
        span: view.sets.span(),
        extent: view.extent,
        steps: view.steps.iter().map(|(number, _)| number).collect(),
        selected_steps: view.selected_steps(),
        recorded_gpu: !trace.gpu.is_empty(),
        parts,
    }
}

/// What an analysis keeps; nothing of a recording that it can say nothing about.
fn measure_one(analysis: &Analysis, view: &RankView<'_>) -> Part {
    if analysis.needs_times && view.trace.metadata.times == Times::InSequence {
        return Box::new(());
    }
    (analysis.measure)(view)
}

/// Puts the report together. `measured` belongs to `recordings`, one for one, all measured for the same analyses
/// with the same options; recordings of ranks that are not selected are left out.
///
/// # Errors
/// If the selection asks for something that is in none of the recordings.
pub fn assemble(
    recordings: &[Recording],
    measured: &[Measured],
    options: &Options,
    analyses: &[&'static Analysis],
) -> Result<Vec<Outcome>, SelectionError> {
    let all: Vec<(&Recording, &Measured)> = recordings.iter().zip(measured).collect();
    options.selection.check_ranks(recordings)?;
    let selected: Vec<_> =
        all.into_iter().filter(|(recording, _)| options.selection.has_rank(recording.rank)).collect();
    options
        .selection
        .check_steps(selected.iter().flat_map(|(_, measured)| measured.steps.iter().copied()))?;
    options.selection.check_time(selected.iter().filter_map(|(_, measured)| measured.extent))?;
    let ranks = selected.iter().map(|(recording, measured)| RankSummary::new(recording, measured)).collect();
    let recorded_gpu = measured.iter().any(|one| one.recorded_gpu);
    let recorder = selected.first().map(|(recording, _)| Recorder::of(recording.format)).unwrap_or_default();
    let job = Job { options: options.clone(), ranks, recorded_gpu, recorder };
    let in_sequence =
        selected.iter().any(|(recording, _)| recording.trace.metadata.times == Times::InSequence);
    let outcome = |(index, analysis): (usize, &&'static Analysis)| {
        if in_sequence && analysis.needs_times {
            return missing::start_times(analysis.id);
        }
        let parts: Vec<&Part> = selected.iter().filter_map(|(_, one)| one.parts.get(index)).collect();
        wording::for_users_of(job.recorder, (analysis.assemble)(&job, &parts))
    };
    Ok(analyses.iter().enumerate().map(outcome).collect())
}

/// One rank in a report.
#[derive(Clone, Debug)]
pub struct RankSummary {
    /// The rank.
    pub rank: i64,
    /// The input it was read from.
    pub path: String,
    /// How long each combination of activity types ran, of what is selected.
    pub times: TypeTimes,
    /// From the first start to the last end of selected GPU activity.
    pub span: Option<Interval>,
    /// From the first start to the last end of everything, selected or not.
    pub extent: Option<Interval>,
    /// How many profiler steps are selected.
    pub steps: u64,
}

impl RankSummary {
    fn new(recording: &Recording, measured: &Measured) -> Self {
        Self {
            rank: recording.rank,
            path: recording.path.clone(),
            times: measured.times,
            span: measured.span,
            extent: measured.extent,
            steps: measured.selected_steps,
        }
    }

    /// True if selected GPU activity ran.
    pub fn has_gpu_activity(&self) -> bool {
        self.span.is_some()
    }
}

/// The selected ranks together.
#[derive(Clone, Debug)]
pub struct Job {
    /// Options.
    pub options: Options,
    /// The selected ranks, sorted.
    pub ranks: Vec<RankSummary>,
    /// True if any rank recorded GPU activity, selected or not.
    pub recorded_gpu: bool,
    /// Who recorded the first of them, and so most likely all.
    pub(crate) recorder: Recorder,
}

impl Job {
    /// True if two recordings say they are the same rank, so that a rank alone does not name a row.
    pub(crate) fn ranks_are_ambiguous(&self) -> bool {
        self.ranks.windows(2).any(|pair| pair[0].rank == pair[1].rank)
    }

    /// The columns that say which recording a row is of: `rank`, and `input` where ranks are not unique.
    pub(crate) fn rank_columns(&self) -> Vec<Column> {
        let mut columns = vec![Column::new("rank", "Rank", Unit::None)];
        if self.ranks_are_ambiguous() {
            columns.push(Column::new("input", "Input", Unit::None));
        }
        columns
    }

    /// The cells for these columns.
    pub(crate) fn rank_cells(&self, rank: &RankSummary) -> Vec<Value> {
        let mut cells = vec![Value::Integer(rank.rank)];
        if self.ranks_are_ambiguous() {
            cells.push(Value::Text(rank.path.clone()));
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use eaves_model::SliceKind::Kernel;

    use crate::test_trace::{TestTrace, column, integers, run_of, section_of, texts};
    use crate::{Options, Selection, report};

    fn trace(length: i64) -> TestTrace {
        let mut test = TestTrace::default();
        test.gpu(Kernel, "gemm", 0, length);
        test
    }

    #[test]
    fn only_selected_ranks_are_looked_at() {
        let run = run_of(vec![trace(1), trace(2), trace(3)]);
        let options = Options::default().with_selection(Selection::default().with_ranks(vec![2, 0]));
        let outcomes = report(&run, &options).unwrap();
        let section = outcomes[0].section().unwrap();
        assert_eq!(column(section, "by_rank", "rank"), integers([0, 2]));
    }

    #[test]
    fn recordings_of_the_same_rank_are_told_apart_by_input() {
        let mut run = run_of(vec![trace(1), trace(2)]);
        run.recordings[1].rank = 0;
        let section = section_of(&run, "temporal-breakdown");
        assert_eq!(column(&section, "by_rank", "rank"), integers([0, 0]));
        assert_eq!(column(&section, "by_rank", "input"), texts(["rank0.json", "rank1.json"]));
    }
}
