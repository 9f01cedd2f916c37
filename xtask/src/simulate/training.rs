//! A training loop: load a batch, forward, backward, optimizer, log the loss; step by step, rank by rank.

use super::device::finish_collectives;
use super::events::Function;
use super::kernels;
use super::loading::Loading;
use super::memory::Block;
use super::random::Random;
use super::recorder::{Process, Recorder};
use super::tape::Node;
use super::tensor::{Element, Input, Tensor};

/// The model and its batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) layers: u64,
    pub(crate) hidden: u64,
    pub(crate) heads: u64,
    pub(crate) vocabulary: u64,
    pub(crate) batch: u64,
}

impl Shape {
    fn parameters(&self) -> Vec<Tensor> {
        let hidden = self.hidden;
        let mut parameters = vec![Tensor::bfloat16(&[self.vocabulary, hidden])];
        let mut linear = |inputs: u64, outputs: u64| {
            parameters.push(Tensor::bfloat16(&[outputs, inputs]));
            parameters.push(Tensor::bfloat16(&[outputs]));
        };
        for _ in 0..self.layers {
            linear(hidden, 3 * hidden);
            linear(hidden, hidden);
            linear(hidden, 4 * hidden);
            linear(4 * hidden, hidden);
        }
        linear(hidden, self.vocabulary);
        // Scale and shift of two normalisations a layer and the last one.
        parameters.extend((0..4 * self.layers + 2).map(|_| Tensor::bfloat16(&[hidden])));
        parameters
    }
}

/// One rank of a training job.
#[derive(Debug)]
pub(crate) struct Trainer {
    pub(crate) recorder: Recorder,
    pub(crate) shape: Shape,
    pub(crate) rank: u64,
    pub(crate) world: u64,
    /// Length of the texts of the current batch.
    pub(crate) sequence: u64,
    /// The number of the compiled activation, if activations are compiled.
    pub(crate) fused: Option<u64>,
    pub(crate) tape: Vec<Node>,
    parameters: Vec<Tensor>,
    /// The batch on the device.
    tokens: Option<Block>,
    pub(crate) loading: Loading,
    reading: Reading,
    /// When the device was done with the last step.
    last_step_done: u64,
    /// The link between two devices, in bytes per nanosecond.
    pub(crate) link: u64,
}

/// What the program reads back from the device at the end of a step, which waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// So many numbers of the step itself: nothing is queued when the next one begins.
    Now(u64),
    /// Only that the step before is done, so that the host is never more than a step ahead.
    OneBehind,
}

/// What sets a rank apart, and how its program is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) rank: u64,
    pub(crate) world: u64,
    pub(crate) loading: Loading,
    pub(crate) reading: Reading,
    pub(crate) link: u64,
}

impl Place {
    /// A rank that decodes its samples itself, each in so many nanoseconds, reads its loss in every step, and talks
    /// over PCIe rather than NVLink, so that some of the communication stays visible behind the backward.
    pub(crate) fn new(rank: u64, world: u64, decoding: (u64, u64)) -> Self {
        Self { rank, world, loading: Loading::InProcess { decoding }, reading: Reading::Now(1), link: 19 }
    }
}

impl Trainer {
    /// A rank whose parameters, optimizer state and buckets are already on the device.
    pub(crate) fn new(process: Process, shape: Shape, place: Place) -> Self {
        let mut recorder = Recorder::new(process);
        let parameters = shape.parameters();
        for _ in 0..4 {
            for parameter in &parameters {
                recorder.allocate(parameter.bytes());
            }
        }
        let Place { rank, world, loading, reading, link } = place;
        Self {
            recorder,
            shape,
            rank,
            world,
            sequence: 0,
            fused: None,
            tape: Vec::new(),
            parameters,
            tokens: None,
            loading,
            reading,
            last_step_done: 0,
            link,
        }
    }

    /// Texts times their length.
    pub(crate) fn rows(&self) -> u64 {
        self.shape.batch * self.sequence
    }

    /// Enters the training loop.
    pub(crate) fn start(&mut self) {
        self.recorder.enter("train.py(96): <module>");
        self.recorder.enter("train.py(52): train");
    }

