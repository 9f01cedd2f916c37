//! Operators of a program without a GPU: self and total time, calls, shapes, memory.

use std::cmp::Reverse;
use std::collections::HashMap;

use eaves_model::{Bytes, Ns, StringId};
use serde::{Deserialize, Serialize};

use super::call_tree::allocated;
use super::host_time::is_of_host;
use super::{Analyse, Rank, Shown, missing};
use crate::section::{Column, Number, Section, Table, Unit, Value};
use crate::{Job, Outcome, RankView};
use eaves_roofline::operand_text::compact;

pub(super) struct CpuOperators;

/// What the analysis keeps of a rank.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Part {
    /// A row for each name and its shapes, most time of its own first.
    rows: Vec<Row>,
    recorded_memory: bool,
}

/// The calls of one operator with the same shapes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
struct Row {
    name: String,
    /// Shapes of the inputs as recorded; empty if they were not.
    shapes: String,
    calls: u64,
    /// Without operators inside.
    own: Ns,
    /// With them. Calls inside a call of the same operator are in that one's time.
    total: Ns,
    /// Host memory taken by the operator itself; what it released is not taken off.
    allocated: Bytes,
}

impl Row {
    fn absorb(&mut self, other: &Self) {
        self.calls += other.calls;
        self.own += other.own;
        self.total += other.total;
        self.allocated += other.allocated;
    }
}

impl Analyse for CpuOperators {
    const ID: &'static str = "cpu-operators";
    const SHOWN: Shown = Shown::WithoutGpu;
    type Part = Part;

    fn measure(rank: &RankView<'_>) -> Part {
        if !rank.trace.gpu.is_empty() {
            return Part::default();
        }
        Part { rows: rows(rank), recorded_memory: !rank.trace.allocations.is_empty() }
    }

