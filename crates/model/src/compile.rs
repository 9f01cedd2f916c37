//! The `torch.compile` log of a process.

use std::fmt;

use crate::{Diagnostics, Ns, RankSource, StringId, Strings};

/// The log of one process. Texts are interned.
#[derive(Clone, Debug, Default)]
pub struct CompileLog {
    /// The input as the user named it.
    pub path: String,
    /// Name of the format.
    pub format: &'static str,
    /// How it was packed.
    pub container: &'static str,
    /// Size after unpacking.
    pub bytes: u64,
    /// Lines, those of payloads included.
    pub lines: u64,
    /// Records that could be read.
    pub records: u64,
    /// Payloads whose checksum was compared.
    pub payloads_checked: u64,
    /// Rank in the job.
    pub rank: i64,
    /// How the rank became known.
    pub rank_source: RankSource,
    /// Version of PyTorch.
    pub torch_version: Option<String>,
    /// Texts.
    pub strings: Strings,
    /// Compilations in the order they began.
    pub compiles: Vec<Compile>,
    /// Frames of all stacks, outermost first in each.
    pub frames: Vec<StackFrame>,
    /// Graphs for which code was generated.
    pub graphs: Vec<CompiledGraph>,
    /// Graph breaks, each time one was met.
    pub breaks: Vec<GraphBreak>,
    /// Recompilations for which guards that failed were logged.
    pub recompiles: Vec<Recompile>,
    /// Phases of compilations, in the order they ended.
    pub phases: Vec<CompilePhase>,
    /// Lookups in caches.
    pub caches: Vec<CacheLookup>,
    /// Unknown record types by name, with their counts.
    pub unknown: Vec<(String, u64)>,
    /// Diagnostics.
    pub diagnostics: Diagnostics,
}

/// Identifies a compilation: the Python frame, and a count per frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CompileId {
    /// The graph of compiled autograd it belongs to, if any.
    pub autograd: Option<u32>,
    /// The frame.
    pub frame: Option<u32>,
    /// Compilations of the frame before this one.
    pub compile: Option<u32>,
}

impl fmt::Display for CompileId {
    /// As PyTorch writes it: `0/1`, or `!0/0/1` under compiled autograd.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.autograd, self.frame, self.compile) {
            (None, Some(frame), Some(compile)) => write!(formatter, "{frame}/{compile}"),
            (Some(autograd), Some(frame), Some(compile)) => {
                write!(formatter, "!{autograd}/{frame}/{compile}")
            }
            (Some(autograd), ..) => write!(formatter, "!{autograd}"),
            _ => formatter.write_str("-"),
        }
    }
}

/// A range of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The first.
    pub start: u32,
    /// How many.
    pub count: u32,
}

impl Span {
    /// The part of a list; empty if the list is shorter.
    pub fn of<T>(self, list: &[T]) -> &[T] {
        let start = self.start as usize;
        list.get(start..start + self.count as usize).unwrap_or_default()
    }
}

/// One compilation of a frame.
#[derive(Clone, Debug)]
pub struct Compile {
    /// Which one. The same id may come again after a reset.
    pub id: CompileId,
    /// Attempts beyond the first: Dynamo began again.
    pub restarts: u32,
    /// Name of the function.
    pub function: StringId,
    /// Its file.
    pub file: StringId,
    /// Its first line.
    pub line: u32,
    /// The stack of calls that led to it, in [`CompileLog::frames`].
    pub stack: Span,
    /// Times of the frame with the forward graph.
    pub forward: Option<CompileTimes>,
    /// Times of the backward graph, if it was compiled later by itself.
    pub backward: Option<CompileTimes>,
    /// Calls in the graph that was captured.
    pub operators: Option<u32>,
    /// Guards.
    pub guards: Option<u32>,
    /// Kind of the exception that ended it.
    pub fail_type: Option<StringId>,
    /// What the exception said.
    pub fail_reason: Option<StringId>,
    /// Where in the user's code it failed: file and line.
    pub fail_place: Option<(StringId, u32)>,
    /// Why Dynamo began again.
    pub restart_reasons: Vec<StringId>,
    /// Time spent before the last beginning.
    pub before_restart: Ns,
    /// Why CUDA graphs were not used.
    pub cudagraph_skip: Option<StringId>,
}

impl Compile {
    /// An empty compilation.
    pub fn new(id: CompileId) -> Self {
        Self {
            id,
            restarts: 0,
            function: StringId::NONE,
            file: StringId::NONE,
            line: 0,
            stack: Span::default(),
            forward: None,
            backward: None,
            operators: None,
            guards: None,
            fail_type: None,
            fail_reason: None,
            fail_place: None,
            restart_reasons: Vec::new(),
            before_restart: Ns(0),
            cudagraph_skip: None,
        }
    }

