//! From records to the model.

use std::collections::{BTreeMap, HashMap, VecDeque};

use eaves_model::compile::{
    Cache, CacheAnswer, CacheLookup, Compile, CompileId, CompileLog, CompilePhase, CompileTimes,
    CompiledGraph, FailedGuard, GraphBreak, GraphKind, Recompile, Span, StackFrame,
};
use eaves_model::{Diagnostics, Ns, RankSource, StringId, WarningKind};

use super::events::{self, Edge};
use super::graphs::{self, Direction, Operators};
use super::records::lines;
use super::{breaks, metrics, reasons};
use crate::json::text::unescape;
use crate::json::walk::{Bad, Walk};

/// The longest text of which more is not kept.
const LONGEST: usize = 8 << 10;

/// The most frames of a stack.
const DEEPEST: usize = 256;

/// The most kinds of records that are told by name.
const MOST_UNKNOWN: usize = 256;

/// The most graphs of a compilation that wait for their code, and phases that wait for their end.
const MOST_WAITING: usize = 4096;

/// A log that grows.
#[derive(Default)]
pub(super) struct Builder {
    log: CompileLog,
    /// Texts that the log itself interned, by its numbers.
    files: HashMap<i64, StringId>,
    /// The compilation that an id stands for now.
    current: HashMap<CompileId, u32>,
    /// Graphs that wait for the code made of them.
    waiting: HashMap<u32, Waiting>,
    /// Phases that have begun.
    open: Vec<Open>,
    unknown: BTreeMap<String, u64>,
    /// Compilations whose beginning was logged.
    started: Vec<bool>,
}

/// Graphs of one compilation, in order. Older versions log the graph under another name alone, some both.
#[derive(Default)]
struct Waiting {
    named: VecDeque<Operators>,
    older: VecDeque<Operators>,
}

struct Open {
    compile: Option<u32>,
    name: StringId,
    start: i64,
    beside: bool,
}

impl Builder {
    pub(super) fn record(&mut self) {
        self.log.records += 1;
    }

    pub(super) fn checked(&mut self) {
        self.log.payloads_checked += 1;
    }

    pub(super) fn rank(&mut self, rank: Option<i64>) {
        if let Some(rank) = rank.filter(|_| self.log.rank_source == RankSource::Assumed) {
            (self.log.rank, self.log.rank_source) = (rank, RankSource::Trace);
        }
    }

    pub(super) fn unknown(&mut self, subject: &[u8]) {
        let name: String = String::from_utf8_lossy(subject).chars().take(64).collect();
        if self.unknown.len() < MOST_UNKNOWN || self.unknown.contains_key(&name) {
            *self.unknown.entry(name).or_default() += 1;
        }
    }

    pub(super) fn intern(&mut self, text: &str) -> StringId {
        let mut end = text.len().min(LONGEST);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.log.strings.intern(&text[..end])
    }

    /// A text as JSON has it.
    fn intern_json(&mut self, text: &[u8]) -> StringId {
        if memchr::memchr(b'\\', text).is_none() {
            return self.log.strings.intern_bytes(&text[..text.len().min(LONGEST)]).0;
        }
        let (text, _) = unescape(text);
        self.intern(&String::from_utf8_lossy(&text))
    }

    /// The compilation of an id, which is new if nothing was logged of it yet.
    pub(super) fn compile(&mut self, id: CompileId) -> Option<u32> {
        if id.frame.is_none() && id.autograd.is_none() {
            return None;
        }
        if let Some(at) = self.current.get(&id) {
            return Some(*at);
        }
        self.begin(id)
    }

    fn begin(&mut self, id: CompileId) -> Option<u32> {
        let at = u32::try_from(self.log.compiles.len()).ok()?;
        self.log.compiles.push(Compile::new(id));
        self.started.push(false);
        self.current.insert(id, at);
        Some(at)
    }

    fn at(&mut self, compile: u32) -> Option<&mut Compile> {
        self.log.compiles.get_mut(compile as usize)
    }

    /// `"str": ["/srv/comp.py", 1]`
    pub(super) fn text(&mut self, mut walk: Walk<'_>) -> Result<(), Bad> {
        walk.list()?;
        walk.item()?;
        let text = walk.text()?;
        walk.item()?;
        let number = walk.integer()?.ok_or(Bad)?;
        let id = self.intern_json(text);
        self.files.insert(number, id);
        Ok(())
    }

