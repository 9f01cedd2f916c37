//! What was recorded, what was not, and which option of the recorder records it.

use eaves_model::{Run, StringId, Trace};

use crate::section::{Column, Section, Table, Unit, Value};

/// Something a recording may hold.
struct Item {
    what: &'static str,
    present: fn(&Trace) -> bool,
    /// What it is good for.
    used_for: &'static str,
    /// How to record it with PyTorch.
    how: &'static str,
}

/// In the order of how much is lost without it. The options are those of `torch.profiler.profile`.
static ITEMS: &[Item] = &[
    Item {
        what: "GPU activity",
        present: |trace| !trace.gpu.is_empty(),
        used_for: "everything about the GPU",
        how: "`activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]` (ROCm too; Intel GPUs: `XPU`)",
    },
    Item {
        what: "operators",
        present: |trace| !trace.ops.is_empty(),
        used_for: "which operator a kernel belongs to",
        how: "`activities=[ProfilerActivity.CPU, ...]`",
    },
    Item {
        what: "launches",
        present: |trace| {
            !trace.runtime.is_empty()
                && trace.gpu.correlation.iter().chain(&trace.gpu.external_id).any(|id| id.is_some())
        },
        used_for: "which call and which step launched a kernel, launch delays",
        how: "record CPU and GPU activities together; the correlation numbers come by themselves",
    },
    Item {
        what: "flows",
        present: |trace| !trace.flows.is_empty(),
        used_for: "links between host and device, forward and backward",
        how: "record CPU and GPU activities together; the arrows come by themselves",
    },
    Item {
        what: "profiler steps",
        present: |trace| !trace.steps().is_empty(),
        used_for: "times by step, `--step`",
        how: "call `prof.step()` at the end of every iteration",
    },
    Item {
        what: "input shapes",
        present: |trace| trace.ops.input_dims.iter().any(|&dims| dims != StringId::NONE),
        used_for: "FLOPs and bytes of operators",
        how: "`record_shapes=True`",
    },
    Item {
        what: "Python stacks",
        present: |trace| !trace.python.is_empty(),
        used_for: "which line of Python a kernel comes from",
        how: "`with_stack=True`",
    },
    Item {
        what: "modules",
        present: |trace| trace.python.module.iter().any(|module| module.is_some()),
        used_for: "times by module of the model",
        how: "`with_stack=True`; `with_modules` is for TorchScript only",
    },
    Item {
        what: "memory",
        present: |trace| !trace.allocations.is_empty(),
        used_for: "allocations over time",
        how: "`profile_memory=True`",
    },
    Item {
        what: "distributed information",
        present: |trace| trace.metadata.distributed.is_some(),
        used_for: "rank, world size and process groups",
        how: "call `torch.distributed.init_process_group` before the profiler starts; one process has none",
    },
    Item {
        what: "collective sizes",
        present: |trace| !trace.collectives.is_empty(),
        used_for: "bandwidth of collectives",
        how: "comes by itself with the NCCL backend of current PyTorch; gloo does not record it",
    },
    Item {
        what: "synchronisation records",
        present: |trace| !trace.syncs.is_empty(),
        used_for: "which stream waited for which",
        how: "`experimental_config=torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=True)`",
    },
    Item {
        what: "hardware counters",
        present: |trace| !trace.range_counters.is_empty(),
        used_for: "measured FLOPs and bytes of kernels",
        how: "`experimental_config=torch._C._profiler._ExperimentalConfig(profiler_metrics=[...])`",
    },
];

pub(super) fn section(run: &Run) -> Section {
    Section {
        id: "recording",
        title: "What was recorded",
        tables: vec![Table {
            id: "recorded",
            title: "What was recorded, what it is good for, and how to record what is missing",
            columns: vec![
                Column::new("what", "What", Unit::None),
                Column::new("present", "Present", Unit::None),
                Column::new("note", "Note", Unit::None),
            ],
            rows: ITEMS.iter().map(|item| row(run, item)).collect(),
        }],
        ..Section::default()
    }
}

fn row(run: &Run, item: &Item) -> Vec<Value> {
    let inputs = run.recordings.len();
    let with = run.recordings.iter().filter(|recording| (item.present)(&recording.trace)).count();
    let present = match with {
        0 => "no".to_owned(),
        _ if with == inputs => "yes".to_owned(),
        _ => format!("{with} of {inputs} inputs"),
    };
    let note = if with == inputs && inputs > 0 {
        item.used_for.to_owned()
    } else {
        format!("{}: {}", item.used_for, item.how)
    };
    vec![item.what.into(), present.into(), note.into()]
}
