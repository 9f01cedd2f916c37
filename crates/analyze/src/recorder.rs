//! Who recorded, and which of its options records what.

use eaves_model::{SliceKind, StringId, Times, Trace};

/// Something a recording may hold.
pub(crate) struct Item {
    /// Its name.
    pub(crate) what: &'static str,
    /// Whether a recording has it.
    pub(crate) present: fn(&Trace) -> bool,
    /// What it is good for.
    pub(crate) used_for: &'static str,
    /// How to record it, with each recorder that can.
    how: &'static [(Recorder, &'static str)],
}

/// Who recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Recorder {
    /// PyTorch, by options of `torch.profiler.profile`.
    #[default]
    Torch,
    /// Nsight Systems, by options of `nsys profile`.
    Nsys,
    /// Nsight Compute, by options of `ncu`.
    Ncu,
    /// ROCm's profilers, by options of `rocprofv3`, the one that is kept up.
    Rocprof,
}

impl Recorder {
    /// By the name of the format.
    pub(crate) fn of(format: &str) -> Self {
        match format {
            _ if format.starts_with("nsys") => Self::Nsys,
            _ if format.starts_with("ncu") || format.starts_with("nvprof") => Self::Ncu,
            _ if format.starts_with("roc") => Self::Rocprof,
            _ => Self::Torch,
        }
    }

    /// The name for people.
    fn name(self) -> &'static str {
        match self {
            Self::Torch => "PyTorch's profiler",
            Self::Nsys => "Nsight Systems",
            Self::Ncu => "Nsight Compute",
            Self::Rocprof => "rocprof",
        }
    }

    /// What to tell someone whose recording lacks an item of [`ITEMS`]: the option of the recorder that was used, or that
    /// it has none and what PyTorch's, which records most, would be asked for.
    pub(crate) fn advice(self, what: &str, with_torch: &str) -> String {
        let item = ITEMS.iter().find(|item| item.what == what);
        match item.and_then(|item| item.how(self)) {
            _ if self == Self::Torch => with_torch.to_owned(),
            Some(how) => format!("with {}: {how}", self.name()),
            None => format!("{} does not record it; PyTorch's profiler does: {with_torch}", self.name()),
        }
    }
}

impl Item {
    /// How this recorder records it, if it can.
    pub(crate) fn how(&self, recorder: Recorder) -> Option<&'static str> {
        self.how.iter().find(|(able, _)| *able == recorder).map(|(_, how)| *how)
    }
}

use Recorder::{Ncu, Nsys, Rocprof, Torch};

