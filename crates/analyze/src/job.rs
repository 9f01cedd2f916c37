//! What stays of the recordings when their rows are gone: enough to put a report together.

use std::any::Any;

use eaves_model::{Interval, Recording, Times};
use serde::{Deserialize, Serialize};

use crate::advice::Audience;
use crate::analyses::{Analysis, missing};
use crate::recorder::Advisor;
use crate::section::{Column, Unit, Value};
use crate::{
    Launched, Options, Outcome, RankView, SelectionError, Steady, TypeTimes, distribution, findings, untimed,
};

/// What an analysis keeps of one recording.
pub(crate) type Part = Box<dyn Any + Send + Sync>;

/// What is left of a recording once every analysis has measured it. Small, whatever the size of the trace, so that
/// a job of many ranks is read one rank after the other.
#[derive(Debug)]
pub struct Measured {
    pub(crate) summary: Summary,
    /// What each analysis keeps, by its id.
    parts: Vec<(&'static str, Part)>,
}

/// Data of a recording kept for all analyses.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Summary {
    times: TypeTimes,
    span: Option<Interval>,
    extent: Option<Interval>,
    steps: Vec<u64>,
    selected_steps: u64,
    steady: Steady,
    launched: Launched,
    recorded_gpu: bool,
}

impl Measured {
    /// True if the recording has GPU activity, selected or not.
    pub fn recorded_gpu(&self) -> bool {
        self.summary.recorded_gpu
    }

    /// What an analysis keeps, if it measured the recording.
    pub(crate) fn part(&self, id: &str) -> Option<&Part> {
        self.parts.iter().find(|(known, _)| *known == id).map(|(_, part)| part)
    }
}

/// Measures a recording for some analyses. Its rows are not needed any more after that.
pub fn measure(view: &RankView<'_>, analyses: &[&'static Analysis]) -> Measured {
    // One after the other: two at a time would need the memory of both, and several ranks are measured side by side
    // anyway.
    let mut order: Vec<&Analysis> =
        analyses.iter().copied().filter(|analysis| is_measurable(analysis, view)).collect();
    order.sort_by_key(|analysis| !analysis.heavy);
    let parts = order.into_iter().map(|analysis| (analysis.id, (analysis.measure)(view))).collect();
    Measured {
        summary: Summary {
            times: view.times,
            span: view.sets.span(),
            extent: view.extent,
            steps: view.steps.iter().map(|(number, _)| number).collect(),
            selected_steps: view.selected_steps(),
            steady: *view.steady(),
            launched: Launched::of(view),
            recorded_gpu: !view.trace.gpu.is_empty(),
        },
        parts,
    }
}

/// True if an analysis can say anything about a recording.
fn is_measurable(analysis: &Analysis, view: &RankView<'_>) -> bool {
    !analysis.needs_times || view.trace.metadata.times.has_starts()
}

/// Puts the report together. `measured` belongs to `recordings`, one for one, all measured for the same analyses
/// with the same options; recordings of ranks that are not selected are skipped.
///
/// # Errors
/// If the selection asks for something that is in none of the recordings.
pub fn assemble(
    recordings: &[Recording],
    measured: &[Measured],
    options: &Options,
    analyses: &[&'static Analysis],
) -> Result<Vec<Outcome>, SelectionError> {
    let summaries: Vec<&Summary> = measured.iter().map(|one| &one.summary).collect();
    let assembly = Assembly::new(recordings, &summaries, options)?;
    let outcome = |analysis: &&'static Analysis| {
        assembly.outcome(analysis, |index| measured.get(index)?.part(analysis.id))
    };
    let mut outcomes: Vec<Outcome> = analyses.iter().map(outcome).collect();
    assembly.settle(&mut outcomes);
    Ok(outcomes)
}

/// A report that is being combined.
pub(crate) struct Assembly {
    job: Job,
    /// The selected ones among the recordings.
    pub(crate) selected: Vec<usize>,
    in_sequence: bool,
    /// False if no recording says how long anything took.
    has_durations: bool,
}

