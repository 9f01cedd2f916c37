//! `graph-breaks`: places where a graph ends because Dynamo could not follow.

use std::collections::HashMap;

use eaves_model::Ns;
use eaves_model::compile::{CompileLog, GraphBreak};
use eaves_section::Outcome;
use eaves_section::{Column, Finding, Gain, Number, Section, Severity, Table, Unit, Value};

use super::{advice, names};

/// Findings of single places; the table has all.
const MOST_FINDINGS: usize = 8;

/// Breaks of one kind at one place.
struct Distinct<'a> {
    log: &'a CompileLog,
    first: &'a GraphBreak,
    count: u64,
    ranks: Vec<i64>,
    /// Time of compiling what is resumed behind it, of the slowest rank.
    resumed: Ns,
}

impl Distinct<'_> {
    fn place(&self) -> String {
        match self.log.strings.get(self.first.file) {
            "" => "?".to_owned(),
            file => names::place(file, self.first.line),
        }
    }

    fn kind(&self) -> Value {
        match self.first.kind {
            Some(kind) => Value::Text(format!("gb{kind:04}")),
            None => Value::Missing("PyTorch assigned no number"),
        }
    }

    fn text(&self, id: eaves_model::StringId) -> &str {
        self.log.strings.get(id)
    }

    fn function(&self) -> String {
        let stack = self.first.stack.of(&self.log.frames);
        match stack.last() {
            Some(frame) => {
                let name = self.log.strings.get(frame.function);
                names::resumed(name).map_or(name, |(function, _)| function).to_owned()
            }
            None => names::compile_of(self.log, self.first.compile)
                .map_or_else(|| "?".to_owned(), |compile| names::function(self.log, compile)),
        }
    }

    fn advice(&self) -> &'static str {
        advice::of(self.first.kind, self.text(self.first.title), self.text(self.first.context))
    }
}

pub(super) fn section(logs: &[CompileLog]) -> Outcome {
    let distinct = distinct(logs);
    let met: u64 = distinct.iter().map(|one| one.count).sum();
    let number = |id, value: u64, explain| Number::counter(id, value.into(), Unit::Count, explain);
    let numbers = vec![
        number(
            "graph_breaks",
            distinct.len() as u64,
            "Distinct graph breaks (kind and source line), over all ranks.",
        ),
        number("graph_breaks_met", met, "Occurrences of graph breaks during compilation, over all ranks."),
    ];
    let findings = distinct.iter().take(MOST_FINDINGS).map(finding).collect();
    Outcome::Section(Section {
        id: "graph-breaks",
        title: "Graph breaks",
        numbers,
        tables: vec![table(&distinct), told(&distinct)],
        charts: Vec::new(),
        findings,
    })
}

/// Merges breaks of one kind at one place. Those behind which most is compiled come first.
fn distinct(logs: &[CompileLog]) -> Vec<Distinct<'_>> {
    let mut found: Vec<Distinct<'_>> = Vec::new();
    let mut known: HashMap<(Option<u32>, &str, &str, u32), usize> = HashMap::new();
    for log in logs {
        let resumed = resumed_times(log);
        for one in &log.breaks {
            let (file, title) = (log.strings.get(one.file), log.strings.get(one.title));
            // Without a number the title tells kinds apart.
            let title = if one.kind.is_some() { "" } else { title };
            let at = *known.entry((one.kind, title, file, one.line)).or_insert_with(|| {
                let (ranks, resumed) = (Vec::new(), Ns::ZERO);
                found.push(Distinct { log, first: one, count: 0, ranks, resumed });
                found.len() - 1
            });
            let entry = &mut found[at];
            entry.count += 1;
            if entry.ranks.last() != Some(&log.rank) {
                entry.ranks.push(log.rank);
            }
            let behind = resumed.get(&(file, one.line)).copied().unwrap_or_default();
            entry.resumed = entry.resumed.max(behind);
        }
    }
    found.sort_by(|a, b| {
        let order = |one: &Distinct<'_>| (one.resumed, one.count);
        order(b).cmp(&order(a)).then_with(|| a.place().cmp(&b.place()))
    });
    found
}

