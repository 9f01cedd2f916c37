//! What was recorded, before it is written: one list per kind of event, times in nanoseconds.

use std::fmt;

/// A piece of [`Events::text`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Text {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A name that is the same in every run, or one made on the way.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Name {
    Fixed(&'static str),
    Made(Text),
}

impl From<&'static str> for Name {
    fn from(name: &'static str) -> Self {
        Self::Fixed(name)
    }
}

/// One end of an arrow from a forward operator to its backward.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arrow {
    Start(u64),
    End(u64),
}

/// An operator, or a named range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpEvent {
    pub(crate) name: Name,
    pub(crate) is_annotation: bool,
    pub(crate) thread: u64,
    pub(crate) start: u64,
    pub(crate) duration: u64,
    pub(crate) external_id: u64,
    /// Everything between `External id` and `Ev Idx`.
    pub(crate) arguments: Text,
    pub(crate) arrow: Option<Arrow>,
}

/// An allocation or release of device memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryEvent {
    pub(crate) thread: u64,
    pub(crate) time: u64,
    pub(crate) bytes: i64,
    pub(crate) address: u64,
    pub(crate) allocated: u64,
    pub(crate) reserved: u64,
}

/// A Python frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameEvent {
    pub(crate) name: Name,
    pub(crate) start: u64,
    pub(crate) duration: u64,
    pub(crate) id: u64,
    pub(crate) parent: Option<u64>,
    pub(crate) module: Option<u64>,
}

/// A function of the CUDA API with CUPTI's number for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    pub(crate) category: &'static str,
    pub(crate) name: &'static str,
    pub(crate) number: u32,
}

impl Function {
    const fn runtime(name: &'static str, number: u32) -> Self {
        Self { category: "cuda_runtime", name, number }
    }

    pub(crate) const DEVICE_SYNCHRONIZE: Self = Self::runtime("cudaDeviceSynchronize", 165);
    pub(crate) const DRIVER_LAUNCH: Self =
        Self { category: "cuda_driver", name: "cuLaunchKernel", number: 307 };
    pub(crate) const EVENT_RECORD: Self = Self::runtime("cudaEventRecord", 135);
    pub(crate) const EVENT_SYNCHRONIZE: Self = Self::runtime("cudaEventSynchronize", 137);
    pub(crate) const FREE: Self = Self::runtime("cudaFree", 22);
    pub(crate) const LAUNCH: Self = Self::runtime("cudaLaunchKernel", 211);
    pub(crate) const LAUNCH_EXTENDED: Self = Self::runtime("cudaLaunchKernelExC", 430);
    pub(crate) const MALLOC: Self = Self::runtime("cudaMalloc", 20);
    pub(crate) const MEMCPY: Self = Self::runtime("cudaMemcpyAsync", 41);
    pub(crate) const MEMSET: Self = Self::runtime("cudaMemsetAsync", 51);
    pub(crate) const OCCUPANCY: Self =
        Self::runtime("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", 251);
    pub(crate) const SET_ATTRIBUTE: Self = Self::runtime("cudaFuncSetAttribute", 273);
    pub(crate) const STREAM_SYNCHRONIZE: Self = Self::runtime("cudaStreamSynchronize", 131);
    pub(crate) const STREAM_WAIT_EVENT: Self = Self::runtime("cudaStreamWaitEvent", 147);
}

/// A call into the CUDA API.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallEvent {
    pub(crate) function: Function,
    pub(crate) thread: u64,
    pub(crate) start: u64,
    pub(crate) duration: u64,
    pub(crate) correlation: u64,
    pub(crate) external_id: Option<u64>,
    /// True if an arrow leads from here to the device.
    pub(crate) launches: bool,
}

/// How a kernel was launched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) grid: [u64; 3],
    pub(crate) block: [u64; 3],
    pub(crate) registers: u64,
    pub(crate) shared_memory: u64,
}

/// What happened on a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Activity {
    /// A kernel; the text holds what a collective carries besides.
    Kernel(Launch, Text),
    Copy(u64),
    Set(u64),
    /// A range of the host as it appears on the device.
    Annotation,
}

/// An event on a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActivityEvent {
    pub(crate) name: Name,
    pub(crate) activity: Activity,
    pub(crate) stream: u64,
    pub(crate) start: u64,
    pub(crate) duration: u64,
    pub(crate) correlation: u64,
    pub(crate) external_id: u64,
}

/// Everything recorded and not yet written.
#[derive(Debug, Default)]
pub(crate) struct Events {
    pub(crate) ops: Vec<OpEvent>,
    pub(crate) memory: Vec<MemoryEvent>,
    pub(crate) frames: Vec<FrameEvent>,
    pub(crate) calls: Vec<CallEvent>,
    pub(crate) activities: Vec<ActivityEvent>,
    pub(crate) text: String,
}

impl Events {
    /// Forgets everything; what was allocated is used again.
    pub(crate) fn clear(&mut self) {
        self.ops.clear();
        self.memory.clear();
        self.frames.clear();
        self.calls.clear();
        self.activities.clear();
        self.text.clear();
    }

    /// Keeps a text that is written by the function.
    pub(crate) fn keep(&mut self, write: impl FnOnce(&mut String)) -> Text {
        let start = self.text.len();
        write(&mut self.text);
        Text { start, end: self.text.len() }
    }

    /// Keeps a formatted name.
    pub(crate) fn name(&mut self, arguments: fmt::Arguments<'_>) -> Name {
        // Writing to a string cannot fail.
        Name::Made(self.keep(|text| {
            let _ = fmt::Write::write_fmt(text, arguments);
        }))
    }

    pub(crate) fn get(&self, text: Text) -> &str {
        &self.text[text.start..text.end]
    }

    pub(crate) fn name_text(&self, name: Name) -> &str {
        match name {
            Name::Fixed(name) => name,
            Name::Made(text) => self.get(text),
        }
    }

    /// Brings events into the order in which Kineto writes them.
    pub(crate) fn sort(&mut self) {
        self.ops.sort_unstable_by_key(|op| (op.start, op.external_id));
        self.memory.sort_by_key(|event| event.time);
        self.frames.sort_unstable_by_key(|frame| (frame.start, frame.id));
        self.calls.sort_unstable_by_key(|call| (call.start, call.correlation));
        self.activities.sort_unstable_by_key(|activity| (activity.start, activity.correlation));
    }
}
