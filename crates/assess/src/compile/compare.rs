//! `compile-diff`: two runs side by side.

use std::collections::BTreeMap;

use eaves_model::Ns;
use eaves_model::compile::CompileLog;
use eaves_section::Outcome;
use eaves_section::quantity::duration;
use eaves_section::{Column, Finding, Gain, Number, Section, Severity, Table, Unit, Value};

use super::{names, sections, times};

/// Changes between two runs.
pub fn compare(base: &[CompileLog], new: &[CompileLog]) -> Vec<Outcome> {
    let breaks = breaks(base, new);
    let functions = functions(base, new);
    let (before, after) = (longest(base), longest(new));
    let appeared = breaks.iter().filter(|one| one.base == 0).count();
    let gone = breaks.iter().filter(|one| one.new == 0).count();
    let number = Number::formula;
    let numbers = vec![
        number("new_graph_breaks", appeared.into(), Unit::Count, "Graph breaks only in the new run."),
        number("gone_graph_breaks", gone.into(), Unit::Count, "Graph breaks only in the base run."),
        number(
            "compile_time_change_ns",
            (after - before).into(),
            Unit::Nanoseconds,
            "Compile time of the new run minus the base run, each on its slowest rank.",
        ),
        number(
            "compile_time_change_pct",
            Value::percent((after - before).0, before.0),
            Unit::Percent,
            "The change as a percentage of the base run.",
        ),
    ];
    let mut findings = Vec::new();
    for one in breaks.iter().filter(|one| one.base == 0).take(8) {
        findings.push(Finding {
            id: "new_graph_break",
            severity: Severity::Warning,
            claim: format!("{} breaks the graph only in the new run. PyTorch: “{}”.", one.place, one.title),
            gain: None,
            evidence: format!("breaks: {}", one.place),
            next: super::advice::of(one.kind, &one.title, &one.context).to_owned(),
        });
    }
    findings.extend(slower(before, after, &functions));
    vec![Outcome::Section(Section {
        id: "compile-diff",
        title: "Changes",
        numbers,
        tables: vec![metrics(base, new), break_table(&breaks), function_table(&functions)],
        charts: Vec::new(),
        findings,
    })]
}

fn longest(logs: &[CompileLog]) -> Ns {
    logs.iter().map(times::busy).max().unwrap_or_default()
}

/// All headline numbers of both.
fn metrics(base: &[CompileLog], new: &[CompileLog]) -> Table {
    let columns = vec![
        Column::new("section", "section", Unit::None),
        Column::new("metric", "metric", Unit::None),
        Column::new("unit", "unit", Unit::None),
        Column::new("base", "base", Unit::None),
        Column::new("new", "new", Unit::None),
        Column::new("change_pct", "change", Unit::Percent),
    ];
    let mut both: BTreeMap<(&str, &str), [Option<Number>; 2]> = BTreeMap::new();
    for (side, logs) in [base, new].into_iter().enumerate() {
        for outcome in sections(logs) {
            let Some(section) = outcome.section() else { continue };
            for number in &section.numbers {
                let entry = both.entry((section.id, number.id)).or_default();
                entry[side] = Some(number.clone());
            }
        }
    }
    let rows = both.into_iter().map(|((section, id), [base, new])| {
        let unit = base.as_ref().or(new.as_ref()).and_then(|number| number.unit.id()).unwrap_or("");
        let value = |number: &Option<Number>| {
            number.as_ref().map_or(Value::Missing("not in this run"), |number| number.value.clone())
        };
        let change = match (float(&value(&base)), float(&value(&new))) {
            (Some(base), Some(new)) if base != 0.0 => Value::float(100.0 * (new - base) / base, "no number"),
            (Some(_), Some(_)) => Value::Missing("the base is 0"),
            _ => Value::Missing("in one run only"),
        };
        vec![section.into(), id.into(), unit.into(), value(&base), value(&new), change]
    });
    Table { id: "metrics", title: "Both runs", columns, rows: rows.collect() }
}

fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::Text(_) | Value::Missing(_) => None,
    }
}

struct Break {
    place: String,
    kind: Option<u32>,
    title: String,
    context: String,
    base: u64,
    new: u64,
}

