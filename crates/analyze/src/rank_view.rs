//! What the analyses look at while the rows of a recording are in memory.

use std::sync::{Arc, OnceLock};

use eaves_model::{CallTree, Interval, LaunchLinks, Ns, SliceKind, Trace};

use crate::analyses::host_time::HostTime;
use crate::analyses::replay::Replay;
use crate::collectives::Calls;
use crate::kernel_counters::CounterRows;
use crate::{GpuView, HostTree, Options, Steady, StepIndex, TypeSets, TypeTimes};

/// One recording and what several analyses need of it. What not all of them need is made when first asked for.
#[derive(Debug)]
pub struct RankView<'a> {
    /// The rows.
    pub trace: &'a Trace,
    /// Options, with the selection.
    pub options: &'a Options,
    /// The selected GPU activities.
    pub gpu: GpuView,
    /// When each type of them ran.
    pub sets: TypeSets,
    /// How long each combination of types ran.
    pub times: TypeTimes,
    /// From the first start to the last end of everything that counts, selected or not.
    pub extent: Option<Interval>,
    /// The profiler steps, selected or not.
    pub steps: StepIndex,
    window: Option<Interval>,
    links: OnceLock<LaunchLinks>,
    tree: OnceLock<CallTree>,
    collectives: OnceLock<Arc<Calls>>,
    operators: OnceLock<HostTree>,
    counters: OnceLock<CounterRows>,
    host_time: OnceLock<Option<Arc<HostTime>>>,
    steady: OnceLock<Steady>,
    replay: OnceLock<Option<Replay>>,
}

impl<'a> RankView<'a> {
    /// The view of a recording's rows.
    pub fn new(trace: &'a Trace, options: &'a Options) -> Self {
        let gpu = GpuView::new(trace, &options.selection);
        let sets = gpu.sets();
        let times = TypeTimes::of(&sets);
        let extent = trace.extent();
        let window = options.selection.window(extent);
        let steps = StepIndex::build(trace);
        Self {
            trace,
            options,
            gpu,
            sets,
            times,
            extent,
            steps,
            window,
            links: OnceLock::new(),
            tree: OnceLock::new(),
            collectives: OnceLock::new(),
            operators: OnceLock::new(),
            counters: OnceLock::new(),
            host_time: OnceLock::new(),
            steady: OnceLock::new(),
            replay: OnceLock::new(),
        }
    }

    /// Which call launched which activity.
    pub fn links(&self) -> &LaunchLinks {
        self.links.get_or_init(|| LaunchLinks::build(self.trace))
    }

    /// Which host slice is inside which. Slices in quarantine are in no tree.
    pub fn tree(&self) -> &CallTree {
        self.tree.get_or_init(|| CallTree::build_without(&self.trace.slices, &self.trace.quarantined))
    }

    /// The selected collectives. Shared, because several analyses keep them.
    pub(crate) fn collectives(&self) -> Arc<Calls> {
        Arc::clone(self.collectives.get_or_init(|| Arc::new(Calls::of(self))))
    }

    /// The operators of the framework: which is inside which, and which launched what.
    pub fn operators(&self) -> &HostTree {
        self.operators.get_or_init(|| HostTree::build(self.trace, self.tree(), |kind| kind == SliceKind::Op))
    }

    /// Which hardware counters belong to which slice.
    pub(crate) fn counters(&self) -> &CounterRows {
        self.counters.get_or_init(|| CounterRows::of(self.trace))
    }

    /// What the main thread did, if no GPU was recorded. Shared, because several analyses keep it.
    pub(crate) fn host_time(&self) -> Option<Arc<HostTime>> {
        self.host_time.get_or_init(|| HostTime::of(self).map(Arc::new)).clone()
    }

    /// What the selection does all the time.
    pub fn steady(&self) -> &Steady {
        self.steady.get_or_init(|| Steady::of(self))
    }

    /// The launches as they can be played again, if the GPU did anything.
    pub(crate) fn replay(&self) -> Option<&Replay> {
        self.replay.get_or_init(|| Replay::of(self)).as_ref()
    }

    /// The first instant of the recording, from which people count.
    pub fn zero(&self) -> Ns {
        self.extent.map_or(Ns::ZERO, |extent| extent.start)
    }

    /// True if what begins on the host at an instant is selected: in a selected step and in the selected time.
    pub fn selects(&self, time: Ns) -> bool {
        let selection = &self.options.selection;
        self.window.is_none_or(|window| window.start <= time && time < window.end)
            && selection.steps.as_ref().is_none_or(|steps| {
                self.steps.at(time).is_some_and(|step| steps.contains(&self.steps.number(step)))
            })
    }

    /// How many profiler steps are selected.
    pub fn selected_steps(&self) -> u64 {
        self.steps.iter().filter(|(_, window)| self.selects(window.start)).count() as u64
    }
}
