//! What an input is.

/// Input kind, detected from the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A recording over time, or of each launch of a kernel.
    Recording,
    /// A table with a row for each kernel.
    KernelTable,
    /// A list of compute and communication events with amounts.
    EventList,
    /// A list of NPU commands.
    NpuCommands,
    /// Benchmark results.
    BenchmarkResults,
    /// A log of `torch.compile`.
    CompileLog,
    /// A snapshot of PyTorch's caching allocator.
    MemorySnapshot,
    /// Memory in use over time, by category of tensors.
    MemoryTimeline,
    /// A profiler's sums without a record of each launch.
    ProfilerSums,
    /// A report that eaves wrote, as JSON or as a page. It is recognized here and read by `present`.
    SavedReport,
    /// A rank of a dataset that `eaves ingest` wrote.
    Dataset,
    /// A partial report that `eaves report --partial` wrote. It is recognized here and read by `analyze`.
    Partial,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Recording,
        Self::KernelTable,
        Self::EventList,
        Self::NpuCommands,
        Self::BenchmarkResults,
        Self::CompileLog,
        Self::MemorySnapshot,
        Self::MemoryTimeline,
        Self::ProfilerSums,
        Self::SavedReport,
        Self::Dataset,
        Self::Partial,
    ];

    /// The name in outputs.
    pub fn id(self) -> &'static str {
        match self {
            Self::Recording => "recording",
            Self::KernelTable => "kernel-table",
            Self::EventList => "event-list",
            Self::NpuCommands => "npu-commands",
            Self::BenchmarkResults => "benchmark-results",
            Self::CompileLog => "compile-log",
            Self::MemorySnapshot => "memory-snapshot",
            Self::MemoryTimeline => "memory-timeline",
            Self::ProfilerSums => "profiler-sums",
            Self::SavedReport => "saved-report",
            Self::Dataset => "dataset",
            Self::Partial => "partial",
        }
    }
}
