//! Operators of the framework.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use eaves_analyze::{GpuWork, HostTree, RankView};
use eaves_model::{Ns, Op, SliceId, StringId};
use eaves_roofline::ops;

use super::column::{Column, count, float, int, ns, text};
use super::slices::thread;
use super::{Table, View};

pub(super) struct Ops;

/// The operators in the order of the host's calls. What not every question needs is made when first asked for.
pub(super) struct Rows<'a> {
    rank: &'a RankView<'a>,
    tree: &'a HostTree,
    depths: OnceCell<Vec<u32>>,
    own_times: OnceCell<Vec<Ns>>,
    own_work: OnceCell<Vec<GpuWork>>,
    work: OnceCell<Vec<GpuWork>>,
    /// What formulas say, by name and arguments: the same call comes many times.
    formulas: RefCell<HashMap<[StringId; 5], Option<Amount>>>,
}

impl Table for Ops {
    const NAME: &'static str = "ops";
    const ABOUT: &'static str = "Framework operators on the host";
    type Rows<'a> = Rows<'a>;

    fn rows<'a>(view: &View<'a>) -> Rows<'a> {
        Rows {
            rank: view.rank,
            tree: view.rank.operators(),
            depths: OnceCell::new(),
            own_times: OnceCell::new(),
            own_work: OnceCell::new(),
            work: OnceCell::new(),
            formulas: RefCell::default(),
        }
    }

    fn count(rows: &Rows<'_>) -> usize {
        rows.tree.len()
    }

    fn columns<'a>() -> Vec<Column<Rows<'a>>> {
        let mut columns = host();
        columns.extend(device());
        columns.extend(work());
        columns.extend(arguments());
        columns
    }
}

fn host<'a>() -> Vec<Column<Rows<'a>>> {
    vec![
        int("slice", "Slice number within its rank", |rows, row| count(rows.slice(row).0)),
        text("name", "Name", |rows, row| Some(rows.rank.trace.slice_name(rows.slice(row)).into())),
        int("start_ns", "Start, relative to the recording's time base", |rows, row| {
            ns(rows.rank.trace.slices.start[rows.slice(row).index()])
        }),
        int("end_ns", "End", |rows, row| ns(rows.rank.trace.slices.end(rows.slice(row).index()))),
        int(
            "duration_ns",
            "Length",
            |rows, row| ns(rows.rank.trace.slices.duration[rows.slice(row).index()]),
        ),
        int("self_ns", "Self time, excluding inner operators", |rows, row| {
            let times = rows.own_times.get_or_init(|| rows.tree.own_times(&rows.rank.trace.slices));
            ns(times[row])
        }),
        int("parent", "Slice of the innermost enclosing operator", |rows, row| {
            rows.tree.parent(row).and_then(|parent| count(rows.slice(parent).0))
        }),
        int("depth", "Nesting depth among operators", |rows, row| {
            Some(i64::from(rows.depths.get_or_init(|| rows.tree.depths())[row]))
        }),
        text("thread", "Thread", |rows, row| thread(rows.rank.trace, rows.slice(row).index())),
        int("step", "Profiler step in which it starts", |rows, row| {
            let step = rows.rank.steps.at(rows.rank.trace.slices.start[rows.slice(row).index()])?;
            count(rows.rank.steps.number(step))
        }),
    ]
}

fn device<'a>() -> Vec<Column<Rows<'a>>> {
    vec![
        int("kernels", "Number of GPU activities launched inside it", |rows, row| {
            count(rows.work()[row].activities)
        }),
        int("gpu_ns", "Their summed durations", |rows, row| ns(rows.work()[row].time)),
        int("self_gpu_ns", "Summed durations of GPU activities it launched itself", |rows, row| {
            ns(rows.own_work()[row].time)
        }),
    ]
}

fn work<'a>() -> Vec<Column<Rows<'a>>> {
    vec![
        float("flops", "Operations from its formula and shapes; null without either", |rows, row| {
            rows.amount(row).map(|amount| amount.flops)
        }),
        float("bytes", "Minimum bytes moved, from the same formula", |rows, row| {
            rows.amount(row).map(|amount| amount.bytes)
        }),
    ]
}

fn arguments<'a>() -> Vec<Column<Rows<'a>>> {
    vec![
        text("input_dims", "Input shapes, as JSON", |rows, row| rows.argument(row, |op| op.input_dims)),
        text("input_types", "Input element types, as JSON", |rows, row| {
            rows.argument(row, |op| op.input_types)
        }),
        text("input_strides", "Input strides, as JSON", |rows, row| {
            rows.argument(row, |op| op.input_strides)
        }),
        text("concrete_inputs", "Scalar inputs, as JSON", |rows, row| {
            rows.argument(row, |op| op.concrete_inputs)
        }),
        int("sequence_number", "Links a forward operator to its backward operator", |rows, row| {
            rows.op(row)?.sequence_number.get()
        }),
        int("forward_thread", "Thread of the forward operator, on a backward operator", |rows, row| {
            rows.op(row)?.forward_thread.get().map(i64::from)
        }),
    ]
}

/// Work of one call.
#[derive(Clone, Copy)]
struct Amount {
    flops: f64,
    bytes: f64,
}

impl Rows<'_> {
    fn slice(&self, row: usize) -> SliceId {
        self.tree.slice(row)
    }

    /// What is recorded of it besides. Rows stand in the order of their slices.
    fn op(&self, row: usize) -> Option<Op> {
        let ops = &self.rank.trace.ops;
        ops.slice.binary_search(&self.slice(row)).ok().map(|row| ops.row(row))
    }

    fn argument(&self, row: usize, of: fn(&Op) -> StringId) -> Option<Cow<'_, str>> {
        of(&self.op(row)?).some().map(|id| self.rank.trace.strings.get(id).into())
    }

    fn amount(&self, row: usize) -> Option<Amount> {
        let trace = self.rank.trace;
        let (op, name) = (self.op(row)?, trace.slices.name[self.slice(row).index()]);
        let arguments = [op.input_dims, op.input_types, op.input_strides, op.concrete_inputs];
        let key = [name, arguments[0], arguments[1], arguments[2], arguments[3]];
        *self.formulas.borrow_mut().entry(key).or_insert_with(|| {
            let name = trace.strings.get(name);
            let [dims, types, strides, concrete] = arguments.map(|text| trace.strings.get(text));
            let formula = ops::formula(name)?;
            let call = ops::Call::parse(name, dims, types, strides, concrete).ok()?;
            let work = (formula.work)(&call).ok()?;
            Some(Amount { flops: work.flops, bytes: work.bytes() })
        })
    }

    fn own_work(&self) -> &[GpuWork] {
        self.own_work.get_or_init(|| self.tree.gpu_work(self.rank.links(), &self.rank.gpu))
    }

    fn work(&self) -> &[GpuWork] {
        self.work.get_or_init(|| self.tree.totals(self.own_work().to_vec()))
    }
}
