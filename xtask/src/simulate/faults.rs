//! Faults that a job can have. The same job without the fault tells what the fault costs.

use super::habits::{Features, Optimizer, Pause, PauseKind};
use super::job::Job;
use super::loading::Loading;
use super::pace::Pace;
use super::random::Random;
use super::tensor::Element;
use super::training::{Reading, Shape};

/// Something that costs time and need not be.
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    /// What the program does, and what a strength counts.
    pub(crate) what: &'static str,
    pub(crate) strengths: &'static [f64],
    /// Fewest ranks that can have it.
    pub(crate) ranks: u64,
    /// Whether nobody can see it without the shapes of operators.
    pub(crate) needs_shapes: bool,
    /// The findings that name it.
    pub(crate) findings: &'static [&'static str],
    /// What the job has to be like, with the fault and without.
    prepare: fn(&mut Job, strength: f64),
    /// Gives a job the fault, of which a step took this many nanoseconds without.
    inject: fn(&mut Job, strength: f64, step: u64),
}

impl Fault {
    /// The job that could have the fault.
    pub(crate) fn prepared(&self, mut job: Job, strength: f64) -> Job {
        (self.prepare)(&mut job, strength);
        job
    }

    /// The job with the fault.
    pub(crate) fn injected(&self, mut job: Job, strength: f64, step: u64) -> Job {
        (self.inject)(&mut job, strength, step);
        job
    }
}

/// Bytes per nanosecond between two devices over NVLink, and over a fast network.
const NVLINK: u64 = 230;
const FAST_NETWORK: u64 = 45;

const WORKERS: Loading = Loading::Workers { queue: (18_000, 31_000) };

/// A model and a batch for which the device is the limit.
pub(crate) struct Size {
    pub(crate) name: &'static str,
    shape: Shape,
    sequence: u64,
}

pub(crate) const SIZES: [Size; 3] = [
    Size {
        name: "small",
        shape: Shape { layers: 2, hidden: 1_024, heads: 16, vocabulary: 8_000, batch: 8 },
        sequence: 512,
    },
    Size {
        name: "wide",
        shape: Shape { layers: 1, hidden: 2_048, heads: 32, vocabulary: 8_000, batch: 4 },
        sequence: 1_024,
    },
    Size {
        name: "deep",
        shape: Shape { layers: 4, hidden: 1_024, heads: 16, vocabulary: 4_000, batch: 16 },
        sequence: 512,
    },
];

/// How a job is recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recorded {
    pub(crate) ranks: u64,
    pub(crate) steps: u64,
    pub(crate) with_shapes: bool,
    pub(crate) with_stack: bool,
    pub(crate) seed: u64,
}

/// A job without a fault: workers load ahead, nothing is read before the next step is launched, gradients go over
/// a fast link while the backward runs, and kernels reach what tuned ones do on real devices.
pub(crate) fn healthy(size: &Size, recorded: Recorded) -> Job {
    let Recorded { ranks, steps, with_shapes, with_stack, seed } = recorded;
    let mut random = Random::new(seed ^ 0x5eed);
    let mut share = |low, high| random.between(low, high) as f64 / 1_000.0;
    let pace = Pace { compute_share: share(680, 780), bandwidth_share: share(760, 880), ..Pace::default() };
    Job {
        file: "simulated.pt.trace.json",
        seed,
        shape: size.shape,
        sequence: size.sequence,
        steps,
        with_stack,
        with_shapes,
        loading: vec![WORKERS; ranks as usize],
        reading: Reading::OneBehind,
        link: NVLINK,
        distributed: ranks > 1,
        element: Element::BFloat16,
        habits: Default::default(),
        pace: vec![pace; ranks as usize],
    }
}

/// The nanoseconds that make something which takes `share` of a step longer than the step.
fn beyond(step: u64, share: f64) -> u64 {
    (step as f64 * (1.0 + share)) as u64
}

fn nothing(_: &mut Job, _: f64) {}

/// A range of this many thousandths around a middle.
fn around(middle: u64) -> (u64, u64) {
    (middle - middle / 50, middle + middle / 50)
}

