//! What a slice stands for, by its kind and name.

use eaves_model::{SliceId, SliceKind, Trace};

use self::Pattern::{Contains, Ends, Exactly, Function, Starts};
use super::cause::Cause;

/// Part of a name.
#[derive(Clone, Copy, Debug)]
enum Pattern {
    Exactly(&'static str),
    Starts(&'static str),
    Ends(&'static str),
    Contains(&'static str),
    /// A function of a file, on whatever line.
    Function(&'static str, &'static str),
}

impl Pattern {
    fn matches(self, name: &str) -> bool {
        match self {
            Self::Exactly(text) => name == text,
            Self::Starts(text) => name.starts_with(text),
            Self::Ends(text) => name.ends_with(text),
            Self::Contains(text) => name.contains(text),
            Self::Function(file, function) => name.contains(file) && name.ends_with(function),
        }
    }
}

/// A cause and the names that stand for it.
type Rule = (Cause, &'static [Pattern]);

/// Calls into the runtime or driver of CUDA, HIP and Level Zero. Copies that block are in [`is_blocking_copy`].
static RUNTIME: &[Rule] = &[
    (
        Cause::Synchronisation,
        &[Contains("Synchronize"), Starts("urQueueFinish"), Starts("urEventWait"), Starts("zeEventHost")],
    ),
    (
        Cause::Allocation,
        &[
            Starts("cudaMalloc"),
            Starts("cudaFree"),
            Starts("cudaHostAlloc"),
            Starts("cudaHostRegister"),
            Starts("cudaHostUnregister"),
            Starts("cuMemAlloc"),
            Starts("cuMemFree"),
            Starts("cuMemHostAlloc"),
            // Expandable segments of PyTorch's allocator.
            Starts("cuMemCreate"),
            Starts("cuMemRelease"),
            Starts("cuMemMap"),
            Starts("cuMemUnmap"),
            Starts("cuMemSetAccess"),
            Starts("cuMemAddress"),
            Starts("hipMalloc"),
            Starts("hipExtMalloc"),
            Starts("hipFree"),
            Starts("hipHostMalloc"),
            Starts("hipHostAlloc"),
            Starts("hipHostFree"),
            Starts("hipHostRegister"),
            Starts("hipHostUnregister"),
            Starts("hipMemCreate"),
            Starts("hipMemMap"),
            Starts("hipMemUnmap"),
        ],
    ),
    // Loading of code at its first use.
    (Cause::Compilation, &[Starts("cuModuleLoad"), Starts("hipModuleLoad"), Starts("cuLibraryLoad")]),
];

/// Operators that end in a wait for the device. Others that may do so (`aten::nonzero`, `aten::to`) are known by the
/// call inside them.
static OPERATORS: &[Rule] = &[
    (
        Cause::Synchronisation,
        &[Exactly("aten::item"), Exactly("aten::_local_scalar_dense"), Exactly("aten::is_nonzero")],
    ),
    (Cause::DataLoading, &[Starts("enumerate(DataLoader)#")]),
    // Before `record_function` had its own category.
    (Cause::Compilation, &[Ends(" (dynamo_timed)")]),
];

/// Python frames: `file(line): function`, and built-in functions in angle brackets.
static PYTHON: &[Rule] = &[
    // `Python GC` is PyTorch's own record (`record_python_gc_info`), `collect` a call of `gc.collect()`.
    (Cause::GarbageCollection, &[Exactly("Python GC"), Exactly("<built-in function collect>")]),
    (Cause::Profiler, &[Contains("torch/profiler/profiler.py("), Contains("torch/autograd/profiler.py(")]),
    (
        Cause::Compilation,
        &[
            // Dynamo comes here only if it has no compiled code for a frame yet.
            Contains("torch/_dynamo/convert_frame.py("),
            Ends(": compile_fx_inner"),
            Ends(": benchmark_all_configs"),
            Function("triton/compiler/compiler.py(", "): compile"),
        ],
    ),
    (
        Cause::Synchronisation,
        &[
            Starts("<built-in method item of Tensor"),
            Starts("<built-in method item of Parameter"),
            Starts("<built-in method synchronize of"),
            Exactly("<built-in function _cuda_synchronize>"),
        ],
    ),
    (
        Cause::DataLoading,
        &[
            Contains("torch/utils/data/"),
            Contains("torchdata/"),
            Contains("webdataset/"),
            Contains("nvidia/dali/"),
            Contains("dataloader.py("),
            Contains("data_loader.py("),
        ],
    ),
];

/// Ranges named by the user or the framework.
static RANGES: &[Rule] = &[
    (
        Cause::GarbageCollection,
        &[Exactly("Python GC"), Contains("gc.collect"), Contains("garbage_collection")],
    ),
    // `dynamo_timed` marks every phase of a compilation; some versions leave the mark away.
    (
        Cause::Compilation,
        &[
            Ends(" (dynamo_timed)"),
            Starts("entire_frame_compile"),
            Starts("backend_compile"),
            Starts("compile_fx_inner"),
        ],
    ),
    (
        Cause::DataLoading,
        &[
            Starts("enumerate(DataLoader)#"),
            Contains("dataloader"),
            Contains("DataLoader"),
            Contains("data_load"),
            Contains("load_data"),
            Contains("load_batch"),
        ],
    ),
];

/// What CUPTI calls overhead (`CUpti_ActivityOverheadKind`): most of it is the profiler's, some of it is not.
static OVERHEAD: &[Rule] = &[
    (
        Cause::Compilation,
        &[
            Exactly("Driver Compiler"),
            Exactly("Lazy Function Loading"),
            Exactly("Runtime Triggered Module Loading"),
        ],
    ),
    (Cause::Launching, &[Exactly("Command Buffer Full")]),
];

/// The cause that a slice of a kind and a name stands for, if any.
pub(super) fn cause_of(kind: SliceKind, name: &str) -> Option<Cause> {
    let (rules, otherwise) = match kind {
        SliceKind::Runtime if is_blocking_copy(name) => return Some(Cause::Synchronisation),
        SliceKind::Runtime => (RUNTIME, Cause::Launching),
        SliceKind::Op => (OPERATORS, Cause::Operators),
        SliceKind::Python => (PYTHON, Cause::Python),
        // A step says that the loop is running, which is no more than nothing.
        SliceKind::Annotation if name.starts_with("ProfilerStep") => return None,
        SliceKind::Annotation | SliceKind::Other => (RANGES, Cause::Ranges),
        SliceKind::Overhead => (OVERHEAD, Cause::Profiler),
        _ => return None,
    };
    let rule = rules.iter().find(|(_, patterns)| patterns.iter().any(|pattern| pattern.matches(name)));
    Some(rule.map_or(otherwise, |&(cause, _)| cause))
}

/// `cudaMemcpy` returns when the copy is done, `cudaMemcpyAsync` when it is queued.
fn is_blocking_copy(name: &str) -> bool {
    name.contains("Memcpy") && !name.contains("Async")
}

/// True for a frame of Python code in a file: not of a built-in function, not the call of a module.
pub(super) fn is_line(kind: SliceKind, name: &str) -> bool {
    kind == SliceKind::Python && !name.starts_with('<') && !name.starts_with("nn.Module: ")
}

/// What slices stand for, looked up once for each kind and name.
pub(in crate::analyses) struct Classes<'a> {
    trace: &'a Trace,
    known: Vec<u8>,
}

/// The cause of a slice, and whether it is a line of Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analyses) struct Class {
    pub(in crate::analyses) cause: Cause,
    pub(super) is_line: bool,
}

/// Not looked up yet. Numbers of causes are smaller than all of these.
const UNKNOWN: u8 = u8::MAX;
/// Stands for nothing.
const NOTHING: u8 = UNKNOWN - 1;
/// Added to the number of the cause.
const LINE: u8 = 0x40;

impl<'a> Classes<'a> {
    pub(in crate::analyses) fn new(trace: &'a Trace) -> Self {
        // Slices without a name share the place behind the last string.
        Self { trace, known: vec![UNKNOWN; (trace.strings.len() + 1) * SliceKind::ALL.len()] }
    }

    /// What a slice stands for, if for anything.
    #[inline]
    pub(in crate::analyses) fn of(&mut self, slice: SliceId) -> Option<Class> {
        let slices = &self.trace.slices;
        let (kind, name) = (slices.kind[slice.index()], slices.name[slice.index()]);
        let strings = self.trace.strings.len();
        let place = kind as usize * (strings + 1) + name.index().min(strings);
        if self.known[place] == UNKNOWN {
            let name = self.trace.strings.get(name);
            self.known[place] = match cause_of(kind, name) {
                None => NOTHING,
                Some(cause) => cause as u8 | if is_line(kind, name) { LINE } else { 0 },
            };
        }
        let code = self.known[place];
        let cause = Cause::ALL.get(usize::from(code & !LINE)).copied()?;
        (code != NOTHING).then_some(Class { cause, is_line: code & LINE != 0 })
    }
}

#[cfg(test)]
mod tests {
    use eaves_model::SliceKind::{Annotation, Kernel, Op, Overhead, Python, Runtime};

    use super::*;
    use crate::test_trace::TestTrace;

    #[test]
    fn names_stand_for_causes() {
        let expected = [
            (Python, "Python GC", Cause::GarbageCollection),
            (Python, "<built-in function collect>", Cause::GarbageCollection),
            (Overhead, "Activity Buffer Request", Cause::Profiler),
            (Overhead, "Lazy Function Loading", Cause::Compilation),
            (Python, "torch/profiler/profiler.py(821): step", Cause::Profiler),
            (Annotation, "compile_inner (dynamo_timed)", Cause::Compilation),
            (Python, "torch/_dynamo/convert_frame.py(1040): __call__", Cause::Compilation),
            (Python, "triton/compiler/compiler.py(245): compile", Cause::Compilation),
            (Python, "triton/compiler/compiler.py(465): __getattribute__", Cause::Python),
            // Compiled code runs below this frame.
            (Python, "torch/_dynamo/eval_frame.py(738): _fn", Cause::Python),
            (Annotation, "Torch-Compiled Region: 0/0", Cause::Ranges),
            (Runtime, "cudaStreamSynchronize", Cause::Synchronisation),
            (Runtime, "hipDeviceSynchronize", Cause::Synchronisation),
            (Runtime, "hipMemcpyWithStream", Cause::Synchronisation),
            (Runtime, "cudaMemcpyAsync", Cause::Launching),
            (Op, "aten::item", Cause::Synchronisation),
            (Runtime, "cudaMalloc", Cause::Allocation),
            (Runtime, "hipFree", Cause::Allocation),
            (Runtime, "cudaStreamWaitEvent", Cause::Launching),
            (Annotation, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", Cause::DataLoading),
            (Python, "torch/utils/data/dataloader.py(757): _next_data", Cause::DataLoading),
            (Annotation, "## data_load ##", Cause::DataLoading),
            (Runtime, "hipLaunchKernel", Cause::Launching),
            (Op, "aten::addmm", Cause::Operators),
            (Python, "train.py(52): train", Cause::Python),
            (Annotation, "Optimizer.step#AdamW.step", Cause::Ranges),
        ];
        for (kind, name, cause) in expected {
            assert_eq!(cause_of(kind, name), Some(cause), "{name}");
        }
        assert_eq!(cause_of(Annotation, "ProfilerStep#3"), None);
        assert_eq!(cause_of(Kernel, "gemm"), None);
    }

    #[test]
    fn a_class_is_the_same_the_second_time() {
        let mut test = TestTrace::default();
        test.host(Python, "train.py(52): train", 0, 9)
            .host(Python, "<built-in function len>", 0, 1)
            .step(1, 0, 9);
        let mut classes = Classes::new(&test.trace);
        let line = Class { cause: Cause::Python, is_line: true };
        for _ in 0..2 {
            let found = [0, 1, 2].map(|row| classes.of(SliceId(row)));
            assert_eq!(found, [Some(line), Some(Class { is_line: false, ..line }), None]);
        }
    }
}
