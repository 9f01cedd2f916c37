//! What the categories of Kineto traces mean, old and new, NVIDIA, AMD, MTIA and the others.

use eaves_model::SliceKind;

/// Categories as `libkineto/src/ActivityType.cpp` spells them, and as traces before 2022 did.
pub(super) fn kind_of(category: &str) -> SliceKind {
    match category {
        "cpu_op" | "Operator" | "hpu_op" => SliceKind::Op,
        "cuda_runtime"
        | "cuda_driver"
        | "Runtime"
        | "glow_runtime"
        | "mtia_runtime"
        | "privateuse1_driver"
        | "privateuse1_runtime"
        | "xpu_driver"
        | "xpu_runtime" => SliceKind::Runtime,
        "kernel" | "Kernel" | "mtia_ccp_events" => SliceKind::Kernel,
        "gpu_memcpy" | "Memcpy" => SliceKind::Memcpy,
        "gpu_memset" | "Memset" => SliceKind::Memset,
        "cuda_sync" | "cuda_event" => SliceKind::Sync,
        "user_annotation" => SliceKind::Annotation,
        "gpu_user_annotation" => SliceKind::GpuAnnotation,
        "python_function" => SliceKind::Python,
        "cuda_profiler_range" => SliceKind::CounterRange,
        "overhead" => SliceKind::Overhead,
        "Trace" => SliceKind::Span,
        _ => SliceKind::Other,
    }
}

/// MTIA puts copies and kernels in one category; its copies are called `dma_request` and the like.
pub(super) fn kind_of_mtia(name: &str) -> SliceKind {
    match name {
        name if name.starts_with("dma") => SliceKind::Memcpy,
        name if is_event(name) => SliceKind::Sync,
        _ => SliceKind::Kernel,
    }
}

/// True for ranges that PyTorch records itself. Before 2022 they had the category of operators.
pub(super) fn is_range(name: &str) -> bool {
    ["ProfilerStep#", "Optimizer.", "enumerate(DataLoader)#"].iter().any(|range| name.starts_with(range))
}

/// True for what a queue does between kernels: waiting for events, and recording them. No work, so not a kernel, though
/// devices other than NVIDIA's list both alike: MTIA as `event_wait`, Ascend as `EVENT_WAIT` and `NOTIFY_WAIT_SQE`, Level
/// Zero as `zeCommandListAppendWaitOnEvents`.
pub(super) fn is_event(name: &str) -> bool {
    const DONE: [&str; 5] = ["wait", "record", "reset", "signal", "synchronize"];
    let level_zero =
        ["zeCommandListAppendBarrier", "zeCommandListAppendSignalEvent", "zeCommandListAppendWaitOnEvents"];
    // Names of kernels are long.
    if name.len() > 40 {
        return false;
    }
    let is = |word: &str, wanted: &str| word.eq_ignore_ascii_case(wanted);
    let mut words = name.split(['_', ' ']).filter(|word| !is(word, "mtia") && !is(word, "sqe"));
    let is_event = |first: &str, second: &str| {
        (is(first, "event") || is(first, "notify")) && DONE.iter().any(|done| is(second, done))
    };
    match (words.next(), words.next(), words.next()) {
        (Some(first), Some(second), None) => is_event(first, second) || is_event(second, first),
        (Some(only), None, None) => level_zero.contains(&only),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_told_from_kernels() {
        for event in [
            "event_wait",
            "event_record",
            "EVENT_WAIT",
            "Notify_Wait",
            "NOTIFY_WAIT_SQE",
            "wait_event",
            "mtia_event_wait",
        ] {
            assert!(is_event(event), "{event}");
        }
        assert!(is_event("zeCommandListAppendBarrier"));
        for kernel in ["gemm", "event_wait_kernel", "wait", "record_stream", "nccl_wait", "event", ""] {
            assert!(!is_event(kernel), "{kernel}");
        }
        assert_eq!(kind_of_mtia("event_record"), SliceKind::Sync);
        assert_eq!(kind_of_mtia("dma_request"), SliceKind::Memcpy);
    }

    #[test]
    fn ranges_are_told_from_operators() {
        assert!(is_range("ProfilerStep#12") && is_range("Optimizer.step#SGD.step"));
        assert!(!is_range("aten::mm") && !is_range("ProfilerStep"));
    }
}