    /// `"dynamo_start": {"stack": [{"line": 24, "name": "f", "filename": 1}]}`
    pub(super) fn start(&mut self, id: CompileId, attempt: u32, mut walk: Walk<'_>) -> Result<(), Bad> {
        let Some(mut at) = self.compile(id) else { return Ok(()) };
        // The same id again is another compilation, after a reset; a further attempt is not.
        if attempt == 0 && self.started.get(at as usize) == Some(&true) {
            let Some(new) = self.begin(id) else { return Ok(()) };
            at = new;
        }
        if let Some(started) = self.started.get_mut(at as usize) {
            *started = true;
        }
        let start = self.log.frames.len();
        walk.object()?;
        while let Some(key) = walk.key()? {
            if key != b"stack" || walk.peek() != Some(b'[') {
                walk.skip()?;
                continue;
            }
            walk.list()?;
            while walk.item()? {
                let frame = self.frame(&mut walk)?;
                if self.log.frames.len() - start < DEEPEST {
                    self.log.frames.push(frame);
                }
            }
        }
        let span = self.span(start);
        let last = self.log.frames.last().copied().filter(|_| span.count > 0);
        if let Some(compile) = self.at(at) {
            compile.restarts = compile.restarts.max(attempt);
            compile.stack = span;
            if let Some(last) = last.filter(|_| compile.function == StringId::NONE) {
                (compile.function, compile.file, compile.line) = (last.function, last.file, last.line);
            }
        }
        Ok(())
    }

    fn span(&self, start: usize) -> Span {
        let count = self.log.frames.len() - start;
        match (u32::try_from(start), u32::try_from(count)) {
            (Ok(start), Ok(count)) => Span { start, count },
            _ => Span::default(),
        }
    }

    fn frame(&mut self, walk: &mut Walk<'_>) -> Result<StackFrame, Bad> {
        let mut frame = StackFrame { file: StringId::NONE, line: 0, function: StringId::NONE };
        walk.object()?;
        while let Some(key) = walk.key()? {
            match key {
                b"line" => frame.line = small(walk.integer()?),
                b"name" => {
                    let name = walk.maybe_text()?.unwrap_or_default();
                    frame.function = self.intern_json(name);
                }
                b"filename" if walk.peek() == Some(b'"') => frame.file = self.intern_json(walk.text()?),
                b"filename" => {
                    let number = walk.integer()?;
                    let file = number.and_then(|number| self.files.get(&number));
                    frame.file = file.copied().unwrap_or(StringId::NONE);
                }
                _ => walk.skip()?,
            }
        }
        Ok(frame)
    }

    pub(super) fn metrics(
        &mut self,
        id: CompileId,
        attempt: u32,
        walk: Walk<'_>,
        backward: bool,
    ) -> Result<(), Bad> {
        let found = metrics::parse(walk)?;
        let Some(at) = self.compile(id) else { return Ok(()) };
        let text = |builder: &mut Self, text: Option<&[u8]>| text.map(|text| builder.intern_json(text));
        let function = text(self, found.function);
        let file = text(self, found.file);
        let fail_type = text(self, found.fail_type);
        let fail_reason = text(self, found.fail_reason);
        let fail_file = text(self, found.fail_file);
        let cudagraph_skip = text(self, found.cudagraph_skip);
        let restart_reasons: Vec<StringId> =
            found.restart_reasons.iter().map(|reason| self.intern_json(reason)).collect();
        if let Some(version) = found.torch_version.filter(|_| self.log.torch_version.is_none()) {
            self.log.torch_version = Some(String::from_utf8_lossy(version).chars().take(64).collect());
        }
        let Some(compile) = self.at(at) else { return Ok(()) };
        compile.restarts = compile.restarts.max(attempt);
        if found.has_time {
            let times = if backward { &mut compile.backward } else { &mut compile.forward };
            *times = Some(match *times {
                // A second backward graph of the same frame.
                Some(before) => added(before, found.times),
                None => found.times,
            });
        }
        if let Some(function) = function {
            compile.function = function;
            compile.file = file.unwrap_or(StringId::NONE);
            compile.line = small(found.line);
        }
        compile.operators = maybe_small(found.operators).or(compile.operators);
        compile.guards = maybe_small(found.guards).or(compile.guards);
        compile.fail_type = fail_type.or(compile.fail_type);
        compile.fail_reason = fail_reason.or(compile.fail_reason);
        compile.fail_place = fail_file.map(|file| (file, small(found.fail_line))).or(compile.fail_place);
        compile.cudagraph_skip = cudagraph_skip.or(compile.cudagraph_skip);
        if !restart_reasons.is_empty() {
            compile.restart_reasons = restart_reasons;
        }
        compile.before_restart = compile.before_restart.max(Ns(found.before_restart.unwrap_or(0)));
        if let Some(reason) = fail_reason {
            self.refusal(id, at, reason, fail_file, small(found.fail_line));
        }
        Ok(())
    }