    fn assemble(job: &Job, ranks: &[Rank<'_, Part>]) -> Outcome {
        if !is_of_host(job) {
            return missing::only_without_gpu(Self::ID, "`call-tree`");
        }
        let rows = merged(ranks.iter().flat_map(|rank| &rank.part.rows), |row| (&row.name, &row.shapes));
        if rows.is_empty() {
            return missing::operators(job, Self::ID);
        }
        let recorded_memory = ranks.iter().any(|rank| rank.part.recorded_memory);
        Outcome::Section(Section {
            id: Self::ID,
            title: "Operators",
            numbers: numbers(&rows),
            tables: vec![by_operator(&rows, recorded_memory), by_shapes(&rows, recorded_memory)],
            charts: Vec::new(),
            findings: Vec::new(),
        })
    }
}

/// The rows of a rank: each operator's time of its own is that of its thread without operators inside.
fn rows(rank: &RankView<'_>) -> Vec<Row> {
    let (trace, tree, slices) = (rank.trace, rank.operators(), &rank.trace.slices);
    let own = tree.own_times(slices);
    let outermost = tree.outermost_of_name(trace);
    let mut taken = vec![Bytes::default(); tree.len()];
    allocated(rank, tree, |node, memory| taken[node] += memory.host);
    let mut places: HashMap<(StringId, StringId), usize> = HashMap::new();
    let mut rows: Vec<Row> = Vec::new();
    for node in 0..tree.len() {
        let slice = tree.slice(node);
        if !rank.selects(slices.start[slice.index()]) {
            continue;
        }
        let shapes = trace.ops.slice.binary_search(&slice);
        let shapes = shapes.map_or(StringId::NONE, |row| trace.ops.input_dims[row]);
        let place = *places.entry((slices.name[slice.index()], shapes)).or_insert_with(|| {
            let (name, shapes) = (trace.slice_name(slice).to_owned(), compact(trace.strings.get(shapes)));
            rows.push(Row { name, shapes, ..Row::default() });
            rows.len() - 1
        });
        rows[place].absorb(&Row {
            calls: 1,
            own: own[node],
            total: if outermost[node] { slices.duration[slice.index()] } else { Ns::ZERO },
            allocated: taken[node],
            ..Row::default()
        });
    }
    sort(&mut rows);
    rows
}

fn sort(rows: &mut [Row]) {
    rows.sort_unstable_by(|a, b| {
        Reverse(a.own).cmp(&Reverse(b.own)).then_with(|| (&a.name, &a.shapes).cmp(&(&b.name, &b.shapes)))
    });
}

/// Rows of the same key as one, which has the name and shapes of the first, the one with most time.
fn merged<'a, K: std::hash::Hash + Eq>(
    rows: impl Iterator<Item = &'a Row>,
    key: impl Fn(&'a Row) -> K,
) -> Vec<Row> {
    let mut places: HashMap<K, usize> = HashMap::new();
    let mut merged: Vec<Row> = Vec::new();
    for row in rows {
        match places.get(&key(row)) {
            Some(&place) => merged[place].absorb(row),
            None => {
                places.insert(key(row), merged.len());
                merged.push(row.clone());
            }
        }
    }
    sort(&mut merged);
    merged
}

const NO_MEMORY: &str = "allocations not recorded";
const NO_SHAPES: &str = "shapes not recorded";

/// The columns that both tables have.
const COLUMNS: [Column; 6] = [
    Column::new("operator", "Operator", Unit::None),
    Column::new("calls", "Calls", Unit::Count),
    Column::new("cpu_self_ns", "Self", Unit::Nanoseconds),
    Column::new("share_pct", "Of self time", Unit::Percent),
    Column::new("cpu_total_ns", "Total", Unit::Nanoseconds),
    Column::new("host_allocated_bytes", "Allocated", Unit::Bytes),
];

fn cells(row: &Row, whole: Ns, recorded_memory: bool) -> Vec<Value> {
    vec![
        row.name.as_str().into(),
        row.calls.into(),
        row.own.into(),
        Value::percent(row.own.0, whole.0),
        row.total.into(),
        if recorded_memory { row.allocated.0.into() } else { Value::Missing(NO_MEMORY) },
    ]
}

fn shapes(row: &Row) -> Value {
    match row.shapes.as_str() {
        "" => Value::Missing(NO_SHAPES),
        shapes => shapes.into(),
    }
}

fn whole(rows: &[Row]) -> Ns {
    rows.iter().map(|row| row.own).sum()
}

fn by_operator(rows: &[Row], recorded_memory: bool) -> Table {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for row in rows.iter().filter(|row| !row.shapes.is_empty()) {
        *counts.entry(&row.name).or_default() += 1;
    }
    let whole = whole(rows);
    let cells = |row: &Row| {
        let count = counts.get(row.name.as_str());
        let count = count.map_or(Value::Missing(NO_SHAPES), |&count| count.into());
        cells(row, whole, recorded_memory).into_iter().chain([count, shapes(row)]).collect()
    };
    let own = [
        Column::new("shape_sets", "Shapes", Unit::Count),
        Column::new("costliest_shapes", "Costliest shapes", Unit::None),
    ];
    Table {
        id: "by_operator",
        title: "Operators by self time (excluding inner operators)",
        columns: COLUMNS.into_iter().chain(own).collect(),
        rows: merged(rows.iter(), |row| &row.name).iter().map(cells).collect(),
    }
}

fn by_shapes(rows: &[Row], recorded_memory: bool) -> Table {
    let whole = whole(rows);
    let cells =
        |row: &Row| cells(row, whole, recorded_memory).into_iter().chain([shapes(row)]).collect::<Vec<_>>();
    Table {
        id: "by_shapes",
        title: "Operators by name and input shapes",
        columns: COLUMNS.into_iter().chain([Column::new("shapes", "Shapes", Unit::None)]).collect(),
        rows: rows.iter().map(cells).collect(),
    }
}

fn numbers(rows: &[Row]) -> Vec<Number> {
    let number = Number::formula;
    vec![
        number(
            "cpu_self_ns",
            whole(rows).into(),
            Unit::Nanoseconds,
            "operator time over all threads and ranks, each instant of a thread counted once",
        ),
        number(
            "calls",
            rows.iter().map(|row| row.calls).sum::<u64>().into(),
            Unit::Count,
            "operator calls that start in the selection",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Options;
    use crate::test_threads::ThreadTrace;
    use crate::test_trace::{column, integers, number, run_of, section_of, texts};

    fn shaped(test: &mut ThreadTrace, name: &str, shapes: &str, span: (i64, i64)) {
        test.op(1, name, span);
        let shapes = test.trace.strings.intern(shapes);
        *test.trace.ops.input_dims.last_mut().unwrap() = shapes;
    }

    #[test]
    fn values_by_hand() {
        let mut test = ThreadTrace::default();
        shaped(&mut test, "aten::linear", "[[2,3]]", (0, 100));
        shaped(&mut test, "aten::addmm", "[[2,3]]", (10, 70));
        shaped(&mut test, "aten::addmm", "[[4,4]]", (200, 210));
        test.op(2, "aten::linear", (0, 7)).allocation(1, 20, 64, 0).allocation(1, 5, 8, 0);
        let section = section_of(&run_of(vec![test.into()]), "cpu-operators");
        assert_eq!(column(&section, "by_operator", "operator"), texts(["aten::addmm", "aten::linear"]));
        assert_eq!(column(&section, "by_operator", "cpu_self_ns"), integers([70, 47]));
        assert_eq!(column(&section, "by_operator", "cpu_total_ns"), integers([70, 107]));
        assert_eq!(column(&section, "by_operator", "calls"), integers([2, 2]));
        assert_eq!(column(&section, "by_operator", "host_allocated_bytes"), integers([64, 8]));
        assert_eq!(column(&section, "by_operator", "shape_sets"), integers([2, 1]));
        assert_eq!(column(&section, "by_operator", "costliest_shapes"), texts(["2x3", "2x3"]));
        assert_eq!(column(&section, "by_shapes", "cpu_self_ns"), integers([60, 40, 10, 7]));
        assert_eq!(number(&section, "cpu_self_ns", None), Value::Integer(117));
    }

    proptest! {
        /// Twin: the self time of all operators is the time in which a thread is in any, instant by instant, and that of a
        /// name the time in which it is the innermost.
        #[test]
        fn every_instant_of_a_thread_is_the_innermost_operators(
            spans in prop::collection::vec((0i64..2, 0usize..3, 0i64..4, 0u32..4), 1..40)
        ) {
            const NAMES: [&str; 3] = ["a", "b", "c"];
            // Operators nest: halves of halves of 64 ns.
            let spans: Vec<(i64, usize, i64, i64)> = spans.iter().map(|&(thread, name, place, depth)| {
                let length = 64 >> depth;
                let start = (place * length) % 64;
                (thread, name, start, start + length)
            }).collect();
            let mut test = ThreadTrace::default();
            for &(thread, name, start, end) in &spans {
                test.op(thread, NAMES[name], (start, end));
            }
            let options = Options::default();
            let rows = rows(&RankView::new(&test.trace, &options));
            for (name, text) in NAMES.iter().enumerate() {
                let mut expected = 0;
                for (thread, at) in (0..2).flat_map(|thread| (0..64).map(move |at| (thread, at))) {
                    let open = spans.iter().enumerate().filter(|(_, span)| {
                        span.0 == thread && span.2 <= at && at < span.3
                    });
                    let innermost = open.max_by_key(|(row, span)| (span.2, -span.3, *row));
                    expected += i64::from(innermost.is_some_and(|(_, span)| span.1 == name));
                }
                let found = rows.iter().find(|row| row.name == *text).map_or(0, |row| row.own.0);
                prop_assert_eq!(found, expected, "{}", text);
            }
        }
    }
}
