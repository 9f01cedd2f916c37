//! Systems other than Linux: nothing is known, so samples are not tagged, threads not pinned and pages of the usual size.

use std::ptr::NonNull;

use super::ProcessTime;

/// Unknown.
pub(crate) fn thread_cpu_ns() -> Option<u64> {
    None
}

/// Unknown.
pub(crate) fn thread_switches() -> Option<u64> {
    None
}

/// Unknown.
pub(crate) fn process_time() -> Option<ProcessTime> {
    None
}

/// Unknown.
pub(crate) fn steal() -> Option<u64> {
    None
}

/// Unknown.
pub(crate) fn available_memory() -> Option<f64> {
    None
}

/// Does nothing.
pub(crate) fn ask_for_huge_pages(_start: NonNull<u8>, _bytes: usize) {}

/// Unknown.
pub(crate) fn huge_bytes(_address: usize) -> Option<usize> {
    None
}

/// Processors that this thread may use: unknown.
#[derive(Clone, Copy)]
pub(crate) struct Places;

impl Places {
    pub(crate) fn here() -> Self {
        Self
    }

    /// Unknown.
    pub(crate) fn cores(&self) -> Option<usize> {
        None
    }

    /// Does nothing.
    pub(crate) fn pin(&self, _index: usize, _threads: usize) {}

    /// Does nothing.
    pub(crate) fn unpin(&self) {}
}
