//! What the analyses look at: the recordings, what of them was selected, and the shared views.

use std::sync::atomic::{AtomicUsize, Ordering};

use eaves_model::{Recording, Run};

use crate::section::{Column, Unit, Value};
use crate::{GpuView, Selection, SelectionError, TypeSets, TypeTimes};

/// Options of the analyses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// What to look at; by default everything.
    pub selection: Selection,
}

impl Options {
    /// Looks at a part only.
    #[must_use]
    pub fn with_selection(mut self, selection: Selection) -> Self {
        self.selection = selection;
        self
    }
}

/// One recording and what every analysis needs of it.
#[derive(Clone, Debug)]
pub struct RankView<'a> {
    /// The recording.
    pub recording: &'a Recording,
    /// Its selected GPU activities.
    pub gpu: GpuView,
    /// When each type of them ran.
    pub sets: TypeSets,
    /// How long each combination of types ran.
    pub times: TypeTimes,
}

impl<'a> RankView<'a> {
    fn new(recording: &'a Recording, selection: &Selection) -> Self {
        let gpu = GpuView::new(&recording.trace, selection);
        let sets = gpu.sets();
        let times = TypeTimes::of(&sets);
        Self { recording, gpu, sets, times }
    }

    /// The rank.
    pub fn rank(&self) -> i64 {
        self.recording.rank
    }
}

/// What the analyses look at. Built once, read by all.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// The whole run.
    pub run: &'a Run,
    /// Options.
    pub options: Options,
    /// The selected recordings, sorted as in the run.
    pub ranks: Vec<RankView<'a>>,
}

impl<'a> Context<'a> {
    /// Builds the views of the selected recordings, side by side on the machine's cores.
    ///
    /// # Errors
    /// If the selection asks for something that is not in the run.
    pub fn new(run: &'a Run, options: Options) -> Result<Self, SelectionError> {
        options.selection.check(run)?;
        let selected: Vec<&Recording> =
            run.recordings.iter().filter(|recording| options.selection.has_rank(recording.rank)).collect();
        let ranks = in_parallel(&selected, |recording| RankView::new(recording, &options.selection));
        Ok(Self { run, options, ranks })
    }

    /// The selected recordings that have selected GPU activities.
    pub fn with_gpu_activity(&self) -> impl Iterator<Item = &RankView<'a>> {
        self.ranks.iter().filter(|rank| !rank.gpu.is_empty())
    }

    /// True if two recordings say they are the same rank, so that a rank alone does not name a row.
    fn ranks_are_ambiguous(&self) -> bool {
        // The run is sorted by rank.
        self.ranks.windows(2).any(|pair| pair[0].rank() == pair[1].rank())
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
    pub(crate) fn rank_cells(&self, rank: &RankView<'_>) -> Vec<Value> {
        let mut cells = vec![Value::Integer(rank.rank())];
        if self.ranks_are_ambiguous() {
            cells.push(Value::Text(rank.recording.path.clone()));
        }
        cells
    }
}

/// Maps a slice on as many threads as are useful; the answers keep the order.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return done };
            done.push((index, work(item)));
        }
    };
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        handles
            .into_iter()
            .flat_map(|handle| match handle.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    });
    results.sort_unstable_by_key(|&(index, _)| index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use eaves_model::SliceKind::Kernel;

    use super::*;
    use crate::test_trace::{TestTrace, column, integers, run_of, section_of, texts};

    fn trace(length: i64) -> TestTrace {
        let mut test = TestTrace::default();
        test.gpu(Kernel, "gemm", 0, length);
        test
    }

    #[test]
    fn many_recordings_keep_their_order() {
        let run = run_of((1..40).map(trace).collect());
        let context = Context::new(&run, Options::default()).unwrap();
        let spans: Vec<i64> = context.ranks.iter().map(|rank| rank.times.busy().0).collect();
        assert_eq!(spans, (1..40).collect::<Vec<i64>>());
    }

    #[test]
    fn only_selected_ranks_are_looked_at() {
        let run = run_of(vec![trace(1), trace(2), trace(3)]);
        let options = Options::default().with_selection(Selection::default().with_ranks(vec![2, 0]));
        let context = Context::new(&run, options).unwrap();
        assert_eq!(context.ranks.iter().map(RankView::rank).collect::<Vec<_>>(), [0, 2]);
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