pub(crate) const FAULTS: [Fault; 21] = [
    Fault {
        name: "allocator-stalls",
        what: "`torch.cuda.empty_cache()` in every step; segments that go back to the driver",
        strengths: &[4.0, 8.0, 16.0],
        ranks: 1,
        needs_shapes: false,
        findings: &["allocator_calls"],
        prepare: nothing,
        inject: |job, strength, _| job.habits.released_segments = strength as u64,
    },
    Fault {
        name: "casts",
        what: "activations to float32 and back; pairs of casts in a layer",
        strengths: &[1.0, 2.0, 4.0],
        ranks: 1,
        needs_shapes: false,
        findings: &["casts"],
        prepare: nothing,
        inject: |job, strength, _| job.habits.casts = strength as u64,
    },
    Fault {
        name: "device-copies",
        what: "`clone()` of activations; copies in a layer",
        strengths: &[8.0, 12.0, 16.0],
        ranks: 1,
        needs_shapes: false,
        findings: &["device_copies"],
        prepare: nothing,
        inject: |job, strength, _| job.habits.clones = strength as u64,
    },
    Fault {
        name: "garbage-collection",
        what: "`gc.collect()` in every second step; its length in steps",
        strengths: &[2.5, 3.0, 4.0],
        ranks: 1,
        needs_shapes: false,
        findings: &["garbage_collection"],
        prepare: |job, _| (job.with_stack, job.steps) = (true, 8),
        inject: |job, strength, step| {
            let nanoseconds = (step as f64 * strength) as u64;
            job.habits.pause = Some(Pause { kind: PauseKind::Collection, every: 2, nanoseconds });
        },
    },
    Fault {
        name: "host-reads",
        what: "`.item()` in the forward; figures of every product that are read",
        strengths: &[2.0, 4.0, 8.0],
        ranks: 1,
        needs_shapes: false,
        findings: &["synchronisation"],
        prepare: |job, strength| job.habits.figures = strength as u64,
        inject: |job, _, _| {
            job.habits.reads_figures = true;
            job.reading = Reading::Now(1);
        },
    },
    Fault {
        name: "late-gradients",
        what: "gradients sent after the backward, not during it; slowness of the link",
        strengths: &[1.0, 1.5, 2.0],
        ranks: 2,
        needs_shapes: false,
        findings: &["exposed_communication"],
        prepare: |job, strength| {
            job.shape.vocabulary = 2_000;
            job.link = (FAST_NETWORK as f64 / strength) as u64;
        },
        inject: |job, _, _| job.habits.late_gradients = true,
    },
    Fault {
        name: "late-rank",
        what: "one rank decodes its batches itself; share of a step beyond what the device hides",
        strengths: &[0.2, 0.5, 1.0],
        ranks: 2,
        needs_shapes: false,
        findings: &["data_loading", "straggler"],
        prepare: nothing,
        inject: |job, strength, step| {
            let decoding = around(beyond(step, strength) / job.shape.batch);
            if let Some(last) = job.loading.last_mut() {
                *last = Loading::InProcess { decoding };
            }
        },
    },
    Fault {
        name: "launch-bound",
        what: "kernels so short that launching them one by one takes longer; without the fault a graph does; texts",
        strengths: &[1.0, 2.0, 4.0],
        ranks: 1,
        needs_shapes: false,
        findings: &["host_bound"],
        prepare: |job, strength| {
            job.shape.hidden /= 4;
            job.shape.heads /= 4;
            (job.shape.batch, job.sequence) = (strength as u64, 128);
            job.habits.host = 0.02;
        },
        inject: |job, _, _| job.habits.host = 1.0,
    },
    Fault {
        name: "layout-copies",
        what: "`.contiguous()` of transposed activations; copies in a layer",
        strengths: &[3.0, 6.0, 12.0],
        ranks: 1,
        needs_shapes: false,
        findings: &["layout_copies"],
        prepare: nothing,
        inject: |job, strength, _| job.habits.layout_copies = strength as u64,
    },
    Fault {
        name: "pageable-copies",
        what: "the batch comes from pageable memory; gigabytes per second",
        strengths: &[3.0, 4.0, 6.0],
        ranks: 1,
        needs_shapes: false,
        findings: &["pageable_copies"],
        prepare: |job, _| job.habits.features = Features { bytes: 8 << 20, pageable: None },
        inject: |job, strength, _| job.habits.features.pageable = Some((strength * 1e3) as u64),
    },
    Fault {
        name: "slow-link",
        what: "gradients over a slow network; times slower than a fast one",
        strengths: &[6.0, 10.0, 15.0],
        ranks: 2,
        needs_shapes: false,
        findings: &["exposed_communication"],
        prepare: nothing,
        inject: |job, strength, _| job.link = (FAST_NETWORK as f64 / strength) as u64,
    },
    Fault {
        name: "slow-loader",
        what: "the process decodes its batches itself; share of a step beyond what the device hides",
        strengths: &[0.2, 0.5, 1.0],
        ranks: 1,
        needs_shapes: false,
        findings: &["data_loading"],
        prepare: nothing,
        inject: |job, strength, step| {
            let decoding = around(beyond(step, strength) / job.shape.batch);
            job.loading.fill(Loading::InProcess { decoding });
        },
    },
    Fault {
        name: "slow-python",
        what: "Python around every module; share of a step beyond what the device hides",
        strengths: &[0.1, 0.4, 1.0],
        ranks: 1,
        needs_shapes: false,
        findings: &["host_bound"],
        prepare: nothing,
        inject: |job, strength, step| {
            // Of a layer: the block, two normalizations, attention, four products, the two of the feed-forward.
            let modules = 10 * job.shape.layers + 5;
            job.habits.python = beyond(step, strength) / modules;
        },
    },
    Fault {
        name: "slow-rank",
        what: "the device of one rank is throttled; share of its time more",
        strengths: &[0.1, 0.25, 0.5],
        ranks: 2,
        needs_shapes: false,
        findings: &["straggler"],
        prepare: nothing,
        inject: |job, strength, _| {
            if let Some(last) = job.pace.last_mut() {
                last.slowdown = 1.0 + strength;
            }
        },
    },
    Fault {
        name: "slow-step",
        what: "a checkpoint in every fourth step; its length in steps",
        strengths: &[1.0, 2.0, 4.0],
        ranks: 1,
        needs_shapes: false,
        findings: &["slow_step", "synchronisation", "uneven_steps"],
        prepare: |job, _| job.steps = 9,
        inject: |job, strength, step| {
            let nanoseconds = (step as f64 * strength) as u64;
            job.habits.pause = Some(Pause { kind: PauseKind::Checkpoint, every: 4, nanoseconds });
        },
    },
    Fault {
        name: "small-messages",
        what: "numbers summed over all ranks one by one; share of a step",
        strengths: &[0.1, 0.3, 0.6],
        ranks: 2,
        needs_shapes: false,
        findings: &["small_messages", "exposed_communication"],
        prepare: nothing,
        inject: |job, strength, step| {
            job.habits.small_messages = (step as f64 * strength / 17_000.0) as u64;
        },
    },
    Fault {
        name: "tf32-off",
        what: "a float32 model whose products do not use tensor cores",
        strengths: &[1.0],
        ranks: 1,
        needs_shapes: true,
        findings: &["tf32_off"],
        prepare: |job, _| (job.element, job.habits.tensor_float_32) = (Element::Float, true),
        inject: |job, _, _| job.habits.tensor_float_32 = false,
    },
    Fault {
        name: "unaligned-products",
        what: "a vocabulary that is no multiple of 8; thousandths of the usual speed",
        strengths: &[400.0, 250.0, 120.0],
        ranks: 1,
        needs_shapes: true,
        findings: &["unaligned_products"],
        prepare: nothing,
        inject: |job, strength, _| {
            job.shape.vocabulary += 1;
            job.habits.unaligned = strength as u64;
        },
    },
    Fault {
        name: "unfused-activation",
        what: "GELU written out; operators in place of one",
        strengths: &[4.0, 8.0, 16.0],
        ranks: 1,
        needs_shapes: false,
        findings: &["elementwise_chain", "fusion_candidate"],
        prepare: nothing,
        inject: |job, strength, _| job.habits.activation_operators = strength as u64,
    },
    Fault {
        name: "unfused-attention",
        what: "attention as products and a softmax; passes over the scores",
        strengths: &[1.0, 2.0, 3.0],
        ranks: 1,
        needs_shapes: false,
        findings: &["unfused_attention"],
        prepare: nothing,
        inject: |job, strength, _| job.habits.score_passes = strength as u64,
    },
    Fault {
        name: "unfused-optimizer",
        what: "AdamW without `fused=True`; 1 with `foreach=True`, 2 parameter by parameter",
        strengths: &[1.0, 2.0],
        ranks: 1,
        needs_shapes: false,
        findings: &["unfused_optimizer"],
        prepare: nothing,
        inject: |job, strength, _| {
            job.habits.optimizer = if strength < 2.0 { Optimizer::Foreach } else { Optimizer::Loop };
        },
    },
];
