//! The host side of one process: threads, operators, Python frames, API calls, memory.

use super::device::Device;
use super::events::{Arrow, CallEvent, Events, FrameEvent, Function, MemoryEvent, Name, OpEvent, Text};
use super::memory::{Allocator, Block};
use super::random::Random;
use super::tensor::{Input, push_inputs};

/// Which of the two threads of a training process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreadKind {
    Main,
    Autograd,
}

/// A range that is open, with the device time its own activities have covered so far.
#[derive(Clone, Copy, Debug)]
struct OpenAnnotation {
    external_id: u64,
    name: Name,
    covered: Option<(u64, u64)>,
}

#[derive(Clone, Debug)]
struct Thread {
    id: u64,
    now: u64,
    open: Vec<OpEvent>,
    annotations: Vec<OpenAnnotation>,
}

/// What is the same for the whole recording of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process {
    pub(crate) id: u64,
    pub(crate) autograd_thread: u64,
    pub(crate) device: u64,
    pub(crate) with_stack: bool,
    /// Whether operators say the shapes of their inputs.
    pub(crate) with_shapes: bool,
    /// How many small Python functions run around every call of a module and every parameter.
    pub(crate) small_calls: usize,
    pub(crate) seed: u64,
    pub(crate) start: u64,
}

/// A node of the autograd graph that a forward operator made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphNode {
    pub(crate) sequence: u64,
    pub(crate) arrow: u64,
}

const SMALL_CALLS: [&str; 24] = [
    "<built-in function _current_graph_task_id>",
    "<built-in function _get_cudnn_enabled>",
    "<built-in function _has_torch_function_unary>",
    "<built-in function _set_grad_enabled>",
    "<built-in function getattr>",
    "<built-in function hasattr>",
    "<built-in function id>",
    "<built-in function is_grad_enabled>",
    "<built-in function isinstance>",
    "<built-in function len>",
    "<built-in method __new__ of type object at 0x55c0fa92c340>",
    "<built-in method add of set object at 0x7f5a0e7bedc0>",
    "<built-in method dim of Tensor object at 0x7f5a0c2be8a0>",
    "<built-in method items of dict object at 0x7f5a2cf0a200>",
    "<built-in method size of Tensor object at 0x7f5a0c2be8a0>",
    "torch/_jit_internal.py(103): is_scripting",
    "torch/_tensor.py(1166): __hash__",
    "torch/autograd/grad_mode.py(184): __init__",
    "torch/autograd/grad_mode.py(80): __enter__",
    "torch/autograd/grad_mode.py(84): __exit__",
    "torch/backends/__init__.py(38): __get__",
    "torch/nn/modules/module.py(1915): __getattr__",
    "torch/nn/modules/module.py(2815): named_modules",
    "torch/utils/_contextlib.py(154): __new__",
];

/// A process as its profiler records it.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) process: Process,
    pub(crate) events: Events,
    pub(crate) random: Random,
    pub(crate) memory: Allocator,
    pub(crate) device: Device,
    /// How long the host takes for what it does, relative to a fast one.
    pub(crate) host: f64,
    /// Python around every call of a module, in nanoseconds.
    pub(crate) python: u64,
    threads: [Thread; 2],
    current: ThreadKind,
    frames: Vec<FrameEvent>,
    next_external_id: u64,
    next_correlation: u64,
    next_frame: u64,
    next_sequence: u64,
    next_arrow: u64,
}

impl Recorder {
    pub(crate) fn new(process: Process) -> Self {
        let thread = |id| Thread { id, now: process.start, open: Vec::new(), annotations: Vec::new() };
        Self {
            process,
            events: Events::default(),
            random: Random::new(process.seed),
            // Each device has its own range, as on a machine where one process sees all of them.
            memory: Allocator::new(0x7f40_0000_0000 + (process.device << 37)),
            device: Device::default(),
            host: 1.0,
            python: 0,
            threads: [thread(process.id), thread(process.autograd_thread)],
            current: ThreadKind::Main,
            frames: Vec::new(),
            next_external_id: 1,
            next_correlation: 4_000,
            next_frame: 1,
            next_sequence: 900,
            next_arrow: 1,
        }
    }

    fn thread(&mut self) -> &mut Thread {
        &mut self.threads[self.current as usize]
    }

    /// The time of the current thread.
    pub(crate) fn now(&self) -> u64 {
        self.threads[self.current as usize].now
    }

    /// Begins the recording here: what is open was entered now, as a profiler started in the middle sees it.
    pub(crate) fn restart(&mut self) -> u64 {
        self.elapse(40_000, 90_000);
        let start = self.now();
        self.next_frame = 1;
        let mut parent = None;
        for frame in &mut self.frames {
            (frame.start, frame.id, frame.parent) = (start, self.next_frame, parent);
            parent = Some(frame.id);
            self.next_frame += 1;
        }
        self.elapse(200_000, 300_000);
        start
    }

