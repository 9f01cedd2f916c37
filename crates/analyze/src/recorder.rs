//! Who recorded, and which of its options records what.

use eaves_model::{Recorder, SliceKind, StringId, Times, Trace};

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

/// Who knows which option of the recorder that was used records what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Advisor(pub(crate) Recorder);

impl Advisor {
    /// True if options of PyTorch's profiler are the ones to name. It records most, so where nothing tells who recorded
    /// its options are named too.
    pub(crate) fn speaks_of_torch(self) -> bool {
        matches!(self.0, Torch | Recorder::Unknown)
    }

    /// What to tell someone whose recording lacks an item of [`ITEMS`]: the option of the recorder that was used, or that
    /// it has none and what PyTorch's, which records most, would be asked for.
    pub(crate) fn advice(self, what: &str, with_torch: &str) -> String {
        let item = ITEMS.iter().find(|item| item.what == what);
        let how = |recorder| item.and_then(|item| item.how(recorder));
        let name = self.0.name();
        if self.speaks_of_torch() {
            return with_torch.to_owned();
        }
        if let Some(how) = how(self.0) {
            return if how.starts_with("not ") { how.to_owned() } else { format!("with {name}: {how}") };
        }
        match self.relative().and_then(|relative| Some((relative.name(), how(relative)?))) {
            Some((other, how)) => format!("{name} does not record it; {other} does: {how}"),
            None => format!("{name} does not record it; PyTorch's profiler does: {with_torch}"),
        }
    }

    /// The options that record an item, with the name of the recorder if it is not the one that was used.
    pub(crate) fn options(self, item: &Item) -> Option<String> {
        if let Some(how) = item.how(self.0) {
            return Some(how.to_owned());
        }
        let relative = self.relative()?;
        Some(format!("with {}: {}", relative.name(), item.how(relative)?))
    }

    /// The recorder of the same vendor that records more.
    fn relative(self) -> Option<Recorder> {
        match self.0 {
            Rocprof | Rocprofv2 | RocprofCompute => Some(Rocprofv3),
            Nvprof => Some(NsightSystems),
            _ => None,
        }
    }
}

impl Item {
    /// How this recorder records it, if it can.
    pub(crate) fn how(&self, recorder: Recorder) -> Option<&'static str> {
        let recorder = recorder.or(Torch);
        self.how.iter().find(|(able, _)| *able == recorder).map(|(_, how)| *how)
    }
}

use Recorder::{NsightCompute, NsightSystems, Nvprof, Rocprof, RocprofCompute, Rocprofv2, Rocprofv3, Torch};