/// Breaks of one kind at one line of one file, wherever the file lies.
fn breaks(base: &[CompileLog], new: &[CompileLog]) -> Vec<Break> {
    let mut found: BTreeMap<(String, Option<u32>, String), Break> = BTreeMap::new();
    for (side, logs) in [base, new].into_iter().enumerate() {
        for log in logs {
            for one in &log.breaks {
                let place = names::place(log.strings.get(one.file), one.line);
                let title = log.strings.get(one.title).to_owned();
                let key =
                    (place.clone(), one.kind, if one.kind.is_some() { String::new() } else { title.clone() });
                let context = log.strings.get(one.context).to_owned();
                let entry = found.entry(key).or_insert(Break {
                    place,
                    kind: one.kind,
                    title,
                    context,
                    base: 0,
                    new: 0,
                });
                *(if side == 0 { &mut entry.base } else { &mut entry.new }) += 1;
            }
        }
    }
    let mut found: Vec<Break> = found.into_values().collect();
    // What appeared comes first, then what is gone.
    found.sort_by_key(|one| (one.base > 0, one.new > 0));
    found
}

fn break_table(breaks: &[Break]) -> Table {
    let columns = vec![
        Column::new("place", "place", Unit::None),
        Column::new("state", "state", Unit::None),
        Column::new("base", "base", Unit::Count),
        Column::new("new", "new", Unit::Count),
        Column::new("title", "PyTorch's reason", Unit::None),
    ];
    let rows = breaks.iter().map(|one| {
        let state = match (one.base, one.new) {
            (0, _) => "new",
            (_, 0) => "gone",
            (base, new) if new > base => "more often",
            (base, new) if new < base => "less often",
            _ => "the same",
        };
        vec![
            one.place.clone().into(),
            state.into(),
            one.base.into(),
            one.new.into(),
            one.title.clone().into(),
        ]
    });
    Table { id: "breaks", title: "Graph breaks in both runs", columns, rows: rows.collect() }
}

#[derive(Default)]
struct Function {
    name: String,
    base: (u64, Ns),
    new: (u64, Ns),
}

impl Function {
    fn change(&self) -> Ns {
        self.new.1 - self.base.1
    }
}

/// Compilations of one function, on all ranks.
fn functions(base: &[CompileLog], new: &[CompileLog]) -> Vec<Function> {
    let mut found: BTreeMap<(String, String), Function> = BTreeMap::new();
    for (side, logs) in [base, new].into_iter().enumerate() {
        for log in logs {
            for compile in &log.compiles {
                let name = names::function(log, compile);
                let file = names::file_name(log.strings.get(compile.file)).to_owned();
                let entry =
                    found.entry((name.clone(), file)).or_insert(Function { name, ..Function::default() });
                let sums = if side == 0 { &mut entry.base } else { &mut entry.new };
                sums.0 += 1;
                sums.1 += compile.total();
            }
        }
    }
    let mut found: Vec<Function> = found.into_values().collect();
    found.sort_by_key(|one| std::cmp::Reverse(one.change().0.saturating_abs()));
    found
}

fn function_table(functions: &[Function]) -> Table {
    let columns = vec![
        Column::new("function", "function", Unit::None),
        Column::new("base_count", "times, base", Unit::Count),
        Column::new("new_count", "new", Unit::Count),
        Column::new("base_ns", "time, base", Unit::Nanoseconds),
        Column::new("new_ns", "new", Unit::Nanoseconds),
        Column::new("change_ns", "change", Unit::Nanoseconds),
    ];
    let rows = functions.iter().map(|one| {
        vec![
            one.name.clone().into(),
            one.base.0.into(),
            one.new.0.into(),
            one.base.1.into(),
            one.new.1.into(),
            one.change().into(),
        ]
    });
    Table { id: "functions", title: "Compile time by function", columns, rows: rows.collect() }
}

fn slower(before: Ns, after: Ns, functions: &[Function]) -> Option<Finding> {
    let change = after - before;
    // A tenth is what the same program differs by from run to run.
    if change.0 <= before.0 / 10 {
        return None;
    }
    let most = functions.iter().max_by_key(|one| one.change())?;
    Some(Finding {
        id: "compile_slower",
        severity: Severity::Warning,
        claim: format!(
            "Compiling takes {}, not {}; `{}` changed most, by {}.",
            duration(after),
            duration(before),
            most.name,
            duration(most.change()),
        ),
        gain: Some(Gain::new(Ns::ZERO, change, 0, "compile time beyond the base run's")),
        evidence: "functions: change".to_owned(),
        next: "first check that the caches of both runs were equally warm".to_owned(),
    })
}