    /// Stops the profiler, which waits for the device, and leaves the loop; answers when that is done.
    pub(crate) fn stop(&mut self) -> u64 {
        let recorder = &mut self.recorder;
        recorder.enter("torch/profiler/profiler.py(235): stop_trace");
        recorder.enter("torch/autograd/profiler.py(363): __exit__");
        recorder.enter("torch/cuda/__init__.py(1040): synchronize");
        recorder.enter("<built-in function _cuda_synchronize>");
        recorder.synchronize(Function::DEVICE_SYNCHRONIZE);
        for _ in 0..6 {
            recorder.leave();
        }
        recorder.now().max(recorder.device_done())
    }

    /// A step up to the end of the backward.
    fn first_half(&mut self, step: u64) {
        let name = self.recorder.events.name(format_args!("ProfilerStep#{step}"));
        self.recorder.open_annotation(name);
        self.load_batch();
        let tokens = self.move_to_device();
        self.zero_gradients();
        self.recorder.enter_module(
            "DistributedDataParallel",
            0,
            "torch/nn/parallel/distributed.py(1637): forward",
        );
        self.recorder.open_annotation("DistributedDataParallel.forward".into());
        self.recorder.leaf("torch/nn/parallel/distributed.py(1521): _pre_forward");
        self.recorder.enter("torch/nn/parallel/distributed.py(1454): _run_ddp_forward");
        let logits = self.forward(tokens);
        self.recorder.leave();
        self.recorder.leaf("torch/nn/parallel/distributed.py(1594): _post_forward");
        self.recorder.close();
        self.recorder.leave_module();
        self.loss(logits);
        self.backward();
    }

    /// The rest of the step.
    fn second_half(&mut self, step: u64) {
        self.optimize(step);
        match self.reading {
            Reading::Now(numbers) => self.log(numbers),
            Reading::OneBehind => self.wait_for_last_step(),
        }
        self.recorder.enter("torch/profiler/profiler.py(821): step");
        self.recorder.leaf("<built-in function perf_counter_ns>");
        self.recorder.close();
        self.recorder.leave();
    }

    fn move_to_device(&mut self) -> Tensor {
        let tokens = Tensor::new(Element::Long, &[self.shape.batch, self.sequence]);
        let recorder = &mut self.recorder;
        recorder.enter("<built-in method to of Tensor object at 0x7f5a0c3ae4d0>");
        let (nothing, no) = (Input::Nothing, Input::Scalar("False"));
        let from = Input::Tensor(tokens);
        recorder.open_forward("aten::to", &[from, Input::Scalar("4"), Input::Scalar("0"), nothing, no, no]);
        recorder.open_op("aten::_to_copy", &[from, Input::Scalar("4"), Input::Scalar("0"), nothing, no]);
        let block = recorder.empty(tokens);
        recorder.op("aten::copy_", &[from, from, no], |recorder| {
            recorder.copy("Memcpy HtoD (Pinned -> Device)", tokens.bytes());
        });
        recorder.close();
        recorder.close();
        recorder.leave();
        // The tokens of the last batch are released when the new ones take their name.
        if let Some(last) = self.tokens.replace(block) {
            recorder.free(last);
        }
        tokens
    }

    fn zero_gradients(&mut self) {
        let recorder = &mut self.recorder;
        recorder.enter("torch/_compile.py(32): inner");
        recorder.enter("torch/optim/optimizer.py(939): zero_grad");
        recorder.open_annotation("Optimizer.zero_grad#AdamW.zero_grad".into());
        for _ in &self.parameters {
            recorder.leaf("<built-in method get of dict object at 0x7f5a2cc0b440>");
            recorder.small_calls();
        }
        recorder.close();
        recorder.leave();
        recorder.leave();
    }

