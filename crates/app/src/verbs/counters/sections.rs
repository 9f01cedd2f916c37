//! The sections of `counters`.

use eaves_capture::counters::{Architecture, Checked, Input, Load, SETS, architecture, architectures, loads};
use eaves_section::{Column, Number, Section, Table, Unit, Value};

const ID: &str = "counters";
const TITLE: &str = "Hardware counters";
const RUNS: &str = "Program runs needed to collect the counters.";

/// Architectures and sets, if none is named.
pub(super) fn overview() -> Section {
    let row = |name: &'static str| {
        let counters = architecture(name).map_or(0, |device| device.counters().count());
        vec![name.into(), counters.into()]
    };
    let devices = Table {
        id: "architectures",
        title: "Architectures",
        columns: vec![
            Column::new("architecture", "Architecture", Unit::None),
            Column::new("counters", "Counters", Unit::Count),
        ],
        rows: architectures().map(row).collect(),
    };
    let sets = Table {
        id: "sets",
        title: "Sets for `eaves counters write --for`",
        columns: vec![Column::new("set", "Set", Unit::None), Column::new("about", "For", Unit::None)],
        rows: SETS.iter().map(|set| vec![set.id.into(), set.about.into()]).collect(),
    };
    Section { id: ID, title: TITLE, tables: vec![devices, sets], ..Section::default() }
}

/// The counters of an architecture.
pub(super) fn counters(device: &Architecture, search: Option<&str>) -> Section {
    let search = search.unwrap_or_default().to_lowercase();
    let mut found: Vec<_> =
        device.counters().filter(|counter| counter.name.to_lowercase().contains(&search)).collect();
    // By block, and within it by name as they come; what is computed stands last.
    found.sort_by_key(|counter| counter.block.map_or((1, ""), |block| (0, block)));
    let mut blocks: Vec<&str> = found.iter().filter_map(|counter| counter.block).collect();
    blocks.sort_unstable();
    blocks.dedup();
    let row = |block: &&str| {
        let limit = device.limit(block).map_or(Value::Missing("not published"), Value::from);
        vec![(*block).into(), limit]
    };
    let limits = Table {
        id: "blocks",
        title: "Counters per pass, by block",
        columns: vec![
            Column::new("block", "Block", Unit::None),
            Column::new("per_pass", "Per pass", Unit::Count),
        ],
        rows: blocks.iter().map(row).collect(),
    };
    let names = Table {
        id: "counters",
        title: "Counters",
        columns: vec![
            Column::new("block", "Block", Unit::None),
            Column::new("name", "Name", Unit::None),
            Column::new("computed_from", "Computed from", Unit::None),
        ],
        rows: found
            .iter()
            .map(|counter| {
                let needs = counter.needs.join(" ");
                vec![counter.block.unwrap_or("derived").into(), counter.name.as_str().into(), needs.into()]
            })
            .collect(),
    };
    let numbers = vec![count("counters", found.len(), "Matching counters of the architecture.")];
    Section { id: ID, title: TITLE, numbers, tables: vec![limits, names], ..Section::default() }
}

/// The result of checking a file.
pub(super) fn checked(device: &Architecture, input: &Input, checked: &Checked) -> Section {
    let line = |pass: usize| input.lines.get(pass).copied().unwrap_or_default();
    let mut problems: Vec<(usize, Vec<Value>)> = checked
        .problems
        .iter()
        .map(|problem| {
            let line = line(problem.pass);
            let write = problem.write.clone().unwrap_or_default();
            (
                line,
                vec![line.into(), problem.name.as_str().into(), problem.what.as_str().into(), write.into()],
            )
        })
        .collect();
    for (line, text) in &input.unknown {
        let what = "unknown line; valid are pmc, range, gpu, kernel, hip and hsa";
        problems.push((*line, vec![(*line).into(), text.as_str().into(), what.into(), "".into()]));
    }
    problems.sort_by_key(|(line, _)| *line);
    let problems_table = Table {
        id: "problems",
        title: "Problems",
        columns: vec![
            Column::new("line", "Line", Unit::Count),
            Column::new("name", "Name", Unit::None),
            Column::new("problem", "Problem", Unit::None),
            Column::new("write", "Write", Unit::None),
        ],
        rows: problems.iter().map(|(_, row)| row.clone()).collect(),
    };
    let passes = passes(device, &checked.passes);
    let numbers = vec![
        count("problems", problems.len(), "Names and passes that the profiler would refuse."),
        count("passes", checked.passes.len(), RUNS),
    ];
    let tables = if problems.is_empty() { vec![passes] } else { vec![problems_table, passes] };
    Section { id: ID, title: TITLE, numbers, tables, ..Section::default() }
}

/// An input file.
pub(super) fn written(device: &Architecture, passes: &[Vec<String>]) -> Section {
    let numbers = vec![count("passes", passes.len(), RUNS)];
    Section {
        id: ID,
        title: TITLE,
        numbers,
        tables: vec![self::passes(device, passes)],
        ..Section::default()
    }
}

fn passes(device: &Architecture, passes: &[Vec<String>]) -> Table {
    let load = |load: &Load| match load.limit {
        Some(limit) => format!("{} {}/{limit}", load.block, load.counters),
        None => format!("{} {}", load.block, load.counters),
    };
    let row = |(index, pass): (usize, &Vec<String>)| {
        let needed = loads(device, pass).iter().map(load).collect::<Vec<_>>().join(", ");
        vec![(index + 1).into(), pass.join(" ").into(), needed.into()]
    };
    Table {
        id: "passes",
        title: "Passes",
        columns: vec![
            Column::new("pass", "Pass", Unit::Count),
            Column::new("counters", "Counters", Unit::None),
            Column::new("load", "Per block", Unit::None),
        ],
        rows: passes.iter().enumerate().map(row).collect(),
    }
}

fn count(id: &'static str, value: usize, explain: &'static str) -> Number {
    Number::counter(id, value.into(), Unit::Count, explain)
}
