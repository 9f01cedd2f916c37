//! The tables of the section.

use eaves_model::Ns;

use super::Rank;
use super::measure::{Detail, Part, Row};
use crate::Job;
use crate::section::{Column, Table, Unit, Value};

const NO_OPERATOR: &str = "launched outside operators, or the launch is unknown";
const NO_FLOP: &str = "counters not recorded";

const KERNEL: Column = Column::new("name", "Name", Unit::None);
const OPERATOR: Column = Column::new("operator", "Innermost operator", Unit::None);
const TOP: Column = Column::new("top_operator", "Outermost operator", Unit::None);
const RANGES: Column = Column::new("ranges", "Kernels", Unit::Count);
const FLOP: Column = Column::new("flop", "Floating-point operations", Unit::Count);
const FLOP_MEAN: Column = Column::new("flop_mean", "Per kernel", Unit::Count);
const COUNTER: Column = Column::new("counter", "Counter", Unit::None);

pub(super) fn tables(job: &Job, ranks: &[&Rank<'_, Part>]) -> Vec<Table> {
    let mut tables = vec![
        table(
            job,
            ranks,
            ("by_operator", "Floating-point operations by operator"),
            &[OPERATOR, TOP, RANGES, FLOP, FLOP_MEAN],
            |part, _| part.by_operator.iter().map(|row| flop_cells(row).to_vec()).collect(),
        ),
        table(
            job,
            ranks,
            ("by_kernel", "Floating-point operations by kernel and operator"),
            &[KERNEL, OPERATOR, TOP, RANGES, FLOP, FLOP_MEAN],
            |part, _| part.by_kernel.iter().map(kernel_cells).collect(),
        ),
        table(
            job,
            ranks,
            ("counters_by_operator", "Every counter by operator: sum if additive, and mean"),
            &[
                OPERATOR,
                TOP,
                COUNTER,
                RANGES,
                Column::new("total", "Total", Unit::None),
                Column::new("mean", "Per kernel", Unit::None),
            ],
            |part, _| part.by_operator.iter().flat_map(counter_cells).collect(),
        ),
    ];
    if job.options.details {
        tables.push(table(
            job,
            ranks,
            ("ranges", "Every range with counters, in order, with the operators around its launch"),
            &[
                Column::new("range", "Range", Unit::None),
                KERNEL,
                Column::new("launch_ns", "Launched", Unit::Nanoseconds),
                Column::new("operators", "Operators", Unit::None),
                FLOP,
            ],
            |part, zero| {
                part.details
                    .iter()
                    .enumerate()
                    .map(|(range, detail)| range_cells(range, detail, zero))
                    .collect()
            },
        ));
        tables.push(table(
            job,
            ranks,
            ("range_counters", "Every counter of every range"),
            &[Column::new("range", "Range", Unit::None), COUNTER, Column::new("value", "Value", Unit::None)],
            |part, _| {
                let values = part.details.iter().enumerate().flat_map(|(range, detail)| {
                    detail.counters.iter().map(move |(counter, value)| (range, counter, *value))
                });
                values
                    .map(|(range, counter, value)| {
                        vec![range.into(), counter.as_str().into(), Value::Float(value)]
                    })
                    .collect()
            },
        ));
    }
    tables
}

fn table(
    job: &Job,
    ranks: &[&Rank<'_, Part>],
    (id, title): (&'static str, &'static str),
    columns: &[Column],
    cells: impl Fn(&Part, Ns) -> Vec<Vec<Value>>,
) -> Table {
    let mut rows = Vec::new();
    for rank in ranks {
        let zero = rank.extent.map_or(Ns::ZERO, |extent| extent.start);
        let leading = job.rank_cells(rank);
        rows.extend(
            cells(rank.part, zero).into_iter().map(|own| leading.iter().cloned().chain(own).collect()),
        );
    }
    Table { id, title, columns: job.rank_columns().iter().chain(columns).copied().collect(), rows }
}

fn place_cells(row: &Row) -> [Value; 2] {
    let name = |name: &str| if name.is_empty() { Value::Missing(NO_OPERATOR) } else { name.into() };
    [name(&row.place.operator), name(&row.place.top)]
}

fn flop_cells(row: &Row) -> [Value; 5] {
    let [operator, top] = place_cells(row);
    let flop = row.flop.map_or(Value::Missing(NO_FLOP), Value::from);
    let mean = row.flop.map_or(Value::Missing(NO_FLOP), |flop| Value::Float(flop as f64 / row.ranges as f64));
    [operator, top, row.ranges.into(), flop, mean]
}

fn kernel_cells(row: &Row) -> Vec<Value> {
    std::iter::once(Value::from(row.kernel.as_str())).chain(flop_cells(row)).collect()
}

fn counter_cells(row: &Row) -> Vec<Vec<Value>> {
    let counter = |(name, &(sum, count)): (&String, &(f64, u64))| {
        let [operator, top] = place_cells(row);
        // Of averages, maxima and percentages only the mean makes sense.
        let total = if name.ends_with(".sum") {
            Value::float(sum, "too large")
        } else {
            Value::Missing("not additive")
        };
        let mean = Value::float(sum / count as f64, "too large");
        vec![operator, top, name.as_str().into(), count.into(), total, mean]
    };
    row.counters.iter().map(counter).collect()
}

fn range_cells(range: usize, detail: &Detail, zero: Ns) -> Vec<Value> {
    let operators = if detail.operators.is_empty() {
        Value::Missing(NO_OPERATOR)
    } else {
        detail.operators.join(" > ").into()
    };
    vec![
        range.into(),
        detail.kernel.as_str().into(),
        detail.launch.map_or(Value::Missing("the launch is unknown"), |launch| (launch - zero).into()),
        operators,
        detail.flop.map_or(Value::Missing(NO_FLOP), Value::from),
    ]
}
