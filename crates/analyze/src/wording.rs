//! What findings advise about recordings that PyTorch did not make: the same, without the names that only its users know.

use crate::recorder::Advisor;
use crate::section::Finding;
use crate::text::percentage;
use crate::{Launched, Outcome};

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
pub(crate) fn for_users_of(recorder: Advisor, mut outcome: Outcome) -> Outcome {
    if let (true, Outcome::Section(section)) = (!recorder.speaks_of_torch(), &mut outcome) {
        section.findings.iter_mut().for_each(reword);
    }
    outcome
}

/// Share of the GPU time from which a program counts as compiled, or as replayed by graphs.
const MOSTLY_PCT: f64 = 50.0;

/// Advice that a program follows already is none: says instead what is left to do in compiled code, and in graphs.
pub(crate) fn beside_what_is_done(launched: &Launched, mut outcome: Outcome) -> Outcome {
    let compiled = percentage(launched.compiled, launched.all);
    let graphs = percentage(launched.graphs, launched.all);
    if let Outcome::Section(section) = &mut outcome {
        for finding in section.findings.iter_mut().filter(|finding| finding.next.contains("torch.compile")) {
            let next = if graphs >= MOSTLY_PCT {
                format!(
                    "{graphs:.0}% of the GPU time is replayed by graphs already: put what is left outside them into a \
                     graph, and give each replay more work (larger batches)"
                )
            } else if compiled >= MOSTLY_PCT {
                format!(
                    "{compiled:.0}% of the GPU time is in compiled code already: find what breaks its graphs \
                     (`TORCH_LOGS=graph_breaks`), launch it as a CUDA graph (`mode=\"reduce-overhead\"`), or give it \
                     more work (larger batches)"
                )
            } else {
                continue;
            };
            finding.next = next;
        }
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
    use crate::test_trace::{TestTrace, run_of, section_of};

    #[test]
    fn nothing_is_advised_that_is_done() {
        let next = |name: &str, call: &str| {
            let mut test = TestTrace::default();
            for index in 0..100 {
                let start = index * 10_000;
                test.op(name, start, start + 5_000);
                test.runtime_call(call, index, start + 4_000, start + 5_000);
                test.kernel("gemm", index, start + 5_000, start + 6_000);
            }
            let finding = section_of(&run_of(vec![test]), "idle-causes").findings.remove(0);
            (finding.id, finding.next)
        };
        let (id, plain) = next("aten::mm", "cudaLaunchKernel");
        assert!(id == "host_bound" && plain.contains("`torch.compile`"), "{id} {plain}");
        let (_, compiled) = next("Torch-Compiled Region: 0/0", "cudaLaunchKernel");
        assert!(compiled.starts_with("100% of the GPU time is in compiled code already"), "{compiled}");
        let (_, graphs) = next("Torch-Compiled Region: 0/0", "cudaGraphLaunch");
        assert!(graphs.starts_with("100% of the GPU time is replayed by graphs already"), "{graphs}");
    }

    #[test]
    fn what_is_said_instead_has_no_such_words() {
        assert!(NEXT.is_sorted() && OF_TORCH.is_sorted());
        for (id, next) in NEXT {
            assert!(!OF_TORCH.iter().any(|word| next.contains(word)), "{id}");
        }
    }
}