    pub(super) fn event(&mut self, id: CompileId, payload: &[u8]) -> Result<(), Bad> {
        let Some(event) = events::parse(payload)? else { return Ok(()) };
        if event.edge == Edge::Neither {
            return Ok(());
        }
        let mut compile = self.compile(id);
        let name = self.intern_json(event.name);
        match event.edge {
            Edge::Begin => {
                // The outermost phase begins before anything else is logged of a compilation.
                let is_done = compile
                    .and_then(|at| self.log.compiles.get(at as usize))
                    .is_some_and(|compile| compile.forward.is_some());
                if event.name == b"dynamo" && is_done {
                    compile = self.begin(id);
                }
                if self.open.len() < MOST_WAITING {
                    let beside = !event.has_compile;
                    self.open.push(Open { compile, name, start: event.time, beside });
                }
            }
            Edge::End => self.end(name, &event),
            Edge::Neither => {}
        }
        Ok(())
    }

    fn end(&mut self, name: StringId, event: &events::Event<'_>) {
        let beside = !event.has_compile;
        let Some(at) = self.open.iter().rposition(|open| open.name == name && open.beside == beside) else {
            return;
        };
        let begun = self.open.remove(at);
        if !beside {
            // What began inside of it and has no end was left by an exception.
            let mut index = 0;
            self.open.retain(|open| {
                index += 1;
                index <= at || open.beside
            });
        }
        self.log.phases.push(CompilePhase {
            compile: begun.compile,
            name,
            start: Ns(begun.start),
            duration: Ns(event.time.saturating_sub(begun.start).max(0)),
            beside,
        });
    }

    pub(super) fn graph(&mut self, id: CompileId, payload: &[u8], named: bool) {
        let Some(at) = self.compile(id) else { return };
        let operators = graphs::operators(payload);
        let waiting = self.waiting.entry(at).or_default();
        let queue = if named { &mut waiting.named } else { &mut waiting.older };
        if queue.len() < MOST_WAITING {
            queue.push_back(operators);
        }
    }

    pub(super) fn code(&mut self, id: CompileId, payload: &[u8]) {
        let Some(at) = self.compile(id) else { return };
        let launches = graphs::launches(payload);
        let waiting = self.waiting.entry(at).or_default();
        let older = waiting.older.pop_front();
        let operators = waiting.named.pop_front().or(older);
        self.log.graphs.push(CompiledGraph {
            compile: at,
            kind: match launches.direction {
                Direction::Forward => GraphKind::Forward,
                Direction::Backward => GraphKind::Backward,
                Direction::Inference => GraphKind::Inference,
                Direction::Unknown => GraphKind::Unknown,
            },
            operators: operators.map(|operators| operators.computing),
            views: operators.map_or(0, |operators| operators.views),
            generated: launches.has_call.then_some(launches.generated),
            external: launches.external,
            fallback: launches.fallback,
            kernels: launches.kernels,
        });
    }

    pub(super) fn graph_break(&mut self, id: CompileId, payload: &[u8]) {
        let texts: Vec<_> = lines(payload).map(String::from_utf8_lossy).collect();
        let told = breaks::parse(texts.iter().map(AsRef::as_ref));
        self.told_break(id, told);
    }

    /// A compilation that failed at something that would have been a graph break: of a function that must not have any, it is
    /// told nowhere else.
    fn refusal(&mut self, id: CompileId, at: u32, reason: StringId, file: Option<StringId>, line: u32) {
        let text = self.log.strings.get(reason).to_owned();
        let Some(mut told) = breaks::refusal(text.lines()) else { return };
        let file = file.map_or("", |file| self.log.strings.get(file)).to_owned();
        let is_known =
            self.log.breaks.iter().rev().take_while(|broken| broken.compile == Some(at)).any(|broken| {
                broken.kind == told.kind && broken.line == line && self.log.strings.get(broken.file) == file
            });
        if !is_known {
            (told.file, told.line) = (file, line);
            self.told_break(id, told);
        }
    }

    pub(super) fn told_break(&mut self, id: CompileId, told: breaks::Told) {
        let compile = self.compile(id);
        let start = self.log.frames.len();
        for (file, line, function) in &told.stack {
            let frame = StackFrame { file: self.intern(file), line: *line, function: self.intern(function) };
            self.log.frames.push(frame);
        }
        let broken = GraphBreak {
            compile,
            file: self.intern(&told.file),
            line: told.line,
            kind: told.kind,
            title: self.intern(&told.title),
            explanation: self.intern(&told.explanation),
            hints: told.hints.iter().map(|hint| self.intern(hint)).collect(),
            context: self.intern(&told.context),
            stack: self.span(start),
            code: self.intern(&told.code),
        };
        self.log.breaks.push(broken);
    }

    pub(super) fn recompile(&mut self, id: CompileId, payload: &[u8]) {
        self.told_recompile(id, &reasons::parse(payload));
    }

