//! `compile-time`: where the time of compiling goes, by phase, by compilation and by step.

use eaves_model::compile::{Compile, CompileLog, CompileTimes};
use eaves_model::{Interval, IntervalSet, Ns};
use eaves_section::Outcome;
use eaves_section::quantity::{duration, percentage};
use eaves_section::{Column, Finding, Gain, Number, Section, Severity, Skipped, Table, Unit, Value};

use super::{caches, names, steps};

/// Time of a compilation by phase. The phases add up to its whole time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// Dynamo: reading bytecode, guards, and all else that is not below.
    pub tracing: Ns,
    /// AOTAutograd: joint graphs, partitions, decompositions.
    pub autograd: Ns,
    /// Inductor: passes over graphs, lowering, caches.
    pub inductor: Ns,
    /// Inductor: scheduling and writing code.
    pub code_gen: Ns,
    /// Waiting for the compilers of kernels: Triton, g++.
    pub kernels: Ns,
}

impl Phases {
    /// Names and times, in order.
    pub fn named(self) -> [(&'static str, &'static str, Ns); 5] {
        [
            ("tracing", "Dynamo: tracing and guards", self.tracing),
            ("autograd", "AOTAutograd", self.autograd),
            ("inductor", "Inductor: passes and lowering", self.inductor),
            ("code_gen", "Inductor: generating code", self.code_gen),
            ("kernels", "waiting for Triton or g++", self.kernels),
        ]
    }

    fn add(&mut self, other: Self) {
        self.tracing += other.tracing;
        self.autograd += other.autograd;
        self.inductor += other.inductor;
        self.code_gen += other.code_gen;
        self.kernels += other.kernels;
    }
}

/// PyTorch counts each phase with all inside of it; here each is without them. A phase that was not counted takes no
/// time of its own, and none is longer than the one around it. A backward graph has no part of Dynamo.
pub fn phases(times: &CompileTimes, backward: bool) -> Phases {
    let kernels = times.kernels.unwrap_or_default();
    let code_gen = times.code_gen.unwrap_or_default().max(kernels);
    let inductor = times.inductor.unwrap_or_default().max(code_gen);
    let backend = if backward { times.total } else { times.backend.unwrap_or_default().max(inductor) };
    let backend = backend.min(times.total);
    let inductor = inductor.min(backend);
    let code_gen = code_gen.min(inductor);
    let kernels = kernels.min(code_gen);
    Phases {
        tracing: times.total - backend,
        autograd: backend - inductor,
        inductor: inductor - code_gen,
        code_gen: code_gen - kernels,
        kernels,
    }
}

/// Both graphs of a compilation.
fn phases_of(compile: &Compile) -> Phases {
    let mut sum = compile.forward.map(|times| phases(&times, false)).unwrap_or_default();
    sum.add(compile.backward.map(|times| phases(&times, true)).unwrap_or_default());
    sum
}

/// Time in which a process compiled anything: one compilation may run inside another.
pub(super) fn busy(log: &CompileLog) -> Ns {
    let of = |times: CompileTimes| Interval::new(times.start, times.start + times.total);
    let intervals =
        log.compiles.iter().flat_map(|compile| compile.forward.into_iter().chain(compile.backward));
    IntervalSet::union_of(intervals.map(of).collect()).measure()
}

pub(super) fn section(logs: &[CompileLog]) -> Outcome {
    let timed = || logs.iter().flat_map(|log| &log.compiles).filter(|one| one.total() > Ns::ZERO);
    if timed().next().is_none() {
        return Outcome::Skipped(Skipped {
            id: "compile-time",
            missing: "the log has no compile times (compilation_metrics)".to_owned(),
            how_to_record: "let the program exit on its own, with TORCH_TRACE=DIR instead of TORCH_LOGS"
                .to_owned(),
        });
    }
    let mut sum = Phases::default();
    for compile in timed() {
        sum.add(phases_of(compile));
    }
    let total: Ns = timed().map(Compile::total).sum();
    let mut tables = vec![phase_table(sum, total), slowest(logs)];
    tables.extend(caches::table(logs));
    tables.extend(restarts(logs));
    tables.extend(failures(logs));
    tables.extend(skips(logs));
    tables.extend(steps::table(logs));
    Outcome::Section(Section {
        id: "compile-time",
        title: "Compile time",
        numbers: numbers(logs),
        tables,
        charts: Vec::new(),
        findings: findings(logs, sum, total),
    })
}

fn numbers(logs: &[CompileLog]) -> Vec<Number> {
    let all = || logs.iter().flat_map(|log| &log.compiles);
    let number = Number::counter;
    let count = |id, value: usize, explain| number(id, value.into(), Unit::Count, explain);
    let longest = logs.iter().map(busy).max().unwrap_or_default();
    vec![
        number(
            "compile_time_ns",
            longest.into(),
            Unit::Nanoseconds,
            "Compile time on the slowest rank, overlaps counted once.",
        ),
        count("compiles", all().count(), "Compiled frames, over all ranks."),
        count(
            "restarts",
            all().map(|compile| compile.restarts as usize).sum(),
            "Dynamo restarts, over all ranks.",
        ),
        count(
            "failures",
            all().filter(|compile| compile.fail_type.is_some()).count(),
            "Compilations that raised an exception.",
        ),
    ]
}

