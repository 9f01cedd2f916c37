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
    if name.starts_with("dma") { SliceKind::Memcpy } else { SliceKind::Kernel }
}
