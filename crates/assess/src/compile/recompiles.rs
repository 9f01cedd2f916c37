//! `recompiles`: frames that were compiled again because a guard failed.

use std::collections::HashMap;

use eaves_model::Ns;
use eaves_model::compile::{Compile, CompileLog, Recompile};
use eaves_section::Outcome;
use eaves_section::quantity::duration;
use eaves_section::{Column, Finding, Gain, Number, Section, Severity, Table, Unit, Value};

use super::cause::{Cause, normalised};
use super::names;

const MOST_FINDINGS: usize = 8;

const NO_REASON: &str = "the log has no reason";

/// One compilation of a frame that had been compiled before.
struct Again<'a> {
    log: &'a CompileLog,
    compile: Option<&'a Compile>,
    reasons: Option<&'a Recompile>,
}

impl Again<'_> {
    fn function(&self) -> String {
        self.compile.map_or_else(|| "?".to_owned(), |compile| names::function(self.log, compile))
    }

    fn place(&self) -> String {
        match self.compile {
            Some(compile) if !self.log.strings.get(compile.file).is_empty() => {
                names::place(self.log.strings.get(compile.file), compile.line)
            }
            _ => String::new(),
        }
    }

    /// The guard of the newest earlier compilation: those before it failed for reasons that were met before.
    fn guard(&self) -> Option<&str> {
        let first = self.reasons?.reasons.first()?;
        Some(self.log.strings.get(first.guard))
    }

    fn time(&self) -> Ns {
        self.compile.map_or(Ns::ZERO, Compile::total)
    }
}

pub(super) fn section(logs: &[CompileLog]) -> Outcome {
    let all: Vec<Again<'_>> = logs.iter().flat_map(of_log).collect();
    let total: Ns = Ns(all.iter().map(|again| again.time().0).sum());
    let groups = groups(&all);
    let numbers = vec![
        Number::counter(
            "recompiles",
            all.len().into(),
            Unit::Count,
            "Recompilations of frames, over all ranks.",
        ),
        Number::counter(
            "recompile_time_ns",
            total.into(),
            Unit::Nanoseconds,
            "Time of recompilations, forward and backward, summed over ranks.",
        ),
    ];
    let findings = groups.iter().take(MOST_FINDINGS).map(finding).collect();
    Outcome::Section(Section {
        id: "recompiles",
        title: "Recompilations",
        numbers,
        tables: vec![causes(&groups), table(&all)],
        charts: Vec::new(),
        findings,
    })
}

/// By their ids; a text log has nothing but the reasons.
fn of_log(log: &CompileLog) -> Vec<Again<'_>> {
    let reasons: HashMap<u32, &Recompile> =
        log.recompiles.iter().filter_map(|one| Some((one.compile?, one))).collect();
    let by_id = log.compiles.iter().enumerate().filter_map(|(at, compile)| {
        let reasons = u32::try_from(at).ok().and_then(|at| reasons.get(&at).copied());
        let again = compile.id.compile.is_some_and(|count| count > 0) || reasons.is_some();
        again.then_some(Again { log, compile: Some(compile), reasons })
    });
    let without_id = log.recompiles.iter().filter(|one| one.compile.is_none());
    by_id.chain(without_id.map(|one| Again { log, compile: None, reasons: Some(one) })).collect()
}

/// Recompilations of one function for one cause.
struct Group<'a> {
    function: String,
    place: String,
    cause: Option<Cause>,
    guard: String,
    members: Vec<&'a Again<'a>>,
    time: Ns,
}

fn groups<'a>(all: &'a [Again<'a>]) -> Vec<Group<'a>> {
    let mut known: HashMap<(String, String, String), usize> = HashMap::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    for again in all {
        let guard = again.guard().map(normalised);
        let cause = again.guard().map(Cause::of);
        let (function, place) = (again.function(), again.place());
        let shown = guard.unwrap_or_default();
        let at = *known.entry((function.clone(), place.clone(), shown.clone())).or_insert_with(|| {
            groups.push(Group { function, place, cause, guard: shown, members: Vec::new(), time: Ns::ZERO });
            groups.len() - 1
        });
        groups[at].members.push(again);
        groups[at].time += again.time();
    }
    groups.sort_by(|a, b| {
        (b.time, b.members.len()).cmp(&(a.time, a.members.len())).then_with(|| a.guard.cmp(&b.guard))
    });
    groups
}

fn causes(groups: &[Group<'_>]) -> Table {
    let columns = vec![
        Column::new("function", "function", Unit::None),
        Column::new("place", "place", Unit::None),
        Column::new("count", "times", Unit::Count),
        Column::new("time_ns", "time", Unit::Nanoseconds),
        Column::new("cause", "cause", Unit::None),
        Column::new("guard", "guard that failed", Unit::None),
        Column::new("advice", "advice", Unit::None),
    ];
    let rows = groups.iter().map(|group| {
        vec![
            group.function.clone().into(),
            group.place.clone().into(),
            group.members.len().into(),
            group.time.into(),
            Value::known_text(group.cause.map(Cause::id), NO_REASON),
            if group.guard.is_empty() { Value::Missing(NO_REASON) } else { group.guard.clone().into() },
            Value::known_text(group.cause.map(Cause::advice), NO_REASON),
        ]
    });
    Table { id: "causes", title: "Recompilation causes", columns, rows: rows.collect() }
}

fn table(all: &[Again<'_>]) -> Table {
    let columns = vec![
        Column::new("id", "id", Unit::None),
        Column::RANK,
        Column::new("function", "function", Unit::None),
        Column::new("time_ns", "time", Unit::Nanoseconds),
        Column::new("of", "guard of", Unit::None),
        Column::new("guard", "failed guard, as logged by PyTorch", Unit::None),
        Column::new("used", "where", Unit::None),
    ];
    let mut rows = Vec::new();
    for again in all {
        let id = again.compile.map_or_else(String::new, |compile| compile.id.to_string());
        let row = |of: Value, guard: Value, place: Value| {
            vec![
                id.clone().into(),
                again.log.rank.into(),
                again.function().into(),
                again.time().into(),
                of,
                guard,
                place,
            ]
        };
        let reasons = again.reasons.map(|one| one.reasons.as_slice()).unwrap_or_default();
        if reasons.is_empty() {
            let missing = || Value::Missing(NO_REASON);
            rows.push(row(missing(), missing(), missing()));
        }
        for reason in reasons {
            let text = |id| Value::from(again.log.strings.get(id));
            rows.push(row(text(reason.of), text(reason.guard), text(reason.place)));
        }
    }
    Table { id: "recompiles", title: "Recompilations and failed guards", columns, rows }
}

fn finding(group: &Group<'_>) -> Finding {
    let count = group.members.len();
    let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let cause = group.cause.map_or("the log has no reason", Cause::id);
    let claim = format!(
        "`{}` was compiled again {times} ({}): {cause}{}.",
        group.function,
        duration(group.time),
        if group.guard.is_empty() { String::new() } else { format!(", guard `{}`", group.guard) },
    );
    // With one code for all, one compilation may remain.
    let largest = group.members.iter().map(|again| again.time()).max().unwrap_or_default();
    let gain = (group.time > Ns::ZERO).then(|| {
        let low = Ns(group.time.0 - largest.0);
        Gain::new(low, group.time, 0, "time of these compilations, at least all but the longest")
    });
    Finding {
        id: "recompiles",
        severity: Severity::Warning,
        claim,
        gain,
        evidence: format!("causes: {}", group.function),
        next: group.cause.map_or("log the reasons with TORCH_LOGS=recompiles", Cause::advice).to_owned(),
    }
}