fn phase_table(sum: Phases, total: Ns) -> Table {
    let columns = vec![
        Column::new("phase", "phase", Unit::None),
        Column::new("what", "what", Unit::None),
        Column::new("time_ns", "time", Unit::Nanoseconds),
        Column::new("share_pct", "share", Unit::Percent),
    ];
    let row = |(id, name, time): (&str, &str, Ns)| {
        vec![id.into(), name.into(), time.into(), Value::percent(time.0, total.0)]
    };
    let rows = sum.named().into_iter().map(row).collect();
    Table { id: "phases", title: "Exclusive time by phase", columns, rows }
}

fn slowest(logs: &[CompileLog]) -> Table {
    let columns = vec![
        Column::new("id", "id", Unit::None),
        Column::new("function", "function", Unit::None),
        Column::new("time_ns", "time", Unit::Nanoseconds),
        Column::new("tracing_ns", "tracing", Unit::Nanoseconds),
        Column::new("autograd_ns", "autograd", Unit::Nanoseconds),
        Column::new("inductor_ns", "inductor", Unit::Nanoseconds),
        Column::new("code_gen_ns", "code", Unit::Nanoseconds),
        Column::new("kernels_ns", "kernels", Unit::Nanoseconds),
        Column::new("backward_ns", "backward", Unit::Nanoseconds),
        Column::new("operators", "operators", Unit::Count),
        Column::new("guards", "guards", Unit::Count),
        Column::new("restarts", "restarts", Unit::Count),
        Column::new("cache", "cache", Unit::None),
        Column::new("place", "place", Unit::None),
        Column::RANK,
    ];
    let words: Vec<_> = logs.iter().map(caches::by_compile).collect();
    let mut all: Vec<(&CompileLog, u32, &Compile, Option<&str>)> = Vec::new();
    for (log, words) in logs.iter().zip(&words) {
        let compiles = (0..).zip(&log.compiles);
        all.extend(compiles.map(|(at, compile)| (log, at, compile, words.get(&at).copied())));
    }
    all.sort_by(|a, b| b.2.total().cmp(&a.2.total()).then_with(|| (a.0.rank, a.1).cmp(&(b.0.rank, b.1))));
    let row = |(log, _, compile, cache): (&CompileLog, u32, &Compile, Option<&str>)| {
        let parts = phases_of(compile);
        let count = |value: Option<u32>| {
            value.map_or(Value::Missing("not in the log"), |value| Value::Integer(i64::from(value)))
        };
        let backward = compile.backward.map(|times| times.total);
        vec![
            compile.id.to_string().into(),
            names::function(log, compile).into(),
            if compile.total() > Ns::ZERO {
                compile.total().into()
            } else {
                Value::Missing("not in the log")
            },
            parts.tracing.into(),
            parts.autograd.into(),
            parts.inductor.into(),
            parts.code_gen.into(),
            parts.kernels.into(),
            backward.map_or(Value::Missing("no separate backward graph"), Value::from),
            count(compile.operators),
            count(compile.guards),
            i64::from(compile.restarts).into(),
            Value::known_text(cache, "no lookup"),
            names::place(log.strings.get(compile.file), compile.line).into(),
            log.rank.into(),
        ]
    };
    Table {
        id: "compiles",
        title: "Compilations, slowest first",
        columns,
        rows: all.into_iter().map(row).collect(),
    }
}

/// Rows of compilations that have a text, if there are any.
fn listed(
    logs: &[CompileLog],
    id: &'static str,
    title: &'static str,
    columns: Vec<Column>,
    rows_of: impl Fn(&CompileLog, &Compile) -> Vec<Vec<Value>>,
) -> Option<Table> {
    let all = logs.iter().flat_map(|log| log.compiles.iter().map(move |compile| (log, compile)));
    let rows: Vec<Vec<Value>> = all.flat_map(|(log, compile)| rows_of(log, compile)).collect();
    (!rows.is_empty()).then_some(Table { id, title, columns, rows })
}

fn restarts(logs: &[CompileLog]) -> Option<Table> {
    let columns = vec![
        Column::new("id", "id", Unit::None),
        Column::new("function", "function", Unit::None),
        Column::new("restarts", "restarts", Unit::Count),
        Column::new("lost_ns", "lost", Unit::Nanoseconds),
        Column::new("reason", "PyTorch's reason", Unit::None),
        Column::RANK,
    ];
    listed(logs, "restarts", "Restarts of Dynamo", columns, |log, compile| {
        if compile.restarts == 0 && compile.restart_reasons.is_empty() {
            return Vec::new();
        }
        let reasons: Vec<&str> = compile.restart_reasons.iter().map(|id| log.strings.get(*id)).collect();
        vec![vec![
            compile.id.to_string().into(),
            names::function(log, compile).into(),
            i64::from(compile.restarts).into(),
            compile.before_restart.into(),
            if reasons.is_empty() { Value::Missing("not in the log") } else { reasons.join("; ").into() },
            log.rank.into(),
        ]]
    })
}