/// In the order of how much is lost without it.
pub(crate) static ITEMS: &[Item] = &[
    Item {
        what: "GPU activity",
        present: |trace| !trace.gpu.is_empty(),
        used_for: "everything about the GPU",
        how: &[
            (
                Torch,
                "`activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]` (ROCm too; Intel GPUs: `XPU`)",
            ),
            (Nsys, "`-t cuda,nvtx`"),
            (Rocprof, "`--kernel-trace --memory-copy-trace`"),
        ],
    },
    Item {
        what: "operators",
        present: |trace| !trace.ops.is_empty(),
        used_for: "which operator a kernel belongs to",
        how: &[(Torch, "`activities=[ProfilerActivity.CPU, ...]`")],
    },
    Item {
        what: "launches",
        present: |trace| {
            !trace.runtime.is_empty()
                && trace.gpu.correlation.iter().chain(&trace.gpu.external_id).any(|id| id.is_some())
        },
        used_for: "which call and which step launched a kernel, launch delays",
        how: &[
            (Torch, "record CPU and GPU activities together; the correlation numbers come by themselves"),
            (Nsys, "`-t cuda,nvtx`"),
            (Rocprof, "`--hip-trace` beside `--kernel-trace`"),
        ],
    },
    Item {
        what: "flows",
        present: |trace| !trace.flows.is_empty(),
        used_for: "links between host and device, forward and backward",
        how: &[(Torch, "record CPU and GPU activities together; the arrows come by themselves")],
    },
    Item {
        what: "profiler steps",
        present: |trace| !trace.steps().is_empty(),
        used_for: "times by step, `--step`",
        how: &[(Torch, "call `prof.step()` at the end of every iteration")],
    },
    Item {
        what: "named ranges",
        present: |trace| trace.slices.kind.contains(&SliceKind::Annotation),
        used_for: "times by part of the program",
        how: &[
            (Torch, "`with torch.profiler.record_function(\"name\"):` around a part"),
            (Nsys, "`-t cuda,nvtx`, with NVTX ranges in the program"),
            (Rocprof, "`--marker-trace`, with roctx ranges in the program"),
        ],
    },
    Item {
        what: "start times",
        present: |trace| trace.metadata.times == Times::Recorded,
        used_for: "gaps, overlap and timelines",
        how: &[(
            Ncu,
            "not by Nsight Compute, which runs kernels one by one; `eaves profile --with nsys` records them",
        )],
    },
    Item {
        what: "input shapes",
        present: |trace| trace.ops.input_dims.iter().any(|&dims| dims != StringId::NONE),
        used_for: "FLOPs and bytes of operators",
        how: &[(Torch, "`record_shapes=True`")],
    },
    Item {
        what: "Python stacks",
        present: |trace| !trace.python.is_empty(),
        used_for: "which line of Python a kernel comes from",
        how: &[(Torch, "`with_stack=True`")],
    },
    Item {
        what: "modules",
        present: |trace| trace.python.module.iter().any(|module| module.is_some()),
        used_for: "times by module of the model",
        how: &[(Torch, "`with_stack=True`; `with_modules` is for TorchScript only")],
    },
    Item {
        what: "memory",
        present: |trace| !trace.allocations.is_empty() || !trace.snapshot.is_empty(),
        used_for: "allocations over time",
        how: &[
            (Torch, "`profile_memory=True`"),
            (Nsys, "`--cuda-memory-usage=true`"),
            (Rocprof, "`--memory-allocation-trace`"),
        ],
    },
    Item {
        what: "distributed information",
        present: |trace| trace.metadata.distributed.is_some(),
        used_for: "rank, world size and process groups",
        how: &[(
            Torch,
            "call `torch.distributed.init_process_group` before the profiler starts; one process has none",
        )],
    },
    Item {
        what: "collective sizes",
        present: |trace| !trace.collectives.is_empty(),
        used_for: "bandwidth of collectives",
        how: &[(Torch, "comes by itself with the NCCL backend of current PyTorch; gloo does not record it")],
    },
    Item {
        what: "synchronisation records",
        present: |trace| !trace.syncs.is_empty(),
        used_for: "which stream waited for which",
        how: &[
            (
                Torch,
                "`experimental_config=torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=True)`",
            ),
            (Nsys, "comes by itself with `-t cuda`"),
        ],
    },
    Item {
        what: "hardware counters",
        present: |trace| !trace.range_counters.is_empty(),
        used_for: "measured FLOPs and bytes of kernels",
        how: &[
            (Torch, "`experimental_config=torch._C._profiler._ExperimentalConfig(profiler_metrics=[...])`"),
            (Ncu, "`--set roofline`, or the metrics that `eaves profile --with ncu` asks for"),
            (Rocprof, "`--pmc NAMES`; `eaves counters write` makes a list for a roofline"),
            (Nsys, "not by Nsight Systems; `eaves profile --with ncu` records them"),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_for_the_recorder_that_was_used() {
        assert_eq!(
            Recorder::of("nsys sqlite").advice("launches", "T"),
            "with Nsight Systems: `-t cuda,nvtx`"
        );
        assert_eq!(Recorder::of("kineto").advice("launches", "T"), "T");
        let none = Recorder::of("rocpd").advice("operators", "T");
        assert_eq!(none, "rocprof does not record it; PyTorch's profiler does: T");
    }

    /// The names that analyses ask by.
    #[test]
    fn every_name_that_is_asked_for_is_there() {
        for what in [
            "GPU activity",
            "operators",
            "launches",
            "profiler steps",
            "named ranges",
            "hardware counters",
            "memory",
        ] {
            assert!(ITEMS.iter().any(|item| item.what == what), "{what}");
        }
    }
}
