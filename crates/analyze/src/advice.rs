//! What findings advise, in the words of those who read them: no option of a tool that they do not use, and nothing
//! that their program does already.

use crate::recorder::Advisor;
use crate::text::percentage;
use crate::{Job, Launched};

/// Who reads a report: what recorded their program, and what it does already.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Audience {
    pub(crate) recorder: Advisor,
    launched: Launched,
}

/// Share of the GPU time from which a program counts as compiled, or as replayed by graphs.
const MOSTLY_PCT: f64 = 50.0;

impl Audience {
    pub(crate) fn of(job: &Job) -> Self {
        Self { recorder: job.recorder, launched: job.launched() }
    }

    /// The first for users of PyTorch, the second for everybody else.
    pub(crate) fn either(self, torch: &str, others: &str) -> String {
        if self.recorder.speaks_of_torch() { torch } else { others }.to_owned()
    }

    /// True if an optimizer runs.
    pub(crate) fn trains(self) -> bool {
        self.launched.trains
    }

    /// Advice that has `torch.compile` in it, unless most of the time is in compiled code or in graphs already: then what
    /// is left to do there.
    pub(crate) fn unless_compiled(self, torch: &str, others: &str) -> String {
        let graphs = percentage(self.launched.graphs, self.launched.all);
        let compiled = percentage(self.launched.compiled, self.launched.all);
        if graphs >= MOSTLY_PCT {
            format!(
                "graphs already replay {graphs:.0}% of the GPU time: capture the rest too, and give each replay more work \
                 (larger batches)"
            )
        } else if compiled >= MOSTLY_PCT {
            format!(
                "compiled code already takes {compiled:.0}% of the GPU time: find its graph breaks \
                 (`TORCH_LOGS=graph_breaks`), replay it as a CUDA graph (`mode=\"reduce-overhead\"`), or give it more work \
                 (larger batches)"
            )
        } else {
            self.either(torch, others)
        }
    }

    /// How to have fewer launches.
    pub(crate) fn fewer_launches(self) -> String {
        let torch = if self.trains() {
            "launch less: larger batches, `torch.compile`, a fused optimizer (`fused=True`)"
        } else {
            "launch less: larger batches, `torch.compile`, CUDA graphs (`mode=\"reduce-overhead\"`)"
        };
        self.unless_compiled(
            torch,
            "launch less: more work per kernel, fused kernels, or a graph that launches them at once (`cudaGraphLaunch`, \
             `hipGraphLaunch`)",
        )
    }
}

#[cfg(test)]
mod tests {
    use eaves_model::Recorder;

    use super::*;
    use crate::test_trace::{TestTrace, run_of, section_of};

    fn host_bound(name: &str, call: &str) -> String {
        let mut test = TestTrace::default();
        for index in 0..100 {
            let start = index * 10_000;
            test.op(name, start, start + 5_000);
            test.runtime_call(call, index, start + 4_000, start + 5_000);
            test.kernel("gemm", index, start + 5_000, start + 6_000);
        }
        let finding = section_of(&run_of(vec![test]), "idle-causes").findings.remove(0);
        assert_eq!(finding.id, "host_bound");
        finding.next
    }

    #[test]
    fn nothing_is_advised_that_is_done() {
        let plain = host_bound("aten::mm", "cudaLaunchKernel");
        assert!(plain.contains("`torch.compile`"), "{plain}");
        let compiled = host_bound("Torch-Compiled Region: 0/0", "cudaLaunchKernel");
        assert!(compiled.starts_with("compiled code already takes 100% of the GPU time"), "{compiled}");
        let graphs = host_bound("Torch-Compiled Region: 0/0", "cudaGraphLaunch");
        assert!(graphs.starts_with("graphs already replay 100% of the GPU time"), "{graphs}");
    }

    #[test]
    fn an_optimizer_is_fused_where_there_is_one() {
        assert!(!host_bound("aten::mm", "cudaLaunchKernel").contains("optimizer"));
        assert!(host_bound("Optimizer.step#Adam.step", "cudaLaunchKernel").contains("`fused=True`"));
    }

    #[test]
    fn others_hear_nothing_of_torch() {
        let of = |recorder| Audience { recorder: Advisor(recorder), ..Audience::default() };
        for recorder in Recorder::ALL {
            let torch = matches!(recorder, Recorder::Torch | Recorder::Unknown);
            assert_eq!(of(recorder).either("torch", "others") == "torch", torch);
            assert_eq!(of(recorder).fewer_launches().contains("torch"), torch);
        }
    }
}