    pub(super) fn told_recompile(&mut self, id: CompileId, told: &[reasons::Told]) {
        let compile = self.compile(id);
        let reasons = told
            .iter()
            .map(|one| FailedGuard {
                of: self.intern(&one.of),
                guard: self.intern(&one.guard),
                place: self.intern(&one.place),
            })
            .collect();
        self.log.recompiles.push(Recompile { compile, reasons });
    }

    pub(super) fn version(&mut self, payload: &[u8]) -> Result<(), Bad> {
        let mut walk = Walk::new(payload);
        walk.object()?;
        while let Some(key) = walk.key()? {
            if key == b"pytorch_version" {
                let version = walk.maybe_text()?;
                self.log.torch_version =
                    version.map(|text| String::from_utf8_lossy(text).chars().take(64).collect());
            } else {
                walk.skip()?;
            }
        }
        Ok(())
    }

    pub(super) fn cudagraph_skip(&mut self, id: CompileId, payload: &[u8]) {
        let text: Vec<_> = lines(payload).map(String::from_utf8_lossy).collect();
        let reason = self.intern(&text.join("\n"));
        let Some(at) = self.compile(id) else { return };
        if let Some(compile) = self.at(at) {
            compile.cudagraph_skip = Some(reason);
        }
    }

    /// Artifacts of caches are told by their names; others are none.
    pub(super) fn cache(&mut self, id: CompileId, name: &[u8], payload: &[u8]) -> Result<(), Bad> {
        let (cache, answer) = match name {
            b"fx_graph_cache_hit" => (Cache::FxGraph, CacheAnswer::Hit),
            b"fx_graph_cache_miss" => (Cache::FxGraph, CacheAnswer::Miss),
            b"fx_graph_cache_bypass" => (Cache::FxGraph, CacheAnswer::Bypass),
            b"aotautograd_cache_hit" => (Cache::Autograd, CacheAnswer::Hit),
            b"aotautograd_cache_miss" => (Cache::Autograd, CacheAnswer::Miss),
            b"aotautograd_cache_bypass" => (Cache::Autograd, CacheAnswer::Bypass),
            _ => return Ok(()),
        };
        let compile = self.compile(id);
        // A lookup counts even if its reason cannot be read.
        let reason = if answer == CacheAnswer::Bypass { bypass_reason(payload) } else { Ok(None) };
        let text = reason.ok().flatten().map(|text| self.intern_json(text));
        self.log.caches.push(CacheLookup { compile, cache, answer, reason: text });
        reason.map(|_| ())
    }

    /// Older versions say how long compilations took and not when they began; their phases do.
    fn complete_starts(&mut self) {
        let Some(name) = self.log.strings.find("entire_frame_compile") else { return };
        for phase in self.log.phases.iter().filter(|phase| phase.name == name) {
            let compile = phase.compile.and_then(|at| self.log.compiles.get_mut(at as usize));
            let times = compile.and_then(|compile| compile.forward.as_mut());
            if let Some(times) = times.filter(|times| times.start == Ns::ZERO) {
                times.start = phase.start;
            }
        }
    }

    /// The log, complete.
    pub(super) fn finish(mut self, mut diagnostics: Diagnostics) -> CompileLog {
        let open = self.open.iter().filter(|open| !open.beside).count() as u64;
        diagnostics.note_many(WarningKind::UnmatchedBegin, open, None);
        self.complete_starts();
        self.log.unknown = self.unknown.into_iter().collect();
        self.log.diagnostics = diagnostics;
        self.log
    }
}

fn bypass_reason(payload: &[u8]) -> Result<Option<&[u8]>, Bad> {
    let mut walk = Walk::new(payload);
    let mut reason = None;
    walk.object()?;
    while let Some(key) = walk.key()? {
        if key == b"cache_bypass_reason" {
            reason = walk.maybe_text()?;
        } else {
            walk.skip()?;
        }
    }
    Ok(reason)
}

fn added(before: CompileTimes, more: CompileTimes) -> CompileTimes {
    let sum = |a: Option<Ns>, b: Option<Ns>| match (a, b) {
        (Some(a), Some(b)) => Some(Ns(a.0.saturating_add(b.0))),
        (a, b) => a.or(b),
    };
    CompileTimes {
        start: before.start.min(more.start),
        total: Ns(before.total.0.saturating_add(more.total.0)),
        backend: sum(before.backend, more.backend),
        inductor: sum(before.inductor, more.inductor),
        code_gen: sum(before.code_gen, more.code_gen),
        kernels: sum(before.kernels, more.kernels),
        garbage: sum(before.garbage, more.garbage),
    }
}

fn maybe_small(number: Option<i64>) -> Option<u32> {
    number.and_then(|number| u32::try_from(number).ok())
}

fn small(number: Option<i64>) -> u32 {
    maybe_small(number).unwrap_or(0)
}