    /// Time of all parts.
    pub fn total(&self) -> Ns {
        let of = |times: &Option<CompileTimes>| times.map_or(0, |times| times.total.0);
        Ns(of(&self.forward).saturating_add(of(&self.backward)))
    }
}

/// Times of one compilation as PyTorch counted them. Each includes those that follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompileTimes {
    /// When it began, in nanoseconds since 1970.
    pub start: Ns,
    /// From beginning to end.
    pub total: Ns,
    /// The compiler behind Dynamo: AOTAutograd and all it calls.
    pub backend: Option<Ns>,
    /// Inductor.
    pub inductor: Option<Ns>,
    /// Generation of code, with the compilers of that code.
    pub code_gen: Option<Ns>,
    /// Waiting for the compilers of kernels: Triton, g++.
    pub kernels: Option<Ns>,
    /// Collecting garbage, in `total` alone.
    pub garbage: Option<Ns>,
}

/// A call of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StackFrame {
    /// File.
    pub file: StringId,
    /// Line.
    pub line: u32,
    /// Function.
    pub function: StringId,
}

/// Direction of a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GraphKind {
    /// Forward, to be followed by a backward graph.
    Forward,
    /// Backward.
    Backward,
    /// Forward only.
    Inference,
    /// The log does not say.
    #[default]
    Unknown,
}

impl GraphKind {
    /// The name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Inference => "inference",
            Self::Unknown => "unknown",
        }
    }
}

/// A graph for which code was generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompiledGraph {
    /// The compilation, an index.
    pub compile: u32,
    /// Its direction.
    pub kind: GraphKind,
    /// Calls of operators in the graph after all passes, without views; nothing if the graph was not logged.
    pub operators: Option<u32>,
    /// Views and questions of sizes, which need no kernel.
    pub views: u32,
    /// Launches of generated kernels; nothing if the code has no function `call`.
    pub generated: Option<u32>,
    /// Calls of libraries and of kernels that the user wrote.
    pub external: u32,
    /// Operators that are called as eager mode would.
    pub fallback: u32,
    /// Distinct kernels that were generated.
    pub kernels: u32,
}

/// A graph break that was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphBreak {
    /// The compilation, an index.
    pub compile: Option<u32>,
    /// The file of the user's code.
    pub file: StringId,
    /// The line there.
    pub line: u32,
    /// PyTorch's number of the kind of break: 59 for `gb0059`.
    pub kind: Option<u32>,
    /// PyTorch's name for it.
    pub title: StringId,
    /// PyTorch's explanation.
    pub explanation: StringId,
    /// PyTorch's hints.
    pub hints: Vec<StringId>,
    /// Details for PyTorch developers.
    pub context: StringId,
    /// The user's stack, in [`CompileLog::frames`].
    pub stack: Span,
    /// The line of code, if the stack shows it.
    pub code: StringId,
}

/// A recompilation with the guards that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recompile {
    /// The compilation, an index.
    pub compile: Option<u32>,
    /// One for each earlier compilation of the frame, the newest first.
    pub reasons: Vec<FailedGuard>,
}

/// A guard that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedGuard {
    /// The compilation whose guard it is: `5/0`.
    pub of: StringId,
    /// The guard: `k == 1`.
    pub guard: StringId,
    /// Where the value is used, as PyTorch says it.
    pub place: StringId,
}

/// A phase of a compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompilePhase {
    /// The compilation, an index.
    pub compile: Option<u32>,
    /// Its name.
    pub name: StringId,
    /// When it began, in nanoseconds since 1970.
    pub start: Ns,
    /// How long it took.
    pub duration: Ns,
    /// True if it ran next to the others, as a compiler in a worker does.
    pub beside: bool,
}

/// A cache of compiled things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cache {
    /// Graphs of Inductor.
    FxGraph,
    /// Whole results of AOTAutograd.
    Autograd,
}

impl Cache {
    /// The name.
    pub fn id(self) -> &'static str {
        match self {
            Self::FxGraph => "fx graph",
            Self::Autograd => "aot autograd",
        }
    }
}

/// Result of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CacheAnswer {
    /// Hit.
    Hit,
    /// Miss.
    Miss,
    /// Not cacheable.
    Bypass,
}

/// A lookup in a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheLookup {
    /// The compilation, an index.
    pub compile: Option<u32>,
    /// The cache.
    pub cache: Cache,
    /// Its result.
    pub answer: CacheAnswer,
    /// Bypass reason.
    pub reason: Option<StringId>,
}