/// Time of compiling what is resumed at a line.
fn resumed_times(log: &CompileLog) -> HashMap<(&str, u32), Ns> {
    let mut times: HashMap<(&str, u32), Ns> = HashMap::new();
    for compile in &log.compiles {
        if let Some((_, line)) = names::resumed(log.strings.get(compile.function)) {
            *times.entry((log.strings.get(compile.file), line)).or_default() += compile.total();
        }
    }
    times
}

fn table(distinct: &[Distinct<'_>]) -> Table {
    let columns = vec![
        Column::new("place", "place", Unit::None),
        Column::new("count", "met", Unit::Count),
        Column::new("kind", "kind", Unit::None),
        Column::new("title", "PyTorch's reason", Unit::None),
        Column::new("function", "function", Unit::None),
        Column::new("resumed_ns", "compiling the rest", Unit::Nanoseconds),
        Column::new("advice", "advice", Unit::None),
        Column::new("code", "code", Unit::None),
        Column::new("file", "file", Unit::None),
        Column::new("ranks", "ranks", Unit::Count),
    ];
    let rows = distinct.iter().map(|one| {
        vec![
            one.place().into(),
            one.count.into(),
            one.kind(),
            one.text(one.first.title).into(),
            one.function().into(),
            one.resumed.into(),
            one.advice().into(),
            one.text(one.first.code).into(),
            one.text(one.first.file).into(),
            one.ranks.len().into(),
        ]
    });
    Table { id: "breaks", title: "Distinct graph breaks", columns, rows: rows.collect() }
}

/// PyTorch's own words, all of them.
fn told(distinct: &[Distinct<'_>]) -> Table {
    let columns = vec![
        Column::new("place", "place", Unit::None),
        Column::new("kind", "kind", Unit::None),
        Column::new("part", "part", Unit::None),
        Column::new("text", "PyTorch's words", Unit::None),
    ];
    let mut rows = Vec::new();
    for one in distinct {
        let mut row = |part: &str, text: &str| {
            if !text.is_empty() {
                rows.push(vec![one.place().into(), one.kind(), part.into(), text.into()]);
            }
        };
        row("explanation", one.text(one.first.explanation));
        for hint in &one.first.hints {
            row("hint", one.text(*hint));
        }
        row("context", one.text(one.first.context));
        for frame in one.first.stack.of(&one.log.frames) {
            let place = names::place(one.text(frame.file), frame.line);
            row("stack", &format!("{place} in {}", one.text(frame.function)));
        }
    }
    Table { id: "told", title: "PyTorch's explanations", columns, rows }
}

/// A hint that fits a sentence.
fn shortened(hint: &str) -> String {
    const LETTERS: usize = 200;
    let hint = hint.split_whitespace().collect::<Vec<_>>().join(" ");
    match hint.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &hint[..end]),
        None => hint,
    }
}

fn finding(one: &Distinct<'_>) -> Finding {
    let times = if one.count == 1 { "once".to_owned() } else { format!("{} times", one.count) };
    let title = one.text(one.first.title);
    let claim =
        format!("{} breaks the graph, {times}. PyTorch: “{}”.", one.place(), title.trim_end_matches('.'));
    let gain = (one.resumed > Ns::ZERO).then(|| {
        Gain::new(Ns::ZERO, one.resumed, 0, "at most the time to compile the resumed part separately")
    });
    let hints = match one.first.hints.as_slice() {
        [] => String::new(),
        [first] => format!("; PyTorch's hint: “{}”", shortened(one.text(*first))),
        [first, others @ ..] => {
            let more = others.len();
            format!("; PyTorch's first hint: “{}”, and {more} more in `told`", shortened(one.text(*first)))
        }
    };
    Finding {
        id: "graph_break",
        severity: Severity::Warning,
        claim,
        gain,
        evidence: format!("breaks: {}{hints}", one.place()),
        next: one.advice().to_owned(),
    }
}
