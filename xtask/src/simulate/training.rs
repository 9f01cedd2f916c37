//! A training loop: load a batch, forward, backward, optimizer, log the loss; step by step, rank by rank.

use super::device::finish_collectives;
use super::events::Function;
use super::habits::{Features, Habits, Pause, PauseKind};
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
    fn parameters(&self, element: Element) -> Vec<Tensor> {
        let hidden = self.hidden;
        let mut parameters = vec![Tensor::new(element, &[self.vocabulary, hidden])];
        let mut linear = |inputs: u64, outputs: u64| {
            parameters.push(Tensor::new(element, &[outputs, inputs]));
            parameters.push(Tensor::new(element, &[outputs]));
        };
        for _ in 0..self.layers {
            linear(hidden, 3 * hidden);
            linear(hidden, hidden);
            linear(hidden, 4 * hidden);
            linear(4 * hidden, hidden);
        }
        linear(hidden, self.vocabulary);
        // Scale and shift of two normalizations a layer and the last one.
        parameters.extend((0..4 * self.layers + 2).map(|_| Tensor::new(element, &[hidden])));
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
    pub(crate) parameters: Vec<Tensor>,
    /// The batch on the device.
    tokens: Option<Block>,
    features: Option<Block>,
    pub(crate) loading: Loading,
    reading: Reading,
    /// When the device was done with the last step.
    last_step_done: u64,
    /// The link between two devices, in bytes per nanosecond.
    pub(crate) link: u64,
    /// The type the model computes in.
    pub(crate) element: Element,
    pub(crate) habits: Habits,
    /// Whether gradients are summed over ranks.
    pub(crate) distributed: bool,
    /// Segments given back to the driver and not taken again yet.
    pub(crate) released: u64,
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
    pub(crate) element: Element,
    pub(crate) habits: Habits,
}

impl Place {
    /// A rank that decodes its samples itself, each in this many nanoseconds, reads its loss in every step, and talks
    /// over PCIe rather than NVLink, so that some of the communication stays visible behind the backward.
    pub(crate) fn new(rank: u64, world: u64, decoding: (u64, u64)) -> Self {
        Self {
            rank,
            world,
            loading: Loading::InProcess { decoding },
            reading: Reading::Now(1),
            link: 19,
            element: Element::BFloat16,
            habits: Habits::default(),
        }
    }
}

impl Trainer {
    /// A rank whose parameters, optimizer state and buckets are already on the device.
    pub(crate) fn new(process: Process, shape: Shape, place: Place) -> Self {
        let mut recorder = Recorder::new(process);
        recorder.host = place.habits.host;
        recorder.python = place.habits.python;
        recorder.device.pace.element_bytes = place.element.bytes();
        let parameters = shape.parameters(place.element);
        for _ in 0..4 {
            for parameter in &parameters {
                recorder.allocate(parameter.bytes());
            }
        }
        let Place { rank, world, loading, reading, link, element, habits } = place;
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
            features: None,
            loading,
            reading,
            last_step_done: 0,
            link,
            element,
            habits,
            distributed: true,
            released: 0,
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
        self.move_features();
        self.zero_gradients();
        let logits = match self.distributed {
            true => self.parallel_forward(tokens),
            false => self.forward(tokens),
        };
        self.loss(logits);
        self.backward();
    }

    /// The forward of a model whose gradients are summed over ranks.
    fn parallel_forward(&mut self, tokens: Tensor) -> Tensor {
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
        logits
    }

    /// The rest of the step.
    fn second_half(&mut self, step: u64) {
        self.optimize(step);
        self.pause(step);
        self.release_segments();
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

    fn log(&mut self, numbers: u64) {
        for _ in 0..numbers {
            self.read();
        }
        self.recorder.leaf("train.py(69): log");
    }

    /// Reads a number from the device.
    pub(crate) fn read(&mut self) {
        let tensor = Tensor::new(self.element, &[]);
        let scalar = Input::Tensor(tensor);
        let recorder = &mut self.recorder;
        recorder.enter("<built-in method item of Tensor object at 0x7f5a0c3b10e0>");
        recorder.op("aten::item", &[scalar], |recorder| {
            recorder.op("aten::_local_scalar_dense", &[scalar], |recorder| {
                recorder.copy("Memcpy DtoH (Device -> Pageable)", tensor.bytes());
                recorder.synchronize(Function::STREAM_SYNCHRONIZE);
            });
        });
        recorder.leave();
    }

    /// Moves what a batch has besides its tokens, such as images.
    fn move_features(&mut self) {
        let Features { bytes, pageable } = self.habits.features;
        if bytes == 0 {
            return;
        }
        let tensor = Tensor::new(Element::Float, &[self.shape.batch, bytes / 4 / self.shape.batch]);
        let recorder = &mut self.recorder;
        recorder.enter("<built-in method to of Tensor object at 0x7f5a0c3ae5f0>");
        let (nothing, no) = (Input::Nothing, Input::Scalar("False"));
        let waits = Input::Scalar(if pageable.is_some() { "False" } else { "True" });
        let from = Input::Tensor(tensor);
        recorder
            .open_forward("aten::to", &[from, Input::Scalar("6"), Input::Scalar("0"), nothing, waits, no]);
        recorder.open_op("aten::_to_copy", &[from, Input::Scalar("6"), Input::Scalar("0"), nothing, waits]);
        let block = recorder.empty(tensor);
        recorder.op("aten::copy_", &[from, from, waits], |recorder| match pageable {
            None => recorder.copy("Memcpy HtoD (Pinned -> Device)", tensor.bytes()),
            Some(rate) => {
                recorder.copy_pageable(tensor.bytes(), rate);
                recorder.synchronize(Function::STREAM_SYNCHRONIZE);
            }
        });
        recorder.close();
        recorder.close();
        recorder.leave();
        if let Some(last) = self.features.replace(block) {
            recorder.free(last);
        }
    }

    fn pause(&mut self, step: u64) {
        let Some(Pause { kind, every, nanoseconds }) = self.habits.pause else { return };
        if (step + 1) % every != every / 2 {
            return;
        }
        let recorder = &mut self.recorder;
        let nanoseconds = recorder.random.around(nanoseconds, 20);
        match kind {
            PauseKind::Collection => {
                recorder.enter("<built-in function collect>");
                recorder.elapse(nanoseconds, nanoseconds);
                recorder.leave();
            }
            PauseKind::Checkpoint => {
                recorder.enter("train.py(74): save_checkpoint");
                recorder.enter("torch/cuda/__init__.py(1040): synchronize");
                recorder.synchronize(Function::DEVICE_SYNCHRONIZE);
                recorder.leave();
                recorder.enter("torch/serialization.py(943): save");
                recorder.elapse(nanoseconds, nanoseconds);
                recorder.leave();
                recorder.leave();
            }
        }
    }

    /// `torch.cuda.empty_cache()`: the driver waits for the device, then takes each segment back.
    fn release_segments(&mut self) {
        let segments = self.habits.released_segments;
        if segments == 0 {
            return;
        }
        let recorder = &mut self.recorder;
        recorder.enter("torch/cuda/memory.py(218): empty_cache");
        recorder.synchronize(Function::DEVICE_SYNCHRONIZE);
        for _ in 0..segments {
            recorder.call(Function::FREE, 90_000, 180_000, false);
        }
        recorder.leave();
        self.released = segments;
    }

    /// Takes a segment from the driver again if the cache was emptied.
    pub(crate) fn take_segment(&mut self) {
        if self.released > 0 {
            self.released -= 1;
            self.recorder.call(Function::MALLOC, 150_000, 350_000, false);
        }
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
