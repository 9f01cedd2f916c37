//! The collectives of one recording one by one, for those who ask about single calls.

use eaves_model::{Interval, Ns, SliceId, StringId};

use super::covered::Covered;
use super::facts::{ElementName, FactFinder, Found};
use super::group::Place;
use crate::{KernelType, RankView};

/// One call of a collective. What it is, how much it moved and who took part is known as for the report.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectiveCall {
    /// The kernel, or the range of a thread that did the work.
    pub slice: SliceId,
    /// When it ran.
    pub interval: Interval,
    /// What was exchanged, such as `all_reduce`.
    pub kind: &'static str,
    /// Where it ran: `gpu` or `host`.
    pub place: &'static str,
    /// Name of a known element type, or as it was recorded.
    pub element: Option<ElementType>,
    /// Size as nccl-tests counts it.
    pub bytes: Option<i64>,
    /// Bus bandwidth is bytes by time, times this.
    pub bus_factor: Option<f64>,
    /// Name of the process group.
    pub group: Option<String>,
    /// Number of ranks in the group.
    pub group_size: Option<u32>,
    /// Number of the call among those of its group, the same on every rank.
    pub sequence: Option<i64>,
    /// Time of it in which nothing computed; nothing on the host.
    pub exposed: Option<Ns>,
    /// Number of the profiler step it was launched in.
    pub step: Option<u64>,
}

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementType {
    /// A known one.
    Known(&'static str),
    /// As it was recorded.
    AsWritten(StringId),
}

/// The selected calls: those on the GPU in the order of the file, then those on the host.
pub fn collective_calls(rank: &RankView<'_>) -> Vec<CollectiveCall> {
    let mut finder = FactFinder::new(rank);
    let compute = Covered::new(rank.sets.of_type(KernelType::Compute));
    let number = |step: Option<usize>| step.map(|step| rank.steps.number(step));
    let mut calls = Vec::new();
    for index in 0..rank.gpu.len() {
        if rank.gpu.kernel_type[index] != KernelType::Communication {
            continue;
        }
        let (activity, interval) = (rank.gpu.row[index], rank.gpu.interval[index]);
        let step = match rank.steps.is_empty() {
            true => None,
            false => rank.steps.of_activity(rank.trace, rank.links(), activity),
        };
        let found = finder.of_kernel(index);
        let slice = rank.trace.gpu.slice[activity.index()];
        let exposed = Some(compute.uncovered(interval));
        calls.push(call(&finder, slice, interval, found, exposed, number(step)));
    }
    for slice in finder.host_work() {
        let interval = rank.trace.slices.interval(slice.index());
        if rank.selects(interval.start) {
            let found = finder.of_host_work(slice);
            let step = number(rank.steps.at(interval.start));
            calls.push(call(&finder, slice, interval, found, None, step));
        }
    }
    calls
}

fn call(
    finder: &FactFinder<'_>,
    slice: SliceId,
    interval: Interval,
    found: Found,
    exposed: Option<Ns>,
    step: Option<u64>,
) -> CollectiveCall {
    let facts = found.facts;
    let group = &finder.groups[facts.group as usize];
    CollectiveCall {
        slice,
        interval,
        kind: facts.kind.id(),
        place: group.place.id(),
        element: match facts.element {
            ElementName::Known(name) => Some(ElementType::Known(name)),
            ElementName::AsWritten(id) => Some(ElementType::AsWritten(id)),
            ElementName::NotRecorded => None,
        },
        bytes: facts.bytes.ok(),
        bus_factor: facts.kind.bus_factor(group.size).ok(),
        group: group.named.as_ref().map(|(name, _)| name.clone()),
        group_size: group.size,
        sequence: found.sequence.get(),
        exposed: exposed.filter(|_| group.place == Place::Gpu),
        step,
    }
}