impl Assembly {
    pub(crate) fn new(
        recordings: &[Recording],
        summaries: &[&Summary],
        options: &Options,
    ) -> Result<Self, SelectionError> {
        options.selection.check_ranks(recordings)?;
        let (selected, all): (Vec<usize>, Vec<(&Recording, &Summary)>) = recordings
            .iter()
            .zip(summaries.iter().copied())
            .enumerate()
            .filter(|(_, (recording, _))| options.selection.has_rank(recording.rank))
            .unzip();
        let steps = all.iter().flat_map(|(_, summary)| summary.steps.iter().copied());
        options.selection.check_steps(steps)?;
        options.selection.check_time(all.iter().filter_map(|(_, summary)| summary.extent))?;
        let ranks: Vec<RankSummary> =
            all.iter().map(|(recording, summary)| RankSummary::new(recording, summary)).collect();
        let is_ambiguous = ranks.windows(2).any(|pair| pair[0].rank == pair[1].rank);
        let recorded_gpu = summaries.iter().any(|one| one.recorded_gpu);
        let recorder =
            all.first().map(|(recording, _)| Advisor(recording.trace.metadata.recorder)).unwrap_or_default();
        let times = || all.iter().map(|(recording, _)| recording.trace.metadata.times);
        let in_sequence = times().any(|times| !times.has_starts());
        let has_durations = all.is_empty() || times().any(Times::has_durations);
        let job = Job { options: options.clone(), ranks, recorded_gpu, recorder, is_ambiguous };
        Ok(Self { job, selected, in_sequence, has_durations })
    }

    /// True if an analysis looks at the parts of ranks.
    pub(crate) fn is_possible(&self, analysis: &Analysis) -> bool {
        !(self.in_sequence && analysis.needs_times)
    }

    /// Makes the findings of all outcomes agree with each other.
    pub(crate) fn settle(&self, outcomes: &mut [Outcome]) {
        findings::settle(&self.job, outcomes);
    }

    /// The outcome of an analysis, by what it keeps of each recording.
    pub(crate) fn outcome<'p>(
        &self,
        analysis: &Analysis,
        part: impl Fn(usize) -> Option<&'p Part>,
    ) -> Outcome {
        if !self.is_possible(analysis) {
            return missing::start_times(analysis.id);
        }
        let parts: Vec<Option<&Part>> = self.selected.iter().map(|&index| part(index)).collect();
        let mut outcome = distribution::of_many_ranks(&self.job, (analysis.assemble)(&self.job, &parts));
        if let (false, Outcome::Section(section)) = (self.has_durations, &mut outcome) {
            untimed::without_times(section);
        }
        outcome
    }
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
    /// What it does all the time, which gains are taken from.
    pub steady: Steady,
    /// How its GPU activities came to run.
    pub launched: Launched,
}

impl RankSummary {
    fn new(recording: &Recording, measured: &Summary) -> Self {
        Self {
            rank: recording.rank,
            path: recording.path.clone(),
            times: measured.times,
            span: measured.span,
            extent: measured.extent,
            steps: measured.selected_steps,
            steady: measured.steady,
            launched: measured.launched,
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
    pub(crate) recorder: Advisor,
    /// True if two recordings say they are the same rank. Asked for every row of every table.
    is_ambiguous: bool,
}

impl Job {
    /// How the GPU activities of all ranks came to run.
    pub(crate) fn launched(&self) -> Launched {
        let mut all = Launched::default();
        self.ranks.iter().for_each(|rank| all += rank.launched);
        all
    }

    /// Who reads the report.
    pub(crate) fn audience(&self) -> Audience {
        Audience::of(self)
    }

    /// True if two recordings say they are the same rank, so that a rank alone does not name a row.
    pub(crate) fn ranks_are_ambiguous(&self) -> bool {
        self.is_ambiguous
    }

    /// The columns that say which recording a row is of: `rank`, and `input` where ranks are not unique.
    pub(crate) fn rank_columns(&self) -> Vec<Column> {
        let mut columns = vec![Column::RANK];
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