    /// Lets time pass on the current thread.
    pub(crate) fn elapse(&mut self, low: u64, high: u64) {
        let nanoseconds = self.random.between(low, high);
        self.thread().now += (nanoseconds as f64 * self.host) as u64;
    }

    /// Goes on elsewhere, not before what the other thread has done.
    pub(crate) fn switch(&mut self, to: ThreadKind) {
        let now = self.now();
        self.current = to;
        let thread = self.thread();
        thread.now = thread.now.max(now);
        self.elapse(8_000, 15_000);
    }

    fn open(&mut self, name: Name, is_annotation: bool, arguments: Text, arrow: Option<Arrow>) {
        self.elapse(700, 1_700);
        let external_id = self.next_external_id;
        self.next_external_id += 1;
        let thread = self.thread();
        let (id, start) = (thread.id, thread.now);
        thread.open.push(OpEvent {
            name,
            is_annotation,
            thread: id,
            start,
            duration: 0,
            external_id,
            arguments,
            arrow,
        });
        if is_annotation {
            thread.annotations.push(OpenAnnotation { external_id, name, covered: None });
        }
        self.elapse(200, 500);
    }

    /// An operator below autograd.
    pub(crate) fn open_op(&mut self, name: impl Into<Name>, inputs: &[Input<'_>]) {
        let with_shapes = self.process.with_shapes;
        let arguments = self.events.keep(|text| {
            text.push_str("\"Record function id\": 0");
            if with_shapes {
                text.push_str(", ");
                push_inputs(text, inputs);
            }
        });
        self.open(name.into(), false, arguments, None);
    }

    /// An operator of which everything is known, such as the record of a collective.
    pub(crate) fn open_described(&mut self, name: &'static str, arguments: Text) {
        self.open(name.into(), false, arguments, None);
    }

    fn keep_sequence(&mut self, sequence: u64, forward_thread: u64, inputs: &[Input<'_>]) -> Text {
        let with_shapes = self.process.with_shapes;
        self.events.keep(|text| {
            let _ = std::fmt::Write::write_fmt(
                text,
                format_args!(
                    "\"Sequence number\": {sequence}, \"Fwd thread id\": {forward_thread}, \"Record function id\": 0"
                ),
            );
            if with_shapes {
                text.push_str(", ");
                push_inputs(text, inputs);
            }
        })
    }

    /// An operator that autograd sees but that makes no node itself.
    pub(crate) fn open_forward(&mut self, name: &'static str, inputs: &[Input<'_>]) {
        let arguments = self.keep_sequence(self.next_sequence, 0, inputs);
        self.open(name.into(), false, arguments, None);
    }

    /// An operator that makes a node of the graph.
    pub(crate) fn open_node(&mut self, name: &'static str, inputs: &[Input<'_>]) -> GraphNode {
        let node = GraphNode { sequence: self.next_sequence, arrow: self.next_arrow };
        self.next_sequence += 1;
        self.next_arrow += 1;
        let arguments = self.keep_sequence(node.sequence, 0, inputs);
        self.open(name.into(), false, arguments, Some(Arrow::Start(node.arrow)));
        node
    }