    fn optimize(&mut self, step: u64) {
        let recorder = &mut self.recorder;
        recorder.enter("torch/optim/lr_scheduler.py(140): wrapper");
        recorder.enter("torch/optim/optimizer.py(473): wrapper");
        recorder.open_annotation("Optimizer.step#AdamW.step".into());
        recorder.enter("torch/optim/optimizer.py(72): _use_grad");
        recorder.enter("torch/optim/adamw.py(209): step");
        recorder.enter("torch/optim/adamw.py(134): _init_group");
        for _ in &self.parameters {
            recorder.leaf("<built-in function is_complex>");
            recorder.small_calls();
            recorder.leaf("<built-in method append of list object at 0x7f5a2cc1d7c0>");
            recorder.leaf("<built-in method append of list object at 0x7f5a2cc1d8c0>");
        }
        recorder.leave();
        recorder.enter("torch/optim/adamw.py(876): adamw");
        recorder.enter("torch/optim/adamw.py(747): _fused_adamw");
        let steps = vec![Tensor::new(Element::Float, &[]); self.parameters.len()];
        recorder.op("aten::_foreach_add_", &[Input::Tensors(&steps), Input::Scalar("1")], |recorder| {
            recorder.launch(kernels::fill(steps.len() as u64))
        });
        let rate = (3e-4 * (1.0 - step as f64 / 1e6)).to_string();
        let list = Input::Tensors(&self.parameters);
        let no = Input::Scalar("False");
        let inputs = [
            list,
            list,
            list,
            list,
            Input::Tensors(&[]),
            Input::Tensors(&steps),
            Input::Scalar(&rate),
            Input::Scalar("0.90000000000000002"),
            Input::Scalar("0.94999999999999996"),
            Input::Scalar("0.10000000000000001"),
            Input::Scalar("1e-08"),
            no,
            no,
            Input::Nothing,
            Input::Nothing,
        ];
        let mut left: u64 = self.parameters.iter().map(Tensor::count).sum();
        recorder.op("aten::_fused_adamw_", &inputs, |recorder| {
            // One launch takes 320 chunks of 65536 elements.
            while left > 0 {
                let chunk = left.min(320 * 65_536);
                recorder.launch(kernels::fused_adam(chunk));
                left -= chunk;
            }
        });
        for _ in 0..4 {
            recorder.leave();
        }
        recorder.close();
        recorder.leave();
        recorder.leave();
    }

    fn log(&mut self, numbers: u64) {
        let scalar = Input::Tensor(Tensor::bfloat16(&[]));
        let recorder = &mut self.recorder;
        for _ in 0..numbers {
            recorder.enter("<built-in method item of Tensor object at 0x7f5a0c3b10e0>");
            recorder.op("aten::item", &[scalar], |recorder| {
                recorder.op("aten::_local_scalar_dense", &[scalar], |recorder| {
                    recorder.copy("Memcpy DtoH (Device -> Pageable)", 2);
                    recorder.synchronize(Function::STREAM_SYNCHRONIZE);
                });
            });
            recorder.leave();
        }
        recorder.leaf("train.py(69): log");
    }

    fn wait_for_last_step(&mut self) {
        let recorder = &mut self.recorder;
        recorder.enter("torch/cuda/streams.py(231): synchronize");
        recorder.call(Function::EVENT_RECORD, 900, 1_800, false);
        recorder.wait_until(Function::EVENT_SYNCHRONIZE, self.last_step_done);
        recorder.leave();
        self.last_step_done = recorder.device_done();
    }

    /// Ends what happened before the recording, as a profiler does that starts in the middle; answers when that was.
    pub(crate) fn restart(&mut self) -> u64 {
        if self.reading == Reading::OneBehind {
            self.recorder.synchronize(Function::DEVICE_SYNCHRONIZE);
        }
        self.recorder.events.clear();
        self.recorder.restart()
    }
}

/// Brings all ranks through one step.
pub(crate) fn step(
    ranks: &mut [Trainer],
    number: u64,
    random: &mut Random,
    absent: impl FnMut(&mut Random) -> u64,
) {
    for rank in ranks.iter_mut() {
        rank.first_half(number);
    }
    finish_collectives(ranks.iter_mut().map(|rank| &mut rank.recorder), random, absent);
    for rank in ranks.iter_mut() {
        rank.second_half(number);
    }
}
