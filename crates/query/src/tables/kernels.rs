//! What ran on devices.

use std::borrow::Cow;

use eaves_analyze::{RankView, short_kernel_name};
use eaves_model::{Extent, SliceId, StringId};

use super::column::{Column, count, float, int, ns, text};
use super::{Table, View};

pub(super) struct Kernels;

/// The activities that count, by the one view that all analyses have of them.
pub(super) struct Rows<'a> {
    rank: &'a RankView<'a>,
}

impl Table for Kernels {
    const NAME: &'static str = "kernels";
    const ABOUT: &'static str = "GPU activities: kernels, memcpys and memsets";
    type Rows<'a> = Rows<'a>;

    fn rows<'a>(view: &View<'a>) -> Rows<'a> {
        Rows { rank: view.rank }
    }

    fn count(rows: &Rows<'_>) -> usize {
        rows.rank.gpu.len()
    }

    fn columns<'a>() -> Vec<Column<Rows<'a>>> {
        let mut columns = identity();
        columns.extend(times());
        columns.extend(launch());
        columns.extend(details());
        columns
    }
}

fn identity<'a>() -> Vec<Column<Rows<'a>>> {
    vec![
        int("slice", "Slice number within its rank", |rows, row| count(rows.slice(row).0)),
        text("name", "Name", |rows, row| Some(rows.text(rows.rank.gpu.name[row]).into())),
        text("short_name", "Name without return type, namespaces, templates and arguments", |rows, row| {
            Some(short_kernel_name(rows.text(rows.rank.gpu.name[row])).into())
        }),
        text("kind", "kernel, memcpy or memset", |rows, row| {
            Some(rows.rank.trace.slices.kind[rows.slice(row).index()].name().into())
        }),
        text("type", "compute, communication or memory", |rows, row| {
            Some(rows.rank.gpu.kernel_type[row].id().into())
        }),
        int("device", "Device number", |rows, row| rows.rank.gpu.device[row].get().map(i64::from)),
        int("stream", "Stream number", |rows, row| rows.rank.gpu.stream[row].get()),
    ]
}

fn times<'a>() -> Vec<Column<Rows<'a>>> {
    vec![
        int("start_ns", "Start, relative to the recording's time base", |rows, row| {
            ns(rows.rank.gpu.interval[row].start)
        }),
        int("end_ns", "End", |rows, row| ns(rows.rank.gpu.interval[row].end)),
        int("duration_ns", "Length", |rows, row| ns(rows.rank.gpu.duration(row))),
        int("step", "Profiler step in which it was launched", |rows, row| rows.step(row)),
    ]
}

fn launch<'a>() -> Vec<Column<Rows<'a>>> {
    vec![
        int("launch", "Slice of the launching call, as in `launches`", |rows, row| {
            rows.launch(row).and_then(|slice| count(slice.0))
        }),
        int("op_slice", "Slice of the innermost launching operator, as in `ops`", |rows, row| {
            rows.operator(row).and_then(|slice| count(slice.0))
        }),
        text("op", "Name of that operator", |rows, row| {
            rows.operator(row).map(|slice| rows.rank.trace.slice_name(slice).into())
        }),
        int("correlation", "Correlation number as recorded", |rows, row| {
            rows.rank.trace.gpu.correlation[rows.activity(row)].get()
        }),
    ]
}

fn details<'a>() -> Vec<Column<Rows<'a>>> {
    vec![
        int("grid_x", "Blocks launched", |rows, row| axis(rows.rank.trace.gpu.grid[rows.activity(row)], 0)),
        int("grid_y", "Blocks launched", |rows, row| axis(rows.rank.trace.gpu.grid[rows.activity(row)], 1)),
        int("grid_z", "Blocks launched", |rows, row| axis(rows.rank.trace.gpu.grid[rows.activity(row)], 2)),
        int("block_x", "Threads per block", |rows, row| {
            axis(rows.rank.trace.gpu.block[rows.activity(row)], 0)
        }),
        int("block_y", "Threads per block", |rows, row| {
            axis(rows.rank.trace.gpu.block[rows.activity(row)], 1)
        }),
        int("block_z", "Threads per block", |rows, row| {
            axis(rows.rank.trace.gpu.block[rows.activity(row)], 2)
        }),
        int("registers", "Registers per thread", |rows, row| {
            rows.rank.trace.gpu.registers[rows.activity(row)].get().map(i64::from)
        }),
        int("shared_memory", "Shared memory bytes per block", |rows, row| {
            rows.rank.trace.gpu.shared_memory[rows.activity(row)].get()
        }),
        float("occupancy_pct", "Occupancy estimated by the profiler, in percent", |rows, row| {
            rows.rank.trace.gpu.occupancy_pct[rows.activity(row)].get()
        }),
        int("bytes", "Bytes copied or set", |rows, row| rows.rank.trace.gpu.bytes[rows.activity(row)].get()),
        text("detail", "Kind of copy or dispatch, as recorded", |rows, row| rows.detail(row)),
    ]
}

impl Rows<'_> {
    /// Row in the table of activities.
    fn activity(&self, row: usize) -> usize {
        self.rank.gpu.row[row].index()
    }

    fn slice(&self, row: usize) -> SliceId {
        self.rank.trace.gpu.slice[self.activity(row)]
    }

    fn text(&self, id: StringId) -> &str {
        self.rank.trace.strings.get(id)
    }

    fn step(&self, row: usize) -> Option<i64> {
        let steps = &self.rank.steps;
        if steps.is_empty() {
            return None;
        }
        let step = steps.of_activity(self.rank.trace, self.rank.links(), self.rank.gpu.row[row])?;
        count(steps.number(step))
    }

    fn launch(&self, row: usize) -> Option<SliceId> {
        let launch = self.rank.links().launch(self.rank.gpu.row[row])?;
        // One whose duration cannot be true is in `slices` alone.
        (!self.rank.trace.is_quarantined(launch)).then_some(launch)
    }

    fn operator(&self, row: usize) -> Option<SliceId> {
        let operators = self.rank.operators();
        operators.launcher(self.rank.links(), self.rank.gpu.row[row]).map(|node| operators.slice(node))
    }

    fn detail(&self, row: usize) -> Option<Cow<'_, str>> {
        self.rank.trace.gpu.detail[self.activity(row)].some().map(|id| self.text(id).into())
    }
}

fn axis(extent: Extent, axis: usize) -> Option<i64> {
    extent.get().map(|extent| i64::from(extent[axis]))
}
