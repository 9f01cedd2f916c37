//! Traces by hand for the unit tests of what nests: slices on threads of choice.

use eaves_model::{
    Allocation, GpuActivity, Ident, MaybeF64, MaybeI64, MaybeU32, Ns, Op, RangeCounter, RuntimeCall, SliceId,
    SliceKind, Trace,
};

use crate::test_trace::{TestTrace, add_slice};

/// A trace whose slices say on which thread or stream they are.
#[derive(Clone, Default)]
pub(crate) struct ThreadTrace {
    pub(crate) trace: Trace,
}

impl ThreadTrace {
    /// The process of the host; that of the device is the next.
    const HOST: i64 = 1;

    fn slice(&mut self, process: i64, thread: i64, kind: SliceKind, name: &str, span: (i64, i64)) -> SliceId {
        add_slice(&mut self.trace, (process, thread), kind, name, span)
    }

    fn named(&mut self, slice: SliceId, forward_thread: Option<u32>) {
        self.trace.ops.push(Op { slice, forward_thread: forward_thread.into(), ..Op::default() });
    }

    /// A slice of any kind on a thread of the host.
    pub(crate) fn host(&mut self, thread: i64, kind: SliceKind, name: &str, span: (i64, i64)) -> &mut Self {
        self.slice(Self::HOST, thread, kind, name, span);
        self
    }

    /// An operator.
    pub(crate) fn op(&mut self, thread: i64, name: &str, span: (i64, i64)) -> &mut Self {
        let slice = self.slice(Self::HOST, thread, SliceKind::Op, name, span);
        self.named(slice, None);
        self
    }

    /// An operator that the autograd engine runs for an operator of another thread.
    pub(crate) fn backward(&mut self, thread: i64, name: &str, span: (i64, i64)) -> &mut Self {
        let slice = self.slice(Self::HOST, thread, SliceKind::Op, name, span);
        self.named(slice, Some(1));
        self
    }

    /// A range named by the user.
    pub(crate) fn annotation(&mut self, thread: i64, name: &str, span: (i64, i64)) -> &mut Self {
        let slice = self.slice(Self::HOST, thread, SliceKind::Annotation, name, span);
        self.named(slice, None);
        self
    }

    /// The same as the device draws it.
    pub(crate) fn gpu_annotation(&mut self, stream: i64, name: &str, span: (i64, i64)) -> &mut Self {
        let slice = self.slice(Self::HOST + 1, stream, SliceKind::GpuAnnotation, name, span);
        self.named(slice, None);
        self
    }

    /// A launching call.
    pub(crate) fn launch(&mut self, thread: i64, correlation: i64, span: (i64, i64)) -> &mut Self {
        let slice = self.slice(Self::HOST, thread, SliceKind::Runtime, "cudaLaunchKernel", span);
        self.trace.runtime.push(RuntimeCall {
            slice,
            correlation: MaybeI64::new(correlation),
            ..RuntimeCall::default()
        });
        self
    }

    /// A kernel on a stream.
    pub(crate) fn kernel(
        &mut self,
        stream: i64,
        name: &str,
        correlation: i64,
        span: (i64, i64),
    ) -> &mut Self {
        self.activity(stream, SliceKind::Kernel, name, Some(correlation), span)
    }

    /// Any activity on a stream.
    pub(crate) fn activity(
        &mut self,
        stream: i64,
        kind: SliceKind,
        name: &str,
        correlation: Option<i64>,
        span: (i64, i64),
    ) -> &mut Self {
        let slice = self.slice(Self::HOST + 1, stream, kind, name, span);
        self.trace.gpu.push(GpuActivity {
            slice,
            device: MaybeU32::new(0),
            stream: MaybeI64::new(stream),
            correlation: correlation.into(),
            ..GpuActivity::default()
        });
        self
    }

    /// A range in which counters were collected.
    pub(crate) fn range(&mut self, name: &str, span: (i64, i64), counters: &[(&str, f64)]) -> &mut Self {
        let slice = self.slice(0, 0, SliceKind::CounterRange, name, span);
        for &(metric, value) in counters {
            let metric = self.trace.strings.intern(metric);
            self.trace.range_counters.push(RangeCounter { slice, metric, value: MaybeF64::new(value) });
        }
        self
    }

    /// An allocation on the device, or a release if negative.
    pub(crate) fn allocation(&mut self, thread: i64, time: i64, bytes: i64, device_type: u32) -> &mut Self {
        let track = self.trace.tracks.get_or_add(Ident::number(Self::HOST), Ident::number(thread));
        self.trace.allocations.push(Allocation {
            time: Ns(time),
            track,
            bytes: MaybeI64::new(bytes),
            device_type: MaybeU32::new(device_type),
            ..Allocation::default()
        });
        self
    }
}

impl From<ThreadTrace> for TestTrace {
    fn from(threads: ThreadTrace) -> Self {
        Self { trace: threads.trace }
    }
}
