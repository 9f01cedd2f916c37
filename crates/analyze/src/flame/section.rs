//! The frames as a section, for programs.

use super::{Metric, NodeId, Tree, Values, Visit};
use crate::Outcome;
use crate::section::{Column, Number, Section, Skipped, Table, Unit, Value};

const ID: &str = "flame";

/// The section of a tree: what there is of each metric, and every frame with the frame around it.
pub fn outcome(names: &[String], tree: &Tree, metric: Metric) -> Outcome {
    if tree.node(Tree::ROOT).total.is_zero() && tree.base.first().is_none_or(|base| base.total.is_zero()) {
        return Outcome::Skipped(Skipped {
            id: ID,
            missing: "host calls and device activities: none recorded or selected".to_owned(),
            how_to_record: "record both sides: `torch.profiler.profile(activities=[ProfilerActivity.CPU, \
                            ProfilerActivity.CUDA], with_stack=True)`"
                .to_owned(),
        });
    }
    Outcome::Section(Section {
        id: ID,
        title: "Call tree with GPU time",
        numbers: numbers(tree),
        tables: vec![nodes(names, tree, metric)],
        charts: Vec::new(),
        findings: Vec::new(),
    })
}

fn numbers(tree: &Tree) -> Vec<Number> {
    let number = Number::formula;
    let whole = |metric| Value::Integer(tree.whole(metric));
    vec![
        number(
            "host_ns",
            whole(Metric::Cpu),
            Unit::Nanoseconds,
            "time inside recorded calls, summed over the selected threads and ranks",
        ),
        number(
            "gpu_ns",
            whole(Metric::Gpu),
            Unit::Nanoseconds,
            "summed durations of the selected GPU activities; concurrent ones count separately",
        ),
        number("calls", whole(Metric::Calls), Unit::Count, "host calls and device activities"),
        number(
            "allocated_bytes",
            whole(Metric::Bytes),
            Unit::Bytes,
            "allocated bytes from memory events; freed bytes are not subtracted",
        ),
        number("frames", tree.nodes.len().into(), Unit::Count, "rows of the table"),
        number(
            "grouped_frames",
            tree.grouped().into(),
            Unit::Count,
            "frames that rows called [small] stand for",
        ),
    ]
}

/// Every frame, each after the one around it.
fn nodes(names: &[String], tree: &Tree, metric: Metric) -> Table {
    let mut columns = vec![
        Column::new("id", "Frame", Unit::None),
        Column::new("parent", "In frame", Unit::None),
        Column::new("name", "Name", Unit::None),
        Column::new("kind", "Kind", Unit::None),
        Column::new("calls", "Calls", Unit::Count),
        Column::new("total_ns", "Host time", Unit::Nanoseconds),
        Column::new("self_ns", "Of its own", Unit::Nanoseconds),
        Column::new("gpu_total_ns", "GPU time", Unit::Nanoseconds),
        Column::new("gpu_self_ns", "GPU time, exclusive", Unit::Nanoseconds),
        Column::new("total_bytes", "Allocated", Unit::Bytes),
        Column::new("self_bytes", "Allocated, exclusive", Unit::Bytes),
    ];
    if tree.is_difference() {
        columns.extend([
            Column::new("base_calls", "Calls, base", Unit::Count),
            Column::new("base_total_ns", "Host time, base", Unit::Nanoseconds),
            Column::new("base_self_ns", "Of its own, base", Unit::Nanoseconds),
            Column::new("base_gpu_total_ns", "GPU time, base", Unit::Nanoseconds),
            Column::new("base_gpu_self_ns", "GPU time, exclusive, base", Unit::Nanoseconds),
            Column::new("base_total_bytes", "Allocated, base", Unit::Bytes),
            Column::new("base_self_bytes", "Allocated, exclusive, base", Unit::Bytes),
        ]);
    }
    let mut rows = Vec::with_capacity(tree.nodes.len());
    tree.walk(&tree.children(metric), |visit| {
        if let Visit::Enter(id) = visit {
            rows.push(row(names, tree, id));
        }
    });
    Table { id: "nodes", title: "Frames", columns, rows }
}

fn row(names: &[String], tree: &Tree, id: NodeId) -> Vec<Value> {
    let node = tree.node(id);
    let parent = match id {
        Tree::ROOT => Value::Missing("the root is in no frame"),
        _ => Value::Integer(i64::from(node.parent)),
    };
    let name = names.get(node.name as usize).map_or("", String::as_str);
    let mut row = vec![Value::Integer(i64::from(id)), parent, name.into(), node.kind.id().into()];
    row.extend(amounts(node.own, node.total));
    if let Some(base) = tree.base.get(id as usize) {
        row.extend(amounts(base.own, base.total));
    }
    row
}

fn amounts(own: Values, total: Values) -> [Value; 7] {
    [
        own[Metric::Calls],
        total[Metric::Cpu],
        own[Metric::Cpu],
        total[Metric::Gpu],
        own[Metric::Gpu],
        total[Metric::Bytes],
        own[Metric::Bytes],
    ]
    .map(Value::Integer)
}
