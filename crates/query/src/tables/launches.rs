//! Calls that launched something.

use eaves_analyze::{Launch, RankView};

use super::column::{Column, count, int, ns, text, truth};
use super::slices::thread;
use super::{Table, View};

pub(super) struct Launches;

pub(super) struct Rows<'a> {
    rank: &'a RankView<'a>,
    launches: Vec<Launch>,
}

impl Table for Launches {
    const NAME: &'static str = "launches";
    const ABOUT: &'static str = "Host calls that launched GPU activities";
    type Rows<'a> = Rows<'a>;

    fn rows<'a>(view: &View<'a>) -> Rows<'a> {
        Rows { rank: view.rank, launches: eaves_analyze::launches(view.rank) }
    }

    fn count(rows: &Rows<'_>) -> usize {
        rows.launches.len()
    }

    fn columns<'a>() -> Vec<Column<Rows<'a>>> {
        vec![
            int("slice", "Slice number within its rank", |rows, row| count(rows.launches[row].call.0)),
            text("name", "Name of the call", |rows, row| {
                Some(rows.rank.trace.strings.get(rows.launches[row].name).into())
            }),
            int("start_ns", "Start, relative to the recording's time base", |rows, row| {
                ns(rows.launches[row].start)
            }),
            int("end_ns", "End", |rows, row| ns(rows.launches[row].start + rows.launches[row].cpu)),
            int("duration_ns", "Duration on the host", |rows, row| ns(rows.launches[row].cpu)),
            int(
                "delay_ns",
                "Delay from its end to the start of the first kernel; 0 if that started earlier",
                |rows, row| ns(rows.launches[row].delay()),
            ),
            int("kernels", "Number of GPU activities launched", |rows, row| {
                count(rows.launches[row].activities)
            }),
            int("gpu_ns", "Their summed durations", |rows, row| ns(rows.launches[row].gpu)),
            text("first_kernel", "Name of the first GPU activity", |rows, row| {
                let slice = rows.rank.trace.gpu.slice[rows.launches[row].first.index()];
                Some(rows.rank.trace.slice_name(slice).into())
            }),
            truth("blocking", "True if it is synchronous", |rows, row| Some(rows.launches[row].blocking)),
            text("thread", "Thread", |rows, row| thread(rows.rank.trace, rows.launches[row].call.index())),
            int("step", "Profiler step in which it starts", |rows, row| {
                count(rows.rank.steps.number(rows.rank.steps.at(rows.launches[row].start)?))
            }),
            text("op", "Name of the innermost enclosing operator", |rows, row| {
                let node = rows.rank.operators().around(rows.launches[row].call)?;
                Some(rows.rank.trace.slice_name(rows.rank.operators().slice(node)).into())
            }),
        ]
    }
}
