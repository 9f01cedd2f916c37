//! What happens once in the life of a process, though a recording that begins early has it in its gaps.

use std::collections::HashMap;

use eaves_model::{Ns, SliceId, SliceKind, StringId};

use super::cause::Cause;
use super::gaps::Gap;
use super::threads::Segment;
use crate::RankView;

/// A launch takes microseconds and an allocation tens of them; one that takes this long sets something up.
const LONG_CALL: Ns = Ns(1_000_000);

/// Tells such calls from those that come back. Looks at the recording when first asked.
pub(in crate::analyses) struct StartUp<'a, 'b> {
    rank: &'a RankView<'b>,
    /// When a call of each name was first made.
    first_calls: Option<HashMap<StringId, Ns>>,
    /// When a kernel of each name first ran.
    first_kernels: Option<HashMap<StringId, Ns>>,
}

impl<'a, 'b> StartUp<'a, 'b> {
    pub(in crate::analyses) fn new(rank: &'a RankView<'b>) -> Self {
        Self { rank, first_calls: None, first_kernels: None }
    }

    /// True if a segment of a gap is part of such a call: the first use of a kernel, whose module is loaded in the
    /// launch (lazy loading, the default since CUDA 12.2), or the first call of a name that takes memory or makes
    /// something, which creates the context (`cudaFree(0)` is the usual one). Where no steps tell what comes back, so is
    /// everything that the host does in a long gap before a kernel that runs for the first time.
    pub(in crate::analyses) fn has(&mut self, gap: &Gap, segment: &Segment) -> bool {
        let sets_up = segment.cause == Cause::Allocation || Cause::HOST_WORK.contains(&segment.cause);
        if self.rank.steps.is_empty()
            && sets_up
            && gap.interval.length() >= LONG_CALL
            && self.is_first_kernel(gap)
        {
            return true;
        }
        let Some(call) = segment.what else { return false };
        let slices = &self.rank.trace.slices;
        let is_call = slices.kind[call.index()] == SliceKind::Runtime;
        if !is_call || slices.interval(call.index()).length() < LONG_CALL {
            return false;
        }
        match segment.cause {
            Cause::Launching if gap.launch == Some(call) => self.is_first_kernel(gap),
            Cause::Allocation | Cause::Launching => self.is_first_call(call),
            _ => false,
        }
    }

    fn is_first_kernel(&mut self, gap: &Gap) -> bool {
        let Some(ended_by) = gap.ended_by else { return false };
        let gpu = &self.rank.gpu;
        let first = self.first_kernels.get_or_insert_with(|| {
            earliest(gpu.name.iter().copied().zip(gpu.interval.iter().map(|interval| interval.start)))
        });
        first.get(&gpu.name[ended_by]) == Some(&gpu.interval[ended_by].start)
    }

    fn is_first_call(&mut self, call: SliceId) -> bool {
        let slices = &self.rank.trace.slices;
        let first = self.first_calls.get_or_insert_with(|| {
            let calls = (0..slices.len()).filter(|&index| slices.kind[index] == SliceKind::Runtime);
            earliest(calls.map(|index| (slices.name[index], slices.start[index])))
        });
        first.get(&slices.name[call.index()]) == Some(&slices.start[call.index()])
    }
}

fn earliest(times: impl Iterator<Item = (StringId, Ns)>) -> HashMap<StringId, Ns> {
    let mut first: HashMap<StringId, Ns> = HashMap::new();
    for (name, time) in times {
        first.entry(name).and_modify(|known| *known = time.min(*known)).or_insert(time);
    }
    first
}
