//! The GPU activities of one recording as the analyses see them.

use eaves_model::{GpuId, Interval, MaybeI64, MaybeU32, Ns, Packed, StringId, Trace};

use crate::selection::Filter;
use crate::{KernelType, KernelTypes, Selection, TypeSets};

/// Selected GPU activities as parallel columns, in the order of the file. Quarantined activities are skipped.
///
/// All analyses draw on this one view, so they agree on what counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuView {
    /// Row in the trace's table of GPU activities.
    pub row: Vec<GpuId>,
    /// When it ran: the part inside the selected window of time.
    pub interval: Vec<Interval>,
    /// What it is for.
    pub kernel_type: Vec<KernelType>,
    /// Its name.
    pub name: Vec<StringId>,
    /// Device.
    pub device: Packed<MaybeU32>,
    /// Stream.
    pub stream: Packed<MaybeI64>,
}

impl GpuView {
    /// The selected activities with their types by name.
    pub fn new(trace: &Trace, selection: &Selection) -> Self {
        let mut types = KernelTypes::new(trace);
        Self::with(trace, selection, |activity| types.of(activity))
    }

    /// The same with another classification.
    pub fn with(trace: &Trace, selection: &Selection, classify: impl FnMut(GpuId) -> KernelType) -> Self {
        Self::collect(trace, selection, trace.gpu_activities(), classify)
    }

    /// What the view would be if nothing were quarantined.
    pub(crate) fn with_quarantined(trace: &Trace, selection: &Selection) -> Self {
        let mut types = KernelTypes::new(trace);
        let all = (0..trace.gpu.len()).map(GpuId::from);
        Self::collect(trace, selection, all, |activity| types.of(activity))
    }

    fn collect(
        trace: &Trace,
        selection: &Selection,
        activities: impl Iterator<Item = GpuId>,
        mut classify: impl FnMut(GpuId) -> KernelType,
    ) -> Self {
        let filter = Filter::new(trace, selection);
        let mut view = Self::default();
        view.reserve(trace.gpu.len());
        for activity in activities {
            let Some(interval) = filter.keep(activity) else { continue };
            let row = activity.index();
            view.row.push(activity);
            view.interval.push(interval);
            view.kernel_type.push(classify(activity));
            view.name.push(trace.slices.name[trace.gpu.slice[row].index()]);
            view.device.push(trace.gpu.device[row]);
            view.stream.push(trace.gpu.stream[row]);
        }
        view
    }

    fn reserve(&mut self, rows: usize) {
        self.row.reserve(rows);
        self.interval.reserve(rows);
        self.kernel_type.reserve(rows);
        self.name.reserve(rows);
    }

    /// Number of activities.
    pub fn len(&self) -> usize {
        self.row.len()
    }

    /// True without activities.
    pub fn is_empty(&self) -> bool {
        self.row.is_empty()
    }

    /// How long an activity ran inside the selected window of time.
    #[inline]
    pub fn duration(&self, index: usize) -> Ns {
        self.interval[index].length()
    }

    /// The unions of the activities' times, by type.
    pub fn sets(&self) -> TypeSets {
        self.sets_where(|_| true)
    }

    /// The unions over the activities at some indices only.
    pub fn sets_where(&self, mut keep: impl FnMut(usize) -> bool) -> TypeSets {
        let kept = (0..self.len()).filter(|&index| keep(index));
        kept.map(|index| (self.interval[index], self.kernel_type[index])).collect()
    }

    /// The devices that occur, sorted; activities without a device number count as one device.
    pub fn devices(&self) -> Vec<MaybeU32> {
        let mut devices: Vec<MaybeU32> = Vec::new();
        for &device in &self.device {
            // Activities of one device come in long runs, and there are few devices.
            if devices.last() != Some(&device) && !devices.contains(&device) {
                devices.push(device);
            }
        }
        devices.sort_unstable();
        devices
    }
}

#[cfg(test)]
mod tests {
    use eaves_model::SliceKind::{Kernel, Memcpy, Memset};

    use super::*;
    use crate::test_trace::TestTrace;

    fn trace() -> TestTrace {
        let mut test = TestTrace::default();
        test.gpu(Kernel, "gemm", 100, 200)
            .gpu(Kernel, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 150, 300)
            .gpu_on(1, None, Memcpy, "Memcpy HtoD (Pinned -> Device)", 300, 310)
            .gpu(Kernel, "gemm", 400, i64::MAX)
            .quarantine_last()
            .gpu(Memset, "Memset (Device)", 320, 320);
        test
    }

    #[test]
    fn quarantined_activities_are_left_out() {
        let test = trace();
        let view = GpuView::new(&test.trace, &Selection::default());
        assert_eq!(view.row, [0usize, 1, 2, 4].map(GpuId::from));
        let types = [KernelType::Compute, KernelType::Communication, KernelType::Memory, KernelType::Memory];
        assert_eq!(view.kernel_type, types);
        assert_eq!(view.duration(1), Ns(150));
        assert_eq!(view.devices(), [0, 1].map(MaybeU32::new));
        assert_eq!(view.sets().span(), Some(Interval::new(Ns(100), Ns(320))));
        let second = view.sets_where(|index| view.device[index] == MaybeU32::new(1));
        assert_eq!(second.busy().measure(), Ns(10));
    }

    #[test]
    fn another_classification_may_be_given() {
        let test = trace();
        let view = GpuView::with(&test.trace, &Selection::default(), |_| KernelType::Memory);
        assert!(view.kernel_type.iter().all(|&kind| kind == KernelType::Memory));
    }
}
