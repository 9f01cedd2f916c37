//! Finds the patterns among the activities of a rank, stream by stream in the order in which they ran.

use eaves_model::{Interval, Ns, SliceKind, StringId};
use eaves_roofline::{Arithmetic, Device, Engine};
use serde::{Deserialize, Serialize};

use super::pattern::Pattern;
use crate::roofline::reported_device;
use crate::{KernelType, RankView};

/// What a pattern costs, and what doing without it gains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Sum {
    pub(super) activities: u64,
    pub(super) time: Ns,
    pub(super) low: Ns,
    pub(super) high: Ns,
}

/// What the analysis keeps of a rank.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(in crate::analyses) struct Part {
    /// True if operators were recorded.
    pub(super) operators: bool,
    /// One for each pattern. Products in FP32 have no gain yet: it takes the device.
    pub(super) sums: [Sum; Pattern::ALL.len()],
    /// Peak of TF32 relative to that of FP32, if the recording names a device that has both.
    pub(super) tensor_float_ratio: Option<f64>,
}

/// What an activity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A batch of matrix products.
    Product,
    Softmax,
    SoftmaxBackward,
    Elementwise,
    Cast,
    LayoutCopy,
    /// A product in FP32 without tensor cores.
    Float32Product,
    Other,
}

/// The longest pause before a kernel that was launched in time. Doing without the kernel saves that, too; longer ones
/// are waiting for the host, which other findings count.
const LONGEST_PAUSE: Ns = Ns(2_000);

#[derive(Clone, Copy, Debug)]
struct Work {
    interval: Interval,
    /// Before it on its stream.
    pause: Ns,
    kind: Kind,
    in_optimizer: bool,
}

impl Work {
    fn time(&self) -> Ns {
        self.interval.length()
    }

    /// What doing without it saves.
    fn saved(&self) -> Ns {
        self.time() + self.pause
    }
}

/// Marks of host slices: what they are inside of.
const OPTIMIZER: u8 = 1;
const FUSED_OPTIMIZER: u8 = 2;
const CAST: u8 = 4;
const ADAM: u8 = 8;

fn mark(kind: SliceKind, name: &str) -> u8 {
    match kind {
        SliceKind::Annotation if name.starts_with("Optimizer.step#") => OPTIMIZER,
        SliceKind::Op if matches!(name, "aten::to" | "aten::_to_copy") => CAST,
        SliceKind::Op if name.starts_with("aten::_fused_") => FUSED_OPTIMIZER,
        SliceKind::Op if name.contains("addcdiv") => ADAM,
        // Before annotations had their own kind.
        SliceKind::Op if name.starts_with("Optimizer.step#") => OPTIMIZER,
        _ => 0,
    }
}

fn kind(operator: &str, kernel: &str, marks: u8) -> Kind {
    match operator {
        "aten::bmm" | "aten::baddbmm" => return Kind::Product,
        "aten::_softmax" => return Kind::Softmax,
        "aten::_softmax_backward_data" => return Kind::SoftmaxBackward,
        _ => {}
    }
    if kernel.contains("direct_copy_kernel") {
        let converts = marks & CAST != 0 || kernel.contains("LoadWithCast");
        if converts { Kind::Cast } else { Kind::LayoutCopy }
    } else if kernel.contains("elementwise_kernel") {
        Kind::Elementwise
    } else if is_float32_product(kernel) {
        Kind::Float32Product
    } else {
        Kind::Other
    }
}

/// Products of cuBLAS and CUTLASS that name FP32 and no tensor cores: `ampere_sgemm_128x64_tn`,
/// `cutlass_80_simt_sgemm_128x128`, `..._f32f32_f32f32_f32_..._ffma_...`.
fn is_float32_product(kernel: &str) -> bool {
    let on_tensor_cores = ["tensorop", "tf32", "s1688", "tensor16x8"];
    (kernel.contains("_sgemm_") || kernel.contains("_ffma_"))
        && !on_tensor_cores.iter().any(|part| kernel.contains(part))
}

