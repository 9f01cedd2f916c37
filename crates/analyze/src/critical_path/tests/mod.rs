//! Traces by hand and at random.

mod by_hand;
mod properties;
mod selections;

use eaves_model::{GpuActivity, GpuId, MaybeI64, MaybeU32, Op, RuntimeCall, SliceId, SliceKind, Sync, Trace};

use super::{Cause, CriticalPath};
use crate::test_trace::add_slice;
use crate::{Options, RankView};

/// A trace that grows by one line a slice.
#[derive(Default)]
pub(super) struct Recorder {
    pub(super) trace: Trace,
}

impl Recorder {
    fn slice(&mut self, kind: SliceKind, name: &str, place: (i64, i64), start: i64, end: i64) -> SliceId {
        add_slice(&mut self.trace, place, kind, name, (start, end))
    }

    /// An operator or annotation.
    pub(super) fn host(
        &mut self,
        kind: SliceKind,
        thread: i64,
        name: &str,
        start: i64,
        end: i64,
    ) -> &mut Self {
        let slice = self.slice(kind, name, (100, thread), start, end);
        self.trace.ops.push(Op { slice, ..Op::default() });
        self
    }

    /// An operator of thread 1.
    pub(super) fn op(&mut self, name: &str, start: i64, end: i64) -> &mut Self {
        self.host(SliceKind::Op, 1, name, start, end)
    }

    /// A call of some thread. Correlation 0 is none.
    pub(super) fn call_on(
        &mut self,
        thread: i64,
        name: &str,
        correlation: i64,
        start: i64,
        end: i64,
    ) -> &mut Self {
        let slice = self.slice(SliceKind::Runtime, name, (100, thread), start, end);
        self.trace.runtime.push(RuntimeCall {
            slice,
            correlation: Some(correlation).filter(|&number| number != 0).into(),
            ..RuntimeCall::default()
        });
        self
    }

    /// A call of thread 1.
    pub(super) fn call(&mut self, name: &str, correlation: i64, start: i64, end: i64) -> &mut Self {
        self.call_on(1, name, correlation, start, end)
    }

    /// A kernel, or a copy if the name says so. Correlation 0 is none.
    pub(super) fn gpu(
        &mut self,
        stream: i64,
        name: &str,
        correlation: i64,
        start: i64,
        end: i64,
    ) -> &mut Self {
        let kind = if name.starts_with("Memcpy") { SliceKind::Memcpy } else { SliceKind::Kernel };
        let slice = self.slice(kind, name, (0, stream), start, end);
        self.trace.gpu.push(GpuActivity {
            slice,
            device: MaybeU32::new(0),
            stream: MaybeI64::new(stream),
            correlation: Some(correlation).filter(|&number| number != 0).into(),
            ..GpuActivity::default()
        });
        self
    }

    /// A synchronization record of a call, about a stream; `event` is the stream and the recording call waited for.
    pub(super) fn sync(
        &mut self,
        kind: &str,
        correlation: i64,
        stream: i64,
        event: Option<(i64, i64)>,
    ) -> &mut Self {
        let slice = self.slice(SliceKind::Sync, kind, (0, stream), 0, 0);
        let kind = self.trace.strings.intern(kind);
        self.trace.syncs.push(Sync {
            slice,
            kind,
            device: MaybeU32::new(0),
            stream: MaybeI64::new(stream),
            correlation: MaybeI64::new(correlation),
            wait_on_stream: event.map(|(stream, _)| stream).into(),
            wait_on_record_correlation: event.map(|(_, call)| call).into(),
            ..Sync::default()
        });
        self
    }

    /// A profiler step on thread 1.
    pub(super) fn step(&mut self, number: u64, start: i64, end: i64) -> &mut Self {
        self.host(SliceKind::Annotation, 1, &format!("ProfilerStep#{number}"), start, end)
    }

    /// The path of everything.
    pub(super) fn path(&self) -> CriticalPath {
        CriticalPath::of(&RankView::new(&self.trace, &Options::default())).unwrap()
    }

    /// The path as text: cause, name, start and end.
    pub(super) fn told(&self, path: &CriticalPath) -> Vec<(Cause, String, i64, i64)> {
        let name = |slice: SliceId| slice.some().map_or("", |slice| self.trace.slice_name(slice));
        path.parts
            .iter()
            .map(|part| (part.cause, name(part.slice).to_owned(), part.interval.start.0, part.interval.end.0))
            .collect()
    }

    /// The path of everything is this.
    pub(super) fn expect(&self, expected: &[(Cause, &str, i64, i64)]) {
        let expected: Vec<_> =
            expected.iter().map(|&(cause, name, start, end)| (cause, name.to_owned(), start, end)).collect();
        assert_eq!(self.told(&self.path()), expected);
    }
}

/// The launching call of an activity, to check tests themselves.
pub(super) fn is_linked(trace: &Trace, activity: usize) -> bool {
    eaves_model::LaunchLinks::build(trace).launch(GpuId::from(activity)).is_some()
}
