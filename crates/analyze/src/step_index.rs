//! Which profiler step a point in time belongs to.

use eaves_model::{GpuId, Interval, LaunchLinks, Ns, Trace};

/// The profiler steps of a trace in time order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepIndex {
    numbers: Vec<u64>,
    windows: Vec<Interval>,
    /// Latest end of each step and all before it.
    ends: Vec<Ns>,
}

impl StepIndex {
    /// The steps of a trace.
    pub fn build(trace: &Trace) -> Self {
        let mut index = Self::default();
        let mut end = Ns::MIN;
        for (number, slice) in trace.steps() {
            let window = trace.slices.interval(slice.index());
            end = end.max(window.end);
            index.numbers.push(number);
            index.windows.push(window);
            index.ends.push(end);
        }
        index
    }

    /// Number of steps.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// True without steps.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Number and host slice of every step, in time order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u64, Interval)> + '_ {
        self.numbers.iter().copied().zip(self.windows.iter().copied())
    }

    /// The number of the step at an index.
    pub fn number(&self, index: usize) -> u64 {
        self.numbers[index]
    }

    /// The index of the step whose host slice holds an instant; the last to begin if several do.
    #[inline]
    pub fn at(&self, time: Ns) -> Option<usize> {
        let begun = self.windows.partition_point(|window| window.start <= time);
        // Steps follow each other, so the first look nearly always answers.
        (0..begun)
            .rev()
            .take_while(|&index| time < self.ends[index])
            .find(|&index| time < self.windows[index].end)
    }

    /// The index of the step an activity belongs to: that in which its launching call starts, wherever the device ran
    /// it. One without a recorded launch belongs to none: it was launched before the recording began, or nobody knows
    /// when. Only where no launch at all was recorded, activities belong to the step in which they start.
    #[inline]
    pub fn of_activity(&self, trace: &Trace, links: &LaunchLinks, activity: GpuId) -> Option<usize> {
        let slice = match links.launch(activity) {
            Some(launch) => launch,
            None if links.is_empty() => trace.gpu.slice[activity.index()],
            None => return None,
        };
        self.at(trace.slices.start[slice.index()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_trace::TestTrace;

    #[test]
    fn instants_fall_into_the_step_around_them() {
        let mut trace = TestTrace::default();
        trace.step(5, 100, 200).step(6, 200, 300).step(7, 350, 400);
        let index = StepIndex::build(&trace.trace);
        let at = |time| index.at(Ns(time)).map(|step| index.number(step));
        assert_eq!(
            [at(99), at(100), at(199), at(200), at(320), at(350), at(400)],
            [None, Some(5), Some(5), Some(6), None, Some(7), None]
        );
    }

    #[test]
    fn a_step_inside_another_does_not_hide_it() {
        let mut trace = TestTrace::default();
        trace.step(1, 0, 1000).step(2, 100, 200);
        let index = StepIndex::build(&trace.trace);
        let at = |time| index.at(Ns(time)).map(|step| index.number(step));
        assert_eq!([at(50), at(150), at(250), at(1000)], [Some(1), Some(2), Some(1), None]);
    }
}