pub(super) fn measure(rank: &RankView<'_>) -> Part {
    let mut part = Part { operators: !rank.operators().is_empty(), ..Part::default() };
    if rank.gpu.is_empty() || !part.operators {
        return part;
    }
    part.tensor_float_ratio =
        reported_device(&rank.trace.metadata.devices).ok().as_ref().and_then(tensor_float_ratio);
    let marks = marks(rank);
    let is_fused = marks.iter().any(|mark| mark & FUSED_OPTIMIZER != 0);
    let is_adam = marks.iter().any(|mark| mark & (OPTIMIZER | ADAM) == OPTIMIZER | ADAM);
    for mut works in streams(rank, &marks) {
        attention(&mut works, &mut part.sums[Pattern::UnfusedAttention as usize]);
        if !is_fused {
            let sum = &mut part.sums[Pattern::UnfusedOptimizer as usize];
            optimizer(&works, is_adam, rank.options.kernel_wait, sum);
        }
        works.iter_mut().filter(|work| work.in_optimizer).for_each(|work| work.kind = Kind::Other);
        chains(&works, &mut part.sums[Pattern::ElementwiseChain as usize]);
        for work in &works {
            let pattern = match work.kind {
                Kind::Cast => Pattern::Cast,
                Kind::LayoutCopy => Pattern::LayoutCopy,
                Kind::Float32Product => Pattern::Float32Product,
                _ => continue,
            };
            let sum = &mut part.sums[pattern as usize];
            sum.activities += 1;
            sum.time += work.time();
            sum.high += work.saved();
        }
    }
    part
}

/// The peak of TF32 relative to that of FP32.
pub(super) fn tensor_float_ratio(device: &Device) -> Option<f64> {
    // A device without TF32 answers with another peak, or none.
    let tensor = device.peaks.iter().find(|peak| peak.arithmetic == Some(Arithmetic::Tf32))?;
    let vector = device.peak(Arithmetic::Fp32, Engine::Vector)?;
    let ratio = tensor.dense.value / vector.dense.value;
    (ratio.is_finite() && ratio > 1.0).then_some(ratio)
}

/// What each host slice is inside of, itself included.
fn marks(rank: &RankView<'_>) -> Vec<u8> {
    let slices = &rank.trace.slices;
    let mut marks = vec![0; slices.len()];
    for &slice in rank.tree().in_order() {
        let above = rank.tree().parent(slice).map_or(0, |above| marks[above.index()]);
        let own = match slices.kind[slice.index()] {
            kind @ (SliceKind::Op | SliceKind::Annotation) => mark(kind, rank.trace.slice_name(slice)),
            _ => 0,
        };
        marks[slice.index()] = above | own;
    }
    marks
}

/// The activities of each stream in time order.
fn streams(rank: &RankView<'_>, marks: &[u8]) -> Vec<Vec<Work>> {
    let (gpu, tree, links) = (&rank.gpu, rank.operators(), rank.links());
    let place = |index: usize| (gpu.device[index].get(), gpu.stream[index].get());
    let mut order: Vec<usize> =
        (0..gpu.len()).filter(|&index| gpu.kernel_type[index] != KernelType::Communication).collect();
    order.sort_unstable_by_key(|&index| (place(index), gpu.interval[index].start, index));
    let text = |id: StringId| rank.trace.strings.get(id);
    let work = |&index: &usize| {
        let launch = links.launch(gpu.row[index]);
        let marks = launch.map_or(0, |slice| marks[slice.index()]);
        let operator = tree.launcher(links, gpu.row[index]).map(|node| tree.slice(node));
        let operator = operator.map_or("", |slice| rank.trace.slice_name(slice));
        let kind = match gpu.kernel_type[index] {
            KernelType::Compute => kind(operator, text(gpu.name[index]), marks),
            _ => Kind::Other,
        };
        Work { interval: gpu.interval[index], pause: Ns::ZERO, kind, in_optimizer: marks & OPTIMIZER != 0 }
    };
    let stream = |stream: &[usize]| {
        let mut works: Vec<Work> = stream.iter().map(work).collect();
        for index in 1..works.len() {
            let pause = works[index].interval.start - works[index - 1].interval.end;
            works[index].pause = if pause > LONGEST_PAUSE { Ns::ZERO } else { pause.max(Ns::ZERO) };
        }
        works
    };
    order.chunk_by(|&a, &b| place(a) == place(b)).map(stream).collect()
}