    /// The two operators around the backward of a node; both have to be closed.
    pub(crate) fn open_backward(&mut self, node: GraphNode, name: &'static str, inputs: &[Input<'_>]) {
        let arguments = self.events.keep(|text| {
            let _ = std::fmt::Write::write_fmt(
                text,
                format_args!(
                    "\"Record function id\": 0, \"Sequence number\": {}, \"Fwd thread id\": 1",
                    node.sequence
                ),
            );
        });
        let engine = self.events.name(format_args!("autograd::engine::evaluate_function: {name}"));
        self.open(engine, false, arguments, None);
        let arguments = self.keep_sequence(node.sequence, 1, inputs);
        self.open(name.into(), false, arguments, Some(Arrow::End(node.arrow)));
    }

    /// A named range.
    pub(crate) fn open_annotation(&mut self, name: Name) {
        let arguments = self.events.keep(|text| text.push_str("\"Record function id\": 0"));
        self.open(name, true, arguments, None);
    }

    /// Closes what was opened last on the current thread.
    pub(crate) fn close(&mut self) {
        self.elapse(250, 650);
        let thread = &mut self.threads[self.current as usize];
        let Some(mut op) = thread.open.pop() else { return };
        op.duration = thread.now - op.start;
        self.events.ops.push(op);
        if !op.is_annotation {
            return;
        }
        if let Some(OpenAnnotation { external_id, name, covered: Some((start, end)) }) =
            thread.annotations.pop()
        {
            self.events.activities.push(self.device.annotation(name, external_id, start, end));
        }
    }

    /// An operator with a body.
    pub(crate) fn op(&mut self, name: impl Into<Name>, inputs: &[Input<'_>], body: impl FnOnce(&mut Self)) {
        self.open_op(name, inputs);
        body(self);
        self.close();
    }

    /// The operator around the current place.
    pub(crate) fn external_id(&self) -> Option<u64> {
        let open = &self.threads[self.current as usize].open;
        open.iter().rev().find(|op| !op.is_annotation).map(|op| op.external_id)
    }

    /// Tells the range around the current place that an activity of it covers this time.
    pub(crate) fn cover(&mut self, start: u64, end: u64) {
        if let Some(annotation) = self.thread().annotations.last_mut() {
            let (first, last) = annotation.covered.unwrap_or((start, end));
            annotation.covered = Some((first.min(start), last.max(end)));
        }
    }

    /// Enters a Python frame.
    pub(crate) fn enter(&mut self, name: impl Into<Name>) {
        self.enter_frame(name.into(), None);
    }

    fn enter_frame(&mut self, name: Name, module: Option<u64>) {
        if !self.process.with_stack {
            return;
        }
        self.elapse(180, 520);
        let parent = self.frames.last().map(|frame| frame.id);
        let frame = FrameEvent { name, start: self.now(), duration: 0, id: self.next_frame, parent, module };
        self.next_frame += 1;
        self.frames.push(frame);
    }

    /// Leaves the innermost Python frame.
    pub(crate) fn leave(&mut self) {
        if !self.process.with_stack {
            return;
        }
        self.elapse(60, 240);
        let now = self.now();
        if let Some(mut frame) = self.frames.pop() {
            frame.duration = now - frame.start;
            self.events.frames.push(frame);
        }
    }

    /// A Python function that calls nothing of interest.
    pub(crate) fn leaf(&mut self, name: &'static str) {
        self.enter(name);
        self.leave();
    }

    /// The small functions that real code calls everywhere and that make up most of a real trace with stacks.
    pub(crate) fn small_calls(&mut self) {
        for _ in 0..self.process.small_calls {
            let pick = self.random.between(0, SMALL_CALLS.len() as u64 - 1);
            self.leaf(SMALL_CALLS[pick as usize]);
        }
    }

    /// Enters the call of a module: three frames, to be left with [`Self::leave_module`].
    pub(crate) fn enter_module(&mut self, class: &str, instance: u64, forward: &'static str) {
        let name = self.events.name(format_args!("nn.Module: {class}_{instance}"));
        self.enter_frame(name, Some(instance));
        self.enter("torch/nn/modules/module.py(1747): _call_impl");
        self.leaf("<built-in method _get_tracing_state of PyCapsule object at 0x7f5c2e1d4b10>");
        self.enter(forward);
        self.small_calls();
        if self.python > 0 {
            let nanoseconds = self.random.around(self.python, 50);
            self.elapse(nanoseconds, nanoseconds);
        }
    }

    pub(crate) fn leave_module(&mut self) {
        for _ in 0..3 {
            self.leave();
        }
    }

    /// Allocates device memory.
    pub(crate) fn allocate(&mut self, bytes: u64) -> Block {
        let block = self.memory.allocate(bytes);
        self.record_memory(block, block.bytes as i64);
        block
    }

    /// Releases device memory.
    pub(crate) fn free(&mut self, block: Block) {
        self.memory.free(block);
        self.record_memory(block, -(block.bytes as i64));
    }

    fn record_memory(&mut self, block: Block, bytes: i64) {
        self.elapse(150, 400);
        let thread = &self.threads[self.current as usize];
        self.events.memory.push(MemoryEvent {
            thread: thread.id,
            time: thread.now,
            bytes,
            address: block.address,
            allocated: self.memory.allocated,
            reserved: self.memory.reserved,
        });
    }

    /// A call into the CUDA API; answers its correlation number and its start.
    pub(crate) fn call(&mut self, function: Function, low: u64, high: u64, launches: bool) -> (u64, u64) {
        self.call_waiting(function, 0, (low, high), launches)
    }

    /// A call that also waits for the device.
    pub(crate) fn call_waiting(
        &mut self,
        function: Function,
        wait: u64,
        (low, high): (u64, u64),
        launches: bool,
    ) -> (u64, u64) {
        self.elapse(250, 700);
        // Calls that the profiler skips have numbers too.
        self.next_correlation += self.random.between(1, 9);
        let (correlation, external_id) = (self.next_correlation, self.external_id());
        let thread = self.thread();
        let (id, start) = (thread.id, thread.now);
        self.elapse(low, high);
        self.thread().now += wait;
        let duration = self.now() - start;
        self.events.calls.push(CallEvent {
            function,
            thread: id,
            start,
            duration,
            correlation,
            external_id,
            launches,
        });
        (correlation, start)
    }
}
