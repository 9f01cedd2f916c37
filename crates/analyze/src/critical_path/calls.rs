//! What the names of calls and operators mean for the critical path, looked up once per distinct name.

use eaves_model::{StringId, Trace};

/// What a call or operator does besides taking time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallKind {
    /// Nothing.
    Plain,
    /// Waits until the device or an event is done.
    Wait,
    /// Waits until one stream is done.
    WaitForStream,
    /// Copies, and returns when the copy is done.
    Copy,
    /// Copies, and returns at once unless the memory on the host is pageable.
    CopyAsync,
    /// Makes a stream wait for an event.
    StreamWait,
    /// Records an event on a stream.
    EventRecord,
    /// Launches many activities, on several streams perhaps, whose order among each other is not recorded.
    GraphLaunch,
    /// An operator of the backward pass.
    Backward,
    /// The wait for the next batch.
    DataLoader,
}

impl CallKind {
    /// The functions of CUDA, HIP and their drivers have the same names behind their prefixes.
    fn of(name: &str) -> Self {
        if name.starts_with("autograd::engine::evaluate_function") {
            Self::Backward
        } else if name.contains("DataLoader") {
            Self::DataLoader
        } else if name.contains("StreamSynchronize") {
            Self::WaitForStream
        } else if name.contains("Synchronize") || matches!(name, "urQueueFinish" | "urEventWait") {
            Self::Wait
        } else if name.contains("StreamWaitEvent") {
            Self::StreamWait
        } else if name.contains("EventRecord") {
            Self::EventRecord
        } else if name.contains("GraphLaunch") {
            Self::GraphLaunch
        } else if name.contains("Memcpy") {
            if name.contains("Async") { Self::CopyAsync } else { Self::Copy }
        } else {
            Self::Plain
        }
    }
}

/// The kinds of the names of one trace.
#[derive(Debug)]
pub(super) struct CallKinds<'a> {
    trace: &'a Trace,
    by_name: Vec<Option<CallKind>>,
}

impl<'a> CallKinds<'a> {
    pub(super) fn new(trace: &'a Trace) -> Self {
        Self { trace, by_name: vec![None; trace.strings.len()] }
    }

    #[inline]
    pub(super) fn of(&mut self, name: StringId) -> CallKind {
        let strings = &self.trace.strings;
        match self.by_name.get_mut(name.index()) {
            Some(known) => *known.get_or_insert_with(|| CallKind::of(strings.get(name))),
            None => CallKind::Plain,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_every_vendor_are_known() {
        let kinds = [
            ("cudaDeviceSynchronize", CallKind::Wait),
            ("hipDeviceSynchronize", CallKind::Wait),
            ("cuCtxSynchronize", CallKind::Wait),
            ("cudaEventSynchronize", CallKind::Wait),
            ("hipStreamSynchronize", CallKind::WaitForStream),
            ("urQueueFinish", CallKind::Wait),
            ("cudaMemcpy", CallKind::Copy),
            ("hipMemcpyWithStream", CallKind::Copy),
            ("cudaMemcpyAsync", CallKind::CopyAsync),
            ("hipStreamWaitEvent", CallKind::StreamWait),
            ("cudaEventRecordWithFlags", CallKind::EventRecord),
            ("cuGraphLaunch", CallKind::GraphLaunch),
            ("cudaEventQuery", CallKind::Plain),
            ("cudaLaunchKernel", CallKind::Plain),
            ("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", CallKind::DataLoader),
            ("autograd::engine::evaluate_function: AddmmBackward0", CallKind::Backward),
        ];
        for (name, kind) in kinds {
            assert_eq!(CallKind::of(name), kind, "{name}");
        }
    }
}