/// Scaling, masks, dropout and casts between a product and the softmax.
const BETWEEN: usize = 5;
/// A fused kernel against the two products alone, which move all scores through memory: by the bandwidth and peaks of
/// current devices and heads of 64 to 128, with and without a causal mask.
const FUSED_ATTENTION: [f64; 2] = [0.8, 0.35];

/// A product, a softmax, a product, with what is between them. What belongs to it is taken out.
fn attention(works: &mut [Work], sum: &mut Sum) {
    for middle in 0..works.len() {
        let products = match works[middle].kind {
            Kind::Softmax => 1,
            Kind::SoftmaxBackward => 2,
            _ => continue,
        };
        let before = nearby(works[..middle].iter().rev(), products);
        let after = nearby(works[middle + 1..].iter(), products);
        let (Some(before), Some(after)) = (before, after) else { continue };
        let members = &mut works[middle - before..=middle + after];
        let time: Ns = members.iter().map(Work::time).sum();
        let in_products: Ns = members.iter().filter(|work| work.kind == Kind::Product).map(Work::time).sum();
        let saved: Ns = members[1..].iter().map(|work| work.pause).sum::<Ns>() + time;
        let left = |share: f64| saved - Ns((in_products.as_f64() * share) as i64);
        sum.activities += members.len() as u64;
        sum.time += time;
        sum.low += left(FUSED_ATTENTION[0]);
        sum.high += left(FUSED_ATTENTION[1]);
        members.iter_mut().for_each(|work| work.kind = Kind::Other);
    }
}

/// How far away the last of this many products is that come next; nothing if there is none.
fn nearby<'a>(works: impl Iterator<Item = &'a Work>, products: usize) -> Option<usize> {
    let (mut found, mut last) = (0, None);
    for (distance, work) in (1..=BETWEEN + products).zip(works) {
        match work.kind {
            Kind::Product => {
                found += 1;
                last = Some(distance);
            }
            Kind::Softmax | Kind::SoftmaxBackward => break,
            _ => {}
        }
        if found == products {
            break;
        }
    }
    last
}

/// What an update of one kernel saves of the time of one kernel for each operation. Adam reads four tensors and
/// writes three, operation by operation it moves 20; SGD with momentum moves 5 of 8.
const FUSED_ADAM: [f64; 2] = [0.55, 0.7];
const FUSED_OTHER: [f64; 2] = [0.2, 0.5];

fn optimizer(works: &[Work], is_adam: bool, longest_pause: Ns, sum: &mut Sum) {
    let [low, high] = if is_adam { FUSED_ADAM } else { FUSED_OTHER };
    for run in works.chunk_by(|a, b| a.in_optimizer == b.in_optimizer).filter(|run| run[0].in_optimizer) {
        let time: Ns = run.iter().map(Work::time).sum();
        let pauses = run.windows(2).map(|pair| (pair[1].interval.start - pair[0].interval.end).max(Ns::ZERO));
        // A longer one waits for something else than the next launch of the loop over parameters.
        let pauses: Ns = pauses.filter(|&pause| pause <= longest_pause).sum();
        let saved = |share: f64| Ns((time.as_f64() * share) as i64) + pauses;
        sum.activities += run.len() as u64;
        sum.time += time;
        sum.low += saved(low);
        sum.high += saved(high);
    }
}

/// Fewer pointwise operators in a row are everywhere.
const CHAIN: usize = 3;
/// What a fused kernel takes, of the longest of its chain: where that reads two tensors and writes one, the fused one
/// reads one and writes one, or reads more.
const FUSED_CHAIN: [f64; 2] = [1.5, 0.67];

fn chains(works: &[Work], sum: &mut Sum) {
    let is_member = |work: &Work| work.kind == Kind::Elementwise;
    for run in works.chunk_by(|a, b| is_member(a) && is_member(b)).filter(|run| run.len() >= CHAIN) {
        let time: Ns = run.iter().map(Work::time).sum();
        let longest = run.iter().map(Work::time).max().unwrap_or(Ns::ZERO);
        let saved: Ns = run[1..].iter().map(|work| work.pause).sum::<Ns>() + time;
        let left = |share: f64| (saved - Ns((longest.as_f64() * share) as i64)).max(Ns::ZERO);
        sum.activities += run.len() as u64;
        sum.time += time;
        sum.low += left(FUSED_CHAIN[0]);
        sum.high += left(FUSED_CHAIN[1]);
    }
}
