//! The calls that launched something, one row each.

use eaves_model::{GpuId, Ns, SliceId, StringId};

use crate::RankView;

/// A call and what it launched. Everything is measured whole, also where a selected window of time cuts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The call.
    pub call: SliceId,
    /// Its name.
    pub name: StringId,
    /// When it began.
    pub start: Ns,
    /// How long it took on the host.
    pub cpu: Ns,
    /// The activity that started first.
    pub first: GpuId,
    /// When that one started.
    pub first_start: Ns,
    /// How many activities it launched; more than one if it launched a graph.
    pub activities: u32,
    /// Their summed duration.
    pub gpu: Ns,
    /// True if it waits for what it launched, so that its duration is not a cost of launching.
    pub blocking: bool,
}

impl Launch {
    /// From the end of the call to the start of the first activity; nothing if that started earlier.
    pub fn delay(&self) -> Ns {
        (self.first_start - (self.start + self.cpu)).max(Ns::ZERO)
    }

    /// True if the call takes longer than what it launched runs.
    pub fn outlasts_its_work(&self) -> bool {
        !self.blocking && self.gpu < self.cpu
    }
}

/// True for copies and memsets that return when they are done: `cudaMemcpy`, `hipMemcpyWithStream`, `cuMemsetD8_v2`.
fn is_blocking(name: &str) -> bool {
    (name.contains("Memcpy") || name.contains("Memset")) && !name.contains("Async")
}

/// The selected calls that launched an activity, in the order in which their activities are met. A call is selected
/// by its beginning.
pub fn launches(rank: &RankView<'_>) -> Vec<Launch> {
    let (trace, links) = (rank.trace, rank.links());
    let slices = &trace.slices;
    let mut rows: Vec<Launch> = Vec::new();
    // One slot for each slice, so that an activity costs one look-up.
    let mut slots = vec![u32::MAX; if trace.gpu.is_empty() { 0 } else { slices.len() }];
    // Calls of one name come in runs, and looking at a name takes time.
    let mut last: Option<(StringId, bool)> = None;
    for activity in trace.gpu_activities() {
        let Some(call) = links.launch(activity) else { continue };
        let slice = trace.gpu.slice[activity.index()].index();
        let (start, duration) = (slices.start[slice], slices.duration[slice]);
        let slot = &mut slots[call.index()];
        if let Some(row) = rows.get_mut(*slot as usize) {
            row.activities += 1;
            row.gpu += duration;
            if start < row.first_start {
                (row.first, row.first_start) = (activity, start);
            }
            continue;
        }
        if !rank.selects(slices.start[call.index()]) || trace.is_quarantined(call) {
            continue;
        }
        *slot = rows.len() as u32;
        let name = slices.name[call.index()];
        let blocking = match last {
            Some((last, blocking)) if last == name => blocking,
            _ => is_blocking(trace.strings.get(name)),
        };
        last = Some((name, blocking));
        rows.push(Launch {
            call,
            name,
            start: slices.start[call.index()],
            cpu: slices.duration[call.index()],
            first: activity,
            first_start: start,
            activities: 1,
            gpu: duration,
            blocking,
        });
    }
    rows
}

#[cfg(test)]
mod tests {
    use eaves_model::Interval;

    use super::*;
    use crate::test_trace::TestTrace;
    use crate::{Options, Selection};

    #[test]
    fn a_graph_is_one_launch_of_many_activities() {
        let mut test = TestTrace::default();
        test.runtime_call("cudaGraphLaunch", 1, 0, 50)
            .runtime_call("cudaMemcpy", 2, 200, 400)
            .kernel("late", 1, 120, 150)
            .kernel("early", 1, 80, 100)
            .kernel("copy", 2, 210, 390)
            .kernel("nobody's", 9, 500, 600);
        let options = Options::default();
        let found = launches(&RankView::new(&test.trace, &options));
        assert_eq!(found.len(), 2);
        let graph = found[0];
        assert_eq!((graph.activities, graph.gpu, graph.delay()), (2, Ns(50), Ns(30)));
        assert_eq!(graph.first, GpuId(1));
        assert!(!graph.outlasts_its_work());
        // The copy ran inside the call, which waited for it.
        assert_eq!((found[1].delay(), found[1].outlasts_its_work()), (Ns(0), false));
    }

    #[test]
    fn calls_are_selected_by_their_beginning_and_measured_whole() {
        let mut test = TestTrace::default();
        test.launch(1, 0, 10).launch(2, 100, 110).kernel("a", 1, 90, 130).kernel("b", 2, 130, 180);
        let window = Interval::new(Ns(50), Ns(120));
        let options = Options::default().with_selection(Selection::default().with_time(window));
        let found = launches(&RankView::new(&test.trace, &options));
        assert_eq!(found.iter().map(|row| (row.start, row.gpu)).collect::<Vec<_>>(), [(Ns(100), Ns(50))]);
    }
}