/// In the order of how much is lost without it.
pub(crate) static ITEMS: &[Item] = &[
    Item {
        what: "GPU activity",
        present: |trace| !trace.gpu.is_empty(),
        used_for: "everything on the GPU",
        how: &[
            (
                Torch,
                "`activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]` (ROCm too; Intel GPUs: `XPU`)",
            ),
            (NsightSystems, "`-t cuda,nvtx`"),
            (Nvprof, "`--print-gpu-trace --csv`"),
            (Rocprof, "`--hip-trace`, which has kernels and copies, or `--timestamp on`"),
            (Rocprofv2, "`--kernel-trace --hip-activity`"),
            (Rocprofv3, "`--kernel-trace --memory-copy-trace`"),
        ],
    },
    Item {
        what: "operators",
        present: |trace| !trace.ops.is_empty(),
        used_for: "operator of each kernel",
        how: &[(Torch, "`activities=[ProfilerActivity.CPU, ...]`")],
    },
    Item {
        what: "launches",
        present: |trace| {
            !trace.runtime.is_empty()
                && trace.gpu.correlation.iter().chain(&trace.gpu.external_id).any(|id| id.is_some())
        },
        used_for: "call and step of each kernel, launch delays",
        how: &[
            (Torch, "record CPU and GPU activities together; correlation numbers are then automatic"),
            (NsightSystems, "`-t cuda,nvtx`"),
            (Rocprof, "`--hip-trace`"),
            (Rocprofv2, "`--hip-trace` beside `--kernel-trace`"),
            (Rocprofv3, "`--hip-trace` beside `--kernel-trace`"),
        ],
    },
    Item {
        what: "flows",
        present: |trace| !trace.flows.is_empty(),
        used_for: "links between host and device, forward and backward",
        how: &[(Torch, "record CPU and GPU activities together; arrows are then automatic")],
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
        used_for: "time by program part",
        how: &[
            (Torch, "`with torch.profiler.record_function(\"name\"):` around a part"),
            (NsightSystems, "`-t cuda,nvtx`, with NVTX ranges in the program"),
            (Rocprof, "`--roctx-trace`, with roctx ranges in the program"),
            (Rocprofv2, "`--roctx-trace`, with roctx ranges in the program"),
            (Rocprofv3, "`--marker-trace`, with roctx ranges in the program"),
        ],
    },
    Item {
        what: "start times",
        present: |trace| trace.metadata.times == Times::Recorded,
        used_for: "gaps, overlap and timelines",
        how: &[
            (
                NsightCompute,
                "not by Nsight Compute, which runs kernels one by one; `eaves profile --with nsys` records them",
            ),
            (Rocprof, "`--timestamp on` beside the counters"),
        ],
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
        used_for: "Python line of each kernel",
        how: &[(Torch, "`with_stack=True`")],
    },
    Item {
        what: "modules",
        present: |trace| trace.python.module.iter().any(|module| module.is_some()),
        used_for: "time by module",
        how: &[(Torch, "`with_stack=True`; `with_modules` is for TorchScript only")],
    },
    Item {
        what: "memory",
        present: |trace| !trace.allocations.is_empty() || !trace.snapshot.is_empty(),
        used_for: "allocations over time",
        how: &[
            (Torch, "`profile_memory=True`"),
            (NsightSystems, "`--cuda-memory-usage=true`"),
            (Rocprofv3, "`--memory-allocation-trace`"),
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
        how: &[(Torch, "automatic with the NCCL backend of current PyTorch; gloo does not record it")],
    },
    Item {
        what: "synchronization records",
        present: |trace| !trace.syncs.is_empty(),
        used_for: "stream dependencies",
        how: &[
            (
                Torch,
                "`experimental_config=torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=True)`",
            ),
            (NsightSystems, "automatic with `-t cuda`"),
        ],
    },
    Item {
        what: "hardware counters",
        present: |trace| !trace.range_counters.is_empty(),
        used_for: "measured FLOPs and bytes of kernels",
        how: &[
            (Torch, "`experimental_config=torch._C._profiler._ExperimentalConfig(profiler_metrics=[...])`"),
            (NsightCompute, "`--set roofline`, or the metrics that `eaves profile --with ncu` asks for"),
            (Nvprof, "not in this table; `eaves profile --with ncu` records them"),
            (Rocprof, "`-i FILE` with a line `pmc: NAMES`; `eaves counters write` makes one for a roofline"),
            (
                Rocprofv2,
                "`-i FILE` with a line `pmc: NAMES`; `eaves counters write` makes one for a roofline",
            ),
            (Rocprofv3, "`--pmc NAMES`; `eaves counters write` makes a list for a roofline"),
            (RocprofCompute, "`rocprof-compute profile -n NAME -- PROGRAM`"),
            (NsightSystems, "not by Nsight Systems; `eaves profile --with ncu` records them"),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(recorder: Recorder, what: &str) -> String {
        Advisor(recorder).advice(what, "T")
    }

    #[test]
    fn advice_is_for_the_recorder_that_was_used() {
        assert_eq!(advice(NsightSystems, "launches"), "with Nsight Systems: `-t cuda,nvtx`");
        assert!(advice(NsightSystems, "hardware counters").starts_with("not by Nsight Systems; "));
        assert_eq!(advice(Torch, "launches"), "T");
        assert_eq!(advice(Recorder::Unknown, "launches"), "T");
        assert_eq!(
            advice(Rocprofv3, "operators"),
            "rocprofv3 does not record it; PyTorch's profiler does: T"
        );
    }

    /// The first rocprof refuses options of its successors.
    #[test]
    fn each_rocprof_is_told_its_own_options() {
        let later = ["--marker-trace", "--memory-allocation-trace", "--pmc", "--kernel-trace"];
        for item in ITEMS {
            let how = item.how(Rocprof).unwrap_or_default();
            assert!(!later.iter().any(|option| how.contains(option)), "{how}");
            let how = item.how(Rocprofv2).unwrap_or_default();
            assert!(!later[..3].iter().any(|option| how.contains(option)), "{how}");
        }
        assert_eq!(
            advice(Rocprof, "memory"),
            "rocprof does not record it; rocprofv3 does: `--memory-allocation-trace`"
        );
        assert!(advice(Rocprof, "named ranges").contains("--roctx-trace"));
        assert!(advice(Rocprofv3, "named ranges").contains("--marker-trace"));
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