fn failures(logs: &[CompileLog]) -> Option<Table> {
    let columns = vec![
        Column::new("id", "id", Unit::None),
        Column::new("function", "function", Unit::None),
        Column::new("type", "exception", Unit::None),
        Column::new("reason", "PyTorch's words", Unit::None),
        Column::new("place", "place", Unit::None),
        Column::RANK,
    ];
    listed(logs, "failures", "Compilations that failed", columns, |log, compile| {
        let Some(kind) = names::text(log, compile.fail_type) else { return Vec::new() };
        let (file, line) = compile.fail_place.unwrap_or((compile.file, compile.line));
        vec![vec![
            compile.id.to_string().into(),
            names::function(log, compile).into(),
            kind.into(),
            Value::known_text(names::text(log, compile.fail_reason), "not in the log"),
            names::place(log.strings.get(file), line).into(),
            log.rank.into(),
        ]]
    })
}

fn skips(logs: &[CompileLog]) -> Option<Table> {
    let columns = vec![
        Column::new("id", "id", Unit::None),
        Column::new("function", "function", Unit::None),
        Column::new("reason", "PyTorch's reason", Unit::None),
        Column::RANK,
    ];
    listed(logs, "cudagraph_skips", "Compilations without CUDA graphs", columns, |log, compile| {
        let Some(reason) = names::text(log, compile.cudagraph_skip) else { return Vec::new() };
        vec![vec![
            compile.id.to_string().into(),
            names::function(log, compile).into(),
            reason.into(),
            log.rank.into(),
        ]]
    })
}

fn findings(logs: &[CompileLog], sum: Phases, total: Ns) -> Vec<Finding> {
    let mut found = Vec::new();
    for (log, compile) in logs.iter().flat_map(|log| log.compiles.iter().map(move |compile| (log, compile))) {
        let function = || names::function(log, compile);
        if let Some(kind) = names::text(log, compile.fail_type) {
            let reason = names::text(log, compile.fail_reason).unwrap_or_default();
            let first = reason.lines().next().unwrap_or_default();
            found.push(Finding {
                id: "compile_failed",
                severity: Severity::Critical,
                claim: format!("`{}` failed to compile: {kind}. PyTorch: “{first}”.", function()),
                gain: None,
                evidence: format!("failures: {}", compile.id),
                next: "see PyTorch's message; until it is fixed, this function runs uncompiled".to_owned(),
            });
        }
        if let Some(reason) = names::text(log, compile.cudagraph_skip) {
            found.push(Finding {
                id: "cudagraph_skipped",
                severity: Severity::Warning,
                claim: format!("`{}` runs without CUDA graphs. PyTorch: “{reason}”.", function()),
                gain: None,
                evidence: format!("cudagraph_skips: {}", compile.id),
                next:
                    "keep inputs, devices and shapes fixed, and do not mutate inputs in the compiled function"
                        .to_owned(),
            });
        }
    }
    found.truncate(16);
    let lost: Ns = logs.iter().flat_map(|log| &log.compiles).map(|compile| compile.before_restart).sum();
    let restarted: u64 = logs.iter().flat_map(|log| &log.compiles).map(|one| u64::from(one.restarts)).sum();
    let times = if restarted == 1 { "once".to_owned() } else { format!("{restarted} times") };
    // A compilation that failed at once lost its time without a further attempt.
    if lost > Ns::ZERO && restarted > 0 {
        found.push(Finding {
            id: "restarts",
            severity: Severity::Info,
            claim: format!("Dynamo restarted {times} and lost {}.", duration(lost)),
            gain: Some(Gain::new(Ns::ZERO, lost, 0, "time before the last restart of each compilation")),
            evidence: "restarts: lost".to_owned(),
            next: "graph breaks are the usual cause; see the reasons".to_owned(),
        });
    }
    found.extend(caches::findings(logs));
    let share = percentage(sum.kernels, total);
    if share > 50.0 {
        found.push(Finding {
            id: "kernel_compilers",
            severity: Severity::Info,
            claim: format!(
                "{share:.0}% of the compile time is spent waiting for Triton or g++ ({}).",
                duration(sum.kernels)
            ),
            gain: None,
            evidence: "phases: kernels".to_owned(),
            next: "keep TORCHINDUCTOR_CACHE_DIR between runs, and make sure that TORCHINDUCTOR_COMPILE_THREADS is \
                not 1"
                .to_owned(),
        });
    }
    found
}
