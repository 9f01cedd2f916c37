//! Calls of collectives.

use eaves_analyze::{CollectiveCall, ElementType, RankView, collective_calls};

use super::column::{Column, count, float, int, ns, text};
use super::{Table, View};

pub(super) struct Collectives;

pub(super) struct Rows<'a> {
    rank: &'a RankView<'a>,
    calls: Vec<CollectiveCall>,
}

impl Table for Collectives {
    const NAME: &'static str = "collectives";
    const ABOUT: &'static str =
        "Calls of collectives: kernels of communication, and ranges in which a thread did it";
    type Rows<'a> = Rows<'a>;

    fn rows<'a>(view: &View<'a>) -> Rows<'a> {
        Rows { rank: view.rank, calls: collective_calls(view.rank) }
    }

    fn count(rows: &Rows<'_>) -> usize {
        rows.calls.len()
    }

    fn columns<'a>() -> Vec<Column<Rows<'a>>> {
        vec![
            int("slice", "Number of the slice in its rank", |rows, row| count(rows.calls[row].slice.0)),
            text("name", "Name of the kernel or range", |rows, row| {
                Some(rows.rank.trace.slice_name(rows.calls[row].slice).into())
            }),
            text(
                "kind",
                "all_gather, all_reduce, all_to_all, broadcast, reduce_scatter, send_receive, ...",
                |rows, row| Some(rows.calls[row].kind.into()),
            ),
            text("place", "Where it ran: gpu or host", |rows, row| Some(rows.calls[row].place.into())),
            int("start_ns", "Beginning, from the zero of the recording", |rows, row| {
                ns(rows.calls[row].interval.start)
            }),
            int("end_ns", "End", |rows, row| ns(rows.calls[row].interval.end)),
            int("duration_ns", "Length, waiting for other ranks included", |rows, row| {
                ns(rows.calls[row].interval.length())
            }),
            int("exposed_ns", "Time of it in which nothing computed; null on the host", |rows, row| {
                rows.calls[row].exposed.and_then(ns)
            }),
            int("bytes", "Size as nccl-tests counts it", |rows, row| rows.calls[row].bytes),
            float(
                "bus_factor",
                "Bus bandwidth is bytes by time, times this, as nccl-tests has it",
                |rows, row| rows.calls[row].bus_factor,
            ),
            text("element_type", "Element type", |rows, row| {
                rows.calls[row].element.map(|element| match element {
                    ElementType::Known(name) => name.into(),
                    ElementType::AsWritten(id) => rows.rank.trace.strings.get(id).into(),
                })
            }),
            text("process_group", "Name of the process group", |rows, row| {
                rows.calls[row].group.as_deref().map(Into::into)
            }),
            int("group_size", "Number of ranks in the group", |rows, row| {
                rows.calls[row].group_size.map(i64::from)
            }),
            int(
                "sequence",
                "Number of the call among those of its process group, the same on every rank",
                |rows, row| rows.calls[row].sequence,
            ),
            int("step", "Number of the profiler step in which it was launched", |rows, row| {
                rows.calls[row].step.and_then(count)
            }),
        ]
    }
}
