//! How long a pass takes at best, and whether it fits.

use super::{Pass, Phase, Precisions, Step, Transformer, steps};
use crate::device::{Link, LinkKind};
use crate::{Access, Assessment, Device, Engine, Roof, Settings, assess};

/// A step with its best time.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The operator.
    pub step: Step,
    /// One call against the roof.
    pub assessment: Assessment,
    /// Seconds of all calls; unknown if the device has no peak for it.
    pub time: Option<f64>,
    /// What bounds it: the ceiling, the memory level or the link.
    pub bound_by: Option<String>,
}

/// A pass on a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Every operator.
    pub rows: Vec<Row>,
    /// Seconds of all operators, one after the other; unknown if one of them is.
    pub time: Option<f64>,
    /// New tokens of all sequences per second.
    pub tokens_per_second: Option<f64>,
    /// Bytes of memory on each device.
    pub memory: Footprint,
    /// Bytes of weights that one device reads in the pass.
    pub streamed: f64,
    /// Context at which reading the caches takes as many bytes as reading the weights.
    pub crossover: f64,
}

/// Memory needed per device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footprint {
    /// Weights.
    pub weights: f64,
    /// Keys and values of all sequences.
    pub cache: f64,
    /// The largest pair of an operator's inputs and outputs that are not weights or caches.
    pub activations: f64,
    /// Bytes the device has, if known.
    pub capacity: Option<f64>,
}

impl Footprint {
    /// Bytes of everything.
    pub fn total(&self) -> f64 {
        self.weights + self.cache + self.activations
    }

    /// Whether it fits, if the size of the device's memory is known.
    pub fn fits(&self) -> Option<bool> {
        self.capacity.map(|capacity| self.total() <= capacity)
    }
}

/// Predicts a pass: the sum of the best times of its operators.
pub fn estimate(model: &Transformer, pass: &Pass, precisions: &Precisions, device: &Device) -> Estimate {
    let steps = steps(model, pass, precisions);
    let streamed: f64 = steps.iter().map(|step| step.calls * weights(step)).sum();
    let memory = footprint(model, pass, precisions, device, &steps);
    let link = fastest(device);
    let rows: Vec<Row> = steps.into_iter().map(|step| row(step, device, link)).collect();
    let time = rows.iter().map(|row| row.time).sum::<Option<f64>>();
    // Scales of a whole tensor are spread over the tokens it holds.
    let tokens_cached = model.cached_tokens(pass.context).max(1) as f64;
    let crossover = crossover(model, streamed / (memory.cache / tokens_cached));
    Estimate {
        rows,
        time,
        tokens_per_second: time.filter(|seconds| *seconds > 0.0).map(|seconds| pass.tokens() / seconds),
        memory,
        streamed,
        crossover,
    }
}

/// The context at which the caches of all layers hold this many tokens; infinite if windows never let them.
fn crossover(model: &Transformer, tokens: f64) -> f64 {
    let all = model.layers as f64;
    match model.window {
        Some(window) if tokens > all * window.tokens as f64 => {
            let windowed = window.layers.min(model.layers) as f64;
            (tokens - windowed * window.tokens as f64) / (all - windowed)
        }
        _ => tokens / all,
    }
}

/// The link that devices which share layers talk over: the fastest of those made for it, all of its kind together; if
/// the file does not say what links are for, the fastest of all.
fn fastest(device: &Device) -> Option<&Link> {
    let made_for_it = |link: &&Link| matches!(link.kind, None | Some(LinkKind::ScaleUp));
    device.links.iter().filter(made_for_it).max_by(|a, b| a.total().total_cmp(&b.total()))
}

fn row(step: Step, device: &Device, link: Option<&Link>) -> Row {
    if step.sent > 0.0 {
        let seconds = link.map(|link| step.calls * step.sent / link.total());
        let bound_by = link.map(|link| link.name.clone());
        return Row { time: seconds, bound_by, assessment: Assessment::default(), step };
    }
    let roof = Roof::new(device, step.work.arithmetic, step.work.engine);
    let main = roof.levels.first().map(|level| level.id.as_str()).unwrap_or_default();
    let amount = step.work.amount(roof.counts());
    let assessment = assess(&roof, amount, &[(main, step.work.bytes())], None, &Settings::default());
    let time = assessment.ideal.map(|seconds| seconds * step.calls);
    Row { time, bound_by: assessment.bound_by.clone(), assessment, step }
}

/// Bytes of weights that a matrix product reads.
fn weights(step: &Step) -> f64 {
    if step.work.engine != Engine::Matrix {
        return 0.0;
    }
    let is_weight = |name: &str| matches!(name, "b" | "weight" | "weights");
    step.work.operands.iter().filter(|operand| is_weight(operand.name)).map(|operand| operand.bytes()).sum()
}

fn footprint(
    model: &Transformer,
    pass: &Pass,
    precisions: &Precisions,
    device: &Device,
    steps: &[Step],
) -> Footprint {
    let devices = pass.devices.max(1) as f64;
    let cached = (model.cache_elements() * model.cached_tokens(pass.context)) as f64 * pass.batch as f64;
    let moved = |step: &Step| {
        let fixed =
            |name: &str| matches!(name, "b" | "weight" | "weights" | "embedding" | "cache" | "key" | "value");
        // What an operator writes and reads again, such as scores, is there once.
        let written = |name: &str| {
            let operands = step.work.operands.iter();
            operands.filter(|operand| operand.access == Access::Write).any(|operand| operand.name == name)
        };
        let operands = step.work.operands.iter().filter(|operand| {
            !fixed(operand.name) && (operand.access == Access::Write || !written(operand.name))
        });
        operands.map(|operand| operand.bytes()).sum::<f64>()
    };
    Footprint {
        weights: precisions.weights.bytes(model.parameters() as f64) / devices,
        cache: precisions.cache.bytes(cached) / model.cache_shares(pass.devices),
        activations: steps.iter().map(moved).fold(0.0, f64::max),
        capacity: device.main_memory().and_then(|memory| memory.size.as_ref()).map(|fact| fact.value),
    }
}

impl Phase {
    /// The name in files and arguments.
    pub fn id(self) -> &'static str {
        match self {
            Self::Prefill => "prefill",
            Self::Decode => "decode",
        }
    }
}
