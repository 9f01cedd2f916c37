//! What findings advise about recordings that PyTorch did not make: the same, without the names that only its users know.

use crate::Outcome;
use crate::recorder::Recorder;
use crate::section::Finding;

/// Words that mean something in a program of PyTorch's alone.
const OF_TORCH: [&str; 9] = [
    // tidy-alphabetical-start
    "DataLoader",
    "PYTORCH",
    "ProfilerActivity",
    "TORCH",
    "bucket_cap_mb",
    "num_workers",
    "prof.",
    "torch",
    "with_stack",
    // tidy-alphabetical-end
];

/// What to do next about each finding whose advice has such words, in the order of their names.
const NEXT: [(&str, &str); 13] = [
    (
        "allocator_calls",
        "allocate once and use it again: buffers that outlive the loop, or a pool (`cudaMallocAsync`, `hipMallocAsync`); \
         pin host memory once",
    ),
    (
        "compilation",
        "record after the warm-up; if it is still there, keep compiled code: built for the architecture of the device, or \
         in a cache on disk",
    ),
    (
        "data_loading",
        "load faster or further ahead, on threads or processes of their own, into pinned memory; data that needs less \
         decoding",
    ),
    ("fusion_candidate", "fuse them: one kernel that does the work of all"),
    (
        "host_bound",
        "fewer launches: more work for each kernel, kernels fused, or a graph that launches them at once \
         (`cudaGraphLaunch`, `hipGraphLaunch`); table by_name shows what the host does",
    ),
    (
        "kernel_gaps",
        "fewer and larger kernels: fuse them, or launch them as a graph, which makes the pauses shorter",
    ),
    (
        "memory_pressure",
        "use less (smaller batches, lower precision, what can be computed again not kept), or waste less: buffers that are \
         used again, a pool in place of allocations in the loop",
    ),
    (
        "pageable_copies",
        "pin the memory (`cudaHostAlloc`, `hipHostMalloc`) and copy asynchronously, so that the copy is faster, runs beside \
         kernels and does not stop the host",
    ),
    (
        "profiler_overhead",
        "record less: fewer kinds of events, a shorter part of the run, begun after the warm-up",
    ),
    (
        "short_kernels",
        "give each launch more work: fuse kernels, launch them as a graph, make batches larger",
    ),
    (
        "small_messages",
        "bundle them: one flat buffer instead of many, calls in one group (`ncclGroupStart`), what is reduced once a step \
         instead of one by one",
    ),
    (
        "synchronisation",
        "leave values on the device and read them rarely, copy asynchronously from pinned memory, and wait for an event of \
         a stream rather than for the whole device",
    ),
    (
        "unexplained_idle",
        "record the calls of the host as well: `nsys profile -t cuda,nvtx,osrt`, `rocprofv3 --hip-trace --kernel-trace`",
    ),
];

/// Puts the findings of a section into words for those who used this recorder.
pub(crate) fn for_users_of(recorder: Recorder, mut outcome: Outcome) -> Outcome {
    if let (true, Outcome::Section(section)) = (recorder != Recorder::Torch, &mut outcome) {
        section.findings.iter_mut().for_each(reword);
    }
    outcome
}

fn reword(finding: &mut Finding) {
    let is_of_torch = OF_TORCH.iter().any(|word| finding.next.contains(word));
    if let Some((_, next)) = NEXT.iter().find(|(id, _)| is_of_torch && *id == finding.id) {
        finding.next = (*next).to_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_instead_has_no_such_words() {
        assert!(NEXT.is_sorted() && OF_TORCH.is_sorted());
        for (id, next) in NEXT {
            assert!(!OF_TORCH.iter().any(|word| next.contains(word)), "{id}");
        }
    }
}
