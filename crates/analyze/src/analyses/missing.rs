//! What analyses say when the recording lacks what they need.

use crate::section::{Finding, Severity, Skipped};
use crate::{Job, Outcome, RankSummary};

/// The outcome without GPU activity: either none was recorded, or none was selected.
pub(super) fn gpu_activity(job: &Job, id: &'static str) -> Outcome {
    let (missing, how_to_record) = if job.recorded_gpu {
        (
            "GPU activity in the selection: the selected ranks, steps and time have none",
            "select other ranks, steps or times; `eaves info` lists those that were recorded".to_owned(),
        )
    } else {
        (
            "GPU activity: no kernel, memcpy or memset recorded",
            job.recorder.advice(
                "GPU activity",
                "record on the machine with the GPU and with its activities on: \
                 `torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])` \
                 (`CUDA` stands for ROCm too; Intel GPUs: `ProfilerActivity.XPU`)",
            ),
        )
    };
    Outcome::Skipped(Skipped { id, missing: missing.to_owned(), how_to_record })
}

/// The outcome of what needs recorded times, where durations alone were recorded.
pub(crate) fn start_times(id: &'static str) -> Outcome {
    Outcome::Skipped(Skipped {
        id,
        missing: "start times not recorded".to_owned(),
        how_to_record: "a timeline, with `nsys profile`, `rocprofv3 --kernel-trace -f rocpd`, `rocprof --timestamp on` or \
                        `torch.profiler`; profilers that replay kernels for counters know durations alone"
            .to_owned(),
    })
}

/// What is missing where the parts of ranks belong to another analysis.
pub(super) const NO_OWN_PART: &str = "its measurement: a rank has data of another analysis (a bug in eaves)";

/// The outcome where the parts of ranks belong to another analysis.
pub(super) fn own_part(id: &'static str) -> Outcome {
    Outcome::Skipped(Skipped {
        id,
        missing: NO_OWN_PART.to_owned(),
        how_to_record:
            "nothing is wrong with the recording; please report the bug with the command that showed it"
                .to_owned(),
    })
}

/// The outcome where no GPU activity is linked to a call: the host was not recorded, or there is no activity at all.
pub(super) fn launches(job: &Job, id: &'static str) -> Outcome {
    if !job.ranks.iter().any(RankSummary::has_gpu_activity) {
        return gpu_activity(job, id);
    }
    Outcome::Skipped(Skipped {
        id,
        missing: "launches: no host call is linked to a GPU activity in the selection".to_owned(),
        how_to_record: job.recorder.advice(
            "launches",
            "record the host too: \
             `torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])`; calls and \
             activities then share a `correlation`",
        ),
    })
}

/// The outcome without operators of the framework.
pub(super) fn operators(job: &Job, id: &'static str) -> Outcome {
    Outcome::Skipped(Skipped {
        id,
        missing: "operators: no `cpu_op` recorded or selected".to_owned(),
        how_to_record: job.recorder.advice(
            "operators",
            "record the host too: `torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])`",
        ),
    })
}

/// The outcome of what is about the host, where a GPU was recorded: other sections look at it from there.
pub(super) fn only_without_gpu(id: &'static str, instead: &str) -> Outcome {
    Outcome::Skipped(Skipped {
        id,
        missing: "a recording without GPU activity: this section covers CPU-only programs".to_owned(),
        how_to_record: format!("look at {instead} instead"),
    })
}

/// Says which of the selected ranks have no GPU activity, if the others have some.
pub(super) fn ranks_without_gpu_activity(job: &Job) -> Option<Finding> {
    let ranks: Vec<String> =
        job.ranks.iter().filter(|rank| !rank.has_gpu_activity()).map(|rank| rank.rank.to_string()).collect();
    if ranks.is_empty() {
        return None;
    }
    Some(Finding {
        id: "ranks_without_gpu_activity",
        severity: Severity::Info,
        claim: format!("no GPU activity recorded or selected on rank {}", ranks.join(", ")),
        gain: None,
        evidence: "these ranks are missing from the tables".to_owned(),
        next: "check with `eaves info` whether these ranks recorded GPU activity at all".to_owned(),
    })
}
